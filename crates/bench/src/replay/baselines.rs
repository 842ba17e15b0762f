//! What predictions are compared with.

use heirloom_core::prediction::{CommitHistory, MAX_SMALL_COMMIT_FILES, MessageSearch};

use super::queries::{PREDICTIONS, Query};

/// Returns the latest memories.
pub(super) fn recent(query: &Query) -> Vec<u32> {
    (0..query.memory as u32).rev().take(PREDICTIONS).collect()
}

/// Returns the memories that touched the given file, newest first; those of 2 to 15 files come before the others.
pub(super) fn touched(history: &CommitHistory, query: &Query) -> Vec<u32> {
    let is_small = |number: &u32| {
        (2..=MAX_SMALL_COMMIT_FILES).contains(&history.memories()[*number as usize].files.len())
    };
    let touches = history.files()[query.given as usize].touches.iter().copied();
    let mut found: Vec<u32> =
        touches.filter(|number| (*number as usize) < query.memory).rev().collect();
    found.sort_by_key(|number| !is_small(number));
    found.truncate(PREDICTIONS);
    found
}

/// Returns the memories whose messages match the words of the given path best.
pub(super) fn text(messages: &MessageSearch, query: &Query) -> Vec<u32> {
    let found = messages.search(&query.given_path, query.memory as u32, PREDICTIONS);
    found.into_iter().map(|found| found.memory).collect()
}
