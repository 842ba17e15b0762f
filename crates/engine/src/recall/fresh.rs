//! Bringing the index up to date, which is never the user's business.

use std::collections::BTreeMap;

use heirloom_core::Problem;
use heirloom_core::embedding::Embedder;
use heirloom_index::{Index, IndexError, IndexErrorKind, Lock, Snapshot};

use super::gather::Found;
use crate::{Error, Session};

/// Where the index lies.
const FOLDER: &str = ".heirloom/cache/index";

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        let hint = match error.kind {
            IndexErrorKind::Damaged => "`heir index rebuild` makes it anew",
            IndexErrorKind::Moved => "another process is writing the index; try again",
            IndexErrorKind::System => "make room, or see who may write .heirloom/cache",
            IndexErrorKind::Embedder => "see [embedder] in the settings",
        };
        Error::system(error.message).hint(hint)
    }
}

/// Returns the index as it must be now: what changed since it was written is read first. What could
/// not be listed is told beside it.
pub(crate) fn up_to_date(
    session: &Session,
    embedder: &dyn Embedder,
) -> Result<(Snapshot, Vec<Problem>), Error> {
    let index = Index::at(&session.root().join(FOLDER), embedder);
    let mut found = Found::look(session)?;
    let snapshot = match on_disk(session, &index, &found, embedder) {
        Ok(snapshot) => snapshot,
        Err(Failed::Index(error)) if error.kind == IndexErrorKind::System => {
            let update = found.changed(session, &BTreeMap::new())?;
            found.problems.push(
                Problem::of_file(
                    FOLDER,
                    format!(
                        "the index cannot be kept, so it is made anew for every question: {error}"
                    ),
                )
                .hint("see who may write there, or make room"),
            );
            index.in_memory(update, embedder)?
        }
        Err(Failed::Index(error)) => return Err(error.into()),
        Err(Failed::Other(error)) => return Err(error),
    };
    Ok((snapshot, found.problems))
}

/// Why the index on disk could not be used.
enum Failed {
    Index(IndexError),
    Other(Error),
}

impl From<IndexError> for Failed {
    fn from(error: IndexError) -> Self {
        Failed::Index(error)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Other(error)
    }
}

fn on_disk(
    session: &Session,
    index: &Index,
    found: &Found,
    embedder: &dyn Embedder,
) -> Result<Snapshot, Failed> {
    let Some(snapshot) = index.open()?.filter(|snapshot| !snapshot.is_worn()) else {
        return written(session, index, &index.lock()?, found, embedder);
    };
    let update = found.changed(session, &snapshot.sources()?)?;
    if update.is_empty() {
        return Ok(snapshot);
    }
    match index.try_lock()? {
        Some(lock) => {
            drop(snapshot);
            written(session, index, &lock, found, embedder)
        }
        None => Ok(index.overlaid(snapshot, update, embedder)?),
    }
}

/// Writes what changed, as seen by the one who may write.
fn written(
    session: &Session,
    index: &Index,
    lock: &Lock,
    found: &Found,
    embedder: &dyn Embedder,
) -> Result<Snapshot, Failed> {
    let snapshot = match index.open()?.filter(|snapshot| !snapshot.is_worn()) {
        Some(snapshot) => snapshot,
        None => index.begin(lock)?,
    };
    let update = found.changed(session, &snapshot.sources()?)?;
    if update.is_empty() {
        return Ok(snapshot);
    }
    Ok(index.commit(lock, snapshot, update, embedder, &|_, _| {})?)
}
