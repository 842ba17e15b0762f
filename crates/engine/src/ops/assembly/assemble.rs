//! `assemble`: puts together the context for a task, within a budget of tokens.

use heirloom_core::Problem;
use heirloom_core::assembly::{Activity, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assembly::{Assembly, Explanation, Signals, assemble};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextAssemble;

/// The default budget, in tokens.
const DEFAULT_BUDGET: usize = 8_000;

fn default_budget() -> usize {
    DEFAULT_BUDGET
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Maximum number of tokens of the context.
    #[serde(default = "default_budget")]
    budget: usize,
    /// What you are about to do, in any words.
    #[serde(default)]
    task: Option<String>,
    /// Files that you work on.
    #[serde(default)]
    files: Vec<String>,
    /// Error messages that you saw.
    #[serde(default)]
    errors: Vec<String>,
    /// What kind of work it is; it decides how the budget is divided.
    #[serde(default)]
    activity: Activity,
    /// Your plan, by name or number.
    #[serde(default)]
    plan: Option<String>,
    /// Your agent of that plan.
    #[serde(default)]
    agent: Option<String>,
    /// Explain each line, and what was left out.
    #[serde(default)]
    explain: bool,
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
    /// Why each line is in the context, and why others are not.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
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
        usage: "assemble [task]...",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Assemble the context for a task within a token budget: pins, decisions, instructions, what is known about the task, files and errors, conventions, and pointers to more. Every line ends with the id under which all of it can be read.",
    };

    fn run(session: &Session, request: Request) -> Result<AssembledContext, Error> {
        let signals = Signals {
            task: request.task,
            files: request.files,
            errors: request.errors,
            activity: request.activity,
            plan: request.plan,
            agent: request.agent,
        };
        let assembly = assemble(session, &signals, request.budget)?;
        Ok(AssembledContext::new(assembly, request.budget, request.explain))
    }
}

impl AssembledContext {
    fn new(assembly: Assembly, budget: usize, explain: bool) -> Self {
        let [tier1, tier2, tier3, tier4] = assembly.tier_tokens;
        AssembledContext {
            context: assembly.context,
            token_count: assembly.tokens,
            budget,
            tiers: TierTokens { tier1, tier2, tier3, tier4 },
            explanation: explain.then_some(assembly.explanation),
            problems: assembly.problems,
        }
    }
}

impl Answer for AssembledContext {
    fn view(&self) -> View {
        let mut view = View::new();
        let TierTokens { tier1, tier2, tier3, tier4 } = self.tiers;
        for (tier, tokens) in Tier::ALL.into_iter().zip([tier1, tier2, tier3, tier4]) {
            view.line([span(Role::Dim, format!("{}: {tokens}", tier.as_str()))]);
        }
        view.text(&self.context);
        present::problems(&mut view, &self.problems);
        view
    }
}
