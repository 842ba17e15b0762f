//! Stored memories that agents used while a file, or one beside it, was open.

use heirloom_core::fold::Standing;
use heirloom_core::record::Referent;

use super::commits::CommitPredictions;
use super::memory::PredictedMemory;
use crate::memory::{MemoryItem, MemoryQuery, OriginCheck};
use crate::recall::{ContextQuery, Hit, MemoryList};
use crate::signals::reason_from;
use crate::usage::Usage;
use crate::workspace::catalog::{Catalog, CatalogEntry};
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

/// A memory that was used with a file.
struct UsedMemory {
    memory: Referent,
    confidence: f64,
    reason: String,
}

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
    if used.is_empty() {
        return Ok(vec![]);
    }
    let hits = read(session, used.iter().map(|it| &it.memory))?;
    let predicted = used.into_iter().filter_map(|UsedMemory { memory, confidence, reason }| {
        let hit = hits.iter().find(|hit| hit.item.referent == memory)?;
        Some(PredictedMemory::of_hit(hit, confidence, reason))
    });
    Ok(predicted.collect())
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

/// Reads the memories that still hold.
fn read<'r>(
    session: &Session,
    memories: impl Iterator<Item = &'r Referent>,
) -> Result<Vec<Hit>, Error> {
    let (documents, others): (Vec<&Referent>, Vec<&Referent>) =
        memories.partition(|memory| matches!(memory, Referent::Document(_)));
    let mut hits = Vec::new();
    if !others.is_empty() {
        let others: Vec<Referent> = others.into_iter().cloned().collect();
        let known = MemoryQuery::new().referents(others.clone()).read(session)?;
        let mut check = OriginCheck::new(session);
        let is_active =
            |item: &MemoryItem| known.memory.standing(&item.referent) == Standing::Active;
        for item in others.iter().filter_map(|memory| known.item(memory)).filter(is_active) {
            hits.push(Hit::new(session, &mut check, item)?);
        }
    }
    if !documents.is_empty() {
        let catalog = Catalog::read(session)?;
        let path = |memory: &&Referent| {
            let is_it = |entry: &&CatalogEntry| Referent::Document(entry.id.clone()) == **memory;
            let entry = catalog.entries.iter().find(is_it)?;
            Some(MemoryList::with_property("path", &entry.document.path, 1))
        };
        let lists = documents.iter().filter_map(path).collect();
        let query = ContextQuery { questions: vec![], instructions: 0, lists };
        hits.extend(query.read(session)?.lists.into_iter().flatten());
    }
    Ok(hits)
}
