//! The transcripts that proposals come from: files of the workspace, session files of its clients, and texts of requests.

use std::path::{Path, PathBuf};

use heirloom_core::{Problem, day, path};
use heirloom_store::client_sessions::SessionFile;
use heirloom_store::stamp::Stamp;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::ops::request_parts::InputFile;
use crate::{Error, Session};

/// A larger file of the workspace is not read.
const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;

/// The folder of a workspace in which transcripts are kept.
const TRANSCRIPT_FOLDER: &str = "agent-transcripts";

/// A transcript that can be read.
pub(in crate::ops::cold) struct Source {
    /// The path that is shown, and by which it is remembered.
    pub(super) name: String,
    /// The stamp of its file.
    pub(super) stamp: Option<Stamp>,
    place: Place,
}

enum Place {
    /// A file of the workspace, relative to its root.
    Workspace(String),
    /// A session file of a client.
    Session(SessionFile),
    /// A file that the user named, which belongs to a client.
    Named(PathBuf),
    /// A text of the request.
    Text(String),
}

/// What a request asks to be read.
pub(in crate::ops::cold) struct Selection<'r> {
    /// Paths of transcripts.
    pub(in crate::ops::cold) files: &'r [String],
    /// Texts of transcripts.
    pub(in crate::ops::cold) texts: &'r [InputFile],
    /// The first day whose files are read.
    pub(in crate::ops::cold) since: Option<Date>,
}

/// Returns the transcripts that a request selects, the oldest first: those that it gives, else all of the workspace. Files
/// that cannot be read are problems.
pub(in crate::ops::cold) fn sources(
    session: &Session,
    selection: &Selection<'_>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Source>, Error> {
    let mut found = vec![];
    for text in selection.texts {
        match &text.unreadable {
            Some(reason) => problems.push(Problem::in_file(&text.name, reason)),
            None => {
                let place = Place::Text(text.text.clone());
                found.push(Source { name: text.name.clone(), stamp: None, place });
            }
        }
    }
    for file in selection.files {
        found.push(named(session, file)?);
    }
    if found.is_empty() && problems.is_empty() {
        found.extend(in_workspace(session, problems));
        found.extend(session.client_folders().sessions(session.root(), None).map(of_session));
    }
    let since = selection.since.map(first_moment);
    let is_recent = |source: &Source| match (source.stamp, since) {
        (Some(stamp), Some(since)) => i128::from(stamp.modified) >= since.as_nanosecond(),
        _ => true,
    };
    found.retain(is_recent);
    found.sort_by_key(|source| source.stamp.map_or(0, |stamp| stamp.modified));
    Ok(found)
}

fn first_moment(day: Date) -> Timestamp {
    day.to_zoned(jiff::tz::TimeZone::UTC).map_or(Timestamp::MIN, |moment| moment.timestamp())
}

fn of_session(file: SessionFile) -> Source {
    let stamp = Stamp::of(&file.path);
    Source { name: file.path.display().to_string(), stamp, place: Place::Session(file) }
}

/// Returns the transcripts in the folder of the workspace for them.
fn in_workspace(session: &Session, problems: &mut Vec<Problem>) -> Vec<Source> {
    let root = session.root();
    if !root.exists(TRANSCRIPT_FOLDER) {
        return vec![];
    }
    let entries = match root.dir().list(TRANSCRIPT_FOLDER) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(Problem::in_file(TRANSCRIPT_FOLDER, error.to_string()));
            return vec![];
        }
    };
    let is_transcript = |name: &str| {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("jsonl" | "json"))
    };
    let names = entries.into_iter().filter(|entry| entry.is_utf8 && !entry.is_folder);
    let names = names.map(|entry| entry.name).filter(|name| is_transcript(name));
    names.map(|name| of_workspace(session, format!("{TRANSCRIPT_FOLDER}/{name}"))).collect()
}

fn of_workspace(session: &Session, path: String) -> Source {
    let metadata = session.root().metadata(&path).ok().flatten();
    let stamp = metadata.map(|metadata| Stamp::new(&metadata));
    Source { name: path.clone(), stamp, place: Place::Workspace(path) }
}

/// Returns a file that the request names. A file that is neither in the workspace nor a session file of it is refused when
/// it is read, whether it exists or not.
fn named(session: &Session, typed: &str) -> Result<Source, Error> {
    let folders = session.client_folders();
    let root = session.root();
    let full = folders.expand_home(Path::new(typed));
    let inside = match full.strip_prefix(root.path()) {
        Ok(inside) => Some(inside),
        Err(_) if full.is_relative() => Some(full.as_path()),
        Err(_) => None,
    };
    let resolve =
        |inside: &Path| path::resolve_link("", &inside.to_string_lossy().replace('\\', "/"));
    Ok(match inside.and_then(resolve) {
        Some(relative) => of_workspace(session, relative),
        None => {
            Source { name: full.display().to_string(), stamp: None, place: Place::Named(full) }
        }
    })
}

impl Source {
    /// Reads its text.
    pub(super) fn read(&self, session: &Session) -> Result<String, Error> {
        match &self.place {
            Place::Text(text) => Ok(text.clone()),
            Place::Session(file) => Ok(file.read()?),
            Place::Named(path) => {
                let read = session.client_folders().read(session.root(), path)?;
                read.ok_or_else(|| {
                    Error::bad_input(format!(
                        "{} is neither in the workspace nor a session file of Claude Code or Codex for it",
                        self.name
                    ))
                    .hint("copy it into the workspace, or give its text")
                })
            }
            Place::Workspace(path) => {
                session.root().dir().read_text(path, MAX_FILE_BYTES).map_err(|error| {
                    Error::bad_input(format!("{path}: {error}"))
                        .hint("give the path of a transcript in the workspace")
                })
            }
        }
    }
}

/// Parses a day of a request.
pub(in crate::ops::cold) fn parse_day(typed: Option<&str>) -> Result<Option<Date>, Error> {
    let Some(typed) = typed else { return Ok(None) };
    let day = day::parse(typed).ok_or_else(|| {
        Error::bad_input(format!("`{typed}` is not a date")).hint("write it as 2026-02-22")
    })?;
    Ok(Some(day))
}
