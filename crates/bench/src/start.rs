//! The `start` measurement: a fresh `heir context resolve` process beside `/bin/true`, `node` and limps.

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

/// How many plans the small workspace has, with which the traces of the large one are compared.
const SMALL_PLANS: u32 = 10;
/// How many different plans and agents are resolved in turn.
const TARGETS: usize = 64;
/// The index of the traced plan, which is in both workspaces and has a context, a memory and agents.
const TRACED_PLAN: usize = 6;
/// The time at which heir runs, so that freshness is the same in every run.
const NOW: &str = "2026-02-22T00:00:00Z";
/// A peer that takes a second gets one in so many runs.
const RUNS_PER_SLOW_RUN: usize = 20;

/// The plan and the agent that a command resolves, as given on the command line.
struct ResolveTarget {
    plan: String,
    agent: String,
    /// The full name of the plan, which the answer must mention.
    plan_name: String,
}

/// Generates the workspaces, times all commands, and compares the traces.
pub(crate) fn measure(args: &StartArgs) -> Result<StartReport, Failure> {
    let heir = programs::heir(args.common.heir.as_deref())?;
    let scratch = ScratchFolder::new(args.common.keep.as_deref())?;
    eprintln!("generating {} plans with {} agents each", count(args.plans as usize), args.agents);
    let workspace = generate::workspace(&scratch.path.join("workspace"), args.plans, args.agents)?;
    let small = generate::workspace(&scratch.path.join("small"), SMALL_PLANS, args.agents)?;

    let runs = args.runs as usize;
    let mut programs = vec![version(&heir, &workspace)?];
    let mut commands = Vec::new();
    let mut skipped = Vec::new();
    let mut add = |name, invocations, runs| commands.push(TimedCommand { name, invocations, runs });

    match programs::on_path("true") {
        Some(program) => add(report::TRUE, vec![invocation(program, &[], &workspace)], runs),
        None => skipped.push((report::TRUE, "true is not installed".to_owned())),
    }
    let targets = targets(&workspace);
    add(report::VERSION, vec![heir_invocation(&heir, &workspace, &["--version"])], runs);
    add(report::RESOLVE, resolves(&heir, &workspace, &targets)?, runs);
    add(report::RESOLVE_JSON, json_resolves(&heir, &workspace, &targets)?, runs);
    match programs::on_path("node") {
        Some(program) => {
            programs.push(format!("node {}", version(&program, &workspace)?));
            add(report::NODE, vec![invocation(program, &["-e", "0"], &workspace)], runs);
        }
        None => skipped.push((report::NODE, "node is not installed".to_owned())),
    }
    match peers::limps(&args.peers) {
        Ok(program) => {
            programs.push(format!("limps {}", peers::LIMPS_VERSION));
            let listing = peers::limps_listing(program, &workspace, &scratch.path)?;
            add(report::LIMPS, vec![listing], (runs / RUNS_PER_SLOW_RUN).max(5).min(runs));
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

/// Returns the first line that a program prints with `--version`.
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

/// Creates an invocation of heir at a fixed time.
pub(crate) fn heir_invocation(
    heir: &Path,
    workspace: &Workspace,
    arguments: &[&str],
) -> Invocation {
    let variables = vec![("HEIRLOOM_NOW", NOW.to_owned()), ("NO_COLOR", "1".to_owned())];
    Invocation { variables, ..invocation(heir.to_path_buf(), arguments, workspace) }
}

fn resolve(heir: &Path, workspace: &Workspace, target: &ResolveTarget) -> Invocation {
    heir_invocation(heir, workspace, &["context", "resolve", &target.plan, &target.agent])
}

/// Returns plans and agents spread over the workspace, by full name and by number in turn.
fn targets(workspace: &Workspace) -> Vec<ResolveTarget> {
    let plans = &workspace.plans;
    let targets = (0..TARGETS).map(|turn| {
        let plan = &plans[turn * plans.len() / TARGETS];
        target(&plan.name, &plan.agents[turn % plan.agents.len()], turn % 2 == 1)
    });
    targets.collect()
}

fn target(plan: &str, agent: &str, by_number: bool) -> ResolveTarget {
    let typed = |name: &str| match name.split_once('-') {
        Some((number, _)) if by_number => number.to_owned(),
        _ => name.to_owned(),
    };
    ResolveTarget { plan: typed(plan), agent: typed(agent), plan_name: plan.to_owned() }
}

/// Creates invocations of `context resolve`, and runs each once to check its answer.
fn resolves(
    heir: &Path,
    workspace: &Workspace,
    targets: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let prepared = targets.iter().map(|target| {
        let invocation = resolve(heir, workspace, target);
        check_answer(&invocation, target)?;
        Ok(invocation)
    });
    prepared.collect()
}

/// Creates invocations with `--json`, and runs each once to check that its answer is JSON.
fn json_resolves(
    heir: &Path,
    workspace: &Workspace,
    targets: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let prepared = targets.iter().map(|target| {
        let mut invocation = resolve(heir, workspace, target);
        invocation.arguments.push("--json".to_owned());
        let answer = check_answer(&invocation, target)?;
        serde_json::from_str::<Value>(&answer).map_err(|error| Failure::Unexpected {
            command: invocation.to_string(),
            reason: format!("its answer is not JSON: {error}"),
        })?;
        Ok(invocation)
    });
    prepared.collect()
}

/// Returns the answer, and fails if it does not mention the plan: a program that does nothing is fast.
fn check_answer(invocation: &Invocation, target: &ResolveTarget) -> Result<String, Failure> {
    let answer = invocation.output()?;
    if answer.contains(&target.plan_name) {
        return Ok(answer);
    }
    Err(Failure::Unexpected {
        command: invocation.to_string(),
        reason: format!("its answer does not mention {}", target.plan_name),
    })
}

fn compare_traces(
    heir: &Path,
    small: &Workspace,
    large: &Workspace,
    scratch: &Path,
) -> Result<Result<trace::Comparison, String>, Failure> {
    let plan = &small.plans[TRACED_PLAN];
    let targets = [false, true].map(|by_number| target(&plan.name, &plan.agents[0], by_number));
    // The check also fills the caches of heir in both workspaces.
    let in_small = resolves(heir, small, &targets)?;
    let in_large = resolves(heir, large, &targets)?;
    trace::compare(
        &TracedWorkspace { root: &small.root, plans: small.plans.len(), invocations: &in_small },
        &TracedWorkspace { root: &large.root, plans: large.plans.len(), invocations: &in_large },
        scratch,
    )
}
