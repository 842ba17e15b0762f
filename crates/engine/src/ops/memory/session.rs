//! `memory session`: adds a note to the session log of a memory document.

use heirloom_core::memory::{self, Counters, EntryKind};
use heirloom_core::words::short_hash;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::WriteTransaction;
use crate::ops::answers::WrittenEntry;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemorySession;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number; or another level that has a memory (sprint=sprint-01).
    plan_id: String,
    /// Agent of that plan; without it, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// What was done and what is next; each line becomes a bullet point.
    content: String,
    /// Write it even if it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemorySession {
    type Request = Request;
    type Response = WrittenEntry;
    const SPEC: Spec = Spec {
        name: "memory_session",
        usage: "memory session <planId> <agentId|--plan> <content>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Add a note on a work session to the memory of an agent or a plan.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenEntry, Error> {
        if request.content.trim().is_empty() {
            return Err(Error::bad_input("a session note needs a text").hint("add what was done"));
        }
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        transaction.reject_secret(&request.content)?;
        let file = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let before = file.text_or_new(session)?;
        let sessions = || file.content.entries_of(EntryKind::Session);
        let highest =
            sessions().map(|entry| entry.number).max().unwrap_or(0).max(sessions().count());
        let number = 1 + highest.max(session_counter(&file.path, &before));
        let id = short_hash(&format!(
            "{}\n{number}\n{}\n{}\n{}",
            file.path,
            session.author(),
            session.now(),
            request.content
        ));
        let after = memory::add_session(
            &before,
            file.owner,
            number,
            session.today(),
            &request.content,
            &id,
        );
        transaction.edit(&file.path, file.text.as_deref(), after);
        let counters = Counters {
            updated: Some(session.today()),
            sessions: Some(number),
            ..Counters::default()
        };
        transaction.update_counters(&file.path, &counters)?;
        let text = transaction.current_text(&file.path, "").to_owned();
        let content = memory::read(&file.path, &text);
        let entry = content
            .entries_of(EntryKind::Session)
            .find(|entry| entry.id == id)
            .ok_or_else(|| Error::system(format!("{}: the note was not written", file.path)))?;
        transaction.commit()?;
        Ok(WrittenEntry {
            done: "noted",
            kind: EntryKind::Session,
            name: entry.name(),
            id: entry.id.clone(),
            text: entry.full_text(),
            source: file.path.clone(),
            fact: None,
            from: None,
            contradictions: vec![],
            notices: file.new_name_notice().into_iter().collect(),
        })
    }
}

/// Returns the number of sessions that the front matter states.
fn session_counter(path: &str, text: &str) -> usize {
    let document = heirloom_core::Document::parse(path, &memory::merge_repeated_counters(text));
    let sessions = document.fields.get("sessions").and_then(heirloom_core::Value::as_u64);
    sessions.and_then(|sessions| usize::try_from(sessions).ok()).unwrap_or(0)
}
