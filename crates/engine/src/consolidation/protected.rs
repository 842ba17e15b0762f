//! What is never forgotten, whatever its text says: pins, decisions in force, and what relations depend on.

use std::collections::HashSet;

use heirloom_core::fold::Item;
use heirloom_core::record::{EventAction, Referent};
use uuid::Uuid;

use crate::memory::MemorySlice;

/// The memories that are never forgotten.
pub(super) struct ProtectedMemories(HashSet<Referent>);

impl ProtectedMemories {
    /// Finds pinned memories and the ends of relations.
    pub(super) fn new(known: &MemorySlice) -> Self {
        let memory = &known.memory;
        let pinned = memory.targets_of(EventAction::Pin).into_keys();
        let mut found: HashSet<Referent> = pinned.flat_map(|target| memory.heads(target)).collect();
        found.extend(memory.edges().into_keys().flat_map(|(from, to, _)| [from, to]));
        ProtectedMemories(found.iter().map(|referent| memory.canonical(referent)).collect())
    }

    /// Returns whether a record is never forgotten. One that was made from a document is retired with it.
    pub(super) fn contains(&self, item: &Item<'_>) -> bool {
        self.0.contains(&Referent::Record(item.id)) || is_made_from_document(item)
    }

    /// Returns whether a record is pinned or related.
    pub(super) fn is_pinned_or_related(&self, id: Uuid) -> bool {
        self.0.contains(&Referent::Record(id))
    }
}

/// Returns whether a record states what a decision record or an entry of a document says.
pub(super) fn is_made_from_document(item: &Item<'_>) -> bool {
    item.record.origin.as_ref().is_some_and(|origin| {
        origin.decision_record().is_some() || origin.referred_entry().is_some()
    })
}
