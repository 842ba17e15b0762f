//! Earlier errors that resemble one that was seen, and what fixed them.

use heirloom_core::path::file_name;
use heirloom_core::prediction::{ErrorSignature, SharedSignature};
use heirloom_core::record::{Body, Record};
use jiff::Timestamp;

use super::commits::CommitPredictions;
use super::error_text::describe;
use super::memory::PredictedMemory;
use crate::Session;
use crate::memory::MemoryQuery;
use crate::recall::{ContextAnswers, Hit};
use crate::view::present::opening;

/// The confidence in a memory of a similar error that answers it as well as can be. It is a judgement.
const CONFIDENCE_OF_SIMILAR: f64 = 0.7;

/// A memory that shares words and no name, and answers with less usefulness, is not predicted.
const MIN_USEFULNESS: f64 = 0.2;

/// A memory with a name of the error is at least so useful.
const USEFULNESS_OF_NAME: f64 = 0.6;

/// How much less likely the first commit after a similar error is what fixed it than one that its memory names.
const FOLLOWING_PART: f64 = 0.6;

/// A later commit is not taken for the fix.
const MAX_DAYS_TO_FIX: i64 = 14;

/// Returns the memories of earlier errors that resemble one, each followed by the commit that fixed it.
pub(super) fn similar_errors(
    session: &Session,
    error: &ErrorSignature,
    answers: &ContextAnswers,
    commits: &CommitPredictions,
) -> Vec<PredictedMemory> {
    let similar: Vec<(&Hit, f64, SharedSignature)> = answers
        .hits
        .iter()
        .enumerate()
        .filter_map(|(rank, hit)| {
            let text = hit.item.statements.as_deref().unwrap_or(&hit.item.text);
            let shared = error.shared_with(text)?;
            let usefulness = hit.usefulness_for_signal(rank, false, None);
            let least = if shared.names.is_empty() { 0.0 } else { USEFULNESS_OF_NAME };
            let usefulness = usefulness.max(least);
            (usefulness >= MIN_USEFULNESS).then_some((hit, usefulness, shared))
        })
        .collect();
    let records = similar.iter().map(|(hit, ..)| hit.item.referent.clone());
    let (memory, _) = MemoryQuery::new().referents_without_relations(records).read_log(session);
    let mut memories = Vec::new();
    for (hit, usefulness, shared) in similar {
        let record = hit.item.referent.record_id().and_then(|id| memory.record(id));
        let mut reason = describe(&shared);
        if let Some(outcome) = record.and_then(outcome) {
            reason = format!("{reason}; it ended: {}", opening(outcome));
        }
        let similar = PredictedMemory::of_hit(hit, CONFIDENCE_OF_SIMILAR * usefulness, reason);
        let fix = record.and_then(|record| find_fix(record, &similar, commits));
        memories.push(similar);
        memories.extend(fix);
    }
    memories
}

fn outcome(record: &Record) -> Option<&str> {
    match &record.body {
        Body::Episode(episode) => episode.outcome.as_deref(),
        _ => None,
    }
}

/// Returns the commit that a memory of an error names, or else the first one after it that changed one of its files.
fn find_fix(
    record: &Record,
    similar: &PredictedMemory,
    commits: &CommitPredictions,
) -> Option<PredictedMemory> {
    let history = commits.history()?;
    let artifacts = |prefix: &'static str| {
        record.artifacts.iter().filter_map(move |artifact| artifact.strip_prefix(prefix))
    };
    let (files, hashes) = match &record.body {
        Body::Episode(episode) => (episode.files.as_slice(), episode.commits.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let hashes = hashes.iter().filter_map(|commit| commit.split_whitespace().next());
    let stated = artifacts("commit:").chain(hashes).find_map(|hash| commits.number_of(hash));
    if let Some(number) = stated {
        let reason = format!("belongs to a similar error ({})", similar.short_id());
        return commits.predicted_commit(number, similar.confidence, reason);
    }
    let is_soon = |time: i64| {
        Timestamp::from_second(time).is_ok_and(|time| {
            let seconds = time.duration_since(record.at).as_secs();
            (0..=MAX_DAYS_TO_FIX * 24 * 60 * 60).contains(&seconds)
        })
    };
    let first_after = |path: &str| {
        let file = history.file_number(&commits.repository_path(path))?;
        let touches = &history.files()[file as usize].touches;
        let number = *touches.iter().find(|it| is_soon(history.memories()[**it as usize].time))?;
        Some((number, file_name(path).to_owned()))
    };
    let paths = artifacts("file:").chain(files.iter().map(String::as_str));
    let (number, name) = paths.filter_map(first_after).min()?;
    let reason = format!("changed {name} after a similar error ({})", similar.short_id());
    commits.predicted_commit(number, FOLLOWING_PART * similar.confidence, reason)
}
