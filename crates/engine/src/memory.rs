//! Reads and writes memory: the records of the log and the entries of memory documents.

mod attributes;
mod comparable;
mod conflicts;
mod contradictions;
mod episode;
mod graph;
mod item;
pub(crate) mod learnings;
pub(crate) mod lifecycle;
pub(crate) mod long_files;
mod lookup;
mod open_session;
mod origin_check;
mod pin_owner;
mod query;
mod record_counts;
mod relations;
mod runs;
mod similar;
mod slice;
mod statement;
mod transaction;
mod whole;

pub(crate) use attributes::RecordAttributes;
pub(crate) use comparable::ComparableMemory;
pub(crate) use contradictions::{OpenContradiction, certainty_of, shown_reason};
pub(crate) use episode::{drop_fields_with_secrets, episode_from_digest};
pub(crate) use graph::active_prose;
pub(crate) use item::{
    MemoryItem, item_details, short_item_ids, short_memory_id, show_item, show_items,
};
pub(crate) use lookup::MemoryTarget;
pub(crate) use open_session::{OpenSession, current_session};
pub(crate) use origin_check::{OriginCheck, pins_of_request};
pub(crate) use pin_owner::PinOwner;
pub(crate) use query::{MemoryQuery, is_long_log, log_problems, read_related};
pub(crate) use record_counts::{DayCounts, RecordCounts, StandingCounts};
pub(crate) use relations::{RelationEnds, find_relation, move_relations, write_relation};
pub(crate) use runs::{EditedDocument, RecordedMove, RecordedRun, RunKind, UNDONE_RUN_REASON};
pub(crate) use similar::{SimilarMemory, show_similar};
pub(crate) use slice::{MemorySlice, PointInTime};
pub(crate) use transaction::{AUTO_TAG, WriteTransaction, unique_entry_id};
pub(crate) use whole::{SelectedRecords, WholeMemory, read_related_with_counts};
