//! The embedders that a process keeps open from one request to the next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use heirloom_core::embedding::Embedder;

use crate::{Error, Session};

/// Maximum number of open embedders. Beyond it, all of them are closed.
const MAX_OPEN: usize = 8;

/// How long an embedder that failed to open is not tried again, because every try delays an answer.
const RETRY_PAUSE: Duration = Duration::from_secs(30);

/// An embedder that several requests use at the same time.
pub(crate) type SharedEmbedder = Arc<dyn Embedder>;

/// Embedders that are slow to open, by their settings.
#[derive(Default)]
pub(super) struct OpenEmbedders {
    by_settings: Mutex<HashMap<String, OpenedEmbedder>>,
}

/// An embedder, or when and why it could not be opened.
type OpenedEmbedder = Result<SharedEmbedder, (Instant, Error)>;

impl OpenEmbedders {
    /// Returns the open embedders of a session's process.
    pub(super) fn of(session: &Session) -> Arc<Self> {
        session.process_cache().part()
    }

    /// Returns an open embedder, or the error if it failed to open a moment ago.
    pub(super) fn get(&self, settings: &str) -> Option<Result<SharedEmbedder, Error>> {
        match self.lock().get(settings)? {
            Ok(embedder) => Some(Ok(embedder.clone())),
            Err((at, error)) => (at.elapsed() < RETRY_PAUSE).then(|| Err(error.clone())),
        }
    }

    /// Keeps an embedder, or the error with which it failed to open.
    pub(super) fn keep(&self, settings: String, opened: &Result<SharedEmbedder, Error>) {
        let mut embedders = self.lock();
        if embedders.len() == MAX_OPEN {
            embedders.clear();
        }
        let opened = opened.clone().map_err(|error| (Instant::now(), error));
        embedders.insert(settings, opened);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenedEmbedder>> {
        self.by_settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
