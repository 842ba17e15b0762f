//! The process's surroundings: the clock, the environment, the current folder. Nothing else reads
//! them.
#![allow(
    clippy::disallowed_methods,
    reason = "this module is the home of the environment and the clock"
)]

use std::path::PathBuf;

use crate::progress;
use clap::ArgMatches;
use heirloom_engine::{Error, Llm, Session, Warm};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The root of the workspace, like `--root`.
pub(crate) const ROOT: &str = "HEIRLOOM_ROOT";
/// Fixes the clock, for tests and replays.
pub(crate) const NOW: &str = "HEIRLOOM_NOW";

/// Who writes what is remembered; else as git would sign a commit.
pub(crate) const AGENT: &str = "HEIRLOOM_AGENT";

/// The key for the language model.
pub(crate) const LLM_KEY: &str = "HEIRLOOM_LLM_KEY";
/// A language model to use though it is not on this machine.
pub(crate) const LLM_ENDPOINT: &str = "HEIRLOOM_LLM_ENDPOINT";

/// The variables as the help and the manual explain them.
pub(crate) const EXPLAINED: &str = "\
Environment:
  HEIRLOOM_ROOT   the workspace's folder, like --root
  HEIRLOOM_AGENT  who writes what is remembered, else as git signs commits
  HEIRLOOM_LLM_ENDPOINT, HEIRLOOM_LLM_KEY
                  a language model that may write summaries, and its key
  HEIRLOOM_NOW    fixes the clock, such as 2026-02-22T00:00:00Z
  NO_COLOR        no colours
  VISUAL, EDITOR  the editor that `heir workspace edit` opens";

/// The process's surroundings.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// Where to look for the workspace, and whether it must be right there.
    root: Option<PathBuf>,
    fixed_now: Option<Timestamp>,
    /// What a server keeps from one question to the next.
    warm: Warm,
}

impl Environment {
    /// Reads flags and variables.
    pub(crate) fn read(matches: &ArgMatches) -> Result<Self, Error> {
        let fixed_now = match std::env::var(NOW) {
            Ok(text) if !text.is_empty() => Some(text.parse::<Timestamp>().map_err(|error| {
                Error::bad_input(format!("{NOW}={text}: {error}"))
                    .hint("write it as 2026-02-22T00:00:00Z")
            })?),
            _ => None,
        };
        let root = matches
            .get_one::<PathBuf>("root")
            .cloned()
            .or_else(|| std::env::var_os(ROOT).filter(|root| !root.is_empty()).map(PathBuf::from));
        Ok(Environment { root, fixed_now, warm: Warm::default() })
    }

    /// Returns the moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.fixed_now.unwrap_or_else(Timestamp::now)
    }

    /// Returns the day.
    pub(crate) fn today(&self) -> Date {
        self.now().to_zoned(TimeZone::UTC).date()
    }

    /// Opens the workspace.
    pub(crate) fn session(&self) -> Result<Session, Error> {
        let session = match &self.root {
            Some(root) => Session::at(root, self.now()),
            None => Session::find(&current_folder()?, self.now()),
        };
        let given = |name: &str| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        let llm = Llm { endpoint: given(LLM_ENDPOINT), key: given(LLM_KEY) };
        Ok(session?
            .by(given(AGENT))
            .with_llm(llm)
            .with_warm(self.warm.clone())
            .with_progress(progress::bar()))
    }

    /// Returns the folder that a new workspace goes to.
    pub(crate) fn folder(&self) -> Result<PathBuf, Error> {
        self.root.clone().map_or_else(current_folder, Ok)
    }

    /// Returns the editor's command.
    pub(crate) fn editor(&self) -> Option<String> {
        ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty()))
    }
}

fn current_folder() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| Error::system(format!("the current folder: {error}")))
}
