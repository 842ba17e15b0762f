//! `memory resolve`: settles a blocker or a question.

use heirloom_core::memory::{self, Counters, Entry, EntryKind, Which};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryQuery, WriteTransaction, lifecycle};
use crate::ops::answers::Kept;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryResolve;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan; without one, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// The blocker or question: blocker-2, or its id.
    entry: String,
    /// How it was settled.
    #[serde(default)]
    how: Option<String>,
    /// Write it though it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemoryResolve {
    type Request = Request;
    type Response = Kept;
    const SPEC: Spec = Spec {
        name: "memory_resolve",
        usage: "memory resolve <planId> <agentId|--plan> <entry> [how]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Settle a blocker or a question of an agent's or a plan's memory. What a question was answered with is stored as a fact too.",
    };

    fn run(session: &Session, request: Request) -> Result<Kept, Error> {
        let how = request.how.as_deref().unwrap_or_default().trim();
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        transaction.guard(how)?;
        let book = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let entry = book.find(&request.entry)?;
        if !entry.kind.is_task() {
            return Err(Error::bad_input(format!(
                "{} is a {}; blockers and questions are settled",
                entry.name(),
                entry.kind.word()
            )));
        }
        if entry.resolved {
            return Err(Error::bad_input(format!(
                "{} is settled already: {}",
                entry.name(),
                entry.resolution.as_deref().unwrap_or("without a word")
            )));
        }
        let before = book.text.clone().unwrap_or_default();
        let after = resolved(session, &book, entry, &before, how)?;
        transaction.edit(&book.path, Some(&before), after.clone());
        let mut kept = Kept {
            done: "resolved",
            kind: entry.kind,
            name: entry.name(),
            id: entry.id.clone(),
            text: String::new(),
            source: book.path.clone(),
            fact: None,
            from: None,
        };
        if entry.kind == EntryKind::Question {
            let known = MemoryQuery::new().read(session)?;
            let noted = known.with_edit(&book, after);
            if let Which::One(entry) = noted.notebook.find(&kept.name) {
                let (id, fact) = lifecycle::ingest_entry(&mut transaction, &known, &noted, entry)?;
                kept.id = id;
                kept.fact = fact.map(|id| id.to_string());
            }
        }
        let counters = Counters { updated: Some(session.today()), ..Counters::default() };
        transaction.count(&book.path, &counters)?;
        let notebook = memory::read(&book.path, transaction.text_of(&book.path, ""));
        if let Which::One(entry) = notebook.find(&kept.name) {
            kept.text = entry.sentence();
        }
        transaction.commit()?;
        Ok(kept)
    }
}

/// Settles an entry and writes the day of its line beside it, which the commit of the settled line
/// would hide.
fn resolved(
    session: &Session,
    book: &MemoryFile,
    entry: &Entry,
    before: &str,
    how: &str,
) -> Result<String, Error> {
    let refused = |refusal| book.refused(&refusal);
    let noted = MemoryDocument::of_book(book, before.to_owned(), &EntryDates::of(session.root()));
    let dated = match noted.date_to_keep(entry) {
        None => return memory::resolve(before, entry, how).map_err(refused),
        Some(day) => {
            let marks = IndexMap::from_iter([memory::added_mark(day)]);
            memory::mark(before, entry, &marks).map_err(refused)?
        }
    };
    let notebook = memory::read(&book.path, &dated);
    match notebook.find(&entry.name()) {
        Which::One(entry) => memory::resolve(&dated, entry, how).map_err(refused),
        _ => memory::resolve(before, entry, how).map_err(refused),
    }
}
