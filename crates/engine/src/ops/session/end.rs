//! `session end`: makes an episode of a session of work.

use heirloom_core::record::{Body, Episode, Kind};
use heirloom_core::transcript;
use heirloom_store::{git, state};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::start::Open;
use crate::memory::{
    MemorySlice, OPEN_SESSIONS, WriteTransaction, episode_of, lifecycle, without_secrets,
};
use crate::ops::answers::Stored;
use crate::workspace::catalog::Catalog;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionEnd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The session, by its id or the end of it; not needed while only one is open.
    #[serde(default)]
    id: Option<String>,
    /// What to call the episode.
    #[serde(default)]
    title: Option<String>,
    /// How it ended.
    #[serde(default)]
    outcome: Option<String>,
    /// How often somebody spoke; else as the transcript says.
    #[serde(default)]
    turns: Option<u64>,
    /// How often a tool was used; else as the transcript says.
    #[serde(default)]
    tool_calls: Option<u64>,
    /// The session's transcript, of Claude Code, Codex, JSON Lines or text.
    #[serde(default)]
    #[schemars(extend("contentMediaType" = "text/plain"))]
    transcript: Option<String>,
}

impl Operation for SessionEnd {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "session_end",
        usage: "session end [id]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "End a session of work and store an episode of it: title, duration, turns, tool calls, files, commits and what was stored, tagged auto.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let shelf = state::Shelf::of(session.root(), OPEN_SESSIONS);
        let open = find(session, request.id.as_deref())?;
        let started: Option<Timestamp> = open.started.parse().ok();
        let catalog = Catalog::read(session)?;
        let known = lifecycle::known_since(session, &catalog.adrs, started)?;
        let transcript =
            request.transcript.as_deref().map(|text| transcript::read("transcript", text));
        let mut episode = transcript.as_ref().map(|it| episode_of(session, it)).unwrap_or_default();
        let done = git::since(session.root(), open.commit.as_deref());
        let title = request.title.or(open.title.clone());
        if let Some(title) = title.map(|title| title.trim().to_owned()).filter(|t| !t.is_empty()) {
            episode.title = title;
        } else if episode.title.is_empty() {
            episode.title = format!("Session of {}", session.today());
        }
        episode.outcome = request.outcome.or(episode.outcome);
        episode.turns = request.turns.or(episode.turns).or(Some(0));
        episode.tool_calls = request.tool_calls.or(episode.tool_calls).or(Some(0));
        let seconds = started.map(|started| session.now().as_second() - started.as_second());
        episode.duration_seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        episode.files.extend(done.files.into_iter().filter(|file| !is_ours(file)));
        let changed = done.changed.into_iter().filter(|file| !is_ours(file));
        episode.files.extend(changed.filter(|file| changed_since(session, file, started)));
        episode.files.sort();
        episode.files.dedup();
        episode.commits = done.commits;
        episode.stored = stored_since(&known, started, &open.by);
        if episode.content.is_empty() {
            episode.content = told(&episode);
        }
        let (episode, left_out) = without_secrets(episode);
        let mut record = transaction.record(Body::Episode(Box::new(episode)));
        record.tags = vec!["auto".to_owned()];
        record.origin = Some(format!("session:{}", open.id));
        transaction.write(&known, &record)?;
        let ingested = lifecycle::ingest_all(&mut transaction, &catalog, &known);
        transaction.commit()?;
        shelf.remove(&open.id)?;
        let notes = left_out.into_iter().chain(done.problem).chain(ingested.left_out).collect();
        Ok(Stored { notes, ..Stored::of("stored", &record) })
    }
}

/// Memory itself is no file that was worked on.
fn is_ours(file: &str) -> bool {
    file.starts_with(".heirloom/memory/") || file.ends_with(".memory.md")
}

/// Whether a file that is not committed was touched since the session began.
fn changed_since(session: &Session, file: &str, started: Option<Timestamp>) -> bool {
    let modified = session.root().metadata(file).ok().flatten().and_then(|m| m.modified().ok());
    let modified = modified.and_then(|modified| Timestamp::try_from(modified.into_std()).ok());
    started.zip(modified).is_none_or(|(started, modified)| modified >= started)
}

fn find(session: &Session, typed: Option<&str>) -> Result<Open, Error> {
    let (mut open, problems) = super::list::open(session)?;
    let described = |open: &[Open]| {
        open.iter()
            .map(|one| format!("{} {}", one.id, one.title.as_deref().unwrap_or(&one.started)))
            .collect::<Vec<_>>()
    };
    let all = described(&open);
    if let Some(typed) = typed {
        open.retain(|one| one.id.ends_with(typed.trim()));
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        0 if all.is_empty() => {
            let hint = match problems.first() {
                Some(problem) => problem.clone(),
                None => "begin one with `heir session start`".to_owned(),
            };
            Err(Error::not_found("no session is open", all).hint(hint))
        }
        0 => Err(Error::not_found("no such session is open", all)),
        _ => Err(Error::not_found("several sessions are open", described(&open))
            .hint("name one by its id")),
    }
}

/// The records that somebody stored since a moment.
fn stored_since(known: &MemorySlice, started: Option<Timestamp>, by: &str) -> Vec<String> {
    let Some(started) = started else { return vec![] };
    let records = known.memory.records().filter(|record| {
        record.at >= started
            && record.by == by
            && Kind::REMEMBERED.contains(&record.kind())
            && !record.is_private()
    });
    records.map(|record| record.id.to_string()).collect()
}

/// A session without a transcript, in a sentence or two.
fn told(episode: &Episode) -> String {
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
