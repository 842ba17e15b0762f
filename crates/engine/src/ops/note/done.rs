//! `note done`: ends a pending note.

use heirloom_core::fold::Standing;
use heirloom_core::record::{Action, Kind};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::answers::Done;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NoteDone;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The notes, by their ids or the ends of them.
    ids: Vec<String>,
    /// Make them pending again.
    #[serde(default)]
    undo: bool,
}

impl Operation for NoteDone {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "note_done",
        usage: "note done <ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "End pending notes.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.ids).read(session)?;
        let mut names = Vec::new();
        let mut events: Vec<Uuid> = Vec::new();
        for typed in &request.ids {
            let name = find_note(&known, typed)?.to_string();
            let resolved = known.memory.events(Action::Resolve, &name);
            if resolved.is_empty() == request.undo {
                let word = if request.undo { "pending" } else { "done" };
                return Err(Error::bad_input(format!("`{typed}` is {word} already")));
            }
            events.extend(resolved);
            names.push(name);
        }
        if request.undo {
            let undoes = events.iter().map(Uuid::to_string).collect();
            transaction.event(&known, Action::Unresolve, vec![], undoes, "")?;
        } else {
            for name in &names {
                transaction.event(&known, Action::Resolve, vec![name.clone()], vec![], "")?;
            }
        }
        transaction.commit()?;
        let mut items = known.described(&names, Standing::Active);
        items.iter_mut().for_each(|thing| thing.resolved = !request.undo);
        Ok(Done { done: if request.undo { "pending again" } else { "done" }, items, notes: vec![] })
    }
}

/// Finds a note.
pub(crate) fn find_note(known: &MemorySlice, typed: &str) -> Result<Uuid, Error> {
    let id = known.find_record(typed)?;
    match known.memory.record(id).map(heirloom_core::record::Record::kind) {
        Some(Kind::Note) => Ok(id),
        Some(other) => {
            Err(Error::bad_input(format!("`{typed}` is no note but a {}", other.word())))
        }
        None => Err(Error::not_found(format!("there is no note `{typed}`"), vec![])),
    }
}
