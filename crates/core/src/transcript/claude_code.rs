//! Parses session files of Claude Code: one message per line, with tool calls and results as blocks
//! of the message. Its event stream (`--output-format stream-json`) has the same lines.

use std::collections::HashSet;

use serde_json::Value;

use super::builder::TranscriptBuilder;
use super::content;
use super::model::{Role, Transcript};
use super::tool_blocks::{self, BlockOrigin};

/// Returns whether a line has the keys of Claude Code's format.
pub(super) fn is_claude_code_line(line: &Value) -> bool {
    let has = |key: &str| line.get(key).is_some();
    match line["type"].as_str() {
        Some("user" | "assistant") => {
            line["message"].is_object() && (has("uuid") || has("sessionId") || has("session_id"))
        }
        Some("summary") => has("leafUuid"),
        Some("file-history-snapshot") => has("snapshot"),
        Some(_) => has("sessionId") || has("parentUuid") || has("session_id"),
        None => false,
    }
}

/// Parses a session file.
pub(super) fn parse(mut builder: TranscriptBuilder<'_>, text: &str) -> Transcript {
    let mut state = ParserState::default();
    builder.for_each_json_line(text, |builder, line, number| {
        parse_line(builder, line, number, &mut state);
    });
    if let Some(title) = state.title {
        builder.set_title(&title);
    }
    if state.is_subagent_file == Some(true) {
        builder.set_subagent(state.agent_id.as_deref());
    }
    builder.build()
}

/// What the parser remembers from line to line.
#[derive(Default)]
pub(super) struct ParserState {
    line_ids: HashSet<String>,
    /// The id of the last turn's message. A message has one line per block, all with this id.
    message_id: Option<String>,
    /// Whether the file is that of a sub-agent, by its first message. Older versions of the client wrote the messages of
    /// sub-agents between those of the session.
    is_subagent_file: Option<bool>,
    agent_id: Option<String>,
    title: Option<String>,
    /// Whether the user set the title. Generated titles do not replace it.
    titled_by_user: bool,
}

impl ParserState {
    /// Returns the state for a single line of a file of which it is known whether it is that of a sub-agent.
    pub(super) fn of_single_line(is_subagent_file: Option<bool>) -> Self {
        ParserState { is_subagent_file, ..Self::default() }
    }

    /// Returns whether the file is that of a sub-agent, if a message was read.
    pub(super) fn is_subagent_file(&self) -> Option<bool> {
        self.is_subagent_file
    }

    /// Returns the title of the session.
    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    fn set_title(&mut self, title: Option<&str>, by_user: bool) {
        if let Some(title) = title.filter(|_| by_user || !self.titled_by_user) {
            self.title = Some(title.to_owned());
            self.titled_by_user = by_user;
        }
    }
}

/// Parses one line.
pub(super) fn parse_line(
    builder: &mut TranscriptBuilder<'_>,
    line: &Value,
    number: usize,
    state: &mut ParserState,
) {
    // A session that continues another one begins with the lines of that one, so the last id is its own.
    builder.set_session_id(line["sessionId"].as_str().or(line["session_id"].as_str()));
    if let Some(id) = line["uuid"].as_str()
        && !state.line_ids.insert(id.to_owned())
    {
        return;
    }
    match line["type"].as_str() {
        Some("user" | "assistant") => parse_message(builder, line, number, state),
        Some("attachment") => parse_queued_prompt(builder, line, number),
        Some("system") => builder.set_cwd_if_unset(line["cwd"].as_str()),
        Some("summary") => {
            // A file may hold summaries of other sessions.
            let leaf = line["leafUuid"].as_str();
            let of_this_session = leaf.is_some_and(|leaf| state.line_ids.contains(leaf));
            state.set_title(line["summary"].as_str().filter(|_| of_this_session), false);
        }
        Some("ai-title") => state.set_title(line["aiTitle"].as_str(), false),
        Some("custom-title") => state.set_title(line["customTitle"].as_str(), true),
        _ => {}
    }
}

fn parse_message(
    builder: &mut TranscriptBuilder<'_>,
    line: &Value,
    number: usize,
    state: &mut ParserState,
) {
    let at = content::time_of(line);
    builder.include_time(at);
    builder.set_cwd_if_unset(line["cwd"].as_str());
    let message = &line["message"];
    let blocks = &message["content"];
    let is_sidechain = line["isSidechain"] == true;
    let is_subagent_file = *state.is_subagent_file.get_or_insert(is_sidechain);
    if is_subagent_file && let Some(id) = line["agentId"].as_str() {
        state.agent_id = Some(id.to_owned());
    }
    let by_subagent = (is_sidechain && !is_subagent_file) || line["parent_tool_use_id"].is_string();
    let structured = line.get("toolUseResult").or(line.get("tool_use_result"));
    let origin = BlockOrigin { line: number, by_subagent };
    tool_blocks::add_tool_blocks(builder, blocks, structured, origin);
    if by_subagent || line["isMeta"] == true || line["isApiErrorMessage"] == true {
        return;
    }
    let text = content::text_of(blocks);
    let role = match line["type"].as_str() {
        _ if line["isCompactSummary"] == true => Role::System,
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    };
    let message_id = message["id"].as_str().filter(|_| role == Role::Assistant);
    if message_id.is_some() && message_id == state.message_id.as_deref() {
        builder.append_to_last_turn(&text);
    } else if !text.trim().is_empty() {
        builder.add_turn(role, at, &text, number);
        state.message_id = message_id.map(str::to_owned);
    }
}

/// Adds a prompt that the user typed while the agent was working.
fn parse_queued_prompt(builder: &mut TranscriptBuilder<'_>, line: &Value, number: usize) {
    let attachment = &line["attachment"];
    if attachment["type"] == "queued_command" && line["isSidechain"] != true {
        let text = content::text_of(&attachment["prompt"]);
        builder.add_turn(Role::User, content::time_of(line), &text, number);
    }
}
