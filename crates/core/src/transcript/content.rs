//! Reads the parts of messages that the JSON formats share: texts, arguments, times and roles.

use jiff::Timestamp;
use serde_json::Value;

use super::model::Role;

/// Numbers below this are seconds since 1970, others milliseconds: it is the year 5138 in seconds
/// and 1973 in milliseconds.
const MIN_MILLISECONDS: f64 = 1e11;

/// Returns the items of an array, and none for any other value.
pub(super) fn array_items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the first of the values at these keys that is not null.
pub(super) fn first_non_null<'v>(object: &'v Value, keys: &[&str]) -> &'v Value {
    let mut values = keys.iter().map(|key| &object[*key]);
    values.find(|value| !value.is_null()).unwrap_or(&Value::Null)
}

/// Returns a string, or the strings of an array separated by commas.
pub(super) fn comma_separated(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Returns the text of a message's content, which is a string, text blocks or an object with one
/// of these.
pub(super) fn text_of(content: &Value) -> String {
    let block_text = |block: &Value| match block["type"].as_str() {
        Some("text" | "input_text" | "output_text") | None => {
            block["text"].as_str().or(block.as_str()).map(str::to_owned)
        }
        Some(_) => None,
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(block_text).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => {
            let parts = object.get("parts").or(object.get("text")).or(object.get("content"));
            parts.filter(|parts| !parts.is_object()).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Parses the arguments of a call, which some formats store as JSON in a string.
pub(super) fn parse_arguments(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        None => value.clone(),
    }
}

/// Returns the time of a line: an RFC 3339 timestamp, or seconds or milliseconds since 1970.
pub(super) fn time_of(line: &Value) -> Option<Timestamp> {
    let keys = ["timestamp", "created_at", "create_time", "createdAt", "time", "ts", "date"];
    keys.iter().find_map(|key| match &line[*key] {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => time_since_1970(number.as_f64()?),
        _ => None,
    })
}

/// Returns the role that the name of a speaker denotes.
pub(super) fn role_of(speaker: &str) -> Option<Role> {
    match speaker.trim().to_lowercase().as_str() {
        "user" | "human" | "me" | "you" | "customer" => Some(Role::User),
        "assistant" | "ai" | "agent" | "model" | "bot" | "claude" | "codex" | "chatgpt" | "gpt"
        | "gemini" | "copilot" => Some(Role::Assistant),
        "tool" | "function" | "tool_result" => Some(Role::Tool),
        "system" | "developer" => Some(Role::System),
        _ => None,
    }
}

fn time_since_1970(number: f64) -> Option<Timestamp> {
    let milliseconds = if number.abs() < MIN_MILLISECONDS { number * 1000.0 } else { number };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}
