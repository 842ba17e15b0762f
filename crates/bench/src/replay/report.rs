//! The report of a replay.

use std::fmt;

use serde::Serialize;

use super::queries::QueryScore;
use super::speed::PredictionTimes;
use crate::numbers::count;
use crate::report::{Attempt, Bar, Report, write_bars, write_table};
use crate::timing::Latency;

/// The bars of one repository.
const MIN_FF10: f64 = 0.5;
const MIN_FACTOR_OF_RECENT: f64 = 2.0;
const MIN_FACTOR_OF_TEXT: f64 = 2.0;
const MIN_FACTOR_OF_SWAPPED: f64 = 1.7;
const MIN_PRECISION: f64 = 0.5;
const MIN_QUERIES_WITH_CONFIDENT: f64 = 1.0 / 3.0;
const MAX_WARM_RATIO: f64 = 5.0;
const MAX_FRESH_RATIO: f64 = 10.0;

/// How much of what a commit needs predictions contain, averaged over queries.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Measures {
    /// The share of the other files for which the first 10 contain one of the latest 5 memories.
    ff10: f64,
    /// The share of the other files for which the first 10 contain a commit that wrote lines which change.
    l10: f64,
    /// The queries that each measure is averaged over.
    ff10_queries: usize,
    l10_queries: usize,
}

impl Measures {
    pub(super) fn of(scores: &[QueryScore]) -> Self {
        let mean = |values: Vec<f64>| {
            (values.iter().sum::<f64>() / values.len().max(1) as f64, values.len())
        };
        let (ff10, ff10_queries) = mean(scores.iter().filter_map(|score| score.files).collect());
        let (l10, l10_queries) = mean(scores.iter().filter_map(|score| score.lines).collect());
        Measures { ff10, l10, ff10_queries, l10_queries }
    }
}

#[derive(Serialize)]
pub(super) struct Baselines {
    /// The latest commits.
    pub(super) recent: Measures,
    /// BM25 of the path's words over the messages.
    pub(super) text: Measures,
    /// The commits that touched the given file, newest first.
    pub(super) touched: Measures,
    /// The same method, given the file of another query.
    pub(super) swapped: Measures,
}

/// How often predictions with a confidence of 0.5 or more are right.
#[derive(Debug, Default, Serialize)]
pub(super) struct Confidence {
    pub(super) queries: usize,
    /// The predictions with a confidence of 0.5 or more, and the queries that have one.
    pub(super) confident: usize,
    pub(super) queries_with_one: usize,
    /// Those that touch another file of the commit, and those that touch one that is not hot.
    pub(super) touch_other: usize,
    pub(super) touch_quiet_other: usize,
    /// How many have a confidence of 0.5 or more to touch a file that is not hot, and how many of these do.
    pub(super) quiet_confident: usize,
    pub(super) quiet_right: usize,
}

#[derive(Serialize)]
pub(crate) struct ReplayReport {
    repository: String,
    memories: usize,
    queries: usize,
    ff10: f64,
    l10: f64,
    ff10_queries: usize,
    l10_queries: usize,
    baselines: Baselines,
    confidence: Confidence,
    times: Attempt<PredictionTimes>,
    bars: Vec<Bar>,
}

impl ReplayReport {
    pub(super) fn new(
        repository: String,
        (memories, queries): (usize, usize),
        measures: Measures,
        baselines: Baselines,
        confidence: Confidence,
        times: Attempt<PredictionTimes>,
    ) -> Self {
        let Measures { ff10, l10, ff10_queries, l10_queries } = measures;
        let at_least = |what: &str, measured: f64, min: f64| {
            Bar::judge(format!("{what} >= {min:.3}"), measured, measured >= min)
        };
        let precision = confidence.touch_other as f64 / confidence.confident.max(1) as f64;
        let coverage = confidence.queries_with_one as f64 / confidence.queries.max(1) as f64;
        let warm = times.map(|times| times.warm.p50 / times.warm_recall.p50);
        let fresh = times.map(|times| times.fresh.p50 / (times.version.p50 + times.git_status.p50));
        let bars = vec![
            at_least("FF10", ff10, MIN_FF10),
            at_least("FF10 / recent", ff10 / baselines.recent.ff10, MIN_FACTOR_OF_RECENT),
            at_least("FF10 / text", ff10 / baselines.text.ff10, MIN_FACTOR_OF_TEXT),
            at_least("FF10 / swapped", ff10 / baselines.swapped.ff10, MIN_FACTOR_OF_SWAPPED),
            at_least("confident predictions that are right", precision, MIN_PRECISION),
            at_least("queries with a confident prediction", coverage, MIN_QUERIES_WITH_CONFIDENT),
            Bar::at_most_if_measured("warm predict / warm recall", warm, MAX_WARM_RATIO),
            Bar::at_most_if_measured(
                "fresh predict / (--version + git status)",
                fresh,
                MAX_FRESH_RATIO,
            ),
        ];
        ReplayReport {
            repository,
            memories,
            queries,
            ff10,
            l10,
            ff10_queries,
            l10_queries,
            baselines,
            confidence,
            times,
            bars,
        }
    }
}

impl Report for ReplayReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for ReplayReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memories, queries) = (count(self.memories), count(self.queries));
        writeln!(out, "{}: {memories} commits, {queries} queries", self.repository)?;
        let row = |name: &str, ff10: f64, l10: f64| {
            let factor =
                if ff10 > 0.0 { format!("{:.2}", self.ff10 / ff10) } else { "-".to_owned() };
            [name.to_owned(), format!("{ff10:.3}"), format!("{l10:.3}"), factor]
        };
        let Baselines { recent, text, touched, swapped } = &self.baselines;
        let mut rows = vec![["", "FF10", "L10", "FF10 of predict is × this"].map(str::to_owned)];
        rows.push(row("predict", self.ff10, self.l10));
        for (name, measures) in
            [("touched", touched), ("recent", recent), ("text", text), ("swapped", swapped)]
        {
            rows.push(row(name, measures.ff10, measures.l10));
        }
        write_table(out, &rows, 0)?;
        let Confidence {
            confident,
            queries_with_one,
            touch_other,
            touch_quiet_other,
            queries,
            quiet_confident,
            quiet_right,
        } = &self.confidence;
        writeln!(
            out,
            "\nconfidence of 0.5 or more: {confident} predictions in {queries_with_one} of {queries} queries; \
             {touch_other} touch another file, {touch_quiet_other} one that is not hot"
        )?;
        writeln!(
            out,
            "confidence of 0.5 or more in a file that is not hot: {quiet_confident} predictions; {quiet_right} touch one\n"
        )?;
        if let Attempt::Done(times) = &self.times {
            writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
            for (name, Latency { p50, p99 }) in [
                ("predict, a running server", times.warm),
                ("recall, the same server", times.warm_recall),
                ("heir predict, a fresh process", times.fresh),
                ("heir --version", times.version),
                ("git status", times.git_status),
            ] {
                writeln!(out, "{name:<44}{p50:>9.2} ms{p99:>9.2} ms")?;
            }
            writeln!(out, "the first prediction, with all commits: {:.0} ms\n", times.first)?;
        }
        write_bars(out, &self.bars)
    }
}
