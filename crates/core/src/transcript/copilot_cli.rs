//! Parses the events of a session of Copilot CLI: one event per line, with its type and its data.

use serde_json::Value;

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;
use super::model::Role;

/// The first parts of the types of events.
const EVENT_GROUPS: &[&str] =
    &["session", "user", "assistant", "tool", "system", "hook", "subagent"];

/// Returns whether a line has the keys of Copilot CLI's format.
pub(super) fn is_copilot_line(line: &Value) -> bool {
    let group = line["type"].as_str().and_then(|kind| kind.split_once('.'));
    line["data"].is_object() && group.is_some_and(|(group, _)| EVENT_GROUPS.contains(&group))
}

/// Parses one event.
pub(super) fn parse_line(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    let at = content::time_of(line);
    builder.include_time(at);
    let data = &line["data"];
    // A sub-agent's events state the call that started it.
    let by_subagent = data["parentToolCallId"].is_string() || line["agentId"].is_string();
    let id = data["toolCallId"].as_str();
    match line["type"].as_str() {
        Some("session.start" | "session.resume") => {
            builder.set_session_id_if_unset(data["sessionId"].as_str());
            let cwd = data["context"]["cwd"].as_str().or(data["cwd"].as_str());
            builder.set_cwd_if_unset(cwd);
        }
        Some("session.title_changed") => {
            builder.set_title(data["title"].as_str().unwrap_or_default());
        }
        // `transformedContent` is the prompt with what the client added.
        Some("user.message") if !by_subagent && data["source"].as_str().is_none_or(is_user) => {
            builder.add_turn(Role::User, at, &content::text_of(&data["content"]), number);
        }
        Some("assistant.message") if !by_subagent => {
            builder.add_turn(Role::Assistant, at, &content::text_of(&data["content"]), number);
        }
        Some("session.compaction_complete") => {
            let summary = data["summaryContent"].as_str().unwrap_or_default();
            builder.add_turn(Role::System, at, summary, number);
        }
        Some("tool.execution_start") => builder.add_call(&ReportedCall {
            id,
            name: data["toolName"].as_str().unwrap_or("tool"),
            input: &content::parse_arguments(&data["arguments"]),
            line: number,
            by_subagent,
        }),
        Some("tool.execution_complete") => {
            let failed = data["success"] == false;
            let error = data["error"]["message"].as_str();
            let text = content::text_of(&data["result"]["content"]);
            let text = error.filter(|_| text.is_empty()).map_or(text.clone(), str::to_owned);
            let result = ReportedResult { id, text: &text, failed, structured: None, line: number };
            builder.add_result(&result);
        }
        _ => {}
    }
}

/// Returns whether a message's source is the user; others are skills and the client.
fn is_user(source: &str) -> bool {
    source == "user"
}
