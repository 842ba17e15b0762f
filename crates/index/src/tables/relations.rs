//! The table `relation_end`: the ends of all active relations.
//!
//! Each end is stored with the name that the relation states, and with the heads of that name: the
//! records that have superseded it, so that a relation follows its records.

use std::collections::BTreeSet;

use heirloom_core::record::Referent;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

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

/// One end of a relation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RelationEnd {
    /// The id of the relation's record.
    pub(crate) relation: Uuid,
    /// [`FROM`] or [`TO`].
    pub(crate) side: i64,
    /// What the relation states at this end.
    pub(crate) stated: Referent,
}

/// Returns whether there are no relations.
pub(crate) fn is_empty(db: &Connection) -> Result<bool, IndexError> {
    let mut query = db.prepare_cached("SELECT NOT EXISTS(SELECT 1 FROM relation_end)")?;
    Ok(query.query_row([], |row| row.get(0))?)
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

/// Reads all relations, and what they state at their ends.
pub(crate) fn all_referents(db: &Connection) -> Result<Vec<Referent>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT relation FROM relation_end UNION SELECT name FROM relation_end")?;
    let rows = query.query_map([], referent)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the relations that have one of the referents at an end, and what they state at their ends.
pub(crate) fn referents_around(
    db: &Connection,
    referents: &[Referent],
) -> Result<Vec<Referent>, IndexError> {
    let mut relations = db.prepare_cached(
        "SELECT DISTINCT relation FROM relation_end WHERE name = ?1
         UNION SELECT DISTINCT relation FROM relation_end WHERE head = ?1",
    )?;
    let mut ends =
        db.prepare_cached("SELECT DISTINCT name FROM relation_end WHERE relation = ?")?;
    let mut found = BTreeSet::new();
    for stated in referents {
        let rows = relations.query_map([stated.to_string()], referent)?;
        for relation in rows.collect::<Result<Vec<_>, _>>()? {
            let rows = ends.query_map([relation.to_string()], referent)?;
            found.extend(rows.collect::<Result<Vec<_>, _>>()?);
            found.insert(relation);
        }
    }
    Ok(found.into_iter().collect())
}

/// Reads a column with a referent.
fn referent(row: &Row<'_>) -> rusqlite::Result<Referent> {
    Ok(row.get_ref(0)?.as_str()?.into())
}

/// Reads the ends that state one of the referents.
pub(crate) fn ends_at(
    db: &Connection,
    referents: impl Iterator<Item = Referent>,
) -> Result<Vec<RelationEnd>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT DISTINCT relation, side FROM relation_end WHERE name = ?")?;
    let mut ends = Vec::new();
    for stated in referents {
        let mut rows = query.query([stated.to_string()])?;
        while let Some(row) = rows.next()? {
            let Some(relation) = referent(row)?.record_id() else {
                return Err(IndexError::damaged("a stored relation has no id"));
            };
            ends.push(RelationEnd { relation, side: row.get(1)?, stated: stated.clone() });
        }
    }
    Ok(ends)
}

/// Writes an end with its current heads.
pub(crate) fn replace(
    db: &Connection,
    end: &RelationEnd,
    heads: &[Referent],
) -> Result<(), IndexError> {
    let RelationEnd { relation, side, stated } = end;
    let (relation, stated) = (relation.to_string(), stated.to_string());
    let mut delete =
        db.prepare_cached("DELETE FROM relation_end WHERE relation = ? AND side = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO relation_end VALUES(?, ?, ?, ?)")?;
    delete.execute(params![relation, side])?;
    for head in heads {
        insert.execute(params![relation, side, stated, head.to_string()])?;
    }
    Ok(())
}

/// Removes relations by their ids.
pub(crate) fn delete<'r>(
    db: &Connection,
    relations: impl Iterator<Item = &'r Uuid>,
) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM relation_end WHERE relation = ?")?;
    for relation in relations {
        delete.execute([relation.to_string()])?;
    }
    Ok(())
}
