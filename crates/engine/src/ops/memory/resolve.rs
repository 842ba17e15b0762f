//! `memory resolve`: marks a blocker or a question as resolved.

use heirloom_core::memory::{self, Counters, EntryKind, EntryMatch, MemoryEntry};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_new_entry;
use crate::memory::{MemoryQuery, WriteTransaction, lifecycle};
use crate::ops::answers::WrittenEntry;
use crate::recall::read_similar_to;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryResolve;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number; or another level that has a memory (sprint=sprint-01).
    plan_id: String,
    /// Agent of that plan; without it, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Blocker or question: blocker-2, or its id.
    entry: String,
    /// How it was resolved, or the answer.
    #[serde(default)]
    how: Option<String>,
    /// Write it even if it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemoryResolve {
    type Request = Request;
    type Response = WrittenEntry;
    const SPEC: Spec = Spec {
        name: "memory_resolve",
        usage: "memory resolve <planId> <agentId|--plan> <entry> [how]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Resolve a blocker or question in the memory of an agent or a plan. An answered question is also stored as a fact.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenEntry, Error> {
        let how = request.how.as_deref().unwrap_or_default().trim();
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        transaction.reject_secret(how)?;
        let file = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let entry = file.find(&request.entry)?;
        if !entry.kind.is_task() {
            return Err(Error::bad_input(format!(
                "{} is a {}; only blockers and questions can be resolved",
                entry.name(),
                entry.kind.as_str()
            )));
        }
        if entry.resolved {
            let how = entry.resolution.as_deref().map(|how| format!(": {how}"));
            return Err(Error::bad_input(format!(
                "{} is already resolved{}",
                entry.name(),
                how.unwrap_or_default()
            )));
        }
        let before = file.text.clone().unwrap_or_default();
        let after = resolve_entry(session, &file, entry, &before, how)?;
        transaction.edit(&file.path, Some(&before), after.clone());
        let mut written = WrittenEntry {
            done: "resolved",
            kind: entry.kind,
            name: entry.name(),
            id: entry.id.clone(),
            text: String::new(),
            source: file.path.clone(),
            fact: None,
            from: None,
            contradictions: vec![],
            notices: vec![],
        };
        if entry.kind == EntryKind::Question {
            let known = MemoryQuery::new().read(session)?;
            let document = known.edited_document(&file, after);
            if let EntryMatch::One(entry) = document.content.find(&written.name) {
                let (id, fact) =
                    lifecycle::ingest_entry(&mut transaction, &known, &document, entry)?;
                written.id = id;
                written.fact = fact.map(|id| id.to_string());
                if fact.is_some() {
                    let similar = read_similar_to(session, &entry.full_text())?;
                    written.contradictions =
                        check_new_entry(&mut transaction, &similar, &document, entry, fact);
                }
            }
        }
        let counters = Counters { updated: Some(session.today()), ..Counters::default() };
        transaction.update_counters(&file.path, &counters)?;
        let content = memory::read(&file.path, transaction.current_text(&file.path, ""));
        if let EntryMatch::One(entry) = content.find(&written.name) {
            written.text = entry.full_text();
        }
        transaction.commit()?;
        Ok(written)
    }
}

/// Marks an entry as resolved and writes its date beside it: the date was that of the commit of its line,
/// and that commit is no longer found once the line changes.
fn resolve_entry(
    session: &Session,
    file: &MemoryFile,
    entry: &MemoryEntry,
    before: &str,
    how: &str,
) -> Result<String, Error> {
    let refused = |refusal| file.refused(&refusal);
    let document =
        MemoryDocument::from_file(file, before.to_owned(), &EntryDates::new(session.root()));
    let dated = match document.date_to_keep(entry) {
        None => return memory::resolve(before, entry, how).map_err(refused),
        Some(day) => {
            let marks = IndexMap::from_iter([memory::added_mark(day)]);
            memory::set_marks(before, entry, &marks).map_err(refused)?
        }
    };
    let content = memory::read(&file.path, &dated);
    match content.find(&entry.name()) {
        EntryMatch::One(entry) => memory::resolve(&dated, entry, how).map_err(refused),
        _ => memory::resolve(before, entry, how).map_err(refused),
    }
}
