//! Stored memories that agents used before, as predictions.

use heirloom_core::fold::Standing;
use heirloom_core::record::Referent;

use super::memory::PredictedMemory;
use crate::memory::{MemoryItem, MemoryQuery, OriginCheck};
use crate::recall::{ContextQuery, Hit, MemoryList};
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::{Error, Session};

/// A memory that was used, and why it is predicted.
pub(super) struct UsedMemory {
    pub(super) memory: Referent,
    pub(super) confidence: f64,
    pub(super) reason: String,
}

/// Returns the predictions of those memories that still hold.
pub(super) fn predictions(
    session: &Session,
    used: Vec<UsedMemory>,
) -> Result<Vec<PredictedMemory>, Error> {
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
