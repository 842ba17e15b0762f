//! Heirloom itself, asked as a user asks: documents are lines of a memory log.

use std::path::Path;

use heirloom_core::record::{Body, Note, Record};
use heirloom_engine::setup::init;
use heirloom_engine::{OPS, Op, ProcessCache, Session};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use super::contender::Contender;
use super::conversation::{Asked, Document};
use crate::failure::Failure;

/// Where the documents are written.
const SHARD: &str = ".heirloom/memory/note/2000-01-measured.jsonl";

/// Heirloom, in this process.
pub(crate) struct Heir {
    op: &'static Op,
    folder: TempDir,
    now: Timestamp,
    cache: ProcessCache,
}

impl Heir {
    /// Makes an empty memory.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder =
            tempfile::tempdir().map_err(Failure::io("making", Path::new("a temporary folder")))?;
        let op = OPS
            .iter()
            .find(|op| op.spec.name == "memory_recall")
            .ok_or_else(|| Failure::new("there is no recall"))?;
        let cache = ProcessCache::default();
        cache.make_long_lived();
        Ok(Heir { op, folder, now: Timestamp::UNIX_EPOCH, cache })
    }

    /// Asks as a user asks, and returns where what was found comes from.
    fn recall(&self, now: Timestamp, query: &str, limit: usize) -> Result<Vec<String>, Failure> {
        let failed = |error: heirloom_engine::Error| Failure::new(error.message);
        let session = Session::at(self.folder.path(), now).map_err(failed)?;
        let session = session.without_token_counts().with_process_cache(self.cache.clone());
        let request = json!({"query": query, "limit": limit});
        let data = self.op.call(&session, request).map_err(failed)?.data();
        let hits = data["hits"].as_array().cloned().unwrap_or_default();
        let sources = hits.iter().filter_map(|hit| hit["source"].as_str());
        Ok(sources.map(str::to_owned).collect())
    }
}

impl Contender for Heir {
    fn load(&mut self, documents: &[Document]) -> Result<(), Failure> {
        self.now = make_memory(self.folder.path(), documents)?;
        // The first question finds the memory unread; what that costs is not what a question costs.
        self.recall(self.now, "first", 1).map(drop)
    }

    fn ask(&mut self, question: &Asked, limit: usize) -> Result<Vec<String>, Failure> {
        let asked_at = question.at.as_deref().and_then(moment).unwrap_or(self.now);
        self.recall(asked_at, &question.text, limit)
    }
}

/// Makes a memory of documents in an empty folder, and returns the moment after the last of them, at
/// which questions are asked unless they say when.
pub(crate) fn make_memory(folder: &Path, documents: &[Document]) -> Result<Timestamp, Failure> {
    let moments = documents.iter().filter_map(|document| moment(document.at.as_deref()?));
    let now = moments.max().unwrap_or(Timestamp::UNIX_EPOCH);
    let request =
        init::Request { folder, hierarchy: "plans", name: Some("measured"), today: day_of(now) };
    init::run(&request).map_err(|error| Failure::new(error.message))?;
    write(&folder.join(SHARD), documents)?;
    Ok(now)
}

/// Writes documents as lines of the log: each keeps its id as source and its group as session.
fn write(shard: &Path, documents: &[Document]) -> Result<(), Failure> {
    let mut text = String::new();
    for (at, document) in documents.iter().enumerate() {
        let moment = document.at.as_deref().and_then(moment).unwrap_or(Timestamp::UNIX_EPOCH);
        let body = Body::Note(Note { content: document.text.clone() });
        let mut record = Record::new(id_of(moment, at as u64), moment, "measured", body);
        record.source = Some(document.doc.clone());
        record.session.clone_from(&document.group);
        let line: Value =
            serde_json::to_value(&record).map_err(|error| Failure::new(error.to_string()))?;
        text.push_str(&line.to_string());
        text.push('\n');
    }
    if let Some(folder) = shard.parent() {
        std::fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    }
    std::fs::write(shard, text).map_err(Failure::io("writing", shard))
}

/// An id of a moment that keeps the order in which documents come.
fn id_of(moment: Timestamp, at: u64) -> Uuid {
    let millis = u64::try_from(moment.as_millisecond()).unwrap_or_default();
    let high = millis << 16 | 0x7000;
    let low = 0x8000_0000_0000_0000 | at;
    Uuid::from_u64_pair(high, low)
}

fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let civil: DateTime =
        text.parse().ok().or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn day_of(moment: Timestamp) -> Date {
    moment.to_zoned(TimeZone::UTC).date()
}
