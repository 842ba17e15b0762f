//! Bringing the index up to date, which is never the user's business.

use std::collections::BTreeMap;

use heirloom_core::Problem;
use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_index::{Index, IndexError, IndexErrorKind, IndexFolder, Lock, Snapshot, Update};
use heirloom_store::Config;
use heirloom_store::config::{self, EmbedderKind};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::stamp::Watched;

use super::gather::{self, Found};
use super::warm::Kept;
use crate::{Error, Session};

/// Where derived files are kept.
const CACHE: &str = ".heirloom/cache/";
/// Where the index lies.
pub(crate) const FOLDER: &str = ".heirloom/cache/index";
/// Where one lies that knows words alone, for as long as the embedder that is set cannot be had.
pub(crate) const WORDS: &str = ".heirloom/cache/words";

/// How far the index is behind the files that it is made of.
pub(crate) enum Lag {
    /// It is as they are.
    Nothing,
    /// Something has changed since.
    Something,
    /// There is none that could be used.
    Everything,
}

/// Looks how far the index is behind, and changes nothing.
pub(crate) fn lag(session: &Session, embedder: &dyn Embedder) -> Result<Lag, Error> {
    let index = index_of(session, embedder);
    let Some(snapshot) = index.open()? else { return Ok(Lag::Everything) };
    let update = Found::look(session)?.changed(session, snapshot.sources()?)?;
    Ok(if update.is_empty() { Lag::Nothing } else { Lag::Something })
}

/// Returns how many bytes an index takes on disk.
pub(crate) fn bytes(session: &Session, folder: &str) -> u64 {
    let items = session.root().list(folder).unwrap_or_default();
    let size = |name: &str| session.root().metadata(&format!("{folder}/{name}")).ok().flatten();
    items.iter().filter_map(|item| size(&item.name)).map(|metadata| metadata.len()).sum()
}

/// Makes the index anew.
pub(crate) fn rebuilt(session: &Session, embedder: &dyn Embedder) -> Result<Kept, Error> {
    let index = index_of(session, embedder);
    let found = Found::look(session)?;
    let watched = found.watched(session);
    let snapshot = anew(session, &index, &found, embedder)?;
    Ok(Kept::new(index.folder(), snapshot, watched, found))
}

fn anew(
    session: &Session,
    index: &Index,
    found: &Found,
    embedder: &dyn Embedder,
) -> Result<Snapshot, Failed> {
    let lock = index.lock()?;
    let snapshot = index.begin(&lock)?;
    let update = found.changed(session, snapshot.sources()?)?;
    committed(session, index, &lock, snapshot, update, embedder)
}

fn index_of(session: &Session, embedder: &dyn Embedder) -> Index {
    let folder = if embedder.dimensions() == 0 { WORDS } else { FOLDER };
    let root = session.root();
    let opened = root.cache(folder.trim_start_matches(CACHE)).map(ConfinedDir::into_handle);
    Index::at(IndexFolder::new(root.join(folder), opened), embedder)
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        let hint = hint(&error).to_owned();
        Error::system(error.message).hint(hint)
    }
}

/// Returns how to mend what went wrong with the index.
fn hint(error: &IndexError) -> &str {
    let usual = match error.kind {
        IndexErrorKind::Damaged => "`heir index rebuild` builds it again",
        IndexErrorKind::Moved => "another process is writing the index; try again",
        IndexErrorKind::System => "free some disk space, or check the disk",
        IndexErrorKind::Unwritable => "check the permissions of .heirloom/cache",
        IndexErrorKind::Embedder => "please report this",
    };
    error.hint.as_deref().unwrap_or(usual)
}

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        Error::system(error.message).hint(error.hint)
    }
}

/// Returns the index as it must be now: what changed since it was written is read first. What could
/// not be listed is told beside it. Whoever is done with it gives it to [`keep`].
pub(crate) fn up_to_date(session: &Session, embedder: &dyn Embedder) -> Result<Kept, Error> {
    try_up_to_date(session, embedder).map_err(Error::from)
}

/// Does the same, and tells whose fault it is if it cannot be done.
pub(super) fn try_up_to_date(session: &Session, embedder: &dyn Embedder) -> Result<Kept, Failed> {
    if let Some(kept) = session.take_held() {
        return Ok(kept);
    }
    let index = index_of(session, embedder);
    let snapshot = match warm(session, &index)? {
        Some((kept, true)) => return Ok(kept),
        warm => warm.map(|(kept, _)| kept.snapshot),
    };
    brought_up(session, &index, snapshot, Found::look(session)?, embedder)
}

/// Returns an index of all that is there, made for one question and kept nowhere.
pub(super) fn in_memory(session: &Session, embedder: &dyn Embedder) -> Result<Kept, Error> {
    let index = index_of(session, embedder);
    let found = Found::look(session)?;
    let watched = found.watched(session);
    let snapshot = index.in_memory(found.changed(session, &BTreeMap::new())?, embedder)?;
    Ok(Kept::new(index.folder(), snapshot, watched, found))
}

/// Says that words alone are looked for, and why.
pub(crate) fn only_words(error: &Error) -> Problem {
    let what = format!("words alone are looked for: {}", error.message);
    let problem = Problem::of_file(config::PATH, what);
    match &error.hint {
        Some(hint) => problem.hint(hint.clone()),
        None => problem,
    }
}

/// So many bytes are read in no time.
const LITTLE: u64 = 200_000;

/// Returns the index as it must be now, if it can be had at once: whoever wants to know of one thing,
/// perhaps to write another, must not wait for a model, or for an index to be made.
pub(crate) fn up_to_date_at_once(session: &Session) -> Result<Option<Kept>, Error> {
    if session.config()?.embedder.kind != EmbedderKind::Static {
        return Ok(None);
    }
    let embedder = heirloom_embed::builtin();
    let index = index_of(session, embedder);
    let snapshot = match warm(session, &index)? {
        Some((kept, true)) => return Ok(Some(kept)),
        Some((kept, false)) => Some(kept.snapshot),
        None => index.open()?,
    };
    let Some(snapshot) = snapshot.filter(|snapshot| !snapshot.is_worn()) else { return Ok(None) };
    let found = Found::look(session)?;
    let is_same = snapshot.checksum()? == Some(found.checksum);
    if !is_same && found.bytes_behind(snapshot.sources()?) >= LITTLE {
        return Ok(None);
    }
    Ok(Some(brought_up(session, &index, Some(snapshot), found, embedder)?))
}

/// Holds the index for the question that comes next, if that can be answered from memory: the process
/// keeps it open, nothing has changed since, and the embedder is our own. Returns whether it does.
pub(crate) fn hold_index(session: &Session) -> bool {
    let is_own = |config: &Config| config.embedder.kind == EmbedderKind::Static;
    if !session.config().is_ok_and(is_own) {
        return false;
    }
    match warm(session, &index_of(session, heirloom_embed::builtin())) {
        Ok(Some((kept, true))) => {
            session.hold(kept);
            true
        }
        Ok(Some((kept, false))) => {
            keep(session, kept);
            false
        }
        Ok(None) | Err(_) => false,
    }
}

/// The index that the process keeps open, and whether all files are as they were when it was brought
/// up to date. Where they are, whoever wrote more to it wrote the same; where they are not, one that
/// is not the newest is no use. One that was made anew by somebody takes its place in any case.
fn warm(session: &Session, index: &Index) -> Result<Option<(Kept, bool)>, Error> {
    let kept = session.warm().take(index.folder());
    let Some(kept) = kept else { return Ok(None) };
    let is_current = kept.snapshot.is_current();
    if is_current && kept.snapshot.is_cut_off() {
        index.give_up(kept.snapshot)?;
        return Ok(None);
    }
    if !is_current || !index.owns(&kept.snapshot) {
        return Ok(None);
    }
    if kept.snapshot.is_as_opened() && kept.watched.as_ref().is_some_and(Watched::is_same) {
        return Ok(Some((kept, true)));
    }
    Ok(kept.snapshot.is_newest()?.then_some((kept, false)))
}

/// Brings an index up to date with what was found, or makes one; where nothing can be written, in
/// memory alone.
fn brought_up(
    session: &Session,
    index: &Index,
    snapshot: Option<Snapshot>,
    mut found: Found,
    embedder: &dyn Embedder,
) -> Result<Kept, Failed> {
    use IndexErrorKind::{Damaged, System, Unwritable};
    let watched = found.watched(session);
    let mut told = Vec::new();
    let made = match on_disk(session, index, snapshot, &found, embedder, &mut told) {
        Err(failed) if failed.is_damage() => anew(session, index, &found, embedder),
        made => made,
    };
    let snapshot = match made {
        Ok(snapshot) => snapshot,
        Err(Failed::Index(error)) if matches!(error.kind, Damaged | System | Unwritable) => {
            told.push(not_kept("the index cannot be kept, so it is made anew", &error));
            let update = found.changed(session, &BTreeMap::new())?;
            index.in_memory(update, embedder)?
        }
        Err(failed) => return Err(failed),
    };
    found.problems.extend(told);
    Ok(Kept::new(index.folder(), snapshot, watched, found))
}

fn not_kept(what: &str, error: &IndexError) -> Problem {
    Problem::of_file(FOLDER, format!("{what} for every question: {error}")).hint(hint(error))
}

/// Keeps an index for the next question.
pub(crate) fn keep(session: &Session, kept: Kept) {
    session.warm().put(kept);
}

/// Why the index on disk could not be used.
pub(super) enum Failed {
    Index(IndexError),
    Other(Error),
}

impl Failed {
    /// Returns whether the index is not whole.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Failed::Index(error) if error.kind == IndexErrorKind::Damaged)
    }

    /// Returns whether the embedder is to blame.
    pub(super) fn is_of_embedder(&self) -> bool {
        matches!(self, Failed::Index(error) if error.kind == IndexErrorKind::Embedder)
    }
}

impl From<IndexError> for Failed {
    fn from(error: IndexError) -> Self {
        Failed::Index(error)
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Index(error) => error.into(),
            Failed::Other(error) => error,
        }
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
    warm: Option<Snapshot>,
    found: &Found,
    embedder: &dyn Embedder,
    told: &mut Vec<Problem>,
) -> Result<Snapshot, Failed> {
    let newest = match warm {
        Some(snapshot) => Some(snapshot),
        None => index.open()?,
    };
    let Some(snapshot) = newest.filter(|snapshot| !snapshot.is_worn()) else {
        return written(session, index, &index.lock()?, found, embedder);
    };
    if snapshot.checksum()? == Some(found.checksum) {
        return Ok(snapshot);
    }
    let update = found.changed(session, snapshot.sources()?)?;
    if update.is_empty() {
        if let Ok(Some(lock)) = index.try_lock() {
            note_checksum(index, &lock, &snapshot, found);
        }
        return Ok(snapshot);
    }
    match index.try_lock() {
        Ok(None) => Ok(index.overlaid(snapshot, update, embedder)?),
        Err(error) if error.kind == IndexErrorKind::Unwritable => {
            told.push(not_kept("what changed cannot be added to the index, so it is read", &error));
            Ok(index.overlaid(snapshot, update, embedder)?)
        }
        Err(error) => Err(error.into()),
        // Nobody wrote in between, so what was seen is what is to be written.
        Ok(Some(lock)) if snapshot.is_newest()? => {
            let snapshot = committed(session, index, &lock, snapshot, update, embedder)?;
            note_checksum(index, &lock, &snapshot, found);
            Ok(snapshot)
        }
        Ok(Some(lock)) => {
            drop(snapshot);
            written(session, index, &lock, found, embedder)
        }
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
    let update = found.changed(session, snapshot.sources()?)?;
    if update.is_empty() && !snapshot.is_new() {
        return Ok(snapshot);
    }
    let snapshot = committed(session, index, lock, snapshot, update, embedder)?;
    note_checksum(index, lock, &snapshot, found);
    Ok(snapshot)
}

/// Notes that the index is as the files are. Where that cannot be written, the next process compares
/// file by file.
fn note_checksum(index: &Index, lock: &Lock, snapshot: &Snapshot, found: &Found) {
    if snapshot.sources().is_ok_and(gather::is_complete) {
        drop(index.note_checksum(lock, snapshot, found.checksum));
    }
}

fn committed(
    session: &Session,
    index: &Index,
    lock: &Lock,
    snapshot: Snapshot,
    update: Update,
    embedder: &dyn Embedder,
) -> Result<Snapshot, Failed> {
    let progress = |done, total| session.progress().tell(done, total);
    let snapshot = index.commit(lock, snapshot, update, embedder, &progress);
    session.progress().end();
    Ok(snapshot?)
}
