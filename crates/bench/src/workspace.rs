//! The `workspace` measurement: commands that read a whole workspace, beside `git status` of the same tree.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::args::WorkspaceArgs;
use crate::failure::Failure;
use crate::generate::{self, Workspace, WorkspaceSize};
use crate::invocation::Invocation;
use crate::numbers::{self, count};
use crate::programs;
use crate::report::{Bar, Report, write_bars, write_table};
use crate::scratch::ScratchFolder;
use crate::timing::{self, TimedCommand, TimingSummary};

const VERSION: &str = "heir --version";
const GIT_STATUS: &str = "git status";
/// The question of a recall: words that the generated documents use.
const QUESTION: &str = "cache export schema";

/// A command of heir, and its bar.
struct BoundedCommand {
    name: &'static str,
    arguments: Vec<String>,
    /// The command that it is compared with.
    base: &'static str,
    /// How many times as long as that command it may take.
    max_ratio: f64,
    /// Checks the answer, since a program that does nothing is fast.
    is_answer: fn(&Value, &Workspace) -> bool,
}

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct WorkspaceReport {
    /// The measured programs, with their versions.
    programs: Vec<String>,
    /// The size of the generated workspace.
    workspace: WorkspaceSize,
    /// One row for each command.
    rows: Vec<WorkspaceRow>,
    bars: Vec<Bar>,
}

/// One command and its times.
#[derive(Serialize)]
struct WorkspaceRow {
    name: &'static str,
    times: TimingSummary,
    /// The ratio of its median to that of `git status`.
    to_git_status: f64,
    /// The ratio of its median to that of `heir --version`.
    to_version: f64,
}

/// Generates the workspace, and times all commands in turn.
pub(crate) fn measure(args: &WorkspaceArgs) -> Result<WorkspaceReport, Failure> {
    let heir = programs::heir(args.common.heir.as_deref())?;
    let git = programs::git()?;
    let scratch = ScratchFolder::new(args.common.keep.as_deref())?;
    eprintln!("generating {} plans with {} agents each", count(args.plans as usize), args.agents);
    let workspace = generate::workspace(&scratch.path.join("workspace"), args.plans, args.agents)?;
    let (root, runs) = (workspace.root.as_path(), args.runs as usize);
    let barred = barred_commands(&workspace);
    let version = Invocation::heir(&heir, &["--version"], root);
    let status = Invocation::git_status(&git, root);
    let mut commands = vec![
        TimedCommand { name: VERSION, invocations: vec![version], runs },
        TimedCommand { name: GIT_STATUS, invocations: vec![status], runs },
    ];
    for command in &barred {
        eprintln!("checking `{}`", command.name);
        let arguments: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        let invocation = Invocation::heir(&heir, &arguments, root);
        check_answer(&invocation, command, &workspace)?;
        commands.push(TimedCommand { name: command.name, invocations: vec![invocation], runs });
    }
    eprintln!("timing {} rounds", count(runs));
    let rows = rows(&commands, timing::race(&commands, runs)?);
    let bars = barred.iter().zip(&rows[2..]).map(|(command, row)| bar(command, row)).collect();
    let programs = vec![Invocation::version(&heir, root)?, Invocation::version(&git, root)?];
    Ok(WorkspaceReport { programs, workspace: workspace.size, rows, bars })
}

/// Compares each command with the first two, `heir --version` and `git status`.
fn rows(commands: &[TimedCommand], summaries: Vec<TimingSummary>) -> Vec<WorkspaceRow> {
    let (version_us, status_us) = (summaries[0].median_us, summaries[1].median_us);
    let rows = commands.iter().zip(summaries).map(|(command, times)| WorkspaceRow {
        name: command.name,
        to_git_status: times.median_us / status_us,
        to_version: times.median_us / version_us,
        times,
    });
    rows.collect()
}

fn barred_commands(workspace: &Workspace) -> Vec<BoundedCommand> {
    let plan = &workspace.plans[workspace.plans.len() / 2];
    let node = format!("plan/{}", plan.name);
    let command = |name, arguments: &[&str], (max_ratio, base), is_answer| BoundedCommand {
        name,
        arguments: arguments.iter().map(ToString::to_string).collect(),
        base,
        max_ratio,
        is_answer,
    };
    vec![
        command(
            "heir agent list PLAN",
            &["agent", "list", &plan.name],
            (2.0, VERSION),
            |answer, workspace| items(answer) == workspace.plans[0].agents.len(),
        ),
        command("heir plan list", &["plan", "list"], (3.0, GIT_STATUS), |answer, workspace| {
            items(answer) == workspace.plans.len()
        }),
        command("heir recall QUESTION", &["recall", QUESTION], (3.0, GIT_STATUS), |answer, _| {
            answer["hits"].as_array().is_some_and(|hits| !hits.is_empty())
        }),
        command(
            "heir graph show NODE",
            &["graph", "show", &node],
            (3.0, GIT_STATUS),
            |answer, _| answer.to_string().contains("-plan.md"),
        ),
        command(
            "heir context conflicts",
            &["context", "conflicts"],
            (8.0, GIT_STATUS),
            |answer, _| answer["conflicts"].is_array(),
        ),
        command("heir context health", &["context", "health"], (8.0, GIT_STATUS), |answer, _| {
            answer.is_object()
        }),
        command("heir graph health", &["graph", "health"], (8.0, GIT_STATUS), |answer, _| {
            answer.is_object()
        }),
    ]
}

fn items(answer: &Value) -> usize {
    answer["items"].as_array().map_or(0, Vec::len)
}

fn check_answer(
    invocation: &Invocation,
    command: &BoundedCommand,
    workspace: &Workspace,
) -> Result<(), Failure> {
    let invocation = invocation.clone().with_argument("--json");
    match (command.is_answer)(&invocation.json_output()?, workspace) {
        true => Ok(()),
        false => Err(invocation.wrong_answer("it does not answer what was asked")),
    }
}

fn bar(command: &BoundedCommand, row: &WorkspaceRow) -> Bar {
    let ratio = if command.base == VERSION { row.to_version } else { row.to_git_status };
    Bar::at_most(&format!("{} / {}", command.name, command.base), ratio, command.max_ratio)
}

impl Report for WorkspaceReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for WorkspaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.programs.join(", "))?;
        writeln!(f, "{}\n", self.workspace)?;
        let headings =
            ["command", "runs", "median", "p10–p90", "min", "/ git status", "/ --version"];
        let mut lines = vec![headings.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|row| {
            let [runs, median, range, min] = row.times.cells();
            let ratios = [row.to_git_status, row.to_version].map(numbers::ratio);
            let [to_git_status, to_version] = ratios;
            [row.name.to_owned(), runs, median, range, min, to_git_status, to_version]
        }));
        write_table(f, &lines, 0)?;
        writeln!(f)?;
        write_bars(f, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;

    fn row(to_git_status: f64, to_version: f64) -> WorkspaceRow {
        let times =
            TimingSummary { runs: 1, median_us: 1.0, p10_us: 1.0, p90_us: 1.0, min_us: 1.0 };
        WorkspaceRow { name: "heir", times, to_git_status, to_version }
    }

    #[test]
    fn a_bar_is_judged_by_the_ratio_to_its_base() {
        let temp = tempfile::tempdir().unwrap();
        let workspace = generate::workspace(temp.path(), 10, 1).unwrap();
        let commands = barred_commands(&workspace);
        let verdicts =
            |row: WorkspaceRow| commands.iter().map(|c| bar(c, &row).verdict).collect::<Vec<_>>();
        assert!(verdicts(row(3.0, 2.0)).iter().all(|verdict| *verdict == Verdict::Pass));
        assert_eq!(verdicts(row(3.0, 2.1))[0], Verdict::Fail);
        let fast_start = verdicts(row(3.1, 1.0));
        assert_eq!(fast_start[0], Verdict::Pass);
        assert!(fast_start[1..4].iter().all(|verdict| *verdict == Verdict::Fail));
        assert!(fast_start[4..].iter().all(|verdict| *verdict == Verdict::Pass));
        assert!(verdicts(row(8.1, 1.0))[4..].iter().all(|verdict| *verdict == Verdict::Fail));
    }
}
