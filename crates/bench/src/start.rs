//! The `start` measurement: process start of `heir` against the floor, the yardstick and the peer.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::StartArgs;
use crate::failure::Failure;
use crate::generate::{self, Workspace};
use crate::numbers::count;
use crate::report::{self, Attempt, StartReport, WorkspaceSize};
use crate::scratch::ScratchFolder;
use crate::timing::{self, Invocation, TimedCommand};
use crate::trace::{self, TracedWorkspace};
use crate::{peers, programs};

/// The workspace that the large one is compared with has this many plans.
const FEW_PLANS: u32 = 10;
/// How many plans and agents the timed runs go through.
const QUESTIONS: usize = 64;
/// The plan that is traced; it is in both workspaces, and has a context, a memory and agents.
const TRACED_PLAN: usize = 6;
/// What heir takes for the present, so that freshness is the same in every run.
const NOW: &str = "2026-02-22T00:00:00Z";
/// A peer that takes a second gets this fraction of the runs.
const SLOW_PEER: usize = 20;

/// What a resolve is asked for, in the words of the command line.
struct ResolveTarget {
    plan: String,
    agent: String,
    /// The full name of the plan, which the answer has to mention.
    plan_name: String,
}

/// Generates the workspaces, runs everything and returns the report.
pub(crate) fn measure(args: &StartArgs) -> Result<StartReport, Failure> {
    let heir = programs::heir(args.common.heir.as_deref())?;
    let scratch = ScratchFolder::new(args.common.keep.as_deref())?;
    eprintln!("generating {} plans with {} agents each", count(args.plans as usize), args.agents);
    let workspace = generate::workspace(&scratch.path.join("workspace"), args.plans, args.agents)?;
    let small = generate::workspace(&scratch.path.join("small"), FEW_PLANS, args.agents)?;

    let runs = args.runs as usize;
    let mut programs = vec![version(&heir, &workspace)?];
    let mut commands = Vec::new();
    let mut skipped = Vec::new();
    let mut enter =
        |name, invocations, runs| commands.push(TimedCommand { name, invocations, runs });

    match programs::on_path("true") {
        Some(program) => enter(report::TRUE, vec![invocation(program, &[], &workspace)], runs),
        None => skipped.push((report::TRUE, "true is not installed".to_owned())),
    }
    let questions = questions(&workspace);
    enter(report::VERSION, vec![heir_invocation(&heir, &workspace, &["--version"])], runs);
    enter(report::RESOLVE, resolves(&heir, &workspace, &questions)?, runs);
    enter(report::RESOLVE_JSON, json_resolves(&heir, &workspace, &questions)?, runs);
    match programs::on_path("node") {
        Some(program) => {
            programs.push(format!("node {}", version(&program, &workspace)?));
            enter(report::NODE, vec![invocation(program, &["-e", "0"], &workspace)], runs);
        }
        None => skipped.push((report::NODE, "node is not installed".to_owned())),
    }
    match peers::limps(&args.peers) {
        Ok(program) => {
            programs.push(format!("limps {}", peers::LIMPS_VERSION));
            let listing = peers::limps_listing(program, &workspace, &scratch.path)?;
            enter(report::LIMPS, vec![listing], (runs / SLOW_PEER).max(5).min(runs));
        }
        Err(reason) => skipped.push((report::LIMPS, reason)),
    }

    eprintln!("timing {} rounds", count(runs));
    let summaries = timing::race(&commands, runs)?;
    let timed = commands.iter().zip(summaries).map(|(row, times)| (row.name, Attempt::Done(times)));
    let skipped = skipped.into_iter().map(|(name, skipped)| (name, Attempt::Skipped { skipped }));
    let outcomes = timed.chain(skipped).collect();

    eprintln!("tracing");
    let trace = compare_traces(&heir, &small, &workspace, &scratch.path)?;
    let size = WorkspaceSize {
        plans: workspace.plans.len(),
        agents: args.agents as usize,
        documents: workspace.documents,
        bytes: workspace.bytes,
    };
    Ok(StartReport::new(programs, size, outcomes, trace.into()))
}

/// Returns what a program says of its version, on one line.
pub(crate) fn version(program: &Path, workspace: &Workspace) -> Result<String, Failure> {
    let output = invocation(program.to_path_buf(), &["--version"], workspace).output()?;
    Ok(output.lines().next().unwrap_or("").trim().to_owned())
}

pub(crate) fn invocation(
    program: PathBuf,
    arguments: &[&str],
    workspace: &Workspace,
) -> Invocation {
    Invocation {
        program,
        arguments: arguments.iter().map(ToString::to_string).collect(),
        folder: workspace.root.clone(),
        variables: Vec::new(),
    }
}

/// Prepares a run of heir at a fixed time.
pub(crate) fn heir_invocation(
    heir: &Path,
    workspace: &Workspace,
    arguments: &[&str],
) -> Invocation {
    let variables = vec![("HEIRLOOM_NOW", NOW.to_owned()), ("NO_COLOR", "1".to_owned())];
    Invocation { variables, ..invocation(heir.to_path_buf(), arguments, workspace) }
}

fn resolve(heir: &Path, workspace: &Workspace, question: &ResolveTarget) -> Invocation {
    heir_invocation(heir, workspace, &["context", "resolve", &question.plan, &question.agent])
}

/// Returns questions about plans and agents all over the workspace, by full name and by number in turn.
fn questions(workspace: &Workspace) -> Vec<ResolveTarget> {
    let plans = &workspace.plans;
    let asked = (0..QUESTIONS).map(|turn| {
        let plan = &plans[turn * plans.len() / QUESTIONS];
        question(&plan.name, &plan.agents[turn % plan.agents.len()], turn % 2 == 1)
    });
    asked.collect()
}

fn question(plan: &str, agent: &str, by_number: bool) -> ResolveTarget {
    let asked = |name: &str| match name.split_once('-') {
        Some((number, _)) if by_number => number.to_owned(),
        _ => name.to_owned(),
    };
    ResolveTarget { plan: asked(plan), agent: asked(agent), plan_name: plan.to_owned() }
}

/// Prepares the resolves, and runs each once to check that it answers.
fn resolves(
    heir: &Path,
    workspace: &Workspace,
    questions: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let prepared = questions.iter().map(|question| {
        let invocation = resolve(heir, workspace, question);
        check_answer(&invocation, question)?;
        Ok(invocation)
    });
    prepared.collect()
}

/// Prepares the resolves with `--json`, and runs each once to check that it answers in JSON.
fn json_resolves(
    heir: &Path,
    workspace: &Workspace,
    questions: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let prepared = questions.iter().map(|question| {
        let mut invocation = resolve(heir, workspace, question);
        invocation.arguments.push("--json".to_owned());
        let answer = check_answer(&invocation, question)?;
        serde_json::from_str::<Value>(&answer).map_err(|error| Failure::Unexpected {
            command: invocation.to_string(),
            reason: format!("its answer is not JSON: {error}"),
        })?;
        Ok(invocation)
    });
    prepared.collect()
}

/// Returns the answer, which has to mention the plan: a program that does nothing is fast.
fn check_answer(invocation: &Invocation, question: &ResolveTarget) -> Result<String, Failure> {
    let answer = invocation.output()?;
    if answer.contains(&question.plan_name) {
        return Ok(answer);
    }
    Err(Failure::Unexpected {
        command: invocation.to_string(),
        reason: format!("its answer does not mention {}", question.plan_name),
    })
}

fn compare_traces(
    heir: &Path,
    small: &Workspace,
    large: &Workspace,
    scratch: &Path,
) -> Result<Result<trace::Comparison, String>, Failure> {
    let plan = &small.plans[TRACED_PLAN];
    let questions = [false, true].map(|by_number| question(&plan.name, &plan.agents[0], by_number));
    // The check also lets heir write its cache, if it keeps one, in both workspaces.
    let in_small = resolves(heir, small, &questions)?;
    let in_large = resolves(heir, large, &questions)?;
    trace::compare(
        &TracedWorkspace { root: &small.root, plans: small.plans.len(), invocations: &in_small },
        &TracedWorkspace { root: &large.root, plans: large.plans.len(), invocations: &in_large },
        scratch,
    )
}
