//! The report of `scale`: bars and tables.

use std::fmt;

use serde::Serialize;

use crate::corpus::WORDS_PER_MEMORY;
use crate::numbers::count;
use crate::report::{Attempt, Bar, Report, write_bars};
use crate::timing::Latency;

/// Up to how many memories the bars of a fresh process are judged too.
const MAX_MEMORIES_FOR_FRESH_BARS: usize = 100_000;

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
    /// How many words a memory has.
    pub(super) words: usize,
    pub(super) in_markdown: usize,
    /// The size of the index.
    pub(super) index_bytes: u64,
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
    pub(super) tantivy_indexing_ms: Attempt<f64>,
    /// Questions to tantivy.
    pub(super) tantivy: Attempt<Latency>,
    /// Scans of vectors.
    pub(super) scan: Latency,
    /// The peak memory of a fresh recall, in bytes.
    pub(super) peak_bytes: Attempt<u64>,
    pub(super) bars: Vec<Bar>,
}

impl SizeResult {
    /// Judges the bars of one number of memories.
    pub(super) fn judge(&self) -> Vec<Bar> {
        let start = self.version.p50 + self.git_status.p50;
        let warm = self.tantivy.map(|tantivy| self.warm.p50 / (tantivy.p50 + self.scan.p50));
        let indexing = self.tantivy_indexing_ms.map(|tantivy_ms| self.indexing_ms / tantivy_ms);
        let is_long = self.words > WORDS_PER_MEMORY;
        let is_small = self.memories <= MAX_MEMORIES_FOR_FRESH_BARS;
        let max_warm = match (is_small, is_long) {
            (false, _) => 4.0,
            (true, true) => 3.0,
            (true, false) => 1.6,
        };
        let mut bars = vec![
            Bar::at_most_if_measured("warm recall / (bare tantivy + bare scan)", warm, max_warm),
            Bar::at_most("warm p99 / p50", self.warm.p99 / self.warm.p50, 4.0),
        ];
        if is_long {
            let kilobytes = self.index_bytes as f64 / 1000.0 / self.memories as f64;
            bars.push(Bar::at_most("KB of the index for a memory", kilobytes, 4.0));
            return bars;
        }
        bars.push(Bar::at_most_if_measured("indexing / bare tantivy", indexing, 2.0));
        if is_small {
            let fresh = self.fresh.p50 / start;
            let after_add = self.after_add.p50 / self.warm.p50;
            bars.extend([
                Bar::at_most("fresh recall / (--version + git status)", fresh, 3.0),
                Bar::at_most("recall after an add / warm recall", after_add, 3.0),
            ]);
            let peak_mb = self.peak_bytes.map(|bytes| *bytes as f64 / 1e6);
            bars.push(Bar::at_most_if_measured("MB of a fresh recall", peak_mb, 150.0));
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
            "{} memories of {} words, {} of them in markdown",
            count(self.memories),
            self.words,
            count(self.in_markdown)
        )?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        let latency = |latency: &Latency| format!("{:>9.2} ms{:>9.2} ms", latency.p50, latency.p99);
        let duration = |millis: &f64| format!("{millis:>9.0} ms");
        let peak = self.peak_bytes.map(|bytes| format!("{:>9.0} MB", *bytes as f64 / 1e6));
        for (name, cells) in [
            ("recall, a running server", Attempt::Done(latency(&self.warm))),
            ("recall, after a fact was added", Attempt::Done(latency(&self.after_add))),
            ("heir recall, a fresh process", Attempt::Done(latency(&self.fresh))),
            ("heir --version", Attempt::Done(latency(&self.version))),
            ("git status", Attempt::Done(latency(&self.git_status))),
            ("bare tantivy", self.tantivy.map(latency)),
            ("bare scan of vectors", Attempt::Done(latency(&self.scan))),
            ("building the index", Attempt::Done(duration(&self.indexing_ms))),
            ("bare tantivy builds its index", self.tantivy_indexing_ms.map(duration)),
            ("memory of a fresh recall", peak),
            (
                "size of the index",
                Attempt::Done(format!("{:>9.0} MB", self.index_bytes as f64 / 1e6)),
            ),
        ] {
            match cells {
                Attempt::Done(cells) => writeln!(out, "{name:<44}{cells}")?,
                Attempt::Skipped { skipped } => writeln!(out, "{name:<44}  skipped: {skipped}")?,
            }
        }
        writeln!(out)?;
        write_bars(out, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::WITHOUT_TANTIVY;
    use crate::report::Verdict;

    #[test]
    fn bars_without_their_peer_are_skipped_with_the_reason() {
        use Verdict::{Pass, Skipped};
        let latency = Latency { p50: 1.0, p99: 2.0 };
        let mut size = SizeResult {
            memories: 100_000,
            words: WORDS_PER_MEMORY,
            in_markdown: 5_000,
            index_bytes: 1,
            warm: latency,
            fresh: latency,
            after_add: latency,
            version: latency,
            git_status: latency,
            indexing_ms: 1.0,
            tantivy_indexing_ms: Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() },
            tantivy: Attempt::Skipped { skipped: WITHOUT_TANTIVY.to_owned() },
            scan: latency,
            peak_bytes: Attempt::Done(1_000_000),
            bars: vec![],
        };
        size.bars = size.judge();
        let verdicts: Vec<Verdict> = size.bars.iter().map(|bar| bar.verdict).collect();
        assert_eq!(verdicts, [Skipped, Pass, Skipped, Pass, Pass, Pass]);
        let skipped = size.to_string().matches("--features tantivy").count();
        assert_eq!(skipped, 4, "two rows and two bars say how to build with tantivy:\n{size}");
    }
}
