//! Loads the documents of levels into a token budget.

mod active_memory;
mod candidates;
mod choice;
mod learnings;
mod role;
mod selection;
mod usage;

pub(crate) use active_memory::{apply_memory, remove_unedited};
pub(crate) use candidates::{Candidate, CandidateLayer, ContentKind, LoadReason, candidate_layers};
pub(crate) use choice::{ChosenContext, ChosenEntry, ChosenLayer, LeftOutFile, choose};
pub(crate) use learnings::LEARNINGS;
pub(crate) use role::role_shares;
pub(crate) use selection::{ContextSelection, LevelSelection, SelectedContext, check_budget};
pub(crate) use usage::count_loaded;
