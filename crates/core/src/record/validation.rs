//! Explains why a JSON value is not a valid record, naming the field.

use jiff::Timestamp;
use uuid::Uuid;

use super::{EventAction, FactSection, KINDS, RecordKind, Relation, Resolution};
use crate::{Value, day, json};

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A string.
    Text,
    /// A list of strings.
    TextList,
    /// A number.
    Number,
    /// An integer, 0 or more.
    WholeNumber,
    /// A day such as `2026-02-22`.
    Day,
    /// A timestamp such as `2026-02-22T10:00:00Z`.
    Timestamp,
    /// A UUID.
    Id,
    /// A JSON object.
    Object,
    /// The title of a [`FactSection`].
    Section,
    /// The word of a [`Relation`].
    Relation,
    /// The word of an [`EventAction`].
    Action,
    /// The word of a [`Resolution`].
    Resolution,
    /// The word of a [`Visibility`](super::Visibility).
    Visibility,
    /// Any JSON value.
    Any,
}

/// Whether a field is required, and whether it may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must be present.
    Required,
    /// It may be absent but not null.
    Optional,
    /// It may be absent or null.
    Nullable,
}

/// The name of a field, its type and its presence.
pub type FieldSpec = (&'static str, FieldType, Presence);

use Presence::{Nullable, Optional, Required};

/// The fields of every kind. Those of one kind are in its row of [`KINDS`].
pub(super) const COMMON_FIELDS: &[FieldSpec] = &[
    ("v", FieldType::WholeNumber, Required),
    ("id", FieldType::Id, Required),
    ("at", FieldType::Timestamp, Required),
    ("by", FieldType::Text, Optional),
    ("tags", FieldType::TextList, Optional),
    ("confidence", FieldType::Number, Nullable),
    ("source", FieldType::Text, Nullable),
    ("artifacts", FieldType::TextList, Optional),
    ("valid_from", FieldType::Day, Nullable),
    ("valid_to", FieldType::Day, Nullable),
    ("visibility", FieldType::Visibility, Optional),
    ("summary", FieldType::Text, Nullable),
    ("compressed", FieldType::Text, Nullable),
    ("index", FieldType::Text, Nullable),
    ("supersedes", FieldType::TextList, Optional),
    ("origin", FieldType::Text, Nullable),
    ("session", FieldType::Text, Nullable),
];

/// Returns whether a field of this name exists in any kind of record.
pub fn is_field(name: &str) -> bool {
    let of_kinds = KINDS.iter().flat_map(|kind| kind.fields);
    name == "kind" || COMMON_FIELDS.iter().chain(of_kinds).any(|(field, _, _)| *field == name)
}

/// Returns a message about the first invalid field of a record: its name, its value and what is allowed.
pub fn find_invalid_field(value: &Value) -> Option<String> {
    let Some(map) = value.as_object() else {
        return Some(format!("a record is a JSON object, and {} was given", json::describe(value)));
    };
    let kind = match map.get("kind") {
        None => return Some(format!("`kind` is missing; it must be {}", one_of(&kinds()))),
        Some(word) => match word.as_str().and_then(RecordKind::parse) {
            Some(kind) => kind,
            None => return Some(invalid_field("kind", &one_of(&kinds()), word)),
        },
    };
    COMMON_FIELDS.iter().chain(kind.spec().fields).find_map(
        |(name, field_type, presence)| match map.get(*name) {
            None if *presence == Required => {
                Some(format!("`{name}` is missing; it must be {}", field_type.allowed()))
            }
            None => None,
            Some(Value::Null) if *presence == Nullable => None,
            Some(given) if field_type.accepts(given) => None,
            Some(given) => Some(invalid_field(name, &field_type.allowed(), given)),
        },
    )
}

fn invalid_field(name: &str, allowed: &str, given: &Value) -> String {
    format!("`{name}` must be {allowed}, and {} was given", json::describe(given))
}

fn kinds() -> Vec<&'static str> {
    RecordKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}

impl FieldType {
    fn accepts(self, value: &Value) -> bool {
        let text = value.as_str();
        match self {
            FieldType::Text => text.is_some(),
            FieldType::TextList => {
                value.as_array().is_some_and(|all| all.iter().all(Value::is_string))
            }
            FieldType::Number => value.is_number(),
            FieldType::WholeNumber => value.is_u64(),
            FieldType::Day => text.is_some_and(|text| day::parse(text).is_some()),
            FieldType::Timestamp => text.is_some_and(|text| text.parse::<Timestamp>().is_ok()),
            FieldType::Id => text.is_some_and(|text| Uuid::parse_str(text).is_ok()),
            FieldType::Object => value.is_object(),
            FieldType::Section => text.is_some_and(|text| FactSection::from_title(text).is_some()),
            FieldType::Relation => text.is_some_and(|text| Relation::parse(text).is_some()),
            FieldType::Action => {
                text.is_some_and(|text| ACTIONS.iter().any(|action| action.as_str() == text))
            }
            FieldType::Resolution => text.is_some_and(|text| Resolution::parse(text).is_some()),
            FieldType::Visibility => text.is_some_and(|text| VISIBILITIES.contains(&text)),
            FieldType::Any => true,
        }
    }

    fn allowed(self) -> String {
        match self {
            FieldType::Text => "a string".to_owned(),
            FieldType::TextList => "a list of strings".to_owned(),
            FieldType::Number => "a number".to_owned(),
            FieldType::WholeNumber => "an integer, 0 or more".to_owned(),
            FieldType::Day => "a day such as 2026-02-22".to_owned(),
            FieldType::Timestamp => "a timestamp such as 2026-02-22T10:00:00Z".to_owned(),
            FieldType::Id => "a UUID".to_owned(),
            FieldType::Object => "an object".to_owned(),
            FieldType::Section => one_of(&FactSection::ALL.map(FactSection::title)),
            FieldType::Relation => one_of(&Relation::ALL.map(Relation::as_str)),
            FieldType::Action => one_of(&ACTIONS.map(EventAction::as_str)),
            FieldType::Resolution => one_of(&Resolution::ALL.map(Resolution::as_str)),
            FieldType::Visibility => one_of(&VISIBILITIES),
            FieldType::Any => "any value".to_owned(),
        }
    }
}

const ACTIONS: [EventAction; 8] = [
    EventAction::Archive,
    EventAction::Restore,
    EventAction::Pin,
    EventAction::Release,
    EventAction::Reinforce,
    EventAction::Resolve,
    EventAction::Unresolve,
    EventAction::Undo,
];

const VISIBILITIES: [&str; 3] = ["private", "shared", "system"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use serde_json::json;

    /// Returns a record of a kind with every field set.
    fn complete_record(kind: RecordKind) -> Value {
        let mut map = serde_json::Map::new();
        map.insert("kind".into(), json!(kind.as_str()));
        for (name, field_type, _) in COMMON_FIELDS.iter().chain(kind.spec().fields) {
            map.insert((*name).into(), sample(*field_type));
        }
        Value::Object(map)
    }

    fn sample(field_type: FieldType) -> Value {
        match field_type {
            FieldType::Text => json!("x"),
            FieldType::TextList => json!(["x"]),
            FieldType::Number => json!(0.5),
            FieldType::WholeNumber => json!(1),
            FieldType::Day => json!("2026-02-22"),
            FieldType::Timestamp => json!("2026-02-22T00:00:00Z"),
            FieldType::Id => json!("0198c0de-0000-7000-8000-00000000002a"),
            FieldType::Object => json!({"x": "x"}),
            FieldType::Section => json!("Specs"),
            FieldType::Relation => json!("enables"),
            FieldType::Action => json!("pin"),
            FieldType::Resolution => json!("b_wins"),
            FieldType::Visibility => json!("private"),
            FieldType::Any => json!(7),
        }
    }

    #[test]
    fn the_table_has_the_fields_that_serde_reads_and_writes() {
        for kind in RecordKind::ALL {
            let names: Vec<&str> = kind.spec().fields.iter().map(|(name, _, _)| *name).collect();
            assert_eq!(names, kind.names_read_by_serde(), "{kind:?}");
            let complete = complete_record(kind);
            let record: Record = serde_json::from_value(complete.clone()).unwrap();
            assert_eq!(record.kind(), kind);
            assert_eq!(json!(kind), kind.as_str());
            let written = serde_json::to_value(&record).unwrap();
            assert_eq!(sorted_keys(&written), sorted_keys(&complete), "{written}");
            for name in sorted_keys(&written) {
                assert!(is_field(name), "{name}");
            }
        }
    }

    fn sorted_keys(object: &Value) -> Vec<&str> {
        let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_table_agrees_with_serde_on_every_field() {
        for kind in RecordKind::ALL {
            let valid = complete_record(kind);
            assert_eq!(find_invalid_field(&valid), None, "{valid}");
            assert!(serde_json::from_value::<Record>(valid.clone()).is_ok(), "{valid}");
            for (name, _, _) in COMMON_FIELDS.iter().chain(kind.spec().fields) {
                let mut without = valid.clone();
                without.as_object_mut().unwrap().shift_remove(*name);
                let changed = |given: Value| {
                    let mut changed = valid.clone();
                    changed[*name] = given;
                    changed
                };
                let variants = [
                    without,
                    changed(Value::Null),
                    changed(json!(-1)),
                    changed(json!("no such word")),
                    changed(json!([7])),
                    changed(json!(true)),
                ];
                for value in variants {
                    let read = serde_json::from_value::<Record>(value.clone());
                    assert_eq!(
                        find_invalid_field(&value).is_none(),
                        read.is_ok(),
                        "{value}: {read:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_message_names_the_field_the_value_and_what_is_allowed() {
        let mut fact = complete_record(RecordKind::Fact);
        fact["section"] = json!("Gossip");
        assert_eq!(
            find_invalid_field(&fact).unwrap(),
            "`section` must be one of Architecture, Decisions, Constraints, Known Issues, Patterns & Conventions, Specs, Recent Work, and \"Gossip\" was given"
        );
        assert_eq!(
            find_invalid_field(&json!([1])).unwrap(),
            "a record is a JSON object, and a list was given"
        );
        assert_eq!(
            find_invalid_field(&json!({"kind": "note", "v": 1})).unwrap(),
            "`id` is missing; it must be a UUID"
        );
    }
}
