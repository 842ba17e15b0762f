//! `graph export`: the graph for other tools, and pictures of it.

use heirloom_core::graph::{self, Graph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemorySlice, read_related};
use crate::view::View;
use crate::workspace::catalog::{Catalog, Extent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct GraphExport;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// How to write it.
    #[serde(default)]
    format: Format,
    /// Only what lies around this document or memory.
    #[serde(default)]
    node: Option<String>,
    /// With a node, how many steps away to look.
    #[serde(default = "two")]
    depth: usize,
}

fn two() -> usize {
    2
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Graphviz.
    Dot,
    /// Mermaid, which code hosts draw.
    Mermaid,
    /// Nodes and edges.
    #[default]
    Json,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Exported {
    #[serde(flatten)]
    graph: Graph,
    /// The graph in the format that was asked for, where it is not this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Operation for GraphExport {
    type Request = Request;
    type Response = Exported;
    const SPEC: Spec = Spec {
        name: "graph_export",
        usage: "graph export",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Write the graph of documents for Graphviz, Mermaid or as JSON.",
    };

    fn run(session: &Session, request: Request) -> Result<Exported, Error> {
        let (catalog, notebooks) = Catalog::overview(session)?;
        let graph = match &request.node {
            Some(node) => {
                let known = MemorySlice::around(session, &catalog, notebooks, node)?;
                let (id, asked) = known.find_node(&catalog, node)?;
                known
                    .weave(session, &catalog, Extent::Everything, asked, false)
                    .around(&id, request.depth.clamp(1, 100))
            }
            None => {
                let known = read_related(session, &catalog, notebooks)?;
                known.weave(session, &catalog, Extent::Everything, None, false)
            }
        };
        let text = match request.format {
            Format::Dot => Some(graph::dot(&graph)),
            Format::Mermaid => Some(graph::mermaid(&graph)),
            Format::Json => None,
        };
        Ok(Exported { graph, text })
    }
}

impl Answer for Exported {
    fn view(&self) -> View {
        View::raw(match &self.text {
            Some(text) => text.clone(),
            None => serde_json::to_string_pretty(&self.graph).unwrap_or_default(),
        })
    }
}
