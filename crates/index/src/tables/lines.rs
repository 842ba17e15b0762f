//! The tables `line` and `name_component`: the lines of the log, and the connected component that
//! each line and each name belongs to.
//!
//! A component has the row id of one of its lines as its id. A line that is alone in its component
//! has no component in its row.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroI64;
use std::sync::Arc;

use heirloom_core::fold::{Line, LineLocation, Memory, fold};
use heirloom_core::parallel;
use heirloom_core::record::{self, Record};
use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::sources;
use crate::IndexError;
use crate::compression::{Decompressor, compress, is_long};
use crate::name_hash::IdSuffix;

pub(super) const SCHEMA: &str = "
CREATE TABLE line(id INTEGER PRIMARY KEY, component INTEGER, json BLOB NOT NULL);
CREATE INDEX line_component ON line(component) WHERE component IS NOT NULL;
CREATE TABLE name_component(name_hash INTEGER PRIMARY KEY, component INTEGER NOT NULL);
";

/// How many lines are compressed at once.
const LINES_PER_BATCH: usize = 1024;

/// How many of them a thread must have to be worth starting.
const MIN_LINES_PER_THREAD: usize = 256;

/// The bits of a row id that hold the line number; the others hold the source.
const LINE_NUMBER_MASK: i64 = 0xffff_ffff;

/// Returns the row id of a line of a source.
pub(crate) fn row_id(source: i64, line: usize) -> i64 {
    source << 32 | line as i64 & LINE_NUMBER_MASK
}

/// Returns the source of a row id.
pub(crate) fn source_of(row_id: i64) -> i64 {
    row_id >> 32
}

/// A line of the log with its row id.
#[derive(Debug)]
pub(crate) struct StoredLine {
    pub(crate) id: i64,
    pub(crate) line: Box<Line>,
}

/// Folds lines; with `as_of`, as of that time.
pub(crate) fn fold_lines(lines: Vec<StoredLine>, as_of: Option<Timestamp>) -> Memory {
    fold(lines.into_iter().map(|stored| stored.line), as_of)
}

/// Reads the components of names, given by their hashes.
pub(crate) fn components_of_names(
    db: &Connection,
    name_hashes: &[i64],
) -> Result<BTreeSet<i64>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT component FROM name_component WHERE name_hash = ?")?;
    let mut components = BTreeSet::new();
    for hash in name_hashes {
        let mut rows = query.query([hash])?;
        if let Some(row) = rows.next()? {
            components.insert(row.get(0)?);
        }
    }
    Ok(components)
}

/// Reads the components that have more than one line.
pub(crate) fn shared_components(db: &Connection) -> Result<BTreeSet<i64>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT DISTINCT component FROM line WHERE component IS NOT NULL")?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the components that have lines in a source.
pub(crate) fn components_of_source(
    db: &Connection,
    source: i64,
) -> Result<BTreeSet<i64>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT DISTINCT COALESCE(component, id) FROM line WHERE id BETWEEN ? AND ?",
    )?;
    let bounds = [row_id(source, 0), row_id(source + 1, 0) - 1];
    let rows = query.query_map(bounds, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the lines of components.
pub(crate) fn lines_of_components(
    db: &Connection,
    components: &BTreeSet<i64>,
) -> Result<Vec<StoredLine>, IndexError> {
    let mut first = db.prepare_cached("SELECT id, json, component FROM line WHERE id = ?")?;
    let mut all = db.prepare_cached("SELECT id, json FROM line WHERE component = ?")?;
    let mut decoder = LineDecoder::new(db);
    let mut lines = Vec::new();
    for component in components {
        let mut rows = first.query([component])?;
        if let Some(row) = rows.next()?
            && row.get_ref(2)? == ValueRef::Null
        {
            lines.push(decoder.decode(row, Line::new)?);
            continue;
        }
        let mut rows = all.query([component])?;
        while let Some(row) = rows.next()? {
            lines.push(decoder.decode(row, Line::new)?);
        }
    }
    Ok(lines)
}

/// Reads lines by their row ids. The result is `None` for a line that is missing or that shares its
/// component with others, since those are needed to tell its state.
pub(crate) fn isolated_lines(
    db: &Connection,
    row_ids: impl Iterator<Item = Option<NonZeroI64>>,
) -> Result<Vec<Option<StoredLine>>, IndexError> {
    let mut query = db.prepare_cached("SELECT id, json, component FROM line WHERE id = ?")?;
    let mut decoder = LineDecoder::new(db);
    let mut lines = Vec::new();
    for id in row_ids {
        let mut rows = query.query([id.map(NonZeroI64::get)])?;
        let line = match rows.next()? {
            Some(row) if row.get_ref(2)? == ValueRef::Null => {
                Some(decoder.decode(row, |record, _, place| Line::new_isolated(record, place))?)
            }
            _ => None,
        };
        lines.push(line);
    }
    Ok(lines)
}

/// Reads the ids of all records that end in some digits.
pub(crate) fn ids_ending_in(db: &Connection, suffix: &IdSuffix) -> Result<Vec<Uuid>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT component FROM name_component WHERE name_hash BETWEEN ? AND ?")?;
    let bounds = [suffix.hashes.start(), suffix.hashes.end()];
    let rows = query.query_map(bounds, |row| row.get(0))?;
    let components: BTreeSet<i64> = rows.collect::<Result<_, _>>()?;
    let lines = lines_of_components(db, &components)?.into_iter();
    let ids = lines.map(|stored| stored.line.record.id);
    let matching: BTreeSet<Uuid> = ids.filter(|id| suffix.matches(&id.to_string())).collect();
    Ok(matching.into_iter().collect())
}

/// Returns whether any line is stored.
pub(crate) fn has_any(db: &Connection) -> Result<bool, IndexError> {
    let mut query = db.prepare_cached("SELECT EXISTS(SELECT 1 FROM name_component)")?;
    Ok(query.query_row([], |row| row.get(0))?)
}

/// A line that is to be written.
pub(crate) struct LineRow<'j> {
    pub(crate) id: i64,
    pub(crate) component: Option<i64>,
    /// The JSON of a new line; `None` for a stored line whose component may have changed.
    pub(crate) json: Option<&'j [u8]>,
}

/// Adds new lines, and updates the component of stored ones.
pub(crate) fn write<'j>(
    db: &Connection,
    lines: impl Iterator<Item = LineRow<'j>>,
) -> Result<(), IndexError> {
    let mut update = db.prepare_cached("UPDATE line SET component = ? WHERE id = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO line(id, component, json) VALUES(?, ?, ?)")?;
    let mut lines = lines.peekable();
    while lines.peek().is_some() {
        let batch: Vec<LineRow<'_>> = lines.by_ref().take(LINES_PER_BATCH).collect();
        let has_long = batch.iter().any(|row| row.json.is_some_and(is_long));
        let min_per_thread = if has_long { MIN_LINES_PER_THREAD } else { usize::MAX };
        let compressed = parallel::map(&batch, min_per_thread, |row| row.json.map(compress));
        for (LineRow { id, component, .. }, json) in batch.iter().zip(compressed) {
            match json {
                None => update.execute(params![component, id])?,
                Some(json) => insert.execute(params![id, component, &*json])?,
            };
        }
    }
    Ok(())
}

/// Removes lines by their row ids.
pub(crate) fn delete(
    db: &Connection,
    row_ids: impl Iterator<Item = i64>,
) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM line WHERE id = ?")?;
    for id in row_ids {
        delete.execute([id])?;
    }
    Ok(())
}

/// Writes the component of each name hash, eight rows to a statement for speed.
pub(crate) fn write_names(db: &Connection, mut names: Vec<(i64, i64)>) -> Result<(), IndexError> {
    names.sort_unstable();
    let (chunks, rest) = names.as_chunks::<8>();
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO name_component
         VALUES(?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?)",
    )?;
    for chunk in chunks {
        let values = chunk.iter().flat_map(|(hash, component)| [*hash, *component]);
        insert.execute(rusqlite::params_from_iter(values))?;
    }
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO name_component VALUES(?, ?)")?;
    for (hash, component) in rest {
        insert.execute([hash, component])?;
    }
    Ok(())
}

/// Removes names, given by their hashes.
pub(crate) fn delete_names(db: &Connection, name_hashes: &HashSet<i64>) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM name_component WHERE name_hash = ?")?;
    for hash in name_hashes {
        delete.execute([hash])?;
    }
    Ok(())
}

/// Decodes rows of lines, and caches the locations of their sources.
struct LineDecoder<'c> {
    db: &'c Connection,
    decompressor: Decompressor,
    locations: HashMap<i64, (Arc<str>, bool)>,
}

impl<'c> LineDecoder<'c> {
    fn new(db: &'c Connection) -> Self {
        LineDecoder { db, decompressor: Decompressor::default(), locations: HashMap::new() }
    }

    /// Decodes a row whose first columns are `id` and `json`.
    fn decode(
        &mut self,
        row: &Row<'_>,
        make: impl Fn(Record, &[u8], LineLocation) -> Line,
    ) -> Result<StoredLine, IndexError> {
        let id: i64 = row.get(0)?;
        let json = row.get_ref(1)?.as_bytes();
        let json = json.map_err(|_| IndexError::damaged("a stored line of the log is no text"))?;
        let json = &*self.decompressor.decompress(json)?;
        let Ok(Some(record)) = record::read(json) else {
            return Err(IndexError::damaged("a stored line of the log cannot be parsed"));
        };
        let (path, is_local) = self.location(source_of(id))?;
        let place = LineLocation { path, line: (id & LINE_NUMBER_MASK) as usize, is_local };
        Ok(StoredLine { id, line: Box::new(make(record, json, place)) })
    }

    fn location(&mut self, source: i64) -> Result<(Arc<str>, bool), IndexError> {
        if let Some(location) = self.locations.get(&source) {
            return Ok(location.clone());
        }
        let location = sources::location(self.db, source)?;
        Ok(self.locations.entry(source).or_insert(location).clone())
    }
}
