//! Storage in plain files: finding the workspace and its levels, confined reads, atomic writes, and
//! dates from the git history.
//!
//! This is the only crate that accesses the files of a workspace.
#![allow(clippy::disallowed_methods, reason = "this crate is the home of file access")]

pub mod adrs;
pub mod archive;
pub mod client_sessions;
mod clone_id;
pub mod commit_history;
pub mod config;
pub mod confined;
pub mod dates;
pub mod files;
pub mod git;
mod history;
pub mod ignore_rules;
pub mod journal;
pub mod layout;
pub mod line_dates;
pub mod listings;
pub mod log;
mod o200k;
pub mod reference_documents;
pub mod registry;
mod sha256;
pub mod stamp;
pub mod state;
pub mod tokens;
pub mod transcripts;
pub mod unfollowed;
pub mod walk;

pub use config::Config;
pub use files::Root;

use heirloom_core::{Hint, Problem};

/// An error that prevents an operation as a whole. A defect of one document among many is reported
/// as a [`Problem`] in the result instead.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither the folder nor any folder above it holds a workspace.
    #[error("no Heirloom workspace in {0} or any folder above it")]
    NoWorkspace(String),
    /// The folder itself holds no workspace.
    #[error("there is no Heirloom workspace in {0}")]
    NoWorkspaceAt(String),
    /// The name is not allowed.
    #[error("`{name}` cannot be the {what}'s name: {reason}")]
    UnsafeName {
        /// The name, escaped for printing.
        name: String,
        /// The kind of thing that it names.
        what: String,
        /// Why it is not allowed.
        reason: &'static str,
    },
    /// Nothing has this name.
    #[error("there is no {what} `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The kind of thing that it names.
        what: String,
        /// Existing names that are similar.
        candidates: Vec<String>,
    },
    /// Several things match the name.
    #[error("`{name}` could be any of several {what}s")]
    Ambiguous {
        /// The name.
        name: String,
        /// The kind of thing that it names.
        what: String,
        /// The names that match.
        candidates: Vec<String>,
    },
    /// The request cannot be carried out in this workspace.
    #[error("{message}")]
    Refused {
        /// The reason.
        message: String,
        /// What the user can do instead.
        hint: Option<Hint>,
    },
    /// A file that the request needs has a defect.
    #[error("{0}")]
    InvalidFile(Problem),
    /// An I/O error.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl StoreError {
    /// Wraps an I/O error with the path of its file.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        StoreError::Io { path: path.into(), source }
    }

    /// Creates a [`StoreError::Refused`].
    pub fn refused(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        StoreError::Refused { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<Problem> for StoreError {
    fn from(problem: Problem) -> Self {
        StoreError::InvalidFile(problem)
    }
}
