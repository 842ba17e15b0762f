//! The indexes and embedders that a process keeps open from one request to the next.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use heirloom_core::Problem;
use heirloom_index::{IndexError, Snapshot};
use heirloom_store::stamp::Watched;

use super::embedder::SharedEmbedder;
use super::sources::Sources;
use crate::{Error, Session};

/// How many indexes, and how many embedders, are kept. Of more indexes, the one that was used
/// longest ago is closed; with one more embedder, all are opened again.
const MAX_KEPT: usize = 8;

/// An embedder that could not be opened is not tried again for so long: somebody waits for each
/// answer.
const EMBEDDER_RETRY_PAUSE: Duration = Duration::from_secs(30);

/// The indexes and embedders that are open and not in use. A request takes an index out and puts it
/// back; another one that comes meanwhile opens a second.
#[derive(Default)]
pub(super) struct OpenIndexes {
    indexes: Mutex<Vec<OpenIndex>>,
    /// Embedders that are slow to open, or when and why one could not be opened, by their settings.
    embedders: Mutex<HashMap<String, OpenedEmbedder>>,
}

/// An embedder, or when and why it could not be opened.
type OpenedEmbedder = Result<SharedEmbedder, (Instant, Error)>;

/// An index, and what would show that files have changed since it was brought up to date.
pub(crate) struct OpenIndex {
    folder: PathBuf,
    pub(super) snapshot: Snapshot,
    /// None in a process that answers one request.
    pub(super) watched: Option<Watched>,
    problems: Vec<Problem>,
    log_problems: Vec<Problem>,
    all_problems: OnceCell<Vec<Problem>>,
}

/// An index that was taken out for the next request of a session. If the session ends before, it is
/// put back.
pub(super) struct PreparedIndex {
    index: Option<OpenIndex>,
    home: Arc<OpenIndexes>,
}

impl OpenIndexes {
    /// Returns those of a session's process.
    pub(super) fn of(session: &Session) -> Arc<Self> {
        session.process_cache().part()
    }

    /// Takes the index of a folder out, if it is there.
    pub(super) fn take(&self, folder: &Path) -> Option<OpenIndex> {
        let mut indexes = locked(&self.indexes);
        let at = indexes.iter().position(|index| index.folder == folder)?;
        Some(indexes.remove(at))
    }

    /// Puts an index back.
    pub(super) fn put(&self, index: OpenIndex) {
        if !index.snapshot.is_lasting() {
            return;
        }
        let mut indexes = locked(&self.indexes);
        indexes.retain(|other| other.folder != index.folder);
        if indexes.len() == MAX_KEPT {
            indexes.remove(0);
        }
        indexes.push(index);
    }

    /// Returns an embedder that was opened before, or why it could not be opened a moment ago.
    pub(super) fn embedder(&self, settings: &str) -> Option<Result<SharedEmbedder, Error>> {
        match locked(&self.embedders).get(settings)? {
            Ok(embedder) => Some(Ok(embedder.clone())),
            Err((at, error)) => (at.elapsed() < EMBEDDER_RETRY_PAUSE).then(|| Err(error.clone())),
        }
    }

    /// Keeps an embedder, or why it could not be opened.
    pub(super) fn keep_embedder(&self, settings: String, opened: &Result<SharedEmbedder, Error>) {
        let mut embedders = locked(&self.embedders);
        if embedders.len() == MAX_KEPT {
            embedders.clear();
        }
        let opened = opened.clone().map_err(|error| (Instant::now(), error));
        embedders.insert(settings, opened);
    }
}

impl OpenIndex {
    /// Takes an index of a folder that was brought up to date with some sources.
    pub(super) fn new(
        folder: &Path,
        snapshot: Snapshot,
        watched: Option<Watched>,
        sources: Sources,
    ) -> Self {
        let Sources { problems, log_problems, .. } = sources;
        let (folder, all_problems) = (folder.to_path_buf(), OnceCell::new());
        OpenIndex { folder, snapshot, watched, problems, log_problems, all_problems }
    }

    /// Returns the index.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns what could not be listed or read of the files that it was made of, each problem once.
    pub(crate) fn all_problems(&self) -> Result<Vec<Problem>, IndexError> {
        if let Some(problems) = self.all_problems.get() {
            return Ok(problems.clone());
        }
        let problems = self.problems_of(&self.problems, |_| true)?;
        Ok(self.all_problems.get_or_init(|| problems).clone())
    }

    /// Returns the problems of the log alone.
    pub(crate) fn log_problems(&self) -> Result<Vec<Problem>, IndexError> {
        self.problems_of(&self.log_problems, |path| path.ends_with(".jsonl"))
    }

    fn problems_of(
        &self,
        listed: &[Problem],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Problem>, IndexError> {
        let mut problems = self.snapshot.trouble()?;
        let sources = self.snapshot.sources()?.iter();
        let damaged = sources.filter(|(_, source)| !source.problems.is_empty());
        for (_, source) in damaged.filter(|(path, _)| is_wanted(path)) {
            let own: Vec<Problem> = serde_json::from_str(&source.problems).unwrap_or_default();
            problems.extend(own);
        }
        problems.extend(listed.iter().cloned());
        problems.sort();
        problems.dedup();
        Ok(problems)
    }
}

impl PreparedIndex {
    /// Takes an index for the next request.
    pub(super) fn new(session: &Session, index: OpenIndex) -> Self {
        PreparedIndex { index: Some(index), home: OpenIndexes::of(session) }
    }

    /// Returns the index, which the request now uses.
    pub(super) fn into_index(mut self) -> Option<OpenIndex> {
        self.index.take()
    }
}

impl Drop for PreparedIndex {
    fn drop(&mut self) {
        self.index.take().into_iter().for_each(|index| self.home.put(index));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
