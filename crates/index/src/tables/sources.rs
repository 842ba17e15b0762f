//! The table `source`: the files that were read, and how far.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use crate::IndexError;

pub(super) const SCHEMA: &str = "
CREATE TABLE source(
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, is_local INTEGER NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL,
    fingerprint BLOB NOT NULL, lines INTEGER NOT NULL, problems TEXT NOT NULL);
";

/// A file that was read, and how far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The path, relative to the root or to the machine's local state.
    pub path: String,
    /// Whether the file is in the machine's local state.
    pub is_local: bool,
    /// How many bytes were read.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970.
    pub modified_nanoseconds: i64,
    /// A hash of the content, or of the end of what was read, to recognise an unchanged file.
    pub fingerprint: Vec<u8>,
    /// How many lines were read.
    pub lines: usize,
    /// The problems found in the file, encoded by the caller.
    pub problems: String,
}

/// Reads all sources, by path.
pub(crate) fn all(db: &Connection) -> Result<BTreeMap<String, Source>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT path, is_local, size, modified, fingerprint, lines, problems FROM source",
    )?;
    let rows = query.query_map([], |row| {
        let size: i64 = row.get(2)?;
        let lines: i64 = row.get(5)?;
        Ok(Source {
            path: row.get(0)?,
            is_local: row.get(1)?,
            size: u64::try_from(size).unwrap_or_default(),
            modified_nanoseconds: row.get(3)?,
            fingerprint: row.get(4)?,
            lines: usize::try_from(lines).unwrap_or_default(),
            problems: row.get(6)?,
        })
    })?;
    let by_path = rows.map(|source| source.map(|source| (source.path.clone(), source)));
    Ok(by_path.collect::<Result<_, _>>()?)
}

/// Returns the id of the source at a path.
pub(crate) fn find_id(db: &Connection, path: &str) -> Result<Option<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT id FROM source WHERE path = ?")?;
    Ok(query.query_row([path], |row| row.get(0)).optional()?)
}

/// Returns the path of a source, and whether it is local.
pub(crate) fn location(db: &Connection, id: i64) -> Result<(Arc<str>, bool), IndexError> {
    let mut query = db.prepare_cached("SELECT path, is_local FROM source WHERE id = ?")?;
    Ok(query.query_row([id], |row| {
        let path: String = row.get(0)?;
        Ok((path.into(), row.get(1)?))
    })?)
}

/// Adds a source of which nothing is read yet, and returns its id.
pub(crate) fn insert(db: &Connection, path: &str) -> Result<i64, IndexError> {
    let mut insert = db.prepare_cached(
        "INSERT INTO source(path, is_local, size, modified, fingerprint, lines, problems)
         VALUES(?, 0, 0, 0, x'', 0, '')",
    )?;
    Ok(insert.insert([path])?)
}

/// Writes everything about a source but its path.
pub(crate) fn update(db: &Connection, id: i64, source: &Source) -> Result<(), IndexError> {
    let mut update = db.prepare_cached(
        "UPDATE source SET is_local = ?, size = ?, modified = ?, fingerprint = ?,
         lines = ?, problems = ? WHERE id = ?",
    )?;
    update.execute(params![
        source.is_local,
        i64::try_from(source.size).unwrap_or_default(),
        source.modified_nanoseconds,
        source.fingerprint,
        i64::try_from(source.lines).unwrap_or_default(),
        source.problems,
        id
    ])?;
    Ok(())
}

/// Removes a source.
pub(crate) fn delete(db: &Connection, id: i64) -> Result<(), IndexError> {
    db.execute("DELETE FROM source WHERE id = ?", [id])?;
    Ok(())
}
