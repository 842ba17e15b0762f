//! The operations of Heirloom, one file each, and the table from which the command line, MCP and HTTP
//! interfaces are derived.

mod assembly;
mod client;
mod cold;
pub mod completion;
mod consolidation;
mod contradictions;
pub mod error;
mod hot;
mod import;
mod indexing;
mod link_discovery;
mod llm;
mod loading;
mod memory;
pub mod operation;
pub mod ops;
mod prediction;
mod process_cache;
mod progress;
mod recall;
pub mod session;
pub mod setup;
mod signals;
mod usage;
pub mod view;
mod watch;
mod work_session;
pub mod workspace;

pub use client::{Client, ClientModel};
pub use consolidation::is_consolidation_due;
pub use contradictions::{ScannedPair, scanned_pairs};
pub use error::{CONFIRMATION, Error, ErrorKind};
pub use operation::request::is_same_field;
pub use operation::schema;
pub use operation::{Answer, Effect, Group, Op, Operation, PrepareInline, Reply, Scope, Spec};
pub use ops::{OPS, ReviewFile};
pub use process_cache::ProcessCache;
pub use progress::{Progress, ProgressObserver};
pub use session::{RemoteModel, Session};
pub use view::View;
pub use watch::{WorkUpdate, WorkWatch};

pub use work_session::end_sessions_of_client;

pub use heirloom_core::record::RecordKind;
pub use heirloom_store::client_sessions::ClientFolders;
pub use heirloom_store::git::user_editor;
pub use heirloom_store::registry::Registry;

/// Returns the candidates that are most similar to a typed word, most similar first.
pub fn nearest(typed: &str, candidates: &[&str]) -> Vec<String> {
    heirloom_core::name::nearest(typed, candidates.iter().copied(), 5)
}

/// The path of a file with its text, or with the reason why it cannot be read.
pub type ReadFile = (String, Result<String, String>);

/// Reads a file, or all files of a folder, that the user named on the command line. A file of a folder that is not text
/// does not prevent the others from being read.
pub fn read_files(path: &std::path::Path) -> Result<Vec<ReadFile>, Error> {
    let from_url = path.to_str().and_then(heirloom_core::path::from_file_url);
    let path = from_url.as_deref().map_or(path, std::path::Path::new);
    let files = heirloom_store::files::list_user_files(path)?;
    let is_folder = files.as_slice() != [path];
    let read = |file: std::path::PathBuf| {
        let shown = file.display().to_string();
        match heirloom_store::files::read_user_file(&file) {
            Ok(text) => Ok((shown, Ok(text))),
            Err(heirloom_store::StoreError::InvalidFile(problem)) if is_folder => {
                Ok((shown, Err(problem.message)))
            }
            Err(error) => Err(error.into()),
        }
    };
    files.into_iter().map(read).collect()
}

/// Reads a document again and returns its problems.
pub fn check_document(session: &Session, path: &str) -> Vec<heirloom_core::Problem> {
    let read = heirloom_store::layout::read_document(session.root(), path);
    read.map(|(_, document)| document.problems).unwrap_or_default()
}
