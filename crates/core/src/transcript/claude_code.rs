//! Session files of Claude Code: a line for each message, in which calls and results of tools are
//! blocks. Its stream of events (`--output-format stream-json`) has the same lines.

use std::collections::HashSet;

use serde_json::Value;

use super::content::{self, Place};
use super::recorder::Recorder;
use super::{Role, Transcript};

/// Tells whether a line is one of Claude Code's.
pub(super) fn speaks(line: &Value) -> bool {
    let is = |key: &str| line.get(key).is_some();
    match line["type"].as_str() {
        Some("user" | "assistant") => {
            line["message"].is_object() && (is("uuid") || is("sessionId") || is("session_id"))
        }
        Some("summary") => is("leafUuid"),
        Some("file-history-snapshot") => is("snapshot"),
        Some(_) => is("sessionId") || is("parentUuid") || is("session_id"),
        None => false,
    }
}

/// Reads a session file.
pub(super) fn read<'p>(mut recorder: Recorder<'p>, text: &str) -> Transcript {
    let mut seen = Seen::default();
    for (number, line) in recorder.lines(text) {
        if !line.trim().is_empty()
            && let Some(line) = recorder.json(number, line)
        {
            record(&mut recorder, &line, number, &mut seen);
        }
    }
    if let Some(title) = seen.title {
        recorder.title(&title);
    }
    recorder.finish()
}

/// What earlier lines of the file say about later ones.
#[derive(Default)]
struct Seen {
    lines: HashSet<String>,
    /// The message that the last turn is of: each block of a message has a line of its own.
    message: Option<String>,
    title: Option<String>,
    /// Whether the title is the user's, which no other replaces.
    titled_by_user: bool,
}

fn record(recorder: &mut Recorder<'_>, line: &Value, number: usize, seen: &mut Seen) {
    if let Some(id) = line["uuid"].as_str()
        && !seen.lines.insert(id.to_owned())
    {
        return;
    }
    match line["type"].as_str() {
        Some("user" | "assistant") => message(recorder, line, number, seen),
        Some("attachment") => queued(recorder, line, number),
        Some("system") => recorder.folder(line["cwd"].as_str()),
        Some("summary") => {
            let ours = line["leafUuid"].as_str().is_some_and(|leaf| seen.lines.contains(leaf));
            seen.entitle(line["summary"].as_str().filter(|_| ours), false);
        }
        Some("ai-title") => seen.entitle(line["aiTitle"].as_str(), false),
        Some("custom-title") => seen.entitle(line["customTitle"].as_str(), true),
        _ => {}
    }
}

impl Seen {
    fn entitle(&mut self, title: Option<&str>, by_user: bool) {
        if let Some(title) = title.filter(|_| by_user || !self.titled_by_user) {
            self.title = Some(title.to_owned());
            self.titled_by_user = by_user;
        }
    }
}

fn message(recorder: &mut Recorder<'_>, line: &Value, number: usize, seen: &mut Seen) {
    let at = content::time_of(line);
    recorder.time(at);
    recorder.folder(line["cwd"].as_str());
    let said = &line["message"];
    let content = &said["content"];
    let delegated = line["isSidechain"] == true || line["parent_tool_use_id"].is_string();
    let place = Place { line: number, delegated };
    let detail = line.get("toolUseResult").or(line.get("tool_use_result"));
    content::record_tools(recorder, content, detail, place);
    if delegated || line["isMeta"] == true || line["isApiErrorMessage"] == true {
        return;
    }
    let text = content::text_of(content);
    let role = match line["type"].as_str() {
        _ if line["isCompactSummary"] == true => Role::System,
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    };
    let id = said["id"].as_str().filter(|_| role == Role::Assistant);
    if id.is_some() && id == seen.message.as_deref() {
        recorder.more(&text);
    } else if !text.trim().is_empty() {
        recorder.turn(role, at, &text, number);
        seen.message = id.map(str::to_owned);
    }
}

/// Records what the user typed while the agent was at work.
fn queued(recorder: &mut Recorder<'_>, line: &Value, number: usize) {
    let attachment = &line["attachment"];
    if attachment["type"] == "queued_command" && line["isSidechain"] != true {
        let text = content::text_of(&attachment["prompt"]);
        recorder.turn(Role::User, content::time_of(line), &text, number);
    }
}
