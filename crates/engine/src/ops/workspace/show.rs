//! `workspace show`: shows an overview of the workspace.

use heirloom_core::Value;
use heirloom_core::cascade::{self, Contribution};
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::Selectors;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::answers::ValueTable;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::workspace::inherit;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct WorkspaceShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceOverview {
    /// Path of the workspace.
    root: String,
    /// Name of the hierarchy.
    hierarchy: String,
    /// Title of the workspace.
    title: Option<String>,
    /// Merged values that all work inherits.
    values: Value,
    /// For every key path, the documents that set it, the winner last.
    provenance: IndexMap<String, Vec<Contribution>>,
    /// The documents of the workspace level.
    documents: Vec<WorkspaceDocument>,
    /// Number of documents by kind.
    counts: DocumentCounts,
    #[serde(skip)]
    shown_values: ValueTable,
    #[serde(skip)]
    prose: Vec<(String, String)>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WorkspaceDocument {
    source: String,
    title: Option<String>,
    updated: Option<String>,
    #[serde(flatten)]
    staleness: heirloom_core::staleness::Staleness,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct DocumentCounts {
    projects: usize,
    plans: usize,
    agents: usize,
    memories: usize,
    adrs: usize,
    context: usize,
}

impl Operation for WorkspaceShow {
    type Request = Request;
    type Response = WorkspaceOverview;
    const SPEC: Spec = Spec {
        name: "workspace_show",
        usage: "workspace show",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show the workspace: what all work inherits from it, and how many projects, plans, agents and decisions it has.",
    };

    fn run(session: &Session, _: Request) -> Result<WorkspaceOverview, Error> {
        let inherited = inherit::read(session, None, &Selectors::new())?;
        let catalog = Catalog::read(session)?;
        let mut counts = DocumentCounts::default();
        for catalog_entry in &catalog.entries {
            let counter = match catalog_entry.kind {
                NodeKind::Project => &mut counts.projects,
                NodeKind::Plan => &mut counts.plans,
                NodeKind::Agent => &mut counts.agents,
                NodeKind::Memory => &mut counts.memories,
                NodeKind::Adr => &mut counts.adrs,
                NodeKind::Context => &mut counts.context,
                // Records and entries are nodes of the graph, not documents.
                NodeKind::Record(_) | NodeKind::Entry => continue,
            };
            *counter += 1;
        }
        let documents =
            inherited.placed.iter().zip(&inherited.assessments).map(|(placed, assessment)| {
                WorkspaceDocument {
                    source: placed.document.path.clone(),
                    title: placed.document.title.clone(),
                    updated: assessment.updated.map(|date| date.to_string()),
                    staleness: assessment.staleness,
                }
            });
        let layers = inherit::layers(&inherited.placed);
        Ok(WorkspaceOverview {
            root: session.root().path().display().to_string(),
            hierarchy: inherited.hierarchy.clone(),
            title: inherited.placed.first().and_then(|placed| placed.document.title.clone()),
            values: cascade::merged_values(&layers),
            provenance: cascade::provenance(&layers),
            shown_values: ValueTable::of(&layers),
            documents: documents.collect(),
            counts,
            prose: inherited
                .placed
                .iter()
                .map(|placed| (placed.document.path.clone(), placed.document.prose.clone()))
                .collect(),
        })
    }
}

impl Answer for WorkspaceOverview {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(self.title.clone().unwrap_or_else(|| "Workspace".into()));
        view.line([span(Role::Source, &self.root), format!("  ({})", self.hierarchy).into()]);
        let DocumentCounts { projects, plans, agents, memories, adrs, context } = &self.counts;
        view.plain_line(format!(
            "{}, {}, {}, {}, {}, {}",
            present::count(*projects, "project"),
            present::count(*plans, "plan"),
            present::count(*agents, "agent"),
            present::count(*memories, "memory file"),
            present::count(*adrs, "decision record"),
            present::count(*context, "context document")
        ));
        self.shown_values.show(&mut view, &self.provenance);
        view.title("Documents that all work inherits");
        let rows = self.documents.iter().map(|listed| {
            vec![
                span(Role::Source, &listed.source),
                listed.title.as_deref().unwrap_or("").into(),
                present::freshness(&listed.staleness),
            ]
        });
        view.table(&[], rows.collect());
        for (source, prose) in self.prose.iter().filter(|(_, prose)| !prose.trim().is_empty()) {
            view.blank();
            view.line([span(Role::Title, "── "), span(Role::Source, source)]);
            view.text(prose.trim_matches(['\n', '\r']));
        }
        view
    }
}
