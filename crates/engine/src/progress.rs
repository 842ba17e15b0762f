//! How far long work has come, for whoever waits for it.

use std::sync::Arc;

/// Is told how far long work has come.
pub trait Watcher: Send + Sync {
    /// So much is done, of so much.
    fn tell(&self, done: usize, total: usize);

    /// Nothing more comes.
    fn end(&self);
}

/// Somebody who waits, or nobody.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Watcher>>);

impl Progress {
    /// Tells somebody.
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
