//! `graph health`: reports stale nodes, orphans, cycles and broken references.

use std::collections::HashMap;

use heirloom_core::graph::{GraphNode, NodeKind};
use heirloom_core::parallel;
use heirloom_core::staleness::Freshness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemorySlice, read_related};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, GraphExtent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct GraphHealth;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GraphHealthReport {
    /// Number of nodes.
    pub(crate) nodes: usize,
    /// Number of relations.
    pub(crate) edges: usize,
    /// Documents and active memories that are not fresh, worst first.
    pub(crate) stale: Vec<StaleNode>,
    /// Documents without relations.
    pub(crate) orphans: Vec<String>,
    /// Cycles of supersessions or dependencies.
    pub(crate) cycles: Vec<Vec<String>>,
    /// References to missing or retired documents.
    pub(crate) broken_references: Vec<BrokenReference>,
    /// Files or lines that could not be read.
    pub(crate) problems: Vec<heirloom_core::Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StaleNode {
    /// Id of the node.
    id: String,
    /// Short name or text.
    name: String,
    /// Freshness.
    staleness: Freshness,
    /// Days since its date.
    days_old: Option<i64>,
    /// Broken references in it.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BrokenReference {
    path: String,
    line: usize,
    message: String,
}

impl Operation for GraphHealth {
    type Request = Request;
    type Response = GraphHealthReport;
    const SPEC: Spec = Spec {
        name: "graph_health",
        usage: "graph health",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Check the graph of documents and memories for stale nodes, orphans, cycles and broken references.",
    };

    fn run(session: &Session, _: Request) -> Result<GraphHealthReport, Error> {
        let (catalog, cached_entries) = Catalog::read_without_text(session)?;
        let known = read_related(session, &catalog, cached_entries)?;
        let health = GraphHealthReport::of(session, &catalog, &known)?;
        catalog.drop_in_background();
        Ok(health)
    }
}

impl GraphHealthReport {
    /// Checks the graph of the documents of a catalog and the memories that are related.
    pub(crate) fn of(
        session: &Session,
        catalog: &Catalog,
        known: &MemorySlice,
    ) -> Result<Self, Error> {
        let graph = known.build_graph(session, catalog, GraphExtent::Everything, None, true);
        let broken_references = catalog.broken_references(session);
        let mut notes: HashMap<&str, Vec<String>> = HashMap::new();
        for conflict in &broken_references {
            notes.entry(&conflict.path).or_default().push(conflict.message.clone());
        }
        let mut stale: Vec<StaleNode> = catalog
            .entries
            .iter()
            .filter(|catalog_entry| {
                !catalog_entry.is_closed() && catalog_entry.staleness().status != Freshness::Fresh
            })
            .map(|catalog_entry| StaleNode {
                id: catalog_entry.id.clone(),
                name: catalog_entry.short_name().to_owned(),
                staleness: catalog_entry.staleness().status,
                days_old: catalog_entry.staleness().days_old,
                notes: notes.get(catalog_entry.document.path.as_str()).cloned().unwrap_or_default(),
            })
            .collect();
        stale.extend(graph.nodes.iter().filter(|node| is_stale_memory(node)).map(|node| {
            StaleNode {
                id: node.id.clone(),
                name: node.title.replace('\n', " "),
                staleness: node.staleness,
                days_old: node.days_old,
                notes: vec![],
            }
        }));
        stale.sort_by(|a, b| {
            b.staleness
                .cmp(&a.staleness)
                .then(b.days_old.cmp(&a.days_old))
                .then_with(|| a.id.cmp(&b.id))
        });
        let problems = known.with_problems(catalog.all_problems(session)?);
        let broken = broken_references.into_iter().map(|conflict| BrokenReference {
            path: conflict.path,
            line: conflict.line,
            message: conflict.message,
        });
        let health = GraphHealthReport {
            nodes: graph.nodes.len(),
            edges: graph.edges.len(),
            stale,
            orphans: graph.orphans().into_iter().map(|node| node.id.clone()).collect(),
            cycles: graph.cycles(),
            broken_references: broken.collect(),
            problems,
        };
        parallel::drop_in_background(graph, health.nodes);
        Ok(health)
    }
}

/// Returns whether a node is an active entry or record that is not fresh. Episodes are never stale: they
/// describe the past.
fn is_stale_memory(node: &GraphNode) -> bool {
    let can_be_stale = match node.kind {
        NodeKind::Entry => true,
        NodeKind::Record(kind) => kind.spec().node.can_be_stale,
        _ => false,
    };
    can_be_stale && node.status.is_none() && node.staleness != Freshness::Fresh
}

impl Answer for GraphHealthReport {
    fn view(&self) -> View {
        let mut view = View::new();
        for stale in &self.stale {
            let age = stale
                .days_old
                .map_or_else(|| "no known date".to_owned(), |days| format!("{days} days old"));
            let notes: String = stale.notes.iter().map(|note| format!(", {note}")).collect();
            view.line([
                span(
                    present::freshness_role(stale.staleness),
                    format!("⚠️ STALE [{}]: ", present::freshness_word(stale.staleness)),
                ),
                format!("{} ({age}{notes})", stale.name).into(),
            ]);
        }
        for orphan in &self.orphans {
            view.line([
                span(Role::Warning, "⚠️ ORPHAN: "),
                format!("{orphan} (no relations)").into(),
            ]);
        }
        for cycle in &self.cycles {
            let first = cycle.first().cloned().unwrap_or_default();
            view.line([
                span(Role::Bad, "⚠️ CYCLE: "),
                format!("{} → {first}", cycle.join(" → ")).into(),
            ]);
        }
        for broken in &self.broken_references {
            view.line([
                span(Role::Bad, "⚠️ BROKEN: "),
                span(Role::Source, format!("{}:{}", broken.path, broken.line)),
                format!(" {}", broken.message).into(),
            ]);
        }
        present::problems(&mut view, &self.problems);
        let finding_count = self.stale.len()
            + self.orphans.len()
            + self.cycles.len()
            + self.broken_references.len()
            + self.problems.len();
        let size = format!(
            "{}, {}",
            present::count(self.nodes, "node"),
            present::count(self.edges, "relation")
        );
        view.line([if finding_count == 0 {
            span(Role::Good, format!("{size}: no problems found"))
        } else {
            span(Role::Dim, size)
        }]);
        view
    }
}
