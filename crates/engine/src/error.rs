//! What goes wrong, as a user hears it: a kind, a message, how to mend it.

use heirloom_core::Problem;
use heirloom_store::StoreError;
use serde::Serialize;

/// What sort of failure it is; the doors turn it into an exit code or an HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request, or a file it needs, is wrong.
    BadInput,
    /// It takes something away, and nobody said yes.
    Unconfirmed,
    /// There is no such thing, or several.
    NotFound,
    /// There is no workspace.
    NoWorkspace,
    /// The system failed: disk, permission.
    System,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What sort it is.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// A longer message repeats something that was sent, and would flood whoever reads it.
const LONGEST_MESSAGE: usize = 600;

impl Error {
    /// Makes an error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: shortened(message.into()), hint: None, candidates: vec![] }
    }

    /// Says that the input is wrong.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// Says that there is no such thing.
    pub fn not_found(message: impl Into<String>, candidates: Vec<String>) -> Self {
        Error { candidates, ..Self::new(ErrorKind::NotFound, message) }
    }

    /// Says that the system failed.
    pub fn system(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::System, message)
    }

    /// Adds how to mend it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Keeps the start and the end of a long message.
fn shortened(message: String) -> String {
    let length = message.chars().count();
    if length <= LONGEST_MESSAGE {
        return message;
    }
    let start: String = message.chars().take(LONGEST_MESSAGE / 2).collect();
    let end: String = message.chars().skip(length - LONGEST_MESSAGE / 3).collect();
    format!("{start} … {end}")
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        let hint = problem.hint.clone();
        Error { hint, ..Error::bad_input(Problem { hint: None, ..problem }.to_string()) }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NoWorkspace(_) | StoreError::NoWorkspaceAt(_) => {
                Error::new(ErrorKind::NoWorkspace, message)
                    .hint("run `heir init` to set one up, or name one with --root")
            }
            StoreError::Unknown { candidates, .. } => Error::not_found(message, candidates),
            StoreError::Ambiguous { candidates, .. } => {
                Error::not_found(message, candidates).hint("type more of the name")
            }
            StoreError::UnsafeName { .. } => Error::bad_input(message),
            StoreError::Refused { hint, .. } => Error { hint, ..Error::bad_input(message) },
            StoreError::Bad(problem) => problem.into(),
            StoreError::Io { .. } => Error::system(message),
        }
    }
}
