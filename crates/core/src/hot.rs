//! Hot memory: the rules that every conversation of every client loads.
//!
//! The files of one folder are the source. Each states a budget, and so does the whole. An item that few conversations
//! need moves to warm memory and back (`demotion`), and a link takes its place meanwhile (`demoted_link`). Each client reads
//! the rules where it looks for them: `clients` is the table of the clients, `placement` decides what to put where, and
//! `generated` recognises what was put.

pub mod budget;
pub mod clients;
pub mod demoted_link;
pub mod demotion;
pub mod generated;
pub mod item;
pub mod loaded;
pub mod placement;
pub mod reconcile;
pub mod review;
pub mod statement;
pub mod templates;

pub use budget::{Budget, Fill, Size};
pub use item::HotItem;

/// Returns whether a path leads into a folder of git or of Heirloom, which hold neither rules nor instruction files.
pub fn is_reserved(path: &str) -> bool {
    path.split('/').any(|part| part.eq_ignore_ascii_case(".git") || part == ".heirloom")
}

/// A file of hot memory: a rule, or a command of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path, relative to the root.
    pub path: String,
    /// The text.
    pub text: String,
}

impl SourceFile {
    /// Returns the name of the file without its extension.
    pub fn stem(&self) -> &str {
        crate::path::stem(&self.path)
    }
}
