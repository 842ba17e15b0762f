//! The documents of a workspace as a graph.

use heirloom_core::adr::{self, Status};
use heirloom_core::conflict::{self, Override};
use heirloom_core::document::{How, Reference};
use heirloom_core::graph::{Edge, EdgeKind, Graph, Node, NodeKind};
use heirloom_core::name::{self, Match};
use heirloom_core::supersession::Supersession;

use super::{Catalog, Filed, naming};

impl Catalog {
    /// Returns the graph of all documents.
    pub fn graph(&self) -> Graph {
        let nodes = self.filed.iter().map(node_of).collect();
        let mut edges = Vec::new();
        self.inheritance_edges(&mut edges);
        self.supersession_edges(&mut edges);
        for filed in &self.filed {
            edges.extend(
                filed
                    .document
                    .references
                    .iter()
                    .filter_map(|reference| self.reference_edge(filed, reference)),
            );
        }
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

    fn supersession_edges(&self, edges: &mut Vec<Edge>) {
        let positions: Vec<usize> =
            (0..self.filed.len()).filter(|&at| self.filed[at].adr.is_some()).collect();
        let relation = Supersession::new(&self.adrs);
        for new in 0..self.adrs.len() {
            edges.extend(
                relation.predecessors(new).map(|old| {
                    self.edge(positions[new], positions[old], EdgeKind::Supersedes, None)
                }),
            );
        }
        for filed in self.filed.iter().filter(|filed| filed.adr.is_none()) {
            for (key, forward) in [("supersedes", true), ("superseded_by", false)] {
                for other in filed
                    .document
                    .field_list(key)
                    .iter()
                    .filter_map(|target| self.find(target).ok())
                {
                    let (from, to) = if forward { (filed, other) } else { (other, filed) };
                    edges.push(Edge {
                        from: from.id.clone(),
                        to: to.id.clone(),
                        kind: EdgeKind::Supersedes,
                        via: None,
                    });
                }
            }
        }
    }

    fn reference_edge(&self, from: &Filed, reference: &Reference) -> Option<Edge> {
        let (target, via) = match reference.how {
            How::Field("supersedes" | "superseded_by") => return None,
            How::Field(key) => (self.beside(from, &reference.target)?, Some(key.to_owned())),
            How::Link => {
                (self.at_path(&conflict::joined(&from.document.path, &reference.target)?)?, None)
            }
            How::Mention => (
                self.filed.iter().find(|filed| {
                    filed.adr.as_ref().is_some_and(|adr| adr::id_matches(adr, &reference.target))
                })?,
                None,
            ),
        };
        Some(Edge { from: from.id.clone(), to: target.id.clone(), kind: EdgeKind::References, via })
    }

    fn edge(&self, from: usize, to: usize, kind: EdgeKind, via: Option<String>) -> Edge {
        Edge { from: self.filed[from].id.clone(), to: self.filed[to].id.clone(), kind, via }
    }

    /// Finds what `depends_on` means: an agent looks among the agents of its plan first.
    fn beside(&self, from: &Filed, target: &str) -> Option<&Filed> {
        let typed = name::leading_number(target).unwrap_or(target);
        let find = |kind: NodeKind| {
            let peers: Vec<&Filed> = self
                .filed
                .iter()
                .filter(|filed| {
                    filed.kind == kind
                        && (kind != NodeKind::Agent
                            || filed.selectors.get("plan") == from.selectors.get("plan"))
                })
                .collect();
            match name::find(
                typed,
                peers
                    .iter()
                    .map(|filed| filed.selectors.last().map_or("", |(_, name)| name.as_str())),
            ) {
                Match::One(found) => peers
                    .into_iter()
                    .find(|filed| filed.selectors.last().is_some_and(|(_, name)| *name == found)),
                _ => None,
            }
        };
        let kinds = if from.kind == NodeKind::Agent {
            [NodeKind::Agent, NodeKind::Plan]
        } else {
            [NodeKind::Plan, NodeKind::Agent]
        };
        kinds.into_iter().find_map(find).or_else(|| self.find(target).ok())
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
