//! Memory that was read whole, or all records that pass a filter, for operations that list memories.

use std::ops::Deref;

use heirloom_core::fold::Memory;
use heirloom_core::record::{RecordKind, Referent};
use heirloom_index::{Filter, StandingFilter};
use heirloom_store::log::Log;

use super::item::MemoryItem;
use super::query::{MemoryQuery, entry_referents, is_long_log, read_documents};
use super::record_counts::{self, RecordCounts};
use super::slice::{MemorySlice, PointInTime};
use crate::{Error, Session};

/// All of memory.
#[derive(Debug)]
pub(crate) struct WholeMemory(MemorySlice);

/// All records that pass a filter, with the events that concern them.
#[derive(Debug)]
pub(crate) struct SelectedRecords(MemorySlice);

impl WholeMemory {
    /// Reads everything.
    pub(crate) fn read(session: &Session) -> Result<Self, Error> {
        let (memory, problems) = Log::read(session.root()).fold(None);
        let documents = read_documents(session)?;
        Ok(WholeMemory(MemorySlice::new(memory, documents, problems, PointInTime::default())))
    }

    /// Returns the records of a kind.
    pub(crate) fn items(&self, kind: RecordKind) -> Vec<MemoryItem> {
        self.0.items(&[kind])
    }

    /// Returns the memory as a slice.
    pub(crate) fn into_slice(self) -> MemorySlice {
        self.0
    }
}

impl SelectedRecords {
    /// Reads all records that pass a filter, at a point in time.
    pub(crate) fn read(session: &Session, filter: Filter, at: PointInTime) -> Result<Self, Error> {
        let query = MemoryQuery::new().records(StandingFilter::Everything, filter).at(at);
        query.read(session).map(SelectedRecords)
    }

    /// Reads all records at a point in time.
    pub(crate) fn read_all(session: &Session, at: PointInTime) -> Result<Self, Error> {
        let (memory, problems) = Log::read(session.root()).fold(at.as_of);
        let documents = read_documents(session)?;
        Ok(SelectedRecords(MemorySlice::new(memory, documents, problems, at)))
    }

    /// Reads all records that were superseded or archived.
    pub(crate) fn read_retired(session: &Session) -> Result<Self, Error> {
        let query = MemoryQuery::new().records(StandingFilter::Archive, Filter::default());
        query.read(session).map(SelectedRecords)
    }

    /// Reads the first active facts, section by section, and returns them with the number of all active
    /// facts. `None` if that is no quicker than reading everything.
    pub(crate) fn read_first_facts(
        session: &Session,
        limit: usize,
    ) -> Result<Option<(Self, usize)>, Error> {
        if !is_long_log(session) {
            return Ok(None);
        }
        let Ok(Some((facts, total))) = record_counts::first_facts(session, limit) else {
            return Ok(None);
        };
        let facts = MemoryQuery::new().referents_without_relations(facts).read(session)?;
        Ok(Some((SelectedRecords(facts), total)))
    }

    /// Returns the selected records of some kinds as of the point in time.
    pub(crate) fn items(&self, kinds: &[RecordKind]) -> Vec<MemoryItem> {
        self.0.items(kinds)
    }

    /// Returns the entries of memory documents that were superseded or archived.
    pub(crate) fn retired_entries(&self) -> Vec<MemoryItem> {
        self.0.retired_entries()
    }
}

/// Counts all records, and reads the memories that are related or were superseded, archived or stored
/// more than once.
pub(crate) fn read_related_with_counts(
    session: &Session,
) -> Result<(MemorySlice, RecordCounts), Error> {
    let documents = read_documents(session)?;
    let entries: Vec<Referent> = documents.documents.iter().flat_map(entry_referents).collect();
    let read_from_index = || record_counts::read_related(session, &entries).ok().flatten();
    let from_index = is_long_log(session).then(read_from_index).flatten();
    let (counts, memory, problems) = from_index.unwrap_or_else(|| {
        let (memory, problems): (Memory, _) = Log::read(session.root()).fold(None);
        (RecordCounts::of(&memory, session.today()), memory, problems)
    });
    Ok((MemorySlice::new(memory, documents, problems, PointInTime::default()), counts))
}

impl Deref for WholeMemory {
    type Target = MemorySlice;

    fn deref(&self) -> &MemorySlice {
        &self.0
    }
}

impl Deref for SelectedRecords {
    type Target = MemorySlice;

    fn deref(&self) -> &MemorySlice {
        &self.0
    }
}
