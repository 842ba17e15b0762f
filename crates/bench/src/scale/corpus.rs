//! Memories of about thirty words, as many as one likes, whose words are as unequal as real ones.

/// How many words a memory has.
const LENGTH: usize = 30;
/// Of so many words one is a name that hardly occurs again.
const NAMES: f64 = 20.0;
/// How many names there are.
const NAMED: usize = 100_000;
/// How many words of a memory a question takes.
const ASKED: usize = 6;

/// What names are made of.
const SYLLABLES: &[&str] = &[
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "yu", "za", "bre", "cli", "dro", "fla", "gre", "pli", "sta", "tru",
    "spo",
];

/// A stream of memories, the same one every time.
pub(crate) struct Corpus {
    state: u64,
    /// English words, the most frequent first.
    words: Vec<&'static str>,
    /// The share of all words that are as frequent as this one or more.
    shares: Vec<f64>,
}

impl Corpus {
    /// Begins a stream.
    pub(crate) fn new() -> Self {
        // The whole words among the pieces that the embedder knows: these are in order of frequency.
        let vocabulary = heirloom_embed::builtin().vocabulary();
        let pieces = (0..vocabulary.len() as u32).map(|id| vocabulary.piece(id));
        let is_word =
            |piece: &&str| piece.len() > 1 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
        let words: Vec<&str> = pieces.filter(is_word).collect();
        // Zipf's law: the n-th word is n times as rare as the first.
        let mut sum = 0.0;
        let mut shares: Vec<f64> = (1..=words.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        shares.iter_mut().for_each(|share| *share /= sum);
        Corpus { state: 1, words, shares }
    }

    /// Returns a number from 0 to 1.
    fn chance(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns the next memory.
    pub(crate) fn memory(&mut self) -> String {
        let mut text = String::with_capacity(LENGTH * 7);
        for at in 0..LENGTH {
            if at > 0 {
                text.push(' ');
            }
            if self.chance() * NAMES < 1.0 {
                let number = (self.chance() * NAMED as f64) as usize;
                push_name(number, &mut text);
            } else {
                let chance = self.chance();
                let rank = self.shares.partition_point(|share| *share < chance);
                text.push_str(self.words[rank.min(self.words.len() - 1)]);
            }
        }
        text.push('.');
        text
    }

    /// Returns a question that a memory answers: some of its words in another order.
    pub(crate) fn question(&mut self, memory: &str) -> String {
        let words: Vec<&str> = memory.trim_end_matches('.').split(' ').collect();
        let picked: Vec<&str> =
            (0..ASKED).map(|_| words[(self.chance() * words.len() as f64) as usize]).collect();
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
