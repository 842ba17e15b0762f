//! The lines of the log, and which of them must be seen together to tell what became of a record.
//!
//! Lines that share a name are in one component: a record, what replaced it, what says the same and
//! what was done to it. The fold of a component tells about its records what the fold of the whole
//! log would, so that a new line costs what its component costs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroI64;
use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::fast;
use heirloom_core::fold::{Line, Memory, Place, fold};
use heirloom_core::recall::{DocumentPart, ORIGIN, Slot, TEXT, Tie, ties_of_line};
use heirloom_core::record::{self, Record};
use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::IndexError;
use crate::slots::Entry;
use crate::update::{NewLine, Piece};

/// A line of the log as the ledger holds it.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    /// Its row.
    id: i64,
    /// What it says.
    pub(crate) line: Box<Line>,
    ties: Vec<i64>,
    /// Its bytes, if it is not written yet.
    new: Option<Piece>,
}

/// Returns the short form of a name, under which it is looked up. Two names with one short form
/// only make a component larger than it need be. That of an id is made of its last digits, the last
/// one first, so that ids which end alike lie together.
pub(crate) fn short(name: &str) -> i64 {
    // What a fact says is named by a hash already.
    if let Some(hash) = name.strip_prefix(TEXT)
        && let Some(Ok(start)) = hash.get(..16).map(|start| u64::from_str_radix(start, 16))
    {
        return start.cast_signed();
    }
    if name.len() == 36
        && let Ok(id) = Uuid::parse_str(name)
    {
        return short_of_id(id);
    }
    start_of(&blake3::hash(name.as_bytes()))
}

fn short_of_id(id: Uuid) -> i64 {
    let last = id.as_u128() as u64;
    ordered((0..16).fold(0, |turned, at| turned << 4 | (last >> (4 * at) & 0xf)))
}

fn start_of(hash: &blake3::Hash) -> i64 {
    hash.as_bytes().first_chunk().map_or(0, |eight| i64::from_le_bytes(*eight))
}

/// Returns what decides between passages that answer equally well, by a passage's name.
pub(crate) fn tie_of(name: &str) -> u64 {
    start_of(&blake3::hash(name.as_bytes())).cast_unsigned()
}

/// Returns the short form of a tie's name, which need not be spelled out for that.
fn short_of(tie: Tie<'_>) -> i64 {
    match tie {
        Tie::Id(id) => short_of_id(id),
        Tie::Name(name) => short(name),
        Tie::Origin(origin) => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(ORIGIN.as_bytes()).update(origin.as_bytes());
            start_of(&hasher.finalize())
        }
        Tie::Says(hash) => hash.first_chunk().map_or(0, |eight| i64::from_be_bytes(*eight)),
    }
}

impl Noted {
    /// Takes a line that is written.
    pub(crate) fn written((id, line): (i64, Box<Line>)) -> Self {
        Noted { id, ties: ties_of(&line), line, new: None }
    }

    /// Returns the file that it is in.
    pub(crate) fn source(&self) -> i64 {
        source_of(self.id)
    }

    /// Returns the short forms of the names that tie it to others.
    pub(crate) fn ties(&self) -> impl Iterator<Item = i64> {
        self.ties.iter().copied()
    }
}

/// A number as the tables hold it, in the same order.
fn ordered(number: u64) -> i64 {
    (number ^ 1 << 63).cast_signed()
}

/// Fewer digits name nothing.
const SHORTEST: usize = 4;

/// Returns the ids of records that end in some digits.
pub(crate) fn ids_ending_in(db: &Connection, typed: &str) -> Result<Vec<String>, IndexError> {
    let typed = typed.trim().trim_start_matches("entry:").to_ascii_lowercase();
    let typed = Uuid::parse_str(&typed).map_or(typed, |id| id.to_string());
    let digits: Option<Vec<u64>> = typed
        .chars()
        .rev()
        .filter(|c| *c != '-')
        .take(16)
        .map(|c| c.to_digit(16).map(u64::from))
        .collect();
    let Some(digits) = digits.filter(|digits| digits.len() >= SHORTEST) else { return Ok(vec![]) };
    let left = 4 * (16 - digits.len());
    let first = digits.into_iter().fold(0, |turned, digit| turned << 4 | digit) << left;
    let last = first | ((1_u64 << left) - 1);
    let mut query = db.prepare_cached("SELECT component FROM tie WHERE hash BETWEEN ? AND ?")?;
    let rows = query.query_map([ordered(first), ordered(last)], |row| row.get(0))?;
    let components: BTreeSet<i64> = rows.collect::<Result<_, _>>()?;
    let lines = lines_of(db, &components)?.into_iter();
    let ids = lines.map(|(_, line)| line.record.id.to_string());
    let found: BTreeSet<String> = ids.filter(|id| id.ends_with(&typed)).collect();
    Ok(found.into_iter().collect())
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
    ties_of_line(line).map(short_of).collect()
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

/// Returns the components of more than one line.
pub(crate) fn components_of_several(db: &Connection) -> Result<BTreeSet<i64>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT DISTINCT component FROM line WHERE component IS NOT NULL")?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the components that have lines in a file.
pub(crate) fn components_in(db: &Connection, source: i64) -> Result<BTreeSet<i64>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT DISTINCT COALESCE(component, id) FROM line WHERE id BETWEEN ? AND ?",
    )?;
    let rows = query.query_map([row_of(source, 0), row_of(source + 1, 0) - 1], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lines, each with its row.
pub(crate) type Lines = Vec<(i64, Box<Line>)>;

/// Returns the lines of components.
pub(crate) fn lines_of(db: &Connection, components: &BTreeSet<i64>) -> Result<Lines, IndexError> {
    let mut first = db.prepare_cached("SELECT id, json, component FROM line WHERE id = ?")?;
    let mut all = db.prepare_cached("SELECT id, json FROM line WHERE component = ?")?;
    let mut files = Files { db, known: HashMap::new() };
    let mut found = Vec::new();
    for component in components {
        let mut rows = first.query([component])?;
        let is_alone = match rows.next()? {
            Some(row) if row.get::<_, Option<i64>>(2)?.is_none() => {
                found.push(files.line(row, Line::new)?);
                true
            }
            _ => false,
        };
        let mut rows = all.query([component])?;
        while !is_alone && let Some(row) = rows.next()? {
            found.push(files.line(row, Line::new)?);
        }
    }
    Ok(found)
}

/// A memory as the index stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredMemory {
    /// A record of the log.
    Record(Uuid),
    /// A part of a document.
    Part {
        /// The name under which the log speaks of it.
        subject: String,
        /// What is to be answered with it.
        part: DocumentPart,
    },
}

impl StoredMemory {
    fn new((subject, data): (String, Option<String>)) -> Result<Self, IndexError> {
        match (data, Uuid::parse_str(&subject)) {
            (Some(data), _) => match serde_json::from_str(&data) {
                Ok(part) => Ok(StoredMemory::Part { subject, part }),
                Err(error) => Err(IndexError::damaged(format!("a part of a document: {error}"))),
            },
            (None, Ok(id)) => Ok(StoredMemory::Record(id)),
            (None, Err(_)) => Err(IndexError::damaged("a record of the index has no id")),
        }
    }
}

/// Returns memories as they are kept, and all lines that say what they say or what became of them,
/// for one who only shows that and compares it with nothing new. Each is given with its entry.
pub(crate) fn to_show(
    db: &Connection,
    memories: impl Iterator<Item = (Slot, Entry)>,
) -> Result<(Vec<Option<StoredMemory>>, Lines), IndexError> {
    let mut query = db.prepare_cached("SELECT id, json, component FROM line WHERE id = ?")?;
    let mut files = Files { db, known: HashMap::new() };
    let (mut kept, mut names, mut lines) = (vec![], vec![], vec![]);
    for (slot, entry) in memories {
        let mut rows = query.query([entry.line.map(NonZeroI64::get)])?;
        // What is alone in its component is what its line says, and nothing became of it.
        if let Some(row) = rows.next()?
            && row.get_ref(2)? == ValueRef::Null
        {
            let line = files.line(row, |record, _, place| Line::alone(record, place))?;
            let id = line.1.record.id;
            let mut name = Uuid::encode_buffer();
            if tie_of(id.hyphenated().encode_lower(&mut name)) != entry.tie {
                return Err(IndexError::damaged("a line of the index is another one"));
            }
            kept.push(Some(StoredMemory::Record(id)));
            lines.push(line);
            continue;
        }
        let found = kept_at(db, slot)?;
        names.extend(found.as_ref().map(|(subject, _)| short(subject)));
        kept.push(found.map(StoredMemory::new).transpose()?);
    }
    // Whoever asks the same next would have to prepare it anew.
    drop(query);
    if !names.is_empty() {
        let alone: HashSet<i64> = lines.iter().map(|(row, _)| *row).collect();
        let others = lines_of(db, &components_of(db, &names)?)?.into_iter();
        lines.extend(others.filter(|(row, _)| !alone.contains(row)));
    }
    Ok((kept, lines))
}

/// Returns the name under which the log speaks of a memory, and what is to be answered with it if it
/// is no record.
pub(crate) fn kept_at(
    db: &Connection,
    slot: Slot,
) -> Result<Option<(String, Option<String>)>, IndexError> {
    let mut query =
        db.prepare_cached("SELECT coalesce(subject, name), data FROM passage WHERE slot = ?")?;
    Ok(query.query_row([slot], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The files that lines are in.
struct Files<'c> {
    db: &'c Connection,
    known: HashMap<i64, (Arc<str>, bool)>,
}

impl Files<'_> {
    fn line(
        &mut self,
        row: &rusqlite::Row<'_>,
        make: impl Fn(Record, &[u8], Place) -> Line,
    ) -> Result<(i64, Box<Line>), IndexError> {
        let id: i64 = row.get(0)?;
        let json = row.get_ref(1)?.as_bytes();
        let json = json.map_err(|_| IndexError::damaged("a line of the log is none"))?;
        let Ok(Some(record)) = record::read(json) else {
            return Err(IndexError::damaged("a line of the log reads otherwise now"));
        };
        let (path, is_local) = self.file(source_of(id))?;
        let place = Place { path, line: (id & NUMBER) as usize, is_local };
        Ok((id, Box::new(make(record, json, place))))
    }

    fn file(&mut self, source: i64) -> Result<(Arc<str>, bool), IndexError> {
        if let Some(known) = self.known.get(&source) {
            return Ok(known.clone());
        }
        let mut query = self.db.prepare_cached("SELECT path, is_local FROM source WHERE id = ?")?;
        let found = query.query_row([source], |row| {
            let path: String = row.get(0)?;
            Ok((path.into(), row.get(1)?))
        })?;
        Ok(self.known.entry(source).or_insert(found).clone())
    }
}

/// Folds lines into what is known; with `as_of`, into what was known then.
pub(crate) fn folded(lines: Lines, as_of: Option<Timestamp>) -> Memory {
    fold(lines.into_iter().map(|(_, line)| line), as_of)
}

/// The part of a row's id that is the number of its line.
const NUMBER: i64 = 0xffff_ffff;

/// The row of a file's line.
pub(crate) fn row_of(source: i64, line: usize) -> i64 {
    source << 32 | line as i64 & NUMBER
}

/// The file of a row.
fn source_of(row: i64) -> i64 {
    row >> 32
}

/// Takes new lines of a file.
pub(crate) fn taken(source: i64, lines: Vec<NewLine>) -> impl Iterator<Item = Noted> {
    lines.into_iter().map(move |NewLine { line, json, ties }| Noted {
        id: row_of(source, line.place.line),
        ties,
        line,
        new: Some(json),
    })
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
    ties: Vec<i64>,
    new: Option<Piece>,
}

/// Writes down lines and which of them belong together; meanwhile folds them, and sees what comes of
/// that. The names that tie them are still to be written.
pub(crate) fn tie_and_fold<T: Send>(
    db: &Connection,
    noted: Vec<Noted>,
    see: impl FnOnce(&Memory) -> T + Send,
) -> Result<(Ties, Memory, T), IndexError> {
    let mut rows = Vec::with_capacity(noted.len());
    let mut lines = Vec::with_capacity(noted.len());
    for Noted { id, line, ties, new } in noted {
        rows.push(Row { id, ties, new });
        lines.push(line);
    }
    std::thread::scope(|scope| {
        let folding = scope.spawn(|| {
            let memory = fold(lines, None);
            let seen = see(&memory);
            (memory, seen)
        });
        let ties = tie(db, &rows)?;
        drop(rows);
        let (memory, seen) =
            folding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((ties, memory, seen))
    })
}

/// Finds which lines belong together, and writes that down for the lines. A line that is alone is a
/// component by its own name.
fn tie(db: &Connection, rows: &[Row]) -> Result<Ties, IndexError> {
    let mut groups = Groups::default();
    groups.places.reserve(2 * rows.len());
    groups.parents.reserve(2 * rows.len());
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
    let mut called: HashMap<usize, (i64, usize), fast::Hash> = HashMap::default();
    let mut own: Vec<Option<usize>> = Vec::with_capacity(rows.len());
    for row in rows {
        let group = row.ties.first().map(|first| {
            let at = groups.of(*first);
            groups.find(at)
        });
        if let Some(group) = group {
            called.entry(group).or_insert((row.id, 0)).1 += 1;
        }
        own.push(group);
    }
    let mut update = db.prepare_cached("UPDATE line SET component = ? WHERE id = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO line(id, component, json) VALUES(?, ?, ?)")?;
    for (row, group) in rows.iter().zip(own) {
        let component = group.and_then(|group| called.get(&group));
        let component = component.filter(|(_, lines)| *lines > 1).map(|(name, _)| *name);
        match &row.new {
            None => update.execute(params![component, row.id])?,
            Some(json) => insert.execute(params![row.id, component, json.bytes()])?,
        };
    }
    let names: Vec<(i64, usize)> = groups.places.iter().map(|(name, at)| (*name, *at)).collect();
    let mut tied: Vec<(i64, i64)> = Vec::with_capacity(names.len());
    for (name, at) in names {
        let group = groups.find(at);
        tied.extend(called.get(&group).map(|(component, _)| (name, *component)));
    }
    Ok(Ties(tied))
}

/// Names in their short form, each with its component.
pub(crate) struct Ties(Vec<(i64, i64)>);

impl Ties {
    /// Writes them in their order, several at once.
    pub(crate) fn write(mut self, db: &Connection) -> Result<(), IndexError> {
        self.0.sort_unstable();
        let (eights, rest) = self.0.as_chunks::<8>();
        let mut insert = db.prepare_cached(
            "INSERT OR REPLACE INTO tie VALUES(?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?)",
        )?;
        for eight in eights {
            insert.execute(rusqlite::params_from_iter(eight.iter().flat_map(|(a, b)| [*a, *b])))?;
        }
        let mut insert = db.prepare_cached("INSERT OR REPLACE INTO tie VALUES(?, ?)")?;
        for (name, component) in rest {
            insert.execute([name, component])?;
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IndexErrorKind, db};

    #[test]
    fn a_part_of_a_document_that_cannot_be_decoded_is_damage() {
        let stored = |data: &str| StoredMemory::new(("doc:x".to_owned(), Some(data.to_owned())));
        let whole = serde_json::to_string(&DocumentPart::default()).unwrap();
        assert!(stored(&whole).is_ok());
        assert_eq!(stored("{}").unwrap_err().kind, IndexErrorKind::Damaged);
    }

    #[test]
    fn a_line_that_is_another_one_is_damage() {
        let tables = Connection::open_in_memory().unwrap();
        db::create(&tables, "none", 0).unwrap();
        tables.execute("INSERT INTO source VALUES(1, 'a.jsonl', 0, 0, 0, x'', 2, '')", []).unwrap();
        let ids = [1, 2].map(Uuid::from_u128);
        for (number, id) in (1..).zip(ids) {
            let json = format!(
                r#"{{"v":1,"id":"{id}","kind":"note","content":"x","at":"2026-02-22T00:00:00Z"}}"#
            );
            let row = params![row_of(1, number), json.as_bytes()];
            tables.execute("INSERT INTO line(id, json) VALUES(?, ?)", row).unwrap();
        }
        let show = |number: usize| {
            let line = NonZeroI64::new(row_of(1, number));
            let entry = Entry { line, tie: tie_of(&ids[0].to_string()), ..Entry::FREE };
            to_show(&tables, [(0, entry)].into_iter())
        };
        let (kept, lines) = show(1).unwrap();
        assert_eq!(kept, [Some(StoredMemory::Record(ids[0]))]);
        assert_eq!(lines.len(), 1);
        assert_eq!(show(2).unwrap_err().kind, IndexErrorKind::Damaged);
    }
}
