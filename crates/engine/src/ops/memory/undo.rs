//! `memory undo`: undoes a supersession that was a mistake.

use std::collections::BTreeSet;

use heirloom_core::Hint;
use heirloom_core::fold::Standing;
use heirloom_core::record::{Body, EventAction, Record, Referent};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::consolidation::SUPERSEDED_REASON;
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, MemoryTarget, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryUndo;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, or end of the id, of the memory that superseded another by mistake.
    fact_id: String,
    /// Why it was a mistake.
    #[serde(default)]
    reason: Option<String>,
}

impl Operation for MemoryUndo {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_undo",
        usage: "memory undo <fact_id>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Undo a mistaken supersession. What was superseded is active again, and its successor is archived; `memory restore` on the successor takes that back.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let ids = std::slice::from_ref(&request.fact_id);
        let known = MemoryQuery::new().ids(ids).read(session)?;
        let successors = find_successors(&known, &request.fact_id)?;
        let replaced: BTreeSet<&Referent> =
            successors.iter().flat_map(|record| &record.supersedes).collect();
        let targets = successors.iter().map(|record| record.id.into()).collect();
        let reason = request.reason.as_deref().unwrap_or_default();
        transaction.write_event(&known, EventAction::Undo, targets, vec![], reason)?;
        let archived = archived_as_superseded(&known, &replaced);
        if !archived.is_empty() {
            transaction.write_event(&known, EventAction::Restore, vec![], archived, reason)?;
        }
        transaction.commit()?;
        let replaced: Vec<Referent> = replaced.into_iter().cloned().collect();
        describe(session, &replaced)
    }
}

/// Returns the records that a typed id stands for and that supersede something. Records that say the same without
/// superseding anything are not affected by the undo.
fn find_successors<'k>(known: &'k MemorySlice, typed: &str) -> Result<Vec<&'k Record>, Error> {
    let aliases = match known.find_unsuperseded(typed)? {
        MemoryTarget::Record(id) => known.memory.aliases(id),
        MemoryTarget::Entry(..) => vec![],
    };
    let records = aliases.into_iter().filter_map(|id| known.memory.record(id));
    let successors: Vec<&Record> = records.filter(|record| !record.supersedes.is_empty()).collect();
    if successors.is_empty() {
        return Err(Error::bad_input(format!("`{typed}` supersedes nothing")).hint(
            Hint::text("name the memory that superseded another; ")
                .operation("memory_archive")
                .then(" archives one that supersedes nothing"),
        ));
    }
    if successors.iter().all(|record| known.memory.is_withdrawn(record.id)) {
        return Err(Error::bad_input(format!("`{typed}` was already undone")));
    }
    Ok(successors)
}

/// Returns the events by which a consolidation archived what was replaced, because it was.
fn archived_as_superseded(known: &MemorySlice, replaced: &BTreeSet<&Referent>) -> Vec<Referent> {
    let events = replaced.iter().flat_map(|it| known.memory.events(EventAction::Archive, it));
    let is_of_consolidation = |id: &Uuid| {
        known.memory.record(*id).is_some_and(|record| match &record.body {
            Body::Event(event) => event.reason == SUPERSEDED_REASON,
            _ => false,
        })
    };
    let events: BTreeSet<Uuid> = events.filter(is_of_consolidation).collect();
    events.into_iter().map(Referent::Record).collect()
}

/// Describes what the supersession had replaced, as it stands now.
fn describe(session: &Session, replaced: &[Referent]) -> Result<ChangedItems, Error> {
    let known = MemoryQuery::new().referents(replaced.to_vec()).read(session)?;
    let mut items: Vec<MemoryItem> = Vec::new();
    for item in replaced.iter().filter_map(|referent| known.item(referent)) {
        if !items.iter().any(|other| other.id == item.id) {
            items.push(item);
        }
    }
    let is_active = |item: &&MemoryItem| item.standing == Standing::Active;
    let notes = items.iter().filter(|item| !is_active(item)).map(|item| {
        let standing = item.standing.as_str();
        format!("{} stays {standing} for another reason", item.short_id())
    });
    Ok(ChangedItems { done: "active again", notes: notes.collect(), items })
}
