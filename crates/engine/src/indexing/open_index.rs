//! The indexes that a process keeps open from one request to the next.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heirloom_core::Problem;
use heirloom_index::{IndexError, Snapshot};
use heirloom_store::stamp::FileWatch;

use super::sources::Sources;
use crate::{Error, Session};

/// Maximum number of open indexes. Beyond it, the least recently used one is closed.
const MAX_OPEN: usize = 8;

/// The open indexes that no request uses. A request takes an index out and puts it
/// back; a concurrent request opens a second one.
#[derive(Default)]
pub(super) struct OpenIndexes {
    indexes: Mutex<Vec<OpenIndex>>,
}

/// An up-to-date index, with the files whose changes outdate it.
pub(crate) struct OpenIndex {
    folder: PathBuf,
    pub(super) snapshot: Snapshot,
    /// `None` in a process that answers one request.
    pub(super) watched: Option<FileWatch>,
    /// The files that it was last brought up to date with.
    pub(super) sources: Sources,
    /// Problems of bringing it up to date.
    update_problems: Vec<Problem>,
    all_problems: OnceCell<Vec<Problem>>,
}

/// An index that was open, and the files that have changed or may have, if they were watched.
pub(super) struct OutdatedIndex {
    pub(super) index: OpenIndex,
    pub(super) changed: Option<Vec<PathBuf>>,
}

/// An open index that was taken from the pool.
pub(super) enum TakenIndex {
    UpToDate(OpenIndex),
    Outdated(OutdatedIndex),
}

/// Listed files, with a watch of them in a process that answers several requests.
pub(super) struct ListedSources {
    pub(super) sources: Sources,
    pub(super) watched: Option<FileWatch>,
}

impl ListedSources {
    /// Lists all files.
    pub(super) fn new(session: &Session) -> Result<Self, Error> {
        let sources = Sources::list(session)?;
        let watched = sources.watch(session);
        Ok(ListedSources { sources, watched })
    }

    /// Lists the files of an index again, and watches them. If only shards of the log have changed, nothing else is listed.
    pub(super) fn again(
        session: &Session,
        outdated: OutdatedIndex,
    ) -> Result<(Snapshot, Self), Error> {
        let OutdatedIndex { index: OpenIndex { snapshot, watched, sources, .. }, changed } =
            outdated;
        if let Some((mut watched, changed)) = watched.zip(changed) {
            let changed: Vec<&Path> = changed.iter().map(PathBuf::as_path).collect();
            if let Some(sources) = sources.with_changed_shards(session, &changed) {
                watched.renew_stamps(&changed);
                return Ok((snapshot, ListedSources { sources, watched: Some(watched) }));
            }
        }
        Ok((snapshot, ListedSources::new(session)?))
    }
}

/// An index that is reserved for the next request of a session. It is put back if the session ends
/// without using it.
pub(super) struct PreparedIndex {
    index: Option<OpenIndex>,
    pool: Arc<OpenIndexes>,
}

impl OpenIndexes {
    /// Returns the pool of a session's process.
    pub(super) fn of(session: &Session) -> Arc<Self> {
        session.process_cache().part()
    }

    /// Takes out the index of a folder, if it is open.
    pub(super) fn take(&self, folder: &Path) -> Option<OpenIndex> {
        let mut indexes = lock(&self.indexes);
        let at = indexes.iter().position(|index| index.folder == folder)?;
        Some(indexes.remove(at))
    }

    /// Puts an index back. Drops one that exists in memory only.
    pub(super) fn put(&self, index: OpenIndex) {
        if !index.snapshot.is_reusable() {
            return;
        }
        let mut indexes = lock(&self.indexes);
        indexes.retain(|other| other.folder != index.folder);
        if indexes.len() == MAX_OPEN {
            indexes.remove(0);
        }
        indexes.push(index);
    }
}

impl OpenIndex {
    /// Wraps an index that is up to date with `sources`.
    pub(super) fn new(
        folder: &Path,
        snapshot: Snapshot,
        watched: Option<FileWatch>,
        sources: Sources,
    ) -> Self {
        let (folder, all_problems) = (folder.to_path_buf(), OnceCell::new());
        OpenIndex { folder, snapshot, watched, sources, update_problems: vec![], all_problems }
    }

    /// Returns it with problems of bringing it up to date.
    pub(super) fn with_problems(self, update_problems: Vec<Problem>) -> Self {
        OpenIndex { update_problems, ..self }
    }

    /// Returns the index.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the problems of all files that the index was made of, each once.
    pub(crate) fn all_problems(&self) -> Result<Vec<Problem>, IndexError> {
        if let Some(problems) = self.all_problems.get() {
            return Ok(problems.clone());
        }
        let listed = [self.sources.problems.as_slice(), &self.update_problems].concat();
        let problems = self.problems_of(&listed, |_| true)?;
        Ok(self.all_problems.get_or_init(|| problems).clone())
    }

    /// Returns the problems of the log alone.
    pub(crate) fn log_problems(&self) -> Result<Vec<Problem>, IndexError> {
        self.problems_of(&self.sources.log_problems, |path| path.ends_with(".jsonl"))
    }

    fn problems_of(
        &self,
        listed: &[Problem],
        has_path: impl Fn(&str) -> bool,
    ) -> Result<Vec<Problem>, IndexError> {
        let mut problems = self.snapshot.log_problems()?;
        let sources = self.snapshot.sources()?.iter();
        let faulty = sources.filter(|(_, source)| !source.problems.is_empty());
        for (_, source) in faulty.filter(|(path, _)| has_path(path)) {
            let parsed: Vec<Problem> = serde_json::from_str(&source.problems).map_err(|_| {
                IndexError::damaged("the stored problems of a file cannot be parsed")
            })?;
            problems.extend(parsed);
        }
        problems.extend(listed.iter().cloned());
        problems.sort();
        problems.dedup();
        Ok(problems)
    }
}

impl PreparedIndex {
    /// Reserves an index for the next request.
    pub(super) fn new(session: &Session, index: OpenIndex) -> Self {
        PreparedIndex { index: Some(index), pool: OpenIndexes::of(session) }
    }

    /// Hands the index over to the request.
    pub(super) fn into_index(mut self) -> Option<OpenIndex> {
        self.index.take()
    }
}

impl Drop for PreparedIndex {
    fn drop(&mut self) {
        self.index.take().into_iter().for_each(|index| self.pool.put(index));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
