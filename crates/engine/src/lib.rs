//! What Heirloom can do: one file per operation, and the table that the doors are derived from.

mod answers;
mod archive;
pub mod catalog;
pub mod completion;
mod documents;
pub mod error;
pub mod formats;
mod import;
pub mod inherit;
mod llm;
mod memory;
mod new_record;
pub mod op;
pub mod ops;
mod present;
mod progress;
mod recall;
mod request;
pub mod schema;
pub mod session;
pub mod setup;
mod template;
pub mod view;

pub use error::{Error, ErrorKind};
pub use op::{Answer, AtHand, Effect, Group, Op, Operation, Reply, Spec};
pub use ops::OPS;
pub use progress::{Progress, Watcher};
pub use recall::Warm;
pub use request::is_same_field;
pub use session::{Remote, Session};
pub use view::View;

pub use heirloom_store::git::user_editor;
pub use heirloom_store::registry::Registry;

/// Returns the candidates that a typed word most likely meant, nearest first.
pub fn nearest(typed: &str, candidates: &[&str]) -> Vec<String> {
    heirloom_core::name::nearest(typed, candidates.iter().copied(), 5)
}

/// Reads the files that a person named on a command line: their paths and texts.
pub fn read_given(path: &std::path::Path) -> Result<Vec<(String, String)>, Error> {
    let files = heirloom_store::files::files_given(path)?;
    let read = |file: std::path::PathBuf| {
        let text = heirloom_store::files::read_given(&file)?;
        Ok((file.display().to_string(), text))
    };
    files.into_iter().map(read).collect()
}

/// Reads one document again and returns what is wrong with it.
pub fn check_document(session: &Session, path: &str) -> Vec<heirloom_core::Problem> {
    let read = heirloom_store::layout::read_document(session.root(), path);
    read.map(|(_, document)| document.problems).unwrap_or_default()
}
