//! The model that computes from the features how likely two statements contradict each other: boosted trees, and a logistic
//! regression that adds the log-odds of a model that read both. `models/judge/combine.py` fits it and writes its file.

use std::sync::OnceLock;

/// The fitted model.
const FILE: &[u8] = include_bytes!("../../../../models/contradiction.bin");

const MAGIC: &[u8; 8] = b"HEIRTREE";

/// The shares of pairs on different subjects for which the file has the probability that they exceed, as natural logarithms.
const LN_RATES: [f64; 5] = [-3.506_557_9, -4.605_170_2, -5.809_143, -6.907_755_3, -8.111_728_1];

/// The least difference of the log-odds of two of these shares, so that equal ones are no division by zero.
const MIN_LOG_ODDS_STEP: f64 = 1e-3;

/// A model that was fitted.
#[derive(Debug)]
pub(super) struct Model {
    feature_count: usize,
    trees: Vec<Tree>,
    /// Without and with the log-odds of another model.
    alone: Combination,
    with_log_odds: Combination,
}

/// How the score of the trees becomes a probability, and from which probability on something follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Combination {
    intercept: f64,
    trees_factor: f64,
    log_odds_factor: f64,
    /// The probability from which two statements may contradict each other.
    pub(super) min_possible: f64,
    /// The probability from which they certainly do.
    pub(super) min_certain: f64,
    /// The probability from which they certainly do if they say the same apart from one difference.
    pub(super) min_certain_if_clean: f64,
    /// The log-odds of the probabilities that these shares of pairs on different subjects exceed: [`LN_RATES`].
    log_odds_of_rates: [f64; LN_RATES.len()],
}

#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<f32>,
}

/// A node with two branches: the first for values up to the threshold. A branch is another node, or `-1 - leaf`.
#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u16,
    threshold: f32,
    branches: [i16; 2],
}

impl Combination {
    /// Returns the share of pairs on different subjects whose log-odds exceed these. Between the shares of the file, and
    /// beyond them, the logarithm of the share is taken to be linear in the log-odds.
    pub(super) fn false_alarm_rate(&self, log_odds: f64) -> f64 {
        let known = &self.log_odds_of_rates;
        let last = known.len() - 2;
        let at = (0..last).find(|at| log_odds < known[at + 1]).unwrap_or(last);
        let width = (known[at + 1] - known[at]).max(MIN_LOG_ODDS_STEP);
        let slope = (LN_RATES[at + 1] - LN_RATES[at]) / width;
        (LN_RATES[at] + slope * (log_odds - known[at])).exp().min(1.0)
    }
}

/// Returns the log-odds of a probability.
pub fn log_odds_of(probability: f64) -> f64 {
    let probability = probability.clamp(1e-6, 1.0 - 1e-6);
    (probability / (1.0 - probability)).ln()
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

impl Model {
    /// Returns the model that is compiled in.
    pub(super) fn builtin() -> &'static Model {
        static MODEL: OnceLock<Model> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "a test reads the file that is compiled in")]
        MODEL.get_or_init(|| Model::parse(FILE).expect("the model that is compiled in is valid"))
    }

    /// Returns the checksum of the model that is compiled in.
    pub(super) fn checksum() -> &'static str {
        static CHECKSUM: OnceLock<String> = OnceLock::new();
        CHECKSUM.get_or_init(|| blake3::hash(FILE).to_hex()[..16].to_owned())
    }

    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { bytes: bytes.strip_prefix(MAGIC)? };
        let feature_count = reader.names()?.lines().count();
        let tree_count = reader.u32()?;
        let trees: Option<Vec<Tree>> =
            (0..tree_count).map(|_| reader.tree(feature_count)).collect();
        let (alone, with_log_odds) = (reader.combination()?, reader.combination()?);
        let is_complete = reader.bytes.is_empty();
        is_complete.then_some(Model { feature_count, trees: trees?, alone, with_log_odds })
    }

    /// Returns how scores become probabilities, without or with the log-odds of another model.
    pub(super) fn combination(&self, has_log_odds: bool) -> Combination {
        if has_log_odds { self.with_log_odds } else { self.alone }
    }

    /// Returns the probability that two statements with these features contradict each other, and what follows from it.
    pub(super) fn probability(
        &self,
        features: &[f32],
        log_odds: Option<f32>,
    ) -> (f64, Combination) {
        let score: f32 = self.trees.iter().map(|tree| tree.value(features)).sum();
        debug_assert_eq!(features.len(), self.feature_count, "the model has other features");
        let log_odds = log_odds.filter(|log_odds| log_odds.is_finite());
        let combination = self.combination(log_odds.is_some());
        let log_odds = f64::from(log_odds.unwrap_or_default());
        let odds = combination.intercept
            + combination.trees_factor * f64::from(score)
            + combination.log_odds_factor * log_odds;
        (logistic(odds), combination)
    }
}

impl Tree {
    fn value(&self, features: &[f32]) -> f32 {
        let mut at: i16 = if self.nodes.is_empty() { -1 } else { 0 };
        while at >= 0 {
            let Node { feature, threshold, branches } = self.nodes[at as usize];
            at = branches[usize::from(features[usize::from(feature)] > threshold)];
        }
        self.leaves[(-1 - at) as usize]
    }
}

struct Reader {
    bytes: &'static [u8],
}

impl Reader {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*taken)
    }

    /// Reads the names of the features, each followed by a line break.
    fn names(&mut self) -> Option<&'static str> {
        let length = self.u32()? as usize;
        let (names, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(names).ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn i16(&mut self) -> Option<i16> {
        self.take().map(i16::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes).filter(|number| number.is_finite())
    }

    fn combination(&mut self) -> Option<Combination> {
        let mut next = || self.f32().map(f64::from);
        let mut combination = Combination {
            intercept: next()?,
            trees_factor: next()?,
            log_odds_factor: next()?,
            min_possible: next()?,
            min_certain: next()?,
            min_certain_if_clean: next()?,
            log_odds_of_rates: [0.0; LN_RATES.len()],
        };
        for log_odds in &mut combination.log_odds_of_rates {
            *log_odds = log_odds_of(next()?);
        }
        Some(combination)
    }

    /// Reads a tree. A branch leads to a later node, so that every path ends.
    fn tree(&mut self, features: usize) -> Option<Tree> {
        let leaf_count = usize::from(self.u16()?);
        let mut nodes = Vec::new();
        for number in 1..leaf_count {
            let (feature, threshold) = (self.u16()?, self.f32()?);
            let branches = [self.i16()?, self.i16()?];
            let is_valid = |branch: i16| match branch >= 0 {
                true => branch as usize >= number && (branch as usize) < leaf_count - 1,
                false => ((-1 - branch) as usize) < leaf_count,
            };
            if usize::from(feature) >= features || !branches.into_iter().all(is_valid) {
                return None;
            }
            nodes.push(Node { feature, threshold, branches });
        }
        let leaves: Option<Vec<f32>> = (0..leaf_count).map(|_| self.f32()).collect();
        leaves.filter(|leaves| !leaves.is_empty()).map(|leaves| Tree { nodes, leaves })
    }
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Comparison;
    use super::super::statement::Statement;
    use super::*;

    #[test]
    fn the_model_was_fitted_to_the_features_that_are_computed() {
        let (a, b) = (Statement::new("One"), Statement::new("Two"));
        let comparison = Comparison::new(&a, &b, &|_, _| 0.0);
        let features = comparison.named_features(&comparison.finding());
        let computed = features.names.unwrap();
        let fitted = Reader { bytes: &FILE[MAGIC.len()..] }.names().unwrap();
        assert_eq!(fitted.lines().count(), computed.len());
        for (fitted, computed) in fitted.lines().zip(&computed) {
            assert_eq!(fitted, computed);
        }
        assert!(!Model::builtin().trees.is_empty());
    }

    #[test]
    fn greater_log_odds_raise_fewer_false_alarms() {
        for combination in [Model::builtin().alone, Model::builtin().with_log_odds] {
            let rates: Vec<f64> =
                (-80..80).map(|step| combination.false_alarm_rate(f64::from(step) / 8.0)).collect();
            assert!(rates.is_sorted_by(|a, b| a >= b), "{rates:?}");
            assert!(rates[0] > 0.1 && rates[159] < 1e-4, "{rates:?}");
            for (log_odds, ln_rate) in combination.log_odds_of_rates.iter().zip(LN_RATES) {
                let ratio = combination.false_alarm_rate(*log_odds) / ln_rate.exp();
                assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
            }
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        assert!(Model::parse(b"").is_none());
        assert!(Model::parse(&FILE[..FILE.len() - 1]).is_none());
        assert!(Model::parse(&FILE[1..]).is_none());
    }

    #[test]
    fn log_odds_of_another_model_change_the_probability() {
        let features = vec![0.0; Model::builtin().feature_count];
        let of = |log_odds| Model::builtin().probability(&features, log_odds).0;
        assert!(of(Some(-5.0)) < of(Some(0.0)) && of(Some(0.0)) < of(Some(5.0)));
    }
}
