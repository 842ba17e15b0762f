//! From which score on a pair is reported that was chosen among many.
//!
//! Most pairs of a memory are about different things. Judged like a single pair, a share of them would be called possible by
//! mistake, and there are many. So the threshold follows from how many false alarms are expected of the pairs that were
//! judged. Each judge has its own: the shares of pairs on different subjects that exceed its scores are stored beside it.

use super::model::{Combination, Model, log_odds_of};
use super::verdict::{Certainty, Verdict};

/// The share of the possible false alarms that may be called certain.
const CERTAIN_SHARE: f64 = 0.1;

/// By how much the log-odds of two memories are less if their likeness is 1 less than that of either with another one. A
/// memory is mostly contradicted by the one that is most like it: of planted contradictions half were the most alike of
/// both memories, and of other pairs one in 25. Between 2 and 4 it makes little difference.
const HANDICAP_OF_OTHERS: f64 = 3.0;

/// By how much they are less if their own likeness is 1 less.
const HANDICAP_OF_LIKENESS: f64 = 2.0;

/// The likeness without a handicap, and the greatest one that counts.
const USUAL_LIKENESS: f32 = 1.0;
const MAX_LIKENESS: f32 = 1.2;

/// The greatest log-odds that are considered.
const MAX_LOG_ODDS: f64 = 40.0;

/// How often the range of a threshold is halved.
const BISECTIONS: usize = 40;

/// Returns by how much the log-odds of a pair are less since the memories have little in common, or one of them has more in
/// common with another: `likeness` is that of the pair, `best` the greatest of either memory.
pub fn handicap(likeness: f32, best: f32) -> f64 {
    let less = f64::from(USUAL_LIKENESS - likeness.min(MAX_LIKENESS));
    HANDICAP_OF_OTHERS * f64::from((best - likeness).max(0.0)) + HANDICAP_OF_LIKENESS * less
}

/// The log-odds from which pairs contradict each other that were chosen among many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    min_possible: f64,
    min_certain: f64,
}

impl Thresholds {
    /// Returns the thresholds with which about so many of pairs on different subjects, given by their [`handicap`]s, are
    /// called possible. `has_log_odds` says whether another model read them.
    pub fn among(handicaps: &[f64], false_alarms: f64, has_log_odds: bool) -> Self {
        let limits = Model::builtin().combination(has_log_odds);
        let threshold = |false_alarms: f64, min_probability: f64| {
            threshold_of(limits, handicaps, false_alarms).max(log_odds_of(min_probability))
        };
        Thresholds {
            min_possible: threshold(false_alarms, limits.min_possible),
            min_certain: threshold(false_alarms * CERTAIN_SHARE, limits.min_certain),
        }
    }

    /// Returns how certain a verdict is that was made for a single pair. Statements that say the same apart from one
    /// difference are about the same, so that their certainty does not depend on the other pairs.
    pub fn certainty(&self, verdict: &Verdict, handicap: f64) -> Certainty {
        let log_odds = log_odds_of(verdict.probability) - handicap;
        match verdict.certainty {
            Certainty::None => Certainty::None,
            Certainty::Certain if verdict.is_clean => Certainty::Certain,
            Certainty::Certain if log_odds >= self.min_certain => Certainty::Certain,
            _ if log_odds >= self.min_possible => Certainty::Possible,
            _ => Certainty::None,
        }
    }
}

/// Returns the least log-odds with which at most so many false alarms are expected.
fn threshold_of(limits: Combination, handicaps: &[f64], false_alarms: f64) -> f64 {
    let expected = |threshold: f64| -> f64 {
        handicaps.iter().map(|handicap| limits.false_alarm_rate(threshold + handicap)).sum()
    };
    let (mut low, mut high) = (-MAX_LOG_ODDS, MAX_LOG_ODDS);
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if expected(middle) > false_alarms { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::super::verdict::FindingKind;
    use super::*;

    fn verdict(probability: f64, certainty: Certainty, is_clean: bool) -> Verdict {
        let (kind, reason) = (FindingKind::Number, String::new());
        Verdict { probability, certainty, is_clean, kind, reason }
    }

    #[test]
    fn more_pairs_need_greater_odds_and_less_similar_ones_count_less() {
        let among =
            |pairs: usize, handicap: f64| Thresholds::among(&vec![handicap; pairs], 5.0, false);
        let (few, many) = (among(100, 0.0), among(100_000, 0.0));
        assert!(few.min_possible < many.min_possible && few.min_certain <= many.min_certain);
        assert!(among(100_000, 3.0).min_possible < many.min_possible);
        // None of so few pairs is expected to be a false alarm.
        let single = Thresholds::among(&[0.0], 5.0, false);
        assert_eq!(
            single.min_possible,
            log_odds_of(Model::builtin().combination(false).min_possible)
        );
    }

    #[test]
    fn doubtful_verdicts_are_left_out_among_many_and_clean_ones_stay() {
        let many = Thresholds::among(&vec![0.0; 100_000], 1.0, false);
        let possible = verdict(0.8, Certainty::Possible, false);
        assert_eq!(many.certainty(&possible, 0.0), Certainty::None);
        let single = Thresholds::among(&[0.0], 1.0, false);
        assert_eq!(single.certainty(&possible, 0.0), Certainty::Possible);
        assert_eq!(single.certainty(&possible, 9.0), Certainty::None);
        let clean = verdict(0.8, Certainty::Certain, true);
        assert_eq!(many.certainty(&clean, 1.0), Certainty::Certain);
    }
}
