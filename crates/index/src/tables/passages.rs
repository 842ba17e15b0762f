//! The table `passage`: what can be recalled, by slot.

use heirloom_core::recall::Slot;
use heirloom_core::record::Referent;
use rusqlite::{Connection, OptionalExtension, params};

use crate::IndexError;

pub(super) const SCHEMA: &str = "
CREATE TABLE passage(
    slot INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, subject TEXT, source INTEGER,
    group_hash INTEGER, position INTEGER NOT NULL, fingerprint BLOB NOT NULL, repeats TEXT,
    part TEXT);
CREATE INDEX passage_source ON passage(source) WHERE source IS NOT NULL;
CREATE INDEX passage_subject ON passage(subject) WHERE subject IS NOT NULL;
CREATE INDEX passage_group ON passage(group_hash, position) WHERE group_hash IS NOT NULL;
CREATE INDEX passage_repeats ON passage(repeats) WHERE repeats IS NOT NULL;
";

/// The columns of a passage but its slot.
pub(crate) struct PassageRow<'p> {
    pub(crate) name: &'p str,
    /// What the log refers to it by, if that is not its name.
    pub(crate) subject: Option<String>,
    /// The document that it is in; `None` for a record of the log.
    pub(crate) source: Option<i64>,
    /// The hash of the name of its group, whose members are neighbours of each other.
    pub(crate) group_hash: Option<i64>,
    pub(crate) position: i64,
    pub(crate) fingerprint: &'p [u8],
    /// The subject of another passage that says the same.
    pub(crate) repeats: Option<String>,
    /// The JSON of a part of a document; `None` for a record of the log.
    pub(crate) part: Option<String>,
}

/// Adds a passage.
pub(crate) fn insert(db: &Connection, slot: Slot, row: &PassageRow<'_>) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached(
        "INSERT INTO passage(slot, name, subject, source, group_hash, position, fingerprint,
         repeats, part) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    insert.execute(params![
        slot,
        row.name,
        row.subject,
        row.source,
        row.group_hash,
        row.position,
        row.fingerprint,
        row.repeats,
        row.part
    ])?;
    Ok(())
}

/// Writes everything about a passage but name and fingerprint, and returns the hash of its previous
/// group.
pub(crate) fn update(
    db: &Connection,
    slot: Slot,
    row: &PassageRow<'_>,
) -> Result<Option<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT group_hash FROM passage WHERE slot = ?")?;
    let previous_group: Option<i64> = query.query_row([slot], |row| row.get(0))?;
    let mut update = db.prepare_cached(
        "UPDATE passage SET subject = ?, source = ?, group_hash = ?, position = ?, repeats = ?,
         part = ? WHERE slot = ?",
    )?;
    update.execute(params![
        row.subject,
        row.source,
        row.group_hash,
        row.position,
        row.repeats,
        row.part,
        slot
    ])?;
    Ok(previous_group)
}

/// Removes a passage by its name, and returns its slot and the hash of its group.
pub(crate) fn delete(
    db: &Connection,
    name: &str,
) -> Result<Option<(Slot, Option<i64>)>, IndexError> {
    let mut delete =
        db.prepare_cached("DELETE FROM passage WHERE name = ? RETURNING slot, group_hash")?;
    Ok(delete.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Returns the slot and the fingerprint of the passage with a name.
pub(crate) fn find(db: &Connection, name: &str) -> Result<Option<(Slot, Vec<u8>)>, IndexError> {
    let mut query = db.prepare_cached("SELECT slot, fingerprint FROM passage WHERE name = ?")?;
    Ok(query.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Returns the subject of the passage in a slot, and the JSON of the part of a document that it is.
pub(crate) fn content(
    db: &Connection,
    slot: Slot,
) -> Result<Option<(Referent, Option<String>)>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT coalesce(subject, name), part FROM passage WHERE slot = ?")?;
    let content = query.query_row([slot], |row| {
        let subject = row.get_ref(0)?.as_str()?;
        Ok((subject.into(), row.get(1)?))
    });
    Ok(content.optional()?)
}

/// Returns the names of the passages of a document.
pub(crate) fn names_in_source(db: &Connection, source: i64) -> Result<Vec<String>, IndexError> {
    let mut query = db.prepare_cached("SELECT name FROM passage WHERE source = ?")?;
    let rows = query.query_map([source], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the slots of the passages that state a subject of their own.
pub(crate) fn slots_of_subject(
    db: &Connection,
    subject: &Referent,
) -> Result<Vec<Slot>, IndexError> {
    let mut query = db.prepare_cached("SELECT slot FROM passage WHERE subject = ?")?;
    let rows = query.query_map([subject.to_string()], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the slots of the passages that have a name as their name or subject, maybe repeated.
pub(crate) fn slots_of_name(db: &Connection, name: &str) -> Result<Vec<Slot>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT slot FROM passage WHERE name = ?1
         UNION ALL SELECT slot FROM passage WHERE subject = ?1",
    )?;
    let rows = query.query_map([name], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the slots of a group in the order of their positions.
pub(crate) fn slots_of_group(db: &Connection, group_hash: i64) -> Result<Vec<Slot>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT slot FROM passage WHERE group_hash = ? ORDER BY position, name")?;
    let rows = query.query_map([group_hash], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the slots of all passages that repeat another subject, and whether a passage has that
/// subject.
pub(crate) fn repetitions(db: &Connection) -> Result<Vec<(Slot, bool)>, IndexError> {
    // Few passages repeat anything. SQLite does not know that, and would scan the table.
    let mut query = db.prepare_cached(
        "SELECT DISTINCT passage.slot, other.slot IS NOT NULL
         FROM passage INDEXED BY passage_repeats
         LEFT JOIN passage AS other ON other.subject = passage.repeats
         WHERE passage.repeats IS NOT NULL",
    )?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
