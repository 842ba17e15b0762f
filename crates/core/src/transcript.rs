//! Transcripts of an agent's session, and what an agent needs of one to go on.
//!
//! Four formats are read: the session files of Claude Code, the rollouts of Codex, plain JSON
//! Lines with roles, and plain text. What is not said by the structure of a transcript is not
//! guessed: no model reads it.

mod blocks;
mod claude_code;
mod clean;
mod codex;
mod content;
mod decisions;
mod digest;
mod effect;
mod json_lines;
mod open;
mod plain;
mod prose;
mod recorder;
mod sequence;
mod shell;
mod signals;
mod talk;
mod todos;
mod tools;

pub use digest::{Digest, digest};
pub use prose::gist;
pub use todos::Todo;
pub use tools::ToolKind;

use jiff::Timestamp;
use serde_json::Value;

use crate::Problem;
use recorder::Recorder;

/// Longest line that is read; a longer one is a pasted file and not a turn.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// How many lines are looked at to learn the format.
const SAMPLE: usize = 20;

/// What a session's transcript holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// How it is written.
    pub format: Format,
    /// The folder that the session began in.
    pub cwd: Option<String>,
    /// The title that the agent's program or the user gave the session.
    pub title: Option<String>,
    /// What was said, in order, without reasoning, reminders and contexts.
    pub turns: Vec<Turn>,
    /// What was done, in order; the work of sub-agents is part of it.
    pub tool_calls: Vec<ToolCall>,
    /// Files that were written, in the order of the first time, each once, relative to `cwd`.
    pub files: Vec<String>,
    /// Files that were read and not written, likewise.
    pub files_read: Vec<String>,
    /// Commits that were made: `hash subject`, or the subject where the hash was not shown.
    pub commits: Vec<String>,
    /// What the user chose where the agent asked: answers and accepted plans.
    pub choices: Vec<Choice>,
    /// The last state of the agent's own list of things to do.
    pub todos: Vec<Todo>,
    /// The earliest time that a line bears.
    pub started: Option<Timestamp>,
    /// The latest time that a line bears.
    pub ended: Option<Timestamp>,
    /// What could not be read. The rest is.
    pub problems: Vec<Problem>,
}

/// How a transcript is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A session file of Claude Code.
    ClaudeCode,
    /// A rollout of Codex, with or without the envelope around its items.
    Codex,
    /// One message a line, with a role.
    JsonLines,
    /// Text, with or without speakers.
    Text,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// A tool whose call is not in the transcript.
    Tool,
    /// The program around the agent, such as the summary of a compacted conversation.
    System,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Option<Timestamp>,
    /// What is said.
    pub text: String,
    /// The line that it begins on, counted from 1.
    pub line: usize,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name, as the agent calls it.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// What it was used on: the command, the paths, the pattern, the question.
    pub input: String,
    /// The files that it names, relative to the transcript's `cwd`.
    pub files: Vec<String>,
    /// The line of the call, counted from 1.
    pub line: usize,
    /// Whether its result is in the transcript.
    pub answered: bool,
    /// Whether it failed or was refused.
    pub failed: bool,
}

/// Something that the user chose where the agent asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What was asked and what was chosen.
    pub text: String,
    /// The line of the answer, counted from 1.
    pub line: usize,
}

/// Reads a transcript in whichever of the formats it is written. `path` is for problems only.
pub fn read(path: &str, text: &str) -> Transcript {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(document) = whole_document(text) {
        return json_lines::read_document(Recorder::new(path, Format::JsonLines), &document);
    }
    let format = detect(text);
    let recorder = Recorder::new(path, format);
    match format {
        Format::ClaudeCode => claude_code::read(recorder, text),
        Format::Codex => codex::read(recorder, text),
        Format::JsonLines => json_lines::read(recorder, text),
        Format::Text => plain::read(recorder, text),
    }
}

/// Returns the one JSON value that a text is, when it is spread over several lines.
fn whole_document(text: &str) -> Option<Value> {
    let text = text.trim();
    let opens_alone = matches!(text.lines().next()?.trim_end(), "[" | "{" | "[{");
    (opens_alone && text.len() <= MAX_LINE).then(|| serde_json::from_str(text).ok())?
}

/// Learns the format from the first lines: what most of those that are objects say, unless most
/// lines are no objects at all.
fn detect(text: &str) -> Format {
    let sample: Vec<Option<Value>> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && line.len() <= MAX_LINE)
        .take(SAMPLE)
        .map(|line| serde_json::from_str(line).ok().filter(|value: &Value| !is_scalar(value)))
        .collect();
    let values: Vec<&Value> = sample.iter().flatten().collect();
    if values.len() * 2 < sample.len() || values.is_empty() {
        return Format::Text;
    }
    let votes = |speaks: fn(&Value) -> bool| values.iter().filter(|value| speaks(value)).count();
    let (claude_code, codex) = (votes(claude_code::speaks), votes(codex::speaks));
    if claude_code == 0 && codex == 0 {
        Format::JsonLines
    } else if claude_code >= codex {
        Format::ClaudeCode
    } else {
        Format::Codex
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
