//! `session end`: ends a work session and stores an episode of it.

use heirloom_core::Hint;
use heirloom_core::record::{Body, Episode, Origin, Referent};
use heirloom_core::transcript;
use heirloom_store::{git, state};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::start::OpenSession;
use crate::memory::{
    MemorySlice, OPEN_SESSIONS, WriteTransaction, drop_fields_with_secrets,
    episode_from_transcript, lifecycle,
};
use crate::ops::answers::StoredRecord;
use crate::workspace::catalog::Catalog;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionEnd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id of the session, or the end of the id; optional if only one is open.
    #[serde(default)]
    id: Option<String>,
    /// Title of the episode.
    #[serde(default)]
    title: Option<String>,
    /// Outcome of the session.
    #[serde(default)]
    outcome: Option<String>,
    /// Number of turns; default: counted in the transcript.
    #[serde(default)]
    turns: Option<u64>,
    /// Number of tool calls; default: counted in the transcript.
    #[serde(default)]
    tool_calls: Option<u64>,
    /// Transcript of the session: of Claude Code or Codex, JSON Lines, or text.
    #[serde(default)]
    #[schemars(extend("contentMediaType" = "text/plain"))]
    transcript: Option<String>,
}

impl Operation for SessionEnd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "session_end",
        usage: "session end [id]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "End a work session and store an episode of it, tagged auto: title, duration, turns, tool calls, files, commits and stored records.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let folder = state::StateFolder::in_state(session.root(), OPEN_SESSIONS);
        let open = find_open(session, request.id.as_deref())?;
        let started: Option<Timestamp> = open.started.parse().ok();
        let catalog = Catalog::read(session)?;
        let known = lifecycle::read_ingested_since(session, &catalog.adrs, started)?;
        let transcript =
            request.transcript.as_deref().map(|text| transcript::parse("transcript", text));
        let mut episode = transcript
            .as_ref()
            .map(|transcript| episode_from_transcript(session, transcript))
            .unwrap_or_default();
        let changes = git::changes_since(session.root(), open.commit.as_deref());
        let title = request.title.or(open.title.clone());
        if let Some(title) =
            title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty())
        {
            episode.title = title;
        } else if episode.title.is_empty() {
            episode.title = format!("Session of {}", session.today());
        }
        episode.outcome = request.outcome.or(episode.outcome);
        episode.turns = request.turns.or(episode.turns).or(Some(0));
        episode.tool_calls = request.tool_calls.or(episode.tool_calls).or(Some(0));
        let seconds = started.map(|started| session.now().as_second() - started.as_second());
        episode.duration_seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        episode.files.extend(changes.files.into_iter().filter(|file| !is_memory_file(file)));
        let changed = changes.changed.into_iter().filter(|file| !is_memory_file(file));
        episode.files.extend(changed.filter(|file| changed_since(session, file, started)));
        episode.files.sort();
        episode.files.dedup();
        episode.commits = changes.commits;
        episode.stored = stored_since(&known, started, &open.by);
        if episode.content.is_empty() {
            episode.content = describe(&episode);
        }
        let (episode, left_out) = drop_fields_with_secrets(episode);
        let mut record = transaction.new_record(Body::Episode(Box::new(episode)));
        record.tags = vec!["auto".to_owned()];
        record.origin = Some(Origin::session(&open.id));
        transaction.write(&known, &record)?;
        let ingested = lifecycle::ingest_all(&mut transaction, &catalog, &known);
        transaction.commit()?;
        folder.remove(&open.id)?;
        let not_ingested = ingested.left_out.iter().map(ToString::to_string);
        let notes = left_out.into_iter().chain(changes.problem).chain(not_ingested);
        let notes = notes.map(Hint::from).collect();
        Ok(StoredRecord { notes, ..StoredRecord::of("stored", &record) })
    }
}

/// Returns whether a file belongs to the memory itself, which is not part of the work.
fn is_memory_file(file: &str) -> bool {
    file.starts_with(".heirloom/memory/") || file.ends_with(".memory.md")
}

/// Returns whether an uncommitted file was modified since the session started.
fn changed_since(session: &Session, file: &str, started: Option<Timestamp>) -> bool {
    let modified = session.root().metadata(file).ok().flatten().and_then(|m| m.modified().ok());
    let modified = modified.and_then(|modified| Timestamp::try_from(modified.into_std()).ok());
    started.zip(modified).is_none_or(|(started, modified)| modified >= started)
}

/// Finds an open session by the end of its id, or the only one that is open.
fn find_open(session: &Session, id: Option<&str>) -> Result<OpenSession, Error> {
    let (mut open, problems) = super::list::read_open(session)?;
    let described = |open: &[OpenSession]| {
        open.iter()
            .map(|session| {
                let title = session.title.as_deref().unwrap_or(&session.started);
                format!("{} {title}", session.id)
            })
            .collect::<Vec<_>>()
    };
    let all = described(&open);
    if let Some(id) = id {
        open.retain(|session| session.id.ends_with(id.trim()));
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        0 if all.is_empty() => {
            let hint = match problems.first() {
                Some(problem) => Hint::from(problem),
                None => Hint::text("start one with ").operation("session_start"),
            };
            Err(Error::not_found("no session is open", all).hint(hint))
        }
        0 => Err(Error::not_found("no open session has this id", all)),
        _ => Err(Error::not_found("several sessions are open", described(&open))
            .hint("give the id of one of them")),
    }
}

/// Returns the shared records that an author stored since the start.
fn stored_since(known: &MemorySlice, started: Option<Timestamp>, by: &str) -> Vec<Referent> {
    let Some(started) = started else { return vec![] };
    let records = known.memory.records().filter(|record| {
        record.at >= started
            && record.by == by
            && record.kind().spec().is_recallable
            && !record.is_private()
    });
    records.map(|record| record.id.into()).collect()
}

/// Describes a session without a transcript in a sentence or two.
fn describe(episode: &Episode) -> String {
    let minutes = episode.duration_seconds.unwrap_or_default() / 60;
    let count = |n: usize, what: &str| crate::view::present::count(n, what);
    let mut text = format!(
        "Lasted {}; {}, {} and {} stored.",
        count(usize::try_from(minutes).unwrap_or_default(), "minute"),
        count(episode.files.len(), "file"),
        count(episode.commits.len(), "commit"),
        count(episode.stored.len(), "record"),
    );
    if !episode.commits.is_empty() {
        text.push_str(&format!(" Commits: {}.", episode.commits.join("; ")));
    }
    text
}
