//! Splits long texts into sentences, and chooses those of two texts that are worth comparing.

use std::collections::{HashMap, HashSet};

use super::statement::{STATEMENT_MAX_WORDS, Statement};
use crate::prose::{paragraphs, split_sentences};

/// A text of at most so many words is compared as a whole.
const WHOLE_MAX_WORDS: usize = 48;

/// The most sentences of a text that are read.
const MAX_SENTENCES: usize = 600;

/// The most pairs of sentences that are compared.
const MAX_PAIRS: usize = 24;

/// A word in more sentences than this says nothing about which of them belong together.
const MAX_SENTENCES_OF_WORD: usize = 40;

/// Returns the text if it is short, else its sentences, each once.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let text = text.trim();
    if text.split_whitespace().nth(WHOLE_MAX_WORDS).is_none() {
        return if text.is_empty() { vec![] } else { vec![shorten(text)] };
    }
    let sentences = paragraphs(text).into_iter().flat_map(split_sentences).map(shorten);
    let mut seen = HashSet::new();
    sentences.filter(|sentence| seen.insert(*sentence)).take(MAX_SENTENCES).collect()
}

/// Returns the beginning of a sentence. What has no spaces is data.
fn shorten(sentence: &str) -> &str {
    const MAX_BYTES: usize = 16 * STATEMENT_MAX_WORDS;
    let end = (0..=MAX_BYTES.min(sentence.len())).rfind(|end| sentence.is_char_boundary(*end));
    &sentence[..end.unwrap_or(0)]
}

/// Returns the pairs of statements of two texts that have most in common without being equal, by their numbers.
pub(super) fn pairs_to_compare(a: &[Statement<'_>], b: &[Statement<'_>]) -> Vec<(usize, usize)> {
    if let ([a], [b]) = (a, b) {
        return if a.text == b.text { vec![] } else { vec![(0, 0)] };
    }
    let mut of_word: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, statement) in b.iter().enumerate() {
        for at in &statement.content {
            let sentences = of_word.entry(statement.stem(*at)).or_default();
            if sentences.last() != Some(&number) {
                sentences.push(number);
            }
        }
    }
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    let mut common: HashMap<usize, usize> = HashMap::new();
    for (number, statement) in a.iter().enumerate() {
        common.clear();
        let mut stems: Vec<&str> = statement.content.iter().map(|at| statement.stem(*at)).collect();
        stems.sort_unstable();
        stems.dedup();
        let sentences = stems.iter().filter_map(|stem| of_word.get(stem));
        for other in sentences.filter(|of| of.len() <= MAX_SENTENCES_OF_WORD).flatten() {
            *common.entry(*other).or_default() += 1;
        }
        for (other, count) in common.iter().filter(|(other, _)| b[**other].text != statement.text) {
            let words = (statement.content.len() * b[*other].content.len()).max(1);
            found.push((*count as f64 / (words as f64).sqrt(), number, *other));
        }
    }
    found.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2)))
    });
    found.into_iter().take(MAX_PAIRS).map(|(_, a, b)| (a, b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_whole_and_long_ones_are_split() {
        assert_eq!(sentences(" One thing. Another. "), ["One thing. Another."]);
        assert_eq!(sentences(" \n"), [""; 0]);
        let long = "The cache lives for an hour. It is cold. ".repeat(20);
        assert_eq!(sentences(&long), ["The cache lives for an hour.", "It is cold."]);
    }

    #[test]
    fn sentences_with_common_words_are_compared_first() {
        let read = |texts: &[&'static str]| -> Vec<Statement<'static>> {
            texts.iter().map(|text| Statement::new(text)).collect()
        };
        let a = read(&["Caches live an hour", "Requests time out after 5 s"]);
        let b = read(&["Nothing of it", "The timeout", "Requests never time out", "Old caches"]);
        assert_eq!(pairs_to_compare(&a, &b), [(1, 2), (0, 3)]);
    }
}
