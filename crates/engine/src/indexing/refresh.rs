//! Brings the index up to date before it is used, so that no command has to be run for it.

use std::collections::BTreeMap;
use std::path::Path;

use heirloom_core::embedding::{EmbedError, Embedder};
use heirloom_core::parallel::{self, Work};
use heirloom_core::{Hint, Problem};
use heirloom_index::{Index, IndexError, IndexErrorKind, IndexFolder, Snapshot, Update, WriteLock};
use heirloom_store::Config;
use heirloom_store::config::{self, EmbedderKind};
use heirloom_store::confined::ConfinedDir;
use heirloom_store::stamp::FileWatch;

use super::open_index::{
    ListedSources, OpenIndex, OpenIndexes, OutdatedIndex, PreparedIndex, TakenIndex,
};
use super::sources::Sources;
use crate::{Error, Session};

/// Folder of derived files.
const CACHE_FOLDER: &str = ".heirloom/cache/";
/// Folder of the index.
pub(crate) const INDEX_FOLDER: &str = ".heirloom/cache/index";
/// Folder of the lexical index, which is used while the configured embedder is not available.
pub(crate) const LEXICAL_INDEX_FOLDER: &str = ".heirloom/cache/words";

/// How far the index is behind the files that it is made of.
pub(crate) enum IndexState {
    /// It is up to date.
    UpToDate,
    /// Files have changed since.
    Outdated,
    /// No usable index exists.
    Missing,
}

/// Returns how far the index is behind, without changing it.
pub(crate) fn index_state(session: &Session, embedder: &dyn Embedder) -> Result<IndexState, Error> {
    let index = index_of(session, embedder);
    let Some(snapshot) = index.open()? else { return Ok(IndexState::Missing) };
    let sources = Sources::list(session)?;
    if snapshot.purge_checksum()? != sources.purge_checksum() {
        return Ok(IndexState::Outdated);
    }
    let update = sources.read_changed(session, snapshot.sources()?)?;
    Ok(if update.is_empty() { IndexState::UpToDate } else { IndexState::Outdated })
}

/// Returns whether an index exists and is of the files as they are, as far as their sizes and times tell, without reading
/// them; with the index if it exists.
pub(crate) fn peek_index(
    session: &Session,
    embedder: &dyn Embedder,
) -> Result<(IndexState, Option<Snapshot>), Error> {
    let Some(snapshot) = index_of(session, embedder).open()? else {
        return Ok((IndexState::Missing, None));
    };
    let is_same = snapshot.checksum()? == Some(Sources::list(session)?.checksum);
    let state = if is_same { IndexState::UpToDate } else { IndexState::Outdated };
    Ok((state, Some(snapshot)))
}

/// Returns the size of an index on disk.
pub(crate) fn index_size_bytes(session: &Session, folder: &str) -> u64 {
    let items = session.root().list(folder).unwrap_or_default();
    let size = |name: &str| session.root().metadata(&format!("{folder}/{name}")).ok().flatten();
    items.iter().filter_map(|item| size(&item.name)).map(|metadata| metadata.len()).sum()
}

/// Rebuilds the index.
pub(crate) fn rebuild(session: &Session, embedder: &dyn Embedder) -> Result<OpenIndex, Error> {
    let index = index_of(session, embedder);
    let sources = Sources::list(session)?;
    let watched = sources.watch(session);
    let snapshot = rebuild_locked(session, &index, &sources, embedder)?;
    Ok(OpenIndex::new(index.folder(), snapshot, watched, sources))
}

fn rebuild_locked(
    session: &Session,
    index: &Index,
    sources: &Sources,
    embedder: &dyn Embedder,
) -> Result<Snapshot, IndexFailure> {
    let lock = index.lock()?;
    let snapshot = index.create(&lock)?;
    let update = sources.read_changed(session, snapshot.sources()?)?;
    commit(session, index, &lock, snapshot, update, embedder)
}

/// Removes the indexes of the workspace with all text in them.
pub(crate) fn discard_indexes(session: &Session) -> Result<(), Error> {
    for folder in [INDEX_FOLDER, LEXICAL_INDEX_FOLDER] {
        if session.root().is_folder(folder) {
            let index = index_in(session, folder, heirloom_embed::builtin());
            drop(OpenIndexes::of(session).take(index.folder()));
            index.discard()?;
        }
    }
    Ok(())
}

fn index_of(session: &Session, embedder: &dyn Embedder) -> Index {
    let folder = if embedder.dimensions() == 0 { LEXICAL_INDEX_FOLDER } else { INDEX_FOLDER };
    index_in(session, folder, embedder)
}

fn index_in(session: &Session, folder: &str, embedder: &dyn Embedder) -> Index {
    let root = session.root();
    let opened =
        root.open_cache(folder.trim_start_matches(CACHE_FOLDER)).map(ConfinedDir::into_handle);
    Index::new(IndexFolder::new(root.join(folder), opened), embedder)
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        let hint = hint(&error);
        Error::system(error.message).hint(hint)
    }
}

/// Returns how to fix an error of the index.
fn hint(error: &IndexError) -> Hint {
    if let Some(hint) = &error.hint {
        return hint.into();
    }
    let advice = match error.kind {
        IndexErrorKind::Damaged => {
            return Hint::default().operation("index_rebuild").then(" builds it again");
        }
        IndexErrorKind::Conflict => "another process is writing the index; try again",
        IndexErrorKind::System => "free some disk space, or check the disk",
        IndexErrorKind::Unwritable => "check the permissions of .heirloom/cache",
        IndexErrorKind::Embedder => "this is a bug; please report it",
    };
    advice.into()
}

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        Error::system(error.message).hint(error.hint)
    }
}

/// Brings the index up to date and opens it. After use, pass it to [`keep_open`].
pub(crate) fn open_up_to_date(
    session: &Session,
    embedder: &dyn Embedder,
) -> Result<OpenIndex, Error> {
    try_open_up_to_date(session, embedder).map_err(Error::from)
}

/// Does the same as [`open_up_to_date`], with an error that says whether the index, the embedder or
/// something else failed.
pub(crate) fn try_open_up_to_date(
    session: &Session,
    embedder: &dyn Embedder,
) -> Result<OpenIndex, IndexFailure> {
    if let Some(open) = session.take_prepared::<PreparedIndex>().and_then(PreparedIndex::into_index)
    {
        return Ok(open);
    }
    let index = index_of(session, embedder);
    let (snapshot, listed) = match take_open(session, &index)? {
        Some(TakenIndex::UpToDate(open)) => return Ok(open),
        Some(TakenIndex::Outdated(outdated)) => {
            let (snapshot, listed) = ListedSources::again(session, outdated)?;
            (Some(snapshot), listed)
        }
        None => {
            let (opened, listed) =
                parallel::join(Work::Long, || index.open(), || ListedSources::new(session));
            // An index that cannot be opened is opened again below, which reports the error.
            (opened.unwrap_or_default(), listed?)
        }
    };
    bring_up_to_date(session, &index, snapshot, listed, embedder)
}

/// Builds an index of all files in memory, for one request.
pub(crate) fn build_in_memory(
    session: &Session,
    embedder: &dyn Embedder,
) -> Result<OpenIndex, Error> {
    let index = index_of(session, embedder);
    let ListedSources { sources, watched } = ListedSources::new(session)?;
    let snapshot =
        index.build_in_memory(sources.read_changed(session, &BTreeMap::new())?, embedder)?;
    Ok(OpenIndex::new(index.folder(), snapshot, watched, sources))
}

/// Reports that a search is lexical only because the embedder failed.
pub(crate) fn lexical_only_problem(error: &Error) -> Problem {
    let what = format!("searching by words only, not by meaning: {}", error.message);
    let problem = Problem::in_file(config::PATH, what);
    match &error.hint {
        Some(hint) => problem.hint(hint.clone()),
        None => problem,
    }
}

/// Maximum size of changes that [`open_if_quick`] reads.
const INCREMENTAL_READ_MAX_BYTES: u64 = 200_000;

/// Opens the index up to date if that takes no time, and returns `None` otherwise. Commands that look
/// up or write single records must not wait for a model or for a new index.
pub(crate) fn open_if_quick(session: &Session) -> Result<Option<OpenIndex>, Error> {
    if session.config()?.embedder.kind != EmbedderKind::Static {
        return Ok(None);
    }
    let embedder = heirloom_embed::builtin();
    let index = index_of(session, embedder);
    let (snapshot, listed) = match take_open(session, &index)? {
        Some(TakenIndex::UpToDate(open)) => return Ok(Some(open)),
        Some(TakenIndex::Outdated(outdated)) => ListedSources::again(session, outdated)?,
        None => match index.open()? {
            Some(snapshot) => (snapshot, ListedSources::new(session)?),
            None => return Ok(None),
        },
    };
    let sources = &listed.sources;
    if !can_update(&snapshot, sources)? {
        return Ok(None);
    }
    let is_same = snapshot.checksum()? == Some(sources.checksum);
    if !is_same && sources.bytes_behind(snapshot.sources()?) >= INCREMENTAL_READ_MAX_BYTES {
        return Ok(None);
    }
    Ok(Some(bring_up_to_date(session, &index, Some(snapshot), listed, embedder)?))
}

/// Maximum size of changes of the log that are indexed on the thread that received a request.
const INLINE_UPDATE_MAX_BYTES: u64 = 16_000;

/// Reserves the index for the next request of the session, if that can be answered within milliseconds: the index is open,
/// at most a few lines were added to the log since, and the embedder is the builtin one. Returns whether it did.
pub(crate) fn reserve_index(session: &Session) -> bool {
    let is_builtin = |config: &Config| config.embedder.kind == EmbedderKind::Static;
    if !session.config().is_ok_and(is_builtin) {
        return false;
    }
    let embedder = heirloom_embed::builtin();
    let index = index_of(session, embedder);
    let open = match take_open(session, &index) {
        Ok(Some(TakenIndex::UpToDate(open))) => Some(open),
        Ok(Some(TakenIndex::Outdated(outdated))) => {
            update_without_waiting(session, &index, outdated, embedder)
        }
        Ok(None) | Err(_) => None,
    };
    let is_reserved = open.is_some();
    open.into_iter().for_each(|open| session.store_prepared(PreparedIndex::new(session, open)));
    is_reserved
}

/// Brings an open index up to date if only a few lines were added to the log, and no other process writes the index.
/// Returns `None` otherwise, or if it fails.
fn update_without_waiting(
    session: &Session,
    index: &Index,
    outdated: OutdatedIndex,
    embedder: &dyn Embedder,
) -> Option<OpenIndex> {
    let sources = &outdated.index.sources;
    let added = outdated.changed.as_deref().and_then(|paths| sources.bytes_added_to_log(paths));
    let lock = match added.is_some_and(|bytes| bytes <= INLINE_UPDATE_MAX_BYTES) {
        true => index.try_lock().ok().flatten(),
        false => None,
    };
    let Some(lock) = lock else {
        keep_open(session, outdated.index);
        return None;
    };
    let (snapshot, ListedSources { sources, watched }) =
        ListedSources::again(session, outdated).ok()?;
    if !can_update(&snapshot, &sources).ok()? || !snapshot.is_up_to_date().ok()? {
        return None;
    }
    let update = sources.read_changed(session, snapshot.sources().ok()?).ok()?;
    let snapshot = match update.is_empty() {
        true => snapshot,
        false => commit(session, index, &lock, snapshot, update, embedder).ok()?,
    };
    Some(OpenIndex::new(index.folder(), snapshot, watched, sources))
}

/// Takes the index that the process keeps open, which may be up to date with all files or not.
///
/// If no file has changed, the index is usable even if another process has written a newer version of
/// it, since that has the same content. If files have changed, only the newest version can be updated, which is loaded
/// if another process has written it.
/// An index that another process has rebuilt or truncated is not used.
fn take_open(session: &Session, index: &Index) -> Result<Option<TakenIndex>, Error> {
    let open = OpenIndexes::of(session).take(index.folder());
    let Some(open) = open else { return Ok(None) };
    let is_current = open.snapshot.is_current();
    if is_current && open.snapshot.is_truncated() {
        index.discard_truncated(open.snapshot)?;
        return Ok(None);
    }
    if !is_current || !index.owns(&open.snapshot) {
        return Ok(None);
    }
    let changed = open.watched.as_ref().map(FileWatch::changed);
    let is_unchanged = changed.as_ref().is_some_and(Vec::is_empty);
    if is_unchanged && open.snapshot.has_unchanged_segments() {
        return Ok(Some(TakenIndex::UpToDate(open)));
    }
    let to_owned = |paths: Vec<&Path>| paths.into_iter().map(Path::to_path_buf).collect();
    let changed = changed.map(to_owned);
    if open.snapshot.is_up_to_date()? {
        return Ok(Some(TakenIndex::Outdated(OutdatedIndex { index: open, changed })));
    }
    let OpenIndex { snapshot, watched, sources, .. } = open;
    Ok(index.reload(snapshot)?.map(|snapshot| {
        let index = OpenIndex::new(index.folder(), snapshot, watched, sources);
        TakenIndex::Outdated(OutdatedIndex { index, changed })
    }))
}

/// Brings an index up to date with the listed sources, or builds one. If nothing can be written, does
/// so in memory.
fn bring_up_to_date(
    session: &Session,
    index: &Index,
    snapshot: Option<Snapshot>,
    listed: ListedSources,
    embedder: &dyn Embedder,
) -> Result<OpenIndex, IndexFailure> {
    use IndexErrorKind::{Damaged, System, Unwritable};
    let ListedSources { sources, watched } = listed;
    let mut problems = Vec::new();
    let updated = match update_on_disk(session, index, snapshot, &sources, embedder, &mut problems)
    {
        Err(failed) if failed.is_damaged() => rebuild_locked(session, index, &sources, embedder),
        updated => updated,
    };
    let snapshot = match updated {
        Ok(snapshot) => snapshot,
        Err(IndexFailure::Index(error)) if matches!(error.kind, Damaged | System | Unwritable) => {
            problems.push(not_stored("the index cannot be stored, so it is built again", &error));
            let update = sources.read_changed(session, &BTreeMap::new())?;
            index.build_in_memory(update, embedder)?
        }
        Err(failed) => return Err(failed),
    };
    Ok(OpenIndex::new(index.folder(), snapshot, watched, sources).with_problems(problems))
}

/// Reports work that is repeated for every request because the index cannot be written.
fn not_stored(what: &str, error: &IndexError) -> Problem {
    Problem::in_file(INDEX_FOLDER, format!("{what} for every request: {error}")).hint(hint(error))
}

/// Keeps an index open for the next request.
pub(crate) fn keep_open(session: &Session, open: OpenIndex) {
    OpenIndexes::of(session).put(open);
}

/// Why the index on disk could not be used.
pub(crate) enum IndexFailure {
    Index(IndexError),
    Other(Error),
}

impl IndexFailure {
    /// Returns whether the index is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        matches!(self, IndexFailure::Index(error) if error.kind == IndexErrorKind::Damaged)
    }

    /// Returns whether the embedder failed.
    pub(crate) fn is_embedder_failure(&self) -> bool {
        matches!(self, IndexFailure::Index(error) if error.kind == IndexErrorKind::Embedder)
    }
}

impl From<IndexError> for IndexFailure {
    fn from(error: IndexError) -> Self {
        IndexFailure::Index(error)
    }
}

impl From<IndexFailure> for Error {
    fn from(failed: IndexFailure) -> Self {
        match failed {
            IndexFailure::Index(error) => error.into(),
            IndexFailure::Other(error) => error,
        }
    }
}

impl From<Error> for IndexFailure {
    fn from(error: Error) -> Self {
        IndexFailure::Other(error)
    }
}

/// Brings the index on disk up to date. If another process is writing it or it is read-only, the
/// changes are laid over it in memory.
fn update_on_disk(
    session: &Session,
    index: &Index,
    open: Option<Snapshot>,
    sources: &Sources,
    embedder: &dyn Embedder,
    problems: &mut Vec<Problem>,
) -> Result<Snapshot, IndexFailure> {
    let newest = match open {
        Some(snapshot) => Some(snapshot),
        None => index.open()?,
    };
    let can_update = |snapshot: &Snapshot| can_update(snapshot, sources).unwrap_or_default();
    let Some(snapshot) = newest.filter(can_update) else {
        return write_locked(session, index, &index.lock()?, sources, embedder);
    };
    if snapshot.checksum()? == Some(sources.checksum) {
        return Ok(snapshot);
    }
    let update = sources.read_changed(session, snapshot.sources()?)?;
    if update.is_empty() {
        if let Some(checksum) = update.checksum
            && let Ok(Some(lock)) = index.try_lock()
        {
            // Without it, the next process compares the files one by one again.
            drop(index.store_checksum(&lock, &snapshot, checksum));
        }
        return Ok(snapshot);
    }
    match index.try_lock() {
        Ok(None) => Ok(index.overlay_in_memory(snapshot, update, embedder)?),
        Err(error) if error.kind == IndexErrorKind::Unwritable => {
            let what = "the index cannot be updated, so changed files are read again";
            problems.push(not_stored(what, &error));
            Ok(index.overlay_in_memory(snapshot, update, embedder)?)
        }
        Err(error) => Err(error.into()),
        // No other process wrote in between, so the update still applies.
        Ok(Some(lock)) if snapshot.is_up_to_date()? => {
            commit(session, index, &lock, snapshot, update, embedder)
        }
        Ok(Some(lock)) => {
            drop(snapshot);
            write_locked(session, index, &lock, sources, embedder)
        }
    }
}

/// Returns whether an index can be updated. It must be rebuilt if records were purged since it was built, because
/// deleted rows and old segments still hold their text.
fn can_update(snapshot: &Snapshot, sources: &Sources) -> Result<bool, IndexError> {
    let has_same_purges = snapshot.purge_checksum()? == sources.purge_checksum();
    Ok(has_same_purges && !snapshot.is_worth_rebuilding())
}

/// Brings the newest index on disk up to date while holding its lock.
fn write_locked(
    session: &Session,
    index: &Index,
    lock: &WriteLock,
    sources: &Sources,
    embedder: &dyn Embedder,
) -> Result<Snapshot, IndexFailure> {
    let snapshot = match index.open()? {
        Some(snapshot) if can_update(&snapshot, sources)? => snapshot,
        _ => index.create(lock)?,
    };
    let update = sources.read_changed(session, snapshot.sources()?)?;
    if update.is_empty() && !snapshot.is_new() {
        return Ok(snapshot);
    }
    commit(session, index, lock, snapshot, update, embedder)
}

fn commit(
    session: &Session,
    index: &Index,
    lock: &WriteLock,
    snapshot: Snapshot,
    update: Update,
    embedder: &dyn Embedder,
) -> Result<Snapshot, IndexFailure> {
    let progress = |done, total| session.progress().tell(done, total);
    let snapshot = index.commit(lock, snapshot, update, embedder, &progress);
    session.progress().end();
    Ok(snapshot?)
}
