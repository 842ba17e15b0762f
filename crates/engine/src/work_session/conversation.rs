//! The conversation that a request is about: its text, a file that it names, or the newest session file of a client.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heirloom_core::record::{Origin, short_id};
use heirloom_core::transcript::{self, Transcript};
use heirloom_core::{path, words};
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
        let (conversation, name) = match as_path(given, |path| session.root().exists(path)) {
            None => (Self::parse(given, None), "the text".into()),
            Some(path) => {
                let text = read_file(session, &path)?;
                (Self::parse(&text, Some(Path::new(&*path))), path)
            }
        };
        if conversation.transcript.turns.is_empty() {
            return Err(Error::bad_input(format!("{name} contains no conversation"))
                .hint("give a session file of Claude Code or Codex, JSON Lines, or text"));
        }
        Ok(Some(conversation))
    }

    /// Reads the newest session file of the client for this workspace: of those in which it started a work session, if
    /// there are any.
    pub(crate) fn newest(session: &Session) -> Result<Option<Self>, Error> {
        let started = session.client().work_sessions();
        let files = session_files(session).take(MAX_SESSION_FILES);
        Self::choose(started.last().map(String::as_str), files, |_| true)
    }

    /// Reads the newest session file of the client for this workspace that was written during a work session: the one
    /// in which the session was started, if it states its id.
    pub(crate) fn during(
        session: &Session,
        work_session: &str,
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Option<Self>, Error> {
        let earliest = SystemTime::from(start);
        let files = session_files(session).take_while(|file| file.modified >= earliest);
        let began = |transcript: &Transcript| transcript.started.is_none_or(|began| began <= end);
        Self::choose(Some(work_session), files.take(MAX_SESSION_FILES), began)
    }

    /// Reads the first file that states the id of a work session, else the first one that fits.
    fn choose(
        work_session: Option<&str>,
        files: impl Iterator<Item = SessionFile>,
        fits: impl Fn(&Transcript) -> bool,
    ) -> Result<Option<Self>, Error> {
        let mut first = None;
        for file in files {
            let text = file.read()?;
            let is_stated = work_session.is_some_and(|id| text.contains(short_id(id)));
            if first.is_none() || is_stated {
                let conversation = Self::parse(&text, Some(&file.path));
                let Transcript { is_of_subagent, turns, .. } = &conversation.transcript;
                if *is_of_subagent || turns.is_empty() {
                    continue;
                }
                if is_stated || fits(&conversation.transcript) {
                    first = Some(conversation);
                }
            }
            if is_stated || (work_session.is_none() && first.is_some()) {
                break;
            }
        }
        Ok(first)
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

/// Returns the path if a text is a path and no conversation: one line that is a single word, starts like a path or ends
/// like a file name, or names a file that exists in the workspace. A line with a role (`user: …`) is a conversation.
fn as_path(text: &str, exists: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    let line = text.trim();
    let is_quoted =
        |quote: &&char| line.len() > 1 && line.starts_with(**quote) && line.ends_with(**quote);
    let line = match ['"', '\'', '`'].iter().find(is_quoted) {
        Some(quote) => line.trim_matches(*quote),
        None => line,
    };
    if let Some(path) = path::from_file_url(line) {
        return Some(path.into());
    }
    if line.contains(['\n', '\r']) || line.len() > MAX_PATH_BYTES || line.starts_with(['{', '[']) {
        return None;
    }
    let extension = Path::new(line).extension().and_then(|extension| extension.to_str());
    let extension = extension.map(str::to_lowercase);
    let has_extension = extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()));
    let is_anchored =
        ["/", "~/", "./", "../", "\\", "~\\"].iter().any(|start| line.starts_with(start))
            || line.get(1..3).is_some_and(|drive| matches!(drive, ":\\" | ":/"));
    let is_word = !line.contains(char::is_whitespace);
    let has_role = !is_anchored && line.contains(": ");
    (is_word || (has_extension && !has_role) || exists(line)).then(|| line.into())
}

/// Returns a typed path relative to the root, if it leads into the workspace.
pub(crate) fn path_in_workspace(session: &Session, full: &Path) -> Option<String> {
    let inside = match full.strip_prefix(session.root().path()) {
        Ok(inside) => inside,
        Err(_) if full.is_relative() => full,
        Err(_) => return None,
    };
    path::resolve_link("", &inside.to_string_lossy().replace('\\', "/"))
}

/// Reads a file in the workspace, or one of its session files. Any other is refused, whether it exists or not.
fn read_file(session: &Session, typed: &str) -> Result<String, Error> {
    let folders = session.client_folders();
    let root = session.root();
    let full = folders.expand_home(Path::new(typed));
    if let Some(relative) = path_in_workspace(session, &full) {
        return root.dir().read_text(&relative, MAX_FILE_BYTES).map_err(|error| {
            Error::bad_input(format!("{typed}: {error}"))
                .hint("give the path of a file in the workspace, or the text of the conversation")
        });
    }
    folders.read(root, &full)?.ok_or_else(|| {
        Error::bad_input(format!(
            "{typed} is neither in the workspace nor a session file of Claude Code or Codex for it"
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
            "\"talk.TXT\"",
            "sub dir/../../outside.txt",
            "my notes/session.jsonl",
            ".env",
        ] {
            assert!(as_path(path, |_| false).is_some(), "{path}");
        }
        for text in [
            "user: fix it\nagent: done",
            "{\"role\":\"user\",\"content\":\"Fix it.\"}",
            "User: please read notes/talk.md",
            "Please read notes/talk.md and answer",
            "/compact the conversation",
        ] {
            assert!(as_path(text, |_| false).is_none(), "{text}");
        }
        assert_eq!(
            as_path("my talk.md", |path| path == "my talk.md").as_deref(),
            Some("my talk.md")
        );
    }
}
