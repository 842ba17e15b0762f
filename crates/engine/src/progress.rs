//! Reports the progress of long work.

use std::sync::Arc;

/// Receives the progress of long work.
pub trait ProgressObserver: Send + Sync {
    /// Reports how many of `total` steps of some work, such as `indexing`, are done.
    fn report(&self, work: &str, done: usize, total: usize);

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

    /// Reports how much of the index is made.
    pub(crate) fn tell(&self, done: usize, total: usize) {
        self.tell_of("indexing", done, total);
    }

    /// Reports how much of some work is done.
    pub(crate) fn tell_of(&self, work: &str, done: usize, total: usize) {
        if let Some(watcher) = &self.0 {
            watcher.report(work, done, total);
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
