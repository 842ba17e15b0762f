//! Errors of an index. Rebuilding the index fixes every kind except `System`.

/// An error of the index.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct IndexError {
    /// The class of the error.
    pub kind: IndexErrorKind,
    /// What happened.
    pub message: String,
    /// How to mend it, if the kind of the error does not say.
    pub hint: Option<String>,
}

/// The class of an error, which decides how a caller recovers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexErrorKind {
    /// The index is corrupt, incomplete or of another version: rebuild it.
    Damaged,
    /// Another process changed the index at the same time: try again.
    Conflict,
    /// The disk or the operating system failed.
    System,
    /// The index's folder cannot be written to.
    Unwritable,
    /// The embedder returned no vectors.
    Embedder,
}

impl IndexError {
    /// Creates an error without a hint.
    pub(crate) fn new(kind: IndexErrorKind, message: impl Into<String>) -> Self {
        IndexError { kind, message: message.into(), hint: None }
    }

    /// Creates an error of the kind `Damaged`.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(IndexErrorKind::Damaged, message)
    }

    /// Turns an I/O error on a file into an error of the index.
    pub(crate) fn system(file: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let kind = match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => IndexErrorKind::Unwritable,
            _ => IndexErrorKind::System,
        };
        // `cap_std` refuses links that lead out of the root without an error number of the system.
        let is_link = error.kind() == PermissionDenied && error.raw_os_error().is_none();
        let hint = is_link.then(|| "remove the link; a folder takes its place".to_owned());
        IndexError { hint, ..Self::new(kind, format!("{file}: {error}")) }
    }
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase,
            ReadOnly, SystemIoFailure,
        };
        let kind = match error.sqlite_error_code() {
            Some(DiskFull | SystemIoFailure) => IndexErrorKind::System,
            Some(ReadOnly | CannotOpen) => IndexErrorKind::Unwritable,
            Some(DatabaseBusy | DatabaseLocked) => IndexErrorKind::Conflict,
            Some(DatabaseCorrupt | NotADatabase) | Some(_) | None => IndexErrorKind::Damaged,
        };
        Self::new(kind, format!("the database of the index: {error}"))
    }
}

impl From<heirloom_core::embedding::EmbedError> for IndexError {
    fn from(error: heirloom_core::embedding::EmbedError) -> Self {
        IndexError { hint: Some(error.hint), ..Self::new(IndexErrorKind::Embedder, error.message) }
    }
}
