//! `context resolve`: what an agent inherits.

use heirloom_core::cascade::{self, Change, Contribution};
use heirloom_core::conflict::{self, Conflict, Sheet};
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::{self, Entry, Notebook};
use heirloom_core::staleness::{Action, Freshness, Staleness};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Problem, Value};
use heirloom_store::layout::{Part, Placed};
use heirloom_store::log::Log;
use heirloom_store::tokens::Tokens;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemoryItem, MemoryQuery, show_items, standing_prose};
use crate::ops::answers::ValueTable;
use crate::view::present;
use crate::view::{Role, Span, View, span};
use crate::workspace::inherit::{self, Inheritance};
use crate::workspace::memory_document::entry_ref;
use crate::workspace::template;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextResolve;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan, by name or number (0042).
    #[serde(default)]
    plan: Option<String>,
    /// Agent of that plan, by name or number (001).
    #[serde(default)]
    agent: Option<String>,
    /// Project; else the one that the plan names.
    #[serde(default)]
    project: Option<String>,
    /// Another hierarchy than the workspace's own.
    #[serde(default)]
    hierarchy: Option<String>,
    /// Names for levels of that hierarchy (level=name).
    #[serde(default)]
    select: Selectors,
    /// Show what each layer added, changed and took away.
    #[serde(default)]
    diff: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Resolved {
    /// The hierarchy by which it was resolved.
    hierarchy: String,
    /// The names that were selected.
    selectors: Selectors,
    /// Working memory: what is pinned comes first.
    pins: Vec<MemoryItem>,
    /// The merged values.
    values: Value,
    /// For every key path, who said what, the winner last.
    provenance: IndexMap<String, Vec<Contribution>>,
    /// The documents, lowest priority first.
    layers: Vec<Layer>,
    /// Documents that hold nothing but the text of their template; they are left out until they are
    /// edited.
    not_edited: Vec<String>,
    /// Accepted decisions in force.
    decisions: Vec<Decision>,
    /// The ids of decision records that state no status that is known, so that they are not among
    /// the decisions.
    decisions_without_status: Vec<String>,
    /// Where documents disagree or refer to what is gone.
    conflicts: Vec<Conflict>,
    /// What to know before relying on this.
    warnings: Vec<String>,
    /// Documents or lines that could not be read.
    problems: Vec<Problem>,
    /// Tokens (o200k) of all layers together.
    tokens: Option<usize>,
    /// With `diff`: what each layer did, in order of layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Vec<LayerDiff>>,
    #[serde(skip)]
    shown_values: ValueTable,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Layer {
    /// The file.
    source: String,
    /// Its level.
    level: String,
    /// Its level's priority.
    priority: i64,
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
    /// Tokens (o200k) of the file, without what is left out.
    tokens: Option<usize>,
    /// Its text after the front matter, without template text that nobody edited.
    prose: String,
    #[serde(skip)]
    judged: Staleness,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Decision {
    /// The record's id.
    id: String,
    /// Its title.
    title: String,
    /// Its date, as far as it is known.
    date: Option<String>,
    /// Its file.
    source: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LayerDiff {
    /// The file.
    source: String,
    /// Its level.
    level: String,
    /// What it did to what lies under it.
    changes: Vec<Change>,
}

impl Operation for ContextResolve {
    type Request = Request;
    type Response = Resolved;
    const SPEC: Spec = Spec {
        name: "context_resolve",
        usage: "context resolve [plan] [agent]",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show what an agent inherits: merged values with their sources, decisions in force, the text of every level, and warnings on what is stale or in conflict. Call it before starting work.",
    };

    fn run(session: &Session, request: Request) -> Result<Resolved, Error> {
        let mut typed: Selectors = request.select;
        for (level, name) in
            [("project", request.project), ("plan", request.plan), ("agent", request.agent)]
        {
            if let Some(name) = name {
                typed.insert(level.to_owned(), name);
            }
        }
        let mut inherited = inherit::read(session, request.hierarchy.as_deref(), &typed)?;
        let pins = remember(session, &mut inherited)?;
        Ok(Resolved { pins, ..resolved(session, inherited, request.diff) })
    }
}

/// Returns what is pinned, takes what does not stand any more out of the memory documents, and adds
/// what they are in dispute about. The log is only read if something is pinned, or if something was
/// done to an entry, which first wrote its id beside it.
fn remember(session: &Session, inherited: &mut Inheritance) -> Result<Vec<MemoryItem>, Error> {
    let is_memory = |placed: &Placed| placed.part == Part::Memory;
    let memories = || inherited.placed.iter().filter(|placed| is_memory(placed));
    let notebooks: Vec<Notebook> =
        memories().map(|placed| memory::read(&placed.document.path, &placed.text)).collect();
    let local = Log::read_local(session.root());
    let has_pins = !local.lines.is_empty() || !local.problems.is_empty();
    let is_marked = memories().any(|placed| placed.text.contains("<!-- id:"));
    let known = if has_pins || is_marked {
        // They may be of another hierarchy than the one that memory is looked for in.
        let entries = notebooks.iter().flat_map(|notebook| &notebook.entries);
        let entries = entries.map(|entry| entry_ref(&entry.id));
        Some(MemoryQuery::new().pinned().names_without_relations(entries).read(session)?)
    } else {
        None
    };
    let nothing = Memory::default();
    let memory = known.as_ref().map_or(&nothing, |known| &known.memory);
    for placed in inherited.placed.iter_mut().filter(|placed| is_memory(placed)) {
        let prose = standing_prose(memory, &placed.document, &placed.text);
        let prose = template::without(&prose);
        if let Some(head) = placed.text.strip_suffix(placed.document.prose.as_str()) {
            placed.text = format!("{head}{prose}");
        }
        placed.document.prose = prose;
    }
    let stands = |entry: &&Entry| memory.standing(&entry_ref(&entry.id)) == Standing::Active;
    let memories = inherited.placed.iter().filter(|placed| is_memory(placed));
    let sheets: Vec<Sheet<'_>> = memories
        .zip(&notebooks)
        .map(|(placed, notebook)| Sheet {
            level: &placed.level,
            owner: placed.selectors.last().map_or("", |(_, name)| name),
            path: &placed.document.path,
            entries: notebook.entries.iter().filter(stands).collect(),
        })
        .collect();
    let (plans, agents): (Vec<_>, Vec<_>) =
        sheets.into_iter().partition(|sheet| sheet.level == "plan");
    let disputes = conflict::decisions(plans.first(), &agents);
    inherited.conflicts.extend(disputes);
    inherited.problems.extend(notebooks.into_iter().flat_map(|notebook| notebook.problems));
    inherited.problems.extend(known.iter().flat_map(|known| known.problems.iter().cloned()));
    inherited.problems.sort();
    inherited.problems.dedup();
    Ok(known
        .map(|known| known.pins().into_iter().map(|(_, pin)| pin).collect())
        .unwrap_or_default())
}

/// Takes the documents out of which nothing is left.
fn without_unedited(inherited: &mut Inheritance) {
    let unedited = &inherited.unedited;
    let is_edited = |placed: &Placed| !unedited.contains(&placed.document.path);
    let kept: Vec<bool> = inherited.placed.iter().map(is_edited).collect();
    let mut at = kept.iter();
    inherited.placed.retain(|_| at.next().is_some_and(|kept| *kept));
    let mut at = kept.iter();
    inherited.judged.retain(|_| at.next().is_some_and(|kept| *kept));
}

fn resolved(session: &Session, mut inherited: Inheritance, with_diff: bool) -> Resolved {
    without_unedited(&mut inherited);
    let layers_of_values = inherit::layers(&inherited.placed);
    let values = cascade::values(&layers_of_values);
    let provenance = cascade::provenance(&layers_of_values);
    let shown_values = ValueTable::of(&layers_of_values);
    let diff = with_diff.then(|| {
        let changes = cascade::changes(&layers_of_values);
        layers_of_values
            .iter()
            .zip(changes)
            .map(|(layer, changes)| LayerDiff {
                source: layer.document.path.clone(),
                level: layer.level.to_owned(),
                changes,
            })
            .collect()
    });
    let (decisions, decisions_without_status) = decisions(&inherited);
    let mut tokens = session.counts_tokens().then(|| Tokens::open(session.root()));
    let without_status = present::without_status(&decisions_without_status);
    let mut warnings: Vec<String> =
        without_status.into_iter().map(|sentence| format!("⚠️ {sentence}")).collect();
    let layers: Vec<Layer> = inherited
        .placed
        .into_iter()
        .zip(&inherited.judged)
        .map(|(placed, judged)| {
            let staleness = judged.staleness;
            warnings.extend(inherit::staleness_warning(&placed.document.path, &staleness));
            Layer {
                tokens: tokens.as_mut().map(|tokens| tokens.count(&placed.text)),
                source: placed.document.path,
                level: placed.level,
                priority: placed.priority,
                updated: judged.updated.map(|date| date.to_string()),
                days_old: staleness.days_old,
                staleness: staleness.status,
                score: staleness.score,
                recommended_action: staleness.recommended_action,
                prose: placed.document.prose,
                judged: staleness,
            }
        })
        .collect();
    if let Some(tokens) = tokens {
        tokens.save();
    }
    warnings.extend(inherited.problems.iter().map(|problem| format!("⚠️ {problem}")));
    Resolved {
        pins: vec![],
        hierarchy: inherited.hierarchy,
        selectors: inherited.selectors,
        values,
        provenance,
        tokens: layers.iter().map(|layer| layer.tokens).sum(),
        layers,
        not_edited: inherited.unedited,
        decisions,
        decisions_without_status,
        conflicts: inherited.conflicts,
        warnings,
        problems: inherited.problems,
        diff,
        shown_values,
    }
}

/// Returns the decisions in force, and the ids of the records that do not say whether they are.
fn decisions(inherited: &Inheritance) -> (Vec<Decision>, Vec<String>) {
    let adrs: Vec<_> = inherited.records.iter().map(|record| record.adr.clone()).collect();
    let supersession = Supersession::new(&adrs);
    let in_force = adrs.iter().enumerate().filter(|(at, _)| supersession.in_force(*at));
    let decisions = in_force
        .map(|(at, adr)| Decision {
            id: adr.id.clone(),
            title: adr.title.clone(),
            date: adr
                .date
                .clone()
                .or_else(|| inherited.records[at].document.field("updated").map(str::to_owned)),
            source: adr.path.clone(),
        })
        .collect();
    (decisions, supersession.without_status().map(|at| adrs[at].id.clone()).collect())
}

impl Answer for Resolved {
    fn view(&self) -> View {
        let mut view = View::new();
        if !self.pins.is_empty() {
            view.title("Working memory");
            show_items(&mut view, &self.pins);
        }
        view.title(self.heading());
        match &self.diff {
            Some(diff) => show_diff(&mut view, diff),
            None => self.shown_values.show(&mut view, &self.provenance),
        }
        if !self.decisions.is_empty() {
            view.title("Decisions in force");
            let row = |decision: &Decision| {
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
                    present::freshness(&layer.judged),
                ]);
                view.text(layer.prose.trim_matches(['\n', '\r']));
            }
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

impl Resolved {
    fn heading(&self) -> String {
        let names: Vec<String> =
            self.selectors.iter().rev().map(|(level, name)| format!("{level} {name}")).collect();
        let what = if names.is_empty() { "the workspace".to_owned() } else { names.join(" in ") };
        let layers = present::count(self.layers.len(), "document");
        match self.hierarchy.as_str() {
            heirloom_core::hierarchy::DEFAULT => format!("What {what} inherits, from {layers}"),
            other => format!("What {what} inherits, from {layers} ({other})"),
        }
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
            view.line([span(Role::Dim, "   sets nothing new")]);
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
