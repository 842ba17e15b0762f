//! Which memories relations tie together.
//!
//! An end of a relation is written under the name that it was given, and beside it under the name
//! of what stands there now: relations follow what replaces a record.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::fast;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::recall::Slot;
use heirloom_core::record::Body;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::{IndexError, ledger};

/// What is tied to each memory.
pub(crate) type Links = HashMap<Slot, Vec<Slot>, fast::Hash>;

/// One end of a relation, as it was written.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    edge: String,
    end: i64,
    name: String,
}

/// Writes the relations that are new, forgets those that hold no more, and follows what was replaced.
pub(crate) fn write(
    db: &Connection,
    memory: &Memory,
    records: &BTreeSet<Uuid>,
    names: &BTreeSet<String>,
) -> Result<(), IndexError> {
    let mut ends: BTreeSet<End> = BTreeSet::new();
    let mut delete = db.prepare_cached("DELETE FROM link WHERE edge = ?")?;
    let had_any = !is_empty(db)?;
    if had_any {
        for id in records {
            delete.execute([id.to_string()])?;
        }
    }
    for record in memory.records() {
        let Body::Edge(body) = &record.body else { continue };
        let edge = record.id.to_string();
        if records.contains(&record.id) && memory.standing(&edge) == Standing::Active {
            for (end, name) in [(0, &body.from), (1, &body.to)] {
                ends.insert(End { edge: edge.clone(), end, name: name.clone() });
            }
        }
    }
    if had_any {
        let mut query = db.prepare_cached("SELECT DISTINCT edge, end FROM link WHERE name = ?")?;
        for name in records.iter().map(Uuid::to_string).chain(names.iter().cloned()) {
            let mut rows = query.query([&name])?;
            while let Some(row) = rows.next()? {
                ends.insert(End { edge: row.get(0)?, end: row.get(1)?, name: name.clone() });
            }
        }
    }
    follow(db, &ends)
}

/// Writes what stands at ends now.
fn follow(db: &Connection, ends: &BTreeSet<End>) -> Result<(), IndexError> {
    if ends.is_empty() {
        return Ok(());
    }
    let names: Vec<i64> = ends.iter().map(|end| ledger::short(&end.name)).collect();
    let components = ledger::components_of(db, &names)?;
    let memory = ledger::folded(ledger::lines_of(db, &components)?, None);
    let mut delete = db.prepare_cached("DELETE FROM link WHERE edge = ? AND end = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO link VALUES(?, ?, ?, ?)")?;
    for End { edge, end, name } in ends {
        delete.execute(params![edge, end])?;
        for head in memory.heads(name) {
            insert.execute(params![edge, end, name, head])?;
        }
    }
    Ok(())
}

/// Returns the relations that lead to some names or start there, with the names at both ends.
pub(crate) fn at(db: &Connection, names: &[String]) -> Result<Vec<String>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT DISTINCT edge FROM link WHERE name = ?1
         UNION SELECT DISTINCT edge FROM link WHERE head = ?1",
    )?;
    let mut ends = db.prepare_cached("SELECT DISTINCT name FROM link WHERE edge = ?")?;
    let mut found = BTreeSet::new();
    for name in names {
        let rows = query.query_map([name], |row| row.get::<_, String>(0))?;
        for edge in rows.collect::<Result<Vec<_>, _>>()? {
            let rows = ends.query_map([&edge], |row| row.get::<_, String>(0))?;
            found.extend(rows.collect::<Result<Vec<_>, _>>()?);
            found.insert(edge);
        }
    }
    Ok(found.into_iter().collect())
}

/// Returns all relations, with the names at both ends.
pub(crate) fn all(db: &Connection) -> Result<Vec<String>, IndexError> {
    let mut query = db.prepare_cached("SELECT edge FROM link UNION SELECT name FROM link")?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn is_empty(db: &Connection) -> Result<bool, IndexError> {
    Ok(db.query_row("SELECT NOT EXISTS(SELECT 1 FROM link)", [], |row| row.get(0))?)
}

/// Reads what is tied to each memory; what decides between equals gives the order.
pub(crate) fn read(db: &Connection, tie: impl Fn(Slot) -> u64) -> Result<Links, IndexError> {
    let mut links = Links::default();
    if is_empty(db)? {
        return Ok(links);
    }
    // There are fewer relations than memories, so they come first.
    let mut query = db.prepare_cached(
        "WITH held AS (
             SELECT link.edge, link.end, passage.slot FROM link
             CROSS JOIN passage ON passage.name = link.head
             UNION
             SELECT link.edge, link.end, passage.slot FROM link
             CROSS JOIN passage ON passage.subject = link.head)
         SELECT DISTINCT a.slot, b.slot FROM held AS a JOIN held AS b ON a.edge = b.edge
         WHERE a.end = 0 AND b.end = 1 AND a.slot <> b.slot",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (from, to) = (row.get(0)?, row.get(1)?);
        links.entry(from).or_default().push(to);
        links.entry(to).or_default().push(from);
    }
    for related in links.values_mut() {
        related.sort_by_key(|slot| (tie(*slot), *slot));
        related.dedup();
    }
    Ok(links)
}
