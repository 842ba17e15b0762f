//! Writing an index of transcripts, one segment after the other.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use heirloom_core::embedding::Embedder;
use heirloom_core::recall::Slot;
use rusqlite::Connection;

use super::builder::{self, BuiltSegment, ChunkBatch, MAX_SEGMENT_CHUNKS};
use super::chunks::{self, ChunkEntry, ChunkFile};
use super::tables::{self, Run, run_of};
use super::{ColdIndex, StoredTranscript, chunks_file};
use crate::folder::{CURRENT_FILE, DRAFT_EXTENSION, IndexFiles};
use crate::index::{map_file, open_segment};
use crate::segment::SegmentBuilder;
use crate::tables::segments::{self, SegmentRow};
use crate::tables::state;
use crate::{IndexError, IndexErrorKind, WriteLock, sqlite};

/// The index is rebuilt if less than 1 / `MIN_USED_DIVISOR` of its slots are in use.
const MIN_USED_DIVISOR: u64 = 2;

/// The index is not worth rebuilding for so few free slots.
const MIN_FREE_SLOTS: u64 = 50_000;

/// A change of a transcript that a commit writes.
#[derive(Debug, Clone)]
pub struct TranscriptUpdate {
    /// Its new state. An id of 0 is that of a new one.
    pub transcript: StoredTranscript,
    /// Whether what was indexed of it before is taken out.
    pub replaces: bool,
}

/// Writes an index. Between two commits the index on disk is the one of the last commit.
pub struct ColdWriter {
    index: ColdIndex,
    _lock: WriteLock,
    files: IndexFiles,
    db: Connection,
    /// The number of slots that are given, also to transcripts that were removed since.
    slots: Slot,
    is_new: bool,
}

impl ColdIndex {
    /// Opens the index for writing; creates it if there is none, its database is damaged, or most of it is free. Segments
    /// are not read: an index that cannot be opened for reading has to be replaced by [`ColdIndex::write_new`].
    pub fn write(&self, lock: WriteLock) -> Result<ColdWriter, IndexError> {
        if let Some(files) = self.current_files() {
            match self.open_writer(files) {
                Ok(Some((files, db, slots))) => {
                    return Ok(ColdWriter {
                        index: self.clone(),
                        _lock: lock,
                        files,
                        db,
                        slots,
                        is_new: false,
                    });
                }
                Ok(None) => {}
                Err(error) if error.kind == IndexErrorKind::Damaged => {}
                Err(error) => return Err(error),
            }
        }
        self.write_new(lock)
    }

    /// Creates an empty index, whose first commit replaces the present one.
    pub fn write_new(&self, lock: WriteLock) -> Result<ColdWriter, IndexError> {
        let files = IndexFiles::new(&self.folder)?;
        let db = sqlite::create(&files.database())?;
        sqlite::begin_bulk_load(&db)?;
        tables::create(&db, &self.embedder)?;
        Ok(ColdWriter { index: self.clone(), _lock: lock, files, db, slots: 0, is_new: true })
    }

    fn open_writer(
        &self,
        files: IndexFiles,
    ) -> Result<Option<(IndexFiles, Connection, Slot)>, IndexError> {
        let db = sqlite::open(&files.database())?;
        if !state::is_compatible(&db, &self.embedder)? {
            return Ok(None);
        }
        let rows = segments::all(&db)?;
        let slots: u64 = rows.iter().map(|row| u64::from(row.slots)).sum();
        let used: u64 = tables::runs(&db)?.iter().map(|run| u64::from(run.slots)).sum();
        let free = slots.saturating_sub(used);
        if free > MIN_FREE_SLOTS && used < slots / MIN_USED_DIVISOR {
            return Ok(None);
        }
        // A missing file would be noticed only by the next search.
        for row in &rows {
            let dir = self.folder.dir()?;
            let is_there = |file: &str| dir.symlink_metadata(file).is_ok_and(|it| it.is_file());
            if !is_there(&row.file) || !is_there(&chunks_file(row)) {
                return Err(IndexError::damaged(format!("{} is missing", row.file)));
            }
        }
        let slots = Slot::try_from(slots).map_err(|_| too_large())?;
        Ok(Some((files, db, slots)))
    }
}

impl ColdIndex {
    /// Removes all files of the index.
    pub fn discard(&self) -> Result<(), IndexError> {
        let _lock = self.lock()?;
        match self.folder.dir()?.remove_file(CURRENT_FILE) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(self.folder.io_error(CURRENT_FILE, &error));
            }
            _ => {}
        }
        IndexFiles::new(&self.folder)?.remove_stale(&[]);
        Ok(())
    }
}

fn too_large() -> IndexError {
    IndexError::new(IndexErrorKind::System, "the index of transcripts has too many passages")
}

impl ColdWriter {
    /// Returns the transcripts of the last commit.
    pub fn transcripts(&self) -> Result<Vec<StoredTranscript>, IndexError> {
        tables::transcripts(&self.db)
    }

    /// Returns the hashes of the files of clients that are known to belong to other workspaces.
    pub fn foreign_files(&self) -> Result<HashSet<u64>, IndexError> {
        Ok(tables::foreign_files(&self.db)?.into_iter().collect())
    }

    /// Takes transcripts out, and stores which files belong to other workspaces.
    pub fn remove(
        &mut self,
        removed: &[i64],
        foreign: impl IntoIterator<Item = u64>,
    ) -> Result<(), IndexError> {
        sqlite::execute(&self.db, ["BEGIN IMMEDIATE"])?;
        for id in removed {
            tables::remove_transcript(&self.db, *id)?;
        }
        for hash in foreign {
            tables::insert_foreign_file(&self.db, hash)?;
        }
        state::set_generation(&self.db, state::generation(&self.db)? + 1)?;
        self.finish_commit()
    }

    /// Builds the next segment of messages, which [`ColdWriter::commit`] writes. `fill` adds messages to a batch until it
    /// is full, and returns whether there are more.
    pub fn build<E: From<IndexError>>(
        &self,
        embedder: &dyn Embedder,
        fill: &mut dyn FnMut(&mut ChunkBatch) -> Result<bool, E>,
    ) -> Result<BuiltSegment, E> {
        builder::build(embedder, self.slots, fill)
    }

    /// Commits a segment with the states of its transcripts after all of its messages, by the numbers that the messages
    /// have. Returns the ids of the transcripts by these numbers.
    pub fn commit(
        &mut self,
        built: BuiltSegment,
        updates: &[(usize, TranscriptUpdate)],
    ) -> Result<Vec<(usize, i64)>, IndexError> {
        sqlite::execute(&self.db, ["BEGIN IMMEDIATE"])?;
        let committed = self.write_commit(built, updates);
        if committed.is_err() {
            // The next commit begins a transaction of its own.
            drop(sqlite::execute(&self.db, ["ROLLBACK"]));
        }
        let ids = committed?;
        self.finish_commit()?;
        Ok(ids)
    }

    fn write_commit(
        &mut self,
        built: BuiltSegment,
        updates: &[(usize, TranscriptUpdate)],
    ) -> Result<Vec<(usize, i64)>, IndexError> {
        let generation = state::generation(&self.db)? + 1;
        let mut ids = Vec::new();
        for (number, update) in updates {
            if update.replaces {
                tables::remove_runs(&self.db, update.transcript.id)?;
            }
            ids.push((*number, tables::write_transcript(&self.db, &update.transcript)?));
        }
        let count = Slot::try_from(built.entries.len()).map_err(|_| too_large())?;
        let end = self.slots.checked_add(count).ok_or_else(too_large)?;
        let mut first = self.slots;
        for (number, slots) in &built.runs {
            let transcript = ids.iter().find(|(other, _)| other == number).map(|(_, id)| *id);
            let transcript = transcript
                .ok_or_else(|| IndexError::damaged("a transcript was indexed without its state"))?;
            tables::insert_run(&self.db, &Run { first, slots: *slots, transcript })?;
            first += slots;
        }
        if count > 0 {
            self.write_files(built, generation)?;
        }
        state::set_generation(&self.db, generation)?;
        self.slots = end;
        Ok(ids)
    }

    /// Writes the files of a segment, together with those of the last segments if they are small.
    fn write_files(&self, built: BuiltSegment, generation: i64) -> Result<(), IndexError> {
        let mut rows = segments::all(&self.db)?;
        let mut merged: Vec<SegmentRow> = Vec::new();
        let mut covered = built.entries.len() as u32;
        while let Some(row) = rows.pop_if(|row| {
            row.slots / 2 <= covered && (row.slots + covered) as usize <= MAX_SEGMENT_CHUNKS
        }) {
            covered += row.slots;
            merged.push(row);
        }
        let mut draft = built.builder.finish()?;
        let mut entries = built.entries;
        if !merged.is_empty() {
            let runs = tables::runs(&self.db)?;
            let is_used = |slot: Slot| run_of(&runs, slot).is_some();
            let mut builder = SegmentBuilder::new(self.index.embedder.dimensions);
            let mut all: Vec<ChunkEntry> = Vec::with_capacity(covered as usize);
            for row in merged.iter().rev() {
                builder.add_segment(&open_segment(&self.index.folder, &row.file)?, is_used);
                let name = chunks_file(row);
                all.extend(ChunkFile::new(map_file(&self.index.folder, &name)?, name)?.entries());
                segments::delete(&self.db, row.number)?;
            }
            builder.add_segment(&draft.open_in_memory()?, is_used);
            all.append(&mut entries);
            (draft, entries) = (builder.finish()?, all);
        }
        let row = SegmentRow {
            number: generation,
            file: self.files.segment_file(generation),
            slots: covered,
        };
        self.write_file(&row.file, draft.parts())?;
        let encoded = chunks::encode(entries.into_iter());
        self.write_file(&chunks_file(&row), std::iter::once(encoded.as_slice()))?;
        segments::insert(&self.db, &row)
    }

    fn write_file<'p>(
        &self,
        file: &str,
        mut parts: impl Iterator<Item = &'p [u8]>,
    ) -> Result<(), IndexError> {
        let dir = self.index.folder.dir()?;
        let draft = Path::new(file).with_extension(DRAFT_EXTENSION);
        let mut write = || {
            let mut out = dir.create(&draft)?;
            parts.try_for_each(|part| out.write_all(part))?;
            dir.rename(&draft, dir, file)
        };
        write().map_err(|error| self.index.folder.io_error(file, &error))
    }

    /// Makes what was written the current index, and removes what it does not need.
    fn finish_commit(&mut self) -> Result<(), IndexError> {
        sqlite::execute(&self.db, ["COMMIT"])?;
        if std::mem::take(&mut self.is_new) {
            sqlite::enable_write_ahead_log(&self.db)?;
            self.files.make_current()?;
        }
        let named: Vec<String> = segments::all(&self.db)?
            .into_iter()
            .flat_map(|row| [chunks_file(&row), row.file])
            .collect();
        self.files.remove_stale(&named);
        Ok(())
    }
}
