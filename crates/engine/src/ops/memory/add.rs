//! `memory add`: something that an agent or a plan should remember.

use heirloom_core::fold::Standing;
use heirloom_core::memory::{self, Counters, Entry, EntryKind, Field, Fields, NewEntry, Owner};
use heirloom_core::words::{digest, normalised};
use heirloom_core::{Value, day};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use crate::memory::{MemoryQuery, WriteTransaction, lifecycle};
use crate::ops::answers::Kept;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::memory_file::MemoryFile;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryAdd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Type {
    Finding,
    Decision,
    Blocker,
    Question,
    Lesson,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan; without one, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// What it is.
    #[serde(rename = "type")]
    kind: Type,
    /// What to remember.
    content: String,
    /// Why.
    #[serde(default)]
    rationale: Option<String>,
    /// What was chosen.
    #[serde(default)]
    choice: Option<String>,
    /// How far it has got: open, resolved, accepted.
    #[serde(default)]
    status: Option<String>,
    /// Agents that it concerns.
    #[serde(default)]
    affects: Vec<String>,
    /// When; a decision is made today unless you say otherwise.
    #[serde(default)]
    date: Option<String>,
    /// More about it, by name: rationale, choice, status, affects and date as above; anything else is
    /// written into the entry and read back as it was given.
    #[serde(default)]
    metadata: IndexMap<String, Value>,
    /// Write it though it looks like a secret.
    #[serde(default, rename = "allow_secret", alias = "allowSecret")]
    allow_secret: bool,
}

impl Operation for MemoryAdd {
    type Request = Request;
    type Response = Kept;
    const SPEC: Spec = Spec {
        name: "add_memory",
        usage: "memory add <planId> <agentId|--plan> <type> <content>",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Remember something for an agent's next session, or for every agent of a plan.",
    };

    fn run(session: &Session, request: Request) -> Result<Kept, Error> {
        let kind = match request.kind {
            Type::Finding => EntryKind::Finding,
            Type::Decision => EntryKind::Decision,
            Type::Blocker => EntryKind::Blocker,
            Type::Question => EntryKind::Question,
            Type::Lesson => EntryKind::Lesson,
        };
        let text = request.content.trim();
        if text.is_empty() {
            return Err(Error::bad_input(format!("a {} without words", kind.word()))
                .hint("say what to remember"));
        }
        let mut fields = fields(&request)?;
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        std::iter::once(text)
            .chain(fields.values().map(String::as_str))
            .try_for_each(|text| transaction.guard(text))?;
        let book = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        if let Some(kept) = already(session, &book, kind, text, &fields) {
            return Ok(kept);
        }
        let resolved =
            kind.is_task() && fields.get(&Field::Status).is_some_and(|s| memory::is_settled(s));
        if kind.is_task()
            && fields.get(&Field::Status).is_some_and(|s| memory::is_settled(s) || is_open(s))
        {
            fields.shift_remove(&Field::Status);
        }
        let is_same = |entry: &&Entry| normalised(&entry.text) == normalised(text);
        let said_before = book.notebook.of(kind).filter(is_same).count();
        let again = said_before > 0;
        if kind == EntryKind::Decision || (kind.is_task() && again) {
            fields.entry(Field::Date).or_insert_with(|| session.today().to_string());
        }
        let before = book.text_or_new(session)?;
        let mut marks = IndexMap::new();
        if again {
            // What says the same as another of its list would be taken for that one after a merge.
            let id = digest(&format!("{}\n{}\n{said_before}\n{text}", book.path, session.now()));
            marks.insert("id".to_owned(), id);
        }
        if !fields.contains_key(&Field::Date) {
            marks.extend([memory::added_mark(session.today())]);
        }
        let new = NewEntry { kind, text, fields, resolved, marks };
        let (after, entry) =
            memory::add(&before, book.owner, &new).map_err(|refusal| book.refused(&refusal))?;
        transaction.edit(&book.path, book.text.as_deref(), after);
        let contributor = session.named_author().filter(|_| book.owner == Owner::Plan);
        let agents = book.agents(session);
        let updated = Some(session.today());
        let counters = Counters { updated, sessions: None, contributor, agents: &agents };
        transaction.count(&book.path, &counters)?;
        let mut kept = Kept {
            done: "added",
            kind,
            name: entry.name(),
            id: entry.id.clone(),
            text: entry.sentence(),
            source: book.path.clone(),
            fact: None,
            from: None,
        };
        if is_lifecycle(&book, &entry) {
            let known = MemoryQuery::new()
                .new_entries(&book.path, std::slice::from_ref(&entry.id))
                .read(session)?;
            let noted = known.with_edit(&book, transaction.text_of(&book.path, "").to_owned());
            let (id, fact) = lifecycle::ingest_entry(&mut transaction, &known, &noted, &entry)?;
            kept.id = id;
            kept.fact = fact.map(|id| id.to_string());
        }
        transaction.commit()?;
        Ok(kept)
    }
}

/// Whether an entry may be a fact as well: a plan's decision, an answered question.
fn is_lifecycle(book: &MemoryFile, entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::Decision => book.owner == Owner::Plan,
        EntryKind::Question => entry.resolved,
        _ => false,
    }
}

/// What is there already and stands is not written twice, unless more is said of it now; what was
/// settled may come up again.
fn already(
    session: &Session,
    book: &MemoryFile,
    kind: EntryKind,
    text: &str,
    fields: &Fields,
) -> Option<Kept> {
    let says_more = |entry: &Entry| {
        fields
            .iter()
            .filter(|(field, value)| {
                !(kind.is_task() && **field == Field::Status && is_open(value))
            })
            .any(|(field, value)| {
                entry.field(*field).is_none_or(|own| normalised(own) != normalised(value))
            })
    };
    let same = book.notebook.of(kind).find(|entry| {
        normalised(&entry.text) == normalised(text) && !entry.resolved && !says_more(entry)
    })?;
    // Whatever was done to an entry first wrote its id beside it.
    let name = entry_ref(&same.id);
    let stands = !same.is_marked() || {
        let alone = vec![name.clone()];
        let (memory, _) = MemoryQuery::new().names_without_relations(alone).read_log(session);
        memory.standing(&name) == Standing::Active
    };
    if !stands {
        return None;
    }
    Some(Kept {
        done: "already there:",
        kind,
        name: same.name(),
        id: same.id.clone(),
        text: same.sentence(),
        source: book.path.clone(),
        fact: None,
        from: None,
    })
}

fn is_open(status: &str) -> bool {
    status.eq_ignore_ascii_case("open")
}

fn fields(request: &Request) -> Result<Fields, Error> {
    let mut fields = Fields::new();
    let given = [
        (Field::Choice, "choice", &request.choice),
        (Field::Rationale, "rationale", &request.rationale),
        (Field::Status, "status", &request.status),
        (
            Field::Affects,
            "affects",
            &Some(request.affects.join(", ")).filter(|all| !all.is_empty()),
        ),
        (Field::Date, "date", &request.date),
    ];
    let is_known = |key: &String| given.iter().any(|(_, name, _)| name == key);
    let unknown: Map<String, Value> = request
        .metadata
        .iter()
        .filter(|(key, _)| !is_known(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (field, name, value) in given {
        let listed = request.metadata.get(name).map(|value| match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        });
        let value = value.clone().or(listed).map(|text| text.trim().to_owned());
        if let Some(value) = value.filter(|text| !text.is_empty()) {
            fields.insert(field, value);
        }
    }
    if !unknown.is_empty() {
        fields.insert(Field::Metadata, Value::Object(unknown).to_string());
    }
    if let Some(date) = fields.get_mut(&Field::Date) {
        let day = day::parse(date).ok_or_else(|| {
            Error::bad_input(format!("`{date}` is not a date")).hint("write it as 2026-02-22")
        })?;
        *date = day.to_string();
    }
    Ok(fields)
}
