//! Messages with a role, one a line: the content is a text or blocks, and tools are called as the
//! chat interfaces of models do it.

use serde_json::Value;

use super::content::{self, Place};
use super::recorder::{Answer, Call, Recorder};
use super::{Role, Transcript};

/// Reads a message from each line.
pub(super) fn read<'p>(mut recorder: Recorder<'p>, text: &str) -> Transcript {
    for (number, line) in recorder.lines(text) {
        if !line.trim().is_empty()
            && let Some(line) = recorder.json(number, line)
        {
            record(&mut recorder, &line, number);
        }
    }
    recorder.finish()
}

/// Reads the messages of one document that is a list of them or holds one.
pub(super) fn read_document<'p>(mut recorder: Recorder<'p>, document: &Value) -> Transcript {
    record(&mut recorder, document, 1);
    recorder.finish()
}

fn record(recorder: &mut Recorder<'_>, line: &Value, number: usize) {
    let several = [line, &line["messages"]].into_iter().find_map(Value::as_array);
    for item in several.map_or(std::slice::from_ref(line), Vec::as_slice) {
        message(recorder, item, number);
    }
}

fn message(recorder: &mut Recorder<'_>, line: &Value, number: usize) {
    let inner = if line["message"].is_object() { &line["message"] } else { line };
    let at = content::time_of(line).or_else(|| content::time_of(inner));
    recorder.time(at);
    recorder.folder(line["cwd"].as_str());
    let Some(role) = role(line, inner) else {
        recorder.problem(number, "it has no role of a speaker");
        return;
    };
    let said = ["content", "text", "message", "parts"].iter().map(|key| &inner[*key]);
    let said = said.into_iter().find(|said| !said.is_null()).unwrap_or(&Value::Null);
    let text = content::text_of(said);
    content::record_tools(recorder, said, None, Place { line: number, delegated: false });
    calls(recorder, inner, number);
    let id = ["tool_call_id", "call_id"].iter().find_map(|key| inner[*key].as_str());
    if role == Role::Tool {
        let failed = inner["is_error"] == true || inner["status"] == "error";
        recorder.answer(&Answer { id, text: &text, failed, detail: None, line: number });
    } else {
        recorder.turn(role, at, &text, number);
    }
}

fn role(line: &Value, inner: &Value) -> Option<Role> {
    let words = [
        &inner["role"],
        &inner["author"]["role"],
        &inner["speaker"],
        &inner["author"],
        &inner["from"],
        &line["role"],
        &line["type"],
    ];
    words.into_iter().filter_map(Value::as_str).find_map(content::role_of)
}

fn calls(recorder: &mut Recorder<'_>, message: &Value, number: usize) {
    let old = Some(&message["function_call"]).filter(|call| call.is_object());
    for call in content::array(&message["tool_calls"]).iter().chain(old) {
        let function = if call["function"].is_object() { &call["function"] } else { call };
        let input = ["arguments", "input", "args"].iter().map(|key| &function[*key]);
        let input = input.into_iter().find(|input| !input.is_null()).unwrap_or(&Value::Null);
        recorder.call(&Call {
            id: call["id"].as_str(),
            name: function["name"].as_str().unwrap_or("function"),
            input: &content::arguments(input),
            line: number,
            delegated: false,
        });
    }
}
