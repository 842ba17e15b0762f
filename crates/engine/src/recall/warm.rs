//! An index that a process keeps open from one question to the next.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_index::Snapshot;

/// An index that a process keeps open from one question to the next. Who finds it in use opens
/// another.
#[derive(Clone, Default)]
pub struct Warm(Arc<Mutex<Option<(PathBuf, Snapshot)>>>);

impl Warm {
    /// Takes the index of a folder out, if it is there.
    pub(super) fn take(&self, folder: &Path) -> Option<Snapshot> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|(of, _)| of == folder).map(|(_, snapshot)| snapshot)
    }

    /// Puts an index back.
    pub(super) fn put(&self, folder: &Path, snapshot: Snapshot) {
        if snapshot.is_on_disk() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some((folder.to_path_buf(), snapshot));
        }
    }
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Warm")
    }
}
