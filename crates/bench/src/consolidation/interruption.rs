//! Consolidation that is killed at random points.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::failure::Failure;
use crate::invocation::Invocation;

/// Shares of the time of a whole consolidation after which one is killed; more of them near its end, where it writes.
const KILLED_AT: [f64; 10] = [0.07, 0.31, 0.55, 0.72, 0.81, 0.87, 0.91, 0.94, 0.97, 0.99];

/// Runs consolidation and kills it at different points, then lets a run finish. Returns how often it was killed.
pub(super) fn consolidate_with_kills(
    consolidation: &Invocation,
    whole: Duration,
) -> Result<usize, Failure> {
    let mut kills = 0;
    for share in KILLED_AT {
        if consolidation.run_killed_after(whole.mul_f64(share))? {
            kills += 1;
        }
    }
    consolidation.run_timed()?;
    Ok(kills)
}

/// Returns how many lines of the logs below a folder are not JSON.
pub(super) fn count_damaged_lines(folder: &Path) -> Result<usize, Failure> {
    let mut damaged = 0;
    for entry in fs::read_dir(folder).map_err(Failure::io("reading", folder))? {
        let path = entry.map_err(Failure::io("reading", folder))?.path();
        if path.is_dir() {
            damaged += count_damaged_lines(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let text = fs::read_to_string(&path).map_err(Failure::io("reading", &path))?;
            let is_damaged = |line: &&str| serde_json::from_str::<Value>(line).is_err();
            damaged += text.lines().filter(|line| !line.is_empty()).filter(is_damaged).count();
            damaged += usize::from(!text.is_empty() && !text.ends_with('\n'));
        }
    }
    Ok(damaged)
}
