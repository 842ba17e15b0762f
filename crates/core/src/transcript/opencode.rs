//! Parses messages of opencode. They are rows of a database; its reader in the crate `store` passes each part of a message
//! as one line, `{"session", "directory", "title", "time", "message", "part"}`, and each row of the newer table of whole
//! messages as `{"session", "directory", "title", "time", "kind", "data"}`.

use jiff::Timestamp;
use serde_json::Value;

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;
use super::model::Role;

/// Returns whether a line is a row of opencode's database.
pub(super) fn is_opencode_line(line: &Value) -> bool {
    let is_part = line["message"].is_object() && line["part"].is_object();
    let is_message = line["kind"].is_string() && line["data"].is_object();
    line["session"].is_string() && line["directory"].is_string() && (is_part || is_message)
}

/// Parses one row.
pub(super) fn parse_line(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    let at = content::time_of(line);
    builder.include_time(at);
    builder.set_session_id_if_unset(line["session"].as_str());
    builder.set_cwd_if_unset(line["directory"].as_str());
    builder.set_title(line["title"].as_str().unwrap_or_default());
    if line["part"].is_object() {
        let speaker = line["message"]["role"].as_str();
        let role = if speaker == Some("user") { Role::User } else { Role::Assistant };
        let is_summary = line["message"]["summary"] == true;
        let role = if is_summary { Role::System } else { role };
        parse_part(builder, role, &line["part"], number, at);
        return;
    }
    let data = &line["data"];
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    match line["kind"].as_str() {
        Some("user") => builder.add_turn(Role::User, at, text("text"), number),
        Some("compaction") => builder.add_turn(Role::System, at, text("summary"), number),
        Some("assistant") => {
            for part in content::array_items(&data["content"]) {
                parse_part(builder, Role::Assistant, part, number, at);
            }
        }
        _ => {}
    }
}

fn parse_part(
    builder: &mut TranscriptBuilder<'_>,
    role: Role,
    part: &Value,
    number: usize,
    at: Option<Timestamp>,
) {
    match part["type"].as_str() {
        // A synthetic part was made by the client or a plug-in, an ignored one was not sent.
        Some("text") if part["synthetic"] != true && part["ignored"] != true => {
            builder.add_turn(role, at, part["text"].as_str().unwrap_or_default(), number);
        }
        Some("tool") => {
            let id = part["callID"].as_str().or(part["id"].as_str());
            let state = &part["state"];
            let name = part["tool"].as_str().or(part["name"].as_str()).unwrap_or("tool");
            let input = &state["input"];
            builder.add_call(&ReportedCall { id, name, input, line: number, by_subagent: false });
            let failed = state["status"] == "error";
            if failed || state["status"] == "completed" {
                let error = state["error"]["message"].as_str().or(state["error"].as_str());
                let output = state["output"].as_str().map(str::to_owned);
                let output = output.unwrap_or_else(|| content::text_of(&state["content"]));
                let text = error.map_or(output, str::to_owned);
                let result =
                    ReportedResult { id, text: &text, failed, structured: None, line: number };
                builder.add_result(&result);
            }
        }
        _ => {}
    }
}
