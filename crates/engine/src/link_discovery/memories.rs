//! Reads what relations may connect: active facts, episodes, entries and decision records, and the documents that they name.

use heirloom_core::adr::Status;
use heirloom_core::fold::{Item, Standing};
use heirloom_core::graph::{EdgeKind, NodeKind};
use heirloom_core::link_discovery::{KnownRelations, LinkRole, LinkableMemory, SessionWork};
use heirloom_core::memory::{EntryKind, MemoryEntry};
use heirloom_core::record::{Body, Episode, FactSection, RecordKind, Referent};
use heirloom_core::{day, path, words};

use crate::memory::{MemorySlice, WholeMemory};
use crate::workspace::catalog::{Catalog, CatalogEntry, GraphExtent};
use crate::{Error, Session};

/// All that relations may connect, with the relations that are known.
pub(super) struct Linkable {
    pub(super) memories: Vec<LinkableMemory>,
    pub(super) known: KnownRelations,
    /// Folded memory, to look up what was related or retired meanwhile.
    pub(super) slice: MemorySlice,
}

impl Linkable {
    /// Reads everything.
    pub(super) fn read(session: &Session) -> Result<Self, Error> {
        let slice = WholeMemory::read(session)?.into_slice();
        let catalog = Catalog::read(session)?;
        let mut memories: Vec<LinkableMemory> = Vec::new();
        for kind in [RecordKind::Fact, RecordKind::Episode] {
            let items = slice.memory.items(kind).filter(|item| {
                let end = item.record.valid_to;
                item.standing == Standing::Active && end.is_none_or(|end| end > session.today())
            });
            memories.extend(items.map(|item| of_record(&slice, &item)));
        }
        let active = slice.entries().filter(|(_, entry)| {
            entry.kind != EntryKind::Session
                && slice.memory.standing(&Referent::entry(&entry.id)) == Standing::Active
        });
        memories.extend(active.map(|(_, entry)| of_entry(entry)));
        memories.extend(catalog.entries.iter().filter_map(of_document));
        let known = known_relations(session, &slice, &catalog);
        Ok(Linkable { memories, known, slice })
    }
}

fn known_relations(session: &Session, slice: &MemorySlice, catalog: &Catalog) -> KnownRelations {
    let mut known = KnownRelations::default();
    for ((from, to, _), _) in slice.memory.edges() {
        known.insert(from, to);
    }
    let graph = catalog.graph(session, GraphExtent::Everything);
    let is_typed = |kind: EdgeKind, via: Option<&str>| match kind {
        EdgeKind::References => via == Some("depends_on"),
        EdgeKind::InheritsFrom | EdgeKind::Overrides | EdgeKind::Remembers => false,
        _ => true,
    };
    for edge in graph.edges.iter().filter(|edge| is_typed(edge.kind, edge.via.as_deref())) {
        known.insert(Referent::document(&edge.from), Referent::document(&edge.to));
    }
    known
}

fn of_record(slice: &MemorySlice, item: &Item<'_>) -> LinkableMemory {
    let record = item.record;
    let ids = slice.memory.aliases(item.id).into_iter().map(|id| id.to_string());
    let (role, text, work) = match &record.body {
        Body::Fact(fact) => (role_of(fact.section), record.text().into_owned(), None),
        Body::Episode(episode) => {
            (LinkRole::Episode, episode.content.clone(), Some(work_of(episode)))
        }
        _ => (LinkRole::Other, record.text().into_owned(), None),
    };
    let made_from = record.origin.as_ref().and_then(|origin| origin.decision_record());
    LinkableMemory {
        names: ids.collect(),
        title: record.title().map(str::to_owned).filter(|_| work.is_some()),
        day: Some(record.valid_from.unwrap_or_else(|| day::of_timestamp(record.at))),
        session: record.session_id().map(str::to_owned),
        artifacts: record.artifacts.clone(),
        made_from: made_from.map(str::to_owned),
        work,
        ..LinkableMemory::new(item.id.into(), role, text)
    }
}

fn role_of(section: FactSection) -> LinkRole {
    match section {
        FactSection::Decisions => LinkRole::Decision,
        FactSection::Constraints => LinkRole::Constraint,
        FactSection::KnownIssues => LinkRole::Problem,
        FactSection::Architecture
        | FactSection::Patterns
        | FactSection::Specs
        | FactSection::RecentWork => LinkRole::Other,
    }
}

fn work_of(episode: &Episode) -> SessionWork {
    SessionWork {
        files: episode.files.clone(),
        commits: episode.commits.clone(),
        stored: episode.stored.clone(),
        decisions: episode.decisions.clone(),
    }
}

fn of_entry(entry: &MemoryEntry) -> LinkableMemory {
    let role = match entry.kind {
        EntryKind::Decision => LinkRole::Decision,
        EntryKind::Blocker | EntryKind::Finding => LinkRole::Problem,
        EntryKind::Question | EntryKind::Lesson | EntryKind::Session => LinkRole::Other,
    };
    LinkableMemory {
        names: vec![entry.id.clone()],
        title: entry.title.clone(),
        day: entry.date(),
        ..LinkableMemory::new(Referent::entry(&entry.id), role, entry.full_text())
    }
}

/// Returns a decision record, or a document that texts may name. What another record replaced, and what was rejected,
/// says nothing about the present.
fn of_document(catalog_entry: &CatalogEntry) -> Option<LinkableMemory> {
    let referent = Referent::document(&catalog_entry.id);
    let file = &catalog_entry.document.path;
    let id_end = catalog_entry.id.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(adr) = &catalog_entry.adr {
        let is_current = !catalog_entry.is_replaced
            && matches!(adr.status, Status::Accepted | Status::Proposed | Status::Unknown);
        let text = if is_current { catalog_entry.document.prose.clone() } else { String::new() };
        return Some(LinkableMemory {
            name: Some(adr.id.clone()),
            names: vec![file.clone(), path::file_name(file).to_owned()],
            number: adr.number,
            title: Some(adr.title.clone()),
            day: catalog_entry.assessment.updated,
            is_current,
            ..LinkableMemory::new(referent, LinkRole::DecisionRecord, text)
        });
    }
    let is_named = matches!(catalog_entry.kind, NodeKind::Plan | NodeKind::Agent);
    is_named.then(|| LinkableMemory {
        name: Some(id_end.clone()),
        names: vec![id_end, file.clone()],
        is_current: false,
        ..LinkableMemory::new(referent, LinkRole::Document, String::new())
    })
}

/// Returns a hash of all of a memory that proposals depend on.
pub(super) fn fingerprint(memory: &LinkableMemory) -> String {
    let LinkableMemory { referent, role, title, text, session, artifacts, work, .. } = memory;
    words::short_hash(&format!(
        "{referent} {role:?} {title:?} {session:?} {artifacts:?} {work:?}\n{text}"
    ))
}
