//! One workspace at one moment, as an operation sees it.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::sync::Arc;

use heirloom_core::day;
use heirloom_store::registry::Registry;
use heirloom_store::{Config, Root, git, journal};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::recall::Kept;
use crate::{Error, Progress, Warm};

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
    warm: Warm,
    /// The index, if it is known to be as the files are.
    held: RefCell<Option<Kept>>,
    progress: Progress,
    registry: Option<Arc<Registry>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(kept) = self.take_held() {
            self.warm.put(kept);
        }
    }
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
            warm: Warm::default(),
            held: RefCell::default(),
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

    /// Shares what the process keeps from one question to the next.
    #[must_use]
    pub fn with_warm(mut self, warm: Warm) -> Self {
        self.warm = warm;
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
            .with_warm(self.warm.clone())
            .with_progress(self.progress.clone())
            .with_remote_embedder(self.embedder.clone()))
    }

    /// Returns who is to be told how far long work has come.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the index that the process keeps open.
    pub(crate) fn warm(&self) -> &Warm {
        &self.warm
    }

    /// Holds the index, which is as the files are, for the question that comes next.
    pub(crate) fn hold(&self, kept: Kept) {
        self.held.replace(Some(kept));
    }

    /// Takes the index that is held.
    pub(crate) fn take_held(&self) -> Option<Kept> {
        self.held.take()
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
        let config = self.warm.config(&self.root)?;
        Ok(self.config.get_or_init(|| config))
    }
}
