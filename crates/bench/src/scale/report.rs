//! The report of `scale`: bars and tables.

use std::fmt;

use serde::Serialize;

use crate::numbers::count;
use crate::report::{Attempt, Bar, Report, write_bars};
use crate::timing::Latency;

/// Up to how many memories the bars of a fresh process are judged too.
const MAX_MEMORIES_FOR_FRESH_BARS: usize = 100_000;
/// The bar of the peak memory.
const PEAK_BAR: &str = "MB of a fresh recall";

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct ScaleReport {
    /// The results of each number of memories.
    pub(super) sizes: Vec<SizeResult>,
    /// The bars that compare two sizes.
    pub(super) bars: Vec<Bar>,
}

/// The results of one number of memories; times in milliseconds.
#[derive(Serialize)]
pub(super) struct SizeResult {
    pub(super) memories: usize,
    pub(super) in_markdown: usize,
    /// Questions to a running server.
    pub(super) warm: Latency,
    /// `heir recall` as a fresh process.
    pub(super) fresh: Latency,
    /// The first question after a memory was added.
    pub(super) after_add: Latency,
    /// `heir --version`.
    pub(super) version: Latency,
    /// `git status` of the same tree.
    pub(super) git_status: Latency,
    /// The median time of building the index.
    pub(super) indexing_ms: f64,
    /// The median time in which tantivy builds its index.
    pub(super) tantivy_indexing_ms: f64,
    pub(super) tantivy: Latency,
    pub(super) scan: Latency,
    /// The peak memory of a fresh recall, in bytes.
    pub(super) peak_bytes: Attempt<u64>,
    pub(super) bars: Vec<Bar>,
}

impl SizeResult {
    /// Judges the bars of one number of memories.
    pub(super) fn judge(&self) -> Vec<Bar> {
        let baseline = self.tantivy.p50 + self.scan.p50;
        let start = self.version.p50 + self.git_status.p50;
        let indexing = self.indexing_ms / self.tantivy_indexing_ms;
        let mut bars = vec![
            Bar::at_most("warm recall / (bare tantivy + bare scan)", self.warm.p50 / baseline, 4.0),
            Bar::at_most("warm p99 / p50", self.warm.p99 / self.warm.p50, 4.0),
            Bar::at_most("indexing / bare tantivy", indexing, 2.0),
        ];
        if self.memories <= MAX_MEMORIES_FOR_FRESH_BARS {
            let fresh = self.fresh.p50 / start;
            bars.extend([
                Bar::at_most("fresh recall / (--version + git status)", fresh, 10.0),
                Bar::at_most("ms longer after an add", self.after_add.p50 - self.warm.p50, 20.0),
            ]);
            bars.push(match &self.peak_bytes {
                Attempt::Done(peak) => Bar::at_most(PEAK_BAR, *peak as f64 / 1e6, 150.0),
                Attempt::Skipped { skipped } => Bar::skipped(PEAK_BAR.to_owned(), skipped.clone()),
            });
        }
        bars
    }
}

impl Report for ScaleReport {
    fn bars(&self) -> Vec<&Bar> {
        self.sizes.iter().flat_map(|size| &size.bars).chain(&self.bars).collect()
    }
}

impl fmt::Display for ScaleReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sizes.iter().try_for_each(|size| writeln!(out, "{size}"))?;
        write_bars(out, &self.bars)
    }
}

impl fmt::Display for SizeResult {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} memories, {} of them in markdown",
            count(self.memories),
            count(self.in_markdown)
        )?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        for (name, times) in [
            ("recall, a process that keeps running", self.warm),
            ("recall, after something was stored", self.after_add),
            ("heir recall, a fresh process", self.fresh),
            ("heir --version", self.version),
            ("git status", self.git_status),
            ("bare tantivy", self.tantivy),
            ("bare scan of vectors", self.scan),
        ] {
            writeln!(out, "{name:<44}{:>9.2} ms{:>9.2} ms", times.p50, times.p99)?;
        }
        for (name, time) in [
            ("making the index", self.indexing_ms),
            ("bare tantivy makes its index", self.tantivy_indexing_ms),
        ] {
            writeln!(out, "{name:<44}{time:>9.0} ms")?;
        }
        if let Attempt::Done(peak) = self.peak_bytes {
            writeln!(out, "{:<44}{:>9.0} MB", "memory of a fresh recall", peak as f64 / 1e6)?;
        }
        writeln!(out)?;
        write_bars(out, &self.bars)
    }
}
