//! The folder of an index, and the names of its files.
//!
//! All files are reached through a directory handle that no link leads out of. SQLite takes paths
//! only, so it opens just databases that this machine created, and follows no link.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata};

use crate::IndexError;

/// The file that names the current index. The names of all files of an index start with its id, so
/// that a process which still has an older index open cannot touch the files of the current one.
pub(crate) const CURRENT_FILE: &str = "current";

/// The largest size at which `CURRENT_FILE` is read; a valid one has less than 100 bytes.
const MAX_CURRENT_BYTES: u64 = 1024;

const DATABASE_EXTENSION: &str = "db";
const WRITE_AHEAD_LOG_EXTENSION: &str = "db-wal";
const SHARED_MEMORY_EXTENSION: &str = "db-shm";
const JOURNAL_EXTENSION: &str = "db-journal";
const SEGMENT_EXTENSION: &str = "seg";
/// The extension of the data of chunks that is not in a segment.
const CHUNKS_EXTENSION: &str = "chunks";
/// The extension of a file that is being written and gets its final name by a rename.
pub(crate) const DRAFT_EXTENSION: &str = "draft";

/// How many hexadecimal digits the id of an index has.
const ID_DIGITS: usize = 16;

/// The folder of an index.
#[derive(Debug, Clone)]
pub struct IndexFolder {
    path: PathBuf,
    handle: Result<Arc<Dir>, IndexError>,
}

impl IndexFolder {
    /// Takes an open folder, or the error of opening it.
    pub fn new(path: PathBuf, handle: io::Result<Dir>) -> Self {
        let handle = handle.map(Arc::new);
        let handle =
            handle.map_err(|error| IndexError::system(&path.display().to_string(), &error));
        IndexFolder { path, handle }
    }

    /// Stands for a missing folder: its index is built in memory for every question.
    pub fn unavailable() -> Self {
        let error = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        IndexFolder::new(PathBuf::new(), Err(error))
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the handle of the folder, or the error of opening it.
    pub(crate) fn dir(&self) -> Result<&Arc<Dir>, IndexError> {
        self.handle.as_ref().map_err(Clone::clone)
    }

    /// Turns an I/O error on a file of the folder into an error of the index.
    pub(crate) fn io_error(&self, file: &str, error: &io::Error) -> IndexError {
        IndexError::system(&self.path.join(file).display().to_string(), error)
    }
}

/// The sizes of the memory-mapped files of a database: its main file and its shared memory.
pub(crate) type MappedSizes = [Option<u64>; 2];

/// The files of one index in a folder.
#[derive(Debug, Clone)]
pub(crate) struct IndexFiles {
    folder: PathBuf,
    dir: Arc<Dir>,
    /// The id that all file names start with.
    id: String,
    /// The identity of the database file, as `CURRENT_FILE` states it.
    recorded_identity: Option<FileIdentity>,
}

/// The inode number and the creation time of a file. They tell a file from a copy of it, such as one
/// in a cloned repository or an unpacked archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    inode: u64,
    created_nanoseconds: u128,
}

impl FileIdentity {
    fn of(dir: &Dir, file: &str) -> Option<Self> {
        let metadata = dir.symlink_metadata(file).ok().filter(Metadata::is_file)?;
        #[cfg(unix)]
        let inode = cap_std::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        let created = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
        let since = created.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        Some(FileIdentity { inode, created_nanoseconds: since.unwrap_or_default().as_nanos() })
    }
}

impl IndexFiles {
    /// Returns the files of the current index of a folder.
    pub(crate) fn current(folder: &IndexFolder) -> Option<Self> {
        IndexFiles::current_in(&folder.path, folder.handle.as_ref().ok()?)
    }

    fn current_in(folder: &Path, dir: &Arc<Dir>) -> Option<Self> {
        let metadata = dir.symlink_metadata(CURRENT_FILE).ok()?;
        if !metadata.is_file() || metadata.len() >= MAX_CURRENT_BYTES {
            return None;
        }
        let text = dir.read_to_string(CURRENT_FILE).ok()?;
        let mut words = text.split_whitespace();
        let id = words.next().filter(|id| is_hexadecimal(id))?.to_owned();
        let inode = words.next().and_then(|word| word.parse().ok());
        let created = words.next().and_then(|word| word.parse().ok());
        let identity = inode.zip(created);
        let recorded_identity = identity
            .map(|(inode, created_nanoseconds)| FileIdentity { inode, created_nanoseconds });
        Some(IndexFiles { folder: folder.to_path_buf(), dir: dir.clone(), id, recorded_identity })
    }

    /// Names the files of a new index, with a new id.
    #[allow(clippy::disallowed_methods, reason = "the clock makes the id unique")]
    pub(crate) fn new(folder: &IndexFolder) -> Result<Self, IndexError> {
        let dir = folder.dir()?.clone();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seed = format!("{} {:?}", std::process::id(), now);
        let id = blake3::hash(seed.as_bytes()).to_hex()[..ID_DIGITS].to_owned();
        Ok(IndexFiles { folder: folder.path.clone(), dir, id, recorded_identity: None })
    }

    /// Returns the path of the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, extension: &str) -> String {
        format!("{}.{extension}", self.id)
    }

    /// Returns the path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join(self.file(DATABASE_EXTENSION))
    }

    /// Returns the name of the segment file that a generation writes.
    pub(crate) fn segment_file(&self, generation: i64) -> String {
        format!("{}-{generation}.{SEGMENT_EXTENSION}", self.id)
    }

    fn database_identity(&self) -> Option<FileIdentity> {
        FileIdentity::of(&self.dir, &self.file(DATABASE_EXTENSION))
    }

    /// Returns whether the database is the file that this machine created. A database that came with
    /// a repository is not opened, since SQLite must not read files of a stranger's choice.
    pub(crate) fn is_created_on_this_machine(&self) -> bool {
        self.recorded_identity.is_some() && self.recorded_identity == self.database_identity()
    }

    /// Returns whether this is the current index of its folder.
    pub(crate) fn is_current(&self) -> bool {
        let current = IndexFiles::current_in(&self.folder, &self.dir);
        current.is_some_and(|current| current.id == self.id)
    }

    /// Returns the modification time of `CURRENT_FILE`, which changes whenever another index becomes
    /// the current one; `None` where the file system only stores whole seconds.
    pub(crate) fn current_file_time(&self) -> Option<SystemTime> {
        let modified = self.dir.symlink_metadata(CURRENT_FILE).ok()?.modified().ok()?.into_std();
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        (since.subsec_nanos() != 0).then_some(modified)
    }

    fn size(&self, extension: &str) -> Option<u64> {
        self.dir.symlink_metadata(self.file(extension)).map(|metadata| metadata.len()).ok()
    }

    /// Returns the sizes of the files that SQLite memory-maps.
    pub(crate) fn mapped_sizes(&self) -> MappedSizes {
        [self.size(DATABASE_EXTENSION), self.size(SHARED_MEMORY_EXTENSION)]
    }

    /// Returns whether the write-ahead log holds commits that are not in the database file yet.
    pub(crate) fn has_write_ahead_log(&self) -> bool {
        self.size(WRITE_AHEAD_LOG_EXTENSION).is_some_and(|size| size > 0)
    }

    /// Makes this the current index of its folder.
    pub(crate) fn make_current(&self) -> Result<(), IndexError> {
        let draft = self.file(DRAFT_EXTENSION);
        let database = self
            .database_identity()
            .ok_or_else(|| IndexError::damaged("the database of a new index was removed"))?;
        let text = format!("{} {} {}", self.id, database.inode, database.created_nanoseconds);
        let written = self.dir.write(&draft, text);
        written
            .and_then(|()| self.dir.rename(&draft, &self.dir, CURRENT_FILE))
            .map_err(|error| IndexError::system(&self.folder.display().to_string(), &error))
    }

    /// Returns the files of other indexes, and drafts and segments of this one but those given.
    /// Files with names that no index gives are left alone.
    pub(crate) fn stale(&self, segments: &[String]) -> Vec<String> {
        let Ok(entries) = self.dir.entries() else { return vec![] };
        let is_stale = |name: &String| {
            let Some((id, extension)) = parse_file_name(name) else { return false };
            let is_replaceable =
                [SEGMENT_EXTENSION, CHUNKS_EXTENSION, DRAFT_EXTENSION].contains(&extension);
            id != self.id || is_replaceable && !segments.contains(name)
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(is_stale).collect()
    }

    /// Removes the files of other indexes, and drafts and segments of this one but those given.
    pub(crate) fn remove_stale(&self, segments: &[String]) {
        self.remove(&self.stale(segments));
    }

    /// Removes files. Windows refuses to remove an open file; the next commit tries again.
    pub(crate) fn remove(&self, names: &[String]) {
        for name in names {
            drop(self.dir.remove_file(name));
        }
    }
}

/// Splits the name of a file of an index into id and extension: `0123456789abcdef.db`,
/// `0123456789abcdef-7.seg`.
fn parse_file_name(name: &str) -> Option<(&str, &str)> {
    const EXTENSIONS: [&str; 7] = [
        DATABASE_EXTENSION,
        WRITE_AHEAD_LOG_EXTENSION,
        SHARED_MEMORY_EXTENSION,
        JOURNAL_EXTENSION,
        SEGMENT_EXTENSION,
        CHUNKS_EXTENSION,
        DRAFT_EXTENSION,
    ];
    let (stem, extension) = name.split_once('.')?;
    let (id, generation) = stem.split_once('-').unwrap_or((stem, "0"));
    let is_index_file = id.len() == ID_DIGITS
        && is_hexadecimal(id)
        && generation.bytes().all(|c| c.is_ascii_digit())
        && EXTENSIONS.contains(&extension);
    is_index_file.then_some((id, extension))
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_hexdigit())
}
