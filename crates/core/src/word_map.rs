//! A hash map of words. Its hasher does not resist collision attacks: crafted input makes the index of that input slow,
//! and nothing else.

use rustc_hash::FxHashMap;

/// A map from words to values. Short words are stored inline, so that a lookup follows no pointer.
#[derive(Debug, Clone)]
pub struct WordMap<V> {
    short: FxHashMap<u128, V>,
    long: FxHashMap<Box<str>, V>,
}

impl<V> Default for WordMap<V> {
    fn default() -> Self {
        WordMap { short: FxHashMap::default(), long: FxHashMap::default() }
    }
}

impl<V: Copy> WordMap<V> {
    /// Returns the value of a word.
    pub fn get(&self, word: &str) -> Option<V> {
        match pack(word) {
            Some(packed) => self.short.get(&packed).copied(),
            None => self.long.get(word).copied(),
        }
    }

    /// Sets the value of a word.
    pub fn insert(&mut self, word: &str, value: V) {
        match pack(word) {
            Some(packed) => drop(self.short.insert(packed, value)),
            None => drop(self.long.insert(word.into(), value)),
        }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Packs a word of at most 15 bytes into a number: its bytes, then their count. The reads overlap, which avoids a loop.
fn pack(word: &str) -> Option<u128> {
    let bytes = word.as_bytes();
    let length = bytes.len();
    let (low, high) = match length {
        16.. => return None,
        8.. => {
            let (first, last) = (bytes.first_chunk::<8>()?, bytes.last_chunk::<8>()?);
            let rest = u64::from_le_bytes(*last).checked_shr(8 * (16 - length as u32));
            (u64::from_le_bytes(*first), rest.unwrap_or_default())
        }
        4.. => {
            let (first, last) = (bytes.first_chunk::<4>()?, bytes.last_chunk::<4>()?);
            let rest = u64::from(u32::from_le_bytes(*last)) >> (8 * (8 - length));
            (u64::from(u32::from_le_bytes(*first)) | rest << 32, 0)
        }
        _ => (bytes.iter().rev().fold(0, |low, byte| low << 8 | u64::from(*byte)), 0),
    };
    Some(u128::from(low) | u128::from(high | (length as u64) << 56) << 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins_for_words_of_any_length() {
        let mut words = WordMap::default();
        let long = "b".repeat(40);
        for (index, word) in
            ["", "a", "a\0", "fifteen letters", "sixteen letters!", &long].iter().enumerate()
        {
            assert_eq!(words.get(word), None);
            words.insert(word, index);
            words.insert(word, index + 10);
            assert_eq!(words.get(word), Some(index + 10));
        }
        assert_eq!(words.len(), 6);
    }

    #[test]
    fn a_short_word_is_packed_byte_by_byte() {
        for length in 0..16_usize {
            let word: String = ('a'..='z').take(length).collect();
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(word.as_bytes());
            bytes[15] = length as u8;
            assert_eq!(pack(&word), Some(u128::from_le_bytes(bytes)), "{word}");
        }
    }
}
