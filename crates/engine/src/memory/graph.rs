//! Adds memories to the graph of documents.

use std::ops::Range;

use heirloom_core::fold::{Memory, Standing};
use heirloom_core::graph::{EdgeKind, Graph, GraphEdge, GraphNode, NodeKind};
use heirloom_core::memory::{self, MemoryEntry, MemoryFormat};
use heirloom_core::record::{Referent, Relation};
use heirloom_core::staleness::{Freshness, Staleness};
use heirloom_core::{Document, day, staleness};
use jiff::civil::Date;

use super::{MemoryItem, MemoryQuery, MemorySlice, MemoryTarget, read_related};
use crate::workspace::catalog::{Catalog, GraphExtent};
use crate::workspace::documents::CachedEntries;
use crate::workspace::memory_document::MemoryDocument;
use crate::{Error, Session};

impl MemorySlice {
    /// Returns the graph of documents with the memories that have relations: records and entries that
    /// a relation names, promoted entries and their copies, and the requested one. Private relations are
    /// left out unless `private` is set, since pictures of a graph get shared.
    pub(crate) fn build_graph(
        &self,
        session: &Session,
        catalog: &Catalog,
        extent: GraphExtent<'_>,
        requested: Option<MemoryTarget<'_>>,
        private: bool,
    ) -> Graph {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut named: Vec<Referent> = Vec::new();
        for ((from, to, relation), id) in self.memory.edges() {
            if !private && self.is_local(&id.into()) {
                continue;
            }
            edges.push(GraphEdge {
                from: node_id(self, &from),
                to: node_id(self, &to),
                kind: edge_kind(relation),
                via: None,
            });
            named.extend([from, to]);
        }
        for (_, entry) in self.entries() {
            if let Some(from) = entry.marks.get("from") {
                let (copy, original) = (Referent::entry(&entry.id), Referent::entry(from));
                edges.push(GraphEdge {
                    from: node_id(self, &copy),
                    to: node_id(self, &original),
                    kind: EdgeKind::References,
                    via: Some("promoted from".to_owned()),
                });
                named.extend([copy, original]);
            }
        }
        named.extend(requested.map(|target| self.canonical_target(target)));
        named.sort();
        named.dedup();
        let is_named = |(_, entry): &(&MemoryDocument, &MemoryEntry)| {
            named.binary_search(&Referent::entry(&entry.id)).is_ok()
        };
        let entries: Vec<(&MemoryDocument, &MemoryEntry)> =
            self.entries().filter(is_named).collect();
        self.prefetch_entry_dates(entries.iter().map(|(document, _)| *document));
        for (document, entry) in entries {
            let owner =
                catalog.find_by_path(&document.path).map(|catalog_entry| catalog_entry.id.clone());
            edges.extend(owner.map(|owner| GraphEdge {
                from: owner,
                to: node_id(self, &Referent::entry(&entry.id)),
                kind: EdgeKind::Remembers,
                via: Some(entry.name()),
            }));
            nodes.push(self.entry_node(session, document, entry));
        }
        let records = named.iter().filter_map(Referent::record_id);
        nodes.extend(records.filter_map(|id| self.record_node(session, id)));
        catalog.graph_with(session, extent, nodes, edges)
    }

    /// Reads the memories that have relations, and those that the typed name of a node may mean.
    pub(crate) fn read_around_node(
        session: &Session,
        catalog: &Catalog,
        cached_entries: CachedEntries,
        typed: &str,
    ) -> Result<Self, Error> {
        if catalog.find(typed).is_ok() {
            return read_related(session, catalog, cached_entries);
        }
        let typed = [typed.to_owned(), without_kind(typed).to_owned()];
        let query = MemoryQuery::new().related().ids(&typed);
        query.read_with_cached_entries(session, catalog, cached_entries)
    }

    /// Finds a node by its id, or by any name of a document or a memory.
    pub(crate) fn find_node<'r>(
        &'r self,
        catalog: &Catalog,
        typed: &str,
    ) -> Result<(String, Option<MemoryTarget<'r>>), Error> {
        let document = catalog.find(typed);
        match (document, self.find(typed).or_else(|_| self.find(without_kind(typed)))) {
            (Ok(catalog_entry), _) => Ok((catalog_entry.id.clone(), None)),
            (Err(_), Ok(target)) => {
                Ok((node_id(self, &self.canonical_target(target)), Some(target)))
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Returns what relations refer to a memory by.
    fn canonical_target(&self, target: MemoryTarget<'_>) -> Referent {
        self.memory.canonical(&target.referent())
    }

    fn record_node(&self, session: &Session, id: uuid::Uuid) -> Option<GraphNode> {
        let item = self.memory.item(id)?;
        let standing = MemoryItem::of_record(&self.memory, &item).on(session.today()).standing;
        let age = judge(session, Some(day::of_timestamp(item.record.at)));
        Some(GraphNode {
            id: node_id(self, &item.id.into()),
            kind: NodeKind::Record(item.record.kind()),
            title: item.record.text().into_owned(),
            path: item.place.path.to_string(),
            status: (standing != Standing::Active).then(|| standing.as_str().to_owned()),
            staleness: match standing {
                Standing::Expired => Freshness::Critical,
                _ => age.status,
            },
            days_old: age.days_old,
        })
    }

    fn entry_node(
        &self,
        session: &Session,
        document: &MemoryDocument,
        entry: &MemoryEntry,
    ) -> GraphNode {
        let age = judge(session, document.date_of(entry));
        let status = match self.memory.standing(&Referent::entry(&entry.id)) {
            Standing::Active => entry.resolved.then(|| "resolved".to_owned()),
            standing => Some(standing.as_str().to_owned()),
        };
        GraphNode {
            id: node_id(self, &Referent::entry(&entry.id)),
            kind: NodeKind::Entry,
            title: entry.full_text(),
            path: document.path.clone(),
            status,
            staleness: age.status,
            days_old: age.days_old,
        }
    }
}

/// Returns the staleness of a date by the thresholds in the settings.
fn judge(session: &Session, date: Option<Date>) -> Staleness {
    // Reading the documents reports settings that cannot be read.
    let thresholds = session.config().map(|config| config.staleness).unwrap_or_default();
    staleness::evaluate(date, session.today(), None, &thresholds)
}

/// Removes the kind that may precede the id of a node, as in `fact/ID`.
fn without_kind(typed: &str) -> &str {
    typed.rsplit('/').next().unwrap_or(typed)
}

/// Returns the id that a referent has in the graph.
fn node_id(known: &MemorySlice, referent: &Referent) -> String {
    match referent {
        Referent::Document(id) => id.clone(),
        Referent::Entry(id) => format!("entry/{id}"),
        Referent::Record(id) => {
            let kind = known.memory.record(*id).map_or("record", |record| record.kind().as_str());
            format!("{kind}/{id}")
        }
        Referent::Unknown(text) => format!("record/{text}"),
    }
}

fn edge_kind(relation: Relation) -> EdgeKind {
    match relation {
        Relation::DependsOn => EdgeKind::DependsOn,
        Relation::Contradicts => EdgeKind::Contradicts,
        Relation::Enables => EdgeKind::Enables,
        Relation::Replaces => EdgeKind::Replaces,
        Relation::MotivatedBy => EdgeKind::MotivatedBy,
    }
}

/// Returns the prose of a memory document without superseded and archived entries and without marker
/// comments, because an agent needs neither.
pub(crate) fn active_prose(
    known: &Memory,
    format: MemoryFormat,
    document: &Document,
    text: &str,
) -> String {
    let Some(head) = text.strip_suffix(document.prose.as_str()) else {
        return document.prose.clone();
    };
    let start = head.len();
    let content = memory::read_as(format, &document.path, text);
    let is_retired =
        |entry: &&MemoryEntry| known.standing(&Referent::entry(&entry.id)) != Standing::Active;
    let retired = content.entries.iter().filter(is_retired).map(|entry| entry.bytes.clone());
    let mut cuts: Vec<Range<usize>> = retired.chain(memory::marker_comments(text)).collect();
    cuts.sort_by_key(|cut| cut.start);
    let mut prose = String::with_capacity(document.prose.len());
    let mut at = start;
    for cut in cuts.into_iter().filter(|cut| cut.start >= start) {
        // The marker comment of a retired entry lies inside the range of the entry.
        if cut.start >= at {
            prose.push_str(&text[at..cut.start]);
        }
        at = at.max(cut.end);
    }
    prose.push_str(&text[at..]);
    prose
}
