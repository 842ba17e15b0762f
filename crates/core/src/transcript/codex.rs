//! Rollouts of Codex: a line for each item of the conversation and for each event, in an envelope
//! (`type`, `payload`) or, in old ones, bare.

use serde_json::{Value, json};

use super::content;
use super::recorder::{Answer, Call, Recorder};
use super::{Role, Transcript};

/// Tells whether a line is one of Codex's.
pub(super) fn speaks(line: &Value) -> bool {
    match line["type"].as_str() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted") => {
            line["payload"].is_object()
        }
        Some("message") => content::array(&line["content"])
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

/// Reads a rollout.
pub(super) fn read<'p>(mut recorder: Recorder<'p>, text: &str) -> Transcript {
    for (number, line) in recorder.lines(text) {
        if !line.trim().is_empty()
            && let Some(line) = recorder.json(number, line)
        {
            recorder.time(content::time_of(&line));
            match line["type"].as_str() {
                Some("session_meta" | "turn_context") => {
                    recorder.folder(line["payload"]["cwd"].as_str());
                }
                Some("response_item") => item(&mut recorder, &line, &line["payload"], number),
                Some("event_msg") => event(&mut recorder, &line, &line["payload"], number),
                Some("compacted") => {
                    let summary = line["payload"]["message"].as_str().unwrap_or_default();
                    recorder.turn(Role::System, content::time_of(&line), summary, number);
                }
                _ => item(&mut recorder, &line, &line, number),
            }
        }
    }
    recorder.finish()
}

fn item(recorder: &mut Recorder<'_>, line: &Value, item: &Value, number: usize) {
    let text = |key: &str| item[key].as_str();
    let id = text("call_id").or(text("id"));
    let mut call = |name: &str, input: &Value| {
        recorder.call(&Call { id, name, input, line: number, delegated: false });
    };
    match item["type"].as_str() {
        Some("message") => message(recorder, line, item, number),
        Some("function_call") => {
            call(text("name").unwrap_or("function"), &content::arguments(&item["arguments"]));
        }
        Some("custom_tool_call") => call(text("name").unwrap_or("tool"), &item["input"]),
        Some("local_shell_call") => call("local_shell", &item["action"]),
        Some("web_search_call") => call("web_search", &item["action"]),
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            let (text, failed) = output(&item["output"]);
            recorder.answer(&Answer { id, text: &text, failed, detail: None, line: number });
        }
        _ => {}
    }
}

fn message(recorder: &mut Recorder<'_>, line: &Value, item: &Value, number: usize) {
    let text = content::text_of(&item["content"]);
    let role = item["role"].as_str().and_then(content::role_of);
    match role {
        Some(Role::User) if is_context(&text) => recorder.folder(folder_in(&text)),
        Some(role @ (Role::User | Role::Assistant)) => {
            recorder.turn_once(role, content::time_of(line), &text, number);
        }
        _ => {}
    }
}

fn event(recorder: &mut Recorder<'_>, line: &Value, event: &Value, number: usize) {
    let at = content::time_of(line);
    let said = event["message"].as_str().unwrap_or_default();
    let id = event["call_id"].as_str();
    match event["type"].as_str() {
        Some("user_message") => recorder.turn_once(Role::User, at, said, number),
        Some("agent_message") => recorder.turn_once(Role::Assistant, at, said, number),
        Some("exec_command_end") if event["exit_code"].as_i64().is_some_and(|code| code != 0) => {
            recorder.failed(id);
        }
        Some("patch_apply_end") if event["success"] == false => recorder.failed(id),
        Some("plan_update") => {
            let plan = json!({ "plan": event["plan"] });
            let call = Call {
                id: None,
                name: "update_plan",
                input: &plan,
                line: number,
                delegated: false,
            };
            recorder.call(&call);
        }
        _ => {}
    }
}

/// Tells whether a message in the user's name is one element around the program's own words.
fn is_context(text: &str) -> bool {
    let text = text.trim();
    let name = text.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && text.ends_with(&format!("</{name}>")))
}

fn folder_in(context: &str) -> Option<&str> {
    let (_, rest) = context.split_once("<cwd>")?;
    rest.split_once("</cwd>").map(|(cwd, _)| cwd.trim())
}

/// Returns the text of a result and whether it says that the call failed.
fn output(output: &Value) -> (String, bool) {
    let refused = output["success"] == false;
    let text = match output {
        Value::Object(_) => content::text_of(&output["content"]),
        output => content::text_of(output),
    };
    if let Ok(told @ Value::Object(_)) = serde_json::from_str::<Value>(&text) {
        let code = told["metadata"]["exit_code"].as_i64().or(told["exit_code"].as_i64());
        let inner = told["output"].as_str().map(str::to_owned);
        return (inner.unwrap_or(text), refused || code.is_some_and(|code| code != 0));
    }
    let failed = refused || exit_code(&text).is_some_and(|code| code != 0);
    (text, failed)
}

/// Returns the exit code that the head of a result gives.
fn exit_code(text: &str) -> Option<i64> {
    let head = text.lines().take(8).take_while(|line| line.trim() != "Output:");
    head.into_iter().find_map(|line| {
        let starts = ["Exit code: ", "Process exited with code ", "exit code: "];
        starts.iter().find_map(|start| line.strip_prefix(start))?.trim().parse().ok()
    })
}
