//! The tables.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use crate::IndexError;
use crate::slots::Slots;

/// The version of the tables, of the segments, and of which words and marks a record is found by; an
/// index of another one is made anew.
pub(crate) const VERSION: i64 = 16;

const TABLES: &str = "
CREATE TABLE state(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE segment(number INTEGER PRIMARY KEY, file TEXT NOT NULL, slots INTEGER NOT NULL);
CREATE TABLE block(number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE source(
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, is_local INTEGER NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL,
    mark BLOB NOT NULL, lines INTEGER NOT NULL, problems TEXT NOT NULL);
CREATE TABLE line(id INTEGER PRIMARY KEY, component INTEGER, json BLOB NOT NULL);
CREATE INDEX line_component ON line(component) WHERE component IS NOT NULL;
CREATE TABLE trouble(path TEXT NOT NULL, line INTEGER NOT NULL, problem TEXT NOT NULL,
    PRIMARY KEY(path, line)) WITHOUT ROWID;
CREATE TABLE link(edge TEXT NOT NULL, end INTEGER NOT NULL, name TEXT NOT NULL, head TEXT NOT NULL);
CREATE INDEX link_edge ON link(edge);
CREATE INDEX link_name ON link(name);
CREATE INDEX link_head ON link(head);
CREATE TABLE tie(hash INTEGER PRIMARY KEY, component INTEGER NOT NULL);
CREATE TABLE passage(
    slot INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, subject TEXT, source INTEGER,
    grouped INTEGER, position INTEGER NOT NULL, fingerprint BLOB NOT NULL, repeats TEXT,
    data TEXT);
CREATE INDEX passage_source ON passage(source) WHERE source IS NOT NULL;
CREATE INDEX passage_subject ON passage(subject) WHERE subject IS NOT NULL;
CREATE INDEX passage_group ON passage(grouped, position) WHERE grouped IS NOT NULL;
CREATE INDEX passage_repeats ON passage(repeats) WHERE repeats IS NOT NULL;
";

/// So many bytes of the tables are read where they lie.
const MAPPED: i64 = 1 << 30;

/// Prepares a connection. The index is derived, so a commit need not reach the disk at once: what
/// a power cut takes is made anew.
pub(crate) fn prepare(db: &Connection) -> Result<(), IndexError> {
    db.busy_timeout(std::time::Duration::from_secs(20))?;
    // Otherwise a join is planned anew for every value that it is asked with.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.pragma_update(None, "synchronous", "OFF")?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "cache_size", -16_000)?;
    db.pragma_update(None, "mmap_size", MAPPED)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Makes the tables, for one who is alone with them.
pub(crate) fn create(db: &Connection, embedder: &str, dimensions: usize) -> Result<(), IndexError> {
    db.pragma_update(None, "page_size", 8192)?;
    // What is written for the first time is not read where it lies.
    db.pragma_update(None, "mmap_size", 0)?;
    db.pragma_update(None, "journal_mode", "OFF")?;
    db.execute_batch("BEGIN IMMEDIATE")?;
    db.execute_batch(TABLES)?;
    set(db, "version", VERSION)?;
    set(db, "generation", 0)?;
    set(db, "dimensions", i64::try_from(dimensions).unwrap_or_default())?;
    db.execute("INSERT INTO state VALUES('embedder', ?)", [embedder])?;
    db.execute_batch("COMMIT")?;
    Ok(())
}

/// Prepares tables for several who read them while one writes.
pub(crate) fn share(db: &Connection) -> Result<(), IndexError> {
    db.pragma_update(None, "journal_mode", "WAL")?;
    Ok(db.pragma_update(None, "mmap_size", MAPPED)?)
}

/// Reads a number of the state.
pub(crate) fn get(db: &Connection, key: &str) -> Result<Option<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT value FROM state WHERE key = ?")?;
    Ok(query.query_row([key], |row| row.get(0)).optional()?)
}

/// Writes a number of the state.
pub(crate) fn set(db: &Connection, key: &str, value: i64) -> Result<(), IndexError> {
    db.execute("INSERT OR REPLACE INTO state VALUES(?, ?)", params![key, value])?;
    Ok(())
}

/// Reads which embedder made the vectors.
pub(crate) fn embedder(db: &Connection) -> Result<Option<String>, IndexError> {
    let mut query = db.prepare_cached("SELECT value FROM state WHERE key = 'embedder'")?;
    Ok(query.query_row([], |row| row.get(0)).optional()?)
}

/// Reads what is known of each slot.
pub(crate) fn slots(db: &Connection) -> Result<Slots, IndexError> {
    let mut slots = Slots::default();
    let mut query = db.prepare_cached("SELECT data FROM block ORDER BY number")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let block =
            row.get_ref(0)?.as_blob().map_err(|_| IndexError::damaged("a block of slots"))?;
        slots.take_block(block)?;
    }
    Ok(slots)
}

/// Writes the slots that changed.
pub(crate) fn write_slots(db: &Connection, slots: &mut Slots) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO block VALUES(?, ?)")?;
    for (number, data) in slots.changed_blocks() {
        insert.execute(params![i64::try_from(number).unwrap_or_default(), data])?;
    }
    Ok(())
}

/// Reads which segments there are, in order: file and how many slots it has.
pub(crate) fn segments(db: &Connection) -> Result<Vec<(i64, String, u32)>, IndexError> {
    let mut query = db.prepare_cached("SELECT number, file, slots FROM segment ORDER BY number")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
