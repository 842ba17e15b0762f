//! The index on disk: opening it, locking it, and committing generations.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::OpenOptions;
use heirloom_core::embedding::Embedder;
use heirloom_core::parallel::{self, Work};
use rusqlite::{Connection, backup::Backup};

use crate::folder::{CURRENT_FILE, DRAFT_EXTENSION, IndexFiles, IndexFolder};
use crate::segment::{MappedFile, Segment, SegmentBuilder, SegmentBytes, SegmentDraft};
use crate::slots::{SlotState, SlotTable};
use crate::snapshot::Snapshot;
use crate::tables::segments::SegmentRow;
use crate::tables::state::EmbedderId;
use crate::tables::{self, segments, slot_blocks, state};
use crate::update::Update;
use crate::vector_numbers::VectorNumbers;
use crate::{IndexError, IndexErrorKind, apply, sqlite};

/// The file that a writer locks.
const LOCK_FILE: &str = "lock";

/// How often opening is tried when another process commits at the same time.
const MAX_OPEN_ATTEMPTS: usize = 20;

/// The delay between those attempts.
const OPEN_RETRY_DELAY: Duration = Duration::from_millis(10);

/// How many pages are copied at once to a database in memory.
const PAGES_PER_COPY: i32 = 10_000;

/// From how many slots on segments and slots are read on two threads.
const MIN_PARALLEL_SLOTS: u32 = 10_000;

/// An index in a folder.
#[derive(Debug, Clone)]
pub struct Index {
    folder: IndexFolder,
    embedder: EmbedderId,
}

/// The lock of a writer, held until it is dropped.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

impl Index {
    /// Creates a handle to the index of a folder whose vectors an embedder makes, without opening it.
    pub fn new(folder: IndexFolder, embedder: &dyn Embedder) -> Self {
        let name = embedder.name().to_owned();
        Index { folder, embedder: EmbedderId { name, dimensions: embedder.dimensions() } }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Opens the newest generation; `None` if the index is missing, damaged, of another version, or
    /// of another embedder.
    pub fn open(&self) -> Result<Option<Snapshot>, IndexError> {
        open_with_retries(|| self.open_once())
    }

    fn open_once(&self) -> Result<Option<Snapshot>, IndexError> {
        let current =
            IndexFiles::current(&self.folder).filter(IndexFiles::is_created_on_this_machine);
        let Some(files) = current else { return Ok(None) };
        let database = files.database();
        let opened = sqlite::open(&database).and_then(|db| self.load(db, files.clone()));
        match opened {
            Err(error)
                if error.kind == IndexErrorKind::Unwritable && !files.has_write_ahead_log() =>
            {
                let db = sqlite::open_immutable(&database).map_err(|_| error)?;
                Ok(self.load(db, files)?.map(Snapshot::single_use))
            }
            opened => opened,
        }
    }

    /// Returns whether a snapshot is of this folder and of this embedder.
    pub fn owns(&self, snapshot: &Snapshot) -> bool {
        let files = snapshot.files.as_ref();
        files.is_some_and(|files| files.folder() == self.folder.path())
            && snapshot.embedder == self.embedder
    }

    /// Gives up a snapshot whose database was truncated, so that the index is rebuilt. SQLite would
    /// crash when it opens or even closes the truncated files, so the connection is leaked.
    pub fn discard_truncated(&self, snapshot: Snapshot) -> Result<(), IndexError> {
        let Snapshot { db, files, .. } = snapshot;
        std::mem::forget(db);
        let _lock = self.lock()?;
        if files.is_some_and(|files| files.is_current()) {
            let removed = self.folder.dir()?.remove_file(CURRENT_FILE);
            removed.map_err(|error| self.folder.io_error(CURRENT_FILE, &error))?;
        }
        Ok(())
    }

    /// Loads the last generation of a database, if it is compatible.
    fn load(&self, db: Connection, files: IndexFiles) -> Result<Option<Snapshot>, IndexError> {
        // In a transaction, all reads see the same generation.
        db.execute_batch("BEGIN")?;
        if !state::is_compatible(&db, &self.embedder)? {
            return Ok(None);
        }
        let rows = segments::all(&db)?;
        let is_large = rows.iter().any(|row| row.slots >= MIN_PARALLEL_SLOTS);
        if is_large {
            // The search that follows divides its work. The threads start meanwhile.
            parallel::keep_threads_waiting();
        }
        // The checksums of segments take about as long as reading the slots.
        let (opened, slots) = parallel::join(
            Work::long_if(is_large),
            || self.open_segments(&rows, &[]),
            || slot_blocks::load(&db),
        );
        Snapshot::new(db, slots?, opened?, VectorNumbers::default(), Some(files)).map(Some)
    }

    /// Loads the last generation of an open database, and reads only what has changed since. Returns `None` if the index
    /// must be opened again.
    pub fn reload(&self, snapshot: Snapshot) -> Result<Option<Snapshot>, IndexError> {
        use IndexErrorKind::{Conflict, Damaged};
        if !snapshot.is_reusable() || !snapshot.is_current() || !self.owns(&snapshot) {
            return Ok(None);
        }
        let Snapshot { db, mut slots, segments: known, vector_numbers, generation, files, .. } =
            snapshot;
        let load = || -> Result<Snapshot, IndexError> {
            // A new transaction sees the latest commit.
            sqlite::execute(&db, ["ROLLBACK", "BEGIN"])?;
            let opened = self.open_segments(&segments::all(&db)?, &known)?;
            slot_blocks::load_changed(&db, &mut slots, generation)?;
            Snapshot::new(db, slots, opened, vector_numbers, files)
        };
        match load() {
            Err(error) if matches!(error.kind, Conflict | Damaged) => Ok(None),
            reloaded => reloaded.map(Some),
        }
    }

    /// Opens the segments of a generation. Those that are known are not opened again.
    fn open_segments(
        &self,
        rows: &[SegmentRow],
        known: &[Arc<Segment>],
    ) -> Result<Vec<Arc<Segment>>, IndexError> {
        let open = |row: &SegmentRow| {
            let mut unchanged = known.iter().filter(|segment| segment.is_unchanged());
            match unchanged.find(|segment| segment.is_in_file(&row.file)) {
                Some(segment) => Ok(segment.clone()),
                None => self.open_segment(&row.file).map(Arc::new),
            }
        };
        rows.iter().map(open).collect()
    }

    fn open_segment(&self, file: &str) -> Result<Segment, IndexError> {
        let segment = open_segment(&self.folder, file)?;
        match segment.dimensions() == self.embedder.dimensions {
            true => Ok(segment),
            false => Err(IndexError::damaged("a segment of the index is of another embedder")),
        }
    }

    /// Takes the writer's lock, or returns `None` if another process has it.
    pub fn try_lock(&self) -> Result<Option<WriteLock>, IndexError> {
        try_open_lock(&self.folder)
    }

    /// Waits for the writer's lock.
    pub fn lock(&self) -> Result<WriteLock, IndexError> {
        open_lock(&self.folder)
    }

    /// Creates an empty index, which becomes the current one with its first commit. Until then no
    /// other process reads it, so it is written without a journal.
    pub fn create(&self, _lock: &WriteLock) -> Result<Snapshot, IndexError> {
        let files = IndexFiles::new(&self.folder)?;
        let db = sqlite::create(&files.database())?;
        sqlite::begin_bulk_load(&db)?;
        tables::create(&db, &self.embedder)?;
        let snapshot = self.load(db, files)?;
        snapshot.ok_or_else(|| IndexError::damaged("a new index cannot be read"))
    }

    /// Removes all files of the index, so that no text stays in them that was purged from the log. A file that another
    /// process has open is removed by the next commit, where the system does not allow it now.
    pub fn discard(&self) -> Result<(), IndexError> {
        let _lock = self.lock()?;
        match self.folder.dir()?.remove_file(CURRENT_FILE) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(self.folder.io_error(CURRENT_FILE, &error));
            }
            _ => {}
        }
        // The files of a new index, which has none yet, are not stale.
        IndexFiles::new(&self.folder)?.remove_stale(&[]);
        Ok(())
    }

    /// Stores the checksum of the files that a snapshot is up to date with, so that the next process
    /// need not compare them one by one.
    pub fn store_checksum(
        &self,
        _lock: &WriteLock,
        snapshot: &Snapshot,
        checksum: i64,
    ) -> Result<(), IndexError> {
        sqlite::execute(&snapshot.db, ["ROLLBACK", "BEGIN IMMEDIATE"])?;
        state::set_checksum(&snapshot.db, Some(checksum))?;
        sqlite::execute(&snapshot.db, ["COMMIT", "BEGIN"])
    }

    /// Commits an update, and opens the new generation.
    pub fn commit(
        &self,
        _lock: &WriteLock,
        mut snapshot: Snapshot,
        update: Update,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Snapshot, IndexError> {
        let is_new = snapshot.is_new();
        let files = snapshot.files.clone().filter(|files| is_new || files.is_current());
        let Some(files) = files else {
            let message = "another process has replaced the index";
            return Err(IndexError::new(IndexErrorKind::Conflict, message));
        };
        if let Some(sources) = snapshot.sources.get_mut() {
            update.change_sources(sources);
        }
        sqlite::execute(&snapshot.db, ["ROLLBACK", "BEGIN IMMEDIATE"])?;
        // On failure the connection is dropped, which rolls the transaction back.
        let replaced = self.write(&mut snapshot, &files, update, embedder, progress)?;
        let Snapshot { db, slots, segments, vector_numbers, sources, .. } = snapshot;
        sqlite::execute(&db, ["COMMIT"])?;
        if is_new {
            sqlite::enable_write_ahead_log(&db)?;
            files.make_current()?;
        }
        let named: Vec<String> =
            segments::all(&db)?.into_iter().map(|segment| segment.file).collect();
        let stale = files.stale(&named);
        sqlite::execute(&db, ["BEGIN"])?;
        let committed = Snapshot::new(db, slots, segments, vector_numbers, Some(files.clone()))?;
        if is_new {
            // What was purged must not outlive this process in the files of the index before.
            files.remove(&stale);
        } else if !stale.is_empty() {
            // Removing a file takes as long as a third of a recall. No later commit gives a file one of these names.
            parallel::in_background(move || {
                drop(replaced);
                files.remove(&stale);
            });
        }
        Ok(committed.with_sources(sources))
    }

    /// Writes a new generation inside the open transaction. Returns the segments that it replaces.
    fn write(
        &self,
        snapshot: &mut Snapshot,
        files: &IndexFiles,
        update: Update,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Arc<Segment>>, IndexError> {
        let Snapshot { db, slots, segments, .. } = snapshot;
        let generation = state::generation(db)? + 1;
        let slots_before = slots.len();
        state::set_purge_checksum(db, update.purge_checksum)?;
        state::set_checksum(db, update.checksum)?;
        let mut replaced = Vec::new();
        if let Some(draft) = apply::apply(db, slots, update, embedder, progress)? {
            let new_slots = u32::try_from(slots.len() - slots_before).unwrap_or(u32::MAX);
            let before = segments.clone();
            let (draft, covered) = self.merge(db, slots, segments, draft, new_slots)?;
            replaced.extend_from_slice(&before[segments.len()..]);
            let file = files.segment_file(generation);
            self.write_segment(&file, &draft)?;
            segments.push(Arc::new(self.open_segment(&file)?));
            segments::insert(db, &SegmentRow { number: generation, file, slots: covered })?;
        }
        state::set_generation(db, generation)?;
        Ok(replaced)
    }

    /// Merges existing segments into a new one, as long as the last of them is at most twice as
    /// large. So there are few segments, and each passage is rewritten only a few times. Returns the
    /// merged segment and how many slots it covers.
    fn merge(
        &self,
        db: &Connection,
        slots: &SlotTable,
        existing: &mut Vec<Arc<Segment>>,
        mut draft: SegmentDraft,
        mut covered: u32,
    ) -> Result<(SegmentDraft, u32), IndexError> {
        let mut rows = segments::all(db)?;
        while let Some(row) = rows.pop_if(|row| row.slots / 2 <= covered) {
            let Some(last) = existing.pop() else { break };
            let mut builder = SegmentBuilder::new(self.embedder.dimensions);
            for segment in [&*last, &draft.open_in_memory()?] {
                builder.add_segment(segment, |slot| slots.get(slot).state != SlotState::Free);
            }
            draft = builder.finish()?;
            segments::delete(db, row.number)?;
            covered += row.slots;
        }
        Ok((draft, covered))
    }

    fn write_segment(&self, file: &str, draft: &SegmentDraft) -> Result<(), IndexError> {
        let dir = self.folder.dir()?;
        let draft_file = Path::new(file).with_extension(DRAFT_EXTENSION);
        let write = || {
            let mut out = dir.create(&draft_file)?;
            draft.parts().try_for_each(|part| out.write_all(part))?;
            dir.rename(&draft_file, dir, file)
        };
        write().map_err(|error| self.folder.io_error(file, &error))
    }

    /// Builds an index of an update alone, in memory, where nothing can be written.
    pub fn build_in_memory(
        &self,
        update: Update,
        embedder: &dyn Embedder,
    ) -> Result<Snapshot, IndexError> {
        let db = sqlite::open_in_memory()?;
        sqlite::begin_bulk_load(&db)?;
        tables::create(&db, &self.embedder)?;
        apply_in_memory(db, SlotTable::default(), vec![], update, embedder)
    }

    /// Applies an update to a copy of a snapshot in memory, for a process that cannot write.
    pub fn overlay_in_memory(
        &self,
        snapshot: Snapshot,
        update: Update,
        embedder: &dyn Embedder,
    ) -> Result<Snapshot, IndexError> {
        let mut copy = sqlite::open_in_memory()?;
        let backup = Backup::new(&snapshot.db, &mut copy)?;
        backup.run_to_completion(PAGES_PER_COPY, Duration::ZERO, None)?;
        drop(backup);
        let Snapshot { slots, segments, .. } = snapshot;
        apply_in_memory(copy, slots, segments, update, embedder)
    }
}

fn apply_in_memory(
    db: Connection,
    mut slots: SlotTable,
    mut segments: Vec<Arc<Segment>>,
    update: Update,
    embedder: &dyn Embedder,
) -> Result<Snapshot, IndexError> {
    if let Some(draft) = apply::apply(&db, &mut slots, update, embedder, &|_, _| {})? {
        segments.push(Arc::new(draft.open_in_memory()?));
    }
    Snapshot::new(db, slots, segments, VectorNumbers::default(), None)
}

/// Opens an index. Tries again while another process commits; returns `None` if the index is damaged.
pub(crate) fn open_with_retries<T>(
    mut open_once: impl FnMut() -> Result<Option<T>, IndexError>,
) -> Result<Option<T>, IndexError> {
    for _ in 0..MAX_OPEN_ATTEMPTS {
        match open_once() {
            Err(error) if error.kind == IndexErrorKind::Conflict => {
                std::thread::sleep(OPEN_RETRY_DELAY);
            }
            Err(error) if error.kind == IndexErrorKind::Damaged => return Ok(None),
            opened => return opened,
        }
    }
    // A file that is still missing was not replaced by a writer, so the index is damaged.
    Ok(None)
}

/// Opens the file of a segment.
pub(crate) fn open_segment(folder: &IndexFolder, file: &str) -> Result<Segment, IndexError> {
    Ok(Segment::new(SegmentBytes::Mapped(map_file(folder, file)?))?.in_file(file))
}

/// Maps a file of an index into memory.
pub(crate) fn map_file(folder: &IndexFolder, file: &str) -> Result<MappedFile, IndexError> {
    let opened = match folder.dir()?.open(file) {
        Ok(opened) => opened.into_std(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Another process may have committed a newer generation and removed the file.
            let message = format!("{} is missing", folder.path().join(file).display());
            return Err(IndexError::new(IndexErrorKind::Conflict, message));
        }
        Err(error) => return Err(folder.io_error(file, &error)),
    };
    MappedFile::new(opened).map_err(|error| folder.io_error(file, &error))
}

/// Takes the writer's lock of a folder, or returns `None` if another process has it.
pub(crate) fn try_open_lock(folder: &IndexFolder) -> Result<Option<WriteLock>, IndexError> {
    let file = open_lock_file(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(WriteLock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(folder.io_error(LOCK_FILE, &error)),
    }
}

/// Waits for the writer's lock of a folder.
pub(crate) fn open_lock(folder: &IndexFolder) -> Result<WriteLock, IndexError> {
    let file = open_lock_file(folder)?;
    file.lock().map_err(|error| folder.io_error(LOCK_FILE, &error))?;
    Ok(WriteLock { _file: file })
}

fn open_lock_file(folder: &IndexFolder) -> Result<File, IndexError> {
    let dir = folder.dir()?;
    // Opening a FIFO would block until another process reads it.
    if dir.metadata(LOCK_FILE).is_ok_and(|metadata| !metadata.is_file()) {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is not a regular file");
        return Err(folder.io_error(LOCK_FILE, &error));
    }
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    let opened = dir.open_with(LOCK_FILE, &options).map(cap_std::fs::File::into_std);
    opened.map_err(|error| folder.io_error(LOCK_FILE, &error))
}
