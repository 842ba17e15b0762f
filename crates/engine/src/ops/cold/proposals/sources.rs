//! The transcripts that proposals come from: files of the workspace, session files of its clients, and texts of requests.

use std::path::{Path, PathBuf};

use heirloom_core::transcript::{self, Transcript};
use heirloom_core::{Problem, day};
use heirloom_store::client_sessions::KnownClient;
use heirloom_store::stamp::Stamp;
use heirloom_store::transcripts::{self, KnownFiles, Transcripts};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::ops::request_parts::InputFile;
use crate::work_session::path_in_workspace;
use crate::{Error, Session};

/// A larger transcript is read in parts, so that the memory is bounded.
const MAX_WHOLE_BYTES: u64 = 64 * 1024 * 1024;

/// Number of bytes of messages in each part of a large transcript.
const PART_BYTES: usize = 16 * 1024 * 1024;

/// A transcript that can be read.
pub(in crate::ops::cold) struct Source {
    /// The path that is shown, and by which it is remembered.
    pub(in crate::ops::cold) name: String,
    /// The stamp of its file.
    pub(super) stamp: Option<Stamp>,
    place: Place,
}

enum Place {
    /// A file of the workspace, by the name.
    Workspace,
    /// A transcript of the workspace or of a client.
    Listed(transcripts::Transcript),
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
) -> Vec<Source> {
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
    found.extend(selection.files.iter().map(|file| named(session, file)));
    if found.is_empty() && problems.is_empty() {
        let mut known = KnownFiles::default();
        let listed = Transcripts::list(session.root(), session.client_folders(), &mut known);
        problems.extend(listed.problems);
        found.extend(listed.found.into_iter().map(of_listed));
    }
    let since = selection.since.map(first_moment);
    let is_recent = |source: &Source| match (source.stamp, since) {
        (Some(stamp), Some(since)) => i128::from(stamp.modified) >= since.as_nanosecond(),
        _ => true,
    };
    found.retain(is_recent);
    found.sort_by_key(|source| source.stamp.map_or(0, |stamp| stamp.modified));
    found
}

fn first_moment(day: Date) -> Timestamp {
    day.to_zoned(jiff::tz::TimeZone::UTC).map_or(Timestamp::MIN, |moment| moment.timestamp())
}

fn of_listed(transcript: transcripts::Transcript) -> Source {
    let (name, stamp) = (transcript.name.clone(), Some(transcript.stamp));
    Source { name, stamp, place: Place::Listed(transcript) }
}

fn of_workspace(session: &Session, path: String) -> Source {
    let metadata = session.root().metadata(&path).ok().flatten();
    let stamp = metadata.map(|metadata| Stamp::new(&metadata));
    Source { name: path, stamp, place: Place::Workspace }
}

/// Returns a file that the request names. A file that is neither in the workspace nor a session file of it is refused when
/// it is read, whether it exists or not.
fn named(session: &Session, typed: &str) -> Source {
    let full = session.client_folders().expand_home(Path::new(typed));
    match path_in_workspace(session, &full) {
        Some(relative) => of_workspace(session, relative),
        None => {
            let name = full.display().to_string();
            Source { name, stamp: None, place: Place::Named(full) }
        }
    }
}

impl Source {
    /// Reads it, and passes it to `take`: whole, or in several parts if it is large. Each part comes with the number of
    /// lines up to its end.
    pub(super) fn read(&self, session: &Session, mut take: impl FnMut(Part)) -> Result<(), Error> {
        if let Place::Listed(listed) = &self.place {
            let is_database = listed.client == Some(KnownClient::OpenCode);
            if is_database || listed.stamp.size > MAX_WHOLE_BYTES {
                return self.read_in_parts(session, listed, take);
            }
        }
        let text = self.read_text(session)?;
        let transcript = transcript::parse(&self.name, &text);
        // A client may be writing the last line.
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        take(Part { transcript, lines, is_whole: true });
        Ok(())
    }

    fn read_in_parts(
        &self,
        session: &Session,
        listed: &transcripts::Transcript,
        mut take: impl FnMut(Part),
    ) -> Result<(), Error> {
        let mut reader = listed.open(session.root(), None)?;
        let (mut messages, mut bytes, mut lines, mut is_whole) = (vec![], 0, 0, true);
        let mut problems = vec![];
        while let Some(read) = reader.next_line()? {
            lines = read.line;
            problems.extend(read.problem);
            bytes += read.messages.iter().map(|message| message.text.len()).sum::<usize>();
            messages.extend(read.messages);
            if bytes > PART_BYTES {
                (bytes, is_whole) = (0, false);
                let mut transcript =
                    Transcript::of_messages(reader.stream(), std::mem::take(&mut messages));
                transcript.problems = std::mem::take(&mut problems);
                take(Part { transcript, lines, is_whole });
            }
        }
        let mut transcript = Transcript::of_messages(reader.stream(), messages);
        transcript.problems = problems;
        take(Part { transcript, lines, is_whole });
        Ok(())
    }

    fn read_text(&self, session: &Session) -> Result<String, Error> {
        let of_client = |path: &Path| {
            let read = session.client_folders().read(session.root(), path)?;
            read.ok_or_else(|| {
                Error::bad_input(format!(
                    "{} is neither in the workspace nor a session file of a known client for it",
                    self.name
                ))
                .hint("copy it into the workspace, or give its text")
            })
        };
        match &self.place {
            Place::Text(text) => Ok(text.clone()),
            Place::Listed(listed) if listed.client.is_some() => of_client(Path::new(&self.name)),
            Place::Named(path) => of_client(path),
            Place::Workspace | Place::Listed(_) => {
                session.root().dir().read_text(&self.name, MAX_WHOLE_BYTES).map_err(|error| {
                    Error::bad_input(format!("{}: {error}", self.name))
                        .hint("give the path of a transcript in the workspace")
                })
            }
        }
    }
}

/// A transcript, or a part of a large one.
pub(super) struct Part {
    pub(super) transcript: Transcript,
    /// The number of lines up to its end.
    pub(super) lines: usize,
    /// Whether it is the whole transcript.
    pub(super) is_whole: bool,
}

/// Parses a day of a request.
pub(in crate::ops::cold) fn parse_day(typed: Option<&str>) -> Result<Option<Date>, Error> {
    let Some(typed) = typed else { return Ok(None) };
    let day = day::parse(typed).ok_or_else(|| {
        Error::bad_input(format!("`{typed}` is not a date")).hint("write it as 2026-02-22")
    })?;
    Ok(Some(day))
}
