//! Judges whether two statements contradict each other.

use std::collections::HashSet;

use super::comparison::Comparison;
use super::features::Features;
use super::groups::Member;
use super::model::Model;
use super::sentences::{pairs_to_compare, sentences};
use super::statement::Statement;
use super::verdict::{Certainty, FindingKind, Verdict};
use crate::consolidation::WordNearness;
use crate::words::normalise;

/// Judges whether two statements contradict each other. The order of the statements does not matter. Of longer texts, the
/// sentences that have most in common are compared. `log_odds` are those of a model that read both.
pub fn judge_pair(a: &str, b: &str, nearness: WordNearness<'_>, log_odds: Option<f32>) -> Verdict {
    let nothing = Verdict {
        probability: 0.0,
        certainty: Certainty::None,
        kind: FindingKind::Other,
        reason: String::new(),
    };
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    if normalise(a) == normalise(b) {
        return nothing;
    }
    let (a, b) = (read_all(a), read_all(b));
    let pairs = pairs_to_compare(&a, &b).into_iter();
    let verdicts = pairs.map(|(i, j)| judge_statements(&a[i], &b[j], nearness, log_odds));
    verdicts.fold(nothing, |best, next| match next.probability > best.probability {
        true => next,
        false => best,
    })
}

/// Returns the probability from which a pair is worth reporting that was found in a scan of many memories. Few of the pairs
/// that a scan judges contradict each other, so it is greater than that from which a single pair is possible.
pub fn min_probability_in_scan(has_log_odds: bool) -> f64 {
    Model::builtin().combination(has_log_odds).min_possible_in_scan
}

/// Returns whether two texts have enough in common to contradict each other: a word, or things of one group. If not, judging
/// them is not worth the time.
pub fn may_contradict(a: &str, b: &str) -> bool {
    let (a, b) = (read_all(a), read_all(b));
    let stems: HashSet<&str> = a.iter().flat_map(Statement::stems).collect();
    let groups: HashSet<u16> =
        a.iter().flat_map(|it| &it.members).map(|(Member { group, .. }, _)| *group).collect();
    b.iter().any(|it| {
        it.stems().any(|stem| stems.contains(stem))
            || it.members.iter().any(|(member, _)| groups.contains(&member.group))
    })
}

/// Returns the numbers that the rules compute for two statements, with their names. The model is fitted to them.
pub fn named_features(a: &str, b: &str, nearness: WordNearness<'_>) -> (Vec<String>, Vec<f32>) {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (a, b) = (Statement::new(a), Statement::new(b));
    let comparison = Comparison::new(&a, &b, nearness);
    let Features { names, values } = comparison.named_features(&comparison.finding());
    (names.unwrap_or_default(), values)
}

fn read_all(text: &str) -> Vec<Statement<'_>> {
    sentences(text).into_iter().map(Statement::new).collect()
}

fn judge_statements(
    a: &Statement<'_>,
    b: &Statement<'_>,
    nearness: WordNearness<'_>,
    log_odds: Option<f32>,
) -> Verdict {
    let comparison = Comparison::new(a, b, nearness);
    let finding = comparison.finding();
    let features = comparison.features(&finding);
    let (probability, limits) = Model::builtin().probability(&features.values, log_odds);
    let min_certain = match finding.is_clean && finding.kind.can_be_certain() {
        true => limits.min_certain_if_clean,
        false => limits.min_certain,
    };
    let certainty = match probability {
        _ if probability >= min_certain => Certainty::Certain,
        _ if probability >= limits.min_possible => Certainty::Possible,
        _ => Certainty::None,
    };
    Verdict { probability, certainty, kind: finding.kind, reason: finding.reason }
}
