//! What can go wrong with an index; everything can be mended by making it anew.

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct IndexError {
    /// What sort of failure it is.
    pub kind: IndexErrorKind,
    /// What happened.
    pub message: String,
    /// How to mend it, if it is known better than by the sort of failure.
    pub hint: Option<String>,
}

/// What sort of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexErrorKind {
    /// The index is not whole, or of another version: make it anew.
    Damaged,
    /// Another process changed it in between: try again.
    Moved,
    /// The disk or the system refused.
    System,
    /// Nothing can be written there.
    Unwritable,
    /// The embedder gave no vectors.
    Embedder,
}

impl IndexError {
    /// Makes one of a sort.
    pub(crate) fn new(kind: IndexErrorKind, message: impl Into<String>) -> Self {
        IndexError { kind, message: message.into(), hint: None }
    }

    /// The index is not whole.
    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        Self::new(IndexErrorKind::Damaged, message)
    }

    /// The system refused something.
    pub(crate) fn system(what: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let kind = match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => IndexErrorKind::Unwritable,
            _ => IndexErrorKind::System,
        };
        // Refused without a system error number: a link is there that is not followed.
        let is_link = error.kind() == PermissionDenied && error.raw_os_error().is_none();
        let hint = is_link.then(|| "remove the link; a folder takes its place".to_owned());
        IndexError { hint, ..Self::new(kind, format!("{what}: {error}")) }
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
            Some(DatabaseBusy | DatabaseLocked) => IndexErrorKind::Moved,
            Some(DatabaseCorrupt | NotADatabase) | Some(_) | None => IndexErrorKind::Damaged,
        };
        Self::new(kind, format!("the index: {error}"))
    }
}

impl From<heirloom_core::embedding::EmbedError> for IndexError {
    fn from(error: heirloom_core::embedding::EmbedError) -> Self {
        IndexError { hint: Some(error.hint), ..Self::new(IndexErrorKind::Embedder, error.message) }
    }
}
