//! Builds the graph of the documents of a workspace.

use std::borrow::Cow;
use std::collections::HashSet;

use heirloom_core::adr::Status;
use heirloom_core::conflict::{Found, Known, Override};
use heirloom_core::document::{How, LinkField, Reference};
use heirloom_core::graph::{Edge, EdgeKind, Graph, Node, NodeKind};
use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout;

use super::chains::Step;
use super::{Catalog, Filed, naming};
use crate::Session;
use crate::workspace::inherit;

/// The part of the graph to build.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent<'i> {
    /// The whole graph.
    Everything,
    /// The node with this id and its direct neighbours.
    Around(&'i str),
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
    pub(crate) fn graph(&self, session: &Session, extent: Extent<'_>) -> Graph {
        self.graph_with(session, extent, vec![], vec![])
    }

    /// Returns the graph of documents, or a part of it, with additional nodes and edges.
    pub(crate) fn graph_with(
        &self,
        session: &Session,
        extent: Extent<'_>,
        mut nodes: Vec<Node>,
        mut edges: Vec<Edge>,
    ) -> Graph {
        let id = |at: usize| self.filed[at].id.clone();
        edges.extend(self.links(session, extent).into_iter().map(|link| Edge {
            from: id(link.from),
            to: id(link.to),
            kind: link.kind,
            via: link.via.map(Cow::into_owned),
        }));
        match extent {
            Extent::Everything => nodes.extend(self.filed.iter().map(node_of)),
            Extent::Around(center) => {
                edges.retain(|edge| edge.from == center || edge.to == center);
                let ends = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]);
                let ends: HashSet<&str> = ends.chain([center]).collect();
                let neighbours = self.filed.iter().filter(|filed| ends.contains(filed.id.as_str()));
                nodes.extend(neighbours.map(|filed| read_node(session, filed)));
            }
        }
        Graph::new(nodes, edges)
    }

    fn links(&self, session: &Session, extent: Extent<'_>) -> Vec<Link> {
        let mut links = Vec::new();
        self.inheritance_links(extent, &mut links);
        self.with_known(session, |known| {
            self.supersession_links(known, &mut links);
            for (at, filed) in self.filed.iter().enumerate() {
                let references = filed.document.references.iter();
                links.extend(references.filter_map(|reference| self.link(at, reference, known)));
            }
        });
        if let Extent::Around(id) = extent {
            let is_end = |at: usize| self.filed[at].id == id;
            links.retain(|link| is_end(link.from) || is_end(link.to));
        }
        links
    }

    fn inheritance_links(&self, extent: Extent<'_>, links: &mut Vec<Link>) {
        // Only chains with all names of the document lead through it.
        let center = match extent {
            Extent::Everything => None,
            Extent::Around(id) => self.filed.iter().find(|filed| filed.id == id),
        };
        let is_included = |selectors: &Selectors| {
            let mut names = center.into_iter().flat_map(|filed| filed.selectors.iter());
            names.all(|(level, name)| selectors.get(level) == Some(name))
        };
        self.walk(is_included, |Step { above, level, overrides }| {
            let owner = level[0];
            let is_parent = |at: &&usize| self.filed[**at].kind != NodeKind::Memory;
            let parents = above.unwrap_or_default().iter().filter(is_parent);
            links.extend(parents.map(|&parent| Link {
                from: owner,
                to: parent,
                kind: EdgeKind::InheritsFrom,
                via: None,
            }));
            links.extend(level[1..].iter().map(|&at| match self.filed[at].kind {
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

    fn supersession_links(&self, known: &Known<'_>, links: &mut Vec<Link>) {
        let positions: Vec<usize> =
            (0..self.filed.len()).filter(|&at| self.filed[at].adr.is_some()).collect();
        for new in 0..self.adrs.len() {
            links.extend(known.supersession.predecessors(new).map(|old| Link {
                from: positions[new],
                to: positions[old],
                kind: EdgeKind::Supersedes,
                via: None,
            }));
        }
    }

    fn link(&self, from: usize, reference: &Reference, known: &Known<'_>) -> Option<Link> {
        let document = &self.filed[from];
        let path = match known.find(&document.document, reference) {
            Found::Adr(at) => Cow::Borrowed(&self.adrs[at].path),
            Found::Document(path) => Cow::Owned(path),
            Found::Elsewhere | Found::Nothing => return None,
        };
        let to = *self.by_path.get(path.as_str())?;
        let link = |from, to, kind, via| Link { from, to, kind, via };
        Some(match reference.how {
            How::Field(LinkField::Supersedes) if document.adr.is_none() => {
                link(from, to, EdgeKind::Supersedes, None)
            }
            How::Field(LinkField::SupersededBy) if document.adr.is_none() => {
                link(to, from, EdgeKind::Supersedes, None)
            }
            How::Field(LinkField::Supersedes | LinkField::SupersededBy) => return None,
            How::Field(field) => {
                link(from, to, EdgeKind::References, Some(Cow::Borrowed(field.key())))
            }
            How::Link | How::Wiki | How::Mention | How::Word => {
                link(from, to, EdgeKind::References, None)
            }
        })
    }
}

/// Returns the node of a document, reading the document if only its path is known.
fn read_node(session: &Session, filed: &Filed) -> Node {
    let read = || layout::read_document(session.root(), &filed.document.path);
    match (!filed.is_read).then(read).flatten() {
        None => node_of(filed),
        Some((_, document)) => {
            let judged = inherit::judge(session, &[&document]).ok();
            let judged = judged.and_then(|(judged, _)| judged.first().copied());
            let judged = judged.unwrap_or(filed.judged);
            node_of(&Filed { document: Box::new(document), judged, ..filed.clone() })
        }
    }
}

fn node_of(filed: &Filed) -> Node {
    let status = match &filed.adr {
        Some(adr) => (adr.status != Status::Unknown).then(|| adr.status.word().to_owned()),
        None => filed.document.field("status").map(str::to_owned),
    };
    let title = filed
        .adr
        .as_ref()
        .map(|adr| adr.title.clone())
        .or_else(|| filed.document.title.clone())
        .unwrap_or_else(|| naming::last_name(filed));
    Node {
        id: filed.id.clone(),
        kind: filed.kind,
        title,
        path: filed.document.path.clone(),
        status,
        staleness: filed.staleness().status,
        days_old: filed.staleness().days_old,
    }
}
