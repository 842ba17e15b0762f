//! Reports the progress of long work.

use std::sync::Arc;

/// Receives the progress of long work.
pub trait Watcher: Send + Sync {
    /// Reports how many of `total` steps are done.
    fn tell(&self, done: usize, total: usize);

    /// Reports that the work is finished.
    fn end(&self);
}

/// A watcher of long work, or none.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Watcher>>);

impl Progress {
    /// Reports progress to a watcher.
    pub fn to(watcher: Arc<dyn Watcher>) -> Self {
        Progress(Some(watcher))
    }

    pub(crate) fn tell(&self, done: usize, total: usize) {
        if let Some(watcher) = &self.0 {
            watcher.tell(done, total);
        }
    }

    pub(crate) fn end(&self) {
        if let Some(watcher) = &self.0 {
            watcher.end();
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Progress")
    }
}
