//! What a process keeps from one request to the next.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heirloom_core::Problem;
use heirloom_store::stamp::Watched;
use heirloom_store::{Config, Root, config};

/// How many workspaces' settings are kept; with one more, all are read again.
const MAX_WORKSPACES: usize = 8;

/// What a process keeps from one request to the next, shared by all of its sessions.
#[derive(Clone, Default)]
pub struct ProcessCache {
    is_long_lived: Arc<AtomicBool>,
    /// Settings, by the workspace's folder.
    settings: Arc<Mutex<HashMap<PathBuf, CachedSettings>>>,
    /// What other modules keep, each under a type of its own.
    parts: Arc<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

/// Settings, and what would show that they were changed.
struct CachedSettings {
    watched: Watched,
    config: Arc<Config>,
}

impl ProcessCache {
    /// Prepares for more than one request: files are watched for changes from now on.
    pub fn make_long_lived(&self) {
        self.is_long_lived.store(true, Ordering::Relaxed);
    }

    /// Returns whether the process answers more than one request.
    pub(crate) fn is_long_lived(&self) -> bool {
        self.is_long_lived.load(Ordering::Relaxed)
    }

    /// Returns the settings of a workspace; they are read if they may have changed.
    pub(crate) fn config(&self, root: &Root) -> Result<Arc<Config>, Problem> {
        let mut all = locked(&self.settings);
        if let Some(settings) = all.get(root.path()).filter(|own| own.watched.is_same()) {
            return Ok(settings.config.clone());
        }
        let watched = Watched::new([root.join(config::PATH)]);
        let config = Arc::new(Config::load(root)?);
        if all.len() == MAX_WORKSPACES && !all.contains_key(root.path()) {
            all.clear();
        }
        all.insert(root.path().to_path_buf(), CachedSettings { watched, config: config.clone() });
        Ok(config)
    }

    /// Returns what a module keeps here under a type of its own; at first, the type's default.
    pub(crate) fn part<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut parts = locked(&self.parts);
        let part = parts.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        let part = part.clone().downcast();
        part.unwrap_or_else(|_| unreachable!("a part is kept under its own type"))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for ProcessCache {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ProcessCache")
    }
}
