//! Reads and writes memory: the records of the log and the entries of memory documents.

mod disputes;
mod draft;
mod episode;
mod item;
pub(crate) mod lifecycle;
mod lookup;
mod near;
mod open_session;
mod query;
mod renaming;
mod slice;
mod tally;
mod transaction;
mod web;
mod whole;

pub(crate) use draft::Particulars;
pub(crate) use episode::{episode_of, without_secrets};
pub(crate) use item::{MemoryItem, show_item, show_items};
pub(crate) use lookup::MemoryTarget;
pub(crate) use near::SimilarMemory;
pub(crate) use open_session::OPEN_SESSIONS;
pub(crate) use query::{MemoryQuery, is_long, log_problems, read_related};
pub(crate) use renaming::move_relations;
pub(crate) use slice::{MemorySlice, PointInTime};
pub(crate) use tally::Count;
pub(crate) use transaction::{WriteTransaction, unique_entry_id};
pub(crate) use web::standing_prose;
pub(crate) use whole::{SelectedRecords, WholeMemory, read_with_tally};
