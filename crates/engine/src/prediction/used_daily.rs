//! Stored memories that agents usually use at this time of day.

use heirloom_core::prediction::DailyRecurrence;

use super::memory::PredictedMemory;
use super::recurring::describe_daily;
use super::used::{UsedMemory, predictions};
use crate::usage::Usage;
use crate::{Error, Session};

/// Maximum number of memories that are predicted.
const MAX_PREDICTED: usize = 5;

/// Returns the memories that are usually used at this time of day, the likeliest first.
pub(crate) fn used_daily(session: &Session, usage: &Usage) -> Result<Vec<PredictedMemory>, Error> {
    let mut used: Vec<UsedMemory> = Vec::new();
    for (memory, times) in usage.times() {
        if let Some(recurrence) = DailyRecurrence::find(&times, session.now()) {
            let reason = format!("used {}", describe_daily(&recurrence));
            used.push(UsedMemory { memory, confidence: recurrence.confidence(), reason });
        }
    }
    used.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    used.truncate(MAX_PREDICTED);
    predictions(session, used)
}
