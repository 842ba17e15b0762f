//! `graph show`: a document or a memory, and what it is related to.

use heirloom_core::graph::{EdgeKind, Graph, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemorySlice;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, Extent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct GraphShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// A document by its id (plan/0042-graph), name or path; or a memory by its id.
    node: String,
    /// How many steps away to look.
    #[serde(default = "one")]
    depth: usize,
}

fn one() -> usize {
    1
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The document that was asked for.
    node: Node,
    /// What lies around it.
    #[serde(flatten)]
    graph: Graph,
}

impl Operation for GraphShow {
    type Request = Request;
    type Response = Shown;
    const SPEC: Spec = Spec {
        name: "graph_show",
        usage: "graph show <node>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show a document or a memory and what it is related to: what it inherits from, overrides, supersedes, remembers, references, depends on, contradicts, enables, replaces or is motivated by.",
    };

    fn run(session: &Session, request: Request) -> Result<Shown, Error> {
        let (catalog, notebooks) = match request.depth <= 1 {
            true => Catalog::around(session, &request.node)?,
            false => Catalog::overview(session)?,
        };
        let known = MemorySlice::around(session, &catalog, notebooks, &request.node)?;
        let (id, asked) = known.find_node(&catalog, &request.node)?;
        let extent = if request.depth <= 1 { Extent::Around(&id) } else { Extent::Everything };
        let graph = known.weave(session, &catalog, extent, asked, true);
        let mut graph = graph.around(&id, request.depth.clamp(1, 10));
        if request.depth <= 1 {
            graph.edges.retain(|edge| edge.from == id || edge.to == id);
        }
        let node = graph
            .node(&id)
            .cloned()
            .ok_or_else(|| Error::not_found(format!("there is no node `{id}`"), vec![]))?;
        catalog.let_go();
        Ok(Shown { node, graph })
    }
}

impl Answer for Shown {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(&self.node.id);
        let days = self
            .node
            .days_old
            .map(|days| format!(", {}", present::count(days.unsigned_abs() as usize, "day")))
            .unwrap_or_default();
        view.line([
            span(Role::Dim, format!("{} · ", self.node.kind.word())),
            self.node.title.as_str().into(),
            " · ".into(),
            span(
                present::role_of(self.node.staleness),
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
            view.line([span(Role::Dim, "nothing is related to it")]);
        }
        view.table(&[], rows);
        view
    }
}
