//! How a file is known again without reading it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

use heirloom_core::hands;
use indexmap::IndexMap;

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its size.
    pub size: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i64,
    /// Which file it is, where the system numbers them.
    pub file: u64,
}

impl Stamp {
    /// Looks at a file; one that is not there is `None`.
    pub fn of(path: &Path) -> Option<Self> {
        look(path).filter(|_| path.is_file())
    }

    /// Returns whether a change of the file from now on would show: a change that comes sooner after
    /// another may bear the same time.
    pub fn is_settled(&self) -> bool {
        self.is_older_than(now())
    }

    /// Returns whether a change of the file after a moment would show.
    pub fn is_older_than(&self, now: i64) -> bool {
        let grain = if self.modified % 1_000_000_000 == 0 { 40 * GRAIN } else { GRAIN };
        self.modified.saturating_add(grain) < now
    }

    /// Returns one stamp for two files that are read together: a change of either changes it.
    pub fn and(self, other: Self) -> Self {
        let modified = self.modified.max(other.modified);
        let dates = [self.modified, other.modified].map(i64::cast_unsigned);
        let both = [self.file, dates[0], other.file, other.size, dates[1]];
        let bytes: Vec<u8> = both.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut file = [0; 8];
        file.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..8]);
        Stamp {
            size: self.size.saturating_add(other.size),
            modified,
            file: u64::from_le_bytes(file),
        }
    }

    /// Takes what the system says of a file.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|at| at.into_std().duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Stamp {
            size: metadata.len(),
            modified: modified.unwrap_or_default(),
            file: number_of(metadata),
        }
    }
}

/// Returns the time, in nanoseconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(unix)]
fn number_of(metadata: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number_of(_: &Metadata) -> u64 {
    0
}

/// Files and folders as they were seen, to tell at once whether nothing has changed since.
#[derive(Debug, Default)]
pub struct Watched {
    seen: Vec<(PathBuf, Option<Stamp>)>,
    /// Whether every change from then on shows.
    is_settled: bool,
}

/// So many files at least are looked at by another hand.
const WORTH_SHARING: usize = 200;

/// A change that comes sooner after another may bear the same time.
const GRAIN: i64 = 50_000_000;

impl Watched {
    /// Looks at files and folders; what is not there is watched for as well.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        // The file system's clock is asked and not the caller's: a fixed one would tell nothing.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let seen = worth_watching(paths);
        let is_old = |stamp: &Stamp| stamp.is_older_than(now);
        let is_settled = seen.iter().all(|(_, stamp)| stamp.as_ref().is_none_or(is_old));
        Watched { seen, is_settled }
    }

    /// Returns whether nothing has changed since.
    pub fn is_same(&self) -> bool {
        let is_same = |(path, stamp): &(PathBuf, Option<Stamp>)| look(path) == *stamp;
        self.is_settled
            && hands::map(&self.seen, WORTH_SHARING, is_same).into_iter().all(|same| same)
    }
}

/// Looks at paths. What is not there can only come with the first of its folders that is not there,
/// and that shows in the folder around it, where that is watched.
fn worth_watching(paths: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, Option<Stamp>)> {
    let mut seen: IndexMap<PathBuf, Option<Stamp>> = IndexMap::new();
    let mut missing = Vec::new();
    for path in paths {
        match look(&path) {
            None => missing.push(path),
            stamp => drop(seen.insert(path, stamp)),
        }
    }
    for path in missing {
        let first = path.ancestors().take_while(|path| is_nowhere(path)).last();
        match first {
            Some(first) if first.parent().is_some_and(|folder| seen.contains_key(folder)) => {}
            Some(first) => drop(seen.insert(first.to_path_buf(), None)),
            // It has just come, or leads elsewhere, or may not be looked at.
            None => drop(seen.insert(path, None)),
        }
    }
    seen.into_iter().collect()
}

/// Whether there is not even a link at a path, as far as one may look.
fn is_nowhere(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn look(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp::new(&Metadata::from_just_metadata(metadata)))
}

// Elsewhere a folder cannot be opened to set its time.
#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_not_there_yet_is_watched_for() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let logs = home.join("logs");
        fs::create_dir(&logs).unwrap();
        let paths = ["logs", "logs/a", "logs/b", "state/x/y", "state/x/z", "none"];
        let watch = || {
            // What was changed long ago cannot change again at the same time.
            for folder in [home, &logs] {
                let long_ago = SystemTime::now() - Duration::from_secs(60);
                File::open(folder).unwrap().set_modified(long_ago).unwrap();
            }
            Watched::new(paths.iter().map(|path| home.join(path)))
        };
        let watched = watch();
        assert!(watched.is_same());
        assert_eq!(watched.seen.len(), 3, "logs, state and none: {watched:?}");
        for path in ["logs/b", "none", "state"] {
            let watched = watch();
            fs::create_dir(home.join(path)).unwrap();
            assert!(!watched.is_same(), "{path}");
        }
        let watched = watch();
        fs::create_dir_all(home.join("state/x")).unwrap();
        assert!(!watched.is_same());
        // What a link leads to comes without a sign in the folder that the link lies in.
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("later"), logs.join("a")).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        for folder in ["logs/b", "none", "state", "state/x"] {
            File::open(home.join(folder)).unwrap().set_modified(long_ago).unwrap();
        }
        let watched = watch();
        assert!(watched.is_same());
        fs::create_dir(elsewhere.path().join("later")).unwrap();
        assert!(!watched.is_same());
    }
}
