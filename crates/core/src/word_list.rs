//! Short lists of words with a quick test for membership.

/// A sorted list of words in lower case that begin with an ASCII letter.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// For each first letter the lengths of its words, one bit each. It excludes most other words without comparing them.
    lengths: [u32; 26],
}

impl WordList {
    /// Makes a list of words of less than 32 bytes.
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut lengths = [0; 26];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            assert!(at == 0 || is_less(words[at - 1].as_bytes(), word), "the words must be sorted");
            lengths[(word[0] - b'a') as usize] |= 1 << word.len();
            at += 1;
        }
        WordList { words, lengths }
    }

    /// Returns whether a word, in lower case, is in the list.
    pub(crate) fn contains(&self, word: &str) -> bool {
        let first = word.as_bytes().first().map(|first| first.wrapping_sub(b'a') as usize);
        let lengths = first.and_then(|first| self.lengths.get(first)).copied().unwrap_or_default();
        word.len() < 32 && lengths & 1 << word.len() != 0 && self.words.binary_search(&word).is_ok()
    }
}

/// Compares two words, which the standard library cannot do at compile time.
const fn is_less(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at < b.len() && (at == a.len() || a[at] < b[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_contains_its_words_only() {
        static LIST: WordList = WordList::new(&["a", "no", "nor", "zebra"]);
        assert!(LIST.words.iter().all(|word| LIST.contains(word)));
        for other in ["", "n", "not", "north", "A", "é", "zebra ", "0", &"n".repeat(34)] {
            assert!(!LIST.contains(other), "{other}");
        }
    }
}
