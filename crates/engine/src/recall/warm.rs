//! An index that a process keeps open from one question to the next.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::Problem;
use heirloom_index::Snapshot;
use heirloom_store::stamp::Watched;

/// An index that a process keeps open from one question to the next. Who finds it in use opens
/// another.
#[derive(Clone, Default)]
pub struct Warm(Arc<Mutex<Option<Kept>>>);

/// An index, and what would show that it is not as the files are any more.
pub(crate) struct Kept {
    folder: PathBuf,
    pub(super) snapshot: Snapshot,
    pub(super) watched: Watched,
    pub(super) problems: Vec<Problem>,
}

impl Warm {
    /// Takes the index of a folder out, if it is there.
    pub(super) fn take(&self, folder: &Path) -> Option<Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|kept| kept.folder == folder)
    }

    /// Puts an index back.
    pub(super) fn put(&self, kept: Kept) {
        if kept.snapshot.is_on_disk() {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        }
    }
}

impl Kept {
    /// Returns the index.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Keeps an index of a folder.
    pub(super) fn new(
        folder: &Path,
        snapshot: Snapshot,
        watched: Watched,
        problems: Vec<Problem>,
    ) -> Self {
        Kept { folder: folder.to_path_buf(), snapshot, watched, problems }
    }
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Warm")
    }
}
