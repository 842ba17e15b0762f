//! Any number of generated memories, whose word frequencies follow Zipf's law.

/// How many words a memory has by default.
pub(crate) const WORDS_PER_MEMORY: usize = 30;
/// How many words a sentence of a longer memory has.
const WORDS_PER_SENTENCE: usize = 15;
/// One in so many words is a rare name.
const WORDS_PER_NAME: f64 = 20.0;
/// How many different names there are.
const NAME_COUNT: usize = 100_000;
/// How many words of a memory a question repeats.
const WORDS_PER_QUESTION: usize = 6;
/// How far apart the memories of two successive questions are; a prime, so that they are spread over all
/// memories.
const QUESTION_STRIDE: usize = 7919;

/// The syllables of names.
const SYLLABLES: &[&str] = &[
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "yu", "za", "bre", "cli", "dro", "fla", "gre", "pli", "sta", "tru",
    "spo",
];

/// Generates memories and questions, the same ones in every run.
pub(crate) struct CorpusGenerator {
    /// The state of a linear congruential generator.
    state: u64,
    /// English words, the most frequent first.
    words: Vec<&'static str>,
    /// The cumulative probability of each word.
    cumulative: Vec<f64>,
    /// How many words a memory has.
    words_per_memory: usize,
}

impl CorpusGenerator {
    /// Creates a generator of memories with so many words, with a fixed seed.
    pub(crate) fn new(words_per_memory: usize) -> Self {
        // The vocabulary of the embedder is in order of frequency.
        let vocabulary = heirloom_embed::builtin().vocabulary();
        let pieces = (0..vocabulary.len() as u32).map(|id| vocabulary.piece(id));
        let is_word =
            |piece: &&str| piece.len() > 1 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
        let words: Vec<&str> = pieces.filter(is_word).collect();
        // Zipf-Mandelbrot: the frequency of a word is inverse to its rank.
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (1..=words.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        cumulative.iter_mut().for_each(|probability| *probability /= sum);
        CorpusGenerator { state: 1, words, cumulative, words_per_memory }
    }

    /// Returns a pseudo-random number from 0 to 1. The published figures were measured with memories of
    /// this generator, so another one would make them incomparable.
    fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Generates the next memory.
    pub(crate) fn memory(&mut self) -> String {
        let mut text = String::with_capacity(self.words_per_memory * 7);
        // A memory of the default length is one sentence.
        let is_long = self.words_per_memory > WORDS_PER_MEMORY;
        for position in 0..self.words_per_memory {
            if position > 0 {
                let ends_sentence = is_long && position % WORDS_PER_SENTENCE == 0;
                text.push_str(if ends_sentence { ". " } else { " " });
            }
            if self.random() * WORDS_PER_NAME < 1.0 {
                let number = (self.random() * NAME_COUNT as f64) as usize;
                push_name(number, &mut text);
            } else {
                let random = self.random();
                let rank = self.cumulative.partition_point(|sum| *sum < random);
                text.push_str(self.words[rank.min(self.words.len() - 1)]);
            }
        }
        text.push('.');
        text
    }

    /// Generates questions, each of which one of the memories answers.
    pub(crate) fn questions(&mut self, memories: &[String], count: usize) -> Vec<String> {
        let count = if memories.is_empty() { 0 } else { count };
        let memory = |number: usize| &memories[number * QUESTION_STRIDE % memories.len()];
        (0..count).map(|number| self.question(memory(number))).collect()
    }

    /// Generates a question that a memory answers: some of its words in random order.
    fn question(&mut self, memory: &str) -> String {
        let words: Vec<&str> = memory.split(' ').map(|word| word.trim_end_matches('.')).collect();
        let picked: Vec<&str> = (0..WORDS_PER_QUESTION)
            .map(|_| words[(self.random() * words.len() as f64) as usize])
            .collect();
        format!("what of {}?", picked.join(" "))
    }
}

fn push_name(mut number: usize, text: &mut String) {
    loop {
        text.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
        if number == 0 {
            return;
        }
    }
}
