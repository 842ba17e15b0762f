//! Statements of a conversation, and what they have in common.

use std::collections::HashSet;

use crate::recall::terms;

/// A statement that the digest may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transcript) struct Statement {
    /// The line of the message.
    pub(in crate::transcript) line: usize,
    pub(in crate::transcript) text: String,
    /// Whether the structure of the transcript marks it, which is more reliable than a phrase.
    pub(in crate::transcript) structural: bool,
}

impl Statement {
    /// A statement that a phrase marks.
    pub(in crate::transcript) fn new(line: usize, text: impl Into<String>) -> Self {
        Statement { line, text: text.into(), structural: false }
    }

    /// A statement that the structure of the transcript marks.
    pub(in crate::transcript) fn structural(line: usize, text: impl Into<String>) -> Self {
        Statement { line, text: text.into(), structural: true }
    }
}

/// Number of statements, as a multiple of those that a digest keeps, among which earlier ones are looked for. It bounds
/// the time that long transcripts take.
pub(in crate::transcript) const MAX_REMEMBERED: usize = 4;

/// Share of common terms from which two statements are versions of one.
const VERSION_OVERLAP: f64 = 0.67;

/// Number of common terms that a version needs.
const MIN_VERSION_TERMS: usize = 3;

/// Returns the terms of a text.
pub(in crate::transcript) fn term_set(text: &str) -> HashSet<String> {
    terms(text).into_iter().collect()
}

/// Returns the share of the smaller set's terms that both sets have.
pub(in crate::transcript) fn overlap(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let smaller = a.len().min(b.len());
    if smaller == 0 { 0.0 } else { a.intersection(b).count() as f64 / smaller as f64 }
}

/// Returns whether a statement is a later version of another: they have most terms in common.
pub(in crate::transcript) fn is_version_of(later: &str, earlier: &str) -> bool {
    let (later, earlier) = (term_set(later), term_set(earlier));
    later.intersection(&earlier).count() >= MIN_VERSION_TERMS
        && overlap(&later, &earlier) >= VERSION_OVERLAP
}
