//! `note`: something to come back to.

use heirloom_core::record::{Body, Note};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::Particulars;
use crate::ops::answers::Stored;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NoteAdd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The note.
    text: String,
    /// Keep it on this machine, out of git.
    #[serde(default)]
    private: bool,
    /// Store it though it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

impl Operation for NoteAdd {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "note",
        usage: "note <text>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Capture a note to come back to. It is pending until it is done or promoted to a fact.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let content = crate::ops::record::add::named(&request.text, "a note without words")?;
        if ["list", "ls", "show", "add"].contains(&content.as_str()) {
            return Err(Error::bad_input(format!("`{content}` alone is hardly a note"))
                .hint("`heir notes` lists what is pending"));
        }
        let particulars = Particulars {
            private: request.private,
            allow_secret: request.allow_secret,
            ..Particulars::default()
        };
        crate::ops::record::add::store(session, Body::Note(Note { content }), &particulars)
    }
}
