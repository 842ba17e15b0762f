//! How near words are in meaning, by the vectors of the built-in model.

use std::cell::RefCell;
use std::collections::HashMap;

use heirloom_core::embedding::normalise;

use crate::builtin;

/// Most words whose vectors a thread keeps.
const MAX_CACHED_VECTORS: usize = 10_000;

thread_local! {
    /// Unit vectors of words, each computed once.
    static VECTORS: RefCell<HashMap<String, Vec<f32>>> = RefCell::default();
}

/// Returns the cosine of the vectors of two words in the built-in model.
pub fn word_nearness(a: &str, b: &str) -> f32 {
    VECTORS.with_borrow_mut(|vectors| {
        if vectors.len() >= MAX_CACHED_VECTORS {
            vectors.clear();
        }
        for word in [a, b] {
            if !vectors.contains_key(word) {
                let mut vector = builtin().vector(word);
                normalise(&mut vector);
                vectors.insert(word.to_owned(), vector);
            }
        }
        vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_like_meaning_are_near() {
        assert!((word_nearness("cache", "cache") - 1.0).abs() < 1e-3);
        assert!(word_nearness("database", "postgres") > word_nearness("database", "banana"));
        assert_eq!(word_nearness("", "cache"), 0.0);
    }
}
