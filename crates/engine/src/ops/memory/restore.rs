//! `memory restore`: restores archived memories.

use heirloom_core::Hint;
use heirloom_core::fold::Standing;
use heirloom_core::record::{Body, EventAction, Record, Referent};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::consolidation::SUPERSEDED_REASON;
use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryRestore;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of archived memories.
    fact_ids: Vec<String>,
}

impl Operation for MemoryRestore {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_restore",
        usage: "memory restore <fact_ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Restore archived memories, and those that `memory undo` withdrew. Superseded ones stay superseded.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.fact_ids).read(session)?;
        let mut archive_events: Vec<Uuid> = Vec::new();
        let mut names = Vec::new();
        for id in &request.fact_ids {
            let target = known.find(id)?;
            let target_names = transaction.referents_of(&known, target)?;
            let actions = [EventAction::Archive, EventAction::Undo];
            let events: Vec<Uuid> = actions
                .into_iter()
                .flat_map(|action| target_names.iter().map(move |name| (action, name)))
                .flat_map(|(action, name)| known.memory.events(action, name))
                .filter(|event| !is_archived_as_superseded(&known, *event, &target.referent()))
                .collect();
            if events.is_empty() {
                return Err(not_archived(&known, id, &target.referent()));
            }
            archive_events.extend(events);
            names.extend(target_names.into_iter().next());
        }
        archive_events.sort();
        archive_events.dedup();
        let undoes = archive_events.into_iter().map(Referent::Record).collect();
        transaction.write_event(&known, EventAction::Restore, vec![], undoes, "")?;
        transaction.commit()?;
        Ok(ChangedItems {
            done: "restored",
            items: known.describe(&names, Standing::Active),
            notes: vec![],
        })
    }
}

/// Returns whether an event archives a memory only because another one replaced it, which it still does.
fn is_archived_as_superseded(known: &MemorySlice, event: Uuid, memory: &Referent) -> bool {
    let is_consolidation = |record: &Record| matches!(&record.body, Body::Event(event) if event.reason == SUPERSEDED_REASON);
    known.memory.standing(memory) == Standing::Superseded
        && known.memory.record(event).is_some_and(is_consolidation)
}

/// Explains why a memory cannot be restored.
fn not_archived(known: &MemorySlice, typed: &str, referent: &Referent) -> Error {
    if known.memory.standing(referent) != Standing::Superseded {
        return Error::bad_input(format!("`{typed}` is not archived"));
    }
    let heads = known.memory.heads(referent);
    let heads: Vec<_> = heads.iter().map(Referent::short).collect();
    let message = format!("`{typed}` is not archived: it was superseded by {}", heads.join(", "));
    Error::bad_input(message).hint(
        Hint::default().operation("memory_undo").then(" on its successor makes it active again"),
    )
}
