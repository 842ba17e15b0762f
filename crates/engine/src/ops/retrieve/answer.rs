//! The response of operations that retrieve.

use heirloom_core::hint::{Hint, HintFormatter};
use heirloom_core::{Problem, Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::entries::{DocumentEntry, LearningEntry, OverviewEntry, Tier};
use super::lists::{ListSpec, ListVisitor};
use crate::Answer;
use crate::operation::format_answer;
use crate::view::formats::EntryFormat;
use crate::view::{Role, View, format_yaml, present, span};

/// The answer to a request that retrieves. Each list is part of the answer if the request asks for its kind.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
pub(crate) struct Retrieval {
    /// Scope that was asked for; none for the plans of the repository itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<String>,
    /// Overviews, the outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) overviews: Option<Vec<OverviewEntry>>,
    /// Decisions, those of the nearest scope first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decisions: Option<Vec<LearningEntry>>,
    /// Lessons, those of the nearest scope first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lessons: Option<Vec<LearningEntry>>,
    /// Plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plans: Option<Vec<DocumentEntry>>,
    /// Documents in `_features`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) features: Option<Vec<DocumentEntry>>,
    /// Documents in `_spikes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spikes: Option<Vec<DocumentEntry>>,
    /// Documents in `_architecture`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) architecture: Option<Vec<DocumentEntry>>,
    /// Entries that are not shown because they do not hold any more.
    #[serde(skip_serializing_if = "HiddenCount::is_zero")]
    pub(super) not_shown: HiddenCount,
    /// What did not fit into the budget, and how to get it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<LeftOutEntries>,
    /// Tokens (o200k) of the answer, if a budget was given or something is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<usize>,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) problems: Vec<Problem>,
    /// The answer as YAML, if the request asks for that format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) format: Option<EntryFormat>,
    /// The whole answer as YAML, if it was written already and has no hints.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) written: Option<String>,
}

/// How many entries are not shown because they do not hold any more.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct HiddenCount {
    /// Archived entries.
    pub(super) archived: usize,
    /// Superseded entries.
    pub(super) superseded: usize,
}

/// Entries that did not fit into the budget.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct LeftOutEntries {
    /// List that they belong to.
    pub(super) list: &'static str,
    /// How many are left out.
    pub(super) entries: usize,
    /// How many are shortened.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) shortened: usize,
    /// Tokens (o200k) that were saved; of a long list, estimated from its first entries.
    pub(super) tokens: usize,
    /// How to get them.
    pub(super) get: Hint,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl HiddenCount {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of another list.
    pub(super) fn add(&mut self, other: HiddenCount) {
        self.archived += other.archived;
        self.superseded += other.superseded;
    }
}

impl LeftOutEntries {
    /// Makes the count of a list of which nothing is left out yet.
    pub(super) fn new(list: &'static str) -> Self {
        LeftOutEntries { list, entries: 0, shortened: 0, tokens: 0, get: Hint::default() }
    }
}

impl Retrieval {
    /// Returns the answer as a value, with its hints as they are stored.
    pub(super) fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Visits the lists that the answer has, the most important first.
    pub(super) fn visit_lists(&mut self, visitor: &mut impl ListVisitor) {
        let spec = |name, operation, share| ListSpec { name, operation, share };
        if let Some(entries) = &mut self.decisions {
            visitor.visit(spec("decisions", Some("retrieve_learnings"), 0.25), entries);
        }
        if let Some(entries) = &mut self.lessons {
            visitor.visit(spec("lessons", Some("retrieve_learnings"), 0.2), entries);
        }
        if let Some(entries) = &mut self.overviews {
            visitor.visit(spec("overviews", Some("retrieve_overview"), 0.2), entries);
        }
        if let Some(entries) = &mut self.plans {
            visitor.visit(spec("plans", Some("retrieve_plans"), 0.25), entries);
        }
        let folders = [
            ("architecture", &mut self.architecture),
            ("features", &mut self.features),
            ("spikes", &mut self.spikes),
        ];
        for (name, entries) in folders {
            if let Some(entries) = entries {
                visitor.visit(spec(name, None, 0.03), entries);
            }
        }
    }
}

impl Answer for Retrieval {
    fn view(&self) -> View {
        match self.format.unwrap_or_default() {
            EntryFormat::Yaml => match &self.written {
                Some(written) => View::raw(written),
                None => View::yaml(self.value()),
            },
            EntryFormat::Json => View::json(self.value()),
            EntryFormat::Table => self.tables(),
        }
    }

    fn data(&self, word: HintFormatter<'_>) -> Value {
        let mut data = format_answer(self, word);
        if self.format == Some(EntryFormat::Yaml) {
            let written = self.written.clone();
            data["text"] = written.unwrap_or_else(|| format_yaml(&self.value(), word)).into();
        }
        data
    }
}

impl Retrieval {
    fn tables(&self) -> View {
        let mut view = View::new();
        if let Some(overviews) = &self.overviews {
            show_overviews(&mut view, overviews);
        }
        for (title, learnings) in [("Decisions", &self.decisions), ("Lessons", &self.lessons)] {
            if let Some(learnings) = learnings {
                show_learnings(&mut view, title, learnings);
            }
        }
        for (title, documents) in [
            ("Plans", &self.plans),
            ("Features", &self.features),
            ("Spikes", &self.spikes),
            ("Architecture", &self.architecture),
        ] {
            if let Some(documents) = documents {
                show_documents(&mut view, title, documents);
            }
        }
        self.show_rest(&mut view);
        view
    }

    fn show_rest(&self, view: &mut View) {
        let HiddenCount { archived, superseded } = self.not_shown;
        if archived + superseded > 0 {
            view.blank();
            let text = format!("not shown: {archived} archived, {superseded} superseded");
            view.line([span(Role::Dim, text)]);
        }
        if !self.left_out.is_empty() {
            view.title("Left out");
            let row = |left: &LeftOutEntries| {
                vec![
                    span(Role::Key, left.list),
                    format!("{} left out, {} shortened", left.entries, left.shortened).into(),
                    span(Role::Dim, format!("{} tokens", left.tokens)),
                    span(Role::Plain, &left.get),
                ]
            };
            view.table(&[], self.left_out.iter().map(row).collect());
        }
        if !self.problems.is_empty() {
            view.title("Problems");
            present::problems(view, &self.problems);
        }
    }
}

/// The longest text in a cell, in characters.
const MAX_CELL_CHARS: usize = 160;

fn cell(text: Option<&str>) -> String {
    let line = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_CELL_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn show_overviews(view: &mut View, overviews: &[OverviewEntry]) {
    view.title("Overviews");
    show_none(view, overviews.is_empty());
    let row = |entry: &OverviewEntry| {
        vec![
            span(Role::Key, &entry.scope),
            entry.name.as_deref().unwrap_or_default().into(),
            cell(entry.summary.as_deref()).into(),
            span(Role::Source, &entry.meta.document_path),
        ]
    };
    view.table(&["scope", "name", "abstract", "document"], overviews.iter().map(row).collect());
    for entry in overviews.iter().filter(|entry| entry.tier != Tier::T0) {
        show_content(view, &entry.meta.document_path, entry.content.as_deref());
    }
}

fn show_documents(view: &mut View, title: &'static str, documents: &[DocumentEntry]) {
    view.title(title);
    show_none(view, documents.is_empty());
    let row = |entry: &DocumentEntry| {
        vec![
            span(Role::Key, &entry.name),
            entry.status.as_deref().unwrap_or_default().into(),
            entry.created.as_deref().unwrap_or_default().into(),
            entry.updated.as_deref().unwrap_or_default().into(),
            span(Role::Dim, entry.tags.join(", ")),
            span(Role::Source, &entry.meta.document_path),
        ]
    };
    let head = ["name", "status", "created", "updated", "tags", "document"];
    view.table(&head, documents.iter().map(row).collect());
    for entry in documents {
        show_content(view, &entry.meta.document_path, entry.content.as_deref());
    }
}

fn show_learnings(view: &mut View, title: &'static str, learnings: &[LearningEntry]) {
    view.title(title);
    show_none(view, learnings.is_empty());
    let row = |entry: &LearningEntry| {
        let title = entry.title.as_deref().unwrap_or(&entry.content);
        vec![
            entry.date.as_deref().unwrap_or_default().into(),
            span(Role::Key, cell(Some(title))),
            entry.category.as_deref().unwrap_or_default().into(),
            span(Role::Dim, entry.tags.join(", ")),
            span(Role::Source, &entry.meta.document_path),
        ]
    };
    let head = ["date", "title", "category", "tags", "document"];
    view.table(&head, learnings.iter().map(row).collect());
}

fn show_none(view: &mut View, is_empty: bool) {
    if is_empty {
        view.line([span(Role::Dim, "none")]);
    }
}

fn show_content(view: &mut View, path: &str, content: Option<&str>) {
    let Some(content) = content else { return };
    view.blank();
    view.line([span(Role::Title, "── "), span(Role::Source, path)]);
    view.text(content.trim_matches('\n'));
}
