//! Summarises data (JSON, YAML) in a few lines, extracted from it: its keys with their values, shortened.

use crate::{Value, prose};

/// A list with more items is shortened, and says so.
const MAX_LISTED_ITEMS: usize = 12;

/// A longer value is shortened after a sentence or a word.
const MAX_VALUE_CHARS: usize = 300;

/// Fields that name an object in a list, the first that is there.
const NAME_FIELDS: [&str; 6] = ["title", "name", "summary", "description", "id", "key"];

/// Summarises data: a line for each key of an object or each item of a list.
pub(crate) fn summarise(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let lines = fields
                .iter()
                .filter_map(|(key, value)| Some(format!("- {key}: {}", describe(value)?)));
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Array(items) => {
            describe_list(items, "\n- ").map(|list| format!("- {list}")).unwrap_or_default()
        }
        other => describe(other).unwrap_or_default(),
    }
}

/// Describes a value on one line; `None` if it is empty.
fn describe(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => {
            let text = prose::truncate(&prose::one_line(text), MAX_VALUE_CHARS);
            (!text.is_empty()).then_some(text)
        }
        Value::Array(items) => describe_list(items, ", "),
        Value::Object(fields) => {
            let parts = fields.iter().filter_map(|(key, value)| match value {
                Value::Array(items) => Some(format!("{key} ({})", items.len())),
                Value::Object(_) => Some(key.clone()),
                scalar => Some(format!("{key} {}", describe(scalar)?)),
            });
            let parts: Vec<String> = parts.take(MAX_LISTED_ITEMS).collect();
            (!parts.is_empty()).then(|| parts.join("; "))
        }
        scalar => Some(scalar.to_string()),
    }
}

/// Lists the items of a list, objects by their name.
fn describe_list(items: &[Value], separator: &str) -> Option<String> {
    let name = |item: &Value| match item {
        Value::Object(fields) => {
            let named = NAME_FIELDS.iter().find_map(|field| fields.get(*field).and_then(describe));
            named.or_else(|| describe(item))
        }
        Value::Array(inner) => Some(format!("a list of {}", inner.len())),
        other => describe(other),
    };
    let shown: Vec<String> = items.iter().take(MAX_LISTED_ITEMS).filter_map(name).collect();
    let more = items.len().saturating_sub(MAX_LISTED_ITEMS);
    match (shown.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown.join(separator)),
        (false, more) => Some(format!("{}{separator}and {more} more", shown.join(separator))),
    }
}
