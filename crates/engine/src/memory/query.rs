//! Reading a part of memory. Of a long log, only the lines that the query needs are read, from the
//! index; a short log is read whole, which is as quick.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::fold::Memory;
use heirloom_core::memory::Notebook;
use heirloom_core::recall::origin_tie;
use heirloom_core::record::Action;
use heirloom_core::{Problem, day};
use heirloom_index::{Filter, Shelf, Snapshot};
use heirloom_store::layout;
use heirloom_store::log::{self, Log};
use jiff::civil::Date;
use uuid::Uuid;

use super::slice::{MemoryDocuments, MemorySlice, PointInTime};
use super::unique_entry_id;
use crate::indexing::{keep_open, open_if_quick};
use crate::workspace::catalog::Catalog;
use crate::workspace::documents::Notebooks;
use crate::workspace::inherit;
use crate::workspace::memory_document::{MemoryDocument, entry_ref};
use crate::{Error, Session};

/// A log of fewer bytes is read as quickly as its index.
const INDEXED_LOG_MIN_BYTES: u64 = 500_000;

/// Looking up a name in the index takes as long as reading so many bytes of the log.
const LOOKUP_COST_BYTES: u64 = 1_500;

/// Which part of memory to read. The entries of all memory documents, and what became of them, are
/// always part of it.
#[derive(Debug, Default)]
pub(crate) struct MemoryQuery {
    ids: Vec<String>,
    names: Vec<String>,
    names_without_relations: Vec<String>,
    records: Option<(Shelf, Filter)>,
    has_related: bool,
    has_pinned: bool,
    since: Option<Date>,
    at: PointInTime,
}

impl MemoryQuery {
    /// Starts with the entries of memory documents alone.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the records that typed ids may mean, and their relations.
    pub(crate) fn ids(mut self, typed: &[String]) -> Self {
        self.ids.extend_from_slice(typed);
        self
    }

    /// Adds what has some names, and its relations.
    pub(crate) fn names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names.extend(names);
        self
    }

    /// Adds what has some names, without its relations.
    pub(crate) fn names_without_relations(
        mut self,
        names: impl IntoIterator<Item = String>,
    ) -> Self {
        self.names_without_relations.extend(names);
        self
    }

    /// Adds the records that were taken from some origins, and their relations.
    pub(crate) fn origins(self, origins: impl IntoIterator<Item = String>) -> Self {
        self.names(origins.into_iter().map(|origin| origin_tie(&origin)))
    }

    /// Adds what the log says of entries that are about to be written to a document.
    pub(crate) fn new_entries(self, path: &str, ids: &[String]) -> Self {
        let names = |id: &String| [entry_ref(id), entry_ref(&unique_entry_id(id, path))];
        self.names_without_relations(ids.iter().flat_map(names).collect::<Vec<_>>())
    }

    /// Adds all records of a shelf that pass a filter, without their relations.
    pub(super) fn records(mut self, shelf: Shelf, filter: Filter) -> Self {
        self.records = Some((shelf, filter));
        self
    }

    /// Adds all relations and what they connect, and all that was superseded, archived or stored
    /// more than once.
    pub(crate) fn related(mut self) -> Self {
        self.has_related = true;
        self
    }

    /// Adds what is pinned.
    pub(crate) fn pinned(mut self) -> Self {
        self.has_pinned = true;
        self
    }

    /// Adds all that was recorded since a day.
    pub(crate) fn since(mut self, day: Option<Date>) -> Self {
        self.since = day;
        self
    }

    /// Reads memory as it was at a point in time.
    pub(crate) fn at(mut self, at: PointInTime) -> Self {
        self.at = at;
        self
    }

    /// Reads it.
    pub(crate) fn read(self, session: &Session) -> Result<MemorySlice, Error> {
        Ok(self.read_beside(session, read_documents(session)?))
    }

    /// Reads it, with the entries of memory documents taken from the cache of documents.
    pub(crate) fn read_with_cached_entries(
        self,
        session: &Session,
        catalog: &Catalog,
        notebooks: Notebooks,
    ) -> Result<MemorySlice, Error> {
        let documents = cached_documents(session, catalog, notebooks.all())?;
        Ok(self.read_beside(session, documents))
    }

    /// Reads only what the log says, and what is wrong with the log.
    pub(crate) fn read_log(mut self, session: &Session) -> (Memory, Vec<Problem>) {
        if self.has_pinned && is_long(session) {
            let (local, _) = Log::read_local(session.root()).fold(None);
            self.names.extend(local.acted_on(Action::Pin).into_keys().map(str::to_owned));
        }
        let as_of = self.at.as_of;
        let lookups = self.names_without_relations.len() as u64;
        let is_cheaper = lookups * LOOKUP_COST_BYTES <= log::bytes(session.root());
        if is_long(session)
            && is_cheaper
            && let Ok(Some(read)) = self.read_from_index(session)
        {
            return read;
        }
        // The log itself answers whenever the index cannot.
        Log::read(session.root()).fold(as_of)
    }

    fn read_beside(mut self, session: &Session, documents: MemoryDocuments) -> MemorySlice {
        if is_long(session) {
            let entries = documents.documents.iter().flat_map(entry_names);
            self.names_without_relations.extend(entries);
        }
        let at = self.at;
        let (memory, problems) = self.read_log(session);
        MemorySlice::new(memory, documents, problems, at)
    }

    /// Reads the lines that the query needs from the index. None if the index does not exist or is
    /// far behind the files.
    fn read_from_index(self, session: &Session) -> Result<Option<(Memory, Vec<Problem>)>, Error> {
        let Some(index) = open_if_quick(session)? else { return Ok(None) };
        let snapshot = index.snapshot();
        let (mut names, mut names_without_relations) = (self.names, self.names_without_relations);
        for typed in &self.ids {
            names.extend(snapshot.ids_ending_in(typed)?);
        }
        if let Some((shelf, filter)) = &self.records {
            names_without_relations.extend(snapshot.names(*shelf, filter)?);
        }
        if let Some(since) = self.since {
            names.extend(snapshot.names_since(day::number(since))?);
        }
        let as_of = self.at.as_of;
        // A relation that ended before now is found by the event that ended it.
        let is_past = as_of.is_some() && !names.is_empty();
        let memory = match self.has_related || is_past {
            true => {
                snapshot.memory_of_related(&[names, names_without_relations].concat(), as_of)?
            }
            false => {
                names_without_relations.extend(with_relations(snapshot, names)?);
                snapshot.memory_of(&names_without_relations, as_of)?
            }
        };
        let problems = index.log_problems()?;
        keep_open(session, index);
        Ok(Some((memory, problems)))
    }
}

/// Reads all that is related, all that was superseded, archived or stored more than once, and the
/// entries among that.
pub(crate) fn read_related(
    session: &Session,
    catalog: &Catalog,
    notebooks: Notebooks,
) -> Result<MemorySlice, Error> {
    let (memory, problems) = MemoryQuery::new().related().read_log(session);
    let edges = memory.edges();
    let ends = edges.keys().flat_map(|(from, to, _)| [from, to]);
    let ids: BTreeSet<&str> = ends.filter_map(|name| name.strip_prefix("entry:")).collect();
    let notebooks = notebooks.holding(&ids.into_iter().collect::<Vec<_>>());
    let documents = cached_documents(session, catalog, notebooks)?;
    Ok(match is_long(session) && !documents.documents.is_empty() {
        // Of a long log, what became of these entries is not read yet.
        true => MemoryQuery::new().related().read_beside(session, documents),
        false => MemorySlice::new(memory, documents, problems, PointInTime::default()),
    })
}

/// Returns what is wrong with the log.
pub(crate) fn log_problems(session: &Session) -> Vec<Problem> {
    MemoryQuery::new().read_log(session).1
}

/// Returns whether the log is so long that parts of it are read from the index.
pub(crate) fn is_long(session: &Session) -> bool {
    log::bytes(session.root()) >= INDEXED_LOG_MIN_BYTES
}

/// Adds to names what is related to them. A relation may name what replaced a memory, or a record
/// that says the same.
fn with_relations(snapshot: &Snapshot, names: Vec<String>) -> Result<Vec<String>, Error> {
    let known = snapshot.memory_of(&names, None)?;
    let mut all: BTreeSet<String> = BTreeSet::new();
    for name in names {
        all.extend(known.heads(&name));
        if let Ok(id) = Uuid::parse_str(&name) {
            all.extend(known.aliases(id).iter().map(Uuid::to_string));
        }
        all.insert(name);
    }
    let mut all: Vec<String> = all.into_iter().collect();
    all.extend(snapshot.relations_of(&all)?);
    Ok(all)
}

/// Returns the names under which the log may speak of a document's entries.
pub(super) fn entry_names(document: &MemoryDocument) -> impl Iterator<Item = String> {
    let entries = document.notebook.entries.iter();
    // An entry without a written id may have got one that is unique to its document.
    let unmarked = entries.clone().filter(|entry| !entry.is_marked());
    let own = unmarked.map(|entry| entry_ref(&unique_entry_id(&entry.id, &document.path)));
    entries.map(|entry| entry_ref(&entry.id)).chain(own)
}

/// Takes memory documents from the cache; reads all of their files if the cache cannot be read.
fn cached_documents(
    session: &Session,
    catalog: &Catalog,
    notebooks: Option<HashMap<String, Notebook>>,
) -> Result<MemoryDocuments, Error> {
    match notebooks {
        Some(notebooks) => Ok(MemoryDocuments::of_catalog(session.root(), catalog, notebooks)),
        None => read_documents(session),
    }
}

/// Reads every memory document.
pub(super) fn read_documents(session: &Session) -> Result<MemoryDocuments, Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let read = layout::read_memories(session.root(), &hierarchy);
    let mut documents = MemoryDocuments::new(session.root());
    read.placed.into_iter().for_each(|placed| documents.read(placed));
    documents.problems.extend(read.problems);
    Ok(documents)
}
