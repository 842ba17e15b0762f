//! The parts of messages that the JSON formats share: texts, blocks, times, roles.

use jiff::Timestamp;
use serde_json::Value;

use super::Role;
use super::recorder::{Answer, Call, Recorder};

/// Where the blocks of a message stand.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) line: usize,
    /// Whether a sub-agent wrote the message.
    pub(super) delegated: bool,
}

/// Returns the items of an array; none when it is no array.
pub(super) fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text, or the texts of an array with commas.
pub(super) fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Returns what a message says: its text, or those of its blocks that are text.
pub(super) fn text_of(content: &Value) -> String {
    let spoken = |block: &Value| match block["type"].as_str() {
        Some("text" | "input_text" | "output_text") | None => {
            block["text"].as_str().or(block.as_str()).map(str::to_owned)
        }
        Some(_) => None,
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(spoken).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => {
            let parts = object.get("parts").or(object.get("text")).or(object.get("content"));
            parts.filter(|parts| !parts.is_object()).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Records the calls and results among the blocks of a message. `detail` is the result as the
/// program keeps it beside them.
pub(super) fn record_tools(
    recorder: &mut Recorder<'_>,
    content: &Value,
    detail: Option<&Value>,
    place: Place,
) {
    for block in array(content) {
        match block["type"].as_str() {
            Some("tool_use" | "server_tool_use") => recorder.call(&Call {
                id: block["id"].as_str(),
                name: block["name"].as_str().unwrap_or("tool"),
                input: &block["input"],
                line: place.line,
                delegated: place.delegated,
            }),
            Some("tool_result") => {
                let id = block["tool_use_id"].as_str();
                let text = text_of(&block["content"]);
                let failed = block["is_error"] == true;
                if !place.delegated || recorder.knows(id) {
                    recorder.answer(&Answer { id, text: &text, failed, detail, line: place.line });
                }
            }
            _ => {}
        }
    }
}

/// Parses the input of a call, which some formats hold as a text.
pub(super) fn arguments(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        None => value.clone(),
    }
}

/// Returns the time of a line: a timestamp, or seconds or milliseconds since 1970.
pub(super) fn time_of(line: &Value) -> Option<Timestamp> {
    let keys = ["timestamp", "created_at", "create_time", "createdAt", "time", "ts", "date"];
    keys.iter().find_map(|key| match &line[*key] {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => since_1970(number.as_f64()?),
        _ => None,
    })
}

/// Returns whom the word for a speaker means.
pub(super) fn role_of(word: &str) -> Option<Role> {
    match word.trim().to_lowercase().as_str() {
        "user" | "human" | "me" | "you" | "customer" => Some(Role::User),
        "assistant" | "ai" | "agent" | "model" | "bot" | "claude" | "codex" | "chatgpt" | "gpt"
        | "gemini" | "copilot" => Some(Role::Assistant),
        "tool" | "function" | "tool_result" => Some(Role::Tool),
        "system" | "developer" => Some(Role::System),
        _ => None,
    }
}

fn since_1970(number: f64) -> Option<Timestamp> {
    let milliseconds = if number.abs() < 1e11 { number * 1000.0 } else { number };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}
