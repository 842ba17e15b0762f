//! Finds memories that are similar to a new record.

use std::collections::HashSet;

use heirloom_core::fold::Standing;
use heirloom_core::record::{Record, RecordKind, Referent};
use heirloom_core::words::{jaccard_similarity, split_words};
use schemars::JsonSchema;
use serde::Serialize;

use super::MemorySlice;

/// Minimum share of common words for two facts to be similar.
const MIN_JACCARD_SIMILARITY: f64 = 0.6;

/// Maximum number of similar memories to report.
const MAX_SIMILAR: usize = 5;

/// A memory that is similar to a new record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SimilarMemory {
    /// Its id.
    pub(crate) id: String,
    /// Its text.
    pub(crate) text: String,
    /// The share of common words, from 0 to 1.
    pub(crate) likeness: f64,
}

impl SimilarMemory {
    /// Returns the active facts and entries that are similar to a new record, the most similar first.
    /// Leaves out those that the record replaces.
    pub(crate) fn find(record: &Record, known: &MemorySlice) -> Vec<Self> {
        let record_words: HashSet<String> = split_words(&record.text()).into_iter().collect();
        let facts = known.items(&[RecordKind::Fact]).into_iter();
        let facts = facts
            .filter(|fact| fact.standing == Standing::Active)
            .map(|fact| (fact.referent, fact.id, fact.text));
        let entries = known
            .entries()
            .map(|(_, entry)| (Referent::entry(&entry.id), entry))
            .filter(|(name, _)| known.memory.standing(name) == Standing::Active)
            .map(|(name, entry)| (name, entry.id.clone(), entry.full_text()));
        let mut similar: Vec<SimilarMemory> = facts
            .chain(entries)
            .filter(|(name, _, _)| !record.supersedes.contains(name))
            .map(|(_, id, text)| {
                let words: HashSet<String> = split_words(&text).into_iter().collect();
                let likeness = (jaccard_similarity(&record_words, &words) * 100.0).round() / 100.0;
                SimilarMemory { id, text, likeness }
            })
            .filter(|memory| memory.likeness >= MIN_JACCARD_SIMILARITY)
            .collect();
        similar.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then_with(|| a.id.cmp(&b.id)));
        similar.truncate(MAX_SIMILAR);
        similar
    }
}
