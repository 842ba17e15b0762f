//! Heirloom itself, in this process; documents become lines of a memory log.

use std::collections::HashSet;
use std::path::Path;

use heirloom_core::record::{Body, Note, Record};
use heirloom_engine::setup::init;
use heirloom_engine::{OPS, Op, ProcessCache, Session, ops};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::dataset::{Document, Question};
use super::measures::DEPTHS;
use super::memory_system::MemorySystem;
use crate::failure::Failure;
use crate::files;
use crate::ids::uuid_v7;
use crate::scratch::temporary_folder;

/// The file of the log that documents are written to.
const SHARD_PATH: &str = ".heirloom/memory/note/2000-01-measured.jsonl";

/// Heirloom, in this process.
pub(crate) struct Heir {
    op: &'static Op,
    folder: TempDir,
    now: Timestamp,
    cache: ProcessCache,
    /// How many hits come before the standing instructions; `None` without them.
    hits_before_instructions: Option<usize>,
    /// Whether sessions are asked for, and returned as groups.
    asks_for_sessions: bool,
}

impl Heir {
    /// Creates an empty memory in a temporary folder.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = temporary_folder()?;
        let op = OPS
            .iter()
            .find(|op| op.spec.name == "memory_recall")
            .ok_or_else(|| Failure::new("the operation `memory_recall` does not exist"))?;
        let cache = ProcessCache::default();
        cache.make_long_lived();
        let now = Timestamp::UNIX_EPOCH;
        let (hits_before_instructions, asks_for_sessions) = (None, false);
        Ok(Heir { op, folder, now, cache, hits_before_instructions, asks_for_sessions })
    }

    /// Asks for sessions.
    pub(crate) fn asking_for_sessions(mut self) -> Self {
        self.asks_for_sessions = true;
        self
    }

    /// Puts the standing instructions of an answer after some of its hits.
    pub(crate) fn with_instructions(mut self, hits_before: Option<usize>) -> Self {
        self.hits_before_instructions = hits_before;
        self
    }

    /// Runs the operation `memory_recall`, and returns the sources of its hits, or the ids of its sessions.
    fn recall(&self, now: Timestamp, query: &str, limit: usize) -> Result<Vec<String>, Failure> {
        let failed = |error: heirloom_engine::Error| Failure::new(error.message);
        let session = Session::open(self.folder.path(), now).map_err(failed)?;
        let session = session.without_token_counts().with_process_cache(self.cache.clone());
        let limit = self.hits_before_instructions.map_or(limit, |before| before.min(limit));
        let request = match self.asks_for_sessions {
            true => json!({"query": query, "limit": DEPTHS[DEPTHS.len() - 1], "sessions": true}),
            false => json!({"query": query, "limit": limit}),
        };
        let reply = ops::run(self.op, &session, request).map_err(failed)?;
        let data = reply.data(&|hint| format!("{hint:?}"));
        if self.asks_for_sessions {
            let sessions = data["sessions"].as_array().into_iter().flatten();
            let ids = sessions.filter_map(|session| session["session"].as_str());
            return Ok(ids.map(str::to_owned).collect());
        }
        let sources = |list: &str| -> Vec<String> {
            let hits = data[list].as_array().into_iter().flatten();
            hits.filter_map(|hit| hit["source"].as_str()).map(str::to_owned).collect()
        };
        let mut found = sources("hits");
        if let Some(hits_before) = self.hits_before_instructions {
            let later = found.split_off(hits_before.min(found.len()));
            found.extend(sources("instructions"));
            found.extend(later);
            let mut seen = HashSet::new();
            found.retain(|source| seen.insert(source.clone()));
        }
        Ok(found)
    }
}

impl MemorySystem for Heir {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.now = create_workspace(self.folder.path(), documents)?;
        // The first question builds the index, which is not part of the latency of a question.
        self.recall(self.now, "first", 1).map(drop)
    }

    fn ask(&mut self, question: &Question, limit: usize) -> Result<Vec<String>, Failure> {
        let asked_at = question.at.as_deref().and_then(parse_time).unwrap_or(self.now);
        self.recall(asked_at, &question.text, limit)
    }
}

/// Creates a workspace with documents in an empty folder. Returns the time of the last document, at
/// which questions are asked that state no time.
pub(crate) fn create_workspace(
    folder: &Path,
    documents: &[Document],
) -> Result<Timestamp, Failure> {
    let times = documents.iter().filter_map(|document| parse_time(document.at.as_deref()?));
    let now = times.max().unwrap_or(Timestamp::UNIX_EPOCH);
    let request =
        init::Request { folder, hierarchy: "plans", name: Some("measured"), today: day_of(now) };
    init::run(&request).map_err(|error| Failure::new(error.message))?;
    write_log(&folder.join(SHARD_PATH), documents)?;
    Ok(now)
}

/// Writes documents as notes of the log, with their ids as sources and their groups as sessions.
fn write_log(shard: &Path, documents: &[Document]) -> Result<(), Failure> {
    let mut text = String::new();
    for (number, document) in documents.iter().enumerate() {
        let at = document.at.as_deref().and_then(parse_time).unwrap_or(Timestamp::UNIX_EPOCH);
        let body = Body::Note(Note { content: document.text.clone() });
        let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
        let mut record = Record::new(uuid_v7(millis, number as u64), at, "measured", body);
        record.source = Some(document.doc.clone());
        record.session.clone_from(&document.group);
        let line: Value =
            serde_json::to_value(&record).map_err(|error| Failure::new(error.to_string()))?;
        text.push_str(&line.to_string());
        text.push('\n');
    }
    files::write(shard, &text)
}

/// Parses a timestamp, or a date and time, or a date, both of which are in UTC.
pub(crate) fn parse_time(text: &str) -> Option<Timestamp> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let civil: DateTime =
        text.parse().ok().or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn day_of(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}
