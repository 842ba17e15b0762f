//! What says nearly the same as something that is being stored.

use std::collections::HashSet;

use heirloom_core::fold::Standing;
use heirloom_core::record::{Kind, Record};
use heirloom_core::words::{likeness, words};
use schemars::JsonSchema;
use serde::Serialize;

use super::MemorySlice;
use crate::workspace::memory_document::entry_ref;

/// From this share of common words on, two facts say nearly the same.
const NEAR: f64 = 0.6;

/// More than this many would be noise.
const MOST: usize = 5;

/// Something that says nearly the same.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SimilarMemory {
    /// Its id.
    pub(crate) id: String,
    /// What it says.
    pub(crate) text: String,
    /// How much of its words are the same, 0 to 1.
    pub(crate) likeness: f64,
}

impl SimilarMemory {
    /// Finds active facts and entries that say nearly the same as a record which is to be stored,
    /// the nearest first; not those that it replaces.
    pub(crate) fn to(record: &Record, known: &MemorySlice) -> Vec<Self> {
        let own: HashSet<String> = words(&record.text()).into_iter().collect();
        let facts = known.items(&[Kind::Fact]).into_iter();
        let facts = facts
            .filter(|fact| fact.standing == Standing::Active)
            .map(|fact| (fact.name(), fact.id, fact.text));
        let entries = known
            .entries()
            .map(|(_, entry)| (entry_ref(&entry.id), entry))
            .filter(|(name, _)| known.memory.standing(name) == Standing::Active)
            .map(|(name, entry)| (name, entry.id.clone(), entry.sentence()));
        let mut near: Vec<SimilarMemory> = facts
            .chain(entries)
            .filter(|(name, _, _)| !record.supersedes.contains(name))
            .map(|(_, id, text)| {
                let other: HashSet<String> = words(&text).into_iter().collect();
                let likeness = (likeness(&own, &other) * 100.0).round() / 100.0;
                SimilarMemory { id, text, likeness }
            })
            .filter(|near| near.likeness >= NEAR)
            .collect();
        near.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then_with(|| a.id.cmp(&b.id)));
        near.truncate(MOST);
        near
    }
}
