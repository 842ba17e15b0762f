//! Files as truth: finding the root and the levels, reading safely, writing atomically, dating by
//! git history.
//!
//! This crate is the only one that touches the file system.
#![allow(clippy::disallowed_methods, reason = "this crate is the home of file access")]

pub mod adrs;
pub mod archive;
pub mod config;
pub mod confined;
pub mod dates;
pub mod files;
pub mod git;
mod history;
pub mod ignored;
pub mod journal;
pub mod layout;
pub mod line_dates;
pub mod listings;
pub mod log;
mod o200k;
pub mod registry;
pub mod stamp;
pub mod state;
pub mod tokens;
pub mod walk;

pub use config::Config;
pub use files::Root;

use heirloom_core::Problem;

/// Why something could not be done at all. What is wrong with one document among many is a
/// [`Problem`] in the answer instead.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no workspace here.
    #[error("no Heirloom workspace in {0} or any folder above it")]
    NoWorkspace(String),
    /// There is no workspace right here.
    #[error("there is no Heirloom workspace in {0}")]
    NoWorkspaceAt(String),
    /// A name that cannot be used.
    #[error("`{name}` cannot be the {what}'s name: {reason}")]
    UnsafeName {
        /// The name, made printable.
        name: String,
        /// What it should name.
        what: String,
        /// Why not.
        reason: &'static str,
    },
    /// A name that means nothing.
    #[error("there is no {what} `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// What it should name.
        what: String,
        /// What may have been meant.
        candidates: Vec<String>,
    },
    /// A name that means several things.
    #[error("`{name}` could be any of several {what}s")]
    Ambiguous {
        /// The name.
        name: String,
        /// What it should name.
        what: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// A request that does not fit the workspace.
    #[error("{message}")]
    Refused {
        /// Why.
        message: String,
        /// What to do instead.
        hint: Option<String>,
    },
    /// A file that stands in the way of what was asked.
    #[error("{0}")]
    Bad(Problem),
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl StoreError {
    /// Wraps what the system said of a file.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        StoreError::Io { path: path.into(), source }
    }

    /// Refuses a request.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        StoreError::Refused { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<Problem> for StoreError {
    fn from(problem: Problem) -> Self {
        StoreError::Bad(problem)
    }
}
