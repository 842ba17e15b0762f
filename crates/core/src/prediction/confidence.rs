//! How likely a predicted commit touches another file of the work: a logistic regression on the predictions for the 17
//! repositories.

use super::sigmoid;

const INTERCEPT: f64 = 0.231_959;
const ANY_QUIET_FILE: f64 = 0.340_132;
const ANY_HOT_FILE: f64 = 0.260_069;
const LIKELIEST_FILE: f64 = 0.307_980;
const LOG_FILES: f64 = 0.168_860;
const TOUCHES_GIVEN: f64 = 0.163_070;
const LOG_SUM: f64 = -0.346_928;
const IS_FIRST: f64 = 0.205_583;
const LOG_GAIN: f64 = -0.032_444;

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
        let is = |condition: bool, weight: f64| if condition { weight } else { 0.0 };
        sigmoid(
            INTERCEPT
                + ANY_QUIET_FILE * log_odds(1.0 - self.no_quiet_file)
                + ANY_HOT_FILE * log_odds(1.0 - self.no_hot_file)
                + LIKELIEST_FILE * log_odds(self.likeliest)
                + LOG_FILES * (self.files.max(1) as f64).ln()
                + LOG_SUM * (self.sum + MIN_PROBABILITY).ln()
                + LOG_GAIN * (self.gain + MIN_PROBABILITY).ln()
                + is(self.touches_given, TOUCHES_GIVEN)
                + is(self.is_first, IS_FIRST),
        )
    }
}

fn log_odds(probability: f64) -> f64 {
    let probability = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
    (probability / (1.0 - probability)).ln()
}
