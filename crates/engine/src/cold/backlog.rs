//! What the index does not have yet.

use std::collections::HashMap;

use heirloom_core::Problem;
use heirloom_index::cold::StoredTranscript;
use heirloom_store::stamp::Stamp;
use heirloom_store::transcripts::{Position, Transcript, Transcripts};
use schemars::JsonSchema;
use serde::Serialize;

/// Transcripts that are not indexed yet, or not to their end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Backlog {
    /// Number of transcripts that are not indexed to their end.
    pub(crate) transcripts: usize,
    /// Number of bytes that are not indexed.
    pub(crate) bytes: u64,
    /// Number of indexed transcripts that do not exist any more.
    pub(crate) removed: usize,
}

impl Backlog {
    /// Returns whether everything is indexed.
    pub(crate) fn is_empty(&self) -> bool {
        self.transcripts == 0 && self.removed == 0
    }
}

/// What is to be done to bring an index up to date.
#[derive(Debug, Default)]
pub(super) struct Plan<'l> {
    /// The transcripts to be read, with what is stored of them.
    pub(super) pending: Vec<(&'l Transcript, Option<StoredTranscript>)>,
    /// The ids of transcripts that do not exist any more.
    pub(super) removed: Vec<i64>,
    pub(super) bytes: u64,
}

impl<'l> Plan<'l> {
    /// Compares the transcripts that exist with those that are stored.
    pub(super) fn new(listed: &'l Transcripts, stored: &[StoredTranscript]) -> Self {
        let by_name: HashMap<&str, &StoredTranscript> =
            stored.iter().map(|stored| (stored.name.as_str(), stored)).collect();
        let mut plan = Plan::default();
        for transcript in &listed.found {
            let stored = by_name.get(transcript.name.as_str()).copied();
            let version = version(&transcript.stamp);
            if stored.is_none_or(|stored| stored.stamp.as_ref() != Some(&version)) {
                plan.bytes += pending_bytes(transcript, stored);
                plan.pending.push((transcript, stored.cloned()));
            }
        }
        let is_gone = |stored: &&StoredTranscript| listed.find(&stored.name).is_none();
        plan.removed = stored.iter().filter(is_gone).map(|stored| stored.id).collect();
        plan
    }

    /// Returns how much there is to do.
    pub(super) fn backlog(&self) -> Backlog {
        Backlog { transcripts: self.pending.len(), bytes: self.bytes, removed: self.removed.len() }
    }
}

/// Identifies the version of a transcript.
pub(super) fn version(stamp: &Stamp) -> String {
    format!("{}-{}-{}", stamp.size, stamp.modified, stamp.inode)
}

/// Returns how many bytes of a transcript are not indexed, as far as its size tells.
pub(super) fn pending_bytes(transcript: &Transcript, stored: Option<&StoredTranscript>) -> u64 {
    let size = transcript.stamp.size;
    match stored.filter(|stored| transcript.grows() && stored.bytes <= size) {
        Some(stored) => size - stored.bytes,
        None => size,
    }
}

/// Returns how far a transcript was read, if that is known.
pub(super) fn position(stored: &StoredTranscript) -> Option<Position> {
    serde_json::from_str(&stored.state).ok()
}

/// Returns the problems of a transcript.
pub(super) fn problems(stored: &StoredTranscript) -> impl Iterator<Item = Problem> + '_ {
    stored.problems.iter().filter_map(|problem| serde_json::from_str(problem).ok())
}
