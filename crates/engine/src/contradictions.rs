//! Finds contradictions between memories, records them, and resolves them.
//!
//! [`heirloom_core::contradiction`] judges two statements. Every memory that is stored is compared with a few similar ones at
//! once (`new_memory`); a scan (`scan`) compares all of them, and keeps its verdicts in the cache, so that it goes on where it
//! was interrupted. What is found is a record of the log (`record`) and changes nothing until somebody resolves it.

mod candidates;
mod judge;
mod language_model;
mod new_memory;
mod record;
mod scan;
mod verdict_cache;

pub use candidates::{ScannedPair, scanned_pairs};
pub(crate) use judge::{PairJudge, ReadMemory};
pub(crate) use language_model::LanguageModelJudge;
pub(crate) use new_memory::{
    ContradictedMemory, check_new, check_new_entry, check_new_record, check_stored,
    show_contradicted,
};
pub(crate) use record::{NewContradiction, known_pairs, pair_of};
pub(crate) use scan::{LastScan, scan};
