//! Stored memories that agents used while a file, or one beside it, was open.

use heirloom_core::record::Referent;

use super::commits::CommitPredictions;
use super::memory::PredictedMemory;
use super::used::{UsedMemory, predictions};
use crate::signals::reason_from;
use crate::usage::Usage;
use crate::{Error, Session};

/// The confidence in a memory that was used once while the file was open, and what each further time adds, up to a
/// greatest confidence. They are judgements, near those in memories that name the file.
const CONFIDENCE_OF_ONE_USE: f64 = 0.6;
const CONFIDENCE_OF_FURTHER_USE: f64 = 0.1;
const MAX_CONFIDENCE: f64 = 0.9;

/// The factor on the confidence if the file is one that the given file imports, or that imports it.
const NEIGHBOUR_FACTOR: f64 = 0.6;

/// Maximum number of memories of each file.
const MAX_MEMORIES_OF_FILE: usize = 5;

/// Returns the memories that were used while the given files, or files beside them, were open.
pub(crate) fn used_with(
    session: &Session,
    usage: &Usage,
    commits: &CommitPredictions,
) -> Result<Vec<PredictedMemory>, Error> {
    if !usage.has_files() {
        return Ok(vec![]);
    }
    let mut used: Vec<UsedMemory> = Vec::new();
    for file in &commits.files {
        used.extend(used_with_file(usage, &file.path, None, commits.is_of_signals()));
    }
    for (path, relation) in commits.import_mentions().paths() {
        used.extend(used_with_file(usage, path, Some(relation), commits.is_of_signals()));
    }
    predictions(session, used)
}

fn used_with_file(
    usage: &Usage,
    path: &str,
    relation: Option<&str>,
    is_remembered: bool,
) -> Vec<UsedMemory> {
    let used = usage.used_with(path).into_iter().take(MAX_MEMORIES_OF_FILE);
    let memory = |(memory, times): (Referent, u64)| {
        let further = times.saturating_sub(1) as f64;
        let confidence =
            (CONFIDENCE_OF_ONE_USE + CONFIDENCE_OF_FURTHER_USE * further).min(MAX_CONFIDENCE);
        let often = if times == 1 { "was used".to_owned() } else { format!("was used {times}×") };
        let reason = match relation {
            None => format!("{often} while {path} was open"),
            Some(relation) => format!("{often} while {path} was open, {relation}"),
        };
        let factor = if relation.is_some() { NEIGHBOUR_FACTOR } else { 1.0 };
        let reason = reason_from(reason, is_remembered);
        UsedMemory { memory, confidence: factor * confidence, reason }
    };
    used.map(memory).collect()
}
