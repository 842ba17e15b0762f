//! Asking word by word, for tools that find nothing with a whole question.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::recall::fusion_score;

/// Stop words.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "but", "by", "can", "could", "did", "do", "does", "during", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "kind", "me", "might", "more", "most", "my", "no", "not", "of", "off", "on",
    "or", "other", "our", "out", "over", "same", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "under", "until", "up", "us", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Returns the distinct words of a question without stop words, or all if it has no others.
pub(super) fn content_words(question: &str) -> Vec<String> {
    let lower = question.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.chars().count() > 1 && !words.iter().any(|other| other == word) {
            words.push(word.to_owned());
        }
    }
    let content: Vec<String> =
        words.iter().filter(|word| !STOP_WORDS.contains(&word.as_str())).cloned().collect();
    if content.is_empty() { words } else { content }
}

/// Searches each word, as an agent would have to, and ranks results by how many words match them, then by
/// reciprocal rank. The tools do not do this merging themselves.
pub(super) fn search_by_word(
    question: &str,
    limit: usize,
    mut search: impl FnMut(&str) -> Result<Vec<String>, Failure>,
) -> Result<Vec<String>, Failure> {
    let mut matches: HashMap<String, (usize, f64)> = HashMap::new();
    for word in content_words(question) {
        for (rank, id) in search(&word)?.into_iter().enumerate() {
            let (words, score) = matches.entry(id).or_default();
            *words += 1;
            *score += fusion_score(rank);
        }
    }
    let mut ranked: Vec<(String, (usize, f64))> = matches.into_iter().collect();
    ranked.sort_by(|(a, (words, score)), (b, (other_words, other_score))| {
        other_words.cmp(words).then_with(|| other_score.total_cmp(score)).then_with(|| a.cmp(b))
    });
    Ok(ranked.into_iter().take(limit).map(|(id, _)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_most_words_rank_first() {
        assert_eq!(
            content_words("What did Ann's \"group\" say? Group!"),
            ["did", "ann", "group", "say"][1..]
        );
        let ranked = search_by_word("red green", 2, |word| {
            let ids: &[&str] = if word == "red" { &["x", "y"] } else { &["y", "z"] };
            Ok(ids.iter().map(|id| (*id).to_owned()).collect())
        });
        assert_eq!(ranked.unwrap(), ["y", "x"]);
    }
}
