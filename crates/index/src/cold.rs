//! An index of transcripts, which are searched only on request.
//!
//! It has segments in the format of the main index and the same ranking, but no copy of a text, and SQLite has no row for a
//! passage. A chunk has a slot, and a segment has a file beside it with fixed-width data of its chunks: where the
//! message is, its role and its day. SQLite has the list of transcripts, how far each was read, and which runs of slots
//! belong to it; a commit to it, which comes last, names the segments that are valid.
//!
//! Segments have a limited size, so that indexing takes little memory however much there is. What a transcript gains
//! later is in another run of slots; neighbours, statistics and ties do not depend on how the slots are divided, so an
//! index that was built in parts answers like one that was built at once.

mod builder;
mod chunks;
mod snapshot;
mod tables;
mod view;
mod writer;

use heirloom_core::embedding::Embedder;
use heirloom_core::transcript::Role;

use crate::folder::{IndexFiles, IndexFolder};
use crate::index::{open_lock, open_with_retries, try_open_lock};
use crate::tables::segments::SegmentRow;
use crate::tables::state::{self, EmbedderId};
use crate::{IndexError, IndexErrorKind, WriteLock, sqlite};

pub use builder::{BuiltSegment, ChunkBatch, MessageToIndex};
pub use snapshot::ColdSnapshot;
pub use view::{ColdFilter, ColdView};
pub use writer::{ColdWriter, TranscriptUpdate};

/// A transcript as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTranscript {
    /// Identifies it in this index.
    pub id: i64,
    /// Its path, as the caller names it.
    pub name: String,
    /// What the agent is called.
    pub agent: String,
    /// The id and the title of its session.
    pub session: Option<String>,
    /// The title of its session.
    pub title: Option<String>,
    /// Identifies the version that was read to its end; `None` if it was not read to its end.
    pub stamp: Option<String>,
    /// How far it was read, as the caller stores it.
    pub state: String,
    /// How many bytes of it were read.
    pub bytes: u64,
    /// Lines that could not be read, as the caller stores them.
    pub problems: Vec<String>,
}

/// Where a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkPlace {
    /// The bytes before the line of the transcript.
    pub offset: u64,
    /// The number of the line.
    pub line: u32,
    /// The number of the message in the line.
    pub part: u16,
    /// The number of the chunk in the message.
    pub chunk: u16,
    /// The author of the message.
    pub role: Role,
    /// The day of the message, in days since 1970.
    pub day: Option<i32>,
}

/// An index of transcripts in a folder.
#[derive(Debug, Clone)]
pub struct ColdIndex {
    folder: IndexFolder,
    embedder: EmbedderId,
}

impl ColdIndex {
    /// Creates a handle to the index of a folder, without opening it.
    pub fn new(folder: IndexFolder, embedder: &dyn Embedder) -> Self {
        let name = embedder.name().to_owned();
        ColdIndex { folder, embedder: EmbedderId { name, dimensions: embedder.dimensions() } }
    }

    /// Opens the last commit; `None` if there is no index of this version, or it is damaged. Reuses what is unchanged of
    /// an earlier snapshot.
    pub fn open(&self, known: Option<ColdSnapshot>) -> Result<Option<ColdSnapshot>, IndexError> {
        let mut known = known;
        open_with_retries(|| self.open_once(known.take()))
    }

    fn open_once(&self, known: Option<ColdSnapshot>) -> Result<Option<ColdSnapshot>, IndexError> {
        let Some(files) = self.current_files() else { return Ok(None) };
        let (db, is_reusable) = match sqlite::open(&files.database()) {
            Err(error)
                if error.kind == IndexErrorKind::Unwritable && !files.has_write_ahead_log() =>
            {
                (sqlite::open_immutable(&files.database()).map_err(|_| error)?, false)
            }
            opened => (opened?, true),
        };
        // Reading past the end of a truncated memory map would raise SIGBUS.
        db.pragma_update(None, "mmap_size", 0)?;
        sqlite::execute(&db, ["BEGIN"])?;
        if !state::is_compatible(&db, &self.embedder)? {
            return Ok(None);
        }
        let mut snapshot = ColdSnapshot::load(&self.folder, files, db, known)?;
        snapshot.is_reusable = is_reusable;
        Ok(Some(snapshot))
    }

    /// Returns the files of the index, unless another machine made them.
    fn current_files(&self) -> Option<IndexFiles> {
        IndexFiles::current(&self.folder).filter(IndexFiles::is_created_on_this_machine)
    }

    /// Takes the writer's lock, or returns `None` if another process has it.
    pub fn try_lock(&self) -> Result<Option<WriteLock>, IndexError> {
        try_open_lock(&self.folder)
    }

    /// Waits for the writer's lock.
    pub fn lock(&self) -> Result<WriteLock, IndexError> {
        open_lock(&self.folder)
    }
}

/// Returns the name of the file with the data of the chunks of a segment.
fn chunks_file(segment: &SegmentRow) -> String {
    segment.file.replace(".seg", ".chunks")
}
