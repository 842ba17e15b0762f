//! Entries of commits that are predicted for the files, and of the memories that belong to them.

use heirloom_core::assembly::Tier;

use super::entry::{Entry, Section};
use crate::prediction::PredictedMemory;

/// The number of commits that are predicted, and how many of them are shown at most.
pub(super) const MAX_PREDICTED: usize = 10;
const MAX_SHOWN: usize = 5;

/// A memory with less confidence is not likely to be useful.
const MIN_CONFIDENCE: f64 = 0.5;

/// The value of a commit with a confidence of 1. Its line says what was done, and little about how.
const COMMIT_VALUE: f64 = 0.2;

/// Returns the entries of the best predictions with enough confidence. The predictions are in the order of what they add.
pub(super) fn entries(predicted: &[PredictedMemory]) -> Vec<Entry> {
    let confident = predicted.iter().filter(|memory| memory.confidence >= MIN_CONFIDENCE);
    let entry = |memory: &PredictedMemory| match &memory.hit {
        Some(hit) => {
            Entry::of_hit(hit, Tier::Relevant, Section::Files, memory.confidence, &memory.reason)
        }
        None => Entry::of_commit(memory, COMMIT_VALUE * memory.confidence),
    };
    confident.take(MAX_SHOWN).map(entry).collect()
}
