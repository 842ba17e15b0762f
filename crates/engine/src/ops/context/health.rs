//! `context health`: reports the age of every document.

use heirloom_core::Problem;
use heirloom_core::graph::NodeKind;
use heirloom_core::memory::MemoryFormat;
use heirloom_core::staleness::{Freshness, RecommendedAction, Staleness};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryQuery;
use crate::memory::long_files::{LongFile, find_long_files};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec, memory};

pub(crate) struct ContextHealth;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only documents that are not fresh.
    #[serde(default)]
    stale: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextHealthReport {
    /// The documents, stalest first.
    documents: Vec<DocumentHealth>,
    /// Number of documents by freshness.
    counts: FreshnessCounts,
    /// Files of decisions and lessons that have grown long, with what could be archived or split off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    long_files: Vec<LongFile>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DocumentHealth {
    /// Id of the document.
    id: String,
    /// Kind of document.
    #[serde(rename = "type")]
    kind: NodeKind,
    /// Path of the file.
    source: String,
    /// Date of the last update.
    updated: Option<String>,
    /// Days since that date.
    days_old: Option<i64>,
    /// Freshness.
    staleness: Freshness,
    /// Days over its refresh interval.
    score: Option<f64>,
    /// Recommended action.
    recommended_action: RecommendedAction,
    /// Whether it is finished (done, superseded, …), so that its age does not matter.
    closed: bool,
    /// Whether it contains only template text; contexts leave it out.
    not_edited: bool,
    #[serde(skip)]
    staleness_details: Staleness,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FreshnessCounts {
    pub(crate) fresh: usize,
    pub(crate) unknown: usize,
    pub(crate) warning: usize,
    pub(crate) critical: usize,
    pub(crate) closed: usize,
    /// Documents that contain only template text.
    pub(crate) not_edited: usize,
}

impl FreshnessCounts {
    /// Counts the documents of a catalog.
    pub(crate) fn of(catalog: &Catalog) -> Self {
        let mut counts = FreshnessCounts::default();
        catalog.entries.iter().for_each(|entry| counts.add(&health_of(catalog, entry)));
        counts
    }

    fn add(&mut self, health: &DocumentHealth) {
        match (health.closed, health.not_edited, health.staleness) {
            (true, _, _) => self.closed += 1,
            (false, true, _) => self.not_edited += 1,
            (false, false, Freshness::Fresh) => self.fresh += 1,
            (false, false, Freshness::Unknown) => self.unknown += 1,
            (false, false, Freshness::Warning) => self.warning += 1,
            (false, false, Freshness::Critical) => self.critical += 1,
        }
    }
}

impl Operation for ContextHealth {
    type Request = Request;
    type Response = ContextHealthReport;
    const SPEC: Spec = Spec {
        name: "context_health",
        usage: "context health",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show how fresh every document is, and what to do about stale ones.",
    };

    fn run(session: &Session, request: Request) -> Result<ContextHealthReport, Error> {
        let (catalog, cached_entries) = Catalog::read_without_text(session)?;
        let mut counts = FreshnessCounts::default();
        let mut documents: Vec<DocumentHealth> = Vec::with_capacity(catalog.entries.len());
        for catalog_entry in &catalog.entries {
            let health = health_of(&catalog, catalog_entry);
            counts.add(&health);
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
        let has_learnings = catalog.entries.iter().any(|entry| {
            entry.memory_format.is_some_and(|format| format != MemoryFormat::Sections)
        });
        let long_files = match has_learnings {
            true => {
                let query = MemoryQuery::new();
                let known = query.read_with_cached_entries(session, &catalog, cached_entries)?;
                find_long_files(session, &known)
            }
            false => vec![],
        };
        catalog.drop_in_background();
        Ok(ContextHealthReport { documents, counts, long_files, problems })
    }
}

fn health_of(catalog: &Catalog, catalog_entry: &CatalogEntry) -> DocumentHealth {
    let staleness = match catalog.is_root_document(catalog_entry) {
        true => catalog_entry.staleness().without_archiving(),
        false => *catalog_entry.staleness(),
    };
    DocumentHealth {
        id: catalog_entry.id.clone(),
        kind: catalog_entry.kind,
        source: catalog_entry.document.path.clone(),
        updated: catalog_entry.assessment.updated.map(|date| date.to_string()),
        days_old: staleness.days_old,
        staleness: staleness.status,
        score: staleness.score,
        recommended_action: staleness.recommended_action,
        closed: catalog_entry.is_closed(),
        not_edited: catalog_entry.kind != NodeKind::Memory && catalog_entry.is_unedited,
        staleness_details: staleness,
    }
}

impl Answer for ContextHealthReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let FreshnessCounts { fresh, unknown, warning, critical, closed, not_edited } =
            &self.counts;
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
                    "{} not edited yet; contexts, token counts and recall leave template text out",
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
                    present::freshness(&document.staleness_details),
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
        if !self.long_files.is_empty() {
            view.title("Long files");
        }
        self.long_files.iter().for_each(|file| file.show(&mut view));
        if !self.problems.is_empty() {
            view.title("Problems");
            present::problems(&mut view, &self.problems);
        }
        view
    }
}
