//! What Heirloom can do: one file per operation, and the table that the doors are derived from.

mod answers;
mod archive;
pub mod catalog;
pub mod error;
pub mod formats;
pub mod inherit;
pub mod op;
pub mod ops;
mod present;
pub mod schema;
pub mod session;
pub mod setup;
pub mod view;

pub use error::{Error, ErrorKind};
pub use op::{Answer, Effect, Group, Op, Operation, Reply, Spec};
pub use ops::OPS;
pub use session::Session;
pub use view::View;

/// Returns the candidates that a typed word most likely meant, nearest first.
pub fn nearest(typed: &str, candidates: &[&str]) -> Vec<String> {
    heirloom_core::name::nearest(typed, candidates.iter().copied(), 5)
}

/// Reads one document again and returns what is wrong with it.
pub fn check_document(session: &Session, path: &str) -> Vec<heirloom_core::Problem> {
    let read = heirloom_store::layout::read_document(session.root(), path);
    read.map(|(_, document)| document.problems).unwrap_or_default()
}
