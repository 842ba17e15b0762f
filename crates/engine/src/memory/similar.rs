//! Finds memories that are similar to a new record.

use std::collections::HashSet;

use heirloom_core::fold::Standing;
use heirloom_core::record::{Record, RecordKind, Referent, short_ids};
use heirloom_core::words::{jaccard_similarity, split_words};
use schemars::JsonSchema;
use serde::Serialize;

use super::MemorySlice;
use crate::view::{Role, View, present, span};

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
    /// The path and line where it is written.
    pub(crate) source: String,
    /// The share of common words, from 0 to 1.
    pub(crate) likeness: f64,
}

impl SimilarMemory {
    /// Returns the active facts and entries that are similar to a new record, the most similar first.
    /// Leaves out those that the record replaces.
    pub(crate) fn find(record: &Record, known: &MemorySlice) -> Vec<Self> {
        Self::find_by_text(&record.text(), known, |name| record.supersedes.contains(name))
    }

    /// Returns the active facts and entries that are similar to a text, the most similar first.
    pub(crate) fn find_by_text(
        text: &str,
        known: &MemorySlice,
        is_left_out: impl Fn(&Referent) -> bool,
    ) -> Vec<Self> {
        let words_of_text: HashSet<String> = split_words(text).into_iter().collect();
        let facts = known.items(&[RecordKind::Fact]).into_iter();
        let facts = facts
            .filter(|fact| fact.standing == Standing::Active)
            .map(|fact| (fact.referent, fact.id, fact.text, fact.source));
        let entries = known
            .entries()
            .map(|(document, entry)| (Referent::entry(&entry.id), document, entry))
            .filter(|(name, _, _)| known.memory.standing(name) == Standing::Active)
            .map(|(name, document, entry)| {
                let source = format!("{}:{}", document.path, entry.line);
                (name, entry.id.clone(), entry.full_text(), source)
            });
        let mut similar: Vec<SimilarMemory> = facts
            .chain(entries)
            .filter(|(name, ..)| !is_left_out(name))
            .map(|(_, id, text, source)| {
                let likeness = likeness(&words_of_text, &text);
                SimilarMemory { id, text, source, likeness }
            })
            .filter(|memory| memory.likeness >= MIN_JACCARD_SIMILARITY)
            .collect();
        similar.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then_with(|| a.id.cmp(&b.id)));
        similar.truncate(MAX_SIMILAR);
        similar
    }
}

/// Prints memories that are similar to a new one.
pub(crate) fn show_similar(view: &mut View, memories: &[SimilarMemory]) {
    if !memories.is_empty() {
        view.line([span(Role::Warning, "   similar memories exist:")]);
    }
    let ids: Vec<&str> = memories.iter().map(|memory| memory.id.as_str()).collect();
    for (memory, id) in memories.iter().zip(short_ids(&ids)) {
        view.line([
            "   ".into(),
            span(Role::Key, id),
            span(Role::Dim, format!("  {:.0} %  ", memory.likeness * 100.0)),
            present::opening(&memory.text).into(),
            "  ".into(),
            span(Role::Source, &memory.source),
        ]);
    }
}

/// Returns the share of words that a text has in common with others, from 0 to 1.
pub(crate) fn likeness(words: &HashSet<String>, text: &str) -> f64 {
    let others: HashSet<String> = split_words(text).into_iter().collect();
    (jaccard_similarity(words, &others) * 100.0).round() / 100.0
}
