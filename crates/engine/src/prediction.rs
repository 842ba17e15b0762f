//! Predicts which memories a piece of work will need, from the files, the branch and the errors that are known of it,
//! and from the time.

mod branch;
mod commit_details;
mod commits;
mod error_text;
mod errors;
mod given_file;
mod history;
mod imports;
mod memory;
mod mentions;
mod person;
mod predict;
mod recurring;
mod used;
mod used_daily;
mod used_with;

pub(crate) use branch::branch_words;
pub(crate) use commit_details::{CommitDetails, find_commit};
pub(crate) use commits::CommitPredictions;
pub(crate) use history::warm_history;
pub(crate) use memory::PredictedMemory;
pub(crate) use person::{CONFIDENCE_OF_PREFERENCE, person_lists, person_memories};
pub(crate) use predict::{Prediction, predict};
pub(crate) use recurring::{recurring_lists, recurring_memories};
pub(crate) use used_daily::used_daily;
pub(crate) use used_with::used_with;
