//! The report of `start`, and what all reports share: bars, tables and ratios.

use std::fmt;

use serde::Serialize;

use crate::numbers::count;
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
/// The command that the bar of `resolve` refers to.
pub(crate) const NODE: &str = "node -e 0";
/// The peer.
pub(crate) const LIMPS: &str = "limps plan list --json";

const MAX_RATIO_TO_NODE: f64 = 0.1;
const MIN_RATIO_OF_LIMPS: f64 = 100.0;
/// How many differences of the traces are printed; the JSON has all.
const MAX_SHOWN_DIFFERENCES: usize = 10;

/// The order of the rows.
const ROW_ORDER: [&str; 6] = [TRUE, VERSION, RESOLVE, RESOLVE_JSON, NODE, LIMPS];

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

/// The size of a workspace.
#[derive(Serialize)]
pub(crate) struct WorkspaceSize {
    pub(crate) plans: usize,
    /// How many agents each plan has.
    pub(crate) agents: usize,
    /// How many markdown documents there are.
    pub(crate) documents: usize,
    /// The size of all documents.
    pub(crate) bytes: usize,
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

/// A result, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Attempt<T> {
    Done(T),
    Skipped {
        /// The reason.
        skipped: String,
    },
}

impl<T> From<Result<T, String>> for Attempt<T> {
    fn from(result: Result<T, String>) -> Attempt<T> {
        result.map_or_else(|skipped| Attempt::Skipped { skipped }, Attempt::Done)
    }
}

/// A requirement, and whether it is met.
#[derive(Serialize)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    /// The measured value, or why there is none.
    pub(crate) detail: String,
    /// The measured number, if the bar compares one.
    pub(crate) measured: Option<f64>,
}

/// Whether a bar is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Pass,
    Fail,
    /// It could not be measured.
    Skipped,
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
        let judge = |name: &str, row, base, is_met: fn(f64) -> bool| {
            let (verdict, detail) = match ratio(row, base) {
                Some(ratio) if is_met(ratio) => (Verdict::Pass, ratio_text(ratio)),
                Some(ratio) => (Verdict::Fail, ratio_text(ratio)),
                None => {
                    let absent = if median(row).is_none() { row } else { base };
                    (Verdict::Skipped, format!("no times of `{absent}`"))
                }
            };
            Bar { name: name.to_owned(), verdict, detail, measured: ratio(row, base) }
        };
        let bars = vec![
            judge("resolve / node <= 0.1", RESOLVE, NODE, |ratio| ratio <= MAX_RATIO_TO_NODE),
            trace_bar(&trace),
            judge("limps / resolve >= 100", LIMPS, RESOLVE, |ratio| ratio >= MIN_RATIO_OF_LIMPS),
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

    /// Returns whether a bar failed.
    pub(crate) fn has_failed_bar(&self) -> bool {
        self.bars.iter().any(|bar| bar.verdict == Verdict::Fail)
    }
}

fn trace_bar(trace: &Attempt<Comparison>) -> Bar {
    let (name, verdict, detail) = match trace {
        Attempt::Done(found) => {
            let [few, many] = found.plans.map(count);
            let name = format!("same files at {few} and {many} plans");
            match found.differences.len() {
                0 => (name, Verdict::Pass, format!("{} files", count(found.files.len()))),
                1 => (name, Verdict::Fail, "1 difference".to_owned()),
                more => (name, Verdict::Fail, format!("{} differences", count(more))),
            }
        }
        Attempt::Skipped { skipped } => {
            ("same files at both sizes".to_owned(), Verdict::Skipped, skipped.clone())
        }
    };
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
        self.bars.iter().try_for_each(|bar| writeln!(f, "{bar}"))
    }
}

impl fmt::Display for WorkspaceSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plans, documents) = (count(self.plans), count(self.documents));
        let (agents, kilobytes) = (self.agents, count(self.bytes / 1000));
        write!(f, "{plans} plans with {agents} agents each: {documents} documents, {kilobytes} KB")
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Skipped => "skipped",
        };
        write!(f, "{}: {verdict} ({})", self.name, self.detail)
    }
}

fn write_rows(f: &mut fmt::Formatter<'_>, rows: &[StartRow]) -> fmt::Result {
    const HEADINGS: [&str; 8] =
        ["command", "runs", "median", "p10–p90", "min", "/ true", "/ --version", "/ node"];
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    for row in rows {
        if let Attempt::Done(times) = &row.outcome {
            let ratio = |found: Option<f64>| found.map_or_else(|| "-".to_owned(), ratio_text);
            lines.push([
                row.name.to_owned(),
                count(times.runs),
                format!("{} ms", millis(times.median_us)),
                format!("{}–{} ms", millis(times.p10_us), millis(times.p90_us)),
                format!("{} ms", millis(times.min_us)),
                ratio(row.ratios.to_true),
                ratio(row.ratios.to_version),
                ratio(row.ratios.to_node),
            ]);
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
    let found = match trace {
        Attempt::Skipped { skipped } => {
            return writeln!(f, "same files opened: skipped: {skipped}");
        }
        Attempt::Done(found) => found,
    };
    if found.differences.is_empty() {
        writeln!(f, "same files opened: yes ({} files)", count(found.files.len()))?;
        let listings: Vec<_> = found.listings.iter().map(String::as_str).collect();
        writeln!(f, "folders listed: {}", listings.join(", "))?;
    } else {
        writeln!(f, "same files opened: no")?;
        for difference in found.differences.iter().take(MAX_SHOWN_DIFFERENCES) {
            writeln!(f, "  {difference}")?;
        }
        if let Some(more @ 1..) = found.differences.len().checked_sub(MAX_SHOWN_DIFFERENCES) {
            writeln!(f, "  and {} more", count(more))?;
        }
    }
    let ([few, many], [at_few, at_many]) = (found.calls.map(count), found.plans.map(count));
    writeln!(f, "system calls that name a file: {few} at {at_few} plans, {many} at {at_many}")
}

/// Writes lines in columns: the first left-aligned with a minimum width, the others right-aligned. Returns the
/// width of the first column.
pub(crate) fn write_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    lines: &[[String; N]],
    min_width: usize,
) -> Result<usize, fmt::Error> {
    let mut widths = [0; N];
    widths[0] = min_width;
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in lines {
        write!(f, "{:<width$}", line[0], width = widths[0])?;
        for (cell, width) in line.iter().zip(widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(widths[0])
}

/// Formats microseconds as milliseconds.
pub(crate) fn millis(micros: f64) -> String {
    format!("{:.2}", micros / 1000.0)
}

/// Formats a ratio with about three significant digits.
pub(crate) fn ratio_text(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.3}") } else { format!("{ratio:.1}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        Attempt, LIMPS, NODE, RESOLVE, StartReport, TRUE, VERSION, Verdict, WorkspaceSize,
    };
    use crate::timing::TimingSummary;
    use crate::trace::Comparison;

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
        assert_eq!(verdicts(&good), [Pass, Pass, Pass]);
        assert!(!good.has_failed_bar());
        let bad = report(4001.0, times(400_000.0), trace(&["c.md opened"]));
        assert_eq!(verdicts(&bad), [Fail, Fail, Fail]);
        assert!(bad.has_failed_bar());
        let without_peers = report(4000.0, skipped(), skipped());
        assert_eq!(verdicts(&without_peers), [Pass, Skipped, Skipped]);
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
