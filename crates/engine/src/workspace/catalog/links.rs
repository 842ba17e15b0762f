//! Builds the graph of the documents of a workspace.

use std::borrow::Cow;
use std::collections::HashSet;

use heirloom_core::adr::Status;
use heirloom_core::conflict::{Override, ReferenceResolver, ResolvedReference};
use heirloom_core::document::{LinkField, Reference, ReferenceKind};
use heirloom_core::graph::{EdgeKind, Graph, GraphEdge, GraphNode, NodeKind};
use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout;

use super::chains::Step;
use super::entry::CatalogEntry;
use super::read::Catalog;
use crate::Session;
use crate::workspace::inherit;

/// The part of the graph to build.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GraphExtent<'i> {
    /// The whole graph.
    Everything,
    /// The node with this id and its direct neighbours.
    Neighbourhood(&'i str),
}

/// An edge between two documents, given by their positions in the catalog.
struct Link {
    from: usize,
    to: usize,
    kind: EdgeKind,
    via: Option<Cow<'static, str>>,
}

impl Catalog {
    /// Returns the graph of documents, or a part of it.
    pub(crate) fn graph(&self, session: &Session, extent: GraphExtent<'_>) -> Graph {
        self.graph_with(session, extent, vec![], vec![])
    }

    /// Returns the graph of documents, or a part of it, with additional nodes and edges.
    pub(crate) fn graph_with(
        &self,
        session: &Session,
        extent: GraphExtent<'_>,
        mut nodes: Vec<GraphNode>,
        mut edges: Vec<GraphEdge>,
    ) -> Graph {
        let id = |at: usize| self.entries[at].id.clone();
        edges.extend(self.links(session, extent).into_iter().map(|link| GraphEdge {
            from: id(link.from),
            to: id(link.to),
            kind: link.kind,
            via: link.via.map(Cow::into_owned),
        }));
        match extent {
            GraphExtent::Everything => nodes.extend(self.entries.iter().map(node_of)),
            GraphExtent::Neighbourhood(center) => {
                edges.retain(|edge| edge.from == center || edge.to == center);
                let ends = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]);
                let ends: HashSet<&str> = ends.chain([center]).collect();
                let neighbours = self
                    .entries
                    .iter()
                    .filter(|catalog_entry| ends.contains(catalog_entry.id.as_str()));
                nodes.extend(neighbours.map(|catalog_entry| read_node(session, catalog_entry)));
            }
        }
        Graph::new(nodes, edges)
    }

    fn links(&self, session: &Session, extent: GraphExtent<'_>) -> Vec<Link> {
        let mut links = Vec::new();
        self.inheritance_links(extent, &mut links);
        self.with_reference_resolver(session, |known| {
            self.supersession_links(known, &mut links);
            for (at, catalog_entry) in self.entries.iter().enumerate() {
                let references = catalog_entry.document.references.iter();
                links.extend(references.filter_map(|reference| self.link(at, reference, known)));
            }
        });
        if let GraphExtent::Neighbourhood(id) = extent {
            let is_end = |at: usize| self.entries[at].id == id;
            links.retain(|link| is_end(link.from) || is_end(link.to));
        }
        links
    }

    fn inheritance_links(&self, extent: GraphExtent<'_>, links: &mut Vec<Link>) {
        // Only chains with all names of the document lead through it.
        let center = match extent {
            GraphExtent::Everything => None,
            GraphExtent::Neighbourhood(id) => {
                self.entries.iter().find(|catalog_entry| catalog_entry.id == id)
            }
        };
        let is_included = |selectors: &Selectors| {
            let mut names =
                center.into_iter().flat_map(|catalog_entry| catalog_entry.selectors.iter());
            names.all(|(level, name)| selectors.get(level) == Some(name))
        };
        self.walk(is_included, |Step { above, level, overrides }| {
            let owner = level[0];
            let is_parent = |at: &&usize| self.entries[**at].kind != NodeKind::Memory;
            let parents = above.unwrap_or_default().iter().filter(is_parent);
            links.extend(parents.map(|&parent| Link {
                from: owner,
                to: parent,
                kind: EdgeKind::InheritsFrom,
                via: None,
            }));
            links.extend(level[1..].iter().map(|&at| match self.entries[at].kind {
                NodeKind::Memory => {
                    Link { from: owner, to: at, kind: EdgeKind::Remembers, via: None }
                }
                _ => Link { from: at, to: owner, kind: EdgeKind::InheritsFrom, via: None },
            }));
            links.extend(overrides.into_iter().map(|Override { key, parent, child, .. }| Link {
                from: child,
                to: parent,
                kind: EdgeKind::Overrides,
                via: Some(Cow::Owned(key)),
            }));
        });
    }

    fn supersession_links(&self, known: &ReferenceResolver<'_>, links: &mut Vec<Link>) {
        let positions: Vec<usize> =
            (0..self.entries.len()).filter(|&at| self.entries[at].adr.is_some()).collect();
        for new in 0..self.adrs.len() {
            links.extend(known.supersession.predecessors(new).map(|old| Link {
                from: positions[new],
                to: positions[old],
                kind: EdgeKind::Supersedes,
                via: None,
            }));
        }
    }

    fn link(
        &self,
        from: usize,
        reference: &Reference,
        known: &ReferenceResolver<'_>,
    ) -> Option<Link> {
        let document = &self.entries[from];
        let path = match known.resolve(&document.document, reference) {
            ResolvedReference::Adr(at) => Cow::Borrowed(&self.adrs[at].path),
            ResolvedReference::Document(path) => Cow::Owned(path),
            ResolvedReference::External | ResolvedReference::Nothing => return None,
        };
        let to = *self.by_path.get(path.as_str())?;
        let link = |from, to, kind, via| Link { from, to, kind, via };
        Some(match reference.kind {
            ReferenceKind::Field(LinkField::Supersedes) if document.adr.is_none() => {
                link(from, to, EdgeKind::Supersedes, None)
            }
            ReferenceKind::Field(LinkField::SupersededBy) if document.adr.is_none() => {
                link(to, from, EdgeKind::Supersedes, None)
            }
            ReferenceKind::Field(LinkField::Supersedes | LinkField::SupersededBy) => return None,
            ReferenceKind::Field(field) => {
                link(from, to, EdgeKind::References, Some(Cow::Borrowed(field.key())))
            }
            ReferenceKind::Link
            | ReferenceKind::Wiki
            | ReferenceKind::Mention
            | ReferenceKind::Word => link(from, to, EdgeKind::References, None),
        })
    }
}

/// Returns the node of a document, reading the document if only its path is known.
fn read_node(session: &Session, catalog_entry: &CatalogEntry) -> GraphNode {
    let read = || layout::read_document(session.root(), &catalog_entry.document.path);
    match (!catalog_entry.is_read).then(read).flatten() {
        None => node_of(catalog_entry),
        Some((_, document)) => {
            let assessed = inherit::assess(session, &[&document]).ok();
            let assessment = assessed.and_then(|(assessments, _)| assessments.first().copied());
            let assessment = assessment.unwrap_or(catalog_entry.assessment);
            node_of(&CatalogEntry {
                document: Box::new(document),
                assessment,
                ..catalog_entry.clone()
            })
        }
    }
}

fn node_of(catalog_entry: &CatalogEntry) -> GraphNode {
    let status = match &catalog_entry.adr {
        Some(adr) => (adr.status != Status::Unknown).then(|| adr.status.as_str().to_owned()),
        None => catalog_entry.document.field("status").map(str::to_owned),
    };
    let title = catalog_entry
        .adr
        .as_ref()
        .map(|adr| adr.title.clone())
        .or_else(|| catalog_entry.document.title.clone())
        .unwrap_or_else(|| catalog_entry.own_name());
    GraphNode {
        id: catalog_entry.id.clone(),
        kind: catalog_entry.kind,
        title,
        path: catalog_entry.document.path.clone(),
        status,
        staleness: catalog_entry.staleness().status,
        days_old: catalog_entry.staleness().days_old,
    }
}
