//! `note`: stores a note to come back to.

use heirloom_core::Hint;
use heirloom_core::record::{Body, Note};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::RecordAttributes;
use crate::ops::answers::StoredRecord;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NoteAdd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Text of the note.
    text: String,
    /// Keep it on this machine, out of git.
    #[serde(default)]
    private: bool,
    /// Store it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

impl Operation for NoteAdd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "note",
        usage: "note <text>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store a note to come back to. It stays pending until it is done or promoted to a fact.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let content = crate::ops::record::add::require_text(&request.text, "a note needs a text")?;
        if ["list", "ls", "show", "add"].contains(&content.as_str()) {
            return Err(Error::bad_input(format!("the note would only say `{content}`"))
                .hint(Hint::text("to list pending notes, use ").operation("notes")));
        }
        let attributes = RecordAttributes {
            private: request.private,
            allow_secret: request.allow_secret,
            ..RecordAttributes::default()
        };
        crate::ops::record::add::store(session, Body::Note(Note { content }), &attributes)
    }
}
