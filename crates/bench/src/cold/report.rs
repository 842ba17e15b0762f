//! The report of `cold`: bars and a table.

use std::fmt;

use serde::Serialize;

use crate::numbers::count;
use crate::report::{Attempt, Bar, Report, write_bars};
use crate::timing::Latency;

/// The report of the measurement; times in milliseconds.
#[derive(Serialize)]
pub(crate) struct ColdReport {
    /// The size of the transcripts.
    pub(super) megabytes: f64,
    /// The size of their messages.
    pub(super) text_megabytes: f64,
    pub(super) transcripts: usize,
    pub(super) messages: u64,
    pub(super) passages: u64,
    pub(super) index_bytes: u64,
    pub(super) indexing_ms: f64,
    pub(super) tantivy_indexing_ms: Attempt<f64>,
    /// The peak memory of indexing.
    pub(super) peak_bytes: Attempt<u64>,
    /// Questions to a running server.
    pub(super) warm: Latency,
    pub(super) tantivy: Attempt<Latency>,
    pub(super) scan: Latency,
    /// How often indexing was killed before it ended.
    pub(super) kills: u32,
    /// How many answers of the interrupted index were compared.
    pub(super) compared: usize,
    /// How many of them differ, or are empty.
    pub(super) differing: usize,
    pub(super) bars: Vec<Bar>,
}

impl ColdReport {
    /// Judges the bars.
    pub(super) fn judge(&self) -> Vec<Bar> {
        let indexing = self.tantivy_indexing_ms.map(|tantivy| self.indexing_ms / tantivy);
        let warm = self.tantivy.map(|tantivy| self.warm.p50 / (tantivy.p50 + self.scan.p50));
        let peak = self.peak_bytes.map(|bytes| *bytes as f64 / 1e6);
        vec![
            Bar::at_most_if_measured("indexing transcripts / bare tantivy", indexing, 2.0),
            Bar::at_most_if_measured("MB of memory while indexing", peak, 300.0),
            Bar::at_most_if_measured("warm search / (bare tantivy + bare scan)", warm, 4.0),
            Bar::at_most("different answers after kills", self.differing as f64, 0.0),
        ]
    }
}

impl Report for ColdReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for ColdReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} transcripts of {:.0} MB: {} messages of {:.0} MB, {} passages",
            count(self.transcripts),
            self.megabytes,
            count(self.messages as usize),
            self.text_megabytes,
            count(self.passages as usize)
        )?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        let latency = |latency: &Latency| format!("{:>9.2} ms{:>9.2} ms", latency.p50, latency.p99);
        let duration = |millis: &f64| format!("{millis:>9.0} ms");
        let megabytes = |bytes: &u64| format!("{:>9.0} MB", *bytes as f64 / 1e6);
        for (name, cells) in [
            ("cold search, a running server", Attempt::Done(latency(&self.warm))),
            ("bare tantivy", self.tantivy.map(latency)),
            ("bare scan of vectors", Attempt::Done(latency(&self.scan))),
            ("indexing the transcripts", Attempt::Done(duration(&self.indexing_ms))),
            ("bare tantivy indexes the messages", self.tantivy_indexing_ms.map(duration)),
            ("memory while indexing", self.peak_bytes.map(megabytes)),
            ("size of the index", Attempt::Done(megabytes(&self.index_bytes))),
        ] {
            match cells {
                Attempt::Done(cells) => writeln!(out, "{name:<44}{cells}")?,
                Attempt::Skipped { skipped } => writeln!(out, "{name:<44}  skipped: {skipped}")?,
            }
        }
        writeln!(
            out,
            "killed {} times: {} of {} answers differ",
            self.kills, self.differing, self.compared
        )?;
        writeln!(out)?;
        write_bars(out, &self.bars)
    }
}
