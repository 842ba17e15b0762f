//! How likely a predicted commit touches another file of the work, and one that is not hot: two logistic regressions on
//! the predictions for the 17 repositories.

use super::sigmoid;

/// The weights of a regression.
struct Weights {
    intercept: f64,
    any_quiet_file: f64,
    any_hot_file: f64,
    likeliest_file: f64,
    log_files: f64,
    touches_given: f64,
    log_sum: f64,
    is_first: f64,
    log_gain: f64,
}

/// For any other file of the work.
const ANY_FILE: Weights = Weights {
    intercept: 0.231_959,
    any_quiet_file: 0.340_132,
    any_hot_file: 0.260_069,
    likeliest_file: 0.307_980,
    log_files: 0.168_860,
    touches_given: 0.163_070,
    log_sum: -0.346_928,
    is_first: 0.205_583,
    log_gain: -0.032_444,
};

/// For another file of the work that is not hot.
const QUIET_FILE: Weights = Weights {
    intercept: -0.945,
    any_quiet_file: -0.000_9,
    any_hot_file: -0.074_8,
    likeliest_file: 0.359_8,
    log_files: 0.301,
    touches_given: 0.017_4,
    log_sum: 0.467_4,
    is_first: 0.209_4,
    log_gain: -0.040_5,
};

/// Probabilities are kept this far from 0 and 1 before their odds are taken.
const MIN_PROBABILITY: f64 = 0.001;

/// What the confidence in a predicted commit depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    /// The probability that none of its files that are not hot changes, and that none of the hot ones does.
    no_quiet_file: f64,
    no_hot_file: f64,
    /// The greatest likelihood and the sum over its files that are not hot.
    likeliest: f64,
    sum: f64,
    /// The number of its files.
    files: usize,
    touches_given: bool,
    is_first: bool,
    gain: f64,
}

impl Evidence {
    pub(super) fn new(files: usize, touches_given: bool, is_first: bool, gain: f64) -> Self {
        let (no_quiet_file, no_hot_file, likeliest, sum) = (1.0, 1.0, 0.0, 0.0);
        Evidence {
            no_quiet_file,
            no_hot_file,
            likeliest,
            sum,
            files,
            touches_given,
            is_first,
            gain,
        }
    }

    /// Adds a file of the commit with the likelihood that it changes.
    pub(super) fn add_file(&mut self, likelihood: f64, is_hot: bool) {
        if is_hot {
            self.no_hot_file *= 1.0 - likelihood;
        } else {
            self.no_quiet_file *= 1.0 - likelihood;
            self.likeliest = likelihood.max(self.likeliest);
            self.sum += likelihood;
        }
    }

    /// Returns how likely the commit touches another file of the work, 0 to 1.
    pub(super) fn confidence(&self) -> f64 {
        self.probability(&ANY_FILE)
    }

    /// Returns how likely it touches another file of the work that is not hot, 0 to 1.
    pub(super) fn quiet_confidence(&self) -> f64 {
        self.probability(&QUIET_FILE)
    }

    fn probability(&self, weights: &Weights) -> f64 {
        let is = |condition: bool, weight: f64| if condition { weight } else { 0.0 };
        sigmoid(
            weights.intercept
                + weights.any_quiet_file * log_odds(1.0 - self.no_quiet_file)
                + weights.any_hot_file * log_odds(1.0 - self.no_hot_file)
                + weights.likeliest_file * log_odds(self.likeliest)
                + weights.log_files * (self.files.max(1) as f64).ln()
                + weights.log_sum * (self.sum + MIN_PROBABILITY).ln()
                + weights.log_gain * (self.gain + MIN_PROBABILITY).ln()
                + is(self.touches_given, weights.touches_given)
                + is(self.is_first, weights.is_first),
        )
    }
}

fn log_odds(probability: f64) -> f64 {
    let probability = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (probability / (1.0 - probability)).ln()
}
