//! Judges whether two memories contradict each other: by rules, and by a model that reads both if there is one.

use heirloom_core::contradiction::{
    Certainty, FindingKind, ReadText, Verdict, compared_sentences, judge_texts, rules_version,
    shorten_common_name,
};
use heirloom_core::words::normalise;
use heirloom_embed::{Judge, builtin_judge, builtin_judge_checksum, word_nearness};

use crate::memory::ComparableMemory;

/// The probability that one key with two values is a contradiction.
const KEY_VALUE_PROBABILITY: f64 = 0.97;

/// The same if the values are prose.
const PROSE_VALUE_PROBABILITY: f64 = 0.6;

/// A value of more words is prose, and another wording of it may say the same.
const MAX_PLAIN_VALUE_WORDS: usize = 4;

/// A judge of pairs of memories.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairJudge {
    model: Option<&'static Judge>,
}

/// A memory that was read, to be compared with several others.
#[derive(Debug)]
pub(crate) struct ReadMemory<'m> {
    memory: &'m ComparableMemory,
    text: ReadText<'m>,
}

impl<'m> ReadMemory<'m> {
    /// Reads a memory.
    pub(crate) fn new(memory: &'m ComparableMemory) -> Self {
        ReadMemory { memory, text: ReadText::new(&memory.text) }
    }

    /// Returns the memory.
    pub(super) fn memory(&self) -> &'m ComparableMemory {
        self.memory
    }

    /// Returns whether two memories have enough in common to contradict each other.
    pub(super) fn may_contradict(&self, other: &Self) -> bool {
        self.text.may_contradict(&other.text)
    }
}

/// Returns one of the sentences of a memory that are compared.
pub(super) fn sentence_of(memory: &ComparableMemory, number: u16) -> &str {
    let sentences = compared_sentences(&memory.text);
    sentences.get(usize::from(number)).copied().unwrap_or(&memory.text)
}

impl PairJudge {
    /// Returns the built-in judge.
    pub(crate) fn builtin() -> Self {
        // A test of `heirloom-embed` reads the file that is compiled in.
        PairJudge { model: builtin_judge().ok() }
    }

    /// Returns what tells the verdicts of this judge from those of others.
    pub(crate) fn version(&self) -> String {
        match self.has_model() {
            true => format!("{}+{}", rules_version(), builtin_judge_checksum()),
            false => rules_version(),
        }
    }

    /// Returns whether there is a model, which takes milliseconds a pair.
    pub(crate) fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Judges two memories by rules, which take microseconds.
    pub(crate) fn judge_by_rules(&self, a: &ReadMemory<'_>, b: &ReadMemory<'_>) -> Verdict {
        self.judge_with(a, b, None)
    }

    /// Returns the log-odds of the model for each two sentences; `None` without a model.
    pub(crate) fn log_odds(&self, pairs: &[(&str, &str)]) -> Option<Vec<f32>> {
        Some(self.model?.log_odds_of_all(pairs))
    }

    /// Returns the log-odds of the model for each two sentences that were found to be similar. It reads them with shorter names
    /// where they have long ones in common.
    pub(super) fn log_odds_of_similar(&self, pairs: &[(&str, &str)]) -> Option<Vec<f32>> {
        let shortened: Vec<Option<[String; 2]>> =
            pairs.iter().map(|(a, b)| shorten_common_name(a, b)).collect();
        let shortened = shortened.iter().map(|it| it.as_ref().map(|[a, b]| (&**a, &**b)));
        let read: Vec<(&str, &str)> =
            pairs.iter().zip(shortened).map(|(pair, short)| short.unwrap_or(*pair)).collect();
        self.log_odds(&read)
    }

    /// Judges two memories by rules and by the log-odds of the model.
    pub(crate) fn judge_with(
        &self,
        a: &ReadMemory<'_>,
        b: &ReadMemory<'_>,
        log_odds: Option<f32>,
    ) -> Verdict {
        let verdict = judge_texts(&a.text, &b.text, &word_nearness, log_odds);
        let verdict = match two_values_of_a_key(a.memory, b.memory) {
            Some(of_key) if of_key.is_clean || of_key.probability > verdict.probability => {
                Verdict { probability: of_key.probability.max(verdict.probability), ..of_key }
            }
            _ => verdict,
        };
        if a.memory.scope.is_some() == b.memory.scope.is_some() {
            return verdict;
        }
        // What holds for a part of the project may be an exception to what holds in general.
        let certainty = verdict.certainty.min(Certainty::Possible);
        Verdict { certainty, is_clean: false, ..verdict }
    }
}

/// Returns the verdict on two facts that give one key two values; `None` for any others, and for amounts, whose units the
/// rules compare.
fn two_values_of_a_key(a: &ComparableMemory, b: &ComparableMemory) -> Option<Verdict> {
    let ((key, value), (other_key, other_value)) =
        a.key_value.as_ref().zip(b.key_value.as_ref())?;
    let scope = |memory: &ComparableMemory| memory.scope.as_deref().map(normalise);
    if normalise(key) != normalise(other_key) || scope(a) != scope(b) {
        return None;
    }
    let (plain, other_plain) = (without_spelling(value), without_spelling(other_value));
    // A longer value may only say more.
    let is_part = plain.contains(&other_plain) || other_plain.contains(&plain);
    let starts_with_digit = |value: &str| value.starts_with(|c: char| c.is_ascii_digit());
    if is_part || (starts_with_digit(&plain) && starts_with_digit(&other_plain)) {
        return None;
    }
    let words = |value: &str| value.split_whitespace().count();
    let is_certain = words(value).max(words(other_value)) <= MAX_PLAIN_VALUE_WORDS;
    Some(Verdict {
        probability: if is_certain { KEY_VALUE_PROBABILITY } else { PROSE_VALUE_PROBABILITY },
        certainty: if is_certain { Certainty::Certain } else { Certainty::Possible },
        // Facts with one key are about the same.
        is_clean: is_certain,
        kind: FindingKind::KeyValue,
        reason: format!("`{key}` is `{value}` and `{other_value}`"),
    })
}

/// Returns the letters and digits of a value in lower case.
fn without_spelling(value: &str) -> String {
    value.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(key: &str, value: &str) -> ComparableMemory {
        ComparableMemory {
            key_value: Some((key.to_owned(), value.to_owned())),
            ..ComparableMemory::of_text(&format!("{key}: {value}"))
        }
    }

    fn certainty(a: &ComparableMemory, b: &ComparableMemory) -> Certainty {
        let judge = PairJudge::builtin();
        let (a, b) = (&ReadMemory::new(a), &ReadMemory::new(b));
        let verdicts = [judge.judge_by_rules(a, b), judge.judge_by_rules(b, a)];
        assert_eq!(verdicts[0].certainty, verdicts[1].certainty);
        verdicts[0].certainty
    }

    #[test]
    fn one_key_with_two_values_is_a_certain_contradiction() {
        let runner = keyed("test_runner", "nextest");
        assert_eq!(certainty(&runner, &keyed("test_runner", "cargo test")), Certainty::Certain);
        assert_eq!(certainty(&runner, &keyed("Test_Runner", "Nextest.")), Certainty::None);
        assert_eq!(certainty(&runner, &keyed("linter", "clippy")), Certainty::None);
        let scoped =
            |scope: &str| ComparableMemory { scope: Some(scope.to_owned()), ..runner.clone() };
        let other = keyed("test_runner", "pytest");
        assert_eq!(certainty(&scoped("api"), &other), Certainty::Possible);
        let in_api = ComparableMemory { scope: Some("API".to_owned()), ..other };
        assert_eq!(certainty(&scoped("api"), &in_api), Certainty::Certain);
    }
}
