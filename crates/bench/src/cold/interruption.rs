//! Indexing that is killed again and again.

use std::time::Duration;

use crate::failure::Failure;
use crate::invocation::Invocation;

/// How often indexing is killed at most, before a run is left to its end.
const MAX_KILLS: u32 = 8;

/// Runs indexing and kills it after different times, until one run is left to its end. Returns how often it was killed.
pub(super) fn index_with_kills(indexing: &Invocation, whole: Duration) -> Result<u32, Failure> {
    let mut kills = 0;
    for part in 1..=MAX_KILLS {
        // The times grow, so that some commits survive and every run is killed at another place.
        let time = whole.mul_f64(f64::from(part) / f64::from(2 * MAX_KILLS) + 0.013);
        if !indexing.run_killed_after(time)? {
            return Ok(kills);
        }
        kills += 1;
    }
    indexing.run_timed()?;
    Ok(kills)
}
