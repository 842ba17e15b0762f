//! `note promote`: stores a note as a fact and marks it as done.

use heirloom_core::Hint;
use heirloom_core::record::{Body, EventAction, Fact, FactSection, Origin, Referent};
use schemars::JsonSchema;
use serde::Deserialize;

use super::done::find_note;
use crate::contradictions::check_new_record;
use crate::memory::{MemoryQuery, RecordAttributes, SimilarMemory, WriteTransaction};
use crate::ops::answers::StoredRecord;
use crate::recall::read_affected_by_new;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NotePromote;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// Id of the note, or the end of the id.
    id: String,
    /// Section of the fact.
    section: FactSection,
    /// Text of the fact; default: the text of the note.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

impl Operation for NotePromote {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "note_promote",
        usage: "note promote <id>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store a pending note as a fact and mark the note as done.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let mut transaction = WriteTransaction::begin(session, request.attributes.allow_secret)?;
        let known = MemoryQuery::new().ids(std::slice::from_ref(&request.id)).read(session)?;
        let id = find_note(&known, &request.id)?;
        let referent = Referent::Record(id);
        if !known.memory.events(EventAction::Resolve, &referent).is_empty() {
            return Err(Error::bad_input(format!("`{}` is already done", request.id)).hint(
                Hint::text("to make it pending again, use ").call("note_done", [("undo", true)]),
            ));
        }
        let note = known.memory.record(id);
        let text = note.map(|note| note.text().into_owned()).unwrap_or_default();
        let content = crate::ops::record::add::require_text(
            &request.content.unwrap_or(text),
            "a fact needs a text",
        )?;
        let mut record = transaction.new_record(Body::Fact(Fact {
            section: request.section,
            content,
            key: None,
            value: None,
            scope: None,
        }));
        if let Some(note) = note {
            record.visibility = note.visibility;
        }
        record.origin = Some(Origin::note(&referent));
        let nearby = read_affected_by_new(session, &record, &request.attributes)?;
        request.attributes.apply_to(&mut record, &mut transaction, &nearby)?;
        let near = SimilarMemory::find(&record, &nearby);
        transaction.write(&nearby, &record)?;
        let contradictions = check_new_record(&mut transaction, &nearby, &record);
        transaction.write_event(
            &known,
            EventAction::Resolve,
            vec![referent],
            vec![],
            "promoted",
        )?;
        transaction.commit()?;
        Ok(StoredRecord { contradictions, near, ..StoredRecord::of("promoted to", &record) })
    }
}
