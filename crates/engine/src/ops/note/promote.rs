//! `note promote`: makes a note a fact.

use heirloom_core::record::{Action, Body, Fact, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use super::done::find_note;
use crate::memory::{MemoryQuery, Particulars, SimilarMemory, WriteTransaction};
use crate::ops::answers::Stored;
use crate::recall::read_around_new;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NotePromote;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// The note, by its id or the end of it.
    id: String,
    /// The section of the fact.
    section: Section,
    /// Other words than the note's.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    particulars: Particulars,
}

impl Operation for NotePromote {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "note_promote",
        usage: "note promote <id>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Make a pending note a fact, which ends the note.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let mut transaction = WriteTransaction::begin(session, request.particulars.allow_secret)?;
        let known = MemoryQuery::new().ids(std::slice::from_ref(&request.id)).read(session)?;
        let id = find_note(&known, &request.id)?;
        let name = id.to_string();
        if !known.memory.events(Action::Resolve, &name).is_empty() {
            return Err(Error::bad_input(format!("`{}` is done already", request.id))
                .hint("`heir note done --undo` makes it pending again"));
        }
        let note = known.memory.record(id);
        let text = note.map(|note| note.text().into_owned()).unwrap_or_default();
        let content = crate::ops::record::add::named(
            &request.content.unwrap_or(text),
            "a fact without words",
        )?;
        let mut record = transaction.record(Body::Fact(Fact {
            section: request.section,
            content,
            key: None,
            value: None,
            scope: None,
        }));
        if let Some(note) = note {
            record.visibility = note.visibility;
        }
        record.origin = Some(format!("note:{name}"));
        let around = read_around_new(session, &record, &request.particulars)?;
        request.particulars.fill(&mut record, &mut transaction, &around)?;
        let near = SimilarMemory::to(&record, &around);
        transaction.write(&around, &record)?;
        transaction.event(&known, Action::Resolve, vec![name], vec![], "promoted")?;
        transaction.commit()?;
        Ok(Stored { near, ..Stored::of("promoted to", &record) })
    }
}
