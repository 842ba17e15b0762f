//! Questions for those who find nothing with a whole one.

use std::collections::HashMap;

use crate::failure::Failure;

/// Words that say how a sentence is built and not what it is about.
const STOP: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "but", "by", "can", "could", "did", "do", "does", "during", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "kind", "me", "might", "more", "most", "my", "no", "not", "of", "off", "on",
    "or", "other", "our", "out", "over", "same", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "under", "until", "up", "us", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Returns the words of a question that say what it is about, each once.
pub(super) fn content(question: &str) -> Vec<String> {
    let lower = question.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.chars().count() > 1 && !words.iter().any(|other| other == word) {
            words.push(word.to_owned());
        }
    }
    let content: Vec<String> =
        words.iter().filter(|word| !STOP.contains(&word.as_str())).cloned().collect();
    if content.is_empty() { words } else { content }
}

/// Asks word by word, as an agent would have to, and puts first what most words find; among equals,
/// what comes first for its words. This merging is ours.
pub(super) fn by_word(
    question: &str,
    limit: usize,
    mut search: impl FnMut(&str) -> Result<Vec<String>, Failure>,
) -> Result<Vec<String>, Failure> {
    let mut found: HashMap<String, (usize, f64)> = HashMap::new();
    for word in content(question) {
        for (at, id) in search(&word)?.into_iter().enumerate() {
            let (words, places) = found.entry(id).or_default();
            *words += 1;
            *places += 1.0 / (60.0 + at as f64);
        }
    }
    let mut found: Vec<(String, (usize, f64))> = found.into_iter().collect();
    found.sort_by(|(a, (words, places)), (b, (other_words, other_places))| {
        other_words.cmp(words).then_with(|| other_places.total_cmp(places)).then_with(|| a.cmp(b))
    });
    Ok(found.into_iter().take(limit).map(|(id, _)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_words_find_comes_first() {
        assert_eq!(
            content("What did Ann's \"group\" say? Group!"),
            ["did", "ann", "group", "say"][1..]
        );
        let found = by_word("red green", 2, |word| {
            let ids: &[&str] = if word == "red" { &["x", "y"] } else { &["y", "z"] };
            Ok(ids.iter().map(|id| (*id).to_owned()).collect())
        });
        assert_eq!(found.unwrap(), ["y", "x"]);
    }
}
