//! Finds settings in the text of a settings file: the line of a setting, and keys that do not exist.

use heirloom_core::yaml::{YamlKind, YamlNode};
use heirloom_core::{Problem, Value, json, name};
use toml::de::{DeTable, DeValue};

use super::PATH;

/// A step on the path from the whole file to a setting.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The key of a table.
    Key(String),
    /// The position in an array.
    Item(usize),
}

impl Step {
    pub(super) fn key(name: &str) -> Self {
        Step::Key(name.to_owned())
    }
}

/// Returns a problem at the line of a setting.
pub(super) fn problem_at(text: &str, path: &[Step], message: impl Into<String>) -> Problem {
    Problem::at(PATH, line_of(text, path), message)
}

/// Returns the line of a setting, or of the innermost setting around it that the file contains.
fn line_of(text: &str, path: &[Step]) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 1 };
    let file = DeValue::Table(table.into_inner());
    let (mut offset, mut value) = (0, &file);
    for step in path {
        let next = match (step, value) {
            (Step::Key(key), DeValue::Table(table)) => {
                let entry = table.iter().find(|(name, _)| name.get_ref() == key);
                entry.map(|(name, value)| (name.span().start, value))
            }
            (Step::Item(at), DeValue::Array(items)) => {
                items.get(*at).map(|item| (item.span().start, item))
            }
            _ => None,
        };
        let Some((start, inner)) = next else { break };
        (offset, value) = (start, inner.get_ref());
    }
    line_at(text, offset)
}

/// Returns the line of a setting of a YAML file, or of the innermost setting around it that the file contains.
pub(super) fn yaml_line_of(file: &YamlNode, path: &[Step]) -> usize {
    let (mut line, mut value) = (file.line, file);
    for step in path {
        let next = match (step, &value.kind) {
            (Step::Key(key), _) => value.entry(key).map(|entry| (entry.line, &entry.value)),
            (Step::Item(at), YamlKind::List { items, .. }) => {
                items.get(*at).map(|item| (item.line, item))
            }
            _ => None,
        };
        let Some((inner_line, inner)) = next else { break };
        (line, value) = (inner_line, inner);
    }
    line
}

/// A key that the schema does not define.
pub(super) struct UnknownKey {
    /// The path to it.
    pub(super) path: Vec<Step>,
    /// What is wrong.
    pub(super) message: String,
    /// What may have been meant.
    pub(super) hint: String,
}

/// Finds a key that the schema does not define.
pub(super) fn unknown_key(settings: &Value, schema: &Value) -> Option<UnknownKey> {
    let mut path = Vec::new();
    let known = first_unknown(settings, schema, schema, &mut path)?;
    let keys = path.iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    });
    let keys: Vec<&str> = keys.collect();
    let last = keys.last().copied().unwrap_or_default();
    let hint = match name::nearest(last, known.iter().map(String::as_str), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the settings of this section are {}", known.join(", ")),
    };
    let message = format!("there is no setting `{}`", keys.join("."));
    Some(UnknownKey { message, path, hint })
}

/// Extends `path` to the first key that the schema does not define, and returns the keys that it defines
/// there. `definitions` is the whole schema, which references are resolved in.
fn first_unknown(
    value: &Value,
    schema: &Value,
    definitions: &Value,
    path: &mut Vec<Step>,
) -> Option<Vec<String>> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => definitions.pointer(reference.trim_start_matches('#'))?,
        None => schema,
    };
    match value {
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            let inner = schema.get("items")?;
            on_step(path, Step::Item(at), |path| first_unknown(item, inner, definitions, path))
        }),
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let properties = schema.get("properties").and_then(Value::as_object);
            let others = schema.get("additionalProperties").filter(|inner| inner.is_object());
            on_step(path, Step::key(key), |path| match (properties, others) {
                (Some(properties), _) => match properties.get(key) {
                    Some(inner) => first_unknown(value, inner, definitions, path),
                    None => Some(properties.keys().cloned().collect()),
                },
                (None, Some(inner)) => first_unknown(value, inner, definitions, path),
                (None, None) => None,
            })
        }),
        _ => None,
    }
}

/// Searches with one more step on the path, which is kept only if something is found.
fn on_step<T>(
    path: &mut Vec<Step>,
    step: Step,
    search: impl FnOnce(&mut Vec<Step>) -> Option<T>,
) -> Option<T> {
    path.push(step);
    let found = search(path);
    if found.is_none() {
        path.pop();
    }
    found
}

/// A setting whose value has the wrong type.
pub(super) struct WrongValue {
    /// The path to it.
    pub(super) path: Vec<Step>,
    /// What is wrong, and what is allowed.
    pub(super) message: String,
}

/// Finds a value that has not the type that the schema defines.
pub(super) fn wrong_value(settings: &Value, schema: &Value) -> Option<WrongValue> {
    let mut path = Vec::new();
    let expected = first_wrong(settings, schema, schema, &mut path)?;
    let found = path.iter().try_fold(settings, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(at) => value.get(at),
    });
    let found = found.map(json::describe).unwrap_or_default();
    let keys = path.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Item(at) => (at + 1).to_string(),
    });
    let message = format!("{}: {found} is not {expected}", keys.collect::<Vec<_>>().join("."));
    Some(WrongValue { path, message })
}

/// Extends `path` to the first value of a wrong type, and returns what is expected there.
fn first_wrong(
    value: &Value,
    schema: &Value,
    definitions: &Value,
    path: &mut Vec<Step>,
) -> Option<&'static str> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => definitions.pointer(reference.trim_start_matches('#'))?,
        None => schema,
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if value.is_null() && types.contains(&"null") {
        return None;
    }
    match (*types.first()?, value) {
        ("object", Value::Object(map)) => map.iter().find_map(|(key, value)| {
            let property = schema.get("properties").and_then(|properties| properties.get(key));
            let inner = property.or_else(|| schema.get("additionalProperties"))?;
            on_step(path, Step::key(key), |path| first_wrong(value, inner, definitions, path))
        }),
        ("array", Value::Array(items)) => items.iter().enumerate().find_map(|(at, item)| {
            let inner = schema.get("items")?;
            on_step(path, Step::Item(at), |path| first_wrong(item, inner, definitions, path))
        }),
        ("integer", Value::Number(number)) if number.is_u64() => None,
        ("integer", Value::Number(number)) if number.is_i64() && schema["minimum"] != 0 => None,
        ("integer", _) => Some("a whole number from 0 on"),
        ("number", value) => (!value.is_number()).then_some("a number"),
        ("string", value) => (!value.is_string()).then_some("a text"),
        ("boolean", value) => (!value.is_boolean()).then_some("true or false"),
        ("object", _) => Some("a mapping"),
        ("array", _) => Some("a list"),
        _ => None,
    }
}

/// Returns the number of the line that contains a byte offset.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
