//! What is never forgotten, whatever its text says: pins, decisions in force, what relations depend on, and what somebody
//! took back.

use std::collections::HashSet;

use heirloom_core::fold::{Item, Memory};
use heirloom_core::record::{EventAction, Referent};
use uuid::Uuid;

use super::UNUSED_REASON;
use super::undone::undone_archives;
use crate::memory::MemorySlice;

/// The memories that are never forgotten.
pub(super) struct ProtectedMemories(HashSet<Referent>);

impl ProtectedMemories {
    /// Finds pinned memories, the ends of relations, and memories that were restored.
    pub(super) fn new(known: &MemorySlice) -> Self {
        let memory = &known.memory;
        let pinned = memory.targets_of(EventAction::Pin).into_keys();
        let mut found: HashSet<Referent> = pinned.flat_map(|target| memory.heads(target)).collect();
        found.extend(memory.edges().into_keys().flat_map(|(from, to, _)| [from, to]));
        found.extend(restored(memory));
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

/// Returns the memories that were archived because they were unused, and restored one by one: somebody wants them.
fn restored(memory: &Memory) -> impl Iterator<Item = Referent> {
    let archives = undone_archives(memory)
        .filter(|undone| !undone.is_of_run && undone.archived.reason.starts_with(UNUSED_REASON));
    archives.flat_map(|undone| undone.archived.targets.iter().cloned())
}

/// Returns whether a record states what a decision record or an entry of a document says.
pub(super) fn is_made_from_document(item: &Item<'_>) -> bool {
    item.record.origin.as_ref().is_some_and(|origin| {
        origin.decision_record().is_some() || origin.referred_entry().is_some()
    })
}
