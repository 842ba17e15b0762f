//! Writes transcripts in the formats of the clients, repeated and varied up to a size.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use heirloom_testkit::SeededRng;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::conversations::{Conversations, Turn};
use crate::failure::Failure;
use crate::files;

/// The folder of the index.
pub(super) const INDEX_FOLDER: &str = ".heirloom/cache/cold";

/// One in so many words is replaced in a repetition.
const WORDS_PER_CHANGE: usize = 12;

/// One in so many replacements is a word that no other text has.
const CHANGES_PER_NAME: usize = 20;

/// How many different names there are.
const NAMES: usize = 200_000;

/// When the first message was written, in seconds since 1970.
const FIRST_SECOND: i64 = 1_735_689_600;

/// The time between two messages.
const MESSAGE_INTERVAL_SECONDS: i64 = 40;

/// A workspace with transcripts below its root and outside.
pub(super) struct ColdWorkspace {
    pub(super) root: PathBuf,
    home: PathBuf,
    /// All messages, one a line.
    pub(super) lines: PathBuf,
    pub(super) transcripts: usize,
    pub(super) transcript_bytes: u64,
    pub(super) text_bytes: u64,
}

impl ColdWorkspace {
    /// Returns the variables by which heir finds the sessions of clients.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let folders = [
            ("CLAUDE_CONFIG_DIR", "claude"),
            ("CODEX_HOME", "codex"),
            ("GEMINI_CLI_HOME", "gemini"),
            ("COPILOT_HOME", "copilot"),
            ("XDG_DATA_HOME", "share"),
            ("HEIRLOOM_HOME", "heirloom"),
        ];
        folders.into_iter().map(|(name, folder)| (name, self.home.join(folder)))
    }
}

/// A format of transcripts.
#[derive(Clone, Copy)]
enum Format {
    JsonLines,
    ClaudeCode,
    Codex,
    Gemini,
    CopilotCli,
}

const FORMATS: [Format; 5] =
    [Format::JsonLines, Format::ClaudeCode, Format::Codex, Format::Gemini, Format::CopilotCli];

/// Writes transcripts of so many megabytes in total.
pub(super) fn write(
    folder: &Path,
    conversations: &Conversations,
    megabytes: u64,
) -> Result<ColdWorkspace, Failure> {
    let folder = fs::canonicalize(folder).map_err(Failure::io("finding", folder))?;
    let mut workspace = ColdWorkspace {
        root: folder.join("workspace"),
        home: folder.join("home"),
        lines: folder.join("lines.txt"),
        transcripts: 0,
        transcript_bytes: 0,
        text_bytes: 0,
    };
    files::write(&workspace.root.join(".heirloom/workspace.md"), "# Workspace\n")?;
    let root = workspace.root.display().to_string();
    let project = workspace.home.join("gemini/.gemini/tmp/workspace/.project_root");
    files::write(&project, &root)?;
    let lines = File::create(&workspace.lines).map_err(Failure::io("writing", &workspace.lines))?;
    let mut lines = BufWriter::new(lines);
    let mut varied = Variation::new(conversations);
    let mut second = FIRST_SECOND;
    let all = conversations.all.iter().cycle().enumerate();
    for (number, conversation) in all {
        if workspace.transcript_bytes >= megabytes * 1_000_000 {
            break;
        }
        let is_repeated = number >= conversations.all.len();
        let format = FORMATS[number % FORMATS.len()];
        let mut text = format.header(number, &root);
        for turn in conversation {
            let said = if is_repeated { varied.vary(&turn.text) } else { turn.text.clone() };
            let at = Timestamp::from_second(second).map(|at| at.to_string()).unwrap_or_default();
            second += MESSAGE_INTERVAL_SECONDS;
            let line = format.line(number, &root, turn, &said, &at);
            let _ = writeln!(text, "{line}");
            let said = said.replace(['\n', '\r'], " ");
            workspace.text_bytes += said.len() as u64 + 1;
            writeln!(lines, "{said}").map_err(Failure::io("writing", &workspace.lines))?;
        }
        files::write(&format.path(&workspace, number), &text)?;
        workspace.transcript_bytes += text.len() as u64;
        workspace.transcripts += 1;
    }
    lines.flush().map_err(Failure::io("writing", &workspace.lines))?;
    Ok(workspace)
}

impl Format {
    /// Returns where a session is stored.
    fn path(self, workspace: &ColdWorkspace, number: usize) -> PathBuf {
        let ColdWorkspace { root, home, .. } = workspace;
        match self {
            Format::JsonLines => root.join(format!("agent-transcripts/{number:06}.jsonl")),
            Format::ClaudeCode => {
                let slug: String = root
                    .display()
                    .to_string()
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                    .collect();
                home.join(format!("claude/projects/{slug}/{number:06}.jsonl"))
            }
            Format::Codex => {
                home.join(format!("codex/sessions/2026/01/01/rollout-{number:06}.jsonl"))
            }
            Format::Gemini => {
                home.join(format!("gemini/.gemini/tmp/workspace/chats/session-{number:06}.jsonl"))
            }
            Format::CopilotCli => {
                home.join(format!("copilot/session-state/{number:06}/events.jsonl"))
            }
        }
    }

    /// Returns the lines before the first message.
    fn header(self, number: usize, root: &str) -> String {
        let id = format!("session-{number}");
        let line = match self {
            Format::JsonLines | Format::ClaudeCode => return String::new(),
            Format::Codex => json!({"type": "session_meta", "payload": {"id": id, "cwd": root}}),
            Format::Gemini => {
                json!({"sessionId": id, "projectHash": "0", "startTime": "2026-01-01T00:00:00Z"})
            }
            Format::CopilotCli => {
                json!({"type": "session.start", "data": {"sessionId": id, "context": {"cwd": root}}})
            }
        };
        format!("{line}\n")
    }

    /// Returns the line of a message.
    fn line(self, number: usize, root: &str, turn: &Turn, text: &str, at: &str) -> Value {
        let role = if turn.is_user { "user" } else { "assistant" };
        match self {
            Format::JsonLines => json!({"role": role, "content": text, "timestamp": at}),
            Format::ClaudeCode => json!({
                "type": role, "uuid": format!("{number}-{at}"), "sessionId": format!("session-{number}"),
                "cwd": root, "timestamp": at, "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }),
            Format::Codex => {
                let kind = if turn.is_user { "input_text" } else { "output_text" };
                json!({"timestamp": at, "type": "response_item", "payload": {
                    "type": "message", "role": role, "content": [{"type": kind, "text": text}]}})
            }
            Format::Gemini => {
                let kind = if turn.is_user { "user" } else { "gemini" };
                json!({"id": format!("{number}-{at}"), "timestamp": at, "type": kind, "content": [{"text": text}]})
            }
            Format::CopilotCli => {
                json!({"type": format!("{role}.message"), "timestamp": at, "data": {"content": text}})
            }
        }
    }
}

/// Varies texts, so that repetitions are neither equal nor without new words.
struct Variation {
    rng: SeededRng,
    words: Vec<String>,
}

impl Variation {
    fn new(conversations: &Conversations) -> Self {
        let turns = conversations.all.iter().flatten();
        let words = turns.flat_map(|turn| turn.text.split(' ').take(20)).map(str::to_owned);
        Variation { rng: SeededRng::new(1), words: words.collect() }
    }

    fn vary(&mut self, text: &str) -> String {
        let mut varied = String::with_capacity(text.len() + 16);
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 {
                varied.push(' ');
            }
            if self.rng.below(WORDS_PER_CHANGE) > 0 {
                varied.push_str(word);
            } else if self.rng.below(CHANGES_PER_NAME) == 0 {
                let _ = write!(varied, "name{:x}", self.rng.below(NAMES));
            } else if let Some(other) = self.rng.pick(&self.words) {
                varied.push_str(other);
            }
        }
        varied
    }
}
