//! An index that a process keeps open from one question to the next.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use heirloom_core::Problem;
use heirloom_index::{IndexError, Snapshot};
use heirloom_store::stamp::Watched;

use super::embedder::Shared;
use super::hits::unread;

/// How many workspaces' indexes and embedders are kept; the index that was asked longest ago goes.
const MOST: usize = 8;

/// Indexes that a process keeps open from one question to the next, one for each workspace. Who
/// finds one in use opens another.
#[derive(Clone, Default)]
pub struct Warm {
    indexes: Arc<Mutex<Vec<Kept>>>,
    /// Embedders that are slow to open, by what they are known as.
    embedders: Arc<Mutex<HashMap<String, Shared>>>,
}

/// An index, and what would show that it is not as the files are any more.
pub(crate) struct Kept {
    folder: PathBuf,
    pub(super) snapshot: Snapshot,
    pub(super) watched: Watched,
    problems: Vec<Problem>,
}

impl Warm {
    /// Takes the index of a folder out, if it is there.
    pub(super) fn take(&self, folder: &Path) -> Option<Kept> {
        let mut kept = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.folder == folder)?;
        Some(kept.remove(at))
    }

    /// Returns an embedder that was opened before.
    pub(super) fn embedder(&self, known_as: &str) -> Option<Shared> {
        let embedders = self.embedders.lock().unwrap_or_else(PoisonError::into_inner);
        embedders.get(known_as).cloned()
    }

    /// Keeps an embedder.
    pub(super) fn keep_embedder(&self, known_as: String, embedder: Shared) {
        let mut embedders = self.embedders.lock().unwrap_or_else(PoisonError::into_inner);
        if embedders.len() == MOST {
            embedders.clear();
        }
        embedders.insert(known_as, embedder);
    }

    /// Puts an index back.
    pub(super) fn put(&self, kept: Kept) {
        if !kept.snapshot.is_lasting() {
            return;
        }
        let mut all = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.folder != kept.folder);
        if all.len() == MOST {
            all.remove(0);
        }
        all.push(kept);
    }
}

impl Kept {
    /// Returns the index.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns what could not be read of the files that it was made of, or not be listed, each once.
    pub(crate) fn all_problems(&self) -> Result<Vec<Problem>, IndexError> {
        let mut problems = unread(&self.snapshot)?;
        problems.extend(self.problems.iter().cloned());
        problems.sort();
        problems.dedup();
        Ok(problems)
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
