//! `graph show`: shows a document or a memory with its relations.

use heirloom_core::graph::{EdgeKind, Graph, GraphNode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemorySlice;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, GraphExtent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct GraphShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Document, by id (plan/0042-graph), name or path; or memory, by id.
    node: String,
    /// Number of steps to follow.
    #[serde(default = "default_depth")]
    depth: usize,
}

fn default_depth() -> usize {
    1
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NodeNeighbourhood {
    /// The requested document or memory.
    node: GraphNode,
    /// Nodes and edges around it.
    #[serde(flatten)]
    graph: Graph,
}

impl Operation for GraphShow {
    type Request = Request;
    type Response = NodeNeighbourhood;
    const SPEC: Spec = Spec {
        name: "graph_show",
        usage: "graph show <node>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show a document or memory with its relations: inherits from, overrides, supersedes, remembers, references, depends on, contradicts, enables, replaces, motivated by.",
    };

    fn run(session: &Session, request: Request) -> Result<NodeNeighbourhood, Error> {
        let (catalog, cached_entries) = match request.depth <= 1 {
            true => Catalog::read_neighbourhood(session, &request.node)?,
            false => Catalog::read_without_text(session)?,
        };
        let known =
            MemorySlice::read_around_node(session, &catalog, cached_entries, &request.node)?;
        let (id, asked) = known.find_node(&catalog, &request.node)?;
        let extent = if request.depth <= 1 {
            GraphExtent::Neighbourhood(&id)
        } else {
            GraphExtent::Everything
        };
        let graph = known.build_graph(session, &catalog, extent, asked, true);
        let mut graph = graph.neighbourhood(&id, request.depth.clamp(1, 10));
        if request.depth <= 1 {
            graph.edges.retain(|edge| edge.from == id || edge.to == id);
        }
        let node = graph
            .node(&id)
            .cloned()
            .ok_or_else(|| Error::not_found(format!("there is no node `{id}`"), vec![]))?;
        catalog.drop_in_background();
        Ok(NodeNeighbourhood { node, graph })
    }
}

impl Answer for NodeNeighbourhood {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(&self.node.id);
        let days = self
            .node
            .days_old
            .map(|days| format!(", {}", present::count(days.unsigned_abs() as usize, "day")))
            .unwrap_or_default();
        view.line([
            span(Role::Dim, format!("{} · ", self.node.kind.as_str())),
            self.node.title.as_str().into(),
            " · ".into(),
            span(
                present::freshness_role(self.node.staleness),
                format!("{}{days}", present::freshness_word(self.node.staleness)),
            ),
        ]);
        view.line([span(Role::Source, &self.node.path)]);
        view.blank();
        let mut rows = Vec::new();
        for kind in EdgeKind::ALL {
            for edge in self.graph.edges.iter().filter(|edge| edge.kind == kind) {
                let via = edge.via.as_deref().unwrap_or("");
                rows.push(vec![
                    span(Role::Key, &edge.from),
                    format!("─ {} →", kind.name()).into(),
                    span(Role::Key, &edge.to),
                    span(Role::Dim, via),
                ]);
            }
        }
        if rows.is_empty() {
            view.line([span(Role::Dim, "it has no relations")]);
        }
        view.table(&[], rows);
        view
    }
}
