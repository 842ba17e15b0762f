//! `memory session`: a note on what was done in a session.

use heirloom_core::memory::{self, Counters, EntryKind};
use heirloom_core::words::digest;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::WriteTransaction;
use crate::ops::answers::Kept;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemorySession;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan; without one, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// What was done and what is next; a line is a point.
    content: String,
    /// Write it though it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemorySession {
    type Request = Request;
    type Response = Kept;
    const SPEC: Spec = Spec {
        name: "memory_session",
        usage: "memory session <planId> <agentId|--plan> <content>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Note what was done in a session, in the session log of an agent's memory.",
    };

    fn run(session: &Session, request: Request) -> Result<Kept, Error> {
        if request.content.trim().is_empty() {
            return Err(Error::bad_input("a session without a note").hint("say what was done"));
        }
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        transaction.guard(&request.content)?;
        let book = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let before = book.text_or_new(session)?;
        let sessions = || book.notebook.of(EntryKind::Session);
        let noted = sessions().map(|entry| entry.number).max().unwrap_or(0).max(sessions().count());
        let number = 1 + noted.max(counted(&book.path, &before));
        let id = digest(&format!(
            "{}\n{number}\n{}\n{}\n{}",
            book.path,
            session.author(),
            session.now(),
            request.content
        ));
        let after = memory::add_session(
            &before,
            book.owner,
            number,
            session.today(),
            &request.content,
            &id,
        );
        transaction.edit(&book.path, book.text.as_deref(), after);
        let counters = Counters {
            updated: Some(session.today()),
            sessions: Some(number),
            ..Counters::default()
        };
        transaction.count(&book.path, &counters)?;
        let text = transaction.text_of(&book.path, "").to_owned();
        let notebook = memory::read(&book.path, &text);
        let entry = notebook
            .of(EntryKind::Session)
            .find(|entry| entry.id == id)
            .ok_or_else(|| Error::system(format!("{}: the note was not written", book.path)))?;
        transaction.commit()?;
        Ok(Kept {
            done: "noted",
            kind: EntryKind::Session,
            name: entry.name(),
            id: entry.id.clone(),
            text: entry.sentence(),
            source: book.path,
            fact: None,
            from: None,
        })
    }
}

/// What the front matter says of sessions so far.
fn counted(path: &str, text: &str) -> usize {
    let document = heirloom_core::Document::parse(path, &memory::readable(text));
    let sessions = document.fields.get("sessions").and_then(heirloom_core::Value::as_u64);
    sessions.and_then(|sessions| usize::try_from(sessions).ok()).unwrap_or(0)
}
