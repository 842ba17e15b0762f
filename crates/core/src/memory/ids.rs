//! The numbers and ids of entries.

use std::collections::HashMap;

use super::{EntryKind, MemoryEntry};
use crate::Problem;
use crate::words::{normalise, short_hash};

impl MemoryEntry {
    /// Returns what distinguishes the entry from others of its kind: its title and its text.
    pub(super) fn identity(&self) -> String {
        match &self.title {
            Some(title) => normalise(&format!("{title}\n{}", self.text)),
            None => normalise(&self.text),
        }
    }
}

/// Numbers the entries within their kinds, and gives each its stored id or one that is derived from its content.
pub(super) fn assign_numbers_and_ids(entries: &mut [MemoryEntry]) {
    let mut counts: HashMap<EntryKind, usize> = HashMap::new();
    let mut ordinals: HashMap<(EntryKind, String), usize> = HashMap::new();
    for entry in entries.iter_mut() {
        let number = counts.entry(entry.kind).or_default();
        *number += 1;
        if entry.number == 0 {
            entry.number = *number;
        }
        let text = entry.identity();
        let ordinal = ordinals.entry((entry.kind, text.clone())).or_default();
        *ordinal += 1;
        entry.id = match entry.marks.get("id") {
            Some(id) => id.to_lowercase(),
            None => derived_id(entry.kind, &text, *ordinal),
        };
    }
}

/// Derives the id of an entry from its kind, its identity and its ordinal among entries with the same identity.
pub(super) fn derived_id(kind: EntryKind, text: &str, ordinal: usize) -> String {
    short_hash(&format!("{}\n{ordinal}\n{text}", kind.as_str()))
}

/// Returns a problem for each entry whose stored id an earlier entry has.
pub(super) fn find_repeated_ids(path: &str, entries: &[MemoryEntry]) -> Vec<Problem> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut problems = Vec::new();
    for entry in entries.iter().filter(|entry| entry.has_stored_id()) {
        match seen.get(entry.id.as_str()) {
            None => drop(seen.insert(&entry.id, entry.line)),
            Some(first) => problems.push(
                Problem::at(
                    path,
                    entry.line,
                    format!("this entry has the same id as the one on line {first}: {}", entry.id),
                )
                .hint("remove one of the two entries, or the comment with the id"),
            ),
        }
    }
    problems
}
