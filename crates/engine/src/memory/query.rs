//! Reads the part of memory that a query selects. From a long log, only the needed lines are read, by
//! the index; a short log is read whole, which is as quick.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::fold::Memory;
use heirloom_core::memory::MemoryEntries;
use heirloom_core::recall::ComponentKey;
use heirloom_core::record::{EventAction, FactSection, Origin, RecordKind, Referent};
use heirloom_core::{Problem, day};
use heirloom_index::{Filter, Snapshot, StandingFilter};
use heirloom_store::layout::{self, HierarchyDocument};
use heirloom_store::log::{self, Log};
use jiff::civil::Date;

use super::slice::{MemoryDocuments, MemorySlice, PointInTime};
use super::unique_entry_id;
use crate::indexing::{keep_open, open_if_quick};
use crate::workspace::catalog::Catalog;
use crate::workspace::documents::CachedEntries;
use crate::workspace::inherit;
use crate::workspace::memory_document::MemoryDocument;
use crate::{Error, Session};

/// Minimum size of a log that is read by its index; a shorter one is read whole as quickly.
const INDEXED_LOG_MIN_BYTES: u64 = 500_000;

/// Number of bytes of the log that are read in the time of one lookup in the index.
const LOOKUP_COST_BYTES: u64 = 1_500;

/// Selects a part of memory. The entries of all memory documents, with the records that concern them,
/// are always part of it.
#[derive(Debug, Default)]
pub(crate) struct MemoryQuery {
    ids: Vec<String>,
    keys: Vec<ComponentKey<'static>>,
    keys_without_relations: Vec<ComponentKey<'static>>,
    records: Option<(StandingFilter, Filter)>,
    has_related: bool,
    has_pinned: bool,
    has_contradictions: bool,
    since: Option<Date>,
    at: PointInTime,
}

impl MemoryQuery {
    /// Selects nothing but the entries of memory documents.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the records that typed ids may stand for, and their relations.
    pub(crate) fn ids(mut self, typed: &[String]) -> Self {
        self.ids.extend_from_slice(typed);
        self
    }

    /// Adds the records that share a key, and their relations.
    pub(crate) fn keys(mut self, keys: impl IntoIterator<Item = ComponentKey<'static>>) -> Self {
        self.keys.extend(keys);
        self
    }

    /// Adds some memories, and their relations.
    pub(crate) fn referents(self, referents: impl IntoIterator<Item = Referent>) -> Self {
        self.keys(referents.into_iter().map(ComponentKey::from))
    }

    /// Adds some memories, without their relations.
    pub(crate) fn referents_without_relations(
        self,
        referents: impl IntoIterator<Item = Referent>,
    ) -> Self {
        self.keys_without_relations(referents.into_iter().map(ComponentKey::from))
    }

    /// Adds the records that share a key, without their relations.
    pub(crate) fn keys_without_relations(
        mut self,
        keys: impl IntoIterator<Item = ComponentKey<'static>>,
    ) -> Self {
        self.keys_without_relations.extend(keys);
        self
    }

    /// Adds the records with some origins, and their relations.
    pub(crate) fn origins(self, origins: impl IntoIterator<Item = Origin>) -> Self {
        self.keys(origins.into_iter().map(ComponentKey::from))
    }

    /// Adds the records that concern entries which are about to be written to a document.
    pub(crate) fn new_entries(self, path: &str, ids: &[String]) -> Self {
        let referents =
            |id: &String| [Referent::entry(id), Referent::Entry(unique_entry_id(id, path))];
        self.referents_without_relations(ids.iter().flat_map(referents).collect::<Vec<_>>())
    }

    /// Adds all records of a standing that pass a filter, without their relations.
    pub(super) fn records(mut self, standing_filter: StandingFilter, filter: Filter) -> Self {
        self.records = Some((standing_filter, filter));
        self
    }

    /// Adds all facts of the section for decisions, whatever their standing.
    pub(crate) fn decision_facts(self) -> Self {
        let mut filter = Filter::records_of_kind(RecordKind::Fact.as_str());
        filter.terms.push(("section", vec![FactSection::Decisions.title().to_owned()]));
        self.records(StandingFilter::Everything, filter)
    }

    /// Adds all relations with the memories that they connect, and all memories that were superseded,
    /// archived or stored more than once.
    pub(crate) fn related(mut self) -> Self {
        self.has_related = true;
        self
    }

    /// Adds the pinned memories.
    pub(crate) fn pinned(mut self) -> Self {
        self.has_pinned = true;
        self
    }

    /// Adds the contradictions that were found, with their memories and resolutions.
    pub(crate) fn contradictions(mut self) -> Self {
        self.has_contradictions = true;
        self
    }

    /// Adds all records since a day.
    pub(crate) fn since(mut self, day: Option<Date>) -> Self {
        self.since = day;
        self
    }

    /// Sets the point in time as of which memory is read.
    pub(crate) fn at(mut self, at: PointInTime) -> Self {
        self.at = at;
        self
    }

    /// Reads the selected part of memory.
    pub(crate) fn read(self, session: &Session) -> Result<MemorySlice, Error> {
        Ok(self.read_beside(session, read_documents(session)?))
    }

    /// Reads the selected records without the entries of memory documents.
    pub(crate) fn read_without_documents(self, session: &Session) -> MemorySlice {
        self.read_beside(session, MemoryDocuments::new(session.root()))
    }

    /// Reads the selected part, with the entries of memory documents from the cache of documents.
    pub(crate) fn read_with_cached_entries(
        self,
        session: &Session,
        catalog: &Catalog,
        cached_entries: CachedEntries,
    ) -> Result<MemorySlice, Error> {
        let documents = cached_documents(session, catalog, cached_entries.load_all())?;
        Ok(self.read_beside(session, documents))
    }

    /// Reads the selected records without the memory documents, and the problems of the log.
    pub(crate) fn read_log(self, session: &Session) -> (Memory, Vec<Problem>) {
        self.read_log_of_size(session, log::size_in_bytes(session.root()))
    }

    fn read_log_of_size(mut self, session: &Session, bytes: u64) -> (Memory, Vec<Problem>) {
        let is_long = bytes >= INDEXED_LOG_MIN_BYTES;
        if self.has_pinned && is_long {
            let (local, _) = Log::read_local(session.root()).fold(None);
            let pinned = local.targets_of(EventAction::Pin).into_keys().cloned();
            self.keys.extend(pinned.map(ComponentKey::from));
        }
        if self.has_contradictions && is_long {
            let found = Log::read_kind(session.root(), RecordKind::Contradiction).lines;
            let records = found.iter().map(|line| &line.record);
            let named = records.flat_map(|record| {
                let memories = record.referents().into_iter().cloned();
                memories.chain([Referent::Record(record.id)]).collect::<Vec<_>>()
            });
            self.keys_without_relations.extend(named.map(ComponentKey::from));
        }
        let as_of = self.at.as_of;
        let lookups = self.keys_without_relations.len() as u64;
        let is_cheaper = lookups * LOOKUP_COST_BYTES <= bytes;
        if is_long
            && is_cheaper
            && let Ok(Some(read)) = self.read_from_index(session)
        {
            return read;
        }
        // The log is the fallback for an index that cannot be used.
        Log::read(session.root()).fold(as_of)
    }

    /// Reads the selected records beside the memory documents of another hierarchy than the default one.
    pub(crate) fn read_with_documents(
        self,
        session: &Session,
        placed: impl Iterator<Item = HierarchyDocument>,
    ) -> MemorySlice {
        let mut documents = MemoryDocuments::new(session.root());
        placed.for_each(|placed| documents.add(placed));
        self.read_beside(session, documents)
    }

    /// Reads the selected records for memory documents that were read already.
    fn read_beside(mut self, session: &Session, documents: MemoryDocuments) -> MemorySlice {
        let bytes = log::size_in_bytes(session.root());
        if bytes >= INDEXED_LOG_MIN_BYTES {
            let entries = documents.documents.iter().flat_map(entry_referents);
            self.keys_without_relations.extend(entries.map(ComponentKey::from));
        }
        let at = self.at;
        let (memory, problems) = self.read_log_of_size(session, bytes);
        MemorySlice::new(memory, documents, problems, at)
    }

    /// Reads the needed lines of the log by the index. `None` if the index does not exist or is far
    /// behind the files.
    fn read_from_index(self, session: &Session) -> Result<Option<(Memory, Vec<Problem>)>, Error> {
        let Some(index) = open_if_quick(session)? else { return Ok(None) };
        let snapshot = index.snapshot();
        let (mut keys, mut keys_without_relations) = (self.keys, self.keys_without_relations);
        for typed in &self.ids {
            let ids = snapshot.ids_ending_in(typed)?.into_iter();
            keys.extend(ids.map(|id| Referent::Record(id).into()));
        }
        if let Some((standing_filter, filter)) = &self.records {
            let records = snapshot.subjects_in(*standing_filter, filter)?;
            keys_without_relations.extend(records.into_iter().map(ComponentKey::from));
        }
        if let Some(since) = self.since {
            let recent = snapshot.subjects_since(day::to_number(since))?;
            keys.extend(recent.into_iter().map(ComponentKey::from));
        }
        let as_of = self.at.as_of;
        // Lookups by key skip relations that ended since the point in time, so all relations are read.
        let is_past = as_of.is_some() && !keys.is_empty();
        let memory = match self.has_related || is_past {
            true => {
                snapshot.fold_shared_components(&[keys, keys_without_relations].concat(), as_of)?
            }
            false => {
                keys_without_relations.extend(with_relations(snapshot, keys)?);
                snapshot.fold_components_of(&keys_without_relations, as_of)?
            }
        };
        let problems = index.log_problems()?;
        keep_open(session, index);
        Ok(Some((memory, problems)))
    }
}

/// Reads the memories that are related or were superseded, archived or stored more than once, and of
/// the memory documents only those that a relation names.
pub(crate) fn read_related(
    session: &Session,
    catalog: &Catalog,
    cached_entries: CachedEntries,
) -> Result<MemorySlice, Error> {
    let (memory, problems) = MemoryQuery::new().related().read_log(session);
    let edges = memory.edges();
    let ends = edges.keys().flat_map(|(from, to, _)| [from, to]);
    let entry_ids: BTreeSet<&str> = ends.filter_map(Referent::entry_id).collect();
    let cached_entries = cached_entries.load_containing(&entry_ids.into_iter().collect::<Vec<_>>());
    let documents = cached_documents(session, catalog, cached_entries)?;
    Ok(match is_long_log(session) && !documents.documents.is_empty() {
        // From a long log, the records that concern these entries are not read yet.
        true => MemoryQuery::new().related().read_beside(session, documents),
        false => MemorySlice::new(memory, documents, problems, PointInTime::default()),
    })
}

/// Returns the problems of the log.
pub(crate) fn log_problems(session: &Session) -> Vec<Problem> {
    MemoryQuery::new().read_log(session).1
}

/// Returns whether the log is so long that parts of it are read by the index.
pub(crate) fn is_long_log(session: &Session) -> bool {
    log::size_in_bytes(session.root()) >= INDEXED_LOG_MIN_BYTES
}

/// Adds to keys the memories that are related to them. A relation may name a successor of a memory or
/// a record with the same content.
fn with_relations(
    snapshot: &Snapshot,
    keys: Vec<ComponentKey<'static>>,
) -> Result<Vec<ComponentKey<'static>>, Error> {
    let known = snapshot.fold_components_of(&keys, None)?;
    let mut memories: BTreeSet<Referent> = BTreeSet::new();
    for key in &keys {
        let ComponentKey::Referent(referent) = key else { continue };
        memories.extend(known.heads(referent));
        let aliases = referent.record_id().map(|id| known.aliases(id)).unwrap_or_default();
        memories.extend(aliases.into_iter().map(Referent::Record));
        memories.insert(referent.as_ref().clone());
    }
    let memories: Vec<Referent> = memories.into_iter().collect();
    let related = snapshot.relations_around(&memories)?;
    Ok(keys
        .into_iter()
        .chain(memories.into_iter().chain(related).map(ComponentKey::from))
        .collect())
}

/// Returns what the log may refer to the entries of a document by.
pub(super) fn entry_referents(document: &MemoryDocument) -> impl Iterator<Item = Referent> {
    let entries = document.content.entries.iter();
    // The log may refer to an entry without a written id by an id that is unique to its document.
    let unmarked = entries.clone().filter(|entry| !entry.has_stored_id());
    let unique = unmarked.map(|entry| Referent::Entry(unique_entry_id(&entry.id, &document.path)));
    entries.map(|entry| Referent::entry(&entry.id)).chain(unique)
}

/// Takes memory documents from the cache, and reads their files if the cache cannot be read.
fn cached_documents(
    session: &Session,
    catalog: &Catalog,
    cached_entries: Option<HashMap<String, MemoryEntries>>,
) -> Result<MemoryDocuments, Error> {
    match cached_entries {
        Some(cached_entries) => {
            Ok(MemoryDocuments::of_catalog(session.root(), catalog, cached_entries))
        }
        None => read_documents(session),
    }
}

/// Reads every memory document.
pub(super) fn read_documents(session: &Session) -> Result<MemoryDocuments, Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let read = layout::read_memories(session.root(), &hierarchy);
    let mut documents = MemoryDocuments::new(session.root());
    read.documents.into_iter().for_each(|placed| documents.add(placed));
    documents.problems.extend(read.problems);
    Ok(documents)
}
