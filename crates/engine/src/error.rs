//! Errors as users see them: a kind, a message and a hint on how to fix the cause.

use heirloom_core::{Hint, Problem};
use heirloom_store::StoreError;
use serde::Serialize;

/// The kind of a failure; the command line maps it to an exit code, the server to an HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request, or a file that it needs, is invalid.
    BadInput,
    /// The operation removes something and was not confirmed.
    Unconfirmed,
    /// Nothing has the given name, or several things have it.
    NotFound,
    /// There is no workspace.
    NoWorkspace,
    /// The operating system failed: disk, permissions.
    System,
}

/// A failure with its message, hint and candidates.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Names that the user may have meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// The field of a request that confirms an operation which removes something.
pub const CONFIRMATION: &str = "yes";

/// Limits a message in characters, because it may repeat input of any length.
const MAX_MESSAGE_CHARS: usize = 600;

impl Error {
    /// Creates an error.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: shorten(message.into()), hint: None, candidates: vec![] }
    }

    /// Creates an error of the kind [`ErrorKind::BadInput`].
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// Creates an error of the kind [`ErrorKind::NotFound`].
    pub fn not_found(message: impl Into<String>, candidates: Vec<String>) -> Self {
        Error { candidates, ..Self::new(ErrorKind::NotFound, message) }
    }

    /// Creates an error of the kind [`ErrorKind::Unconfirmed`].
    pub fn unconfirmed(message: impl Into<String>) -> Self {
        let hint = Hint::text("confirm with ").field_set_to(CONFIRMATION, true);
        Self::new(ErrorKind::Unconfirmed, message).hint(hint)
    }

    /// Creates an error of the kind [`ErrorKind::System`].
    pub fn system(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::System, message)
    }

    /// Adds a hint on how to fix the cause.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Cuts the middle out of a message that is too long.
fn shorten(message: String) -> String {
    let length = message.chars().count();
    if length <= MAX_MESSAGE_CHARS {
        return message;
    }
    let start: String = message.chars().take(MAX_MESSAGE_CHARS / 2).collect();
    let end: String = message.chars().skip(length - MAX_MESSAGE_CHARS / 3).collect();
    format!("{start} … {end}")
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Error { hint: problem.hint.clone(), ..Error::bad_input(problem.to_string()) }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NoWorkspace(_) | StoreError::NoWorkspaceAt(_) => {
                let hint = Hint::text("run ").command("init", &[]);
                Error::new(ErrorKind::NoWorkspace, message)
                    .hint(hint.then(" to set one up, or name one with --root"))
            }
            StoreError::Unknown { candidates, .. } => Error::not_found(message, candidates),
            StoreError::Ambiguous { candidates, .. } => {
                Error::not_found(message, candidates).hint("type more of the name")
            }
            StoreError::UnsafeName { .. } => Error::bad_input(message),
            StoreError::Refused { hint, .. } => Error { hint, ..Error::bad_input(message) },
            StoreError::InvalidFile(problem) => problem.into(),
            StoreError::Io { .. } => Error::system(message),
        }
    }
}
