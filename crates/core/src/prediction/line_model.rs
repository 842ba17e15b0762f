//! How likely the lines that will change in a file were written by each commit: a logistic regression on 11 features,
//! fitted to what `git blame` names for the lines that commits changed.

use super::history::{CommitHistory, TrackedFile};
use super::sigmoid;

const INTERCEPT: f64 = 0.084_510;
const LOG_SHARE: f64 = 0.206_530;
const SHARE: f64 = 1.280_032;
const LOG_LINES: f64 = 0.234_849;
const LOG_AGE: f64 = -0.122_399;
const IS_NEWEST: f64 = 0.454_740;
const LOG_RANK: f64 = -0.180_563;
const IS_RECENT_CHANGE: f64 = 0.300_517;
const CHANGED_GIVEN_FILE: f64 = 0.684_188;
const LOG_OWNERS: f64 = -0.256_507;
const LOG_LENGTH: f64 = -0.085_463;
const LOG_COMMIT_FILES: f64 = -0.037_503;

/// Returns the memories that wrote lines of a file, newest first, each with the likelihood that lines of it change.
/// `of_given` are the last memories of the given file, sorted.
pub(super) fn line_likelihoods(
    history: &CommitHistory,
    file: &TrackedFile,
    recent: &[u32],
    of_given: &[u32],
) -> Vec<(u32, f64)> {
    let (length, owners) = file.lines.owners();
    let length = f64::from(length.max(1));
    let number_of_owners = owners.len() as f64;
    let constant = INTERCEPT + LOG_OWNERS * number_of_owners.ln() + LOG_LENGTH * length.ln();
    let score = |rank: usize, memory: u32, lines: u32| {
        let lines = f64::from(lines);
        let age = (history.memories.len() - memory as usize) as f64;
        let files = history.memories[memory as usize].files.len().max(1) as f64;
        let is = |condition: bool, weight: f64| if condition { weight } else { 0.0 };
        constant
            + LOG_SHARE * (lines / length).ln()
            + SHARE * lines / length
            + LOG_LINES * lines.ln()
            + LOG_AGE * age.ln()
            + LOG_RANK * (rank as f64).ln_1p()
            + LOG_COMMIT_FILES * files.ln()
            + is(rank == 0, IS_NEWEST)
            + is(recent.contains(&memory), IS_RECENT_CHANGE)
            + is(of_given.binary_search(&memory).is_ok(), CHANGED_GIVEN_FILE)
    };
    let newest_first = owners.into_iter().rev().enumerate();
    newest_first
        .map(|(rank, (memory, lines))| (memory, sigmoid(score(rank, memory, lines))))
        .collect()
}
