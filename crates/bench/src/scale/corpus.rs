//! Memories of about thirty words, as many as one likes, whose words are as unequal as real ones.

/// How many words there are.
const VOCABULARY: usize = 60_000;
/// How many words a memory has.
const LENGTH: usize = 30;
/// How many of them a question takes.
const ASKED: usize = 6;

const SYLLABLES: &[&str] = &[
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "yu", "za", "bre", "cli", "dro", "fla", "gre", "pli", "sta", "tru",
    "spo",
];

/// The most frequent words of English, which every text is full of.
const FREQUENT: &[&str] = &[
    "the", "of", "and", "to", "a", "in", "is", "that", "it", "for", "was", "on", "are", "as",
    "with", "his", "they", "at", "be", "this", "have", "from", "or", "had", "by", "not", "but",
    "what", "all", "were", "we", "when", "your", "can", "there", "an", "which", "do", "their",
    "if",
];

/// A stream of memories, the same one every time.
pub(crate) struct Corpus {
    state: u64,
    /// The share of all words that are as frequent as this one or more.
    shares: Vec<f64>,
}

impl Corpus {
    /// Begins a stream.
    pub(crate) fn new() -> Self {
        // Zipf's law: the n-th word is n times as rare as the first.
        let mut sum = 0.0;
        let mut shares: Vec<f64> = (1..=VOCABULARY)
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        shares.iter_mut().for_each(|share| *share /= sum);
        Corpus { state: 1, shares }
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
            let chance = self.chance();
            let rank = self.shares.partition_point(|share| *share < chance);
            push_word(rank, &mut text);
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

/// Writes the word of a rank: the more frequent, the shorter.
fn push_word(mut rank: usize, text: &mut String) {
    if let Some(frequent) = FREQUENT.get(rank) {
        return text.push_str(frequent);
    }
    loop {
        text.push_str(SYLLABLES[rank % SYLLABLES.len()]);
        rank /= SYLLABLES.len();
        if rank == 0 {
            return;
        }
    }
}
