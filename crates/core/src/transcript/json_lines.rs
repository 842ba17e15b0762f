//! Parses messages with a role, one per line. The content is text or blocks; tool calls have the
//! form of the chat APIs.

use serde_json::Value;

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;
use super::model::{Role, Transcript};
use super::tool_blocks::{self, BlockOrigin};

/// Parses a JSON document that is or contains a list of messages.
pub(super) fn parse_document(mut builder: TranscriptBuilder<'_>, document: &Value) -> Transcript {
    parse_messages(&mut builder, document, 1);
    builder.build()
}

/// Parses the message, or the list of messages, of one line.
pub(super) fn parse_messages(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    let list = [line, &line["messages"]].into_iter().find_map(Value::as_array);
    for item in list.map_or(std::slice::from_ref(line), Vec::as_slice) {
        parse_message(builder, item, number);
    }
}

fn parse_message(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    let message = if line["message"].is_object() { &line["message"] } else { line };
    let at = content::time_of(line).or_else(|| content::time_of(message));
    builder.include_time(at);
    builder.set_cwd_if_unset(line["cwd"].as_str());
    let Some(role) = role_of_message(line, message) else {
        builder.report_problem(
            number,
            "the message has no known role; expected `role` to be user, assistant, tool or system",
        );
        return;
    };
    let body = content::first_non_null(message, &["content", "text", "message", "parts"]);
    let text = content::text_of(body);
    let origin = BlockOrigin { line: number, by_subagent: false };
    tool_blocks::add_tool_blocks(builder, body, None, origin);
    add_calls(builder, message, number);
    if role == Role::Tool {
        let id = ["tool_call_id", "call_id"].iter().find_map(|key| message[*key].as_str());
        let failed = message["is_error"] == true || message["status"] == "error";
        let result = ReportedResult { id, text: &text, failed, structured: None, line: number };
        builder.add_result(&result);
    } else {
        builder.add_turn(role, at, &text, number);
    }
}

fn role_of_message(line: &Value, message: &Value) -> Option<Role> {
    let candidates = [
        &message["role"],
        &message["author"]["role"],
        &message["speaker"],
        &message["author"],
        &message["from"],
        &line["role"],
        &line["type"],
    ];
    candidates.into_iter().filter_map(Value::as_str).find_map(content::role_of)
}

/// Adds the calls in `tool_calls` and in its deprecated predecessor `function_call`.
fn add_calls(builder: &mut TranscriptBuilder<'_>, message: &Value, number: usize) {
    let deprecated = Some(&message["function_call"]).filter(|call| call.is_object());
    for call in content::array_items(&message["tool_calls"]).iter().chain(deprecated) {
        let function = if call["function"].is_object() { &call["function"] } else { call };
        let input = content::first_non_null(function, &["arguments", "input", "args"]);
        builder.add_call(&ReportedCall {
            id: call["id"].as_str(),
            name: function["name"].as_str().unwrap_or("function"),
            input: &content::parse_arguments(input),
            line: number,
            by_subagent: false,
        });
    }
}
