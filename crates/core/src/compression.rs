//! Shorter forms of a text, extracted from it: every word of a shorter form stands in the text, in the same order.
//!
//! - The *summary* leaves out sentences that add nothing essential, and filler words. It keeps every essential word of
//!   the text: names, numbers, negations and identifiers.
//! - The *compressed* form is the sentence with the most essential words, without words of grammar, in a few words. It
//!   keeps the negations of that part.
//! - The *index* form is a label of a few words.
//!
//! A form that is not shorter than the one before it does not exist.

mod essential;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prose::split_sentences;
use crate::recall::is_stop_word;
use crate::record::ShortTexts;
use crate::word_list::WordList;
use essential::{bare_word, essential_key, is_negation, lower_case};

/// The length of a memory's text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The whole text.
    Full,
    /// Without what is not essential.
    Summary,
    /// In a few words.
    Compressed,
    /// A label.
    Index,
}

impl Level {
    /// Every level, the longest first.
    pub const ALL: [Level; 4] = [Level::Full, Level::Summary, Level::Compressed, Level::Index];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Full => "full",
            Level::Summary => "summary",
            Level::Compressed => "compressed",
            Level::Index => "index",
        }
    }
}

/// The most words of a compressed form.
const MAX_COMPRESSED_WORDS: usize = 14;

/// The most words of a label.
const MAX_INDEX_WORDS: usize = 4;

/// Words that can be left out of a sentence without changing what it says.
static FILLER_WORDS: WordList = WordList::new(&[
    "a",
    "actually",
    "an",
    "basically",
    "certainly",
    "clearly",
    "definitely",
    "essentially",
    "honestly",
    "just",
    "literally",
    "obviously",
    "please",
    "pretty",
    "quite",
    "really",
    "simply",
    "that",
    "the",
    "very",
    "well",
]);

/// Returns the text of a memory at a level: what its writer supplied, else what can be extracted from a longer form. The
/// title of a memory is its label. `None` if the text has no shorter form at that level.
pub fn at_level(
    text: &str,
    title: Option<&str>,
    supplied: &ShortTexts,
    level: Level,
) -> Option<String> {
    match level {
        Level::Full => Some(text.to_owned()),
        Level::Summary => supplied.summary.clone().or_else(|| summary(text)),
        Level::Compressed => {
            let source = supplied.summary.as_deref().unwrap_or(text);
            supplied.compressed.clone().or_else(|| compressed(source))
        }
        Level::Index => supplied.index.clone().or_else(|| match title {
            Some(title) => Some(label(title)),
            None => Some(label(text)),
        }),
    }
    .filter(|form| !form.trim().is_empty())
}

/// Returns a text without sentences that add no essential word, and without filler words. `None` if that is not shorter.
pub fn summary(text: &str) -> Option<String> {
    let sentences: Vec<&str> = text.lines().flat_map(split_sentences).collect();
    let mut seen: HashSet<String> = HashSet::new();
    let mut kept: Vec<String> = Vec::new();
    for sentence in &sentences {
        let new: Vec<String> =
            essential_words(sentence).filter(|key| !seen.contains(key)).collect();
        if !new.is_empty() {
            seen.extend(new);
            kept.push(without_filler(sentence));
        }
    }
    if kept.is_empty() {
        kept.extend(sentences.first().map(|sentence| without_filler(sentence)));
    }
    let summary = kept.join(" ");
    (!summary.is_empty() && summary.len() < text.trim().len()).then_some(summary)
}

/// Returns the sentence with the most essential words, without words of grammar. `None` if that is not shorter.
pub fn compressed(text: &str) -> Option<String> {
    let sentences = text.lines().flat_map(split_sentences);
    let count = |sentence: &&str| essential_words(sentence).collect::<HashSet<_>>().len();
    // Of equal sentences the first one is kept.
    let best = sentences.rev_max_by_key(count)?;
    let words = best
        .split_whitespace()
        .filter(|word| is_negation(word) || essential_key(word).is_some() || !is_grammar(word));
    let words: Vec<&str> = words.collect();
    // A negation after the end would be lost, and the form would state the opposite.
    let last_negation = words.iter().rposition(|word| is_negation(word)).map_or(0, |at| at + 2);
    let kept = MAX_COMPRESSED_WORDS.max(last_negation).min(words.len());
    let form = words[..kept].join(" ");
    (!form.is_empty() && form.len() < text.trim().len()).then_some(form)
}

/// Returns the first words of a text that say something, as a label.
pub fn label(text: &str) -> String {
    let line = text.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or("");
    let words = line.split_whitespace().filter(|word| is_negation(word) || !is_grammar(word));
    let mut words: Vec<&str> =
        words.map(bare_word).filter(|word| !word.is_empty()).take(MAX_INDEX_WORDS).collect();
    // A negation says nothing without what it negates.
    words.pop_if(|word| is_negation(word));
    match words.is_empty() {
        true => line.split_whitespace().take(MAX_INDEX_WORDS).collect::<Vec<_>>().join(" "),
        false => words.join(" "),
    }
}

/// Returns the keys of the essential words of a text, in order.
pub fn essential_words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().filter_map(essential_key)
}

fn without_filler(sentence: &str) -> String {
    let is_filler = |word: &str| FILLER_WORDS.contains(&lower_case(word));
    let words = sentence.split_whitespace().filter(|word| !is_filler(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns whether a word only holds a sentence together.
fn is_grammar(word: &str) -> bool {
    let lower = lower_case(bare_word(word));
    lower.is_empty() || is_stop_word(&lower)
}

/// Finds the first of the greatest items.
trait FirstMax: Iterator + Sized {
    fn rev_max_by_key<K: Ord>(mut self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        let first = self.next()?;
        let Some(second) = self.next() else { return Some(first) };
        let mut best: Option<(K, Self::Item)> = None;
        for item in [first, second].into_iter().chain(self) {
            let key = key(&item);
            if best.as_ref().is_none_or(|(greatest, _)| key > *greatest) {
                best = Some((key, item));
            }
        }
        best.map(|(_, item)| item)
    }
}

impl<I: Iterator> FirstMax for I {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DATABASE: &str = "The team decided to use PostgreSQL as the primary database because of its strong support for JSON operations. We were really happy with that. It must not be replaced by MySQL 8.";

    #[test]
    fn a_summary_leaves_out_what_is_not_essential() {
        assert_eq!(
            summary(DATABASE).as_deref(),
            Some(
                "team decided to use PostgreSQL as primary database because of its strong support for JSON operations. It must not be replaced by MySQL 8."
            )
        );
        assert_eq!(summary("Use SQLite."), None);
        assert_eq!(summary("it works. it is fine.").as_deref(), Some("it works."));
        assert_eq!(summary(""), None);
    }

    #[test]
    fn a_compressed_form_keeps_negations() {
        assert_eq!(
            compressed("We will never use the MySQL database again.").as_deref(),
            Some("never use MySQL database again.")
        );
        let long = format!("We use {} but not Redis", "word ".repeat(20));
        assert!(
            compressed(&long).is_some_and(|form| form.ends_with("not Redis")),
            "{:?}",
            compressed(&long)
        );
        assert_eq!(compressed("Redis"), None);
    }

    #[test]
    fn a_label_is_the_title_or_the_first_words() {
        let none = ShortTexts::default();
        assert_eq!(
            at_level("x", Some("Auth refactor"), &none, Level::Index).as_deref(),
            Some("Auth refactor")
        );
        assert_eq!(
            at_level(DATABASE, None, &none, Level::Index).as_deref(),
            Some("team decided use PostgreSQL")
        );
        let supplied = ShortTexts { index: Some("auth_tz_fix".into()), ..ShortTexts::default() };
        assert_eq!(at_level("x", None, &supplied, Level::Index).as_deref(), Some("auth_tz_fix"));
        assert_eq!(at_level("x", None, &supplied, Level::Compressed), None);
    }

    fn text() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "the",
            "PostgreSQL",
            "is",
            "not",
            "8080",
            "src/auth.rs",
            "fold_case",
            "never",
            "really",
            "used",
            "Redis.",
            "we",
            "don't",
            "a",
            "ledger.",
            "v1.2",
            "quickly!",
            "(only)",
            "C++",
            "Anna",
        ]);
        prop::collection::vec(word, 1..60).prop_map(|words| words.join(" "))
    }

    /// Returns whether words occur in a text in the same order.
    fn is_subsequence(words: &str, text: &str) -> bool {
        let mut rest = text.split_whitespace();
        words.split_whitespace().all(|word| rest.any(|other| other == word))
    }

    proptest! {
        #[test]
        fn a_summary_keeps_every_essential_word_and_invents_none(text in text()) {
            if let Some(summary) = summary(&text) {
                let kept: HashSet<String> = essential_words(&summary).collect();
                for word in essential_words(&text) {
                    prop_assert!(kept.contains(&word), "{word} is missing: {summary}");
                }
                prop_assert!(is_subsequence(&summary, &text));
                prop_assert!(summary.len() < text.len());
            }
        }

        #[test]
        fn a_compressed_form_invents_nothing_and_keeps_the_negations_of_its_sentence(text in text()) {
            if let Some(form) = compressed(&text) {
                prop_assert!(is_subsequence(&form, &text));
                prop_assert!(form.len() < text.len());
            }
        }
    }
}
