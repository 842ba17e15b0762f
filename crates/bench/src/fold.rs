//! The `fold` measurement: what a log costs that is twice as long.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::FoldArgs;
use crate::failure::Failure;
use crate::generate;
use crate::numbers::count;
use crate::programs;
use crate::records::{self, LogContents};
use crate::report::{Attempt, Bar, Verdict, millis, ratio_text};
use crate::scratch::ScratchFolder;
use crate::start::{heir_invocation, version};
use crate::timing::{self, Invocation, TimedCommand, TimingSummary};

/// Twice the records may take this many times as long.
const MOST: f64 = 2.3;
const SHORT: &str = "heir stats --json, the log";
const LONG: &str = "heir stats --json, twice the log";
/// What a workspace has beside its log.
const PLANS: u32 = 10;
const AGENTS: u32 = 2;

/// All that a run found.
#[derive(Serialize)]
pub(crate) struct FoldReport {
    /// The program measured, with its version.
    pub(crate) program: String,
    /// One row a log.
    pub(crate) rows: Vec<FoldRow>,
    /// The verdicts.
    pub(crate) bars: Vec<Bar>,
}

/// One log and what it costs.
#[derive(Serialize)]
pub(crate) struct FoldRow {
    /// Records in the log.
    pub(crate) records: usize,
    /// Files that they are in.
    pub(crate) shards: usize,
    /// Bytes in those.
    pub(crate) bytes: usize,
    /// The times.
    pub(crate) times: TimingSummary,
    /// Records that are read and folded in a second of the median run.
    pub(crate) records_a_second: f64,
    /// The most memory that was resident at a time, in bytes.
    pub(crate) peak_bytes: Attempt<u64>,
}

/// Generates both logs, runs both in turn and returns the report.
pub(crate) fn measure(args: &FoldArgs) -> Result<FoldReport, Failure> {
    let heir = programs::heir(args.common.heir.as_deref())?;
    let scratch = ScratchFolder::new(args.common.keep.as_deref())?;
    let records = args.records as usize;
    let sizes = [(SHORT, "log", records), (LONG, "twice", 2 * records)];
    let mut program = String::new();
    let mut logs = Vec::new();
    let mut commands = Vec::new();
    for (name, folder, records) in sizes {
        eprintln!("generating {} records", count(records));
        let workspace = generate::workspace(&scratch.path.join(folder), PLANS, AGENTS)?;
        let contents = records::log(&workspace.root, records)?;
        let stats = heir_invocation(&heir, &workspace, &["stats", "--json"]);
        check_answer(&stats, &contents)?;
        program = version(&heir, &workspace)?;
        let peak = stats.peak_memory()?;
        logs.push((records, contents, peak));
        commands.push(TimedCommand { name, invocations: vec![stats], runs: args.runs as usize });
    }
    eprintln!("timing {} rounds", count(args.runs as usize));
    let summaries = timing::race(&commands, args.runs as usize)?;
    let rows: Vec<FoldRow> = logs
        .into_iter()
        .zip(summaries)
        .map(|((records, contents, peak), times)| FoldRow {
            records,
            shards: contents.shards,
            bytes: contents.bytes,
            records_a_second: records as f64 * 1e6 / times.median_us,
            times,
            peak_bytes: peak.into(),
        })
        .collect();
    let bars = vec![bar(rows[1].times.median_us / rows[0].times.median_us)];
    Ok(FoldReport { program, rows, bars })
}

fn bar(found: f64) -> Bar {
    Bar {
        name: format!("twice the log / the log <= {MOST}"),
        verdict: if found <= MOST { Verdict::Pass } else { Verdict::Fail },
        detail: ratio_text(found),
        measured: Some(found),
    }
}

/// Checks that the answer counts what is there: a program that reads nothing is fast.
fn check_answer(stats: &Invocation, contents: &LogContents) -> Result<(), Failure> {
    let wrong = |reason| Failure::Unexpected { command: stats.to_string(), reason };
    let answer: Value = serde_json::from_str(&stats.output()?)
        .map_err(|error| wrong(format!("its answer is not JSON: {error}")))?;
    if let Some(problem) = answer["problems"].as_array().and_then(|problems| problems.first()) {
        return Err(wrong(format!("it has a problem with the log: {problem}")));
    }
    for (kind, lines) in &contents.kinds {
        let Some(counts) = answer["records"][kind].as_object() else { continue };
        let counted: u64 = ["active", "done", "superseded", "archived"]
            .iter()
            .filter_map(|standing| counts.get(*standing)?.as_u64())
            .sum();
        let expected = lines - if *kind == "fact" { contents.repeated } else { 0 };
        if counted != expected as u64 {
            return Err(wrong(format!("it counts {counted} of {expected} records: {kind}")));
        }
    }
    match answer["records"]["fact"].is_object() {
        true => Ok(()),
        false => Err(wrong("its answer counts no facts".to_owned())),
    }
}

impl FoldReport {
    /// Tells whether a bar does not hold.
    pub(crate) fn has_failed_bar(&self) -> bool {
        self.bars.iter().any(|bar| bar.verdict == Verdict::Fail)
    }
}

impl fmt::Display for FoldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, `heir stats --json`\n", self.program)?;
        writeln!(
            f,
            "{:>9}  {:>6}  {:>9}  {:>4}  {:>11}  {:>19}  {:>11}  {:>13}  {:>8}",
            "records", "shards", "log", "runs", "median", "p10–p90", "min", "records a s", "peak"
        )?;
        for row in &self.rows {
            let times = &row.times;
            let peak = match &row.peak_bytes {
                Attempt::Done(bytes) => format!("{} MB", count((bytes / 1_000_000) as usize)),
                Attempt::Skipped { .. } => "-".to_owned(),
            };
            writeln!(
                f,
                "{:>9}  {:>6}  {:>9}  {:>4}  {:>11}  {:>19}  {:>11}  {:>13}  {:>8}",
                count(row.records),
                count(row.shards),
                format!("{} MB", count(row.bytes / 1_000_000)),
                times.runs,
                format!("{} ms", millis(times.median_us)),
                format!("{}–{} ms", millis(times.p10_us), millis(times.p90_us)),
                format!("{} ms", millis(times.min_us)),
                count(row.records_a_second as usize),
                peak
            )?;
        }
        writeln!(f)?;
        self.bars.iter().try_for_each(|bar| writeln!(f, "{bar}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_twice_the_length_may_take_little_more_than_twice_as_long() {
        assert_eq!(bar(2.3).verdict, Verdict::Pass);
        assert_eq!(bar(2.31).verdict, Verdict::Fail);
        assert_eq!(bar(2.0).to_string(), "twice the log / the log <= 2.3: pass (2.000)");
    }
}
