//! The conversation that a request is about: its text, a file that it names, or the newest session file of a client.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heirloom_core::record::Origin;
use heirloom_core::transcript::{self, Transcript};
use heirloom_core::words;
use heirloom_store::client_sessions::{KnownClient, SessionFile};
use jiff::Timestamp;

use crate::{Error, Session};

/// A larger file in the workspace is not read.
const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;

/// A longer line is text and no path, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// Extensions of files that hold conversations.
const EXTENSIONS: &[&str] = &["jsonl", "json", "txt", "md", "log"];

/// Number of the newest session files among which one is looked for that belongs to a time.
const MAX_SESSION_FILES: usize = 20;

/// A conversation.
pub(crate) struct Conversation {
    pub(crate) transcript: Transcript,
    /// Identifies the conversation, also when it has grown; without an id of the client, it identifies the text.
    pub(crate) origin: Origin,
    /// The session file that it was read from.
    pub(crate) path: Option<PathBuf>,
}

impl Conversation {
    /// Reads the conversation that a request gives as text or names by a path; `None` if it gives none.
    pub(crate) fn given(session: &Session, given: Option<&str>) -> Result<Option<Self>, Error> {
        let Some(given) = given.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        match as_path(given) {
            Some(path) => Ok(Some(Self::parse(&read_file(session, path)?, Some(Path::new(path))))),
            None => Ok(Some(Self::parse(given, None))),
        }
    }

    /// Reads the newest session file of the client for this workspace.
    pub(crate) fn newest(session: &Session) -> Result<Option<Self>, Error> {
        match session_files(session).next() {
            Some(file) => Self::read(session, &file).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the newest session file of the client for this workspace that was written during a time.
    pub(crate) fn during(
        session: &Session,
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Option<Self>, Error> {
        let earliest = SystemTime::from(start);
        let files = session_files(session).take_while(|file| file.modified >= earliest);
        for file in files.take(MAX_SESSION_FILES) {
            let conversation = Self::read(session, &file)?;
            if conversation.transcript.started.is_none_or(|started| started <= end) {
                return Ok(Some(conversation));
            }
        }
        Ok(None)
    }

    fn read(session: &Session, file: &SessionFile) -> Result<Self, Error> {
        let text = session.client_folders().read(session.root(), &file.path)?;
        Ok(Self::parse(&text.unwrap_or_default(), Some(&file.path)))
    }

    fn parse(text: &str, path: Option<&Path>) -> Self {
        let shown = path.map_or_else(|| "transcript".to_owned(), |path| path.display().to_string());
        let transcript = transcript::parse(&shown, text);
        let origin = match &transcript.session_id {
            Some(id) => Origin::conversation(id),
            None => Origin::transcript(&words::short_hash(text)),
        };
        Conversation { transcript, origin, path: path.map(Path::to_path_buf) }
    }
}

/// Lists the session files of the client for this workspace, the newest first; those of all known clients if the
/// client has no known name.
fn session_files(session: &Session) -> impl Iterator<Item = SessionFile> + '_ {
    let client = session.client().name().and_then(KnownClient::by_name);
    session.client_folders().sessions(session.root(), client)
}

/// Returns the path if a text is a path and no conversation: one line that starts or ends like one.
fn as_path(text: &str) -> Option<&str> {
    let line = text.trim();
    let line = line.strip_prefix("file://").unwrap_or(line);
    if line.contains('\n') || line.len() > MAX_PATH_BYTES {
        return None;
    }
    let extension = Path::new(line).extension().and_then(|extension| extension.to_str());
    let has_extension = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
    let has_spaces = line.contains(char::is_whitespace);
    let is_anchored =
        ["/", "~/", "./", "../", "\\", "~\\"].iter().any(|start| line.starts_with(start))
            || line.get(1..3).is_some_and(|drive| matches!(drive, ":\\" | ":/"));
    let is_path =
        if is_anchored { has_extension || !has_spaces } else { has_extension && !has_spaces };
    is_path.then_some(line)
}

/// Reads a file in the workspace, or one of its session files. Any other is refused, whether it exists or not.
fn read_file(session: &Session, path: &str) -> Result<String, Error> {
    let folders = session.client_folders();
    let root = session.root();
    let full = folders.expand_home(Path::new(path));
    let inside = match full.strip_prefix(root.path()) {
        Ok(inside) => Some(inside),
        Err(_) if full.is_relative() => Some(full.as_path()),
        Err(_) => None,
    };
    if let Some(inside) = inside {
        let relative = inside.to_string_lossy().replace('\\', "/");
        return root.dir().read_text(&relative, MAX_FILE_BYTES).map_err(|error| {
            Error::bad_input(format!("{path}: {error}"))
                .hint("give the path of a file in the workspace, or the text of the conversation")
        });
    }
    folders.read(root, &full)?.ok_or_else(|| {
        Error::bad_input(format!(
            "{path} is neither in the workspace nor a session file of Claude Code or Codex for it"
        ))
        .hint("give the text of the conversation, or nothing for the newest session file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_apart_from_a_conversation() {
        for path in [
            "/home/ada/.claude/projects/-w/0f3c.jsonl",
            "~/.codex/sessions/2026/02/22/rollout-1.jsonl\n",
            "file:///w/talk.txt",
            "C:\\Users\\Ada Lovelace\\talk.jsonl",
            "notes/talk.md",
            "/etc/passwd",
        ] {
            assert!(as_path(path).is_some(), "{path}");
        }
        for text in [
            "user: fix it\nagent: done",
            "{\"role\":\"user\",\"content\":\"Fix it.\"}",
            "Please read notes/talk.md",
            "/compact the conversation",
            "Done",
        ] {
            assert!(as_path(text).is_none(), "{text}");
        }
    }
}
