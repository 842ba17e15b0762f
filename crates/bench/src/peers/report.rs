//! The report of `peers`: bars and a table.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::numbers::count;
use crate::recall::DEPTHS;
use crate::report::{Bar, Report, write_bars};
use crate::timing::Latency;

/// How many times as long as heir a peer takes at least.
const MIN_RATIO_TO_HEIR: f64 = 20.0;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct PeersReport {
    /// How many memories each system was timed with.
    pub(super) memories: usize,
    /// One row for each system, heir first.
    pub(super) rows: Vec<PeerRow>,
    pub(super) bars: Vec<Bar>,
}

/// The results of one system.
#[derive(Debug, Default, Serialize)]
pub(super) struct PeerRow {
    pub(super) name: String,
    /// Whether it is a published tool, not a baseline.
    pub(super) is_peer: bool,
    /// Recall at each depth, on the files.
    pub(super) recall: BTreeMap<usize, f64>,
    pub(super) mrr: Option<f64>,
    /// How long loading all memories took, in seconds.
    pub(super) load_s: Option<f64>,
    /// The latency of a question; of a server, until its answer arrives.
    pub(super) latency_ms: Option<Latency>,
    /// The latency of heir, asked in turns with this system.
    pub(super) heir_ms: Option<Latency>,
    /// Why results are missing.
    pub(super) reasons: Vec<String>,
}

/// Judges one bar for each peer.
pub(super) fn judge(rows: &[PeerRow]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for peer in rows.iter().filter(|row| row.is_peer) {
        let ratio = peer.heir_ms.zip(peer.latency_ms).map(|(heir, own)| own.p50 / heir.p50);
        let name =
            format!("{} takes at least {MIN_RATIO_TO_HEIR} times as long as heir", peer.name);
        bars.push(match ratio {
            Some(ratio) => Bar::judge(name, ratio, ratio >= MIN_RATIO_TO_HEIR),
            None => Bar::skipped(name, peer.reasons.join("; ")),
        });
    }
    bars
}

impl Report for PeersReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for PeersReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "times among {} memories", count(self.memories))?;
        write!(out, "{:<46}", "")?;
        DEPTHS.iter().try_for_each(|depth| write!(out, "{:>8}", format!("at {depth}")))?;
        writeln!(out, "{:>8}{:>10}{:>12}{:>15}", "mrr", "load", "question", "heir, in turns")?;
        for row in &self.rows {
            write!(out, "{:<46}", row.name)?;
            for depth in DEPTHS {
                match row.recall.get(&depth) {
                    Some(share) => write!(out, "{share:>8.3}")?,
                    None => write!(out, "{:>8}", "")?,
                }
            }
            match row.mrr {
                Some(mrr) => write!(out, "{mrr:>8.3}")?,
                None => write!(out, "{:>8}", "")?,
            }
            if let (Some(load), Some(latency)) = (row.load_s, row.latency_ms) {
                write!(out, "{load:>8.1} s{:>9.2} ms", latency.p50)?;
            }
            if let Some(heir) = row.heir_ms {
                write!(out, "{:>12.2} ms", heir.p50)?;
            }
            writeln!(out)?;
            row.reasons.iter().try_for_each(|reason| writeln!(out, "  skipped: {reason}"))?;
        }
        writeln!(out)?;
        write_bars(out, &self.bars)
    }
}
