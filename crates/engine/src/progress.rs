//! Reports the progress of long work.

use std::sync::Arc;

/// Receives the progress of long work.
pub trait ProgressObserver: Send + Sync {
    /// Reports how many of `total` steps are done.
    fn report(&self, done: usize, total: usize);

    /// Reports that the work is finished.
    fn finish(&self);
}

/// A watcher of long work, or none.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn ProgressObserver>>);

impl Progress {
    /// Reports progress to a watcher.
    pub fn new(watcher: Arc<dyn ProgressObserver>) -> Self {
        Progress(Some(watcher))
    }

    pub(crate) fn tell(&self, done: usize, total: usize) {
        if let Some(watcher) = &self.0 {
            watcher.report(done, total);
        }
    }

    pub(crate) fn end(&self) {
        if let Some(watcher) = &self.0 {
            watcher.finish();
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Progress")
    }
}
