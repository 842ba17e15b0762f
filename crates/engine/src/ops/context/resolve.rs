//! `context resolve`: shows the context that an agent inherits.

use std::collections::{HashMap, HashSet};

use heirloom_core::cascade::{self, Contribution, ValueChange};
use heirloom_core::conflict::Conflict;
use heirloom_core::document::DocumentForm;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::staleness::{Freshness, RecommendedAction, Staleness};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Hint, Problem, Value};
use heirloom_store::layout::HierarchyDocument;
use heirloom_store::tokens::TokenCounter;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::load::show_left_out;
use super::used_budget::{FittedText, UsedBudget};
use crate::loading::{LeftOutFile, apply_memory, check_budget, remove_unedited};
use crate::memory::{MemoryItem, show_items};
use crate::ops::answers::ValueTable;
use crate::view::present;
use crate::view::{Role, Span, View, span};
use crate::workspace::inherit::{self, Assessment, Inheritance};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextResolve;

/// Values use at most this part of a budget, so that the text gets something too.
const MAX_VALUES_PART: usize = 2;

/// Decisions use at most this part of a budget.
const MAX_DECISIONS_PART: usize = 4;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan, by name or number (0042).
    #[serde(default)]
    plan: Option<String>,
    /// Agent of that plan, by name or number (001).
    #[serde(default)]
    agent: Option<String>,
    /// Project; default: the one the plan states.
    #[serde(default)]
    project: Option<String>,
    /// Hierarchy; default: the workspace's own.
    #[serde(default)]
    hierarchy: Option<String>,
    /// Names for levels of that hierarchy (level=name).
    #[serde(default)]
    select: Selectors,
    /// Show what each layer adds, changes and removes.
    #[serde(default)]
    diff: bool,
    /// Most tokens (o200k) of pins, values, decisions and the text of all levels; default: no limit. Text that does not
    /// fit whole is shortened; what does not fit at all is listed.
    #[serde(default)]
    budget: Option<i64>,
    /// With a budget: role, which decides how it is split; default: the one of the agent.
    #[serde(default)]
    role: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResolvedContext {
    /// Name of the hierarchy.
    hierarchy: String,
    /// Selected name of each level.
    selectors: Selectors,
    /// Pinned memories.
    pins: Vec<MemoryItem>,
    /// Merged values.
    values: Value,
    /// For every key path, the documents that set it, the winner last.
    provenance: IndexMap<String, Vec<Contribution>>,
    /// Documents, lowest priority first.
    layers: Vec<ContextLayer>,
    /// Documents that contain only template text and are left out.
    not_edited: Vec<String>,
    /// Accepted decisions in force.
    decisions: Vec<DecisionInForce>,
    /// Ids of decision records without a known status, which are not among the decisions.
    decisions_without_status: Vec<String>,
    /// Conflicts between documents.
    conflicts: Vec<Conflict>,
    /// Warnings, such as stale documents.
    warnings: Vec<Hint>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
    /// Tokens (o200k) of all layers; with `budget`, also of pins, values and decisions.
    tokens: Option<usize>,
    /// With `budget`: documents that did not fit in any form.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<LeftOutFile>>,
    /// With `budget`: the ids of pins, the keys of values and the ids of decisions that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_lines: Option<Vec<String>>,
    /// With `diff`: the changes of each layer, in order of layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Vec<LayerDiff>>,
    #[serde(skip)]
    value_table: ValueTable,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ContextLayer {
    /// Path of the file.
    source: String,
    /// Level of the document.
    level: String,
    /// Priority of the level.
    priority: i64,
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
    /// Tokens (o200k) of the text that is included.
    tokens: Option<usize>,
    /// With `budget`: how much of the document the text is.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<DocumentForm>,
    /// Text after the front matter, without template text.
    prose: String,
    #[serde(skip)]
    staleness_details: Staleness,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DecisionInForce {
    /// Id of the decision record.
    id: String,
    /// Title.
    title: String,
    /// Date, if known.
    date: Option<String>,
    /// Path of the file.
    source: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LayerDiff {
    /// Path of the file.
    source: String,
    /// Level of the document.
    level: String,
    /// Changes to the values of the layers below.
    changes: Vec<ValueChange>,
}

impl Operation for ContextResolve {
    type Request = Request;
    type Response = ResolvedContext;
    const SPEC: Spec = Spec {
        name: "context_resolve",
        usage: "context resolve [plan] [agent]",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show what an agent inherits. Call it before starting work. Returns merged values with sources, decisions in force, the text of every level, and warnings about stale or conflicting documents.",
    };

    fn run(session: &Session, request: Request) -> Result<ResolvedContext, Error> {
        let mut selectors: Selectors = request.select;
        for (level, name) in
            [("project", request.project), ("plan", request.plan), ("agent", request.agent)]
        {
            if let Some(name) = name {
                selectors.insert(level.to_owned(), name);
            }
        }
        let budget = request.budget.map(check_budget).transpose()?;
        let mut inherited = inherit::read(session, request.hierarchy.as_deref(), &selectors)?;
        let pins = apply_memory(session, &mut inherited)?;
        remove_unedited(&mut inherited);
        let Some(budget) = budget else {
            return Ok(ResolvedContext { pins, ..resolve(session, &inherited, request.diff) });
        };
        let mut resolved = ResolvedContext { pins, ..resolve(session, &inherited, request.diff) };
        let mut used = UsedBudget::new(session, budget);
        resolved.limit_lines(&mut used);
        let text = used.take_text(session, &inherited, request.role.as_deref())?;
        Ok(resolved.with_text(text))
    }
}

fn resolve(session: &Session, inherited: &Inheritance, with_diff: bool) -> ResolvedContext {
    let value_layers = inherit::layers(&inherited.placed);
    let values = cascade::merged_values(&value_layers);
    let provenance = cascade::provenance(&value_layers);
    let value_table = ValueTable::of(&value_layers);
    let diff = with_diff.then(|| diffs(&value_layers));
    let (decisions, decisions_without_status) = decisions(inherited);
    let without_status = present::missing_status_warning(&decisions_without_status);
    let mut warnings: Vec<Hint> =
        without_status.into_iter().map(|sentence| format!("⚠️ {sentence}").into()).collect();
    for (placed, assessment) in inherited.placed.iter().zip(&inherited.assessments) {
        let warning = inherit::staleness_warning(&placed.document.path, &assessment.staleness);
        warnings.extend(warning.map(Hint::from));
    }
    let problems = inherited.problems.iter();
    warnings.extend(problems.map(|problem| Hint::text("⚠️ ").then_hint(&problem.describe())));
    let layers = context_layers(session, &inherited.placed, &inherited.assessments);
    ResolvedContext {
        pins: vec![],
        hierarchy: inherited.hierarchy.clone(),
        selectors: inherited.selectors.clone(),
        values,
        provenance,
        tokens: layers.iter().map(|layer| layer.tokens).sum(),
        layers,
        not_edited: inherited.unedited.clone(),
        decisions,
        decisions_without_status,
        conflicts: inherited.conflicts.clone(),
        warnings,
        problems: inherited.problems.clone(),
        left_out: None,
        left_out_lines: None,
        diff,
        value_table,
    }
}

fn diffs(layers: &[cascade::Layer<'_>]) -> Vec<LayerDiff> {
    let changes = cascade::changes(layers);
    layers
        .iter()
        .zip(changes)
        .map(|(layer, changes)| LayerDiff {
            source: layer.document.path.clone(),
            level: layer.level.to_owned(),
            changes,
        })
        .collect()
}

/// Describes the documents, with their token counts if the session asks for them.
fn context_layers(
    session: &Session,
    placed: &[HierarchyDocument],
    assessments: &[Assessment],
) -> Vec<ContextLayer> {
    let mut tokens = session.counts_tokens().then(|| TokenCounter::open(session.root()));
    let layers = placed
        .iter()
        .zip(assessments)
        .map(|(placed, assessment)| {
            let staleness = assessment.staleness;
            ContextLayer {
                tokens: tokens.as_mut().map(|tokens| tokens.count(&placed.text)),
                source: placed.document.path.clone(),
                level: placed.level.clone(),
                priority: placed.priority,
                updated: assessment.updated.map(|date| date.to_string()),
                days_old: staleness.days_old,
                staleness: staleness.status,
                score: staleness.score,
                recommended_action: staleness.recommended_action,
                form: None,
                prose: placed.document.prose.clone(),
                staleness_details: staleness,
            }
        })
        .collect();
    if let Some(tokens) = tokens {
        tokens.save();
    }
    layers
}

/// Returns the decisions in force, and the ids of records without a known status.
fn decisions(inherited: &Inheritance) -> (Vec<DecisionInForce>, Vec<String>) {
    let adrs: Vec<_> = inherited.records.iter().map(|record| record.adr.clone()).collect();
    let supersession = Supersession::new(&adrs);
    let in_force = adrs.iter().enumerate().filter(|(at, _)| supersession.is_in_force(*at));
    let decisions = in_force
        .map(|(at, adr)| DecisionInForce {
            id: adr.id.clone(),
            title: adr.title.clone(),
            date: adr
                .date
                .clone()
                .or_else(|| inherited.records[at].document.field("updated").map(str::to_owned)),
            source: adr.path.clone(),
        })
        .collect();
    (decisions, supersession.indexes_without_status().map(|at| adrs[at].id.clone()).collect())
}

impl Answer for ResolvedContext {
    fn view(&self) -> View {
        let mut view = View::new();
        if !self.pins.is_empty() {
            view.title("Working memory");
            show_items(&mut view, &self.pins);
        }
        view.title(self.heading());
        match &self.diff {
            Some(diff) => show_diff(&mut view, diff),
            None if self.provenance.is_empty() && self.left_out_lines.is_some() => {}
            None => self.value_table.show(&mut view, &self.provenance),
        }
        if !self.decisions.is_empty() {
            view.title("Decisions in force");
            let row = |decision: &DecisionInForce| {
                vec![
                    span(Role::Key, &decision.id),
                    decision.title.as_str().into(),
                    span(Role::Dim, decision.date.as_deref().unwrap_or("")),
                    span(Role::Source, &decision.source),
                ]
            };
            view.table(&[], self.decisions.iter().map(row).collect());
        }
        if self.diff.is_none() {
            for layer in self.layers.iter().filter(|layer| !layer.prose.trim().is_empty()) {
                view.blank();
                view.line([
                    span(Role::Title, format!("── {} ", layer.level)),
                    span(Role::Source, &layer.source),
                    " · ".into(),
                    present::freshness(&layer.staleness_details),
                    layer.form_remark().into(),
                ]);
                view.text(layer.prose.trim_matches(['\n', '\r']));
            }
        }
        show_left_out(&mut view, self.left_out.as_deref().unwrap_or_default());
        if let Some(names) = self.left_out_lines.as_deref().filter(|names| !names.is_empty()) {
            view.blank();
            let names = names.join(", ");
            let message = format!("values, decisions and pins that did not fit: {names}");
            view.line([span(Role::Dim, message)]);
        }
        if !self.not_edited.is_empty() {
            let paths = self.not_edited.join(", ");
            view.blank();
            view.line([span(Role::Dim, format!("not edited yet, so left out: {paths}"))]);
        }
        if !self.warnings.is_empty() || !self.conflicts.is_empty() {
            view.title("Warnings");
            self.conflicts.iter().for_each(|conflict| present::conflict(&mut view, conflict));
            for warning in &self.warnings {
                view.line([span(Role::Warning, warning)]);
            }
        }
        view
    }
}

impl ResolvedContext {
    /// Replaces the text of the layers by what was chosen of it. A layer whose text was left out keeps its place, since
    /// its values apply.
    fn with_text(mut self, fitted: FittedText) -> Self {
        let mut left_out = Vec::new();
        let mut entries = HashMap::new();
        for chosen in fitted.layers {
            left_out.extend(chosen.left_out);
            entries.extend(
                chosen.entries.into_iter().map(|entry| (entry.document.path.clone(), entry)),
            );
        }
        for layer in &mut self.layers {
            let entry = entries.remove(&layer.source);
            layer.tokens = Some(entry.as_ref().map_or(0, |entry| entry.tokens));
            layer.form = entry.as_ref().map(|entry| entry.form);
            layer.prose = entry.map(|entry| entry.content).unwrap_or_default();
        }
        self.tokens = Some(fitted.tokens);
        self.left_out = Some(left_out);
        self
    }

    fn heading(&self) -> String {
        let names: Vec<String> =
            self.selectors.iter().rev().map(|(level, name)| format!("{level} {name}")).collect();
        let what = if names.is_empty() { "the workspace".to_owned() } else { names.join(" in ") };
        let layers = present::count(self.layers.len(), "document");
        match self.hierarchy.as_str() {
            heirloom_core::hierarchy::DEFAULT_HIERARCHY => {
                format!("What {what} inherits, from {layers}")
            }
            other => format!("What {what} inherits, from {layers} ({other})"),
        }
    }
}

impl ContextLayer {
    /// Returns which form of the document is shown, if it is not the full one.
    fn form_remark(&self) -> String {
        let smaller = self.form.filter(|form| *form != DocumentForm::Full);
        smaller.map(|form| format!(" · {}", form.as_str())).unwrap_or_default()
    }
}

fn show_diff(view: &mut View, diff: &[LayerDiff]) {
    for layer in diff {
        view.blank();
        view.line([
            span(Role::Title, format!("── {} ", layer.level)),
            span(Role::Source, &layer.source),
        ]);
        if layer.changes.is_empty() {
            view.line([span(Role::Dim, "   changes nothing")]);
        }
        for change in &layer.changes {
            let spans: Vec<Span> = match (&change.before, &change.after) {
                (None, Some(after)) => {
                    vec![span(Role::Good, format!(" + {}: {}", change.key, present::value(after)))]
                }
                (Some(before), Some(after)) => vec![span(
                    Role::Warning,
                    format!(
                        " ~ {}: {} → {}",
                        change.key,
                        present::value(before),
                        present::value(after)
                    ),
                )],
                (before, None) => vec![span(
                    Role::Bad,
                    format!(
                        " - {}: {}",
                        change.key,
                        before.as_ref().map(present::value).unwrap_or_default()
                    ),
                )],
            };
            view.line(spans);
        }
    }
}

impl ResolvedContext {
    /// Leaves out pins, values and decisions that do not fit, and lists them.
    fn limit_lines(&mut self, used: &mut UsedBudget<'_>) {
        let pins: Vec<String> = self.pins.iter().map(pin_line).collect();
        let kept = used.take_lines(1, &pins);
        let mut left_out = retain(&mut self.pins, &kept, |pin| pin.short_id().to_owned());
        left_out.extend(self.limit_values(used));
        let decisions: Vec<String> = self.decisions.iter().map(decision_line).collect();
        let kept = used.take_lines(MAX_DECISIONS_PART, &decisions);
        left_out.extend(retain(&mut self.decisions, &kept, |decision| decision.id.clone()));
        self.left_out_lines = Some(left_out);
    }

    /// Leaves out values that do not fit. Those of the most specific level come first.
    fn limit_values(&mut self, used: &mut UsedBudget<'_>) -> Vec<String> {
        let priority_of = |source: &str| {
            let layer = self.layers.iter().position(|layer| layer.source == source);
            layer.unwrap_or_default()
        };
        let mut rows: Vec<(usize, String, String)> = self
            .provenance
            .iter()
            .map(|(key, history)| {
                let winner = history.last().map_or("", |winner| &winner.source);
                (priority_of(winner), key.clone(), self.value_table.row(key, history).join(" "))
            })
            .collect();
        rows.sort_by_key(|(priority, _, _)| std::cmp::Reverse(*priority));
        let lines: Vec<String> = rows.iter().map(|(_, _, line)| line.clone()).collect();
        let kept = used.take_lines(MAX_VALUES_PART, &lines);
        let rows = rows.into_iter().zip(kept);
        let removed: Vec<String> =
            rows.filter(|(_, is_kept)| !is_kept).map(|((_, key, _), _)| key).collect();
        let set: HashSet<&str> = removed.iter().map(String::as_str).collect();
        self.provenance.retain(|key, _| !set.contains(key.as_str()));
        cascade::remove_keys(&mut self.values, |key| set.contains(key));
        removed
    }
}

/// Keeps the items that are marked, and returns the names of the others.
fn retain<T>(items: &mut Vec<T>, kept: &[bool], name: impl Fn(&T) -> String) -> Vec<String> {
    let mut flags = kept.iter();
    let mut removed = Vec::new();
    items.retain(|item| {
        let is_kept = flags.next() == Some(&true);
        if !is_kept {
            removed.push(name(item));
        }
        is_kept
    });
    removed
}

fn pin_line(pin: &MemoryItem) -> String {
    format!("{} {} {}", pin.short_id(), pin.text, pin.source)
}

fn decision_line(decision: &DecisionInForce) -> String {
    let date = decision.date.as_deref().unwrap_or_default();
    format!("{} {} {date} {}", decision.id, decision.title, decision.source)
}
