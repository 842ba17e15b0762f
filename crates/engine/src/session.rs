//! A workspace opened for one request, with the time and the context of that request.

use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::day;
use heirloom_store::client_sessions::ClientFolders;
use heirloom_store::registry::Registry;
use heirloom_store::{Config, Root, git, journal};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::{Client, Error, ProcessCache, Progress};

/// How a model may be reached, as configured on this machine. Nothing of it comes from the repository,
/// because a repository is untrusted.
#[derive(Debug, Clone, Default)]
pub struct RemoteModel {
    /// The endpoint, which takes precedence over the settings.
    pub endpoint: Option<String>,
    /// The API key.
    pub key: Option<String>,
    /// The folder of a model outside the workspace.
    pub folder: Option<String>,
}

/// A workspace opened for one request.
#[derive(Debug)]
pub struct Session {
    root: Root,
    now: Timestamp,
    counts_tokens: bool,
    author: Option<String>,
    agent: Option<String>,
    client: Arc<Client>,
    client_folders: Arc<ClientFolders>,
    git_author: OnceCell<String>,
    llm: RemoteModel,
    embedder: RemoteModel,
    config: OnceCell<Arc<Config>>,
    process_cache: ProcessCache,
    /// Values that other modules prepared for the next request, by type.
    prepared: RefCell<HashMap<TypeId, Box<dyn Any + Send>>>,
    progress: Progress,
    registry: Option<Arc<Registry>>,
    program: Option<PathBuf>,
}

impl RemoteModel {
    /// Returns the endpoint to use. An endpoint that is named only by the settings is returned as an
    /// error: settings come with the repository, so a user of this machine has to confirm it.
    pub(crate) fn endpoint<'e>(
        &'e self,
        in_settings: Option<&'e str>,
    ) -> Result<Option<&'e str>, &'e str> {
        match (self.endpoint.as_deref(), in_settings) {
            (None, Some(unconfirmed)) => Err(unconfirmed),
            (confirmed, _) => Ok(confirmed),
        }
    }
}

impl Session {
    /// Opens the workspace that contains a folder.
    pub fn find(start: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::recover(Root::find(start)?, now)
    }

    /// Opens the workspace at a folder.
    pub fn open(folder: &Path, now: Timestamp) -> Result<Self, Error> {
        Self::recover(Root::open(folder)?, now)
    }

    /// Opens the workspace that contains a folder, unless that has to wait for another process.
    pub fn find_unless_busy(start: &Path, now: Timestamp) -> Option<Self> {
        Root::find(start).ok().and_then(|root| Self::unless_busy(root, now))
    }

    /// Opens the workspace at a folder, unless that has to wait for another process.
    pub fn open_unless_busy(folder: &Path, now: Timestamp) -> Option<Self> {
        Root::open(folder).ok().and_then(|root| Self::unless_busy(root, now))
    }

    fn unless_busy(root: Root, now: Timestamp) -> Option<Self> {
        (!journal::has_journal(&root)).then(|| Self::new(root, now))
    }

    /// Completes a journal that an interrupted command left behind, then opens the workspace.
    fn recover(root: Root, now: Timestamp) -> Result<Self, Error> {
        journal::recover(&root)?;
        Ok(Self::new(root, now))
    }

    fn new(root: Root, now: Timestamp) -> Self {
        Session {
            root,
            now,
            counts_tokens: true,
            author: None,
            agent: None,
            client: Arc::default(),
            client_folders: Arc::default(),
            git_author: OnceCell::new(),
            llm: RemoteModel::default(),
            embedder: RemoteModel::default(),
            config: OnceCell::new(),
            process_cache: ProcessCache::default(),
            prepared: RefCell::default(),
            progress: Progress::default(),
            registry: None,
            program: None,
        }
    }

    /// Disables token counts: loading the tokenizer takes longer than most answers, and people do not
    /// read the counts.
    #[must_use]
    pub fn without_token_counts(mut self) -> Self {
        self.counts_tokens = false;
        self
    }

    /// Sets the author of new records: an agent or a person.
    #[must_use]
    pub fn with_author(mut self, author: Option<String>) -> Self {
        self.author = author;
        self
    }

    /// Sets the path of the running program, which a scheduler of the system is to start.
    #[must_use]
    pub fn with_program(mut self, program: Option<PathBuf>) -> Self {
        self.program = program;
        self
    }

    /// Returns the path of the running program, if it is known.
    pub(crate) fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// Sets the name of the agent that makes the request.
    #[must_use]
    pub fn with_agent(mut self, agent: Option<String>) -> Self {
        self.agent = agent;
        self
    }

    /// Returns the name of the agent that makes the request, else that of its client; `None` for a person.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref().or_else(|| self.client.name())
    }

    /// Sets the program that makes the request.
    #[must_use]
    pub fn with_client(mut self, client: Arc<Client>) -> Self {
        self.client = client;
        self
    }

    /// Returns the program that makes the request.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Sets the folders in which clients keep the files of their sessions.
    #[must_use]
    pub fn with_client_folders(mut self, folders: Arc<ClientFolders>) -> Self {
        self.client_folders = folders;
        self
    }

    /// Returns the folders in which clients keep the files of their sessions.
    pub(crate) fn client_folders(&self) -> &ClientFolders {
        &self.client_folders
    }

    /// Sets how a language model may be reached.
    #[must_use]
    pub fn with_remote_llm(mut self, llm: RemoteModel) -> Self {
        self.llm = llm;
        self
    }

    /// Sets how an embedder may be reached.
    #[must_use]
    pub fn with_remote_embedder(mut self, embedder: RemoteModel) -> Self {
        self.embedder = embedder;
        self
    }

    /// Returns how an embedder may be reached.
    pub(crate) fn remote_embedder(&self) -> &RemoteModel {
        &self.embedder
    }

    /// Sets the cache that is shared by the requests of this process.
    #[must_use]
    pub fn with_process_cache(mut self, cache: ProcessCache) -> Self {
        self.process_cache = cache;
        self
    }

    /// Sets the receiver of the progress of long work.
    #[must_use]
    pub fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the registry of the workspaces on this machine.
    #[must_use]
    pub fn with_registry(mut self, registry: Option<Arc<Registry>>) -> Self {
        self.registry = registry;
        self
    }

    /// Returns the registry of the workspaces on this machine.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        self.registry.as_deref()
    }

    /// Opens another workspace with the same time, cache and options.
    pub(crate) fn open_other(&self, folder: &Path) -> Result<Self, Error> {
        let other = Self::open(folder, self.now)?;
        let other = if self.counts_tokens { other } else { other.without_token_counts() };
        Ok(other
            .with_process_cache(self.process_cache.clone())
            .with_progress(self.progress.clone())
            .with_remote_embedder(self.embedder.clone()))
    }

    /// Returns the receiver of the progress of long work.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the cache that is shared by the requests of this process.
    pub(crate) fn process_cache(&self) -> &ProcessCache {
        &self.process_cache
    }

    /// Stores a value for the next request of this session, replacing one of the same type.
    pub(crate) fn store_prepared<T: Send + 'static>(&self, value: T) {
        self.prepared.borrow_mut().insert(TypeId::of::<T>(), Box::new(value));
    }

    /// Removes and returns the value of a type that was stored for this request.
    pub(crate) fn take_prepared<T: 'static>(&self) -> Option<T> {
        let value = self.prepared.borrow_mut().remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }

    /// Returns how a language model may be reached.
    pub(crate) fn remote_llm(&self) -> &RemoteModel {
        &self.llm
    }

    /// Returns the author that was set, if any.
    pub(crate) fn explicit_author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Returns the author that was set, or else the name that git would put on a commit.
    pub fn author(&self) -> String {
        if let Some(author) = &self.author {
            return author.clone();
        }
        let from_git = || git::author(&self.root).unwrap_or_else(|| "unknown".to_owned());
        self.git_author.get_or_init(from_git).clone()
    }

    /// Returns whether answers include token counts.
    pub(crate) fn counts_tokens(&self) -> bool {
        self.counts_tokens
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the time of the request.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the day of the request, in UTC.
    pub fn today(&self) -> Date {
        day::of_timestamp(self.now)
    }

    /// Returns the settings of the workspace.
    pub fn config(&self) -> Result<&Config, Error> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let config = self.process_cache.config(&self.root)?;
        Ok(self.config.get_or_init(|| config))
    }
}
