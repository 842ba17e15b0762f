//! `assemble`: puts together the context for a task, within a budget of tokens.

use std::path::Path;

use heirloom_core::assembly::{Activity, Tier};
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assembly::{Assembly, ContextLine, Explanation, LeftOut, LineOrder, Signals, assemble};
use crate::loading::LevelSelection;
use crate::signals::WorkSignals;
use crate::view::bar::{BarPart, bar};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextAssemble;

/// The default budget, in tokens.
const DEFAULT_BUDGET: usize = 8_000;

/// The largest budget, in tokens.
const MAX_BUDGET: usize = 1_000_000;

/// Maximum number of entries that were left out and are shown to people.
const MAX_LEFT_OUT_SHOWN: usize = 20;

fn default_budget() -> usize {
    DEFAULT_BUDGET
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// What you are about to do.
    #[serde(default)]
    task: Option<String>,
    /// Maximum number of tokens.
    #[serde(default = "default_budget")]
    budget: usize,
    /// Files you work on.
    #[serde(default)]
    files: Vec<String>,
    /// Errors you saw.
    #[serde(default)]
    errors: Vec<String>,
    /// Ignore remembered signals.
    #[serde(default)]
    no_signals: bool,
    /// Kind of work.
    #[serde(default)]
    activity: Option<Activity>,
    #[serde(flatten)]
    levels: LevelSelection,
    /// Order of the lines: `stable` for prompt caches, or `value`: what is worth most first.
    #[serde(default)]
    order: LineOrder,
    /// Explain each line, and what was left out.
    #[serde(default)]
    explain: bool,
    /// The same in one object.
    #[serde(default)]
    #[schemars(extend("x-no-flag" = true))]
    signals: SignalFields,
}

/// What is known about the work.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct SignalFields {
    /// Open file.
    current_file: Option<String>,
    /// Error messages.
    recent_errors: Vec<String>,
    /// Kind of work.
    activity: Option<Activity>,
    /// Task.
    task: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssembledContext {
    /// The context, ready for a prompt.
    context: String,
    /// Tokens (o200k) of the context.
    token_count: usize,
    /// Maximum number of tokens.
    budget: usize,
    /// Tokens of each tier.
    tiers: TierTokens,
    /// With `explain`: the lines of the context, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<ContextLine>>,
    /// With `explain`: what was left out, the most valuable first.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<LeftOut>>,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Files that do not exist, and names without files yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Tokens of each tier.
#[derive(Debug, Serialize, JsonSchema)]
struct TierTokens {
    /// Critical: pins, decisions, instructions, contradictions, blockers, errors.
    tier1: usize,
    /// Relevant: what is known about the task and the files.
    tier2: usize,
    /// Background: values, conventions, workflows, recent history.
    tier3: usize,
    /// Index: pointers to what can be read on demand.
    tier4: usize,
}

impl Operation for ContextAssemble {
    type Request = Request;
    type Response = AssembledContext;
    const SPEC: Spec = Spec {
        name: "context_assemble",
        usage: "assemble",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Assemble the context for a task within a token budget: pins, decisions, instructions, what is known about the task, files and errors, conventions, pointers.",
    };
    const PATHS: &[&str] = &["/context/assemble"];

    fn run(session: &Session, request: Request) -> Result<AssembledContext, Error> {
        let (budget, explain, order) = (request.budget, request.explain, request.order);
        if budget > MAX_BUDGET {
            let message = format!("the budget is {budget}, and the largest is {MAX_BUDGET}");
            return Err(Error::bad_input(message).hint("state the budget in tokens"));
        }
        let (signals, mut warnings) = request.into_signals(session)?;
        warnings.extend(unknown_files(session, &signals.work.files));
        let assembly = assemble(session, &signals, budget, order)?;
        Ok(AssembledContext { warnings, ..AssembledContext::new(assembly, budget, explain) })
    }
}

impl Request {
    /// Returns the signals, and a warning for each level without files.
    fn into_signals(self, session: &Session) -> Result<(Signals, Vec<String>), Error> {
        let levels = self.levels.find(session)?;
        let warnings = levels.warnings();
        let SignalFields { current_file, recent_errors, activity, task } = self.signals;
        let mut work = WorkSignals {
            files: self.files.into_iter().chain(current_file).collect(),
            errors: self.errors.into_iter().chain(recent_errors).collect(),
            ..WorkSignals::default()
        };
        work.drop_blank();
        if !self.no_signals {
            work = work.with_remembered(session);
        }
        let warnings = warnings.into_iter().chain(std::mem::take(&mut work.warnings)).collect();
        let signals = Signals {
            task: self.task.or(task),
            work,
            activity: self.activity.or(activity).unwrap_or_default(),
            hierarchy: Some(levels.hierarchy_name),
            levels: levels.names,
        };
        Ok((signals, warnings))
    }
}

/// Returns a warning for each file that does not exist. What is known about it is recalled all the same.
fn unknown_files(session: &Session, files: &[String]) -> Vec<String> {
    let root = session.root();
    let exists = |file: &&String| {
        let path = Path::new(file.as_str()).strip_prefix(root.path()).ok();
        let path = path.and_then(Path::to_str).unwrap_or(file).trim_start_matches("./");
        root.exists(path)
    };
    let unknown = files.iter().filter(|file| !exists(file));
    unknown.map(|file| format!("there is no file `{file}` in this workspace")).collect()
}

impl AssembledContext {
    fn new(assembly: Assembly, budget: usize, explain: bool) -> Self {
        let Assembly { context, tokens, tier_tokens, explanation, problems } = assembly;
        let [tier1, tier2, tier3, tier4] = tier_tokens;
        let Explanation { lines, left_out, .. } = explanation;
        let (lines, left_out) = explain.then_some((lines, left_out)).unzip();
        let tiers = TierTokens { tier1, tier2, tier3, tier4 };
        AssembledContext {
            context,
            token_count: tokens,
            budget,
            tiers,
            lines,
            left_out,
            problems,
            warnings: vec![],
        }
    }
}

impl AssembledContext {
    fn show_warnings(&self, view: &mut View) {
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
        }
        present::problems(view, &self.problems);
    }
}

impl Answer for AssembledContext {
    fn view(&self) -> View {
        let mut view = View::new();
        let TierTokens { tier1, tier2, tier3, tier4 } = self.tiers;
        let tiers = Tier::ALL.into_iter().zip([tier1, tier2, tier3, tier4]);
        let parts: Vec<BarPart<'_>> = tiers
            .map(|(tier, size)| BarPart { name: tier.as_str(), size, remark: String::new() })
            .collect();
        bar(&mut view, self.budget, &parts);
        view.blank();
        match &self.lines {
            Some(lines) => lines.iter().for_each(|line| show_line(&mut view, line)),
            None if self.context.is_empty() => {
                view.line([span(Role::Dim, "nothing fits, or nothing is known")]);
            }
            None => {
                for line in self.context.lines() {
                    view.wrapped_line(2, [line]);
                }
            }
        }
        if let Some(left_out) = &self.left_out {
            show_left_out(&mut view, left_out);
        }
        self.show_warnings(&mut view);
        view
    }

    /// An agent gets the context alone: what comes before it would change from call to call, and a prompt cache keeps only
    /// an unchanged beginning.
    fn agent_view(&self) -> View {
        if self.lines.is_some() {
            return self.view();
        }
        let mut view = View::new();
        view.text(&self.context);
        self.show_warnings(&mut view);
        view
    }
}

fn show_line(view: &mut View, line: &ContextLine) {
    view.wrapped_line(2, [line.text.as_str()]);
    let score = line.score.map(|score| format!(", score {score:.3}")).unwrap_or_default();
    let usage = line.usage_factor.map(|factor| format!(" × {factor:.2} by usage"));
    let details = format!(
        "  {} · {} · value {:.3}{}{score} · {} · {} tokens · ",
        line.tier.as_str(),
        line.reason,
        line.value,
        usage.unwrap_or_default(),
        line.level.as_str(),
        line.tokens
    );
    view.wrapped_line(2, [span(Role::Dim, details), span(Role::Source, &line.source)]);
}

fn show_left_out(view: &mut View, left_out: &[LeftOut]) {
    if left_out.is_empty() {
        return;
    }
    view.title("Left out");
    for one in left_out.iter().take(MAX_LEFT_OUT_SHOWN) {
        view.wrapped_line(2, [format!("{}  {}", one.id, one.text)]);
        let details = format!("  {} · {} tokens · ", one.because, one.tokens);
        view.wrapped_line(2, [span(Role::Dim, details), span(Role::Source, &one.source)]);
    }
    let more = left_out.len().saturating_sub(MAX_LEFT_OUT_SHOWN);
    if more > 0 {
        view.line([span(Role::Dim, Hint::text(format!("{more} more in the JSON answer")))]);
    }
}
