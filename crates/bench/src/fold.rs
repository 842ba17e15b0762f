//! The `fold` measurement: the cost of a memory log, and of one that is twice as long.

use std::fmt;

use serde::Serialize;

use crate::args::FoldArgs;
use crate::failure::Failure;
use crate::generate;
use crate::invocation::Invocation;
use crate::numbers::count;
use crate::programs;
use crate::records::{self, LogContents};
use crate::report::{Attempt, Bar, Report, write_bars};
use crate::scratch::ScratchFolder;
use crate::timing::{self, TimedCommand, TimingSummary};

/// How many times as long twice the records may take.
const MAX_RATIO: f64 = 2.3;
const SHORT: &str = "heir stats --json, the log";
const LONG: &str = "heir stats --json, twice the log";
/// How many plans and agents the workspace has beside its log.
const PLANS: u32 = 10;
const AGENTS: u32 = 2;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct FoldReport {
    /// The measured program, with its version.
    pub(crate) program: String,
    /// One row for each log.
    pub(crate) rows: Vec<FoldRow>,
    pub(crate) bars: Vec<Bar>,
}

/// The results of one log.
#[derive(Serialize)]
pub(crate) struct FoldRow {
    pub(crate) records: usize,
    /// How many files the log has.
    pub(crate) shards: usize,
    /// The size of all files.
    pub(crate) bytes: usize,
    pub(crate) times: TimingSummary,
    /// How many records the median run reads and folds in a second.
    pub(crate) records_per_second: f64,
    /// The peak resident memory, in bytes.
    pub(crate) peak_bytes: Attempt<u64>,
}

/// Generates both logs, and times `heir stats` on both in turn.
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
        let contents = records::write_log(&workspace.root, records)?;
        let stats = Invocation::heir(&heir, &["stats", "--json"], &workspace.root);
        check_answer(&stats, &contents)?;
        program = Invocation::version(&heir, &workspace.root)?;
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
            records_per_second: records as f64 * 1e6 / times.median_us,
            times,
            peak_bytes: peak.into(),
        })
        .collect();
    let bars = vec![bar(rows[1].times.median_us / rows[0].times.median_us)];
    Ok(FoldReport { program, rows, bars })
}

fn bar(ratio: f64) -> Bar {
    Bar::at_most("twice the log / the log", ratio, MAX_RATIO)
}

/// Checks that the answer counts all records: a program that reads nothing is fast.
fn check_answer(stats: &Invocation, contents: &LogContents) -> Result<(), Failure> {
    let answer = stats.json_output()?;
    if let Some(problem) = answer["problems"].as_array().and_then(|problems| problems.first()) {
        return Err(stats.wrong_answer(format!("it has a problem with the log: {problem}")));
    }
    for (kind, lines) in &contents.kinds {
        let Some(counts) = answer["records"][kind].as_object() else { continue };
        let counted: u64 = ["active", "done", "superseded", "archived"]
            .iter()
            .filter_map(|state| counts.get(*state)?.as_u64())
            .sum();
        let expected = lines - if *kind == "fact" { contents.repeated_facts } else { 0 };
        if counted != expected as u64 {
            let reason = format!("it counts {counted} records of the kind {kind}, not {expected}");
            return Err(stats.wrong_answer(reason));
        }
    }
    match answer["records"]["fact"].is_object() {
        true => Ok(()),
        false => Err(stats.wrong_answer("its answer counts no facts")),
    }
}

impl Report for FoldReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for FoldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, `heir stats --json`\n", self.program)?;
        writeln!(
            f,
            "{:>9}  {:>6}  {:>9}  {:>4}  {:>11}  {:>19}  {:>11}  {:>13}  {:>8}",
            "records", "shards", "log", "runs", "median", "p10–p90", "min", "records/s", "peak"
        )?;
        for row in &self.rows {
            let [runs, median, range, min] = row.times.cells();
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
                runs,
                median,
                range,
                min,
                count(row.records_per_second as usize),
                peak
            )?;
        }
        writeln!(f)?;
        write_bars(f, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;

    #[test]
    fn the_bar_allows_a_ratio_of_2_3() {
        assert_eq!(bar(2.3).verdict, Verdict::Pass);
        assert_eq!(bar(2.31).verdict, Verdict::Fail);
        assert_eq!(bar(2.0).to_string(), "twice the log / the log <= 2.3: pass (2.000)");
    }
}
