//! The time and memory of a consolidation of many memories, beside a rebuild of their index.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::interruption::{consolidate_with_kills, count_damaged_lines};
use crate::args::ConsolidationScaleArgs;
use crate::corpus::{CorpusGenerator, WORDS_PER_MEMORY};
use crate::failure::Failure;
use crate::files;
use crate::ids::{FIRST_RECORD_MS, uuid_v7};
use crate::invocation::Invocation;
use crate::numbers::count;
use crate::programs;
use crate::report::{Attempt, Bar, Report, write_bars};
use crate::scale::write_facts;
use crate::scratch::temporary_folder;

/// How often the index is rebuilt; the median counts.
const REBUILDS: usize = 3;

/// One in so many facts repeats another one in nearly the same words.
const FACTS_PER_REPETITION: usize = 50;

/// One in so many memories is small talk.
const MEMORIES_PER_GREETING: usize = 20;

/// How many times the rebuild of the index consolidation may take.
const MAX_REBUILDS: f64 = 40.0;

/// The memory that consolidation may take, in megabytes.
const MAX_PEAK_MB: f64 = 500.0;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct ConsolidationScaleReport {
    memories: usize,
    rebuild_ms: f64,
    consolidation_ms: f64,
    /// The same again, with nothing new to do.
    second_ms: f64,
    peak_bytes: Attempt<u64>,
    deduped: u64,
    forgotten: u64,
    judged_pairs: u64,
    contradictions_found: u64,
    /// How often a run was killed before one finished.
    kills: usize,
    /// Lines of the log that are damaged after that.
    damaged_lines: usize,
    bars: Vec<Bar>,
}

/// Measures it.
pub(crate) fn measure(args: &ConsolidationScaleArgs) -> Result<ConsolidationScaleReport, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let memories = args.memories as usize;
    eprintln!("generating {} memories", count(memories));
    let generated = GeneratedWorkspace::create(&heir, memories)?;
    let mut rebuilds = Vec::new();
    for _ in 0..REBUILDS {
        rebuilds.push(generated.run(&["index", "rebuild", "--json"]).run_timed()?);
    }
    rebuilds.sort();
    let rebuild = rebuilds[REBUILDS / 2];
    eprintln!("consolidating");
    let started = std::time::Instant::now();
    let first = generated.run(&["consolidate", "--json"]).json_output()?;
    let consolidation = started.elapsed();
    let started = std::time::Instant::now();
    let second = generated.run(&["consolidate", "--json"]).json_output()?;
    let second_time = started.elapsed();
    let expected = generated.state()?;
    drop(generated);
    eprintln!("consolidating again, for its peak memory");
    let again = GeneratedWorkspace::create(&heir, memories)?;
    again.run(&["index", "rebuild", "--json"]).run_timed()?;
    let peak_bytes = again.run(&["consolidate", "--json"]).peak_memory()?.into();
    drop(again);
    eprintln!("consolidating, killed again and again");
    let killed = GeneratedWorkspace::create(&heir, memories)?;
    killed.run(&["index", "rebuild", "--json"]).run_timed()?;
    let kills = consolidate_with_kills(&killed.run(&["consolidate", "--json"]), consolidation)?;
    let damaged_lines = count_damaged_lines(killed.path())?;
    let is_same = killed.state()? == expected;
    let number = |answer: &Value, name: &str| answer[name].as_u64().unwrap_or_default();
    let changed_again = ["deduped", "compressed", "ranked", "forgotten"]
        .into_iter()
        .map(|name| number(&second, name))
        .sum::<u64>();
    let mut report = ConsolidationScaleReport {
        memories,
        rebuild_ms: millis(rebuild),
        consolidation_ms: millis(consolidation),
        second_ms: millis(second_time),
        peak_bytes,
        deduped: number(&first, "deduped"),
        forgotten: number(&first, "forgotten"),
        judged_pairs: number(&first, "judged_pairs"),
        contradictions_found: number(&first, "contradictions_found"),
        kills,
        damaged_lines,
        bars: vec![],
    };
    report.bars = report.judge(changed_again, is_same);
    Ok(report)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl ConsolidationScaleReport {
    fn judge(&self, changed_again: u64, is_same: bool) -> Vec<Bar> {
        let peak_mb = self.peak_bytes.map(|bytes| *bytes as f64 / 1e6);
        let differences = if is_same { 0.0 } else { 1.0 };
        vec![
            Bar::at_most(
                "consolidation / rebuild of the index",
                self.consolidation_ms / self.rebuild_ms,
                MAX_REBUILDS,
            ),
            Bar::at_most_if_measured("MB of a consolidation", peak_mb, MAX_PEAK_MB),
            Bar::at_most("changes of a second run", changed_again as f64, 0.0),
            Bar::at_most("damaged lines after kills", self.damaged_lines as f64, 0.0),
            Bar::at_most("differences to an uninterrupted run", differences, 0.0),
        ]
    }
}

/// A workspace of generated memories. It is deleted when this is dropped.
struct GeneratedWorkspace<'h> {
    heir: &'h Path,
    folder: TempDir,
}

impl<'h> GeneratedWorkspace<'h> {
    fn create(heir: &'h Path, memories: usize) -> Result<Self, Failure> {
        let generated = GeneratedWorkspace { heir, folder: temporary_folder()? };
        generated.run(&["init"]).run_timed()?;
        let greetings = memories / MEMORIES_PER_GREETING;
        let facts = generate_facts(memories - greetings);
        let numbered: Vec<(usize, &String)> = facts.iter().enumerate().collect();
        write_facts(generated.path(), &numbered)?;
        write_greetings(generated.path(), greetings)?;
        Ok(generated)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, arguments: &[&str]) -> Invocation {
        Invocation::heir(self.heir, arguments, self.path())
    }

    /// Returns what must be the same after every way to consolidate: the counts of memories, and whether a line is damaged.
    fn state(&self) -> Result<Value, Failure> {
        let mut stats = self.run(&["stats", "--json"]).json_output()?;
        // Repeated runs write more events.
        if let Some(stats) = stats.as_object_mut() {
            stats.remove("files");
        }
        Ok(stats["records"].take())
    }
}

/// Generates facts, of which some repeat others with a word less.
fn generate_facts(total: usize) -> Vec<String> {
    let mut corpus = CorpusGenerator::new(WORDS_PER_MEMORY);
    let mut facts: Vec<String> = Vec::with_capacity(total);
    for number in 0..total {
        let repeated = (number % FACTS_PER_REPETITION == FACTS_PER_REPETITION - 1)
            .then(|| facts.get(number / 2))
            .flatten();
        let fact = match repeated.and_then(|fact| fact.rsplit_once(' ')) {
            Some((start, _)) => format!("{start}."),
            None => corpus.memory(),
        };
        facts.push(fact);
    }
    facts
}

/// Writes small talk as notes of the log.
fn write_greetings(root: &Path, total: usize) -> Result<(), Failure> {
    const GREETINGS: [&str; 4] = [
        "Ann: Hey Bob! Good to see you! How have you been?",
        "Bob: Thanks, Ann! That means a lot.",
        "Ann: Wow, that's amazing! You're so inspiring.",
        "Bob: Sounds good, take care!",
    ];
    let mut lines = String::new();
    for number in 0..total as u64 {
        let millis = FIRST_RECORD_MS + number * 60_000;
        let at = jiff::Timestamp::from_millisecond(i64::try_from(millis).unwrap_or_default());
        let line = json!({
            "v": 1,
            "id": uuid_v7(millis, (1 << 40) + number),
            "kind": "note",
            "content": GREETINGS[number as usize % GREETINGS.len()],
            "at": at.map(|at| at.to_string()).unwrap_or_default(),
            "by": "ada",
        });
        lines.push_str(&format!("{line}\n"));
    }
    files::write(&root.join(".heirloom/memory/note/2024-01-talk.jsonl"), &lines)
}

impl Report for ConsolidationScaleReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for ConsolidationScaleReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} memories", count(self.memories))?;
        writeln!(out, "rebuild of the index {:>10.0} ms", self.rebuild_ms)?;
        writeln!(out, "consolidation        {:>10.0} ms", self.consolidation_ms)?;
        writeln!(out, "a second one         {:>10.0} ms", self.second_ms)?;
        match &self.peak_bytes {
            Attempt::Done(bytes) => {
                writeln!(out, "peak memory          {:>10.0} MB", *bytes as f64 / 1e6)?;
            }
            Attempt::Skipped { skipped } => writeln!(out, "peak memory: skipped: {skipped}")?,
        }
        writeln!(
            out,
            "{} merged, {} archived, {} pairs judged, {} contradictions, {} kills",
            self.deduped, self.forgotten, self.judged_pairs, self.contradictions_found, self.kills
        )?;
        write_bars(out, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_fifty_facts_repeats_another_one() {
        let facts = generate_facts(200);
        assert_eq!(facts.len(), 200);
        let start = facts[199].trim_end_matches('.');
        assert!(facts[99].starts_with(start), "{} / {start}", facts[99]);
        assert_ne!(facts[99], facts[199]);
    }
}
