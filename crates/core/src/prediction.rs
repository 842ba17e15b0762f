//! Predicts which commits matter for work on a file, from the git history.
//!
//! [`CommitHistory`] is updated commit by commit. [`Predictor`] adds what depends on the whole history and answers
//! for a file: it estimates for every other file how likely the same piece of work changes it, and chooses the
//! commits that cover the likely files and wrote their lines.
//!
//! The constants were fitted by logistic regression on the histories of 17 public repositories (up to 3,000 commits
//! each; the later 70 %), and checked on 9 others. A commit of at most [`MAX_SMALL_COMMIT_FILES`] files is *small*;
//! larger ones say little about which files belong together, and most statistics leave them out.

mod choose;
mod cochange;
mod commit;
mod confidence;
mod encoding;
mod error_signature;
mod file_path;
mod history;
mod identifiers;
mod import_graph;
mod likelihood;
mod line_model;
mod line_origins;
mod message_search;
mod predictor;
mod reason;
mod recurrence;
mod statistics;
#[cfg(test)]
mod tests;
mod time_of_day;

pub use commit::{ChangeStatus, CommittedChange, HistoryCommit, Hunk, ParentVersion};
pub use error_signature::{ErrorSignature, SharedSignature};
pub use file_path::{is_hot_by_name, path_words};
pub use history::{CommitHistory, CommitMemory, FileContent, OutdatedFile, TrackedFile};
pub use identifiers::{IDENTIFIERS_MAX_BYTES, content_hash, distinctive_names, identifiers};
pub use import_graph::ImportNeighbours;
pub use message_search::{MessageMatch, MessageSearch};
pub use predictor::{GivenFile, PredictedCommit, Predictor};
pub use reason::PredictionReason;
pub use recurrence::{Recurrence, recurring_title};
pub use time_of_day::DailyRecurrence;

/// A commit of more files says little about which files belong together.
pub const MAX_SMALL_COMMIT_FILES: usize = 15;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
