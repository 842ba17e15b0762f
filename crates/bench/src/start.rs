//! The `start` measurement: a fresh `heir context resolve` process beside `/bin/true`, `node` and limps.

mod report;

use std::path::Path;

use crate::args::StartArgs;
use crate::failure::Failure;
use crate::generate::{self, Workspace, scopes};
use crate::invocation::Invocation;
use crate::numbers::count;
use crate::report::Attempt;
use crate::scratch::ScratchFolder;
use crate::timing::{self, TimedCommand, TimingSummary};
use crate::trace::{self, TracedWorkspace};
use crate::{peers, programs};
use report::StartReport;

/// How many plans the small workspace has, with which the traces of the large one are compared.
const SMALL_PLANS: u32 = 10;
/// How many different plans and agents are resolved in turn.
const TARGETS: usize = 64;
/// The index of the traced plan, which is in both workspaces and has a context, a memory and agents.
const TRACED_PLAN: usize = 6;
/// A peer that takes a second gets one in so many runs.
const RUNS_PER_SLOW_RUN: usize = 20;

/// The plan and the agent that a command resolves, as given on the command line.
struct ResolveTarget {
    plan: String,
    agent: String,
    /// The full name of the plan, which the answer must mention.
    plan_name: String,
}

/// The commands that are timed, and those that cannot be.
struct Commands {
    /// The programs, with their versions.
    programs: Vec<String>,
    timed: Vec<TimedCommand>,
    /// The names of the other commands, with the reason.
    skipped: Vec<(&'static str, String)>,
}

/// Generates the workspaces, times all commands, and compares the traces.
pub(crate) fn measure(args: &StartArgs) -> Result<StartReport, Failure> {
    let heir = programs::heir(args.common.heir.as_deref())?;
    let scratch = ScratchFolder::new(args.common.keep.as_deref())?;
    eprintln!("generating {} plans with {} agents each", count(args.plans as usize), args.agents);
    let workspace = generate::workspace(&scratch.path.join("workspace"), args.plans, args.agents)?;
    let small = generate::workspace(&scratch.path.join("small"), SMALL_PLANS, args.agents)?;

    let scopes = scopes::scopes_workspace(&scratch.path.join("scopes"), args.plans)?;

    let mut commands = prepare_commands(args, &heir, &workspace, &scratch.path)?;
    commands.timed.push(retrieval(&heir, &scopes, args)?);
    eprintln!("timing {} rounds", count(args.runs as usize));
    let summaries = timing::race(&commands.timed, args.runs as usize)?;
    let outcomes = outcomes(&commands, summaries);

    eprintln!("tracing");
    let trace = compare_traces(&heir, &small, &workspace, &scratch.path)?;
    Ok(StartReport::new(commands.programs, workspace.size, outcomes, trace.into()))
}

/// Prepares the commands, and runs those of heir and of limps once to check their answers.
fn prepare_commands(
    args: &StartArgs,
    heir: &Path,
    workspace: &Workspace,
    scratch: &Path,
) -> Result<Commands, Failure> {
    let (root, runs) = (workspace.root.as_path(), args.runs as usize);
    let mut programs = vec![Invocation::version(heir, root)?];
    let mut timed = Vec::new();
    let mut skipped = Vec::new();
    let mut add = |name, invocations, runs| timed.push(TimedCommand { name, invocations, runs });

    match programs::on_path("true") {
        Some(program) => add(report::TRUE, vec![Invocation::new(&program, &[], root)], runs),
        None => skipped.push((report::TRUE, "true is not installed".to_owned())),
    }
    let targets = targets(workspace);
    add(report::VERSION, vec![Invocation::heir(heir, &["--version"], root)], runs);
    add(report::RESOLVE, resolves(heir, root, &targets)?, runs);
    add(report::RESOLVE_JSON, json_resolves(heir, root, &targets)?, runs);
    match programs::on_path("node") {
        Some(program) => {
            programs.push(format!("node {}", Invocation::version(&program, root)?));
            add(report::NODE, vec![Invocation::new(&program, &["-e", "0"], root)], runs);
        }
        None => skipped.push((report::NODE, "node is not installed".to_owned())),
    }
    match peers::limps(&args.peers) {
        Ok(program) => {
            programs.push(format!("limps {}", peers::LIMPS_VERSION));
            let listing = peers::limps_listing(&program, workspace, scratch)?;
            add(report::LIMPS, vec![listing], (runs / RUNS_PER_SLOW_RUN).max(5).min(runs));
        }
        Err(reason) => skipped.push((report::LIMPS, reason)),
    }
    Ok(Commands { programs, timed, skipped })
}

/// Returns the name of each command with its times, or with the reason why it has none.
fn outcomes(
    commands: &Commands,
    summaries: Vec<TimingSummary>,
) -> Vec<(&'static str, Attempt<TimingSummary>)> {
    let timed = commands.timed.iter().zip(summaries);
    let timed = timed.map(|(command, times)| (command.name, Attempt::Done(times)));
    let skipped = commands.skipped.iter().cloned();
    timed.chain(skipped.map(|(name, skipped)| (name, Attempt::Skipped { skipped }))).collect()
}

/// Returns the command that retrieves all that is known in a scope, and runs it once to check its answer.
fn retrieval(heir: &Path, root: &Path, args: &StartArgs) -> Result<TimedCommand, Failure> {
    // The budget holds all plans, so that reading them is what is measured.
    let arguments =
        ["retrieve", "context", "--workspace", scopes::WORKSPACE, "--budget", "1000000"];
    let invocation = Invocation::heir(heir, &arguments, root);
    let answer = invocation.clone().with_argument("--json").json_output()?;
    let plans = answer["plans"].as_array().map_or(0, Vec::len);
    if plans != args.plans as usize {
        return Err(invocation.wrong_answer(format!("it lists {plans} plans")));
    }
    let runs = args.runs as usize;
    Ok(TimedCommand { name: report::RETRIEVE, invocations: vec![invocation], runs })
}

fn resolve(heir: &Path, root: &Path, target: &ResolveTarget) -> Invocation {
    Invocation::heir(heir, &["context", "resolve", &target.plan, &target.agent], root)
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
    root: &Path,
    targets: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let checked = targets.iter().map(|target| {
        let invocation = resolve(heir, root, target);
        check_answer(&invocation, &invocation.output()?, target)?;
        Ok(invocation)
    });
    checked.collect()
}

/// Creates invocations with `--json`, and runs each once to check its answer.
fn json_resolves(
    heir: &Path,
    root: &Path,
    targets: &[ResolveTarget],
) -> Result<Vec<Invocation>, Failure> {
    let checked = targets.iter().map(|target| {
        let invocation = resolve(heir, root, target).with_argument("--json");
        check_answer(&invocation, &invocation.json_output()?.to_string(), target)?;
        Ok(invocation)
    });
    checked.collect()
}

/// Fails if an answer does not mention the plan: a program that does nothing is fast.
fn check_answer(
    invocation: &Invocation,
    answer: &str,
    target: &ResolveTarget,
) -> Result<(), Failure> {
    match answer.contains(&target.plan_name) {
        true => Ok(()),
        false => {
            let reason = format!("its answer does not mention {}", target.plan_name);
            Err(invocation.wrong_answer(reason))
        }
    }
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
    let in_small = resolves(heir, &small.root, &targets)?;
    let in_large = resolves(heir, &large.root, &targets)?;
    trace::compare(
        &TracedWorkspace { root: &small.root, plans: small.plans.len(), invocations: &in_small },
        &TracedWorkspace { root: &large.root, plans: large.plans.len(), invocations: &in_large },
        scratch,
    )
}
