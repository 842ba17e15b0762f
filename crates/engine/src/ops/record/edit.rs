//! `episode edit`, `pattern edit`, `workflow edit`: puts a changed record in the place of one that
//! was there before.

use std::marker::PhantomData;

use heirloom_core::Value;
use heirloom_core::fold::Place;
use heirloom_core::record::{Kind, Record, fault};
use heirloom_store::log;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};
use uuid::Uuid;

use super::kinds::Editable;
use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::Stored;
use crate::view::present;
use crate::{Error, Operation, Session, Spec};

pub(crate) struct RecordEdit<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The record, by its id or the end of it.
    id: String,
    /// What to change: title=…, outcome=…; of a list, its items parted by `; `; nothing takes it
    /// away.
    set: IndexMap<String, Value>,
    /// Store it though it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

/// What a record says of itself, and nobody changes.
const FIXED: [&str; 7] = ["v", "id", "kind", "at", "by", "supersedes", "origin"];

impl<K: Editable> Operation for RecordEdit<K> {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = K::EDIT;

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let known = MemoryQuery::new().ids(std::slice::from_ref(&request.id)).read(session)?;
        known.find_standing(&request.id)?;
        let id = known.find_record(&request.id)?;
        let item = known.memory.item(id).filter(|item| item.record.kind() == K::KIND);
        let item = item.ok_or_else(|| {
            Error::bad_input(format!("`{}` is no {}", request.id, K::KIND.word()))
        })?;
        let unknown = unknown_fields(session, item.place, item.record);
        let record = changed(item.record, &request.set, &transaction, K::KIND)?;
        let mut record = Record { supersedes: vec![], origin: None, ..record };
        record.supersedes = known.memory.aliases(id).iter().map(Uuid::to_string).collect();
        transaction.write_with(&known, &record, unknown)?;
        transaction.commit()?;
        Ok(Stored::of("superseded", &record))
    }
}

fn changed(
    old: &Record,
    set: &IndexMap<String, Value>,
    transaction: &WriteTransaction<'_>,
    kind: Kind,
) -> Result<Record, Error> {
    let now = transaction.record(old.body.clone());
    let whole = Record { id: now.id, at: now.at, by: now.by, ..old.clone() };
    let Ok(Value::Object(mut map)) = serde_json::to_value(&whole) else {
        return Err(Error::system("a record that is no object"));
    };
    for (key, value) in set {
        let key = if kind == Kind::Episode && key == "steps" { "sequence" } else { key };
        if FIXED.contains(&key) {
            return Err(Error::bad_input(format!("`{key}` is not for you to change")));
        }
        match value {
            Value::Null => drop(map.shift_remove(key)),
            Value::String(text) if text.is_empty() => drop(map.shift_remove(key)),
            Value::String(text) => drop(map.insert(key.to_owned(), typed(text, map.get(key), key))),
            other => drop(map.insert(key.to_owned(), other.clone())),
        }
    }
    let changed = Value::Object(map);
    let record = Record::deserialize(&changed).map_err(|error| {
        let what = fault(&changed).unwrap_or_else(|| heirloom_core::json::message(&error));
        Error::bad_input(format!("this is no {}: {what}", kind.word()))
    })?;
    if record.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(Error::bad_input("confidence is not from 0 to 1"));
    }
    let Ok(Value::Object(written)) = serde_json::to_value(&record) else {
        return Err(Error::system("a record that is no object"));
    };
    let lost = set.iter().find(|(key, value)| {
        let known = written.contains_key(*key) || (kind == Kind::Episode && *key == "steps");
        !known && !value.is_null() && value.as_str() != Some("")
    });
    match lost {
        Some((key, _)) => {
            let own: Vec<&str> =
                written.keys().map(String::as_str).filter(|own| !FIXED.contains(own)).collect();
            let what = present::with_article(kind.word());
            Err(Error::bad_input(format!("{what} has no field `{key}`")).hint(format!(
                "this one has {}; see `heir {} add --help`",
                own.join(", "),
                kind.word()
            )))
        }
        None => Ok(record),
    }
}

/// Lists among the fields of a record.
const LISTS: [&str; 10] = [
    "goals",
    "decisions",
    "sequence",
    "open",
    "files",
    "commits",
    "steps",
    "tags",
    "artifacts",
    "stored",
];

/// Reads a text as what the field held: a list, a number, a structure, a text.
fn typed(text: &str, old: Option<&Value>, key: &str) -> Value {
    if LISTS.contains(&key) {
        let items = text.split("; ").map(str::trim).filter(|item| !item.is_empty());
        return json!(items.collect::<Vec<_>>());
    }
    let is_text =
        matches!(old, Some(Value::String(_)) | None) && key != "template" && key != "confidence";
    match serde_json::from_str::<Value>(text) {
        Ok(value) if !is_text => value,
        _ => json!(text),
    }
}

/// Returns the fields of a record's line that this version does not know, which outlive an edit.
pub(crate) fn unknown_fields(
    session: &Session,
    place: &Place,
    record: &Record,
) -> Map<String, Value> {
    let line = log::raw_line(session.root(), place);
    let written = line.and_then(|line| serde_json::from_str::<Map<String, Value>>(&line).ok());
    let Ok(Value::Object(known)) = serde_json::to_value(record) else { return Map::new() };
    let mut unknown = written.unwrap_or_default();
    let names = heirloom_core::record::FIELDS;
    unknown.retain(|key, _| !known.contains_key(key) && !names.contains(&key.as_str()));
    unknown
}
