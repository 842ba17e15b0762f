//! Parses session files of Gemini CLI: a header, then one message per line, and changes of the header
//! (`$set`). Older versions wrote one JSON document with a list of messages.

use std::collections::HashMap;

use serde_json::Value;

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;
use super::model::{Role, Transcript};

/// Returns whether a line has the keys of Gemini CLI's format.
pub(super) fn is_gemini_line(line: &Value) -> bool {
    let is_header = line["sessionId"].is_string() && line["projectHash"].is_string();
    let is_message = line["id"].is_string()
        && line["timestamp"].is_string()
        && line.get("content").is_some()
        && matches!(line["type"].as_str(), Some("user" | "gemini" | "info" | "error" | "warning"));
    is_header || is_message || line["$set"].is_object() || line["$rewindTo"].is_string()
}

/// Parses a session file.
pub(super) fn parse(mut builder: TranscriptBuilder<'_>, text: &str) -> Transcript {
    let mut last = HashMap::new();
    builder.for_each_json_line(text, |builder, line, number| {
        for message in messages(builder, line) {
            // A message is written again when a tool has answered; then its text is the same.
            let id = message["id"].as_str().unwrap_or_default().to_owned();
            let text = display_text(message);
            if last.insert(id, text.clone()).as_ref() != Some(&text) {
                parse_message(builder, message, number);
            } else {
                parse_calls(builder, message, number);
            }
        }
    });
    builder.build()
}

/// Parses a JSON document of an older version.
pub(super) fn parse_document(mut builder: TranscriptBuilder<'_>, document: &Value) -> Transcript {
    parse_line(&mut builder, document, 1);
    builder.build()
}

/// Parses one line, which may hold several messages.
pub(super) fn parse_line(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    for message in messages(builder, line) {
        parse_message(builder, message, number);
    }
}

/// Returns the messages of a line, and reads what it states of the session. What was taken back by rewinding stays: it
/// was said.
fn messages<'l>(builder: &mut TranscriptBuilder<'_>, line: &'l Value) -> &'l [Value] {
    if line.get("$rewindTo").is_some() {
        return &[];
    }
    let header = if line["$set"].is_object() { &line["$set"] } else { line };
    if header["sessionId"].is_string() || line["$set"].is_object() {
        builder.set_session_id(header["sessionId"].as_str());
        builder.set_title(header["summary"].as_str().unwrap_or_default());
        if header["kind"] == "subagent" {
            builder.set_subagent(header["sessionId"].as_str());
        }
        return content::array_items(&header["messages"]);
    }
    std::slice::from_ref(line)
}

fn parse_message(builder: &mut TranscriptBuilder<'_>, message: &Value, number: usize) {
    let at = content::time_of(message);
    builder.include_time(at);
    let role = match message["type"].as_str() {
        Some("user") => Role::User,
        Some("gemini") => Role::Assistant,
        // Notices of the client.
        _ => return,
    };
    builder.add_turn(role, at, &display_text(message), number);
    parse_calls(builder, message, number);
}

/// Returns what was shown of a message: without the files that the client added to it.
fn display_text(message: &Value) -> String {
    match content::first_non_null(message, &["displayContent", "content"]) {
        Value::Array(parts) => {
            let said = parts.iter().filter(|part| part["thought"] != true).cloned();
            content::text_of(&Value::Array(said.collect()))
        }
        text => content::text_of(text),
    }
}

fn parse_calls(builder: &mut TranscriptBuilder<'_>, message: &Value, number: usize) {
    for call in content::array_items(&message["toolCalls"]) {
        let id = call["id"].as_str();
        builder.add_call(&ReportedCall {
            id,
            name: call["name"].as_str().unwrap_or("tool"),
            input: &call["args"],
            line: number,
            by_subagent: call["agentId"].is_string(),
        });
        let failed = matches!(call["status"].as_str(), Some("error" | "cancelled"));
        if failed || call["status"] == "success" {
            let text = result_text(call);
            let result = ReportedResult { id, text: &text, failed, structured: None, line: number };
            builder.add_result(&result);
        }
    }
}

/// Returns the text of a result: that which was shown, else that of the function's response.
fn result_text(call: &Value) -> String {
    if let Some(shown) = call["resultDisplay"].as_str() {
        return shown.to_owned();
    }
    let responses = content::array_items(&call["result"]).iter();
    let outputs = responses.filter_map(|part| {
        let response = &part["functionResponse"]["response"];
        response["output"].as_str().or(response["error"].as_str())
    });
    outputs.collect::<Vec<_>>().join("\n")
}
