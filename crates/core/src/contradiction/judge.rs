//! Judges whether two statements contradict each other.

use super::features::Comparison;
use super::find::{Contradiction, find_contradiction};
use super::statement::Statement;
use super::verdict::{Certainty, FindingKind, Verdict};
use crate::consolidation::WordNearness;
use crate::recall::{is_stop_word, terms};

/// The probability from which two statements may contradict each other.
const MIN_POSSIBLE: f64 = 0.5;

/// Judges whether two statements contradict each other. The order of the statements does not matter. `log_odds` are those
/// of a model that read both.
pub fn judge_pair(a: &str, b: &str, _nearness: WordNearness<'_>, log_odds: Option<f32>) -> Verdict {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (kind, reason, of_rules) = match find_contradiction(a, b) {
        Some(Contradiction::Negation { this, other }) => {
            (FindingKind::Negation, format!("one of `{this}` and `{other}` is negated"), 2.0)
        }
        Some(Contradiction::Number { this, other }) => {
            (FindingKind::Number, format!("`{this}` and `{other}` state different numbers"), 2.0)
        }
        None => (FindingKind::Other, String::new(), -2.0),
    };
    let odds = of_rules + f64::from(log_odds.unwrap_or_default());
    let probability = 1.0 / (1.0 + (-odds).exp());
    let certainty = match (probability >= MIN_POSSIBLE, kind) {
        (false, _) => Certainty::None,
        (true, FindingKind::Other) => Certainty::Possible,
        (true, _) => Certainty::Certain,
    };
    Verdict { probability, certainty, kind, reason }
}

/// Returns whether two statements have anything in common. If they do not, judging them is not worth the time.
pub fn may_contradict(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        terms(text).into_iter().filter(|term| !is_stop_word(term)).collect()
    };
    let of_b = words(b);
    words(a).iter().any(|word| of_b.contains(word))
}

/// Returns the numbers that the rules compute for two statements, with their names. The model is fitted to them.
pub fn named_features(a: &str, b: &str, nearness: WordNearness<'_>) -> (Vec<String>, Vec<f32>) {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (a, b) = (Statement::new(a), Statement::new(b));
    let features = Comparison::new(&a, &b, nearness).features();
    (features.names, features.values)
}
