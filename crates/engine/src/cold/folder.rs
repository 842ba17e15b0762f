//! Where the index of transcripts is, and which files it knows.

use heirloom_index::IndexFolder;
use heirloom_index::cold::{ColdIndex, StoredTranscript};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::transcripts::KnownFiles;

use crate::Session;

/// The folder of the index.
pub(crate) const FOLDER: &str = ".heirloom/cache/cold";

/// Its name in the folder of derived files.
const CACHE_NAME: &str = "cold";

/// Returns the index of the workspace, without opening it.
pub(super) fn index_of(session: &Session) -> ColdIndex {
    let opened = session.root().open_cache(CACHE_NAME).map(ConfinedDir::into_handle);
    let folder = IndexFolder::new(session.root().join(FOLDER), opened);
    ColdIndex::new(folder, heirloom_embed::builtin())
}

/// Returns what an index knows of the files of clients.
pub(super) fn known_files(
    stored: &[StoredTranscript],
    foreign: impl IntoIterator<Item = u64>,
) -> KnownFiles {
    KnownFiles {
        own: stored.iter().map(|stored| stored.name.clone()).collect(),
        foreign: foreign.into_iter().collect(),
    }
}
