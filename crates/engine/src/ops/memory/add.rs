//! `memory add`: adds an entry to the memory of an agent or a plan.

use heirloom_core::fold::Standing;
use heirloom_core::memory::{
    self, Counters, EntryField, EntryFields, EntryKind, EntryMatch, MemoryEntry, MemoryOwner,
    NewEntry,
};
use heirloom_core::record::Referent;
use heirloom_core::words::{normalise, short_hash};
use heirloom_core::{Value, day};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use crate::contradictions::check_new_entry;
use crate::memory::{MemoryQuery, WriteTransaction, lifecycle};
use crate::ops::answers::WrittenEntry;
use crate::recall::read_similar_to;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryAdd;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EntryType {
    Finding,
    Decision,
    Blocker,
    Question,
    Lesson,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number; or another level that has a memory (sprint=sprint-01).
    plan_id: String,
    /// Agent of that plan; without it, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Type of entry.
    #[serde(rename = "type")]
    kind: EntryType,
    /// Text of the entry.
    content: String,
    /// Reason.
    #[serde(default)]
    rationale: Option<String>,
    /// Chosen option.
    #[serde(default)]
    choice: Option<String>,
    /// Status: open, resolved, accepted.
    #[serde(default)]
    status: Option<String>,
    /// Agents it affects.
    #[serde(default)]
    affects: Vec<String>,
    /// Date; for a decision, today by default.
    #[serde(default)]
    date: Option<String>,
    /// Further fields by name: rationale, choice, status, affects and date as above; others are stored
    /// with the entry unchanged.
    #[serde(default)]
    metadata: IndexMap<String, Value>,
    /// Write it even if it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemoryAdd {
    type Request = Request;
    type Response = WrittenEntry;
    const SPEC: Spec = Spec {
        name: "add_memory",
        usage: "memory add <planId> <agentId|--plan> <type> <content>",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Add an entry to the memory of an agent, or of a plan for all its agents.",
    };

    fn run(session: &Session, request: Request) -> Result<WrittenEntry, Error> {
        let kind = EntryKind::from(request.kind);
        let text = request.content.trim();
        if text.is_empty() {
            return Err(Error::bad_input(format!("a {} needs a text", kind.as_str()))
                .hint("add the text to remember"));
        }
        let fields = fields(&request)?;
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        std::iter::once(text)
            .chain(fields.values().map(String::as_str))
            .try_for_each(|text| transaction.reject_secret(text))?;
        let file = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        if let Some(existing) = find_existing(session, &file, kind, text, &fields) {
            return Ok(existing);
        }
        let new = new_entry(session, &file, kind, text, fields);
        let before = file.text_or_new(session)?;
        let (after, entry) =
            memory::add(&before, file.owner, &new).map_err(|refusal| file.refused(&refusal))?;
        transaction.edit(&file.path, file.text.as_deref(), after);
        let contributor = session.explicit_author().filter(|_| file.owner != MemoryOwner::Agent);
        let agents = file.agents(session);
        let updated = Some(session.today());
        let counters = Counters { updated, sessions: None, contributor, agents: &agents };
        transaction.update_counters(&file.path, &counters)?;
        let mut written = describe("added", &file, &entry);
        let mut stored = None;
        if is_fact_candidate(&file, &entry) {
            let known = MemoryQuery::new()
                .new_entries(&file.path, std::slice::from_ref(&entry.id))
                .read(session)?;
            let document =
                known.edited_document(&file, transaction.current_text(&file.path, "").to_owned());
            let (id, fact) = lifecycle::ingest_entry(&mut transaction, &known, &document, &entry)?;
            written.id = id;
            written.fact = fact.map(|id| id.to_string());
            stored = fact;
        }
        let similar = read_similar_to(session, &entry.full_text())?;
        let text = transaction.current_text(&file.path, "").to_owned();
        let document = similar.edited_document(&file, text);
        written.contradictions =
            check_new_entry(&mut transaction, &similar, &document, &entry, stored);
        // An id that is written beside the entry may be another one, if another document has the same.
        let content = memory::read(&file.path, transaction.current_text(&file.path, ""));
        if let EntryMatch::One(entry) = content.find(&written.name) {
            written.id.clone_from(&entry.id);
        }
        transaction.commit()?;
        Ok(written)
    }
}

impl From<EntryType> for EntryKind {
    fn from(entry_type: EntryType) -> Self {
        match entry_type {
            EntryType::Finding => EntryKind::Finding,
            EntryType::Decision => EntryKind::Decision,
            EntryType::Blocker => EntryKind::Blocker,
            EntryType::Question => EntryKind::Question,
            EntryType::Lesson => EntryKind::Lesson,
        }
    }
}

/// Builds the entry: the status of a blocker or a question becomes its check box, and an entry that
/// repeats the text of another one gets an id of its own.
fn new_entry<'t>(
    session: &Session,
    file: &MemoryFile,
    kind: EntryKind,
    text: &'t str,
    mut fields: EntryFields,
) -> NewEntry<'t> {
    let status = fields.get(&EntryField::Status).filter(|_| kind.is_task());
    let resolved = status.is_some_and(|status| memory::is_resolved_status(status));
    if status.is_some_and(|status| memory::is_resolved_status(status) || is_open(status)) {
        fields.shift_remove(&EntryField::Status);
    }
    let has_same_text = |entry: &&MemoryEntry| normalise(&entry.text) == normalise(text);
    let same_count = file.content.entries_of(kind).filter(has_same_text).count();
    if kind == EntryKind::Decision || (kind.is_task() && same_count > 0) {
        fields.entry(EntryField::Date).or_insert_with(|| session.today().to_string());
    }
    let mut marks = IndexMap::new();
    if same_count > 0 {
        // Without an id, a merge would treat two entries with the same text as one.
        let id = short_hash(&format!("{}\n{}\n{same_count}\n{text}", file.path, session.now()));
        marks.insert("id".to_owned(), id);
    }
    if !fields.contains_key(&EntryField::Date) {
        marks.extend([memory::added_mark(session.today())]);
    }
    NewEntry { kind, text, fields, resolved, marks }
}

/// Returns whether an entry is also stored as a fact: an answered question, or a decision that is not an agent's own.
fn is_fact_candidate(file: &MemoryFile, entry: &MemoryEntry) -> bool {
    match entry.kind {
        EntryKind::Decision => file.owner != MemoryOwner::Agent,
        EntryKind::Question => entry.resolved,
        _ => false,
    }
}

/// Returns an active, unresolved entry with the same text and fields, so that it is not written twice.
/// A resolved entry does not count: the same question may come up again.
fn find_existing(
    session: &Session,
    file: &MemoryFile,
    kind: EntryKind,
    text: &str,
    fields: &EntryFields,
) -> Option<WrittenEntry> {
    let has_other_fields = |entry: &MemoryEntry| {
        fields
            .iter()
            .filter(|(field, value)| {
                !(kind.is_task() && **field == EntryField::Status && is_open(value))
            })
            .any(|(field, value)| {
                entry.field(*field).is_none_or(|old| normalise(old) != normalise(value))
            })
    };
    let same = file.content.entries_of(kind).find(|entry| {
        normalise(&entry.text) == normalise(text) && !entry.resolved && !has_other_fields(entry)
    })?;
    // Events in the log refer only to entries with a written id.
    let entry = Referent::entry(&same.id);
    let is_active = !same.has_stored_id() || {
        let query = MemoryQuery::new().referents_without_relations([entry.clone()]);
        let (memory, _) = query.read_log(session);
        memory.standing(&entry) == Standing::Active
    };
    is_active.then(|| describe("already there:", file, same))
}

fn describe(done: &'static str, file: &MemoryFile, entry: &MemoryEntry) -> WrittenEntry {
    WrittenEntry {
        done,
        kind: entry.kind,
        name: entry.name(),
        id: entry.id.clone(),
        text: entry.full_text(),
        source: file.path.clone(),
        fact: None,
        from: None,
        contradictions: vec![],
        notices: file.new_name_notice().into_iter().collect(),
    }
}

fn is_open(status: &str) -> bool {
    status.eq_ignore_ascii_case("open")
}

/// Collects the fields of the entry from the request's own fields and its metadata.
fn fields(request: &Request) -> Result<EntryFields, Error> {
    let mut fields = EntryFields::new();
    let known = [
        (EntryField::Choice, "choice", &request.choice),
        (EntryField::Rationale, "rationale", &request.rationale),
        (EntryField::Status, "status", &request.status),
        (
            EntryField::Affects,
            "affects",
            &Some(request.affects.join(", ")).filter(|all| !all.is_empty()),
        ),
        (EntryField::Date, "date", &request.date),
    ];
    let is_known = |key: &String| known.iter().any(|(_, name, _)| name == key);
    let unknown: Map<String, Value> = request
        .metadata
        .iter()
        .filter(|(key, _)| !is_known(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (field, name, value) in known {
        let from_metadata = request.metadata.get(name).map(|value| match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        });
        let value = value.clone().or(from_metadata).map(|text| text.trim().to_owned());
        if let Some(value) = value.filter(|text| !text.is_empty()) {
            fields.insert(field, value);
        }
    }
    if !unknown.is_empty() {
        fields.insert(EntryField::Metadata, Value::Object(unknown).to_string());
    }
    if let Some(date) = fields.get_mut(&EntryField::Date) {
        let day = day::parse(date).ok_or_else(|| {
            Error::bad_input(format!("`{date}` is not a date")).hint("write it as YYYY-MM-DD")
        })?;
        *date = day.to_string();
    }
    Ok(fields)
}
