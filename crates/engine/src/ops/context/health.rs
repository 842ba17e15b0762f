//! `context health`: how fresh every document is.

use heirloom_core::Problem;
use heirloom_core::graph::NodeKind;
use heirloom_core::staleness::{Action, Freshness, Staleness};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, Filed};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec, memory};

pub(crate) struct ContextHealth;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Show only what is not fresh.
    #[serde(default)]
    stale: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// The documents, stalest first.
    documents: Vec<DocumentHealth>,
    /// How many of each.
    counts: Counts,
    /// What could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DocumentHealth {
    /// Its id.
    id: String,
    /// What it is.
    #[serde(rename = "type")]
    kind: NodeKind,
    /// The file.
    source: String,
    /// Its date.
    updated: Option<String>,
    /// Days since then.
    days_old: Option<i64>,
    /// How fresh it is.
    staleness: Freshness,
    /// Days over its refresh interval.
    score: Option<f64>,
    /// What to do about it.
    recommended_action: Action,
    /// Whether it is finished (done, superseded, …), so that its age is no matter.
    closed: bool,
    /// Whether it holds nothing but the text of its template, so that no agent is given it.
    not_edited: bool,
    #[serde(skip)]
    judged: Staleness,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Counts {
    fresh: usize,
    unknown: usize,
    warning: usize,
    critical: usize,
    closed: usize,
    /// Documents that nobody has edited yet.
    not_edited: usize,
}

impl Operation for ContextHealth {
    type Request = Request;
    type Response = Health;
    const SPEC: Spec = Spec {
        name: "context_health",
        usage: "context health",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Check how fresh every document of the workspace is and what to do about the stale ones.",
    };

    fn run(session: &Session, request: Request) -> Result<Health, Error> {
        let (catalog, _) = Catalog::overview(session)?;
        let mut counts = Counts::default();
        let mut documents: Vec<DocumentHealth> = Vec::with_capacity(catalog.filed.len());
        for filed in &catalog.filed {
            let health = health_of(&catalog, filed);
            match (health.closed, health.not_edited, health.staleness) {
                (true, _, _) => counts.closed += 1,
                (false, true, _) => counts.not_edited += 1,
                (false, false, Freshness::Fresh) => counts.fresh += 1,
                (false, false, Freshness::Unknown) => counts.unknown += 1,
                (false, false, Freshness::Warning) => counts.warning += 1,
                (false, false, Freshness::Critical) => counts.critical += 1,
            }
            let is_stale = health.staleness != Freshness::Fresh && !health.not_edited;
            if !request.stale || (!health.closed && is_stale) {
                documents.push(health);
            }
        }
        documents.sort_by(|a, b| {
            a.closed
                .cmp(&b.closed)
                .then(a.not_edited.cmp(&b.not_edited))
                .then(b.score.unwrap_or(f64::MAX).total_cmp(&a.score.unwrap_or(f64::MAX)))
                .then_with(|| a.source.cmp(&b.source))
        });
        let mut problems = catalog.all_problems(session)?;
        problems.extend(memory::log_problems(session));
        problems.sort();
        problems.dedup();
        catalog.let_go();
        Ok(Health { documents, counts, problems })
    }
}

fn health_of(catalog: &Catalog, filed: &Filed) -> DocumentHealth {
    let staleness = match catalog.is_root_document(filed) {
        true => filed.staleness().review_at_most(),
        false => *filed.staleness(),
    };
    DocumentHealth {
        id: filed.id.clone(),
        kind: filed.kind,
        source: filed.document.path.clone(),
        updated: filed.judged.updated.map(|date| date.to_string()),
        days_old: staleness.days_old,
        staleness: staleness.status,
        score: staleness.score,
        recommended_action: staleness.recommended_action,
        closed: filed.is_closed(),
        not_edited: filed.kind != NodeKind::Memory && filed.is_unedited,
        judged: staleness,
    }
}

impl Answer for Health {
    fn view(&self) -> View {
        let mut view = View::new();
        let Counts { fresh, unknown, warning, critical, closed, not_edited } = &self.counts;
        view.line([
            span(Role::Good, format!("{fresh} fresh")),
            ", ".into(),
            span(Role::Warning, format!("{warning} warning")),
            ", ".into(),
            span(Role::Bad, format!("{critical} critical")),
            format!(", {unknown} unknown, {closed} closed").into(),
        ]);
        if *not_edited > 0 {
            view.line([span(
                Role::Dim,
                format!(
                    "{} not edited yet; template text is left out of contexts, token counts and recall",
                    present::count(*not_edited, "document")
                ),
            )]);
        }
        if !self.documents.is_empty() {
            view.blank();
        }
        let rows = self.documents.iter().map(|document| {
            let (freshness, action) = match (document.closed, document.not_edited) {
                (true, _) => (span(Role::Dim, "closed"), ""),
                (false, true) => (span(Role::Dim, "template"), "not edited yet"),
                (false, false) => (
                    present::freshness(&document.judged),
                    present::action(document.recommended_action),
                ),
            };
            vec![
                span(Role::Source, &document.source),
                freshness,
                span(Role::Dim, document.updated.as_deref().unwrap_or("no date")),
                action.into(),
            ]
        });
        view.table(&["document", "freshness", "updated", "action"], rows.collect());
        if !self.problems.is_empty() {
            view.title("Problems");
            present::problems(&mut view, &self.problems);
        }
        view
    }
}
