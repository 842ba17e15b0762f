//! The data of a transcript: every parser produces it, and the digest reads it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Problem;

/// A session's transcript in a form that does not depend on the client that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The format that the transcript was written in.
    pub format: Format,
    /// The id that the client gave the session.
    pub session_id: Option<String>,
    /// Whether it is the conversation of a sub-agent with the agent that called it.
    pub is_of_subagent: bool,
    /// The working directory in which the session began.
    pub cwd: Option<String>,
    /// The title that the client or the user gave the session.
    pub title: Option<String>,
    /// The messages in order, without reasoning and without text that the client injected.
    pub turns: Vec<Turn>,
    /// The tool calls in order, those of sub-agents included.
    pub tool_calls: Vec<ToolCall>,
    /// Files that were written, without duplicates, in the order of their first write, relative to
    /// `cwd`.
    pub files_written: Vec<String>,
    /// Files that were read and not written, without duplicates, in the order of their first read.
    pub files_read: Vec<String>,
    /// Commits that were made: `hash subject`, or the subject alone if git's output is missing.
    pub commits: Vec<String>,
    /// The user's answers to questions of the agent, and the plans that the user accepted.
    pub choices: Vec<Choice>,
    /// The final state of the agent's own todo list.
    pub todos: Vec<Todo>,
    /// The earliest timestamp in the transcript.
    pub started: Option<Timestamp>,
    /// The latest timestamp in the transcript.
    pub ended: Option<Timestamp>,
    /// Lines that could not be read. They do not stop the other lines from being read.
    pub problems: Vec<Problem>,
}

impl Transcript {
    /// Returns a transcript without any content.
    pub(super) fn empty(format: Format) -> Self {
        Self {
            format,
            session_id: None,
            is_of_subagent: false,
            cwd: None,
            title: None,
            turns: vec![],
            tool_calls: vec![],
            files_written: vec![],
            files_read: vec![],
            commits: vec![],
            choices: vec![],
            todos: vec![],
            started: None,
            ended: None,
            problems: vec![],
        }
    }
}

/// The file format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A session file of Claude Code.
    ClaudeCode,
    /// A rollout file of Codex, with or without an envelope around each item.
    Codex,
    /// A session file of Gemini CLI.
    Gemini,
    /// The events of a session of Copilot CLI.
    CopilotCli,
    /// Messages of opencode's database, each as one line of JSON.
    OpenCode,
    /// JSON Lines: one message with a role per line.
    JsonLines,
    /// Plain text, with or without the names of the speakers.
    Text,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// A tool whose call is not in the transcript.
    Tool,
    /// The client, for example with the summary of a compacted conversation.
    System,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The author.
    pub role: Role,
    /// The time of the message.
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
    /// The line on which the message begins, counted from 1.
    pub line: usize,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name as the transcript states it.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// The argument that describes the call best: the command, the paths, the pattern, the
    /// question.
    pub input: String,
    /// All texts that were passed to the tool, without those that it replaces, possibly shortened.
    pub arguments: String,
    /// The files that the call names, relative to the transcript's `cwd`.
    pub files: Vec<String>,
    /// The line of the call, counted from 1.
    pub line: usize,
    /// Whether the transcript contains the result of the call.
    pub has_result: bool,
    /// Whether the call failed or was refused.
    pub failed: bool,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Writes a file.
    Edit,
    /// Reads a file.
    Read,
    /// Runs a command.
    Run,
    /// Searches without changing anything.
    Search,
    /// Delegates work to a sub-agent.
    Delegate,
    /// Maintains the agent's own plan or todo list.
    Plan,
    /// Asks the user.
    Ask,
    /// Anything else.
    Other,
}

/// A choice that the user made when the agent asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The question and the answer.
    pub text: String,
    /// The line of the answer, counted from 1.
    pub line: usize,
}

/// One entry of the agent's todo list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The task.
    pub text: String,
    /// Whether the task is done.
    pub done: bool,
}
