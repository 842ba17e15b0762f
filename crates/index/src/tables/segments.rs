//! The table `segment`: the segment files that belong to the last commit.

use rusqlite::{Connection, params};

use crate::IndexError;

pub(crate) const SCHEMA: &str = "
CREATE TABLE segment(number INTEGER PRIMARY KEY, file TEXT NOT NULL, slots INTEGER NOT NULL);
";

/// A segment file.
pub(crate) struct SegmentRow {
    /// The generation that wrote it.
    pub(crate) number: i64,
    pub(crate) file: String,
    /// How many slots it covers.
    pub(crate) slots: u32,
}

/// Reads the segments, oldest first.
pub(crate) fn all(db: &Connection) -> Result<Vec<SegmentRow>, IndexError> {
    let mut query = db.prepare_cached("SELECT number, file, slots FROM segment ORDER BY number")?;
    let rows = query.query_map([], |row| {
        Ok(SegmentRow { number: row.get(0)?, file: row.get(1)?, slots: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a segment.
pub(crate) fn insert(db: &Connection, segment: &SegmentRow) -> Result<(), IndexError> {
    let SegmentRow { number, file, slots } = segment;
    let mut insert = db.prepare_cached("INSERT INTO segment VALUES(?, ?, ?)")?;
    insert.execute(params![number, file, slots])?;
    Ok(())
}

/// Removes a segment.
pub(crate) fn delete(db: &Connection, number: i64) -> Result<(), IndexError> {
    db.prepare_cached("DELETE FROM segment WHERE number = ?")?.execute([number])?;
    Ok(())
}
