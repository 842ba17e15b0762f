//! The documents of a workspace as a graph.

use heirloom_core::adr::Status;
use heirloom_core::conflict::{self, Found, Known, Override};
use heirloom_core::document::{How, Reference};
use heirloom_core::graph::{Edge, EdgeKind, Graph, Node, NodeKind};

use super::{Catalog, Filed, naming};
use crate::Session;

impl Catalog {
    /// Returns the graph of all documents.
    pub fn graph(&self, session: &Session) -> Graph {
        let nodes = self.filed.iter().map(node_of).collect();
        let mut edges = Vec::new();
        self.inheritance_edges(&mut edges);
        self.with_known(session, |known| {
            self.supersession_edges(known, &mut edges);
            for filed in &self.filed {
                let references = filed.document.references.iter();
                edges.extend(
                    references.filter_map(|reference| self.reference_edge(filed, reference, known)),
                );
            }
        });
        Graph::new(nodes, edges)
    }

    fn inheritance_edges(&self, edges: &mut Vec<Edge>) {
        for selectors in self.chains() {
            let chain = self.chain(&selectors);
            let levels: Vec<&[usize]> =
                chain.chunk_by(|a, b| self.filed[*a].level == self.filed[*b].level).collect();
            for pair in levels.windows(2) {
                let parents = pair[0].iter().filter(|&&at| self.filed[at].kind != NodeKind::Memory);
                let child = pair[1][0];
                edges.extend(
                    parents.map(|&parent| self.edge(child, parent, EdgeKind::InheritsFrom, None)),
                );
            }
            for level in levels {
                let owner = level[0];
                edges.extend(level[1..].iter().map(|&at| match self.filed[at].kind {
                    NodeKind::Memory => self.edge(owner, at, EdgeKind::Remembers, None),
                    _ => self.edge(at, owner, EdgeKind::InheritsFrom, None),
                }));
            }
            let beaten = conflict::overrides(&self.layers(&chain));
            edges.extend(beaten.into_iter().map(|Override { key, parent, child, .. }| {
                self.edge(chain[child], chain[parent], EdgeKind::Overrides, Some(key))
            }));
        }
    }

    fn supersession_edges(&self, known: &Known<'_>, edges: &mut Vec<Edge>) {
        let positions: Vec<usize> =
            (0..self.filed.len()).filter(|&at| self.filed[at].adr.is_some()).collect();
        for new in 0..self.adrs.len() {
            edges.extend(
                known.supersession.predecessors(new).map(|old| {
                    self.edge(positions[new], positions[old], EdgeKind::Supersedes, None)
                }),
            );
        }
    }

    fn reference_edge(
        &self,
        from: &Filed,
        reference: &Reference,
        known: &Known<'_>,
    ) -> Option<Edge> {
        let target = match known.find(&from.document, reference) {
            Found::Adr(at) => self.at_path(&self.adrs[at].path)?,
            Found::Document(path) => self.at_path(&path)?,
            Found::Elsewhere | Found::Nothing => return None,
        };
        let edge = |from: &Filed, to: &Filed, kind, via: Option<&str>| Edge {
            from: from.id.clone(),
            to: to.id.clone(),
            kind,
            via: via.map(str::to_owned),
        };
        Some(match reference.how {
            How::Field("supersedes") if from.adr.is_none() => {
                edge(from, target, EdgeKind::Supersedes, None)
            }
            How::Field("superseded_by") if from.adr.is_none() => {
                edge(target, from, EdgeKind::Supersedes, None)
            }
            How::Field("supersedes" | "superseded_by") => return None,
            How::Field(key) => edge(from, target, EdgeKind::References, Some(key)),
            How::Link | How::Wiki | How::Mention | How::Word => {
                edge(from, target, EdgeKind::References, None)
            }
        })
    }

    fn edge(&self, from: usize, to: usize, kind: EdgeKind, via: Option<String>) -> Edge {
        Edge { from: self.filed[from].id.clone(), to: self.filed[to].id.clone(), kind, via }
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
