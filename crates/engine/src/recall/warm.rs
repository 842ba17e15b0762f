//! What a process keeps from one question to the next.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use heirloom_core::Problem;
use heirloom_index::{IndexError, Snapshot};
use heirloom_store::stamp::Watched;
use heirloom_store::{Config, Root, config};

use super::embedder::Shared;
use super::gather::Found;
use super::hits::unread;
use crate::Error;

/// How many workspaces' indexes, embedders and settings are kept. Of more indexes, the one that was
/// asked longest ago goes; embedders and settings are kept anew.
const MOST: usize = 8;

/// What a process keeps from one question to the next: for each workspace its settings, and its
/// index, open. Who finds that in use opens another.
#[derive(Clone, Default)]
pub struct Warm {
    /// Whether the process answers more than one question.
    is_lasting: Arc<AtomicBool>,
    indexes: Arc<Mutex<Vec<Kept>>>,
    /// Embedders that are slow to open, or why one could not be opened and when, by what they are
    /// known as.
    embedders: Arc<Mutex<HashMap<String, Opened>>>,
    /// Settings, by the workspace's folder.
    settings: Arc<Mutex<HashMap<PathBuf, Settings>>>,
}

/// An embedder, or when and why it could not be opened.
type Opened = Result<Shared, (Instant, Error)>;

/// One that could not be opened is not asked again for so long: somebody waits for each answer.
const PAUSE: Duration = Duration::from_secs(30);

/// Settings, and what would show that they were changed.
struct Settings {
    watched: Watched,
    config: Arc<Config>,
}

/// An index, and what would show that it is not as the files are any more.
pub(crate) struct Kept {
    folder: PathBuf,
    pub(super) snapshot: Snapshot,
    /// Nothing in a process that answers one question.
    pub(super) watched: Option<Watched>,
    problems: Vec<Problem>,
    log_problems: Vec<Problem>,
    all_problems: OnceCell<Vec<Problem>>,
}

impl Warm {
    /// Prepares for more than one question: what would show a change is watched from now on.
    pub fn make_lasting(&self) {
        self.is_lasting.store(true, Ordering::Relaxed);
    }

    /// Returns whether the process answers more than one question.
    pub(super) fn is_lasting(&self) -> bool {
        self.is_lasting.load(Ordering::Relaxed)
    }

    /// Takes the index of a folder out, if it is there.
    pub(super) fn take(&self, folder: &Path) -> Option<Kept> {
        let mut kept = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.folder == folder)?;
        Some(kept.remove(at))
    }

    /// Returns the settings of a workspace; they are read if they may have changed.
    pub(crate) fn config(&self, root: &Root) -> Result<Arc<Config>, Problem> {
        let mut all = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = all.get(root.path()).filter(|own| own.watched.is_same()) {
            return Ok(settings.config.clone());
        }
        let watched = Watched::new([root.join(config::PATH)]);
        let config = Arc::new(Config::load(root)?);
        if all.len() == MOST && !all.contains_key(root.path()) {
            all.clear();
        }
        all.insert(root.path().to_path_buf(), Settings { watched, config: config.clone() });
        Ok(config)
    }

    /// Returns an embedder that was opened before, or why it could not be opened a moment ago.
    pub(super) fn embedder(&self, known_as: &str) -> Option<Result<Shared, Error>> {
        let embedders = self.embedders.lock().unwrap_or_else(PoisonError::into_inner);
        match embedders.get(known_as)? {
            Ok(embedder) => Some(Ok(embedder.clone())),
            Err((at, error)) => (at.elapsed() < PAUSE).then(|| Err(error.clone())),
        }
    }

    /// Keeps an embedder, or why it could not be opened.
    pub(super) fn keep_embedder(&self, known_as: String, opened: &Result<Shared, Error>) {
        let mut embedders = self.embedders.lock().unwrap_or_else(PoisonError::into_inner);
        if embedders.len() == MOST {
            embedders.clear();
        }
        let opened = opened.clone().map_err(|error| (Instant::now(), error));
        embedders.insert(known_as, opened);
    }

    /// Puts an index back.
    pub(crate) fn put(&self, kept: Kept) {
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
        if let Some(problems) = self.all_problems.get() {
            return Ok(problems.clone());
        }
        let problems = self.problems_of(&self.problems, |_| true)?;
        Ok(self.all_problems.get_or_init(|| problems).clone())
    }

    /// Returns what of that is of the log.
    pub(super) fn log_problems(&self) -> Result<Vec<Problem>, IndexError> {
        self.problems_of(&self.log_problems, |path| path.ends_with(".jsonl"))
    }

    fn problems_of(
        &self,
        listed: &[Problem],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Problem>, IndexError> {
        let mut problems = unread(&self.snapshot, is_wanted)?;
        problems.extend(listed.iter().cloned());
        problems.sort();
        problems.dedup();
        Ok(problems)
    }

    /// Keeps an index of a folder, which was made of what was found there.
    pub(super) fn new(
        folder: &Path,
        snapshot: Snapshot,
        watched: Option<Watched>,
        found: Found,
    ) -> Self {
        let Found { problems, log_problems, .. } = found;
        let (folder, all_problems) = (folder.to_path_buf(), OnceCell::new());
        Kept { folder, snapshot, watched, problems, log_problems, all_problems }
    }
}

impl std::fmt::Debug for Warm {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Warm")
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Kept").field("folder", &self.folder).finish_non_exhaustive()
    }
}
