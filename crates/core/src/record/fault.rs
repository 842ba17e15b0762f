//! What is wrong with a JSON value that cannot be read as a record, in the words of the format.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Action, Kind, Relation, Section};
use crate::{Value, day, json};

/// What a field holds.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Text,
    Texts,
    Number,
    WholeNumber,
    Day,
    Moment,
    Id,
    Object,
    Section,
    Relation,
    Action,
    Visibility,
    Anything,
}

/// Whether a field must be there, and whether it may be null.
#[derive(Clone, Copy, PartialEq)]
enum Presence {
    Required,
    /// It may be absent, and null is a mistake.
    Optional,
    /// It may be absent or null.
    Nullable,
}

type Field = (&'static str, Type, Presence);

use Presence::{Nullable, Optional, Required};

const COMMON: &[Field] = &[
    ("v", Type::WholeNumber, Required),
    ("id", Type::Id, Required),
    ("at", Type::Moment, Required),
    ("by", Type::Text, Optional),
    ("tags", Type::Texts, Optional),
    ("confidence", Type::Number, Nullable),
    ("source", Type::Text, Nullable),
    ("artifacts", Type::Texts, Optional),
    ("valid_from", Type::Day, Nullable),
    ("valid_to", Type::Day, Nullable),
    ("visibility", Type::Visibility, Optional),
    ("summary", Type::Text, Nullable),
    ("compressed", Type::Text, Nullable),
    ("index", Type::Text, Nullable),
    ("supersedes", Type::Texts, Optional),
    ("origin", Type::Text, Nullable),
    ("session", Type::Text, Nullable),
];

fn own_fields(kind: Kind) -> &'static [Field] {
    match kind {
        Kind::Fact => &[
            ("section", Type::Section, Required),
            ("content", Type::Text, Optional),
            ("key", Type::Text, Nullable),
            ("value", Type::Text, Nullable),
            ("scope", Type::Text, Nullable),
        ],
        Kind::Episode => &[
            ("title", Type::Text, Required),
            ("content", Type::Text, Optional),
            ("goals", Type::Texts, Optional),
            ("decisions", Type::Texts, Optional),
            ("sequence", Type::Texts, Optional),
            ("outcome", Type::Text, Nullable),
            ("open", Type::Texts, Optional),
            ("files", Type::Texts, Optional),
            ("commits", Type::Texts, Optional),
            ("stored", Type::Texts, Optional),
            ("duration_seconds", Type::WholeNumber, Nullable),
            ("turns", Type::WholeNumber, Nullable),
            ("tool_calls", Type::WholeNumber, Nullable),
        ],
        Kind::Pattern => &[
            ("trigger", Type::Text, Required),
            ("template", Type::Anything, Optional),
            ("hint", Type::Text, Nullable),
            ("content", Type::Text, Optional),
        ],
        Kind::Workflow => &[
            ("trigger", Type::Text, Required),
            ("steps", Type::Texts, Required),
            ("details", Type::Object, Optional),
            ("hint", Type::Text, Nullable),
            ("content", Type::Text, Optional),
        ],
        Kind::Edge => &[
            ("from", Type::Text, Required),
            ("to", Type::Text, Required),
            ("relation", Type::Relation, Required),
            ("content", Type::Text, Optional),
        ],
        Kind::Note => &[("content", Type::Text, Required)],
        Kind::Event => &[
            ("action", Type::Action, Required),
            ("targets", Type::Texts, Optional),
            ("undoes", Type::Texts, Optional),
            ("reason", Type::Text, Optional),
        ],
    }
}

/// Returns the first field of a value that keeps it from being a record, with what was given and what
/// is allowed.
pub fn fault(value: &Value) -> Option<String> {
    let Some(map) = value.as_object() else {
        return Some(format!(
            "a record is a JSON object, and {} was given",
            json::described(value)
        ));
    };
    let kind = match map.get("kind") {
        None => return Some(format!("`kind` is missing; it must be {}", one_of(&kinds()))),
        Some(word) => match word.as_str().and_then(Kind::from_word) {
            Some(kind) => kind,
            None => return Some(wrong("kind", &one_of(&kinds()), word)),
        },
    };
    COMMON.iter().chain(own_fields(kind)).find_map(|(name, holds, presence)| match map.get(*name) {
        None if *presence == Required => {
            Some(format!("`{name}` is missing; it must be {}", holds.allowed()))
        }
        None => None,
        Some(Value::Null) if *presence == Nullable => None,
        Some(given) if holds.takes(given) => None,
        Some(given) => Some(wrong(name, &holds.allowed(), given)),
    })
}

fn wrong(name: &str, allowed: &str, given: &Value) -> String {
    format!("`{name}` must be {allowed}, and {} was given", json::described(given))
}

fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.word()).collect()
}

fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}

impl Type {
    fn takes(self, value: &Value) -> bool {
        let text = value.as_str();
        match self {
            Type::Text => text.is_some(),
            Type::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            Type::Number => value.is_number(),
            Type::WholeNumber => value.is_u64(),
            Type::Day => text.is_some_and(|text| day::parse(text).is_some()),
            Type::Moment => text.is_some_and(|text| text.parse::<Timestamp>().is_ok()),
            Type::Id => text.is_some_and(|text| Uuid::parse_str(text).is_ok()),
            Type::Object => value.is_object(),
            Type::Section => text.is_some_and(|text| Section::from_title(text).is_some()),
            Type::Relation => text.is_some_and(|text| Relation::from_word(text).is_some()),
            Type::Action => text.is_some_and(|text| ACTIONS.iter().any(|own| own.word() == text)),
            Type::Visibility => text.is_some_and(|text| VISIBILITIES.contains(&text)),
            Type::Anything => true,
        }
    }

    fn allowed(self) -> String {
        match self {
            Type::Text => "a string".to_owned(),
            Type::Texts => "a list of strings".to_owned(),
            Type::Number => "a number".to_owned(),
            Type::WholeNumber => "an integer, 0 or more".to_owned(),
            Type::Day => "a day such as 2026-02-22".to_owned(),
            Type::Moment => "a moment such as 2026-02-22T10:00:00Z".to_owned(),
            Type::Id => "a UUID".to_owned(),
            Type::Object => "an object".to_owned(),
            Type::Section => one_of(&Section::ALL.map(Section::title)),
            Type::Relation => one_of(&Relation::ALL.map(Relation::word)),
            Type::Action => one_of(&ACTIONS.map(Action::word)),
            Type::Visibility => one_of(&VISIBILITIES),
            Type::Anything => "any value".to_owned(),
        }
    }
}

const ACTIONS: [Action; 7] = [
    Action::Archive,
    Action::Restore,
    Action::Pin,
    Action::Release,
    Action::Reinforce,
    Action::Resolve,
    Action::Unresolve,
];

const VISIBILITIES: [&str; 3] = ["private", "shared", "system"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use serde_json::json;

    /// A record of each kind with every field that it may have.
    fn whole(kind: Kind) -> Value {
        let mut map = serde_json::Map::new();
        map.insert("kind".into(), json!(kind.word()));
        for (name, holds, _) in COMMON.iter().chain(own_fields(kind)) {
            map.insert((*name).into(), sample(*holds));
        }
        Value::Object(map)
    }

    fn sample(holds: Type) -> Value {
        match holds {
            Type::Text => json!("x"),
            Type::Texts => json!(["x"]),
            Type::Number => json!(0.5),
            Type::WholeNumber => json!(1),
            Type::Day => json!("2026-02-22"),
            Type::Moment => json!("2026-02-22T00:00:00Z"),
            Type::Id => json!("0198c0de-0000-7000-8000-00000000002a"),
            Type::Object => json!({}),
            Type::Section => json!("Specs"),
            Type::Relation => json!("enables"),
            Type::Action => json!("pin"),
            Type::Visibility => json!("private"),
            Type::Anything => json!(7),
        }
    }

    /// The table must agree with what serde reads, field by field.
    #[test]
    fn the_table_says_what_is_read() {
        for kind in Kind::ALL {
            let good = whole(kind);
            assert_eq!(fault(&good), None, "{good}");
            assert!(serde_json::from_value::<Record>(good.clone()).is_ok(), "{good}");
            for (name, _, _) in COMMON.iter().chain(own_fields(kind)) {
                let mut without = good.clone();
                without.as_object_mut().unwrap().shift_remove(*name);
                let changed = |given: Value| {
                    let mut changed = good.clone();
                    changed[*name] = given;
                    changed
                };
                let tried = [
                    without,
                    changed(Value::Null),
                    changed(json!(-1)),
                    changed(json!("no such word")),
                    changed(json!([7])),
                    changed(json!(true)),
                ];
                for value in tried {
                    let read = serde_json::from_value::<Record>(value.clone());
                    assert_eq!(fault(&value).is_none(), read.is_ok(), "{value}: {read:?}");
                }
            }
        }
    }

    #[test]
    fn a_fault_names_the_field_what_was_given_and_what_is_allowed() {
        let mut fact = whole(Kind::Fact);
        fact["section"] = json!("Gossip");
        assert_eq!(
            fault(&fact).unwrap(),
            "`section` must be one of Architecture, Decisions, Constraints, Known Issues, Patterns & Conventions, Specs, Recent Work, and \"Gossip\" was given"
        );
        assert_eq!(fault(&json!([1])).unwrap(), "a record is a JSON object, and a list was given");
        assert_eq!(
            fault(&json!({"kind": "note", "v": 1})).unwrap(),
            "`id` is missing; it must be a UUID"
        );
    }
}
