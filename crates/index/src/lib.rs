//! The derived index: posting lists, vectors, and the state of every record.
//!
//! It is stored in `.heirloom/cache/`, and deleting it loses nothing. SQLite holds which files were
//! read and how far, the lines of the log with their connected components, and what can be recalled.
//! Posting lists and vectors are in segments, files that never change. A commit to SQLite, which is
//! written last, names the segments that belong to it, so a reader always sees one whole generation.

mod apply;
mod checksum;
pub mod cold;
mod components;
mod compression;
mod documents;
mod error;
mod folder;
mod index;
mod name_hash;
mod quantise;
mod relations;
mod segment;
mod segment_assembly;
mod slots;
mod snapshot;
mod sqlite;
mod stored_memory;
mod tables;
mod term_search;
mod update;
mod vector_numbers;
mod vector_search;
mod view;

pub use documents::{CachedDocument, DocumentCache, DocumentToCache};
pub use error::{IndexError, IndexErrorKind};
pub use folder::IndexFolder;
pub use index::{Index, WriteLock};
pub use slots::SlotState;
pub use snapshot::Snapshot;
pub use stored_memory::StoredMemory;
pub use tables::sources::Source;
pub use update::{ChangedFile, FileSlice, NewLine, Update};
pub use view::{Filter, StandingFilter, View};
