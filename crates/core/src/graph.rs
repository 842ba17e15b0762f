//! The graph that documents form, and what is wrong with it.

mod export;

pub use export::{dot, mermaid};

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cycles;
use crate::staleness::Freshness;

/// What a node is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// `workspace.md`, `context/*.md`, a plan's `context.md`.
    Context,
    /// A `*.memory.md` file.
    Memory,
    /// A project.
    Project,
    /// A plan.
    Plan,
    /// An agent.
    Agent,
    /// A decision record.
    Adr,
    /// A fact of the log.
    Fact,
    /// An episode of the log.
    Episode,
    /// A pattern of the log.
    Pattern,
    /// A workflow of the log.
    Workflow,
    /// A note of the log.
    Note,
    /// An entry of a memory document.
    Entry,
}

impl NodeKind {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            NodeKind::Context => "context",
            NodeKind::Memory => "memory",
            NodeKind::Project => "project",
            NodeKind::Plan => "plan",
            NodeKind::Agent => "agent",
            NodeKind::Adr => "adr",
            NodeKind::Fact => "fact",
            NodeKind::Episode => "episode",
            NodeKind::Pattern => "pattern",
            NodeKind::Workflow => "workflow",
            NodeKind::Note => "note",
            NodeKind::Entry => "entry",
        }
    }
}

/// How two nodes are related.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeKind {
    /// The first gets what the second hands down.
    InheritsFrom,
    /// The first changes a value of the second.
    Overrides,
    /// The first replaced the second.
    Supersedes,
    /// The second is the memory of the first.
    Remembers,
    /// The first names the second.
    References,
    /// The first holds only with the second.
    DependsOn,
    /// Both cannot hold.
    Contradicts,
    /// The first makes the second possible.
    Enables,
    /// The first stands in the second's place.
    Replaces,
    /// The second is the reason for the first.
    MotivatedBy,
}

impl EdgeKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [EdgeKind; 10] = [
        EdgeKind::InheritsFrom,
        EdgeKind::Overrides,
        EdgeKind::Supersedes,
        EdgeKind::Remembers,
        EdgeKind::References,
        EdgeKind::DependsOn,
        EdgeKind::Contradicts,
        EdgeKind::Enables,
        EdgeKind::Replaces,
        EdgeKind::MotivatedBy,
    ];

    /// Returns its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::InheritsFrom => "INHERITS_FROM",
            EdgeKind::Overrides => "OVERRIDES",
            EdgeKind::Supersedes => "SUPERSEDES",
            EdgeKind::Remembers => "REMEMBERS",
            EdgeKind::References => "REFERENCES",
            EdgeKind::DependsOn => "DEPENDS_ON",
            EdgeKind::Contradicts => "CONTRADICTS",
            EdgeKind::Enables => "ENABLES",
            EdgeKind::Replaces => "REPLACES",
            EdgeKind::MotivatedBy => "MOTIVATED_BY",
        }
    }
}

/// A document in the graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Node {
    /// Its id, such as `plan/0042-graph` or `adr/ADR-0003`.
    pub id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// Its `status`, if it states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How fresh it is.
    pub staleness: Freshness,
    /// Days since its date.
    pub days_old: Option<i64>,
}

/// A relation between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Edge {
    /// The id it starts from.
    pub from: String,
    /// The id it leads to.
    pub to: String,
    /// What it says.
    #[serde(rename = "type")]
    pub kind: EdgeKind,
    /// The key or field through which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// Nodes and edges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Graph {
    /// The nodes, by id.
    pub nodes: Vec<Node>,
    /// The edges, without repetition.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Puts a graph in order: nodes by id, edges once each and between nodes that are there.
    pub fn new(mut nodes: Vec<Node>, mut edges: Vec<Edge>) -> Self {
        nodes.sort_by(|a, b| a.id.cmp(&b.id));
        let ids: HashSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
        edges.retain(|edge| {
            edge.from != edge.to
                && ids.contains(edge.from.as_str())
                && ids.contains(edge.to.as_str())
        });
        edges.sort_unstable();
        edges.dedup();
        Graph { nodes, edges }
    }

    /// Returns a node by its id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.binary_search_by(|node| node.id.as_str().cmp(id)).ok().map(|at| &self.nodes[at])
    }

    /// Returns the part of the graph within so many steps of a node.
    #[must_use]
    pub fn around(&self, id: &str, steps: usize) -> Graph {
        let mut reached: BTreeSet<&str> = BTreeSet::from([id]);
        for _ in 0..steps {
            let wider: BTreeSet<&str> = self
                .edges
                .iter()
                .filter(|edge| {
                    reached.contains(edge.from.as_str()) || reached.contains(edge.to.as_str())
                })
                .flat_map(|edge| [edge.from.as_str(), edge.to.as_str()])
                .collect();
            reached.extend(wider);
        }
        let nodes =
            self.nodes.iter().filter(|node| reached.contains(node.id.as_str())).cloned().collect();
        let edges = self
            .edges
            .iter()
            .filter(|edge| {
                reached.contains(edge.from.as_str()) && reached.contains(edge.to.as_str())
            })
            .cloned()
            .collect();
        Graph::new(nodes, edges)
    }

    /// Returns the nodes that nothing is related to.
    pub fn orphans(&self) -> Vec<&Node> {
        let related: HashSet<&str> =
            self.edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        self.nodes.iter().filter(|node| !related.contains(node.id.as_str())).collect()
    }

    /// Returns the circles among supersessions and among dependencies, each once as a list of ids.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let supersedes = self.cycles_over(|edge| edge.kind == EdgeKind::Supersedes);
        let depends = self.cycles_over(|edge| {
            edge.kind == EdgeKind::DependsOn
                || edge.kind == EdgeKind::References && edge.via.as_deref() == Some("depends_on")
        });
        supersedes.into_iter().chain(depends).collect()
    }

    fn cycles_over(&self, follows: impl Fn(&Edge) -> bool) -> Vec<Vec<String>> {
        let place: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let mut next: Vec<Vec<usize>> = vec![vec![]; self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| follows(edge)) {
            if let (Some(&from), Some(&to)) =
                (place.get(edge.from.as_str()), place.get(edge.to.as_str()))
            {
                next[from].push(to);
            }
        }
        let circles = cycles::find(self.nodes.len(), |node| next[node].clone());
        circles
            .iter()
            .map(|circle| circle.iter().map(|&at| self.nodes[at].id.clone()).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str, EdgeKind, Option<&str>)]) -> Graph {
        let ids: BTreeSet<&str> =
            edges.iter().flat_map(|(from, to, _, _)| [*from, *to]).chain(["lonely"]).collect();
        let node = |id: &str| Node {
            id: id.into(),
            kind: NodeKind::Plan,
            title: id.into(),
            path: format!("{id}.md"),
            status: None,
            staleness: Freshness::Fresh,
            days_old: Some(1),
        };
        let edges = edges
            .iter()
            .map(|(from, to, kind, via)| Edge {
                from: (*from).into(),
                to: (*to).into(),
                kind: *kind,
                via: via.map(str::to_owned),
            })
            .collect();
        Graph::new(ids.into_iter().map(node).collect(), edges)
    }

    #[test]
    fn circles_orphans_and_neighbourhoods() {
        let depends = |from, to| (from, to, EdgeKind::References, Some("depends_on"));
        let graph = graph(&[
            depends("a", "b"),
            depends("b", "c"),
            depends("c", "a"),
            ("c", "d", EdgeKind::References, None),
            ("d", "c", EdgeKind::References, None),
        ]);
        assert_eq!(graph.cycles(), [["a", "b", "c"]]);
        assert_eq!(
            graph.orphans().iter().map(|node| node.id.as_str()).collect::<Vec<_>>(),
            ["lonely"]
        );
        assert_eq!(graph.around("d", 1).nodes.len(), 2);
    }

    #[test]
    fn exports_quote_what_they_must() {
        let graph = graph(&[("a\"b", "c", EdgeKind::Overrides, Some("k"))]);
        assert!(dot(&graph).contains("\"a\\\"b\" -> \"c\" [label=\"OVERRIDES k\"]"));
        assert!(mermaid(&graph).contains("-->|\"OVERRIDES k\"|"));
    }
}
