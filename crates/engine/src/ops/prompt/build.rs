//! `prompt`: builds the prompt of an agent from its context.

use heirloom_core::{Hint, Problem};
use heirloom_store::tokens::TokenCounter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sections::{self, EntryStyle};
use crate::loading::{
    Candidate, CandidateLayer, ChosenEntry, ChosenLayer, ContentKind, ContextSelection,
    LeftOutFile, SelectedContext, candidate_layers, choose, count_loaded,
};
use crate::view::View;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PromptBuild;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    selection: ContextSelection,
    /// What to do now; it ends the prompt.
    #[serde(default)]
    task: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentPrompt {
    /// The prompt.
    prompt: String,
    /// Tokens (o200k) of the prompt.
    tokens: usize,
    /// Most tokens that were allowed.
    budget: usize,
    /// Files that it contains, whole or in part.
    sources: Vec<String>,
    /// Files that did not fit in any form.
    left_out: Vec<LeftOutFile>,
    /// Files or lines that could not be read, and settings that are ignored.
    problems: Vec<Problem>,
    /// Names without files yet, and files that are always loaded and do not exist.
    warnings: Vec<String>,
}

impl Operation for PromptBuild {
    type Request = Request;
    type Response = AgentPrompt;
    const SPEC: Spec = Spec {
        name: "prompt",
        usage: "prompt",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Build the prompt of an agent within a token budget: the project, the sprint, the artifacts of the stage, then its task.",
    };

    fn run(session: &Session, request: Request) -> Result<AgentPrompt, Error> {
        let task = request.task.map(|task| task.trim().to_owned()).filter(|task| !task.is_empty());
        let selected = request.selection.read(session)?;
        let mut counter = TokenCounter::open(session.root());
        let built = build(&selected, task.as_deref(), &mut counter);
        counter.save();
        let (prompt, chosen) = built?;
        count_loaded(session, &chosen);
        Ok(describe(&selected, prompt, chosen))
    }
}

/// A prompt that fits into the budget.
struct BuiltPrompt {
    text: String,
    tokens: usize,
}

/// Builds the prompt. The headings of the levels are not among the costs of its parts, since only levels with entries
/// have one; if the whole is too long, it is built again with less room. More room never gives less, so the first prompt
/// that fits is the best.
fn build(
    selected: &SelectedContext,
    task: Option<&str>,
    counter: &mut TokenCounter<'_>,
) -> Result<(BuiltPrompt, Vec<ChosenLayer>), Error> {
    let budget = selected.budget;
    let layout = PromptLayout::new(selected, task);
    let candidates =
        || candidate_layers(&selected.inherited, &selected.hierarchy, ContentKind::Text);
    let has_documents = candidates().iter().any(|layer| !layer.documents.is_empty());
    let task_tokens = task.map_or(0, |task| counter.count(&format!("{task}\n\n")));
    let mut room = budget.saturating_sub(task_tokens);
    loop {
        let shares = &selected.shares.shares;
        let chosen = choose(room, candidates(), shares, counter, |layer, document, text| {
            let is_first = layer.documents.first().is_some_and(|first| first.path == document.path);
            let part = layout.entry(&layer.level, is_first, document, text);
            format!("{part}\n\n")
        });
        let chosen = chosen.layers;
        let prompt = layout.write(&chosen);
        let tokens = count(&prompt, counter);
        let is_empty = chosen.iter().all(|layer| layer.entries.is_empty());
        if is_empty && (has_documents || tokens > budget) {
            let needed = smallest_prompt(&layout, &candidates(), counter);
            return Err(too_small(budget, needed));
        }
        if tokens <= budget {
            return Ok((BuiltPrompt { text: prompt, tokens }, chosen));
        }
        room = room.saturating_sub(1);
    }
}

fn count(prompt: &str, counter: &mut TokenCounter<'_>) -> usize {
    if prompt.is_empty() { 0 } else { counter.count(&format!("{prompt}\n")) }
}

/// Returns the tokens of the smallest prompt: the task, and the smallest form of one document.
fn smallest_prompt(
    layout: &PromptLayout<'_>,
    layers: &[CandidateLayer],
    counter: &mut TokenCounter<'_>,
) -> usize {
    let documents = layers
        .iter()
        .flat_map(|layer| layer.documents.iter().map(|document| (layer.level.as_str(), document)));
    let prompts = documents.flat_map(|(level, document)| {
        let with = |(_, text): &(_, String)| layout.write_one(level, document, text);
        document.forms.iter().map(with)
    });
    let tokens = prompts.map(|prompt| count(&prompt, counter)).min();
    tokens.unwrap_or_else(|| count(&layout.write(&[]), counter))
}

fn too_small(budget: usize, needed: usize) -> Error {
    Error::bad_input(format!("a budget of {budget} tokens is too small for any part of the prompt"))
        .hint(format!("state at least {needed}"))
}

fn describe(
    selected: &SelectedContext,
    prompt: BuiltPrompt,
    chosen: Vec<ChosenLayer>,
) -> AgentPrompt {
    let entries = chosen.iter().rev().flat_map(|layer| &layer.entries);
    AgentPrompt {
        prompt: prompt.text,
        tokens: prompt.tokens,
        budget: selected.budget,
        sources: entries.map(|entry| entry.document.path.clone()).collect(),
        left_out: chosen.into_iter().flat_map(|layer| layer.left_out).collect(),
        problems: selected.inherited.problems.clone(),
        warnings: selected.warnings.clone(),
    }
}

/// The headings of a prompt and its task.
struct PromptLayout<'p> {
    /// The levels with the heading and the style of each, the most general first.
    levels: Vec<(&'p str, String, EntryStyle)>,
    task: Option<&'p str>,
}

impl<'p> PromptLayout<'p> {
    fn new(selected: &'p SelectedContext, task: Option<&'p str>) -> Self {
        let levels = &selected.hierarchy.levels;
        let section = |(at, name): (usize, &'p str)| {
            let (heading, style) = sections::section(name, at + 1 == levels.len());
            (name, heading, style)
        };
        let names = levels.iter().map(|level| level.name.as_str()).enumerate();
        PromptLayout { levels: names.map(section).collect(), task }
    }

    fn entry(&self, level: &str, is_first: bool, document: &Candidate, content: &str) -> String {
        let found = self.levels.iter().find(|(name, _, _)| *name == level);
        let style = found.map_or(EntryStyle::Headed, |(_, _, style)| *style);
        sections::entry(style, is_first, &document.key, &document.path, content)
    }

    /// Writes the sections that have entries, and the task under the heading of the last one.
    fn write(&self, chosen: &[ChosenLayer]) -> String {
        self.write_sections(|level| {
            let layer = chosen.iter().find(|layer| layer.level == level);
            let entries = layer.map(|layer| layer.entries.as_slice()).unwrap_or_default();
            let part = |(at, entry): (usize, &ChosenEntry)| {
                self.entry(level, at == 0, &entry.document, &entry.content)
            };
            entries.iter().enumerate().map(part).collect()
        })
    }

    /// Writes a prompt with one document and the task.
    fn write_one(&self, level: &str, document: &Candidate, content: &str) -> String {
        self.write_sections(|other| match other == level {
            true => vec![self.entry(level, true, document, content)],
            false => vec![],
        })
    }

    fn write_sections(&self, entries_of: impl Fn(&str) -> Vec<String>) -> String {
        let mut parts = Vec::new();
        for (at, (level, heading, _)) in self.levels.iter().enumerate() {
            let is_last = at + 1 == self.levels.len();
            let entries = entries_of(level);
            let task = self.task.filter(|_| is_last);
            if entries.is_empty() && task.is_none() {
                continue;
            }
            parts.push(heading.clone());
            parts.extend(entries);
            parts.extend(task.map(str::to_owned));
        }
        parts.join("\n\n")
    }
}

impl Answer for AgentPrompt {
    fn view(&self) -> View {
        View::raw(&self.prompt)
    }

    fn notices(&self) -> Vec<Hint> {
        let warnings = self.warnings.iter().map(Hint::text);
        warnings.chain(self.problems.iter().map(Problem::describe)).collect()
    }
}
