//! The lines of the log, and which of them must be seen together to tell what became of a record.
//!
//! Lines that share a name are in one component: a record, what replaced it, what says the same and
//! what was done to it. The fold of a component tells about its records what the fold of the whole
//! log would, so that a new line costs what its component costs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::fast;
use heirloom_core::fold::{Line, Memory, Place, fold};
use heirloom_core::recall::ties;
use heirloom_core::record;
use jiff::Timestamp;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::IndexError;
use crate::update::NewLine;

/// A line of the log as the ledger holds it.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    /// Its row.
    id: i64,
    /// What it says.
    pub(crate) line: Box<Line>,
    ties: Vec<i64>,
    /// Its file and its bytes, if it is not written yet.
    new: Option<(i64, String)>,
}

/// Returns the short form of a name, under which it is looked up. Two names with one short form
/// only make a component larger than it need be.
pub(crate) fn short(name: &str) -> i64 {
    let hash = blake3::hash(name.as_bytes());
    let mut eight = [0; 8];
    eight.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_le_bytes(eight)
}

impl Noted {
    /// Returns the short forms of the names that tie it to others.
    pub(crate) fn ties(&self) -> impl Iterator<Item = i64> {
        self.ties.iter().copied()
    }
}

/// The last eight digits of an id, the last one first, so that ids which end alike lie together.
fn tail_of(id: Uuid) -> i64 {
    let last = id.as_u128() as u32;
    let digits = (0..8).map(|at| last >> (4 * at) & 0xf);
    i64::from(digits.fold(0, |tail: u32, digit| tail << 4 | digit))
}

/// Returns the ids of records that end in some digits.
pub(crate) fn ids_ending_in(db: &Connection, typed: &str) -> Result<Vec<String>, IndexError> {
    let typed = typed.trim().trim_start_matches("entry:").to_ascii_lowercase();
    let digits: Option<Vec<u32>> =
        typed.chars().rev().filter(|c| *c != '-').take(8).map(|c| c.to_digit(16)).collect();
    let Some(digits) = digits.filter(|digits| !digits.is_empty()) else { return Ok(vec![]) };
    let left = 4 * (8 - digits.len());
    let tail = digits.into_iter().fold(0_i64, |tail, digit| tail << 4 | i64::from(digit));
    let (first, end) = (tail << left, (tail + 1) << left);
    let mut query = db.prepare_cached("SELECT json FROM line WHERE tail >= ? AND tail < ?")?;
    let mut rows = query.query([first, end])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let json: String = row.get(0)?;
        let record = record::read(json.as_bytes()).ok().flatten();
        let id = record.map(|record| record.id.to_string());
        found.extend(id.filter(|id| id.ends_with(&typed)));
    }
    Ok(found)
}

/// Removes lines.
pub(crate) fn remove(db: &Connection, noted: &[Noted]) -> Result<(), IndexError> {
    let mut delete = db.prepare_cached("DELETE FROM line WHERE id = ?")?;
    for noted in noted {
        delete.execute([noted.id])?;
    }
    Ok(())
}

/// Returns the short forms of the names that tie a line to others.
pub(crate) fn ties_of(line: &Line) -> Vec<i64> {
    ties(&line.record).iter().map(|name| short(name)).collect()
}

/// Returns the components that names belong to.
pub(crate) fn components_of(db: &Connection, names: &[i64]) -> Result<BTreeSet<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT component FROM tie WHERE hash = ?")?;
    let mut found = BTreeSet::new();
    for name in names {
        let mut rows = query.query([name])?;
        if let Some(row) = rows.next()? {
            found.insert(row.get(0)?);
        }
    }
    Ok(found)
}

/// Returns the components that have lines in a file.
pub(crate) fn components_in(db: &Connection, source: i64) -> Result<BTreeSet<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT DISTINCT component FROM line WHERE source = ?")?;
    let rows = query.query_map([source], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the lines of components.
pub(crate) fn lines_of(
    db: &Connection,
    components: &BTreeSet<i64>,
) -> Result<Vec<Noted>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT line.id, line.number, line.json, source.path, source.is_local
         FROM line JOIN source ON source.id = line.source WHERE line.component = ?",
    )?;
    let mut paths: HashMap<String, Arc<str>> = HashMap::new();
    let mut noted = Vec::new();
    for component in components {
        let mut rows = query.query([component])?;
        while let Some(row) = rows.next()? {
            let json: String = row.get(2)?;
            let Ok(Some(record)) = record::read(json.as_bytes()) else {
                return Err(IndexError::damaged("a line of the log reads otherwise now"));
            };
            let path: String = row.get(3)?;
            let path = paths.entry(path.clone()).or_insert_with(|| path.into()).clone();
            let number: i64 = row.get(1)?;
            let place = Place {
                path,
                line: usize::try_from(number).unwrap_or_default(),
                is_local: row.get(4)?,
            };
            let hash = *blake3::hash(json.as_bytes()).as_bytes();
            let line = Box::new(Line { record, hash, place });
            noted.push(Noted { id: row.get(0)?, ties: ties_of(&line), line, new: None });
        }
    }
    Ok(noted)
}

/// Folds lines into what is known; with `as_of`, into what was known then.
pub(crate) fn folded(noted: Vec<Noted>, as_of: Option<Timestamp>) -> Memory {
    fold(noted.into_iter().map(|noted| *noted.line), as_of)
}

/// Takes new lines of a file, whose rows are to be these.
pub(crate) fn taken(source: i64, first: i64, lines: Vec<NewLine>) -> Vec<Noted> {
    let rows = (first..).zip(lines);
    rows.map(|(id, NewLine { line, json, ties })| Noted {
        id,
        ties,
        line,
        new: Some((source, json)),
    })
    .collect()
}

/// Returns the row that the next line is to have.
pub(crate) fn next_row(db: &Connection) -> Result<i64, IndexError> {
    let last: Option<i64> = db.query_row("SELECT MAX(id) FROM line", [], |row| row.get(0))?;
    Ok(last.unwrap_or_default() + 1)
}

/// Takes the names of components away, and what was wrong with their lines.
pub(crate) fn forget(db: &Connection, noted: &[Noted]) -> Result<(), IndexError> {
    let mut mend = db.prepare_cached("DELETE FROM trouble WHERE path = ? AND line = ?")?;
    for place in noted.iter().map(|noted| &noted.line.place) {
        mend.execute(params![place.path, i64::try_from(place.line).unwrap_or_default()])?;
    }
    let mut delete = db.prepare_cached("DELETE FROM tie WHERE hash = ?")?;
    let names: HashSet<i64> = noted.iter().flat_map(|noted| noted.ties.iter().copied()).collect();
    for name in names {
        delete.execute([name])?;
    }
    Ok(())
}

/// What the ledger writes of a line.
struct Row {
    id: i64,
    number: i64,
    /// The end of the record's id, by which people call it.
    tail: i64,
    ties: Vec<i64>,
    new: Option<(i64, String)>,
}

/// Writes down which lines belong together, and folds them meanwhile.
pub(crate) fn tie_and_fold(db: &Connection, noted: Vec<Noted>) -> Result<Memory, IndexError> {
    let mut rows = Vec::with_capacity(noted.len());
    let mut lines = Vec::with_capacity(noted.len());
    for Noted { id, line, ties, new } in noted {
        let number = i64::try_from(line.place.line).unwrap_or_default();
        rows.push(Row { id, number, tail: tail_of(line.record.id), ties, new });
        lines.push(line);
    }
    std::thread::scope(|scope| {
        let folding = scope.spawn(|| fold(lines.into_iter().map(|line| *line), None));
        tie(db, &rows)?;
        Ok(folding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Finds which lines belong together, and writes that down: names to components, lines to
/// components.
fn tie(db: &Connection, rows: &[Row]) -> Result<(), IndexError> {
    let mut groups = Groups::default();
    for row in rows {
        let mut names = row.ties.iter();
        if let Some(first) = names.next() {
            let first = groups.of(*first);
            names.for_each(|name| {
                let other = groups.of(*name);
                groups.join(first, other);
            });
        }
    }
    // A component is called by the row of its first line, which no other component has.
    let mut called: HashMap<usize, i64, fast::Hash> = HashMap::default();
    let mut own: Vec<i64> = Vec::with_capacity(rows.len());
    for row in rows {
        let group = row.ties.first().map(|first| {
            let at = groups.of(*first);
            groups.find(at)
        });
        own.push(group.map_or(row.id, |group| *called.entry(group).or_insert(row.id)));
    }
    let mut update = db.prepare_cached("UPDATE line SET component = ? WHERE id = ?")?;
    let mut insert = db.prepare_cached(
        "INSERT INTO line(id, component, source, number, tail, json) VALUES(?, ?, ?, ?, ?, ?)",
    )?;
    for (row, component) in rows.iter().zip(own) {
        match &row.new {
            None => update.execute(params![component, row.id])?,
            Some((source, json)) => {
                insert.execute(params![row.id, component, source, row.number, row.tail, json])?
            }
        };
    }
    let names: Vec<(i64, usize)> = groups.places.iter().map(|(name, at)| (*name, *at)).collect();
    let mut tied: Vec<(i64, i64)> = Vec::with_capacity(names.len());
    for (name, at) in names {
        let group = groups.find(at);
        tied.extend(called.get(&group).map(|component| (name, *component)));
    }
    tied.sort_unstable();
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO tie VALUES(?, ?)")?;
    for (name, component) in &tied {
        insert.execute([name, component])?;
    }
    Ok(())
}

/// Writes what is wrong with lines taken together.
pub(crate) fn write_trouble(db: &Connection, memory: &Memory) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO trouble VALUES(?, ?, ?)")?;
    for problem in memory.problems() {
        let line = i64::try_from(problem.line).unwrap_or_default();
        let json = serde_json::to_string(problem)
            .map_err(|error| IndexError::damaged(error.to_string()))?;
        insert.execute(params![problem.path, line, json])?;
    }
    Ok(())
}

/// Reads what is wrong with lines taken together.
pub(crate) fn trouble(db: &Connection) -> Result<Vec<Problem>, IndexError> {
    let mut query = db.prepare_cached("SELECT problem FROM trouble")?;
    let rows = query.query_map([], |row| row.get::<_, String>(0))?;
    let mut problems = Vec::new();
    for json in rows {
        problems.extend(serde_json::from_str::<Problem>(&json?));
    }
    Ok(problems)
}

/// Names that belong together.
#[derive(Default)]
struct Groups {
    places: HashMap<i64, usize, fast::Hash>,
    parents: Vec<usize>,
}

impl Groups {
    fn of(&mut self, name: i64) -> usize {
        let next = self.parents.len();
        let at = *self.places.entry(name).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        at
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
