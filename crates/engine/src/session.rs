//! One workspace at one moment, as an operation sees it.

use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use heirloom_core::day;
use heirloom_store::registry::Registry;
use heirloom_store::{Config, Root, git, journal};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::{Error, ProcessCache, Progress};

/// What the person at this machine allows of a model elsewhere; nothing of it is in the repository.
#[derive(Debug, Clone, Default)]
pub struct Remote {
    /// Where it is, in place of what the settings say.
    pub endpoint: Option<String>,
    /// The key for it.
    pub key: Option<String>,
    /// The folder of a model outside of the workspace.
    pub folder: Option<String>,
}

/// One workspace at one moment.
#[derive(Debug)]
pub struct Session {
    root: Root,
    now: Timestamp,
    counts_tokens: bool,
    author: Option<String>,
    signature: OnceCell<String>,
    llm: Remote,
    embedder: Remote,
    config: OnceCell<Arc<Config>>,
    process_cache: ProcessCache,
    /// What other modules prepared for the next request, each under a type of its own.
    prepared: RefCell<HashMap<TypeId, Box<dyn Any + Send>>>,
    progress: Progress,
    registry: Option<Arc<Registry>>,
}

impl Remote {
    /// Returns the endpoint to use. The settings come with the repository, so an endpoint that only
    /// they name is an error: it is used when the person at this machine names it too.
    pub(crate) fn endpoint<'e>(
        &'e self,
        named: Option<&'e str>,
    ) -> Result<Option<&'e str>, &'e str> {
        match (self.endpoint.as_deref(), named) {
            (None, Some(named)) => Err(named),
            (own, _) => Ok(own),
        }
    }
}

impl Session {
    /// Opens the workspace that a folder lies in.
    pub fn find(start: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::new(Root::find(start)?, now)
    }

    /// Opens the workspace at a folder.
    pub fn at(folder: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::new(Root::at(folder)?, now)
    }

    /// Opens the workspace that a folder lies in, unless one has to wait for another process.
    pub fn find_at_once(start: &Path, now: Timestamp) -> Option<Self> {
        Root::find(start).ok().and_then(|root| Self::unless_busy(root, now))
    }

    /// Opens the workspace at a folder, unless one has to wait for another process.
    pub fn at_once(folder: &Path, now: Timestamp) -> Option<Self> {
        Root::at(folder).ok().and_then(|root| Self::unless_busy(root, now))
    }

    fn unless_busy(root: Root, now: Timestamp) -> Option<Self> {
        (!journal::is_open(&root)).then(|| Self::on(root, now))
    }

    fn new(root: Root, now: Timestamp) -> Result<Self, Error> {
        journal::recover(&root)?;
        Ok(Self::on(root, now))
    }

    fn on(root: Root, now: Timestamp) -> Self {
        Session {
            root,
            now,
            counts_tokens: true,
            author: None,
            signature: OnceCell::new(),
            llm: Remote::default(),
            embedder: Remote::default(),
            config: OnceCell::new(),
            process_cache: ProcessCache::default(),
            prepared: RefCell::default(),
            progress: Progress::default(),
            registry: None,
        }
    }

    /// Leaves token counts out: loading the tokenizer costs more than most answers, and people do
    /// not read the counts.
    #[must_use]
    pub fn without_token_counts(mut self) -> Self {
        self.counts_tokens = false;
        self
    }

    /// Names who is writing: the agent or the person.
    #[must_use]
    pub fn by(mut self, author: Option<String>) -> Self {
        self.author = author;
        self
    }

    /// Says what the person at this machine allows of a language model.
    #[must_use]
    pub fn with_remote_llm(mut self, llm: Remote) -> Self {
        self.llm = llm;
        self
    }

    /// Says what the person at this machine allows of an embedder.
    #[must_use]
    pub fn with_remote_embedder(mut self, embedder: Remote) -> Self {
        self.embedder = embedder;
        self
    }

    /// Returns what is allowed of an embedder.
    pub(crate) fn remote_embedder(&self) -> &Remote {
        &self.embedder
    }

    /// Shares what the process keeps from one request to the next.
    #[must_use]
    pub fn with_process_cache(mut self, cache: ProcessCache) -> Self {
        self.process_cache = cache;
        self
    }

    /// Tells somebody how far long work has come.
    #[must_use]
    pub fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Names the workspaces that are registered on this machine.
    #[must_use]
    pub fn with_registry(mut self, registry: Option<Arc<Registry>>) -> Self {
        self.registry = registry;
        self
    }

    /// Returns the workspaces that are registered on this machine.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        self.registry.as_deref()
    }

    /// Opens another workspace of this machine at the same moment.
    pub(crate) fn other(&self, folder: &Path) -> Result<Self, Error> {
        let other = Self::at(folder, self.now)?;
        let other = if self.counts_tokens { other } else { other.without_token_counts() };
        Ok(other
            .with_process_cache(self.process_cache.clone())
            .with_progress(self.progress.clone())
            .with_remote_embedder(self.embedder.clone()))
    }

    /// Returns who is to be told how far long work has come.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns what the process keeps from one request to the next.
    pub(crate) fn process_cache(&self) -> &ProcessCache {
        &self.process_cache
    }

    /// Keeps a value for the next request of this session, in place of another of the same type.
    pub(crate) fn put<T: Send + 'static>(&self, value: T) {
        self.prepared.borrow_mut().insert(TypeId::of::<T>(), Box::new(value));
    }

    /// Takes the value of a type that was kept for this request.
    pub(crate) fn take<T: 'static>(&self) -> Option<T> {
        let value = self.prepared.borrow_mut().remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }

    /// Returns what is allowed of a language model.
    pub(crate) fn remote_llm(&self) -> &Remote {
        &self.llm
    }

    /// Returns who is writing, if somebody was named.
    pub fn named_author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Returns who is writing: as named, else as git would sign a commit.
    pub fn author(&self) -> String {
        if let Some(named) = &self.author {
            return named.clone();
        }
        let signed = || git::author(&self.root).unwrap_or_else(|| "unknown".to_owned());
        self.signature.get_or_init(signed).clone()
    }

    /// Says whether token counts are wanted.
    pub fn counts_tokens(&self) -> bool {
        self.counts_tokens
    }

    /// Returns the root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the moment.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the day.
    pub fn today(&self) -> Date {
        day::of(self.now)
    }

    /// Returns the settings.
    pub fn config(&self) -> Result<&Config, Error> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let config = self.process_cache.config(&self.root)?;
        Ok(self.config.get_or_init(|| config))
    }
}
