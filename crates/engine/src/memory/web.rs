//! What is remembered, in the graph of documents.

use std::ops::Range;

use heirloom_core::fold::{Memory, Standing};
use heirloom_core::graph::{Edge, EdgeKind, Graph, Node, NodeKind};
use heirloom_core::memory::{self, Entry};
use heirloom_core::record::{Kind, Relation};
use heirloom_core::staleness::Staleness;
use heirloom_core::{Document, day, staleness};
use jiff::civil::Date;

use super::{MemoryQuery, MemorySlice, MemoryTarget, read_related};
use crate::workspace::catalog::{Catalog, Extent};
use crate::workspace::documents::Notebooks;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::{Error, Session};

impl MemorySlice {
    /// Adds what is related to a graph of documents: records and entries that an edge names, entries
    /// that were promoted, and one more that was asked for. What is private is left out unless it is
    /// wanted: a picture is soon shared.
    pub(crate) fn weave(
        &self,
        session: &Session,
        catalog: &Catalog,
        extent: Extent<'_>,
        asked: Option<MemoryTarget<'_>>,
        private: bool,
    ) -> Graph {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut names: Vec<String> = Vec::new();
        for ((from, to, relation), id) in self.memory.edges() {
            if !private && self.is_local(&id.to_string()) {
                continue;
            }
            edges.push(Edge {
                from: node_id(self, &from),
                to: node_id(self, &to),
                kind: edge_kind(relation),
                via: None,
            });
            names.extend([from, to]);
        }
        for (_, entry) in self.entries() {
            if let Some(from) = entry.marks.get("from") {
                let (own, from) = (entry_ref(&entry.id), entry_ref(from));
                edges.push(Edge {
                    from: node_id(self, &own),
                    to: node_id(self, &from),
                    kind: EdgeKind::References,
                    via: Some("promoted from".to_owned()),
                });
                names.extend([own, from]);
            }
        }
        names.extend(asked.map(|asked| match asked {
            MemoryTarget::Record(id) => self.memory.canonical(&id.to_string()),
            MemoryTarget::Entry(_, entry) => entry_ref(&entry.id),
        }));
        names.sort();
        names.dedup();
        let is_named = |(_, entry): &(&MemoryDocument, &Entry)| {
            names.binary_search(&entry_ref(&entry.id)).is_ok()
        };
        let named: Vec<(&MemoryDocument, &Entry)> = self.entries().filter(is_named).collect();
        self.date_entries(named.iter().map(|(document, _)| *document));
        for (document, entry) in named {
            let owner = catalog.at_path(&document.path).map(|filed| filed.id.clone());
            edges.extend(owner.map(|owner| Edge {
                from: owner,
                to: node_id(self, &entry_ref(&entry.id)),
                kind: EdgeKind::Remembers,
                via: Some(entry.name()),
            }));
            nodes.push(self.entry_node(session, document, entry));
        }
        let records = names.iter().filter_map(|name| uuid::Uuid::parse_str(name).ok());
        nodes.extend(records.filter_map(|id| self.record_node(session, id)));
        catalog.graph_with(session, extent, nodes, edges)
    }

    /// Reads all that is related, and what a node may be that is asked for.
    pub(crate) fn around(
        session: &Session,
        catalog: &Catalog,
        notebooks: Notebooks,
        typed: &str,
    ) -> Result<Self, Error> {
        if catalog.find(typed).is_ok() {
            return read_related(session, catalog, notebooks);
        }
        let typed = [typed.to_owned(), bare(typed).to_owned()];
        let query = MemoryQuery::new().related().ids(&typed);
        query.read_with_cached_entries(session, catalog, notebooks)
    }

    /// Finds a node by its id, or by any name of a document or a memory.
    pub(crate) fn find_node<'r>(
        &'r self,
        catalog: &Catalog,
        typed: &str,
    ) -> Result<(String, Option<MemoryTarget<'r>>), Error> {
        let named = catalog.find(typed);
        match (named, self.find(typed).or_else(|_| self.find(bare(typed)))) {
            (Ok(filed), _) => Ok((filed.id.clone(), None)),
            (Err(_), Ok(target)) => {
                let name = match target {
                    MemoryTarget::Record(id) => self.memory.canonical(&id.to_string()),
                    MemoryTarget::Entry(_, entry) => entry_ref(&entry.id),
                };
                Ok((node_id(self, &name), Some(target)))
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    fn record_node(&self, session: &Session, id: uuid::Uuid) -> Option<Node> {
        let item = self.memory.item(id)?;
        let judged = judge(session, Some(day::of(item.record.at)));
        Some(Node {
            id: node_id(self, &item.id.to_string()),
            kind: match item.record.kind() {
                Kind::Episode => NodeKind::Episode,
                Kind::Pattern => NodeKind::Pattern,
                Kind::Workflow => NodeKind::Workflow,
                Kind::Note => NodeKind::Note,
                Kind::Fact | Kind::Edge | Kind::Event => NodeKind::Fact,
            },
            title: item.record.text().into_owned(),
            path: item.place.path.to_string(),
            status: (item.standing != Standing::Active).then(|| item.standing.word().to_owned()),
            staleness: judged.status,
            days_old: judged.days_old,
        })
    }

    fn entry_node(&self, session: &Session, document: &MemoryDocument, entry: &Entry) -> Node {
        let judged = judge(session, document.since(entry));
        let status = match self.memory.standing(&entry_ref(&entry.id)) {
            Standing::Active => entry.resolved.then(|| "resolved".to_owned()),
            standing => Some(standing.word().to_owned()),
        };
        Node {
            id: node_id(self, &entry_ref(&entry.id)),
            kind: NodeKind::Entry,
            title: entry.sentence(),
            path: document.path.clone(),
            status,
            staleness: judged.status,
            days_old: judged.days_old,
        }
    }
}

/// Judges a date by the thresholds of the settings.
fn judge(session: &Session, date: Option<Date>) -> Staleness {
    // Settings that cannot be read are reported where the documents are read.
    let thresholds = session.config().map(|config| config.staleness).unwrap_or_default();
    staleness::judge(date, session.today(), None, &thresholds)
}

/// What somebody typed without the kind of a node that may stand before it.
fn bare(typed: &str) -> &str {
    typed.rsplit('/').next().unwrap_or(typed)
}

/// The id that a stored name has in the graph.
fn node_id(known: &MemorySlice, name: &str) -> String {
    if let Some(document) = name.strip_prefix("doc:") {
        return document.to_owned();
    }
    if let Some(id) = name.strip_prefix("entry:") {
        return format!("entry/{id}");
    }
    let record = uuid::Uuid::parse_str(name).ok().and_then(|id| known.memory.record(id));
    format!("{}/{name}", record.map_or("record", |record| record.kind().word()))
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

/// Returns a memory document's prose without the entries that do not stand any more and without the
/// comments that Heirloom wrote for itself: an agent has no use for either.
pub(crate) fn standing_prose(known: &Memory, document: &Document, text: &str) -> String {
    let Some(head) = text.strip_suffix(document.prose.as_str()) else {
        return document.prose.clone();
    };
    let start = head.len();
    let notebook = memory::read(&document.path, text);
    let is_gone = |entry: &&Entry| known.standing(&entry_ref(&entry.id)) != Standing::Active;
    let gone = notebook.entries.iter().filter(is_gone).map(|entry| entry.bytes.clone());
    let mut cuts: Vec<Range<usize>> = gone.chain(memory::marker_comments(text)).collect();
    cuts.sort_by_key(|cut| cut.start);
    let mut prose = String::with_capacity(document.prose.len());
    let mut at = start;
    for cut in cuts.into_iter().filter(|cut| cut.start >= start) {
        // A comment of an entry that is gone lies inside of what was already left out.
        if cut.start >= at {
            prose.push_str(&text[at..cut.start]);
        }
        at = at.max(cut.end);
    }
    prose.push_str(&text[at..]);
    prose
}
