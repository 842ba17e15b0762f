//! What is never forgotten, whatever its text says: pins, decisions in force, what relations depend on, and what somebody
//! took back.

use std::collections::HashSet;

use heirloom_core::fold::{Item, Memory};
use heirloom_core::record::{Body, Event, EventAction, Referent};
use uuid::Uuid;

use super::UNUSED_REASON;
use crate::memory::{MemorySlice, UNDONE_RUN_REASON};

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
fn restored(memory: &Memory) -> Vec<Referent> {
    let events = || {
        memory.records().filter_map(|record| match &record.body {
            Body::Event(event) => Some((record.id, event)),
            _ => None,
        })
    };
    let is_restore =
        |event: &Event| event.action == EventAction::Restore && event.reason != UNDONE_RUN_REASON;
    let restores = events().filter(|(_, event)| is_restore(event));
    let undone: HashSet<Uuid> =
        restores.flat_map(|(_, event)| &event.undoes).filter_map(Referent::record_id).collect();
    let archives = events().filter(|(id, event)| {
        event.action == EventAction::Archive
            && event.reason.starts_with(UNUSED_REASON)
            && undone.contains(id)
    });
    archives.flat_map(|(_, event)| event.targets.iter().cloned()).collect()
}

/// Returns whether a record states what a decision record or an entry of a document says.
pub(super) fn is_made_from_document(item: &Item<'_>) -> bool {
    item.record.origin.as_ref().is_some_and(|origin| {
        origin.decision_record().is_some() || origin.referred_entry().is_some()
    })
}
