//! Where a document is.

use heirloom_store::stamp::Stamp;

/// Where a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundDocument {
    /// The name: of the folder of a plan, or of the file in a scope.
    pub(crate) name: String,
    /// The path of the document.
    pub(crate) path: String,
    /// The stamp of the file before it was read, if every later change of the file changes it.
    pub(crate) stamp: Option<Stamp>,
}
