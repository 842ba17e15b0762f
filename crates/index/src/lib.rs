//! The derived index: who holds which term, what every text means, and what became of every record.
//!
//! It lies in `.heirloom/cache/`, and deleting it loses nothing. SQLite holds the state: which files
//! were read and how far, the lines of the log with what ties them together, what can be recalled
//! and where it stands. Terms and vectors lie in segments, files that never change. A commit to
//! SQLite, written last, names the segments that belong to it, so a reader sees one whole generation.

mod db;
mod documents;
mod error;
mod folder;
mod ledger;
mod links;
mod quantise;
mod segment;
mod slots;
mod snapshot;
mod update;
mod view;

pub use documents::{CachedDocument, DocumentCache, ReadDocument};
pub use error::{IndexError, IndexErrorKind};
pub use folder::{Index, IndexFolder, Lock};
pub use ledger::StoredMemory;
pub use slots::State;
pub use snapshot::Snapshot;
pub use update::{NewLine, Piece, Read, Source, Update};
pub use view::{Filter, Shelf, View};
