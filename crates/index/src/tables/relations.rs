//! The table `relation_end`: the ends of all active relations.
//!
//! Each end is stored with the name that the relation states, and with the heads of that name: the
//! records that have superseded it, so that a relation follows its records.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use crate::IndexError;

pub(super) const SCHEMA: &str = "
CREATE TABLE relation_end(
    relation TEXT NOT NULL, side INTEGER NOT NULL, name TEXT NOT NULL, head TEXT NOT NULL);
CREATE INDEX relation_end_relation ON relation_end(relation);
CREATE INDEX relation_end_name ON relation_end(name);
CREATE INDEX relation_end_head ON relation_end(head);
";

/// The `side` at which a relation starts.
pub(crate) const FROM: i64 = 0;
/// The `side` to which a relation leads.
pub(crate) const TO: i64 = 1;

/// One end of a relation, with the name that the relation states.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RelationEnd {
    /// The id of the relation's record.
    pub(crate) relation: String,
    /// [`FROM`] or [`TO`].
    pub(crate) side: i64,
    pub(crate) name: String,
}

/// Returns whether there are no relations.
pub(crate) fn is_empty(db: &Connection) -> Result<bool, IndexError> {
    Ok(db.query_row("SELECT NOT EXISTS(SELECT 1 FROM relation_end)", [], |row| row.get(0))?)
}

/// Calls `take` with relation, side and head of all ends, relation by relation.
pub(crate) fn for_each_head(
    db: &Connection,
    mut take: impl FnMut(&str, i64, &str) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut query =
        db.prepare_cached("SELECT relation, side, head FROM relation_end ORDER BY relation")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let relation = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let head = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        take(relation, row.get(1)?, head)?;
    }
    Ok(())
}

/// Reads the ids of all relations, and the names of their ends.
pub(crate) fn all_names(db: &Connection) -> Result<Vec<String>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT relation FROM relation_end UNION SELECT name FROM relation_end")?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the ids of the relations that have one of the names at an end, and the names of all their
/// ends.
pub(crate) fn names_around(db: &Connection, names: &[String]) -> Result<Vec<String>, IndexError> {
    let mut relations = db.prepare_cached(
        "SELECT DISTINCT relation FROM relation_end WHERE name = ?1
         UNION SELECT DISTINCT relation FROM relation_end WHERE head = ?1",
    )?;
    let mut ends =
        db.prepare_cached("SELECT DISTINCT name FROM relation_end WHERE relation = ?")?;
    let mut found = BTreeSet::new();
    for name in names {
        let rows = relations.query_map([name], |row| row.get::<_, String>(0))?;
        for relation in rows.collect::<Result<Vec<_>, _>>()? {
            let rows = ends.query_map([&relation], |row| row.get::<_, String>(0))?;
            found.extend(rows.collect::<Result<Vec<_>, _>>()?);
            found.insert(relation);
        }
    }
    Ok(found.into_iter().collect())
}

/// Reads the ends that state one of the names.
pub(crate) fn ends_named(
    db: &Connection,
    names: impl Iterator<Item = String>,
) -> Result<Vec<RelationEnd>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT DISTINCT relation, side FROM relation_end WHERE name = ?")?;
    let mut ends = Vec::new();
    for name in names {
        let mut rows = query.query([&name])?;
        while let Some(row) = rows.next()? {
            let (relation, side) = (row.get(0)?, row.get(1)?);
            ends.push(RelationEnd { relation, side, name: name.clone() });
        }
    }
    Ok(ends)
}

/// Writes an end with its current heads.
pub(crate) fn replace(
    db: &Connection,
    end: &RelationEnd,
    heads: &[String],
) -> Result<(), IndexError> {
    let RelationEnd { relation, side, name } = end;
    let mut delete =
        db.prepare_cached("DELETE FROM relation_end WHERE relation = ? AND side = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO relation_end VALUES(?, ?, ?, ?)")?;
    delete.execute(params![relation, side])?;
    for head in heads {
        insert.execute(params![relation, side, name, head])?;
    }
    Ok(())
}

/// Removes relations by their ids.
pub(crate) fn delete(
    db: &Connection,
    relations: impl Iterator<Item = String>,
) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM relation_end WHERE relation = ?")?;
    for relation in relations {
        delete.execute([relation])?;
    }
    Ok(())
}
