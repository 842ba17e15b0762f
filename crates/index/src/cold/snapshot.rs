//! One commit of an index of transcripts, as a reader sees it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use heirloom_core::recall::Slot;
use rusqlite::Connection;

use super::chunks::{ChunkEntry, ChunkFile, NO_DAY};
use super::tables::{self, Run, run_of};
use super::{ChunkPlace, ColdIndex, StoredTranscript, chunks_file};
use crate::folder::{IndexFiles, IndexFolder};
use crate::index::{map_file, open_segment};
use crate::name_hash::tie_breaker;
use crate::segment::Segment;
use crate::segment_assembly::lock;
use crate::tables::{segments, state};
use crate::vector_numbers::VectorNumbers;
use crate::{IndexError, sqlite};

/// One commit of an index.
pub struct ColdSnapshot {
    files: IndexFiles,
    /// Without an open transaction. Ranking on several threads does not use it.
    db: Mutex<Connection>,
    /// Whether the connection notices commits of other processes.
    pub(super) is_reusable: bool,
    generation: i64,
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) vector_numbers: VectorNumbers,
    /// The files with the data of chunks, and the slot of each one's first chunk.
    chunk_files: Vec<(Slot, Arc<ChunkFile>)>,
    pub(super) columns: Columns,
    pub(super) runs: Vec<Run>,
    /// The index in `transcripts` of each run's transcript.
    pub(super) transcript_of_run: Vec<usize>,
    /// For each run, the runs before and after it of the same transcript.
    pub(super) neighbours: Vec<(Option<usize>, Option<usize>)>,
    transcripts: Vec<StoredTranscript>,
    /// A hash of each transcript's name, which ties are broken by.
    pub(super) name_hashes: Vec<u64>,
    foreign_files: Vec<u64>,
    /// How many chunks and messages are in runs.
    pub(super) counts: (usize, usize),
}

/// What a search reads of many chunks.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// The number of terms.
    pub(super) terms: Vec<u16>,
    /// The number of the chunk in its message.
    pub(super) numbers: Vec<u16>,
    /// The day of the message.
    pub(super) days: Vec<i32>,
    /// Whether the slot is in a run; empty if all are.
    pub(super) used: Vec<bool>,
}

impl ColdSnapshot {
    /// Reads the last commit of a database with an open transaction.
    pub(super) fn load(
        folder: &IndexFolder,
        files: IndexFiles,
        db: Connection,
        known: Option<ColdSnapshot>,
    ) -> Result<Self, IndexError> {
        let rows = segments::all(&db)?;
        let (known_segments, known_chunks, mut vector_numbers) = match known {
            Some(known) => (known.segments, known.chunk_files, known.vector_numbers),
            None => (vec![], vec![], VectorNumbers::default()),
        };
        let (mut opened, mut chunk_files, mut first) = (Vec::new(), Vec::new(), 0);
        for row in &rows {
            let mut unchanged = known_segments.iter().filter(|segment| segment.is_unchanged());
            opened.push(match unchanged.find(|segment| segment.is_in_file(&row.file)) {
                Some(segment) => segment.clone(),
                None => {
                    let segment = open_segment(folder, &row.file)?;
                    // The checksum was just computed from most of the file, of which a search reads little.
                    segment.release_pages();
                    Arc::new(segment)
                }
            });
            let name = chunks_file(row);
            let mut unchanged = known_chunks.iter().filter(|(_, file)| file.is_unchanged());
            let file = match unchanged.find(|(_, file)| file.name == name) {
                Some((_, file)) => file.clone(),
                None => Arc::new(ChunkFile::new(map_file(folder, &name)?, name)?),
            };
            if file.len() != row.slots as usize {
                return Err(IndexError::damaged("the data of chunks does not fit their segment"));
            }
            chunk_files.push((first, file));
            first += row.slots;
        }
        let runs = tables::runs(&db)?;
        if runs.last().is_some_and(|run| run.end() > first) {
            return Err(IndexError::damaged("a transcript has more passages than there are"));
        }
        vector_numbers.update(first as usize, &opened);
        let columns = Columns::new(&chunk_files, &runs, first as usize);
        let transcripts = tables::transcripts(&db)?;
        let index_of: HashMap<i64, usize> =
            transcripts.iter().enumerate().map(|(index, it)| (it.id, index)).collect();
        let known_transcript = |run: &Run| {
            index_of.get(&run.transcript).copied().ok_or_else(|| {
                IndexError::damaged("a passage belongs to a transcript that is not listed")
            })
        };
        let transcript_of_run = runs.iter().map(known_transcript).collect::<Result<_, _>>()?;
        let counts = columns.count(&runs);
        let foreign_files = tables::foreign_files(&db)?;
        let generation = state::generation(&db)?;
        sqlite::execute(&db, ["ROLLBACK"])?;
        Ok(ColdSnapshot {
            db: Mutex::new(db),
            generation,
            is_reusable: true,
            neighbours: neighbours(&runs),
            name_hashes: transcripts.iter().map(|it| tie_breaker(&it.name)).collect(),
            foreign_files,
            segments: opened,
            transcript_of_run,
            vector_numbers,
            chunk_files,
            transcripts,
            columns,
            counts,
            files,
            runs,
        })
    }

    /// Returns whether it is the last commit of an index, and its files are as they were.
    pub fn is_current(&self, index: &ColdIndex) -> bool {
        self.is_reusable
            && self.files.folder() == index.folder.path()
            && self.files.is_current()
            && self.segments.iter().all(|segment| segment.is_unchanged())
            && self.chunk_files.iter().all(|(_, file)| file.is_unchanged())
            && state::generation(&lock(&self.db)).is_ok_and(|stored| stored == self.generation)
    }

    /// Returns the transcripts.
    pub fn transcripts(&self) -> &[StoredTranscript] {
        &self.transcripts
    }

    /// Returns the hashes of the files of clients that belong to other workspaces.
    pub fn foreign_files(&self) -> &[u64] {
        &self.foreign_files
    }

    /// Returns how many chunks are indexed.
    pub fn chunk_count(&self) -> usize {
        self.counts.0
    }

    /// Returns how many messages are indexed.
    pub fn message_count(&self) -> usize {
        self.counts.1
    }

    /// Returns how many segments there are.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Returns how many bytes the files of the index have.
    pub fn size_bytes(&self) -> u64 {
        let chunks = self.chunk_files.iter().map(|(_, file)| file.size_bytes());
        self.segments.iter().map(|segment| segment.size_bytes()).chain(chunks).sum()
    }

    /// Returns where a chunk is, and its transcript.
    pub fn place(&self, slot: Slot) -> Option<(&StoredTranscript, ChunkPlace)> {
        let run = run_of(&self.runs, slot)?;
        let transcript = &self.transcripts[self.transcript_of_run[run]];
        Some((transcript, self.entry(slot)?.place))
    }

    pub(super) fn entry(&self, slot: Slot) -> Option<ChunkEntry> {
        let at = self.chunk_files.partition_point(|(first, _)| *first <= slot).checked_sub(1)?;
        let (first, file) = &self.chunk_files[at];
        file.get((slot - first) as usize)
    }
}

impl Columns {
    fn new(files: &[(Slot, Arc<ChunkFile>)], runs: &[Run], slots: usize) -> Self {
        let mut columns = Columns {
            terms: Vec::with_capacity(slots),
            numbers: Vec::with_capacity(slots),
            days: Vec::with_capacity(slots),
            used: vec![],
        };
        for (_, file) in files {
            for entry in file.entries() {
                columns.terms.push(entry.term_count);
                columns.numbers.push(entry.place.chunk);
                columns.days.push(entry.place.day.unwrap_or(NO_DAY));
            }
            file.release_pages();
        }
        let in_runs: usize = runs.iter().map(|run| run.slots as usize).sum();
        if in_runs < slots {
            columns.used = vec![false; slots];
            for run in runs {
                columns.used[run.first as usize..run.end() as usize].fill(true);
            }
        }
        columns
    }

    /// Returns how many chunks and messages are in runs.
    fn count(&self, runs: &[Run]) -> (usize, usize) {
        let mut messages = 0;
        for run in runs {
            let numbers = &self.numbers[run.first as usize..run.end() as usize];
            messages += numbers.iter().filter(|number| **number == 0).count();
        }
        (runs.iter().map(|run| run.slots as usize).sum(), messages)
    }
}

/// Returns for each run the ones before and after it of the same transcript.
fn neighbours(runs: &[Run]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut neighbours = vec![(None, None); runs.len()];
    let mut last: HashMap<i64, usize> = HashMap::new();
    for (at, run) in runs.iter().enumerate() {
        if let Some(previous) = last.insert(run.transcript, at) {
            neighbours[previous].1 = Some(at);
            neighbours[at].0 = Some(previous);
        }
    }
    neighbours
}
