//! `episode edit`, `pattern edit`, `workflow edit`: supersedes a record with an edited version.

use std::marker::PhantomData;

use heirloom_core::fold::LineLocation;
use heirloom_core::record::{
    FieldType, Record, RecordKind, Referent, find_invalid_field, is_field,
};
use heirloom_core::{Hint, Value};
use heirloom_store::log;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use super::kinds::EditableKind;
use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::StoredRecord;
use crate::view::present;
use crate::workspace::input_checks::check_title;
use crate::{Error, Operation, Session, Spec};

pub(crate) struct RecordEdit<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id of the record, or the end of the id.
    id: String,
    /// Fields to change (title=…, outcome=…). Separate list items by `; `; an empty value removes the
    /// field.
    set: IndexMap<String, Value>,
    /// Store it even if it looks like a secret.
    #[serde(default)]
    allow_secret: bool,
}

/// Fields that an edit cannot change.
const READ_ONLY_FIELDS: [&str; 7] = ["v", "id", "kind", "at", "by", "supersedes", "origin"];

impl<K: EditableKind> Operation for RecordEdit<K> {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = K::EDIT;

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let mut transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let known = MemoryQuery::new().ids(std::slice::from_ref(&request.id)).read(session)?;
        known.find_unsuperseded(&request.id)?;
        let id = known.find_record(&request.id)?;
        let item = known.memory.item(id).filter(|item| item.record.kind() == K::KIND);
        let item = item.ok_or_else(|| {
            let kind = present::with_article(K::KIND.as_str());
            Error::bad_input(format!("`{}` is not {kind}", request.id))
        })?;
        let unknown = unknown_fields(session, item.place, item.record);
        let record = apply_changes::<K>(item.record, &request.set, &transaction)?;
        let mut record = Record { supersedes: vec![], origin: None, ..record };
        record.supersedes = known.memory.aliases(id).into_iter().map(Referent::Record).collect();
        transaction.write_with(&known, &record, unknown)?;
        transaction.commit()?;
        Ok(StoredRecord::of("superseded", &record))
    }
}

/// Returns a new version of a record with the given fields replaced.
fn apply_changes<K: EditableKind>(
    old: &Record,
    set: &IndexMap<String, Value>,
    transaction: &WriteTransaction<'_>,
) -> Result<Record, Error> {
    let kind = K::KIND;
    let new = transaction.new_record(old.body.clone());
    let mut map = to_object(&Record { id: new.id, at: new.at, by: new.by, ..old.clone() })?;
    for (key, value) in set {
        let key = if kind == RecordKind::Episode && key == "steps" { "sequence" } else { key };
        if READ_ONLY_FIELDS.contains(&key) {
            return Err(Error::bad_input(format!("the field `{key}` cannot be changed")));
        }
        match value {
            Value::Null => drop(map.shift_remove(key)),
            Value::String(text) if text.is_empty() => drop(map.shift_remove(key)),
            Value::String(text) => {
                let parsed = parse_field(text, map.get(key), kind.field_type(key));
                map.insert(key.to_owned(), parsed);
            }
            other => drop(map.insert(key.to_owned(), other.clone())),
        }
    }
    for title in ["title", "trigger"].iter().filter_map(|key| map.get(*key)?.as_str()) {
        check_title(title)?;
    }
    let changed = Value::Object(map);
    let record = Record::deserialize(&changed).map_err(|error| {
        let reason = find_invalid_field(&changed)
            .unwrap_or_else(|| heirloom_core::json::error_message(&error));
        Error::bad_input(format!("the edited {} is not valid: {reason}", kind.as_str()))
    })?;
    if record.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(Error::bad_input("confidence must be between 0 and 1"));
    }
    check_fields_exist::<K>(set, &record)?;
    Ok(record)
}

/// Returns an error if a field was set that this kind of record does not have: reading the record back
/// would have dropped it silently.
fn check_fields_exist<K: EditableKind>(
    set: &IndexMap<String, Value>,
    record: &Record,
) -> Result<(), Error> {
    let written = to_object(record)?;
    let unknown = set.iter().find(|(key, value)| {
        let is_field =
            written.contains_key(*key) || (K::KIND == RecordKind::Episode && *key == "steps");
        !is_field && !value.is_null() && value.as_str() != Some("")
    });
    let Some((key, _)) = unknown else { return Ok(()) };
    let keys = written.keys().map(String::as_str);
    let editable: Vec<&str> = keys.filter(|key| !READ_ONLY_FIELDS.contains(key)).collect();
    let what = present::with_article(K::KIND.as_str());
    Err(Error::bad_input(format!("{what} has no field `{key}`"))
        .hint(Hint::text(format!("this one has {}; see ", editable.join(", "))).help(K::ADD.name)))
}

fn to_object(record: &Record) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(record) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(Error::system("a record could not be written as a JSON object")),
    }
}

/// Parses the text as the type of the field: a list, a number, a JSON structure or a text.
fn parse_field(text: &str, old: Option<&Value>, field_type: Option<FieldType>) -> Value {
    if field_type == Some(FieldType::TextList) {
        let items = text.split("; ").map(str::trim).filter(|item| !item.is_empty());
        return json!(items.collect::<Vec<_>>());
    }
    let is_text = matches!(old, Some(Value::String(_)) | None)
        && !matches!(field_type, Some(FieldType::Any | FieldType::Number));
    match serde_json::from_str::<Value>(text) {
        Ok(value) if !is_text => value,
        _ => json!(text),
    }
}

/// Returns the fields of a record's line that this version does not know, so that an edit keeps them.
pub(crate) fn unknown_fields(
    session: &Session,
    place: &LineLocation,
    record: &Record,
) -> Map<String, Value> {
    let line = log::raw_line(session.root(), place);
    let written = line.and_then(|line| serde_json::from_str::<Map<String, Value>>(&line).ok());
    let Ok(Value::Object(known)) = serde_json::to_value(record) else { return Map::new() };
    let mut unknown = written.unwrap_or_default();
    unknown.retain(|key, _| !known.contains_key(key) && !is_field(key));
    unknown
}
