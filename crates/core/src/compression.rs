//! Shorter forms of a text, extracted from it: every word of a shorter form stands in the text, in the same order.
//!
//! - The *summary* leaves out sentences that add nothing essential, and filler words. It keeps every essential word of
//!   the text: names, numbers, negations and identifiers.
//! - The *compressed* form is the sentence with the most essential words, without words of grammar, in a few words. It
//!   keeps the negations of that part, and a condition ("only if", "unless", "before") with all its words.
//! - The *index* form is a label of a few words.
//!
//! A form that is not shorter than the one before it does not exist.

mod condition;
mod document;
mod essential;

pub use document::{document_at_level, section_at_level};

use std::collections::HashSet;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prose::{one_line, split_sentences};
use crate::recall::is_stop_word;
use crate::record::{Record, ShortTexts};
use crate::word_list::WordList;
use condition::{begins_with_exception, find_condition};
pub(crate) use essential::is_negation;
use essential::{bare_word, essential_key, lower_case};

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

/// Returns the text of a record at a level, as [`at_level`] does. Of a record with several texts, the summary has all its
/// statements, and the compressed form its title and the statement that says most.
pub fn record_at_level(record: &Record, level: Level) -> Option<String> {
    let (text, supplied) = (record.statements(), &record.levels);
    let is_extracted = supplied.compressed.is_none() && supplied.summary.is_none();
    match (level, record.title(), record.main_statement()) {
        (Level::Compressed, Some(title), Some(statement)) if is_extracted => {
            let statement = compressed(statement).unwrap_or_else(|| one_line(statement));
            let form = format!("{title}: {statement}");
            (form.len() < text.trim().len()).then_some(form)
        }
        (_, title, _) => at_level(&text, title, supplied, level),
    }
}

/// Returns a text at the longest of the levels from the given one on that it has: a text without a summary is its own.
pub fn nearest_level(level: Level, at_level: impl Fn(Level) -> Option<String>) -> Option<String> {
    let mut longer = Level::ALL.into_iter().rev().skip_while(|other| *other != level);
    longer.find_map(at_level)
}

/// Returns a text without sentences that add no essential word, and without filler words. `None` if that is not shorter.
pub fn summary(text: &str) -> Option<String> {
    let sentences: Vec<&str> = text.lines().flat_map(split_sentences).collect();
    let mut seen: HashSet<String> = HashSet::new();
    let mut kept: Vec<String> = Vec::new();
    for sentence in &sentences {
        let new: Vec<String> =
            essential_words(sentence).filter(|key| !seen.contains(key)).collect();
        if !new.is_empty() || find_condition(sentence).is_some() {
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
    let sentences: Vec<&str> = text.lines().flat_map(split_sentences).collect();
    let count = |sentence: &str| essential_words(sentence).collect::<HashSet<_>>().len();
    // Of equal sentences the first one is kept.
    let best = (0..sentences.len()).rev_max_by_key(|at| count(sentences[*at]))?;
    let form = match with_exceptions(&sentences, best) {
        range if range.len() == 1 => compressed_sentence(sentences[best]),
        range => sentences[range].iter().map(|it| without_filler(it)).collect::<Vec<_>>().join(" "),
    };
    (!form.is_empty() && form.len() < text.trim().len()).then_some(form)
}

/// Returns the range of a sentence and of those after it that limit it ("Except on Fridays."), from the sentence that is
/// limited on.
fn with_exceptions(sentences: &[&str], at: usize) -> Range<usize> {
    let is_exception = |at: &usize| begins_with_exception(sentences[*at]);
    let start = (1..=at).rev().find(|at| !is_exception(at)).unwrap_or(0);
    let end = (at + 1..sentences.len()).find(|at| !is_exception(at)).unwrap_or(sentences.len());
    start..end
}

/// Returns a sentence in a few words. A condition and what follows it keep all words but fillers, since "and" and "or"
/// matter there.
fn compressed_sentence(sentence: &str) -> String {
    let (statement, condition) = match find_condition(sentence) {
        Some(start) => sentence.split_at(start),
        None => (sentence, ""),
    };
    let words = statement
        .split_whitespace()
        .filter(|word| is_negation(word) || essential_key(word).is_some() || !is_grammar(word));
    let words: Vec<&str> = words.collect();
    // A negation after the end would be lost, and the form would state the opposite.
    let last_negation = words.iter().rposition(|word| is_negation(word)).map_or(0, |at| at + 2);
    let kept = MAX_COMPRESSED_WORDS.max(last_negation).min(words.len());
    let condition = without_filler(condition);
    let parts = words[..kept].iter().copied().chain(Some(condition.as_str()));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
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
    use jiff::Timestamp;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::record::{Body, Episode};

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

    #[test]
    fn a_compressed_form_keeps_conditions_with_all_their_words() {
        for (text, expected) in [
            (
                "We deploy to the production cluster only if the tests or the review passed.",
                "deploy production cluster only if tests or review passed.",
            ),
            (
                "The migration of the whole ledger of all of the European customers into the new cold storage of the archive must be run before the release of PostgreSQL 16.",
                "migration whole ledger all European customers new cold storage archive run before release of PostgreSQL 16.",
            ),
            (
                "Unless the ledger is locked, refunds of the customers are written to the queue.",
                "Unless ledger is locked, refunds of customers are written to queue.",
            ),
            (
                "Caching with Redis is on. Deploys to Hetzner are fine on Fridays. Except for the billing service. Call Anna.",
                "Deploys to Hetzner are fine on Fridays. Except for billing service.",
            ),
        ] {
            assert_eq!(compressed(text).as_deref(), Some(expected), "{text}");
        }
        let text = "The cache was cold. it is warm when the job ran. it was slow.";
        assert_eq!(summary(text).as_deref(), Some("it is warm when job ran."));
    }

    #[test]
    fn an_episode_has_useful_levels() {
        let episode = Episode {
            title: "Auth refactor".into(),
            content: "We moved the sessions out of the process. It went really well.".into(),
            decisions: vec!["store tokens in Redis".into(), "never log them".into()],
            outcome: Some("All 41 tests of the auth service pass again.".into()),
            course: vec!["user: hello".into()],
            ..Episode::default()
        };
        let record =
            Record::new(Uuid::nil(), Timestamp::UNIX_EPOCH, "", Body::Episode(episode.into()));
        let level = |level| record_at_level(&record, level).unwrap_or_default();
        assert_eq!(
            level(Level::Summary),
            "Auth refactor: We moved sessions out of process. Decisions: store tokens in Redis; never log them. Outcome: All 41 tests of auth service pass again."
        );
        assert_eq!(
            level(Level::Compressed),
            "Auth refactor: All 41 tests auth service pass again."
        );
        assert_eq!(level(Level::Index), "Auth refactor");
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

        #[test]
        fn a_compressed_form_keeps_what_follows_a_condition(
            before in "[a-z]{1,8}( [a-z]{1,8}){0,25}",
            condition in prop::sample::select(vec!["only if", "unless", "except", "until", "before", "when", "if"]),
            after in "[b-z]{2,8}( [b-z]{2,8}){0,25}",
        ) {
            let text = format!("{before} {condition} {after}.");
            let form = compressed(&text).unwrap_or_else(|| text.clone());
            let expected = without_filler(&format!("{condition} {after}."));
            prop_assert!(form.ends_with(&expected), "{form}");
        }
    }
}
