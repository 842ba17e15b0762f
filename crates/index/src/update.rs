//! The changes that a caller hands to the index.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use heirloom_core::fold::Line;
use heirloom_core::recall::Passage;

use crate::name_hash::hash_keys_of;
use crate::tables::sources::Source;

/// A line of the log that is not in the index yet.
#[derive(Debug, Clone)]
pub struct NewLine {
    pub(crate) line: Box<Line>,
    pub(crate) json: FileSlice,
    pub(crate) name_hashes: Vec<i64>,
}

impl NewLine {
    /// Creates a line from its content and its bytes.
    pub fn new(line: Box<Line>, json: FileSlice) -> Self {
        NewLine { name_hashes: hash_keys_of(&line), line, json }
    }
}

/// A byte range of a file; all pieces of a file share its bytes.
#[derive(Debug, Clone)]
pub struct FileSlice {
    /// The bytes of the file.
    pub file: Arc<Vec<u8>>,
    /// The range of the piece.
    pub range: Range<usize>,
}

impl FileSlice {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

/// A file that is new or changed.
#[derive(Debug, Default)]
pub struct ChangedFile {
    /// The file as it is now.
    pub source: Source,
    /// Whether the file was only appended to: `lines` are then the new ones alone.
    pub is_appended: bool,
    /// The lines of a file of the log.
    pub lines: Vec<NewLine>,
    /// The passages of a document.
    pub passages: Vec<Passage>,
}

/// What changed since the index was last updated.
#[derive(Debug, Default)]
pub struct Update {
    /// The paths of files that no longer exist.
    pub removed: Vec<String>,
    /// The files that are new or changed.
    pub changed: Vec<ChangedFile>,
    /// The checksum of the records that were purged from the log. An index with another one still holds their text, so it
    /// must be rebuilt.
    pub purge_checksum: i64,
    /// The checksum of all files that the index is up to date with after the update; `None` if some of them must be read
    /// again.
    pub checksum: Option<i64>,
}

impl Update {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.changed.is_empty()
    }

    /// Changes the sources of an index in the way that the update changes its table of them.
    pub(crate) fn change_sources(&self, sources: &mut BTreeMap<String, Source>) {
        for path in &self.removed {
            sources.remove(path);
        }
        for ChangedFile { source, .. } in &self.changed {
            sources.insert(source.path.clone(), source.clone());
        }
    }
}
