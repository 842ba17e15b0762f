//! Recognises two texts that may contradict each other: sentences on one subject of which one is negated, or that state
//! different numbers.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::compression::is_negation;
use crate::prose::split_sentences;
use crate::recall::{is_stop_word, terms};
use crate::words::jaccard_similarity;

/// How two sentences on one subject differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "differs_in", rename_all = "snake_case")]
pub enum Contradiction {
    /// One is negated and the other is not.
    Negation {
        /// The sentence of the one text.
        this: String,
        /// The sentence of the other.
        other: String,
    },
    /// They state different numbers or versions.
    Number {
        /// The sentence of the one text.
        this: String,
        /// The sentence of the other.
        other: String,
    },
}

/// Share of common terms from which two sentences have the same subject.
const MIN_SUBJECT_SIMILARITY: f64 = 0.5;

/// The fewest common terms of two sentences with the same subject.
const MIN_COMMON_TERMS: usize = 2;

/// Words that limit a statement without negating it.
const LIMITS: [&str; 6] = ["except", "instead", "only", "rather", "unless", "until"];

/// The most sentences of a text that are compared.
const MAX_SENTENCES: usize = 24;

/// Returns how two texts may contradict each other: the first pair of sentences that does.
pub fn find_contradiction(this: &str, other: &str) -> Option<Contradiction> {
    let these = statements(this);
    let others = statements(other);
    these.iter().find_map(|this| others.iter().find_map(|other| this.contradicts(other)))
}

/// A sentence, split into its subject and what may differ.
struct Statement<'t> {
    sentence: &'t str,
    /// The stems of its words, without negations, numbers and words of grammar.
    subject: HashSet<String>,
    numbers: BTreeSet<String>,
    is_negated: bool,
}

fn statements(text: &str) -> Vec<Statement<'_>> {
    let paragraphs = text.lines().filter(|line| !line.trim().is_empty());
    let sentences = paragraphs.flat_map(split_sentences);
    sentences.take(MAX_SENTENCES).map(Statement::new).collect()
}

impl<'t> Statement<'t> {
    fn new(sentence: &'t str) -> Self {
        let mut statement = Statement {
            sentence: sentence.trim(),
            subject: HashSet::new(),
            numbers: BTreeSet::new(),
            is_negated: false,
        };
        for word in sentence.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
            let is_limit = LIMITS.iter().any(|limit| bare.eq_ignore_ascii_case(limit));
            if is_negation(bare) && !is_limit {
                statement.is_negated = !statement.is_negated;
            } else if let Some(number) = number(bare) {
                statement.numbers.insert(number);
            } else {
                let words = terms(bare).into_iter().filter(|term| !is_stop_word(term));
                statement.subject.extend(words);
            }
        }
        statement
    }

    fn contradicts(&self, other: &Self) -> Option<Contradiction> {
        let common = self.subject.intersection(&other.subject).count();
        let similarity = jaccard_similarity(&self.subject, &other.subject);
        if common < MIN_COMMON_TERMS || similarity < MIN_SUBJECT_SIMILARITY {
            return None;
        }
        let (this_sentence, other_sentence) = (self.sentence.to_owned(), other.sentence.to_owned());
        if self.is_negated != other.is_negated {
            return Some(Contradiction::Negation { this: this_sentence, other: other_sentence });
        }
        // A sentence that states a number more is more exact, and contradicts nothing.
        let is_part =
            self.numbers.is_subset(&other.numbers) || other.numbers.is_subset(&self.numbers);
        (!is_part).then_some(Contradiction::Number { this: this_sentence, other: other_sentence })
    }
}

/// Returns a number, a version or an amount with its unit: `5`, `v5.1`, `30s`; `None` for a date or a word.
fn number(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let digits = lower.strip_prefix('v').unwrap_or(&lower);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_date = crate::day::parse(digits).is_some();
    (is_number && !is_date).then(|| digits.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(this: &str, other: &str) -> Option<&'static str> {
        find_contradiction(this, other).map(|found| match found {
            Contradiction::Negation { .. } => "negation",
            Contradiction::Number { .. } => "number",
        })
    }

    #[test]
    fn sentences_on_one_subject_that_differ_in_a_number_or_a_negation_are_found() {
        assert_eq!(
            kind("Use xstate v5 for workflows", "We use xstate v4 for workflows."),
            Some("number")
        );
        assert_eq!(
            kind("Cache builds in CI.", "Caching saved time. Do not cache builds in CI."),
            Some("negation")
        );
        assert_eq!(
            kind("The timeout of requests is 30s", "The timeout of requests is 5s"),
            Some("number")
        );
        assert_eq!(kind("Avoid barrel files", "Use barrel files"), Some("negation"));
    }

    #[test]
    fn other_subjects_further_detail_and_dates_are_no_contradiction() {
        assert_eq!(kind("Use xstate v5 for workflows", "Use pnpm 9 for packages"), None);
        assert_eq!(kind("Use xstate for workflows", "Use xstate v5 for workflows"), None);
        assert_eq!(kind("Deploy on 2026-02-03 by hand", "Deploy on 2026-02-10 by hand"), None);
        assert_eq!(kind("Never cache builds", "Never cache builds"), None);
        assert_eq!(kind("", "Use 5"), None);
    }
}
