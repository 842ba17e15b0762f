//! `context load`: loads the files of each level into a token budget.

use heirloom_core::document::DocumentForm;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::staleness::Freshness;
use heirloom_core::{Hint, Problem};
use heirloom_store::tokens::TokenCounter;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::loading::{
    ChosenContext, ChosenEntry, ContentKind, ContextSelection, LeftOutFile, LoadReason,
    SelectedContext, candidate_layers, choose, count_loaded,
};
use crate::view::bar::{BarPart, bar, thousands};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextLoad;

/// The fields of the answer beside the levels. A level of such a name would replace one.
const OTHER_FIELDS: [&str; 10] = [
    "total_tokens",
    "value",
    "budget",
    "hierarchy",
    "selectors",
    "role",
    "usage",
    "left_out",
    "problems",
    "warnings",
];

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    selection: ContextSelection,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoadedContext {
    /// Entries of each level, by its name, lowest priority first.
    #[serde(flatten)]
    layers: IndexMap<String, Vec<LoadedEntry>>,
    /// Tokens (o200k) of all entries.
    total_tokens: usize,
    /// Value of what was loaded: a number for what each level always loads, in the order in which they were served, and
    /// one for the rest. Compared from left to right, it never falls when the budget grows.
    value: Vec<u64>,
    /// Most tokens that were allowed.
    budget: usize,
    /// Name of the hierarchy.
    hierarchy: String,
    /// Selected name of each level.
    selectors: Selectors,
    /// Role whose shares were used; none if the levels' own were.
    role: Option<String>,
    /// How the budget was used, in the order in which levels were served.
    usage: Vec<LayerUsage>,
    /// Files that did not fit in any form.
    left_out: Vec<LeftOutFile>,
    /// Files or lines that could not be read, and settings that are ignored.
    problems: Vec<Problem>,
    /// Names without files yet, and files that are always loaded and do not exist.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LoadedEntry {
    /// Level.
    layer: String,
    /// Short name of the file.
    key: String,
    /// Text of the file, or a smaller form of it.
    content: String,
    /// Where it comes from and why it is here.
    metadata: EntryMetadata,
    /// Tokens (o200k) of the content.
    tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryMetadata {
    /// Path of the file.
    path: String,
    /// How much of the file the content is.
    form: DocumentForm,
    /// Tokens (o200k) of the whole file.
    full_tokens: usize,
    /// Whether the level always loads it, or if there is room.
    load: LoadReason,
    /// Date of the last update.
    updated: Option<String>,
    /// Freshness.
    staleness: Freshness,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LayerUsage {
    /// Level.
    layer: String,
    /// Share of the budget.
    share: f64,
    /// Most tokens that the level may use.
    max_tokens: Option<usize>,
    /// Tokens that it used.
    tokens: usize,
}

impl Operation for ContextLoad {
    type Request = Request;
    type Response = LoadedContext;
    const SPEC: Spec = Spec {
        name: "context_load",
        usage: "context load",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Load the files of each level into a token budget: what is always loaded first, then the newest of the rest by the shares of the levels. What does not fit whole is shortened, or listed with its cost.",
    };

    fn run(session: &Session, request: Request) -> Result<LoadedContext, Error> {
        let selected = request.selection.read(session)?;
        let mut names = selected.hierarchy.levels.iter().map(|level| level.name.as_str());
        if let Some(name) = names.find(|name| OTHER_FIELDS.contains(name)) {
            let message = format!("the level `{name}` has the name of another field of the answer");
            return Err(Error::bad_input(message).hint("rename the level in the settings"));
        }
        let layers = candidate_layers(&selected.inherited, &selected.hierarchy, ContentKind::Text);
        let mut counter = TokenCounter::open(session.root());
        let shares = &selected.shares.shares;
        let chosen =
            choose(selected.budget, layers, shares, &mut counter, |_, _, text| text.to_owned());
        counter.save();
        count_loaded(session, &chosen.layers);
        Ok(describe(selected, chosen))
    }
}

fn describe(selected: SelectedContext, chosen: ChosenContext) -> LoadedContext {
    let ChosenContext { layers: chosen, value } = chosen;
    let levels = selected.hierarchy.levels.iter().rev();
    let usage = levels.zip(&chosen).zip(&selected.shares.shares);
    let usage = usage.map(|((level, chosen), share)| LayerUsage {
        layer: level.name.clone(),
        share: *share,
        max_tokens: level.max_tokens,
        tokens: chosen.tokens,
    });
    let usage: Vec<LayerUsage> = usage.collect();
    let mut layers = IndexMap::new();
    let mut left_out = Vec::new();
    let mut total_tokens = 0;
    for chosen in chosen {
        total_tokens += chosen.tokens;
        left_out.extend(chosen.left_out);
        let level = chosen.level;
        let entries = chosen.entries.into_iter().map(|entry| loaded_entry(&level, entry)).collect();
        layers.insert(level, entries);
    }
    layers.reverse();
    LoadedContext {
        layers,
        total_tokens,
        value: value.0,
        budget: selected.budget,
        hierarchy: selected.inherited.hierarchy,
        selectors: selected.inherited.selectors,
        role: selected.shares.role,
        usage,
        left_out,
        problems: selected.inherited.problems,
        warnings: selected.warnings,
    }
}

fn loaded_entry(level: &str, entry: ChosenEntry) -> LoadedEntry {
    let document = entry.document;
    LoadedEntry {
        layer: level.to_owned(),
        key: document.key,
        content: entry.content,
        metadata: EntryMetadata {
            path: document.path,
            form: entry.form,
            full_tokens: entry.full_tokens,
            load: document.reason,
            updated: document.updated.map(|date| date.to_string()),
            staleness: document.freshness,
        },
        tokens: entry.tokens,
    }
}

impl Answer for LoadedContext {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(format!(
            "{}: {} of {} tokens",
            self.name(),
            thousands(self.total_tokens),
            thousands(self.budget)
        ));
        let parts: Vec<BarPart<'_>> = self.usage.iter().map(|usage| self.part(usage)).collect();
        bar(&mut view, self.budget, &parts);
        for entry in self.layers.values().flatten() {
            view.blank();
            view.line([
                span(Role::Title, format!("── {} ", entry.layer)),
                span(Role::Source, &entry.metadata.path),
                format!(" · {}", entry.size()).into(),
            ]);
            view.text(entry.content.trim_matches(['\n', '\r']));
        }
        show_left_out(&mut view, &self.left_out);
        if !self.problems.is_empty() || !self.warnings.is_empty() {
            view.title("Warnings");
            for warning in &self.warnings {
                view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
            }
            for problem in &self.problems {
                view.line([span(Role::Warning, Hint::text("⚠️ ").then_hint(&problem.describe()))]);
            }
        }
        view
    }
}

/// Shows what did not fit, with its cost.
pub(super) fn show_left_out(view: &mut View, left_out: &[LeftOutFile]) {
    if left_out.is_empty() {
        return;
    }
    view.title("Left out");
    let row = |left: &LeftOutFile| {
        vec![
            span(Role::Key, &left.layer),
            span(Role::Source, &left.path),
            format!("{:>11}", thousands(left.tokens)).into(),
            span(Role::Dim, format!("at least {}", thousands(left.smallest))),
        ]
    };
    view.table(&[], left_out.iter().map(row).collect());
}

impl LoadedContext {
    fn name(&self) -> String {
        let names: Vec<String> =
            self.selectors.iter().rev().map(|(level, name)| format!("{level} {name}")).collect();
        let role = self.role.as_ref().map(|role| format!(" ({role})")).unwrap_or_default();
        if names.is_empty() {
            return format!("Context of the workspace{role}");
        }
        format!("Context of {}{role}", names.join(" in "))
    }

    fn part<'u>(&self, usage: &'u LayerUsage) -> BarPart<'u> {
        let files = self.layers.get(&usage.layer).map_or(0, Vec::len);
        let cap = usage.max_tokens.map(|most| format!(", at most {}", thousands(most)));
        let remark = format!(
            "{}, share {:.0} %{}",
            present::count(files, "file"),
            usage.share * 100.0,
            cap.unwrap_or_default()
        );
        BarPart { name: &usage.layer, size: usage.tokens, remark }
    }
}

impl LoadedEntry {
    fn size(&self) -> String {
        let tokens = format!("{} tokens", thousands(self.tokens));
        match self.metadata.form {
            DocumentForm::Full => tokens,
            form => {
                format!("{}, {tokens} of {}", form.as_str(), thousands(self.metadata.full_tokens))
            }
        }
    }
}
