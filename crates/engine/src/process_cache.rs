//! The state that a process keeps between requests.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heirloom_core::Problem;
use heirloom_store::stamp::FileWatch;
use heirloom_store::{Config, Root, config};

/// Maximum number of workspaces whose settings are cached. One more empties the cache.
const MAX_WORKSPACES: usize = 8;

/// The state that a process keeps between requests, shared by all of its sessions.
#[derive(Clone, Default)]
pub struct ProcessCache {
    is_long_lived: Arc<AtomicBool>,
    /// Settings by the folder of their workspace.
    settings: Arc<Mutex<HashMap<PathBuf, CachedSettings>>>,
    /// State of other modules, each under its own type.
    parts: Arc<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

/// Settings, and the file whose changes outdate them.
struct CachedSettings {
    watched: FileWatch,
    config: Arc<Config>,
}

impl ProcessCache {
    /// Declares that the process answers more than one request, so that it watches files for changes.
    pub fn make_long_lived(&self) {
        self.is_long_lived.store(true, Ordering::Relaxed);
    }

    /// Returns whether the process answers more than one request.
    pub(crate) fn is_long_lived(&self) -> bool {
        self.is_long_lived.load(Ordering::Relaxed)
    }

    /// Returns the settings of a workspace. They are read again if they may have changed.
    pub(crate) fn config(&self, root: &Root) -> Result<Arc<Config>, Problem> {
        let mut settings = lock(&self.settings);
        if let Some(cached) =
            settings.get(root.path()).filter(|cached| cached.watched.is_unchanged())
        {
            return Ok(cached.config.clone());
        }
        let files = [config::PATH, config::SPRINT_SETTINGS_PATH];
        let watched = FileWatch::new(files.map(|path| root.join(path)));
        let config = Arc::new(Config::load(root)?);
        if settings.len() == MAX_WORKSPACES && !settings.contains_key(root.path()) {
            settings.clear();
        }
        settings
            .insert(root.path().to_path_buf(), CachedSettings { watched, config: config.clone() });
        Ok(config)
    }

    /// Returns the state of a module, which it keeps here under its own type. It starts as the default.
    pub(crate) fn part<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut parts = lock(&self.parts);
        let part = parts.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        let part = part.clone().downcast();
        part.unwrap_or_else(|_| unreachable!("a part is stored under its own type"))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for ProcessCache {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ProcessCache")
    }
}
