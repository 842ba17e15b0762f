//! Parses the transcripts of agents' sessions and digests them into what the next agent needs.
//!
//! Supported are session files of Claude Code, Codex, Gemini CLI and Copilot CLI, rows of opencode's
//! database, JSON Lines with roles, and plain text. A digest uses the structure of the transcript and a few fixed
//! phrases; no language model is involved.
//!
//! Files import only files of lower layers: the format parsers import `builder`, which imports
//! `tools` (the meaning of tool calls), which imports `model` and the text modules. `digest` reads
//! the model and knows no parser.

// The data.
mod model;

// Text.
mod clean;
mod excerpt;
mod markdown;
mod shell_command;

// Tool calls and messages.
mod builder;
mod content;
mod effect;
mod todo_list;
mod tool_blocks;
mod tools;

// Parsers, one for each format.
mod claude_code;
mod codex;
mod copilot_cli;
mod gemini;
mod json_lines;
mod opencode;
mod plain_text;

// Line by line, without keeping the transcript in memory.
mod joined;
mod message_stream;

// The digest, and the proposals of memories.
mod digest;
pub mod extraction;

pub use digest::{Digest, digest_transcript};
pub use excerpt::excerpt;
pub use message_stream::{Message, MessageStream, MessageTool};
pub use model::{Choice, Format, Role, Todo, ToolCall, ToolKind, Transcript, Turn};

use serde_json::Value;

use crate::byte_order_mark;
pub use builder::MAX_LINE_BYTES;
use builder::TranscriptBuilder;

/// Number of lines that are inspected to detect the format.
const DETECTION_SAMPLE_LINES: usize = 20;

/// Parses a transcript and detects its format. `path` is only used in reported problems.
pub fn parse(path: &str, text: &str) -> Transcript {
    let text = byte_order_mark::strip(text);
    if let Some(document) = parse_multiline_json(text) {
        if gemini::is_gemini_line(&document) {
            return gemini::parse_document(TranscriptBuilder::new(path, Format::Gemini), &document);
        }
        let builder = TranscriptBuilder::new(path, Format::JsonLines);
        return json_lines::parse_document(builder, &document);
    }
    let format = detect_format(text);
    let builder = TranscriptBuilder::new(path, format);
    match format {
        Format::ClaudeCode => claude_code::parse(builder, text),
        Format::Codex => builder.parse_json_lines(text, codex::parse_line),
        Format::Gemini => gemini::parse(builder, text),
        Format::CopilotCli => builder.parse_json_lines(text, copilot_cli::parse_line),
        Format::OpenCode => builder.parse_json_lines(text, opencode::parse_line),
        Format::JsonLines => builder.parse_json_lines(text, json_lines::parse_messages),
        Format::Text => plain_text::parse(builder, text),
    }
}

/// Parses a text that is one JSON value spread over several lines.
fn parse_multiline_json(text: &str) -> Option<Value> {
    let text = text.trim();
    let opens_alone = matches!(text.lines().next()?.trim_end(), "[" | "{" | "[{");
    (opens_alone && text.len() <= MAX_LINE_BYTES).then(|| serde_json::from_str(text).ok())?
}

/// Returns whether a line is of a format.
type FormatTest = fn(&Value) -> bool;

/// Detects the format of a text by a majority vote of its first lines: text if fewer than half of them are
/// JSON objects or arrays, else the client whose keys most of them have.
pub fn detect_format(text: &str) -> Format {
    let sample: Vec<Option<Value>> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && line.len() <= MAX_LINE_BYTES)
        .take(DETECTION_SAMPLE_LINES)
        .map(|line| serde_json::from_str(line).ok().filter(|value: &Value| !is_scalar(value)))
        .collect();
    let values: Vec<&Value> = sample.iter().flatten().collect();
    if values.len() * 2 < sample.len() || values.is_empty() {
        return Format::Text;
    }
    let count =
        |is_format: fn(&Value) -> bool| values.iter().filter(|value| is_format(value)).count();
    let formats: [(Format, FormatTest); 5] = [
        (Format::ClaudeCode, claude_code::is_claude_code_line),
        (Format::Codex, codex::is_codex_line),
        (Format::CopilotCli, copilot_cli::is_copilot_line),
        (Format::Gemini, gemini::is_gemini_line),
        (Format::OpenCode, opencode::is_opencode_line),
    ];
    let counts = formats.map(|(format, is_format)| (count(is_format), format));
    let most = counts.iter().map(|(count, _)| *count).max().unwrap_or_default();
    let first = counts.iter().find(|(count, _)| *count == most && most > 0);
    first.map_or(Format::JsonLines, |(_, format)| *format)
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
