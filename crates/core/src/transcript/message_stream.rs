//! Reads a transcript message by message, in memory that does not grow with the transcript.
//!
//! Each line is parsed alone, by the same parsers that read whole transcripts. What depends on earlier lines is a small
//! state, which can be stored: reading a file that has grown continues where it ended.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::builder::{LooseResult, MAX_LINE_BYTES, TranscriptBuilder};
use super::model::{Format, Role, ToolCall, ToolKind, Transcript};
use super::{claude_code, codex, copilot_cli, gemini, json_lines, opencode};
use crate::{Problem, json};

/// Number of recent texts that are remembered to recognise repeated messages.
const MAX_RECENT_TEXTS: usize = 1024;

/// Number of recent calls that are remembered until their results come.
const MAX_OPEN_CALLS: usize = 256;

/// Length of a call's description, in characters.
const MAX_CALL_CHARS: usize = 600;

/// Length of each end of an error message, in characters.
const MAX_FAILURE_END_CHARS: usize = 300;

/// Words that Heirloom's tools have in their names.
const OWN_NAMES: &[&str] = &["heir", "heirloom"];

/// A message of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The author. A call of a tool and the error that it returned have the role of the tool; an answer to a question
    /// of the agent has that of the user.
    pub role: Role,
    /// The text, without what the client or Heirloom injected.
    pub text: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The number of the message among those of its line.
    pub part: u16,
    /// The tool that it belongs to.
    pub tool: Option<MessageTool>,
}

/// The tool that a message belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageTool {
    /// The tool's name as the transcript states it; empty for a result.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// The id of the call.
    pub call: Option<String>,
    /// Whether the message is the error that the call returned.
    pub is_failure: bool,
}

/// The state of reading a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageStream {
    format: Format,
    /// The id that the client gave the session.
    pub session_id: Option<String>,
    /// The working directory in which the session began.
    pub cwd: Option<String>,
    /// The title that the client or the user gave the session.
    pub title: Option<String>,
    /// Whether it is the conversation of a sub-agent, if a message was read.
    is_of_subagent: Option<bool>,
    /// The author of the last message.
    last_role: Option<Role>,
    /// Hashes of texts that may come again.
    recent_texts: VecDeque<u64>,
    /// Hashes of the ids of calls whose results are not treated like others.
    open_calls: VecDeque<(u64, OpenCall)>,
}

/// A call whose result is not treated like others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum OpenCall {
    /// The result is Heirloom's own text.
    OfHeirloom,
    /// The result is the user's answer.
    AsksUser,
}

impl MessageStream {
    /// Begins to read a transcript of a format.
    pub fn new(format: Format) -> Self {
        MessageStream {
            format,
            session_id: None,
            cwd: None,
            title: None,
            is_of_subagent: None,
            last_role: None,
            recent_texts: VecDeque::new(),
            open_calls: VecDeque::new(),
        }
    }

    /// Returns the format of the transcript.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns whether it is the conversation of a sub-agent with the agent that called it.
    pub fn is_of_subagent(&self) -> bool {
        self.is_of_subagent == Some(true)
    }

    /// Reads the next line and passes its messages to `take`. Returns why the line cannot be read, if so. `path` is only
    /// used in the problem.
    pub fn read_line(
        &mut self,
        path: &str,
        number: usize,
        line: &str,
        mut take: impl FnMut(Message),
    ) -> Option<Problem> {
        if line.trim().is_empty() {
            return None;
        }
        let parsed = match self.parse(path, number, line) {
            Ok(parsed) => parsed,
            Err(problem) => return Some(problem),
        };
        let ParsedLine { mut transcript, calls, results } = parsed;
        self.update(&transcript);
        let mut part = 0;
        let mut next = || {
            part += 1;
            part - 1
        };
        for turn in std::mem::take(&mut transcript.turns) {
            let message = Message {
                role: turn.role,
                text: turn.text,
                at: turn.at.or(transcript.started),
                line: number,
                part: next(),
                tool: None,
            };
            if self.is_wanted(&message) {
                take(message);
            }
        }
        let at = transcript.started;
        for (call, id) in transcript.tool_calls.into_iter().zip(calls) {
            let part = next();
            if let Some(message) = self.message_of_call(call, id, at, number, part) {
                take(message);
            }
        }
        for result in results {
            let part = next();
            if let Some(message) = self.message_of_result(result, at, number, part) {
                take(message);
            }
        }
        transcript.problems.pop()
    }

    /// Returns the messages of one line of a transcript, whatever came before it.
    pub fn messages_of_line(&self, number: usize, line: &str) -> Vec<Message> {
        let mut stream = MessageStream {
            recent_texts: VecDeque::new(),
            open_calls: self.open_calls.clone(),
            ..self.clone()
        };
        let mut messages = Vec::new();
        stream.read_line("", number, line, |message| messages.push(message));
        messages
    }

    fn parse(&mut self, path: &str, number: usize, line: &str) -> Result<ParsedLine, Problem> {
        let problem = |message: String| Problem::at(path, number, message);
        if line.len() > MAX_LINE_BYTES {
            return Err(problem("the line is skipped; at most 8 MiB are read".to_owned()));
        }
        let value: Value = serde_json::from_str(line)
            .map_err(|error| problem(json::describe_syntax_error(&error)))?;
        if !value.is_object() && !value.is_array() {
            return Err(problem("the line is not a JSON object or array".to_owned()));
        }
        let mut builder = TranscriptBuilder::of_single_line(path, self.format);
        match self.format {
            Format::ClaudeCode => {
                let mut state = claude_code::ParserState::of_single_line(self.is_of_subagent);
                claude_code::parse_line(&mut builder, &value, number, &mut state);
                self.is_of_subagent = state.is_subagent_file();
                builder.set_title(state.title().unwrap_or_default());
            }
            Format::Codex => codex::parse_line(&mut builder, &value, number),
            Format::Gemini => gemini::parse_line(&mut builder, &value, number),
            Format::CopilotCli => copilot_cli::parse_line(&mut builder, &value, number),
            Format::OpenCode => opencode::parse_line(&mut builder, &value, number),
            Format::JsonLines | Format::Text => {
                json_lines::parse_messages(&mut builder, &value, number);
            }
        }
        let (transcript, calls, results) = builder.into_single_line();
        Ok(ParsedLine { transcript, calls, results })
    }

    /// Takes over what a line states of the session.
    fn update(&mut self, line: &Transcript) {
        // A session of Claude Code that continues another one begins with the lines of that one.
        if self.session_id.is_none() || self.format == Format::ClaudeCode {
            self.session_id = line.session_id.clone().or(self.session_id.take());
        }
        self.cwd = self.cwd.take().or_else(|| line.cwd.clone());
        self.title = line.title.clone().or(self.title.take());
        if line.is_of_subagent {
            self.is_of_subagent = Some(true);
        }
    }

    /// Returns whether a message is neither a prompt of the system nor repeated.
    fn is_wanted(&mut self, message: &Message) -> bool {
        let is_prompt = message.role == Role::System && self.format == Format::JsonLines;
        if is_prompt || message.role == Role::Tool {
            return false;
        }
        let key = match self.format {
            // An event and an item of the same message follow each other.
            Format::Codex => {
                if self.last_role != Some(message.role) {
                    self.recent_texts.clear();
                }
                hash(&[message.text.as_bytes()])
            }
            // A message is written again when a tool has answered, and in a list of all messages.
            Format::Gemini => {
                let at = message.at.map(jiff::Timestamp::as_nanosecond).unwrap_or_default();
                hash(&[&at.to_le_bytes(), message.text.as_bytes()])
            }
            _ => {
                self.last_role = Some(message.role);
                return true;
            }
        };
        self.last_role = Some(message.role);
        self.is_new_text(key)
    }

    /// Returns whether a hash is not that of a recent text, and remembers it.
    fn is_new_text(&mut self, key: u64) -> bool {
        if self.recent_texts.contains(&key) {
            return false;
        }
        if self.recent_texts.len() == MAX_RECENT_TEXTS {
            self.recent_texts.pop_front();
        }
        self.recent_texts.push_back(key);
        true
    }

    /// Returns whether a call comes again. Gemini CLI writes the calls of a message when they begin and when they end;
    /// only the latter state a result.
    fn is_repeated_call(&mut self, id: Option<&str>, has_result: bool) -> bool {
        match id {
            Some(id) if self.format == Format::Gemini => {
                !has_result || !self.is_new_text(hash(&[b"call", id.as_bytes()]))
            }
            _ => false,
        }
    }

    /// Returns the message that a call of a tool makes: none for calls that only read, which are many, and for calls of
    /// Heirloom.
    fn message_of_call(
        &mut self,
        call: ToolCall,
        id: Option<String>,
        at: Option<Timestamp>,
        line: usize,
        part: u16,
    ) -> Option<Message> {
        let is_own =
            is_own_tool(&call.name) || (call.kind == ToolKind::Run && is_own_command(&call.input));
        if is_own {
            self.remember_call(id.as_deref(), OpenCall::OfHeirloom);
            return None;
        }
        if call.kind == ToolKind::Ask {
            self.remember_call(id.as_deref(), OpenCall::AsksUser);
        }
        let text = match call.kind {
            ToolKind::Read | ToolKind::Search | ToolKind::Plan => return None,
            ToolKind::Edit if !call.files.is_empty() => call.files.join(", "),
            _ => call.input,
        };
        if text.trim().is_empty() || self.is_repeated_call(id.as_deref(), call.has_result) {
            return None;
        }
        let text = format!("{}: {}", call.name, first_chars(text.trim(), MAX_CALL_CHARS));
        let tool = MessageTool { name: call.name, kind: call.kind, call: id, is_failure: false };
        Some(Message { role: Role::Tool, text, at, line, part, tool: Some(tool) })
    }

    /// Returns the message that a result makes: an answer of the user, or the beginning and the end of an error.
    fn message_of_result(
        &mut self,
        result: LooseResult,
        at: Option<Timestamp>,
        line: usize,
        part: u16,
    ) -> Option<Message> {
        if self.format == Format::Gemini
            && let Some(id) = &result.id
            && !self.is_new_text(hash(&[b"result", id.as_bytes()]))
        {
            return None;
        }
        let open = result.id.as_deref().and_then(|id| {
            let key = hash(&[id.as_bytes()]);
            self.open_calls.iter().find(|(other, _)| *other == key).map(|(_, call)| *call)
        });
        let (role, text) = match open {
            Some(OpenCall::OfHeirloom) => return None,
            Some(OpenCall::AsksUser) if !result.failed => {
                (Role::User, first_chars(result.text.trim(), MAX_CALL_CHARS).to_owned())
            }
            _ if result.failed => (Role::Tool, both_ends(result.text.trim())),
            _ => return None,
        };
        let kind = if role == Role::User { ToolKind::Ask } else { ToolKind::Other };
        let is_failure = result.failed;
        let tool = Some(MessageTool { name: String::new(), kind, call: result.id, is_failure });
        let is_said = !text.is_empty();
        is_said.then_some(Message { role, text, at, line, part, tool })
    }

    fn remember_call(&mut self, id: Option<&str>, call: OpenCall) {
        let Some(id) = id else { return };
        if self.open_calls.len() == MAX_OPEN_CALLS {
            self.open_calls.pop_front();
        }
        self.open_calls.push_back((hash(&[id.as_bytes()]), call));
    }
}

/// What a line holds.
struct ParsedLine {
    transcript: Transcript,
    /// The ids of its calls.
    calls: Vec<Option<String>>,
    /// Results of calls of other lines.
    results: Vec<LooseResult>,
}

/// Returns whether a tool is one of Heirloom's, whatever the client puts before and after the server's name.
fn is_own_tool(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| OWN_NAMES.contains(&word))
}

/// Returns whether a command line runs `heir`.
fn is_own_command(command: &str) -> bool {
    command.split(['\n', ';', '&', '|', '(']).any(|part| {
        let program = part.split_whitespace().find(|word| !word.contains('='));
        program.is_some_and(|program| program.rsplit('/').next() == Some("heir"))
    })
}

fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Returns an error message without its middle, if it is long.
fn both_ends(text: &str) -> String {
    let head = first_chars(text, MAX_FAILURE_END_CHARS);
    let rest = &text[head.len()..];
    let tail_start = rest.char_indices().rev().nth(MAX_FAILURE_END_CHARS - 1);
    match tail_start {
        Some((start, _)) if start > 0 => format!("{head}\n…\n{}", &rest[start..]),
        _ => text.to_owned(),
    }
}

fn hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: Format, lines: &[Value]) -> Vec<(Role, usize, String)> {
        let mut stream = MessageStream::new(format);
        let mut found = Vec::new();
        for (number, line) in (1..).zip(lines) {
            let problem = stream.read_line("t.jsonl", number, &line.to_string(), |message| {
                found.push((message.role, message.line, message.text));
            });
            assert_eq!(problem, None);
        }
        found
    }

    fn expect(found: &[(Role, usize, String)], expected: &[(Role, usize, &str)]) {
        let found: Vec<_> =
            found.iter().map(|(role, line, text)| (*role, *line, &**text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn gemini_messages_that_are_written_again_count_once() {
        let at = "2026-02-21T09:00:00Z";
        let said =
            |text: &str| json!({"id": "1", "timestamp": at, "type": "user", "content": text});
        let reply = json!({
            "id": "2", "timestamp": at, "type": "gemini", "content": [{"text": "On it."}, {"text": "Hm", "thought": true}],
        });
        let mut answered = reply.clone();
        answered["toolCalls"] = json!([{
            "id": "c1", "name": "run_shell_command", "args": {"command": "cargo test"},
            "status": "error", "resultDisplay": "1 failed",
        }]);
        let found = read(
            Format::Gemini,
            &[
                json!({"sessionId": "s", "projectHash": "h", "startTime": at}),
                said("<session_context>Linux</session_context>"),
                said("Fix the cart."),
                reply,
                answered,
                json!({"$set": {"lastUpdated": at}}),
                json!({"$rewindTo": "2"}),
                json!({"$set": {"messages": [said("Fix the cart."), said("And the tests.")]}}),
            ],
        );
        expect(
            &found,
            &[
                (Role::User, 3, "Fix the cart."),
                (Role::Assistant, 4, "On it."),
                (Role::Tool, 5, "run_shell_command: cargo test"),
                (Role::Tool, 5, "1 failed"),
                (Role::User, 8, "And the tests."),
            ],
        );
    }

    #[test]
    fn codex_writes_each_message_twice() {
        let event =
            json!({"type": "event_msg", "payload": {"type": "user_message", "message": "Go."}});
        let item = json!({"type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}],
        }});
        let reply =
            json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "Done."}});
        let found = read(Format::Codex, &[event.clone(), item.clone(), reply, item, event]);
        expect(
            &found,
            &[(Role::User, 1, "Go."), (Role::Assistant, 3, "Done."), (Role::User, 4, "Go.")],
        );
    }

    #[test]
    fn failures_and_answers_are_messages_and_other_results_are_not() {
        let assistant = |block: Value| {
            json!({"type": "assistant", "uuid": "a", "sessionId": "s",
                "message": {"role": "assistant", "content": [block]}})
        };
        let result = |id: &str, text: &str, failed: bool| {
            json!({"type": "user", "uuid": "r", "sessionId": "s", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]}})
        };
        let call = |id: &str, name: &str, input: Value| {
            assistant(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        };
        let found = read(
            Format::ClaudeCode,
            &[
                call("1", "Bash", json!({"command": "npm test"})),
                result("1", "2 failed", true),
                call("2", "Read", json!({"file_path": "a.rs"})),
                result("2", "fn main() {}", false),
                call("3", "mcp__heir__memory_recall", json!({"query": "tests"})),
                result("3", "the tests are slow", true),
                call("4", "Bash", json!({"command": "cd x && heir recall tests"})),
                result("4", "no such", true),
                call("5", "AskUserQuestion", json!({"questions": [{"question": "Which store?"}]})),
                result("5", "User has answered: \"Which store?\"=\"Postgres\"", false),
            ],
        );
        expect(
            &found,
            &[
                (Role::Tool, 1, "Bash: npm test"),
                (Role::Tool, 2, "2 failed"),
                (Role::Tool, 9, "AskUserQuestion: Which store?"),
                (Role::User, 10, "User has answered: \"Which store?\"=\"Postgres\""),
            ],
        );
    }

    #[test]
    fn copilot_and_opencode_are_read_without_what_they_inject() {
        let at = "2026-02-21T09:00:00Z";
        let event = |kind: &str, data: Value| json!({"type": kind, "data": data, "timestamp": at});
        let found = read(
            Format::CopilotCli,
            &[
                event("session.start", json!({"sessionId": "s", "context": {"cwd": "/w"}})),
                event("user.message", json!({"content": "Go.", "transformedContent": "<ctx/>Go."})),
                event("assistant.message", json!({"content": "Done."})),
                event("assistant.message", json!({"content": "Sub.", "parentToolCallId": "t"})),
                event("hook.end", json!({"output": "context"})),
            ],
        );
        expect(&found, &[(Role::User, 2, "Go."), (Role::Assistant, 3, "Done.")]);
        let part = |role: &str, part: Value| {
            json!({"session": "s", "directory": "/w", "title": "t", "time": 1_771_000_000_000_i64,
                "message": {"role": role}, "part": part})
        };
        let found = read(
            Format::OpenCode,
            &[
                part("user", json!({"type": "text", "text": "Go."})),
                part("user", json!({"type": "text", "text": "injected", "synthetic": true})),
                part("assistant", json!({"type": "reasoning", "text": "Hm."})),
                part("assistant", json!({"type": "text", "text": "Done."})),
            ],
        );
        expect(&found, &[(Role::User, 1, "Go."), (Role::Assistant, 4, "Done.")]);
    }

    #[test]
    fn damaged_lines_are_reported_and_do_not_stop_the_others() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for line in ["{\"role\":", "42", &deep, "{\"role\":\"nobody\",\"content\":\"x\"}"] {
            let mut stream = MessageStream::new(Format::JsonLines);
            let problem = stream.read_line("t.jsonl", 7, line, |_| panic!("no message"));
            let shown = problem.map(|problem| problem.to_string()).unwrap_or_default();
            assert!(shown.starts_with("t.jsonl:7: "), "{shown}");
        }
    }

    #[test]
    fn a_stored_state_continues() {
        let line = r#"{"type":"event_msg","payload":{"type":"user_message","message":"Go."}}"#;
        let mut stream = MessageStream::new(Format::Codex);
        stream.read_line("", 1, line, |_| ());
        let stored = serde_json::to_string(&stream).unwrap();
        let mut continued: MessageStream = serde_json::from_str(&stored).unwrap();
        continued.read_line("", 2, line, |_| panic!("it is a repetition"));
        assert_eq!(continued.messages_of_line(2, line).len(), 1);
    }

    #[test]
    fn only_programs_called_heir_are_own() {
        assert!(is_own_command("A=1 /usr/bin/heir assemble x"));
        assert!(!is_own_command("echo heir") && !is_own_command("cat heir/x"));
        assert!(is_own_tool("mcp__plugin_heir_heir__memory_recall") && !is_own_tool("inherit"));
    }

    use serde_json::json;
}
