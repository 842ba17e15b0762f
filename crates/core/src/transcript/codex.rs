//! Parses rollout files of Codex: one item of the conversation or one event per line, in an
//! envelope (`type`, `payload`) or, in old files, without one.

use serde_json::{Value, json};

use super::builder::{ReportedCall, ReportedResult, TranscriptBuilder};
use super::content;
use super::model::Role;

/// Number of lines at the head of a result in which the exit code may be stated.
const RESULT_HEAD_LINES: usize = 8;

/// Returns whether a line has the keys of Codex's format.
pub(super) fn is_codex_line(line: &Value) -> bool {
    match line["type"].as_str() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted") => {
            line["payload"].is_object()
        }
        Some("message") => content::array_items(&line["content"])
            .iter()
            .any(|block| matches!(block["type"].as_str(), Some("input_text" | "output_text"))),
        Some("function_call" | "function_call_output" | "custom_tool_call") => {
            line["call_id"].is_string()
        }
        Some("local_shell_call") => true,
        Some(_) => false,
        None => {
            line.get("record_type").is_some()
                || (line["id"].is_string() && line.get("instructions").is_some())
        }
    }
}

/// Parses one line.
pub(super) fn parse_line(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    builder.include_time(content::time_of(line));
    let payload = &line["payload"];
    match line["type"].as_str() {
        // A session that continues another one repeats its lines after its own first one.
        Some("session_meta") => {
            builder.set_session_id_if_unset(payload["id"].as_str());
            builder.set_cwd_if_unset(payload["cwd"].as_str());
        }
        Some("turn_context") => builder.set_cwd_if_unset(payload["cwd"].as_str()),
        Some("response_item") => parse_item(builder, line, payload, number),
        Some("event_msg") => parse_event(builder, line, payload, number),
        Some("compacted") => {
            let summary = payload["message"].as_str().unwrap_or_default();
            builder.add_turn(Role::System, content::time_of(line), summary, number);
        }
        None if line.get("instructions").is_some() => {
            builder.set_session_id_if_unset(line["id"].as_str());
        }
        _ => parse_item(builder, line, line, number),
    }
}

fn parse_item(builder: &mut TranscriptBuilder<'_>, line: &Value, item: &Value, number: usize) {
    let text = |key: &str| item[key].as_str();
    let id = text("call_id").or(text("id"));
    let mut add_call = |name: &str, input: &Value| {
        builder.add_call(&ReportedCall { id, name, input, line: number, by_subagent: false });
    };
    match item["type"].as_str() {
        Some("message") => parse_message(builder, line, item, number),
        Some("function_call") => {
            let arguments = content::parse_arguments(&item["arguments"]);
            add_call(text("name").unwrap_or("function"), &arguments);
        }
        Some("custom_tool_call") => add_call(text("name").unwrap_or("tool"), &item["input"]),
        Some("local_shell_call") => add_call("local_shell", &item["action"]),
        Some("web_search_call") => add_call("web_search", &item["action"]),
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            let (text, failed) = parse_output(&item["output"]);
            let result = ReportedResult { id, text: &text, failed, structured: None, line: number };
            builder.add_result(&result);
        }
        _ => {}
    }
}

fn parse_message(builder: &mut TranscriptBuilder<'_>, line: &Value, item: &Value, number: usize) {
    let text = content::text_of(&item["content"]);
    let role = item["role"].as_str().and_then(content::role_of);
    match role {
        Some(Role::User) if is_injected_context(&text) => {
            builder.set_cwd_if_unset(cwd_in_context(&text));
        }
        Some(role @ (Role::User | Role::Assistant)) => {
            builder.add_turn_once(role, content::time_of(line), &text, number);
        }
        _ => {}
    }
}

fn parse_event(builder: &mut TranscriptBuilder<'_>, line: &Value, event: &Value, number: usize) {
    let at = content::time_of(line);
    let message = event["message"].as_str().unwrap_or_default();
    let id = event["call_id"].as_str();
    match event["type"].as_str() {
        Some("user_message") => builder.add_turn_once(Role::User, at, message, number),
        Some("agent_message") => builder.add_turn_once(Role::Assistant, at, message, number),
        Some("exec_command_end") if event["exit_code"].as_i64().is_some_and(|code| code != 0) => {
            builder.mark_failed(id);
        }
        Some("patch_apply_end") if event["success"] == false => builder.mark_failed(id),
        Some("plan_update") => builder.add_call(&ReportedCall {
            id: None,
            name: "update_plan",
            input: &json!({ "plan": event["plan"] }),
            line: number,
            by_subagent: false,
        }),
        _ => {}
    }
}

/// Returns whether a message of the user is a single XML element, which Codex injected.
fn is_injected_context(text: &str) -> bool {
    let text = text.trim();
    let name = text.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && text.ends_with(&format!("</{name}>")))
}

fn cwd_in_context(context: &str) -> Option<&str> {
    let (_, rest) = context.split_once("<cwd>")?;
    rest.split_once("</cwd>").map(|(cwd, _)| cwd.trim())
}

/// Returns the text of a result and whether the call failed.
fn parse_output(output: &Value) -> (String, bool) {
    let refused = output["success"] == false;
    let text = match output {
        Value::Object(_) => content::text_of(&output["content"]),
        output => content::text_of(output),
    };
    if let Ok(result @ Value::Object(_)) = serde_json::from_str::<Value>(&text) {
        let code = result["metadata"]["exit_code"].as_i64().or(result["exit_code"].as_i64());
        let inner = result["output"].as_str().map(str::to_owned);
        return (inner.unwrap_or(text), refused || code.is_some_and(|code| code != 0));
    }
    let failed = refused || exit_code(&text).is_some_and(|code| code != 0);
    (text, failed)
}

/// Returns the exit code that the head of a result states.
fn exit_code(text: &str) -> Option<i64> {
    let mut head = text.lines().take(RESULT_HEAD_LINES).take_while(|line| line.trim() != "Output:");
    head.find_map(|line| {
        let prefixes = ["Exit code: ", "Process exited with code ", "exit code: "];
        prefixes.iter().find_map(|prefix| line.strip_prefix(prefix))?.trim().parse().ok()
    })
}
