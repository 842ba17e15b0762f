//! Checks that an edit leaves other entries as they are, and the error of an edit that is refused.

use std::mem;

use super::MemoryEntry;

/// The reason why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EntryEditError {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub message: String,
}

/// Returns whether two entries have the same form and the same content, wherever they are in the document.
pub(super) fn is_same(a: &MemoryEntry, b: &MemoryEntry) -> bool {
    let form = |entry: &MemoryEntry| mem::discriminant(&entry.form);
    form(a) == form(b) && has_same_content(a, b)
}

fn has_same_content(a: &MemoryEntry, b: &MemoryEntry) -> bool {
    (a.kind, &a.title, &a.text, &a.fields, a.resolved, &a.resolution, &a.marks)
        == (b.kind, &b.title, &b.text, &b.fields, b.resolved, &b.resolution, &b.marks)
        && (&a.category, &a.tags) == (&b.category, &b.tags)
}
