//! The graph of documents and memory: nodes, edges, orphans and cycles.

mod export;

pub use export::{to_dot, to_mermaid};

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

use crate::cycles;
use crate::record::RecordKind;
use crate::staleness::Freshness;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A record of the log.
    Record(RecordKind),
    /// An entry of a memory document.
    Entry,
}

impl NodeKind {
    /// Returns the kind in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            NodeKind::Context => "context",
            NodeKind::Memory => "memory",
            NodeKind::Project => "project",
            NodeKind::Plan => "plan",
            NodeKind::Agent => "agent",
            NodeKind::Adr => "adr",
            NodeKind::Record(kind) => kind.spec().node.word,
            NodeKind::Entry => "entry",
        }
    }

    /// Returns every kind of node; several kinds of records may have the same word.
    fn all() -> impl Iterator<Item = NodeKind> {
        use NodeKind::{Adr, Agent, Context, Entry, Memory, Plan, Project};
        let documents = [Context, Memory, Project, Plan, Agent, Adr].into_iter();
        documents.chain(RecordKind::ALL.map(NodeKind::Record)).chain([Entry])
    }
}

impl Serialize for NodeKind {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.as_str())
    }
}

impl JsonSchema for NodeKind {
    fn schema_name() -> Cow<'static, str> {
        "NodeKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut words: Vec<&str> = Vec::new();
        for word in NodeKind::all().map(NodeKind::as_str) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        json_schema!({"type": "string", "enum": words, "description": "The kind of a node."})
    }
}

/// The kind of an edge.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeKind {
    /// The first inherits values from the second.
    InheritsFrom,
    /// The first overrides a value of the second.
    Overrides,
    /// The first replaced the second.
    Supersedes,
    /// The second is the memory of the first.
    Remembers,
    /// The first refers to the second.
    References,
    /// The first depends on the second.
    DependsOn,
    /// The two cannot both be true.
    Contradicts,
    /// The first makes the second possible.
    Enables,
    /// The first takes the place of the second.
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

    /// Returns the name in requests and responses.
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

/// A document or memory in the graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphNode {
    /// The id, such as `plan/0042-graph` or `adr/ADR-0003`.
    pub id: String,
    /// The kind.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// The title.
    pub title: String,
    /// The path of the file.
    pub path: String,
    /// The `status`, if one is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The freshness.
    pub staleness: Freshness,
    /// Days since the date of the document.
    pub days_old: Option<i64>,
}

/// A relation between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// The id of the first node.
    pub from: String,
    /// The id of the second node.
    pub to: String,
    /// The kind.
    #[serde(rename = "type")]
    pub kind: EdgeKind,
    /// The key or field that causes the edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// Nodes and edges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Graph {
    /// The nodes, sorted by id.
    pub nodes: Vec<GraphNode>,
    /// The edges, sorted and without duplicates.
    pub edges: Vec<GraphEdge>,
}

impl Graph {
    /// Builds a graph. Duplicate edges, self-loops and edges to missing nodes are dropped.
    pub fn new(mut nodes: Vec<GraphNode>, mut edges: Vec<GraphEdge>) -> Self {
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
    pub fn node(&self, id: &str) -> Option<&GraphNode> {
        self.nodes.binary_search_by(|node| node.id.as_str().cmp(id)).ok().map(|at| &self.nodes[at])
    }

    /// Returns the subgraph within a number of steps of a node.
    #[must_use]
    pub fn neighbourhood(&self, id: &str, steps: usize) -> Graph {
        let mut reached: BTreeSet<&str> = BTreeSet::from([id]);
        for _ in 0..steps {
            let neighbours: BTreeSet<&str> = self
                .edges
                .iter()
                .filter(|edge| {
                    reached.contains(edge.from.as_str()) || reached.contains(edge.to.as_str())
                })
                .flat_map(|edge| [edge.from.as_str(), edge.to.as_str()])
                .collect();
            reached.extend(neighbours);
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

    /// Returns the nodes without edges.
    pub fn orphans(&self) -> Vec<&GraphNode> {
        let connected: HashSet<&str> =
            self.edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        self.nodes.iter().filter(|node| !connected.contains(node.id.as_str())).collect()
    }

    /// Returns the cycles of supersessions and of dependencies, each once as a list of ids.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let supersessions = self.cycles_over(|edge| edge.kind == EdgeKind::Supersedes);
        let dependencies = self.cycles_over(|edge| {
            edge.kind == EdgeKind::DependsOn
                || edge.kind == EdgeKind::References && edge.via.as_deref() == Some("depends_on")
        });
        supersessions.into_iter().chain(dependencies).collect()
    }

    /// Returns the cycles over the edges that a filter accepts.
    fn cycles_over(&self, is_followed: impl Fn(&GraphEdge) -> bool) -> Vec<Vec<String>> {
        let indexes: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
        let mut successors: Vec<Vec<usize>> = vec![vec![]; self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| is_followed(edge)) {
            if let (Some(&from), Some(&to)) =
                (indexes.get(edge.from.as_str()), indexes.get(edge.to.as_str()))
            {
                successors[from].push(to);
            }
        }
        let cycles = cycles::find_cycles(self.nodes.len(), |node| successors[node].clone());
        cycles
            .iter()
            .map(|cycle| cycle.iter().map(|&index| self.nodes[index].id.clone()).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str, EdgeKind, Option<&str>)]) -> Graph {
        let ids: BTreeSet<&str> =
            edges.iter().flat_map(|(from, to, _, _)| [*from, *to]).chain(["orphan"]).collect();
        let node = |id: &str| GraphNode {
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
            .map(|(from, to, kind, via)| GraphEdge {
                from: (*from).into(),
                to: (*to).into(),
                kind: *kind,
                via: via.map(str::to_owned),
            })
            .collect();
        Graph::new(ids.into_iter().map(node).collect(), edges)
    }

    #[test]
    fn cycles_orphans_and_neighbourhoods_are_found() {
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
            ["orphan"]
        );
        assert_eq!(graph.neighbourhood("d", 1).nodes.len(), 2);
    }

    #[test]
    fn the_schema_lists_every_word_once() {
        let schema = schemars::schema_for!(NodeKind);
        let listed = schema.get("enum").and_then(serde_json::Value::as_array).unwrap();
        let listed: Vec<&str> = listed.iter().map(|word| word.as_str().unwrap()).collect();
        let words: BTreeSet<&str> = NodeKind::all().map(NodeKind::as_str).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), words);
        assert_eq!(listed.len(), words.len(), "{listed:?}");
        assert_eq!(serde_json::json!(NodeKind::Record(RecordKind::Edge)), "fact");
    }

    #[test]
    fn exports_escape_quotes() {
        let graph = graph(&[("a\"b", "c", EdgeKind::Overrides, Some("k"))]);
        assert!(to_dot(&graph).contains("\"a\\\"b\" -> \"c\" [label=\"OVERRIDES k\"]"));
        assert!(to_mermaid(&graph).contains("-->|\"OVERRIDES k\"|"));
    }
}
