//! The index on disk: its folder, its lock, and how generations follow one another.
//!
//! All files are reached through a directory handle that no link leads out of. SQLite takes paths
//! only: it opens tables that this machine made, and follows no link.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata, OpenOptions};
use heirloom_core::embedding::Embedder;
use rusqlite::{Connection, OpenFlags, params};

use crate::segment::{Builder, Bytes, Draft, Mapped, Segment};
use crate::slots::{Slots, State};
use crate::snapshot::CHECKSUM;
use crate::update::{self, Update};
use crate::{IndexError, IndexErrorKind, Snapshot, db};

/// The file that names the index which holds. Each has an identity, which all its files begin with:
/// whoever still has an older one open cannot touch the files of this one.
const CURRENT: &str = "current";

/// The file that is locked by who writes.
const LOCK: &str = "lock";

/// The ending of a segment's file.
const SEGMENT: &str = "seg";

/// The ending of a file that has no name yet.
const DRAFT: &str = "draft";

/// How many hexadecimal digits an identity has.
const IDENTITY_LENGTH: usize = 16;

/// How often a reader looks again when a generation goes away under its hands.
const TRIES: usize = 20;

/// How long it waits in between.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

/// The folder of an index.
#[derive(Debug, Clone)]
pub struct IndexFolder {
    path: PathBuf,
    handle: Result<Arc<Dir>, IndexError>,
}

impl IndexFolder {
    /// Takes an open folder, or why it could not be opened.
    pub fn new(path: PathBuf, handle: io::Result<Dir>) -> Self {
        let handle = handle.map(Arc::new);
        let handle =
            handle.map_err(|error| IndexError::system(&path.display().to_string(), &error));
        IndexFolder { path, handle }
    }

    /// Takes no folder: an index of it is made in memory for every question.
    pub fn none() -> Self {
        let error = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        IndexFolder::new(PathBuf::new(), Err(error))
    }

    fn dir(&self) -> Result<&Arc<Dir>, IndexError> {
        self.handle.as_ref().map_err(Clone::clone)
    }

    fn system(&self, file: &str, error: &io::Error) -> IndexError {
        IndexError::system(&self.path.join(file).display().to_string(), error)
    }
}

/// An index in a folder.
#[derive(Debug, Clone)]
pub struct Index {
    folder: IndexFolder,
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
    pub fn at(folder: IndexFolder, embedder: &dyn Embedder) -> Self {
        Index { folder, embedder: embedder.name().to_owned(), dimensions: embedder.dimensions() }
    }

    /// Returns where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder.path
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
        let current = Home::current(&self.folder).filter(Home::was_made_here);
        let Some(home) = current else { return Ok(None) };
        let tables = home.tables();
        let opened = connect(&tables, OpenFlags::SQLITE_OPEN_READ_WRITE);
        match opened.and_then(|db| self.read(db, home.clone())) {
            Err(error) if error.kind == IndexErrorKind::Unwritable && !home.has_journal() => {
                let found = self.read(connect_as_it_stands(&tables).map_err(|_| error)?, home)?;
                Ok(found.map(Snapshot::for_one_question))
            }
            opened => opened,
        }
    }

    /// Returns whether a generation is one of this index: of its folder and of its embedder.
    pub fn owns(&self, snapshot: &Snapshot) -> bool {
        let is_here = snapshot.home.as_ref().is_some_and(|home| home.folder == self.folder.path);
        is_here && snapshot.embedder == (self.embedder.clone(), self.dimensions)
    }

    /// Gives up a generation whose tables were cut off, so that the index is made anew: to open them
    /// again is not safe, and not even to close them.
    pub fn give_up(&self, snapshot: Snapshot) -> Result<(), IndexError> {
        let Snapshot { db, home, .. } = snapshot;
        std::mem::forget(db);
        let _lock = self.lock()?;
        if home.is_some_and(|home| home.is_current()) {
            let removed = self.folder.dir()?.remove_file(CURRENT);
            removed.map_err(|error| self.folder.system(CURRENT, &error))?;
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
        let opened = match self.folder.dir()?.open(file) {
            Ok(opened) => opened.into_std(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Either another process has just made a newer generation, or somebody took it away.
                let message = format!("{} is gone", self.folder.path.join(file).display());
                return Err(IndexError::new(IndexErrorKind::Moved, message));
            }
            Err(error) => return Err(self.folder.system(file, &error)),
        };
        let mapped = Mapped::new(opened).map_err(|error| self.folder.system(file, &error))?;
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
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(IndexError::system("the index's lock", &error)),
        }
    }

    /// Waits for the right to write.
    pub fn lock(&self) -> Result<Lock, IndexError> {
        let file = self.lock_file()?;
        file.lock().map_err(|error| IndexError::system("the index's lock", &error))?;
        Ok(Lock { _file: file })
    }

    fn lock_file(&self) -> Result<File, IndexError> {
        let dir = self.folder.dir()?;
        // Opening a FIFO would wait for its reader.
        if dir.metadata(LOCK).is_ok_and(|metadata| !metadata.is_file()) {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is not a regular file");
            return Err(self.folder.system(LOCK, &error));
        }
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        let opened = dir.open_with(LOCK, &options);
        opened.map(cap_std::fs::File::into_std).map_err(|error| self.folder.system(LOCK, &error))
    }

    /// Begins an empty index, which takes the place of the one that is there when it is committed.
    /// Until then nobody else reads it, so that it is written once, without a journal.
    pub fn begin(&self, _lock: &Lock) -> Result<Snapshot, IndexError> {
        let home = Home::new(&self.folder)?;
        let create = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let db = connect(&home.tables(), create)?;
        db::create(&db, &self.embedder, self.dimensions)?;
        let snapshot = self.read(db, home)?;
        snapshot.ok_or_else(|| IndexError::damaged("a new index does not read"))
    }

    /// Notes the checksum of the files that a generation is up to date with, so that the next process
    /// need not compare them one by one.
    pub fn note_checksum(
        &self,
        _lock: &Lock,
        snapshot: &Snapshot,
        checksum: i64,
    ) -> Result<(), IndexError> {
        snapshot.db.execute_batch("ROLLBACK; BEGIN IMMEDIATE")?;
        db::set(&snapshot.db, CHECKSUM, checksum)?;
        snapshot.db.execute_batch("COMMIT; BEGIN")?;
        Ok(())
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
        let dir = self.folder.dir()?;
        let unnamed = Path::new(file).with_extension(DRAFT);
        let write = || {
            let mut out = dir.create(&unnamed)?;
            draft.parts().try_for_each(|part| out.write_all(part))?;
            dir.rename(&unnamed, dir, file)
        };
        write().map_err(|error| self.folder.system(file, &error))
    }

    /// Removes the files of other indexes, and the segments that no generation names. Only names
    /// that an index gives are touched.
    fn sweep(&self, db: &Connection, home: &Home) -> Result<(), IndexError> {
        let named: Vec<String> = db::segments(db)?.into_iter().map(|(_, file, _)| file).collect();
        let is_left = |name: &str, ending: &str| {
            [SEGMENT, DRAFT].contains(&ending) && !named.iter().any(|named| named == name)
        };
        remove_files(home, is_left);
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

/// Removes the files of other indexes in a folder.
pub(crate) fn remove_others(home: &Home) {
    remove_files(home, |_, _| false);
}

/// Removes the files of other indexes in a folder, and those of this one that are left over, by name
/// and ending.
fn remove_files(home: &Home, is_left: impl Fn(&str, &str) -> bool) {
    let Ok(entries) = home.dir.entries() else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some((identity, ending)) = parts_of(&name) else { continue };
        if identity != home.identity || is_left(&name, ending) {
            // Windows refuses to delete a file that is open; the next commit tries again.
            drop(home.dir.remove_file(&name));
        }
    }
}

/// How long tables are, and what is shared of them in memory, where those are files.
pub(crate) type Lengths = [Option<u64>; 2];

/// Where an index lies, and which one it is.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    folder: PathBuf,
    dir: Arc<Dir>,
    identity: String,
    /// The file of its tables, as `CURRENT` describes it.
    made: Option<Birth>,
}

/// What the system gave a file when it was created: its number and the time. A copy of the file, as
/// a clone or an unpacked archive brings it, has others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Birth {
    number: u64,
    nanoseconds: u128,
}

impl Birth {
    fn of(dir: &Dir, file: &str) -> Option<Self> {
        let metadata = dir.symlink_metadata(file).ok().filter(Metadata::is_file)?;
        #[cfg(unix)]
        let number = cap_std::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        let created = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
        let since = created.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        Some(Birth { number, nanoseconds: since.unwrap_or_default().as_nanos() })
    }
}

/// Splits a name that an index gives to a file into identity and ending: `0123456789abcdef.db`,
/// `0123456789abcdef-7.seg`.
fn parts_of(name: &str) -> Option<(&str, &str)> {
    let (stem, ending) = name.split_once('.')?;
    let (identity, number) = stem.split_once('-').unwrap_or((stem, "0"));
    let is_ours = identity.len() == IDENTITY_LENGTH
        && is_identity(identity)
        && number.bytes().all(|c| c.is_ascii_digit())
        && ["db", "db-wal", "db-shm", "db-journal", SEGMENT, DRAFT].contains(&ending);
    is_ours.then_some((identity, ending))
}

fn is_identity(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_hexdigit())
}

impl Home {
    /// The index that holds in a folder.
    pub(crate) fn current(folder: &IndexFolder) -> Option<Self> {
        Home::current_in(&folder.path, folder.handle.as_ref().ok()?)
    }

    fn current_in(folder: &Path, dir: &Arc<Dir>) -> Option<Self> {
        let is_small = dir.symlink_metadata(CURRENT).is_ok_and(|m| m.is_file() && m.len() < 1024);
        let text = is_small.then(|| dir.read_to_string(CURRENT).ok()).flatten()?;
        let mut words = text.split_whitespace();
        let identity = words.next().filter(|identity| is_identity(identity))?.to_owned();
        let number = words.next().and_then(|word| word.parse().ok());
        let nanoseconds = words.next().and_then(|word| word.parse().ok());
        let made = number.zip(nanoseconds);
        let made = made.map(|(number, nanoseconds)| Birth { number, nanoseconds });
        Some(Home { folder: folder.to_path_buf(), dir: dir.clone(), identity, made })
    }

    /// One that nobody else has.
    #[allow(clippy::disallowed_methods, reason = "the clock tells one index from another")]
    pub(crate) fn new(folder: &IndexFolder) -> Result<Self, IndexError> {
        let dir = folder.dir()?.clone();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seed = format!("{} {:?}", std::process::id(), now);
        let identity = blake3::hash(seed.as_bytes()).to_hex()[..IDENTITY_LENGTH].to_owned();
        Ok(Home { folder: folder.path.clone(), dir, identity, made: None })
    }

    fn file(&self, ending: &str) -> String {
        format!("{}.{ending}", self.identity)
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.folder.join(self.file("db"))
    }

    /// Returns whether its tables are the file that this machine created, and not one that a
    /// repository brought along: what SQLite reads must not be chosen by somebody else.
    pub(crate) fn was_made_here(&self) -> bool {
        self.made.is_some() && self.made == Birth::of(&self.dir, &self.file("db"))
    }

    /// Returns whether it is still the one that holds.
    pub(crate) fn is_current(&self) -> bool {
        let current = Home::current_in(&self.folder, &self.dir);
        current.is_some_and(|current| current.identity == self.identity)
    }

    /// Returns when the file was put there that names the one which holds: whoever names another one
    /// puts another file there. Nothing where times are too coarse to tell.
    pub(crate) fn named_at(&self) -> Option<SystemTime> {
        let modified = self.dir.symlink_metadata(CURRENT).ok()?.modified().ok()?.into_std();
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        (since.subsec_nanos() != 0).then_some(modified)
    }

    fn length(&self, ending: &str) -> Option<u64> {
        self.dir.symlink_metadata(self.file(ending)).map(|metadata| metadata.len()).ok()
    }

    /// Returns how long the files are that tables are read from where they lie.
    pub(crate) fn lengths(&self) -> Lengths {
        [self.length("db"), self.length("db-shm")]
    }

    /// Returns whether something was committed that is not in the tables' own file yet.
    fn has_journal(&self) -> bool {
        self.length("db-wal").is_some_and(|length| length > 0)
    }

    pub(crate) fn make_current(&self) -> Result<(), IndexError> {
        let draft = self.file(DRAFT);
        let made = Birth::of(&self.dir, &self.file("db"))
            .ok_or_else(|| IndexError::damaged("the tables of a new index are gone"))?;
        let text = format!("{} {} {}", self.identity, made.number, made.nanoseconds);
        let written = self.dir.write(&draft, text);
        written
            .and_then(|()| self.dir.rename(&draft, &self.dir, CURRENT))
            .map_err(|error| IndexError::system(&self.folder.display().to_string(), &error))
    }
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

pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags)?;
    db::prepare(&db)?;
    Ok(db)
}
