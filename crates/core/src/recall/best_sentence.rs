//! Chooses the sentence of a long text that answers a question.

use std::collections::HashSet;

use super::rank::TermScore;
use super::terms::terms;
use crate::prose::split_sentences;

/// Returns the sentence that contains most of the terms by which a memory was found, the first one among equals; `None` if
/// no sentence contains any.
pub fn best_sentence<'t>(
    texts: impl IntoIterator<Item = &'t str>,
    found_by: &[TermScore],
) -> Option<&'t str> {
    let own: Vec<&TermScore> = found_by.iter().filter(|term| term.is_own).collect();
    let score = |sentence: &str| {
        let contained: HashSet<String> = terms(sentence).into_iter().collect();
        let contains =
            |term: &TermScore| contained.contains(term.near.as_ref().unwrap_or(&term.term));
        let scores = own.iter().filter(|term| contains(term));
        scores.map(|term| term.score).sum::<f32>()
    };
    let mut best = (0.0, None);
    for sentence in texts.into_iter().flat_map(str::lines).flat_map(split_sentences) {
        let score = score(sentence);
        if score > best.0 {
            best = (score, Some(sentence.trim()));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_with_the_most_weight_is_chosen() {
        let term = |word: &str, score: f32, is_own: bool| TermScore {
            term: terms(word).remove(0),
            typed: None,
            score,
            rarity: 1.0,
            is_own,
            is_exact: true,
            near: None,
        };
        let found_by =
            [term("ledgers", 0.5, true), term("rounding", 0.3, true), term("queue", 0.9, false)];
        let texts =
            ["We began early. Rounding was odd.\nThe queue is empty.", "The ledger rounds up."];
        assert_eq!(best_sentence(texts, &found_by), Some("The ledger rounds up."));
        assert_eq!(best_sentence(["Nothing of it."], &found_by), None);
        assert_eq!(best_sentence(texts, &[]), None);
    }
}
