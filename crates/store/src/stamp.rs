//! How a file is known again without reading it.

use std::fs::{self, File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How much of a file's end is looked at to see whether only more came.
const BLOCK: u64 = 4096;

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
        fs::metadata(path).ok().filter(Metadata::is_file).map(|metadata| Stamp::new(&metadata))
    }

    /// Takes what the system says of a file.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|since| i64::try_from(since.as_nanos()).ok());
        Stamp {
            size: metadata.len(),
            modified: modified.unwrap_or_default(),
            file: number_of(metadata),
        }
    }
}

#[cfg(unix)]
fn number_of(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number_of(_: &Metadata) -> u64 {
    0
}

/// Returns a hash of the block that ends at a place in a file.
pub fn block_before(path: &Path, end: u64) -> std::io::Result<[u8; 32]> {
    let mut file = File::open(path)?;
    let start = end.saturating_sub(BLOCK);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(end - start).read_to_end(&mut bytes)?;
    Ok(*blake3::hash(&bytes).as_bytes())
}

/// Reads a file from a place on.
pub fn read_from(path: &Path, start: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Files and folders as they were seen, to tell at once whether nothing has changed since.
#[derive(Debug, Default)]
pub struct Watched {
    seen: Vec<(PathBuf, Option<Stamp>)>,
    /// Whether every change from then on shows.
    is_settled: bool,
}

/// A change that comes sooner after another may bear the same time.
const GRAIN: i64 = 50_000_000;

impl Watched {
    /// Looks at files and folders; what is not there is watched for as well.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        // The file system's clock is asked and not the caller's: a fixed one would tell nothing.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let seen: Vec<_> =
            paths.into_iter().map(|path| (look(&path), path)).map(|(s, p)| (p, s)).collect();
        let is_old = |stamp: &Stamp| {
            let grain = if stamp.modified % 1_000_000_000 == 0 { 40 * GRAIN } else { GRAIN };
            stamp.modified.saturating_add(grain) < now
        };
        let is_settled = seen.iter().all(|(_, stamp)| stamp.as_ref().is_none_or(is_old));
        Watched { seen, is_settled }
    }

    /// Returns whether nothing has changed since.
    pub fn is_same(&self) -> bool {
        self.is_settled && self.seen.iter().all(|(path, stamp)| look(path) == *stamp)
    }
}

fn look(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|metadata| Stamp::new(&metadata))
}
