//! The tables of an index of transcripts.

use heirloom_core::recall::Slot;
use rusqlite::{Connection, params};

use super::StoredTranscript;
use crate::IndexError;
use crate::tables::segments;
use crate::tables::state::{self, EmbedderId};

const SCHEMA: &str = "
CREATE TABLE transcript(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, session TEXT, title TEXT, stamp TEXT,
    state TEXT NOT NULL, bytes INTEGER NOT NULL, problems TEXT NOT NULL);
CREATE TABLE run(first INTEGER PRIMARY KEY, slots INTEGER NOT NULL, transcript INTEGER NOT NULL);
CREATE INDEX run_of_transcript ON run(transcript);
CREATE TABLE foreign_file(hash INTEGER PRIMARY KEY);
";

/// Consecutive slots of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: Slot,
    pub(super) slots: u32,
    /// The id of the transcript.
    pub(super) transcript: i64,
}

impl Run {
    /// Returns the slot after the last one.
    pub(super) fn end(&self) -> Slot {
        self.first + self.slots
    }
}

/// Returns the number of the run that a slot is in.
pub(super) fn run_of(runs: &[Run], slot: Slot) -> Option<usize> {
    let at = runs.partition_point(|run| run.first <= slot).checked_sub(1)?;
    (slot < runs[at].end()).then_some(at)
}

/// Creates the tables in a new database.
pub(super) fn create(db: &Connection, embedder: &EmbedderId) -> Result<(), IndexError> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    for schema in [state::SCHEMA, segments::SCHEMA, SCHEMA] {
        db.execute_batch(schema)?;
    }
    state::initialise(db, embedder)?;
    Ok(db.execute_batch("COMMIT")?)
}

/// Reads the transcripts, by id.
pub(super) fn transcripts(db: &Connection) -> Result<Vec<StoredTranscript>, IndexError> {
    let mut query = db.prepare(
        "SELECT id, name, agent, session, title, stamp, state, bytes, problems FROM transcript ORDER BY id",
    )?;
    let rows = query.query_map([], |row| {
        let problems: String = row.get(8)?;
        Ok(StoredTranscript {
            id: row.get(0)?,
            name: row.get(1)?,
            agent: row.get(2)?,
            session: row.get(3)?,
            title: row.get(4)?,
            stamp: row.get(5)?,
            state: row.get(6)?,
            bytes: row.get::<_, i64>(7)?.cast_unsigned(),
            problems: serde_json::from_str(&problems).unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes a transcript and returns its id; an id of 0 is given a new one.
pub(super) fn write_transcript(
    db: &Connection,
    transcript: &StoredTranscript,
) -> Result<i64, IndexError> {
    let StoredTranscript { id, name, agent, session, title, stamp, state, bytes, problems } =
        transcript;
    let problems =
        serde_json::to_string(problems).map_err(|error| IndexError::damaged(error.to_string()))?;
    let id = (*id != 0).then_some(id);
    db.prepare_cached("INSERT OR REPLACE INTO transcript VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(params![
            id,
            name,
            agent,
            session,
            title,
            stamp,
            state,
            bytes.cast_signed(),
            problems
        ])?;
    Ok(db.last_insert_rowid())
}

/// Removes a transcript.
pub(super) fn remove_transcript(db: &Connection, id: i64) -> Result<(), IndexError> {
    remove_runs(db, id)?;
    db.prepare_cached("DELETE FROM transcript WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// Removes the runs of a transcript, so that its slots are free.
pub(super) fn remove_runs(db: &Connection, transcript: i64) -> Result<(), IndexError> {
    db.prepare_cached("DELETE FROM run WHERE transcript = ?")?.execute([transcript])?;
    Ok(())
}

/// Reads the runs, by slot.
pub(super) fn runs(db: &Connection) -> Result<Vec<Run>, IndexError> {
    let mut query = db.prepare("SELECT first, slots, transcript FROM run ORDER BY first")?;
    let rows = query.query_map([], |row| {
        Ok(Run { first: row.get(0)?, slots: row.get(1)?, transcript: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a run.
pub(super) fn insert_run(db: &Connection, run: &Run) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT INTO run VALUES(?, ?, ?)")?;
    insert.execute(params![run.first, run.slots, run.transcript])?;
    Ok(())
}

/// Reads the hashes of the files of clients that belong to other workspaces.
pub(super) fn foreign_files(db: &Connection) -> Result<Vec<u64>, IndexError> {
    let mut query = db.prepare("SELECT hash FROM foreign_file")?;
    let rows = query.query_map([], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds the hash of a file of a client that belongs to another workspace.
pub(super) fn insert_foreign_file(db: &Connection, hash: u64) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO foreign_file VALUES(?)")?;
    insert.execute([hash.cast_signed()])?;
    Ok(())
}
