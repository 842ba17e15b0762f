//! The index on disk: its folder, its lock, and how generations follow one another.
#![allow(clippy::disallowed_methods, reason = "the cache is derived, and this is its home")]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use heirloom_core::embedding::Embedder;
use rusqlite::{Connection, OpenFlags, params};

use crate::segment::{Builder, Bytes, Draft, Mapped, Segment};
use crate::slots::{Slots, State};
use crate::update::{self, Update};
use crate::{IndexError, IndexErrorKind, Snapshot, db};

/// The file that names the index which holds. Each has an identity, which all its files begin with:
/// whoever still has an older one open cannot touch the files of this one.
const CURRENT: &str = "current";

/// The file that is locked by who writes.
const LOCK: &str = "lock";

/// The ending of a segment's file.
const SEGMENT: &str = "seg";

/// How often a reader looks again when a generation goes away under its hands.
const TRIES: usize = 20;

/// How long it waits in between.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

/// An index in a folder.
#[derive(Debug, Clone)]
pub struct Index {
    folder: PathBuf,
    embedder: String,
    dimensions: usize,
}

/// The right to write an index, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Index {
    /// Takes an index whose vectors one embedder makes. Nothing is read yet.
    pub fn at(folder: &Path, embedder: &dyn Embedder) -> Self {
        Index {
            folder: folder.to_path_buf(),
            embedder: embedder.name().to_owned(),
            dimensions: embedder.dimensions(),
        }
    }

    /// Returns where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the newest generation. One that is not there, not whole, of another version or of
    /// another embedder is `None`.
    pub fn open(&self) -> Result<Option<Snapshot>, IndexError> {
        for _ in 0..TRIES {
            match self.open_once() {
                Ok(found) => return Ok(found),
                Err(error) if error.kind == IndexErrorKind::Moved => std::thread::sleep(PAUSE),
                Err(error) if error.kind == IndexErrorKind::Damaged => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        // What is still missing by now was not moved on by a writer.
        Ok(None)
    }

    fn open_once(&self) -> Result<Option<Snapshot>, IndexError> {
        let Some(home) = Home::current(&self.folder) else { return Ok(None) };
        if !home.tables().exists() {
            return Ok(None);
        }
        let tables = home.tables();
        let opened = connect(&tables, OpenFlags::SQLITE_OPEN_READ_WRITE);
        match opened.and_then(|db| self.read(db, home.clone())) {
            Err(error) if error.kind == IndexErrorKind::Unwritable && !has_journal(&tables) => {
                let found = self.read(connect_as_it_stands(&tables).map_err(|_| error)?, home)?;
                Ok(found.map(Snapshot::for_one_question))
            }
            opened => opened,
        }
    }

    /// Returns whether a generation is one of this index: of its folder and of its embedder.
    pub fn owns(&self, snapshot: &Snapshot) -> bool {
        let is_here = snapshot.home.as_ref().is_some_and(|home| home.folder == self.folder);
        is_here && snapshot.embedder == (self.embedder.clone(), self.dimensions)
    }

    /// Gives up a generation whose tables were cut off, so that the index is made anew: to open them
    /// again is not safe, and not even to close them.
    pub fn give_up(&self, snapshot: Snapshot) -> Result<(), IndexError> {
        let Snapshot { db, home, .. } = snapshot;
        std::mem::forget(db);
        let _lock = self.lock()?;
        if home.is_some_and(|home| home.is_current()) {
            let path = self.folder.join(CURRENT);
            fs::remove_file(&path)
                .map_err(|error| IndexError::system(&path.display().to_string(), &error))?;
        }
        Ok(())
    }

    /// Takes what tables name, if they are ours.
    fn read(&self, db: Connection, home: Home) -> Result<Option<Snapshot>, IndexError> {
        // Everything that is read from here on is of one generation.
        db.execute_batch("BEGIN")?;
        let is_ours = db::get(&db, "version")? == Some(db::VERSION)
            && db::embedder(&db)?.as_deref() == Some(&self.embedder)
            && db::get(&db, "dimensions")? == i64::try_from(self.dimensions).ok();
        if !is_ours {
            return Ok(None);
        }
        let mut segments = Vec::new();
        for (_, file, _) in db::segments(&db)? {
            segments.push(Arc::new(self.segment(&file)?));
        }
        let slots = db::slots(&db)?;
        Snapshot::with(db, slots, segments, Some(home)).map(Some)
    }

    fn segment(&self, file: &str) -> Result<Segment, IndexError> {
        let path = self.folder.join(file);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Either another process has just made a newer generation, or somebody took it away.
                let message = format!("{} is gone", path.display());
                return Err(IndexError::new(IndexErrorKind::Moved, message));
            }
            Err(error) => return Err(IndexError::system(&path.display().to_string(), &error)),
        };
        let mapped = Mapped::new(file);
        let mapped =
            mapped.map_err(|error| IndexError::system(&path.display().to_string(), &error))?;
        let segment = Segment::new(Bytes::Mapped(mapped))?;
        match segment.dimensions() == self.dimensions {
            true => Ok(segment),
            false => Err(IndexError::damaged("a piece of the index is of another embedder")),
        }
    }

    /// Takes the right to write, if nobody else has it.
    pub fn try_lock(&self) -> Result<Option<Lock>, IndexError> {
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => {
                Err(IndexError::system("the index's lock", &error))
            }
        }
    }

    /// Waits for the right to write.
    pub fn lock(&self) -> Result<Lock, IndexError> {
        let file = self.lock_file()?;
        file.lock().map_err(|error| IndexError::system("the index's lock", &error))?;
        Ok(Lock { _file: file })
    }

    fn lock_file(&self) -> Result<File, IndexError> {
        let system = |error| IndexError::system(&self.folder.display().to_string(), &error);
        fs::create_dir_all(&self.folder).map_err(system)?;
        let path = self.folder.join(LOCK);
        OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(system)
    }

    /// Begins an empty index, which takes the place of the one that is there when it is committed.
    /// Until then nobody else reads it, so that it is written once, without a journal.
    pub fn begin(&self, _lock: &Lock) -> Result<Snapshot, IndexError> {
        let home = Home::new(&self.folder);
        let create = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let db = connect(&home.tables(), create)?;
        db::create(&db, &self.embedder, self.dimensions)?;
        let snapshot = self.read(db, home)?;
        snapshot.ok_or_else(|| IndexError::damaged("a new index does not read"))
    }

    /// Writes an update and opens the generation that it makes.
    pub fn commit(
        &self,
        _lock: &Lock,
        snapshot: Snapshot,
        update: Update,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Snapshot, IndexError> {
        let is_new = snapshot.is_new();
        let mut snapshot = snapshot;
        let home = snapshot.home.clone().filter(|home| is_new || home.is_current());
        let Some(home) = home else {
            let message = "another index was put in the place of this one";
            return Err(IndexError::new(IndexErrorKind::Moved, message));
        };
        snapshot.db.execute_batch("ROLLBACK; BEGIN IMMEDIATE")?;
        // Where this fails the connection goes, and with it what was not committed.
        self.write(&mut snapshot, &home, update, embedder, progress)?;
        let Snapshot { db, slots, segments, .. } = snapshot;
        db.execute_batch("COMMIT")?;
        if is_new {
            db::share(&db)?;
            home.make_current()?;
        }
        self.sweep(&db, &home)?;
        db.execute_batch("BEGIN")?;
        Snapshot::with(db, slots, segments, Some(home))
    }

    fn write(
        &self,
        snapshot: &mut Snapshot,
        home: &Home,
        update: Update,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(), IndexError> {
        let Snapshot { db, slots, segments, .. } = snapshot;
        let generation = db::get(db, "generation")?.unwrap_or_default() + 1;
        let before = slots.len();
        let made = update::apply(db, slots, update, embedder, progress)?;
        if let Some(mut draft) = made {
            let mut named = db::segments(db)?;
            let mut own = u32::try_from(slots.len() - before).unwrap_or(u32::MAX);
            // A segment that is no more than twice as large as the new one is taken up into it, so
            // that there are few, and each line is written again only a few times.
            while let Some((number, _, size)) = named.pop_if(|(_, _, size)| *size / 2 <= own) {
                let Some(last) = segments.pop() else { break };
                let mut builder = Builder::new(self.dimensions);
                for part in [&*last, &draft.held()?] {
                    builder.add_segment(part, |slot| slots.get(slot).state != State::Free);
                }
                draft = builder.finish()?;
                db.execute("DELETE FROM segment WHERE number = ?", [number])?;
                own += size;
            }
            let file = format!("{}-{generation}.{SEGMENT}", home.identity);
            self.write_segment(&file, &draft)?;
            db.execute("INSERT INTO segment VALUES(?, ?, ?)", params![generation, file, own])?;
            segments.push(Arc::new(self.segment(&file)?));
        }
        db::set(db, "generation", generation)
    }

    fn write_segment(&self, file: &str, draft: &Draft) -> Result<(), IndexError> {
        let path = self.folder.join(file);
        let unnamed = path.with_extension("draft");
        let written = || {
            let mut out = File::create(&unnamed)?;
            draft.parts().try_for_each(|part| out.write_all(part))?;
            fs::rename(&unnamed, &path)
        };
        written().map_err(|error| IndexError::system(&path.display().to_string(), &error))
    }

    /// Removes the files of other indexes, and the segments that no generation names.
    fn sweep(&self, db: &Connection, home: &Home) -> Result<(), IndexError> {
        let named: Vec<String> = db::segments(db)?.into_iter().map(|(_, file, _)| file).collect();
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_of_this = name.starts_with(&home.identity);
            let is_piece = name.ends_with(&format!(".{SEGMENT}")) || name.ends_with(".draft");
            let is_left = is_piece && !named.contains(&name);
            if ![CURRENT, LOCK].contains(&name.as_str()) && (!is_of_this || is_left) {
                // Windows keeps what somebody reads; the next writer sweeps again.
                drop(fs::remove_file(entry.path()));
            }
        }
        Ok(())
    }

    /// Returns what an update comes to by itself, in memory, where nothing can be written.
    pub fn in_memory(
        &self,
        update: Update,
        embedder: &dyn Embedder,
    ) -> Result<Snapshot, IndexError> {
        let db = Connection::open_in_memory()?;
        db::prepare(&db)?;
        db::create(&db, &self.embedder, self.dimensions)?;
        applied(db, Slots::default(), vec![], update, embedder)
    }

    /// Returns what a generation and an update come to, in memory, for a process that has no right
    /// to write.
    pub fn overlaid(
        &self,
        snapshot: Snapshot,
        update: Update,
        embedder: &dyn Embedder,
    ) -> Result<Snapshot, IndexError> {
        let mut copy = Connection::open_in_memory()?;
        db::prepare(&copy)?;
        rusqlite::backup::Backup::new(&snapshot.db, &mut copy)?.run_to_completion(
            10_000,
            std::time::Duration::ZERO,
            None,
        )?;
        let Snapshot { slots, segments, .. } = snapshot;
        applied(copy, slots, segments, update, embedder)
    }
}

fn applied(
    db: Connection,
    mut slots: Slots,
    mut segments: Vec<Arc<Segment>>,
    update: Update,
    embedder: &dyn Embedder,
) -> Result<Snapshot, IndexError> {
    let made = update::apply(&db, &mut slots, update, embedder, &|_, _| {})?;
    if let Some(draft) = made {
        segments.push(Arc::new(draft.held()?));
    }
    Snapshot::with(db, slots, segments, None)
}

/// How long tables are, and what is shared of them in memory, where those are files.
pub(crate) type Lengths = [Option<u64>; 2];

/// Where an index lies, and which one it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    folder: PathBuf,
    identity: String,
}

impl Home {
    /// The index that holds in a folder.
    fn current(folder: &Path) -> Option<Self> {
        let identity = fs::read_to_string(folder.join(CURRENT)).ok()?.trim().to_owned();
        let is_one = !identity.is_empty() && identity.bytes().all(|c| c.is_ascii_hexdigit());
        is_one.then(|| Home { folder: folder.to_path_buf(), identity })
    }

    /// One that nobody else has.
    fn new(folder: &Path) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seed = format!("{} {:?}", std::process::id(), now);
        let identity = blake3::hash(seed.as_bytes()).to_hex()[..16].to_owned();
        Home { folder: folder.to_path_buf(), identity }
    }

    fn tables(&self) -> PathBuf {
        self.folder.join(format!("{}.db", self.identity))
    }

    /// Returns whether it is still the one that holds.
    pub(crate) fn is_current(&self) -> bool {
        Home::current(&self.folder).as_ref() == Some(self)
    }

    /// Returns when the file was put there that names the one which holds: whoever names another one
    /// puts another file there. Nothing where times are too coarse to tell.
    pub(crate) fn named_at(&self) -> Option<SystemTime> {
        let modified = fs::metadata(self.folder.join(CURRENT)).ok()?.modified().ok()?;
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        (since.subsec_nanos() != 0).then_some(modified)
    }

    /// Returns how long the files are that tables are read from where they lie.
    pub(crate) fn lengths(&self) -> Lengths {
        let length = |path: PathBuf| fs::metadata(path).map(|metadata| metadata.len()).ok();
        [length(self.tables()), length(beside(&self.tables(), "-shm"))]
    }

    fn make_current(&self) -> Result<(), IndexError> {
        let path = self.folder.join(CURRENT);
        let draft = self.folder.join(format!("{}.draft", self.identity));
        fs::write(&draft, &self.identity)
            .and_then(|()| fs::rename(&draft, &path))
            .map_err(|error| IndexError::system(&path.display().to_string(), &error))
    }
}

/// Whether something was committed that is not in the tables' own file yet.
fn has_journal(tables: &Path) -> bool {
    fs::metadata(beside(tables, "-wal")).is_ok_and(|metadata| metadata.len() > 0)
}

/// A file that lies beside tables.
fn beside(tables: &Path, ending: &str) -> PathBuf {
    let mut path = tables.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Opens tables where this process can write nothing. What somebody else writes there is not seen,
/// so they are good for one question.
fn connect_as_it_stands(path: &Path) -> Result<Connection, IndexError> {
    let path = path.display().to_string();
    let path = match cfg!(windows) {
        true => path.trim_start_matches(r"\\?\").replace('\\', "/"),
        false => path,
    };
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let lead = if path.starts_with('/') { "" } else { "/" };
    let address = format!("file:{lead}{path}?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(Path::new(&address), flags)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db::prepare(&db)?;
    Ok(db)
}
