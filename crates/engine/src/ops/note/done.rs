//! `note done`: marks notes as done, or as pending again.

use heirloom_core::fold::Standing;
use heirloom_core::record::{EventAction, RecordKind, Referent};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::view::present;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NoteDone;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of the notes.
    ids: Vec<String>,
    /// Mark them as pending again.
    #[serde(default)]
    undo: bool,
}

impl Operation for NoteDone {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "note_done",
        usage: "note done <ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Mark pending notes as done.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.ids).read(session)?;
        let mut notes = Vec::new();
        let mut events: Vec<Uuid> = Vec::new();
        for id in &request.ids {
            let note = Referent::Record(find_note(&known, id)?);
            let resolved = known.memory.events(EventAction::Resolve, &note);
            if resolved.is_empty() == request.undo {
                let word = if request.undo { "pending" } else { "done" };
                return Err(Error::bad_input(format!("`{id}` is already {word}")));
            }
            events.extend(resolved);
            notes.push(note);
        }
        if request.undo {
            let undoes = events.into_iter().map(Referent::Record).collect();
            transaction.write_event(&known, EventAction::Unresolve, vec![], undoes, "")?;
        } else {
            for note in &notes {
                transaction.write_event(
                    &known,
                    EventAction::Resolve,
                    vec![note.clone()],
                    vec![],
                    "",
                )?;
            }
        }
        transaction.commit()?;
        let mut items = known.describe(&notes, Standing::Active);
        items.iter_mut().for_each(|item| item.resolved = !request.undo);
        Ok(ChangedItems {
            done: if request.undo { "pending again" } else { "done" },
            items,
            notes: vec![],
        })
    }
}

/// Finds a note by its id or the end of it.
pub(crate) fn find_note(known: &MemorySlice, input: &str) -> Result<Uuid, Error> {
    let id = known.find_record(input)?;
    match known.memory.record(id).map(heirloom_core::record::Record::kind) {
        Some(RecordKind::Note) => Ok(id),
        Some(other) => {
            let kind = present::with_article(other.as_str());
            Err(Error::bad_input(format!("`{input}` is {kind}, not a note")))
        }
        None => Err(Error::not_found(format!("there is no note `{input}`"), vec![])),
    }
}
