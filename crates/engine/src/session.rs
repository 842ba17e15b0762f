//! One workspace at one moment, as an operation sees it.

use std::cell::OnceCell;
use std::path::Path;

use heirloom_core::day;
use heirloom_store::{Config, Root, git, journal};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::{Error, Progress, Warm};

/// What the person at this machine allows of a language model; nothing of it is in the repository.
#[derive(Debug, Clone, Default)]
pub struct Llm {
    /// Where it is, in place of what the settings say.
    pub endpoint: Option<String>,
    /// The key for it.
    pub key: Option<String>,
}

/// One workspace at one moment.
#[derive(Debug)]
pub struct Session {
    root: Root,
    now: Timestamp,
    counts_tokens: bool,
    author: Option<String>,
    signature: OnceCell<String>,
    llm: Llm,
    config: OnceCell<Config>,
    warm: Warm,
    progress: Progress,
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

    fn new(root: Root, now: Timestamp) -> Result<Self, Error> {
        journal::recover(&root)?;
        Ok(Session {
            root,
            now,
            counts_tokens: true,
            author: None,
            signature: OnceCell::new(),
            llm: Llm::default(),
            config: OnceCell::new(),
            warm: Warm::default(),
            progress: Progress::default(),
        })
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
    pub fn with_llm(mut self, llm: Llm) -> Self {
        self.llm = llm;
        self
    }

    /// Shares an index that the process keeps open.
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

    /// Returns who is to be told how far long work has come.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the index that the process keeps open.
    pub(crate) fn warm(&self) -> &Warm {
        &self.warm
    }

    /// Returns what is allowed of a language model.
    pub(crate) fn llm(&self) -> &Llm {
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
        let signed = || git::author(self.root.path()).unwrap_or_else(|| "unknown".to_owned());
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
        let config = Config::load(&self.root)?;
        Ok(self.config.get_or_init(|| config))
    }
}
