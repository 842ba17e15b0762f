//! A workspace whose memories come in over time, in this process.

use std::path::Path;

use heirloom_core::record::{Body, Note, Record};
use heirloom_engine::setup::init;
use heirloom_engine::{OPS, ProcessCache, Session, ops};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::files;
use crate::ids::uuid_v7;
use crate::recall::dataset::Document;
use crate::recall::parse_time;
use crate::scratch::temporary_folder;

/// The file of the log that memories are written to.
const SHARD_PATH: &str = ".heirloom/memory/note/2000-01-measured.jsonl";

/// A workspace in a temporary folder.
pub(super) struct MeasuredWorkspace {
    folder: TempDir,
    cache: ProcessCache,
    log: String,
}

impl MeasuredWorkspace {
    /// Creates a workspace without memories.
    pub(super) fn new(now: Timestamp) -> Result<Self, Failure> {
        let folder = temporary_folder()?;
        let today = now.to_zoned(TimeZone::UTC).date();
        let request = init::Request {
            folder: folder.path(),
            hierarchy: "plans",
            name: Some("measured"),
            today,
        };
        init::run(&request).map_err(|error| Failure::new(error.message))?;
        let cache = ProcessCache::default();
        cache.make_long_lived();
        Ok(MeasuredWorkspace { folder, cache, log: String::new() })
    }

    /// Returns its folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Adds documents as notes of the log, with their ids as sources and their groups as sessions.
    pub(super) fn add(&mut self, documents: &[(usize, &Document)]) -> Result<(), Failure> {
        for (number, document) in documents {
            let at = time_of(document);
            let body = Body::Note(Note { content: document.text.clone() });
            let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
            let mut record = Record::new(uuid_v7(millis, *number as u64), at, "measured", body);
            record.source = Some(document.doc.clone());
            record.session.clone_from(&document.group);
            let line = serde_json::to_string(&record);
            self.log.push_str(&line.map_err(|error| Failure::new(error.to_string()))?);
            self.log.push('\n');
        }
        files::write(&self.path().join(SHARD_PATH), &self.log)
    }

    /// Runs an operation at a time.
    pub(super) fn run(&self, now: Timestamp, name: &str, request: Value) -> Result<Value, Failure> {
        let failed =
            |error: heirloom_engine::Error| Failure::new(format!("{name}: {}", error.message));
        let op = OPS.iter().find(|op| op.spec.name == name);
        let op =
            op.ok_or_else(|| Failure::new(format!("the operation `{name}` does not exist")))?;
        let session = Session::open(self.path(), now).map_err(failed)?;
        let session = session.without_token_counts().with_process_cache(self.cache.clone());
        let reply = ops::run(op, &session, request).map_err(failed)?;
        Ok(reply.data(&|hint| format!("{hint:?}")))
    }
}

/// Returns when a document was written.
pub(super) fn time_of(document: &Document) -> Timestamp {
    document.at.as_deref().and_then(parse_time).unwrap_or(Timestamp::UNIX_EPOCH)
}
