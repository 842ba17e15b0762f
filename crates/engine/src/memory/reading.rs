//! Reading what is remembered: all of it, or what is asked about. Of a long log, whoever asks about
//! something reads just that, from the index.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::fold::Memory;
use heirloom_core::memory::Notebook;
use heirloom_core::recall::origin_tie;
use heirloom_core::record::{Action, Kind};
use heirloom_core::{Problem, day};
use heirloom_index::{Filter, Shelf};
use heirloom_store::layout;
use heirloom_store::log::{self, Log};
use jiff::Timestamp;

use super::query::{self, Wanted};
use super::recollection::MemoryDocuments;
use super::tally::{self, Tally};
use super::{Recollection, When, apart};
use crate::workspace::catalog::Catalog;
use crate::workspace::documents::Notebooks;
use crate::workspace::inherit;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::{Error, Session};

impl Recollection {
    /// Reads everything.
    pub(crate) fn read(session: &Session) -> Result<Self, Error> {
        Self::read_at(session, When::default())
    }

    /// Reads what was known at a time.
    pub(crate) fn read_at(session: &Session, when: When) -> Result<Self, Error> {
        let (memory, problems) = Log::read(session.root()).fold(when.as_of);
        Ok(Self::of(memory, documents(session)?, problems, when))
    }

    /// Reads what is asked for.
    pub(crate) fn query(session: &Session, wanted: Wanted<'_>) -> Result<Self, Error> {
        Self::read_some(session, wanted)
    }

    /// Reads what typed ids may mean, what became of that and how it is related.
    pub(crate) fn named(session: &Session, typed: &[String]) -> Result<Self, Error> {
        Self::read_some(session, Wanted::typed(typed))
    }

    /// Reads the same as it was known at a time.
    pub(crate) fn named_at(session: &Session, typed: &[String], when: When) -> Result<Self, Error> {
        Self::read_some_at(session, Wanted::typed(typed), when)
    }

    /// Reads all that is related, all that was replaced, put away, or said more than once, and the
    /// entries among that.
    pub(crate) fn related(
        session: &Session,
        catalog: &Catalog,
        notebooks: Notebooks,
    ) -> Result<Self, Error> {
        let wanted = || Wanted { related: true, ..Wanted::default() };
        let (memory, problems) = log_about(session, wanted);
        let edges = memory.edges();
        let ends = edges.keys().flat_map(|(from, to, _)| [from, to]);
        let ids: BTreeSet<&str> = ends.filter_map(|name| name.strip_prefix("entry:")).collect();
        let notebooks = notebooks.holding(&ids.into_iter().collect::<Vec<_>>());
        let documents = cached_documents(session, catalog, notebooks)?;
        Ok(match is_long(session) && !documents.noted.is_empty() {
            // Of a long log, what became of the entries is still to be read.
            true => Self::beside(session, documents, wanted(), When::default()),
            false => Self::of(memory, documents, problems, When::default()),
        })
    }

    /// Reads the same, every entry, and what typed ids may mean.
    pub(crate) fn related_and_entries(
        session: &Session,
        catalog: &Catalog,
        notebooks: Notebooks,
        typed: &[String],
    ) -> Result<Self, Error> {
        let documents = cached_documents(session, catalog, notebooks.all())?;
        let wanted = Wanted { related: true, ..Wanted::typed(typed) };
        Ok(Self::beside(session, documents, wanted, When::default()))
    }

    /// Reads the same, and how much there is of everything.
    pub(crate) fn surveyed(session: &Session) -> Result<(Self, Tally), Error> {
        let documents = documents(session)?;
        let names: Vec<String> = documents.noted.iter().flat_map(entries_of).collect();
        let from_index = || tally::survey(session, &names).ok().flatten();
        let surveyed = is_long(session).then(from_index).flatten();
        let (tally, memory, problems) = surveyed.unwrap_or_else(|| {
            let (memory, problems) = Log::read(session.root()).fold(None);
            (Tally::of(&memory), memory, problems)
        });
        Ok((Self::of(memory, documents, problems, When::default()), tally))
    }

    /// Reads what has some names, what became of it and how it is related.
    pub(crate) fn of_names(session: &Session, names: Vec<String>) -> Result<Self, Error> {
        Self::read_some(session, Wanted { names, ..Wanted::default() })
    }

    /// Reads what has some names and what became of it, however many names there are.
    pub(crate) fn of_many(session: &Session, names: Vec<String>) -> Result<Self, Error> {
        if names.len() as u64 * A_NAME > log::bytes(session.root()) {
            return Self::read(session);
        }
        Self::read_some(session, Wanted { alone: names, ..Wanted::default() })
    }

    /// Reads what was taken from some origins, what became of it, and all that was recorded since a
    /// moment.
    pub(crate) fn of_origins(
        session: &Session,
        origins: impl Iterator<Item = String>,
        since: Option<Timestamp>,
    ) -> Result<Self, Error> {
        let names = origins.map(|origin| origin_tie(&origin)).collect();
        let since = since.map(day::of);
        Self::read_some(session, Wanted { names, since, ..Wanted::default() })
    }

    /// Reads what is known of entries that are about to be written to a document.
    pub(crate) fn of_new_entries(
        session: &Session,
        path: &str,
        ids: &[String],
    ) -> Result<Self, Error> {
        let names = |id: &String| [entry_ref(id), entry_ref(&apart(id, path))];
        let alone = ids.iter().flat_map(names).collect();
        Self::read_some(session, Wanted { alone, ..Wanted::default() })
    }

    /// Reads what became of the entries of all memory documents.
    pub(crate) fn of_entries(session: &Session) -> Result<Self, Error> {
        Self::read_some(session, Wanted::default())
    }

    /// Reads what is pinned, and something else.
    pub(crate) fn pinned(session: &Session, mut wanted: Wanted<'_>) -> Result<Self, Error> {
        let (local, _) = Log::read_local(session.root()).fold(None);
        wanted.names.extend(local.acted_on(Action::Pin).into_keys().map(str::to_owned));
        Self::read_some(session, wanted)
    }

    /// Reads all records of a kind and what became of them.
    pub(crate) fn of_kind(session: &Session, kind: Kind) -> Result<Self, Error> {
        Self::of_sort(session, Filter::of_records(kind.word()), When::default())
    }

    /// Reads all records of a sort and what became of them, as it was known at a time.
    pub(crate) fn of_sort(session: &Session, filter: Filter, when: When) -> Result<Self, Error> {
        let sort = Some((Shelf::Everything, filter));
        Self::read_some_at(session, Wanted { sort, ..Wanted::default() }, when)
    }

    /// Reads the first facts that stand, section by section, and how many stand in all. Nothing where
    /// that is no quicker than to read everything.
    pub(crate) fn first_facts(
        session: &Session,
        most: usize,
    ) -> Result<Option<(Self, usize)>, Error> {
        if !is_long(session) {
            return Ok(None);
        }
        let Ok(Some((names, total))) = tally::first_facts(session, most) else { return Ok(None) };
        let wanted = Wanted { alone: names, ..Wanted::default() };
        Ok(Some((Self::read_some(session, wanted)?, total)))
    }

    /// Reads all that was put away or replaced.
    pub(crate) fn archived(session: &Session) -> Result<Self, Error> {
        let sort = Some((Shelf::Archive, Filter::default()));
        Self::read_some(session, Wanted { sort, ..Wanted::default() })
    }

    fn read_some(session: &Session, wanted: Wanted<'_>) -> Result<Self, Error> {
        Self::read_some_at(session, wanted, When::default())
    }

    fn read_some_at(session: &Session, wanted: Wanted<'_>, when: When) -> Result<Self, Error> {
        Ok(Self::beside(session, documents(session)?, wanted, when))
    }

    /// Reads what the log says of memory documents and of what else is wanted.
    fn beside(
        session: &Session,
        documents: MemoryDocuments,
        mut wanted: Wanted<'_>,
        when: When,
    ) -> Self {
        let with_entries = || {
            wanted.alone.extend(documents.noted.iter().flat_map(entries_of));
            wanted
        };
        let (memory, problems) = log_about_at(session, with_entries, when.as_of);
        Self::of(memory, documents, problems, when)
    }
}

/// The names under which the log may speak of a document's entries.
fn entries_of(noted: &MemoryDocument) -> impl Iterator<Item = String> {
    let entries = noted.notebook.entries.iter();
    // What is not marked yet may have been, by an id of its document's own.
    let unmarked = entries.clone().filter(|entry| !entry.is_marked());
    let own = unmarked.map(|entry| entry_ref(&apart(&entry.id, &noted.path)));
    entries.map(|entry| entry_ref(&entry.id)).chain(own)
}

/// To look up a name takes as long as to read so many bytes of a log.
const A_NAME: u64 = 1_500;

/// A log of fewer bytes is read as quickly as its index.
const SHORT: u64 = 500_000;

/// Reads what the log says of some things, and what is wrong with it. A short log is read whole, and
/// nobody is asked what is wanted of it.
pub(crate) fn log_about<'w>(
    session: &Session,
    wanted: impl FnOnce() -> Wanted<'w>,
) -> (Memory, Vec<Problem>) {
    log_about_at(session, wanted, None)
}

/// Returns what is wrong with the log.
pub(crate) fn log_problems(session: &Session) -> Vec<Problem> {
    log_about(session, Wanted::default).1
}

/// Reads the same as it was known at a time.
fn log_about_at<'w>(
    session: &Session,
    wanted: impl FnOnce() -> Wanted<'w>,
    as_of: Option<Timestamp>,
) -> (Memory, Vec<Problem>) {
    if is_long(session)
        && let Ok(Some(some)) = query::about(session, wanted(), as_of)
    {
        return some;
    }
    // What stands in the way of the index must not stand in anybody's way.
    Log::read(session.root()).fold(as_of)
}

/// Returns whether the log is so long that the index is used to read a part of it.
pub(crate) fn is_long(session: &Session) -> bool {
    log::bytes(session.root()) >= SHORT
}

/// Takes memory documents out of the cache; reads all of their files if it cannot be read.
fn cached_documents(
    session: &Session,
    catalog: &Catalog,
    notebooks: Option<HashMap<String, Notebook>>,
) -> Result<MemoryDocuments, Error> {
    match notebooks {
        Some(notebooks) => Ok(MemoryDocuments::of_catalog(session.root(), catalog, notebooks)),
        None => documents(session),
    }
}

/// Reads every memory document.
fn documents(session: &Session) -> Result<MemoryDocuments, Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let read = layout::read_memories(session.root(), &hierarchy);
    let mut documents = MemoryDocuments::new(session.root());
    read.placed.into_iter().for_each(|placed| documents.read(placed));
    documents.problems.extend(read.problems);
    Ok(documents)
}
