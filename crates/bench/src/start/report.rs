//! The report of `start`: ratios, bars and tables.

use std::fmt;

use serde::Serialize;

use crate::generate::WorkspaceSize;
use crate::numbers::{self, count};
use crate::report::{Attempt, Bar, Report, Verdict, write_bars, write_table};
use crate::timing::TimingSummary;
use crate::trace::Comparison;

/// The cost of starting any process.
pub(crate) const TRUE: &str = "/bin/true";
/// The cost of starting `heir`.
pub(crate) const VERSION: &str = "heir --version";
/// The measured operation.
pub(crate) const RESOLVE: &str = "heir context resolve PLAN AGENT";
/// The measured operation with JSON output.
pub(crate) const RESOLVE_JSON: &str = "heir context resolve PLAN AGENT --json";
/// What is known in a scope with as many plans as the workspace.
pub(crate) const RETRIEVE: &str = "heir retrieve context";
/// The command that the bar of `resolve` refers to.
pub(crate) const NODE: &str = "node -e 0";
/// The peer.
pub(crate) const LIMPS: &str = "limps plan list --json";

const MAX_RATIO_TO_NODE: f64 = 0.1;
const MAX_RATIO_OF_RETRIEVE: f64 = 5.0;
const MIN_RATIO_OF_LIMPS: f64 = 100.0;
/// How many differences of the traces are printed; the JSON has all.
const MAX_SHOWN_DIFFERENCES: usize = 10;

/// The order of the rows.
const ROW_ORDER: [&str; 7] = [TRUE, VERSION, RESOLVE, RESOLVE_JSON, RETRIEVE, NODE, LIMPS];

/// The report of `start`.
#[derive(Serialize)]
pub(crate) struct StartReport {
    /// The measured programs, with their versions.
    pub(crate) programs: Vec<String>,
    /// The size of the generated workspace.
    pub(crate) workspace: WorkspaceSize,
    /// One row for each command.
    pub(crate) rows: Vec<StartRow>,
    /// The comparison of the traces in two workspaces, or why there is none.
    pub(crate) trace: Attempt<Comparison>,
    pub(crate) bars: Vec<Bar>,
}

/// One command and its times.
#[derive(Serialize)]
pub(crate) struct StartRow {
    pub(crate) name: &'static str,
    /// Its times, or why it was not run.
    #[serde(flatten)]
    pub(crate) outcome: Attempt<TimingSummary>,
    pub(crate) ratios: Ratios,
}

/// The ratios of a median to those of other rows; `None` if either row was skipped.
#[derive(Default, Serialize)]
pub(crate) struct Ratios {
    pub(crate) to_true: Option<f64>,
    pub(crate) to_version: Option<f64>,
    pub(crate) to_node: Option<f64>,
}

impl StartReport {
    /// Computes ratios and bars from the outcomes.
    pub(crate) fn new(
        programs: Vec<String>,
        workspace: WorkspaceSize,
        mut outcomes: Vec<(&'static str, Attempt<TimingSummary>)>,
        trace: Attempt<Comparison>,
    ) -> StartReport {
        outcomes.sort_by_key(|(name, _)| ROW_ORDER.iter().position(|row| row == name));
        let median = |name: &str| {
            let (_, outcome) = outcomes.iter().find(|(row, _)| *row == name)?;
            if let Attempt::Done(summary) = outcome { Some(summary.median_us) } else { None }
        };
        let ratio = |row: &str, base: &str| Some(median(row)? / median(base)?);
        let bar = |name: String, row, base, is_met: fn(f64) -> bool| match ratio(row, base) {
            Some(ratio) => Bar::judge(name, ratio, is_met(ratio)),
            None => {
                let missing = if median(row).is_none() { row } else { base };
                Bar::skipped(name, format!("no times of `{missing}`"))
            }
        };
        let bars = vec![
            bar(format!("resolve / node <= {MAX_RATIO_TO_NODE}"), RESOLVE, NODE, |ratio| {
                ratio <= MAX_RATIO_TO_NODE
            }),
            trace_bar(&trace),
            bar(
                format!("retrieve context / --version <= {MAX_RATIO_OF_RETRIEVE}"),
                RETRIEVE,
                VERSION,
                |ratio| ratio <= MAX_RATIO_OF_RETRIEVE,
            ),
            bar(format!("limps / resolve >= {MIN_RATIO_OF_LIMPS}"), LIMPS, RESOLVE, |ratio| {
                ratio >= MIN_RATIO_OF_LIMPS
            }),
        ];
        let ratios: Vec<_> = outcomes
            .iter()
            .map(|(name, _)| Ratios {
                to_true: ratio(name, TRUE),
                to_version: ratio(name, VERSION),
                to_node: ratio(name, NODE),
            })
            .collect();
        let rows = outcomes
            .into_iter()
            .zip(ratios)
            .map(|((name, outcome), ratios)| StartRow { name, outcome, ratios })
            .collect();
        StartReport { programs, workspace, rows, trace, bars }
    }
}

impl Report for StartReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

fn trace_bar(trace: &Attempt<Comparison>) -> Bar {
    let comparison = match trace {
        Attempt::Done(comparison) => comparison,
        Attempt::Skipped { skipped } => {
            return Bar::skipped("same files at both sizes".to_owned(), skipped.clone());
        }
    };
    let [small, large] = comparison.plans.map(count);
    let (verdict, detail) = match comparison.differences.len() {
        0 => (Verdict::Pass, format!("{} files", count(comparison.files.len()))),
        1 => (Verdict::Fail, "1 difference".to_owned()),
        differences => (Verdict::Fail, format!("{} differences", count(differences))),
    };
    let name = format!("same files at {small} and {large} plans");
    Bar { name, verdict, detail, measured: None }
}

impl fmt::Display for StartReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.programs.join(", "))?;
        writeln!(f, "{}\n", self.workspace)?;
        write_rows(f, &self.rows)?;
        writeln!(f)?;
        write_trace(f, &self.trace)?;
        writeln!(f)?;
        write_bars(f, &self.bars)
    }
}

fn write_rows(f: &mut fmt::Formatter<'_>, rows: &[StartRow]) -> fmt::Result {
    const HEADINGS: [&str; 8] =
        ["command", "runs", "median", "p10–p90", "min", "/ true", "/ --version", "/ node"];
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    for row in rows {
        if let Attempt::Done(times) = &row.outcome {
            let Ratios { to_true, to_version, to_node } = row.ratios;
            let [to_true, to_version, to_node] = [to_true, to_version, to_node]
                .map(|ratio| ratio.map_or_else(|| "-".to_owned(), numbers::ratio));
            let [runs, median, range, min] = times.cells();
            let name = row.name.to_owned();
            lines.push([name, runs, median, range, min, to_true, to_version, to_node]);
        }
    }
    let longest = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let width = write_table(f, &lines, longest)?;
    for row in rows {
        if let Attempt::Skipped { skipped } = &row.outcome {
            writeln!(f, "{:<width$}  skipped: {skipped}", row.name)?;
        }
    }
    Ok(())
}

fn write_trace(f: &mut fmt::Formatter<'_>, trace: &Attempt<Comparison>) -> fmt::Result {
    let comparison = match trace {
        Attempt::Skipped { skipped } => {
            return writeln!(f, "same files opened: skipped: {skipped}");
        }
        Attempt::Done(comparison) => comparison,
    };
    if comparison.differences.is_empty() {
        writeln!(f, "same files opened: yes ({} files)", count(comparison.files.len()))?;
        let listings: Vec<_> = comparison.listings.iter().map(String::as_str).collect();
        writeln!(f, "folders listed: {}", listings.join(", "))?;
    } else {
        writeln!(f, "same files opened: no")?;
        for difference in comparison.differences.iter().take(MAX_SHOWN_DIFFERENCES) {
            writeln!(f, "  {difference}")?;
        }
        if let Some(more @ 1..) = comparison.differences.len().checked_sub(MAX_SHOWN_DIFFERENCES) {
            writeln!(f, "  and {} more", count(more))?;
        }
    }
    let [small_calls, large_calls] = comparison.calls.map(count);
    let [small, large] = comparison.plans.map(count);
    writeln!(
        f,
        "system calls that name a file: {small_calls} at {small} plans, {large_calls} at {large}"
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn times(micros: f64) -> Attempt<TimingSummary> {
        Attempt::Done(TimingSummary {
            runs: 200,
            median_us: micros,
            p10_us: micros * 0.9,
            p90_us: micros * 1.2,
            min_us: micros * 0.8,
        })
    }

    fn skipped<T>() -> Attempt<T> {
        Attempt::Skipped { skipped: "not installed".to_owned() }
    }

    fn trace(differences: &[&str]) -> Attempt<Comparison> {
        Attempt::Done(Comparison {
            plans: [10, 1000],
            differences: differences.iter().map(ToString::to_string).collect(),
            files: BTreeSet::from(["a.md".to_owned(), "b.md".to_owned()]),
            listings: BTreeSet::from(["plans".to_owned()]),
            calls: [40, 41],
        })
    }

    fn report(
        resolve: f64,
        limps: Attempt<TimingSummary>,
        trace: Attempt<Comparison>,
    ) -> StartReport {
        let size = WorkspaceSize { plans: 1000, agents: 5, documents: 9028, bytes: 18_000_000 };
        let outcomes = vec![
            (TRUE, times(500.0)),
            (VERSION, times(1000.0)),
            (RESOLVE, times(resolve)),
            (NODE, times(40_000.0)),
            (LIMPS, limps),
        ];
        StartReport::new(
            vec!["heir 0.1.0".to_owned(), "node v20".to_owned()],
            size,
            outcomes,
            trace,
        )
    }

    fn verdicts(report: &StartReport) -> Vec<Verdict> {
        report.bars.iter().map(|bar| bar.verdict).collect()
    }

    #[test]
    fn bars_are_judged_on_medians() {
        use Verdict::{Fail, Pass, Skipped};
        let good = report(4000.0, times(400_000.0), trace(&[]));
        assert_eq!(verdicts(&good), [Pass, Pass, Skipped, Pass]);
        assert!(!good.has_failed_bar());
        let bad = report(4001.0, times(400_000.0), trace(&["c.md opened"]));
        assert_eq!(verdicts(&bad), [Fail, Fail, Skipped, Fail]);
        assert!(bad.has_failed_bar());
        let without_peers = report(4000.0, skipped(), skipped());
        assert_eq!(verdicts(&without_peers), [Pass, Skipped, Skipped, Skipped]);
        assert!(!without_peers.has_failed_bar());
    }

    #[test]
    fn the_table_is_aligned_and_lists_skipped_rows() {
        let expected = "\
heir 0.1.0, node v20
1,000 plans with 5 agents each: 9,028 documents, 18,000 KB

command                          runs    median         p10–p90       min  / true  / --version  / node
/bin/true                         200   0.50 ms    0.45–0.60 ms   0.40 ms   1.000        0.500   0.013
heir --version                    200   1.00 ms    0.90–1.20 ms   0.80 ms   2.000        1.000   0.025
heir context resolve PLAN AGENT   200   2.00 ms    1.80–2.40 ms   1.60 ms   4.000        2.000   0.050
node -e 0                         200  40.00 ms  36.00–48.00 ms  32.00 ms    80.0         40.0   1.000
limps plan list --json           skipped: not installed

same files opened: yes (2 files)
folders listed: plans
system calls that name a file: 40 at 10 plans, 41 at 1,000

resolve / node <= 0.1: pass (0.050)
same files at 10 and 1,000 plans: pass (2 files)
retrieve context / --version <= 5: skipped (no times of `heir retrieve context`)
limps / resolve >= 100: skipped (no times of `limps plan list --json`)
";
        assert_eq!(report(2000.0, skipped(), trace(&[])).to_string(), expected);
    }

    #[test]
    fn json_rows_have_times_or_a_reason() {
        let value = serde_json::to_value(report(2000.0, skipped(), trace(&[]))).unwrap();
        assert_eq!(value["rows"][2]["median_us"], 2000.0);
        assert_eq!(value["rows"][2]["ratios"]["to_node"], 0.05);
        assert_eq!(value["rows"][4]["skipped"], "not installed");
        assert_eq!(value["bars"][0]["verdict"], "pass");
    }
}
