//! `graph export`: writes the graph for other tools.

use heirloom_core::graph::{self, Graph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemorySlice, read_related};
use crate::view::View;
use crate::workspace::catalog::{Catalog, GraphExtent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct GraphExport;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Output format.
    #[serde(default)]
    format: GraphFormat,
    /// Only the surroundings of this document or memory.
    #[serde(default)]
    node: Option<String>,
    /// With a node: number of steps to follow.
    #[serde(default = "default_depth")]
    depth: usize,
}

fn default_depth() -> usize {
    2
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GraphFormat {
    /// Graphviz.
    Dot,
    /// Mermaid, which code hosts render.
    Mermaid,
    /// JSON with nodes and edges.
    #[default]
    Json,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExportedGraph {
    #[serde(flatten)]
    graph: Graph,
    /// The graph as text, if the format is `dot` or `mermaid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Operation for GraphExport {
    type Request = Request;
    type Response = ExportedGraph;
    const SPEC: Spec = Spec {
        name: "graph_export",
        usage: "graph export",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Export the graph of documents and memories as Graphviz, Mermaid or JSON.",
    };

    fn run(session: &Session, request: Request) -> Result<ExportedGraph, Error> {
        let (catalog, cached_entries) = Catalog::read_without_text(session)?;
        let graph = match &request.node {
            Some(node) => {
                let known = MemorySlice::read_around_node(session, &catalog, cached_entries, node)?;
                let (id, asked) = known.find_node(&catalog, node)?;
                known
                    .build_graph(session, &catalog, GraphExtent::Everything, asked, false)
                    .neighbourhood(&id, request.depth.clamp(1, 100))
            }
            None => {
                let known = read_related(session, &catalog, cached_entries)?;
                known.build_graph(session, &catalog, GraphExtent::Everything, None, false)
            }
        };
        let text = match request.format {
            GraphFormat::Dot => Some(graph::to_dot(&graph)),
            GraphFormat::Mermaid => Some(graph::to_mermaid(&graph)),
            GraphFormat::Json => None,
        };
        Ok(ExportedGraph { graph, text })
    }
}

impl Answer for ExportedGraph {
    fn view(&self) -> View {
        View::raw(match &self.text {
            Some(text) => text.clone(),
            None => serde_json::to_string_pretty(&self.graph).unwrap_or_default(),
        })
    }
}
