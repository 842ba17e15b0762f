//! File stamps (size, modification time, inode), which detect changes without reading the file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

use heirloom_core::parallel::{self, Work};
use indexmap::IndexMap;

/// The metadata that identifies a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970.
    pub modified: i64,
    /// The inode number; 0 on systems without one.
    pub inode: u64,
}

impl Stamp {
    /// Returns the stamp of a file; `None` if it is not a file.
    pub fn of(path: &Path) -> Option<Self> {
        stat(path).filter(|_| path.is_file())
    }

    /// Returns whether every change of the file from now on changes the stamp. Two changes in quick
    /// succession may have the same modification time.
    pub fn is_settled(&self) -> bool {
        self.is_older_than(now())
    }

    /// Returns whether every change of the file after a time changes the stamp.
    pub fn is_older_than(&self, now: i64) -> bool {
        let has_whole_seconds = self.modified % 1_000_000_000 == 0;
        let granularity = match has_whole_seconds {
            true => COARSE_GRANULARITY_NANOS,
            false => GRANULARITY_NANOS,
        };
        self.modified.saturating_add(granularity) < now
    }

    /// Combines the stamps of two files: a change of either file changes the combined stamp.
    pub fn combine(self, other: Self) -> Self {
        let modified = self.modified.max(other.modified);
        let dates = [self.modified, other.modified].map(i64::cast_unsigned);
        let parts = [self.inode, dates[0], other.inode, other.size, dates[1]];
        let bytes: Vec<u8> = parts.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut file = [0; 8];
        file.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..8]);
        Stamp {
            size: self.size.saturating_add(other.size),
            modified,
            inode: u64::from_le_bytes(file),
        }
    }

    /// Creates a stamp from the metadata of a file.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Stamp {
            size: metadata.len(),
            modified: modified.unwrap_or_default(),
            inode: inode(metadata),
        }
    }
}

/// Returns the current time, in nanoseconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// The stamps of files and folders at one time, to check later whether any of them changed.
#[derive(Debug, Default)]
pub struct FileWatch {
    stamps: Vec<WatchedPath>,
    base: Option<BaseFolder>,
}

/// A path whose stamp was recorded.
#[derive(Debug)]
struct WatchedPath {
    path: PathBuf,
    stamp: Option<Stamp>,
    /// Whether every later change of the file changes the stamp.
    is_settled: bool,
}

impl WatchedPath {
    fn new(path: PathBuf, stamp: Option<Stamp>, now: i64) -> Self {
        let is_settled = stamp.is_none_or(|stamp| stamp.is_older_than(now));
        WatchedPath { path, stamp, is_settled }
    }

    fn is_unchanged(&self, base: Option<&BaseFolder>) -> bool {
        self.is_settled && stat_from(base, &self.path) == self.stamp
    }
}

/// A folder from whose handle the paths in it are looked up: that takes half as long as from the root of the file system.
#[derive(Debug)]
struct BaseFolder {
    path: PathBuf,
    #[cfg(unix)]
    handle: fs::File,
}

#[cfg(unix)]
impl BaseFolder {
    /// Opens a folder. `None` if that fails.
    #[allow(clippy::disallowed_methods, reason = "the handle serves to stat only")]
    fn open(path: &Path) -> Option<Self> {
        Some(BaseFolder { path: path.to_path_buf(), handle: fs::File::open(path).ok()? })
    }

    /// Returns whether the folder is still the one at its path.
    fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let opened = self.handle.metadata().ok().map(identity);
        opened.is_some() && opened == fs::metadata(&self.path).ok().map(identity)
    }
}

#[cfg(not(unix))]
impl BaseFolder {
    fn open(_: &Path) -> Option<Self> {
        None
    }

    fn is_in_place(&self) -> bool {
        false
    }
}

/// From this many files on, comparing their stamps is short work.
const SHORT_WORK_STAMPS: usize = 30;

/// How many stamps a thread must compare to be worth starting.
const MIN_STAMPS_PER_THREAD: usize = 200;

/// Two changes within this time may have the same modification time.
const GRANULARITY_NANOS: i64 = 50_000_000;

/// The same for a file system that stores whole seconds, or even only every other second.
const COARSE_GRANULARITY_NANOS: i64 = 40 * GRANULARITY_NANOS;

impl FileWatch {
    /// Records the stamps of files and folders. Paths that do not exist are watched as well.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        // The real clock is used, because a fixed clock of a test is unrelated to file times.
        let now = now();
        let stamps = collect_stamps(paths).into_iter();
        FileWatch {
            stamps: stamps.map(|(path, stamp)| WatchedPath::new(path, stamp, now)).collect(),
            base: None,
        }
    }

    /// States the folder in which most paths are, so that checking them takes less time.
    #[must_use]
    pub fn with_base(self, folder: &Path) -> Self {
        FileWatch { base: BaseFolder::open(folder), ..self }
    }

    /// Returns whether nothing has changed since the stamps were recorded.
    pub fn is_unchanged(&self) -> bool {
        self.stamps.iter().all(|watched| watched.is_settled) && self.changed().is_empty()
    }

    /// Returns the paths that have changed since their stamps were recorded, or may have.
    pub fn changed(&self) -> Vec<&Path> {
        let base = self.base.as_ref().filter(|base| base.is_in_place());
        let (first, second) = self.stamps.split_at(self.stamps.len() / 2);
        let work = Work::of(first.len(), SHORT_WORK_STAMPS, usize::MAX);
        let (mut of_first, of_second) =
            parallel::join(work, || changed_since(first, base), || changed_since(second, base));
        of_first.extend(of_second);
        of_first
    }

    /// Records the stamps of some of the paths again.
    pub fn renew_stamps(&mut self, of: &[&Path]) {
        let now = now();
        for watched in self.stamps.iter_mut().filter(|watched| of.contains(&&*watched.path)) {
            let stamp = stat(&watched.path);
            *watched = WatchedPath::new(std::mem::take(&mut watched.path), stamp, now);
        }
    }
}

/// Returns those of some paths that have changed since their stamps were recorded, or may have.
fn changed_since<'w>(watched: &'w [WatchedPath], base: Option<&BaseFolder>) -> Vec<&'w Path> {
    let are_same = parallel::map(watched, MIN_STAMPS_PER_THREAD, |path| path.is_unchanged(base));
    let changed = watched.iter().zip(are_same).filter(|(_, is_same)| !is_same);
    changed.map(|(watched, _)| watched.path.as_path()).collect()
}

/// Collects the stamps of paths. A missing path is represented by its topmost missing ancestor, which
/// has to be created first. Creating it changes the stamp of its parent folder, so it is left out if
/// that folder is watched.
fn collect_stamps(paths: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, Option<Stamp>)> {
    let mut stamps: IndexMap<PathBuf, Option<Stamp>> = IndexMap::new();
    let mut missing = Vec::new();
    for path in paths {
        match stat(&path) {
            None => missing.push(path),
            stamp => drop(stamps.insert(path, stamp)),
        }
    }
    for path in missing {
        let topmost = path.ancestors().take_while(|path| is_absent(path)).last();
        match topmost {
            Some(topmost) if topmost.parent().is_some_and(|folder| stamps.contains_key(folder)) => {
            }
            Some(topmost) => drop(stamps.insert(topmost.to_path_buf(), None)),
            // The path was just created, is a dangling link, or cannot be accessed.
            None => drop(stamps.insert(path, None)),
        }
    }
    stamps.into_iter().collect()
}

/// Returns whether a path does not exist, not even as a symbolic link.
fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns the stamp of a file or folder, looked up from the handle of a folder that it is in.
#[cfg(unix)]
fn stat_from(base: Option<&BaseFolder>, path: &Path) -> Option<Stamp> {
    let Some((base, relative)) = base.and_then(|base| Some((base, relative_path(base, path)?)))
    else {
        return stat(path);
    };
    let found = rustix::fs::statat(&base.handle, relative, rustix::fs::AtFlags::empty()).ok()?;
    let since = u64::try_from(found.st_mtime).ok().map(|seconds| {
        std::time::Duration::new(seconds, u32::try_from(found.st_mtime_nsec).unwrap_or_default())
    });
    let modified = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    Some(Stamp {
        size: u64::try_from(found.st_size).unwrap_or_default(),
        modified: modified.unwrap_or_default(),
        inode: found.st_ino,
    })
}

#[cfg(not(unix))]
fn stat_from(_: Option<&BaseFolder>, path: &Path) -> Option<Stamp> {
    stat(path)
}

/// Returns the path from a folder to a path in it. Compares bytes, which is faster than comparing components.
#[cfg(unix)]
fn relative_path<'p>(base: &BaseFolder, path: &'p Path) -> Option<&'p std::ffi::OsStr> {
    use std::os::unix::ffi::OsStrExt;
    let rest = path.as_os_str().as_bytes().strip_prefix(base.path.as_os_str().as_bytes())?;
    let relative = rest.strip_prefix(b"/").filter(|relative| !relative.is_empty())?;
    Some(std::ffi::OsStr::from_bytes(relative))
}

fn stat(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp::new(&Metadata::from_just_metadata(metadata)))
}

// On other systems a folder cannot be opened to set its modification time.
#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_creation_of_a_missing_path_is_detected() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let logs = home.join("logs");
        fs::create_dir(&logs).unwrap();
        let paths = ["logs", "logs/a", "logs/b", "state/x/y", "state/x/z", "none"];
        let watch = || {
            // Old modification times, so that every later change is detected.
            for folder in [home, &logs] {
                let long_ago = SystemTime::now() - Duration::from_secs(60);
                File::open(folder).unwrap().set_modified(long_ago).unwrap();
            }
            FileWatch::new(paths.iter().map(|path| home.join(path)))
        };
        let watched = watch();
        assert!(watched.is_unchanged());
        assert_eq!(watched.stamps.len(), 3, "logs, state and none: {watched:?}");
        assert!(watch().with_base(home).is_unchanged());
        for path in ["logs/b", "none", "state"] {
            let watches = [watch(), watch().with_base(home)];
            fs::create_dir(home.join(path)).unwrap();
            assert!(watches.iter().all(|watched| !watched.is_unchanged()), "{path}");
        }
        let watched = watch();
        fs::create_dir_all(home.join("state/x")).unwrap();
        assert!(!watched.is_unchanged());
        // Creating the target of a dangling link does not change the folder of the link.
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("later"), logs.join("a")).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        for folder in ["logs/b", "none", "state", "state/x"] {
            File::open(home.join(folder)).unwrap().set_modified(long_ago).unwrap();
        }
        let watched = watch();
        assert!(watched.is_unchanged());
        fs::create_dir(elsewhere.path().join("later")).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn a_folder_that_was_replaced_is_not_looked_up_by_its_handle() {
        let home = tempfile::tempdir().unwrap();
        let [root, file] = ["root", "root/file"].map(|path| home.path().join(path));
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        let create = |text: &str| {
            fs::create_dir(&root).unwrap();
            fs::write(&file, text).unwrap();
            File::options().append(true).open(&file).unwrap().set_modified(long_ago).unwrap();
        };
        create("old");
        let watched = FileWatch::new([file.clone()]).with_base(&root);
        assert!(watched.is_unchanged());
        fs::rename(&root, home.path().join("moved")).unwrap();
        assert!(!watched.is_unchanged());
        create("new text");
        assert!(!watched.is_unchanged());
    }
}
