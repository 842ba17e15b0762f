//! Bringing the index up to date with what was read.

mod passages;
mod reading;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use heirloom_core::embedding::Embedder;
use heirloom_core::fold::{Line, Memory, Standing};
use heirloom_core::hands;
use heirloom_core::recall::Passage;
use heirloom_core::record::{Body, Record};
use rusqlite::{Connection, OptionalExtension, params};

use crate::ledger::{self, Noted, Ties, short};
use crate::segment::{Builder, Draft};
use crate::slots::{Slots, State};
use crate::{IndexError, db, links};
use passages::{Put, standing};

/// A file that was read, and how far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Its path from the root, or from where it lies.
    pub path: String,
    /// Whether it lies in this machine's own state.
    pub is_local: bool,
    /// How many bytes were read.
    pub size: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i64,
    /// A hash by which it is known again: of all of it, or of the end of what was read.
    pub mark: Vec<u8>,
    /// How many lines were read.
    pub lines: usize,
    /// What could not be read.
    pub problems: String,
}

/// A line of the log that was not there before.
#[derive(Debug, Clone)]
pub struct NewLine {
    pub(crate) line: Box<Line>,
    pub(crate) json: Piece,
    pub(crate) ties: Vec<i64>,
}

impl NewLine {
    /// Takes what a line says, and its bytes.
    pub fn new(line: Box<Line>, json: Piece) -> Self {
        NewLine { ties: ledger::ties_of(&line), line, json }
    }
}

/// A piece of a file that was read, which all pieces share.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The file's bytes.
    pub file: Arc<Vec<u8>>,
    /// Which of them it is.
    pub range: Range<usize>,
}

impl Piece {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

/// A file that changed.
#[derive(Debug, Default)]
pub struct Read {
    /// The file as it is now.
    pub source: Source,
    /// Whether what was read before still stands, and only more came.
    pub grew: bool,
    /// Its lines, or those that came.
    pub lines: Vec<NewLine>,
    /// What it holds that can be recalled.
    pub passages: Vec<Passage>,
}

/// What changed since the index was made.
#[derive(Debug, Default)]
pub struct Update {
    /// Files that are gone.
    pub gone: Vec<String>,
    /// Files that changed or are new.
    pub read: Vec<Read>,
}

impl Update {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.read.is_empty()
    }
}

/// So many passages are worth another hand.
const MANY: usize = 1000;

/// Writes an update, and returns the segment that it makes, if it makes one.
pub(crate) fn apply(
    db: &Connection,
    slots: &mut Slots,
    update: Update,
    embedder: &dyn Embedder,
    progress: &dyn Fn(usize, usize),
) -> Result<Option<Draft>, IndexError> {
    let mut writing = Writing { db, slots, groups: BTreeSet::new() };
    let Taken { touched, ties, things, passages } = writing.take(update)?;
    let over = taken_over(&touched.memory);
    let state = |subject: &str| state_of(&touched.memory, &over, subject);
    let is_entry = |name: &&String| name.starts_with("entry:");
    writing.settle(touched.names.iter().filter(is_entry), state)?;
    let mut puts: Vec<Put> = passages
        .into_iter()
        .map(|(id, passage)| {
            let state = match passage.standing {
                Standing::Active => state(passage.subject()),
                by_itself => standing(by_itself),
            };
            Put::new(passage, id, state)
        })
        .collect();
    writing.add_records(&touched.records, things, &mut puts)?;
    let (put, segment) = writing.put(puts, embedder, progress, || ties.write(db))?;
    let (segment, finished) = hands::both(
        put.len() >= MANY,
        || segment.map(Builder::finish).transpose(),
        || writing.finish(&touched),
    );
    finished?;
    let count = touched.records.len();
    hands::let_go((put, touched), count);
    segment
}

struct Writing<'w> {
    db: &'w Connection,
    slots: &'w mut Slots,
    /// Groups whose members changed.
    groups: BTreeSet<i64>,
}

/// What an update brings.
struct Taken {
    touched: Touched,
    /// Which lines belong together.
    ties: Ties,
    /// What the records are that it touches, those that are things of their own, in the same order.
    things: Vec<Option<Put>>,
    /// What documents hold.
    passages: Vec<(i64, Passage)>,
}

/// What an update touches of what the log says.
struct Touched {
    /// What is known of all of it.
    memory: Memory,
    /// The records.
    records: BTreeSet<uuid::Uuid>,
    /// What the lines name besides: entries and documents, and records that have no line of their own.
    names: BTreeSet<String>,
}

impl Writing<'_> {
    /// Takes the files and the lines of the log, and folds what they touch.
    fn take(&mut self, update: Update) -> Result<Taken, IndexError> {
        let mut replaced: HashSet<String> = update.gone.iter().cloned().collect();
        let mut components = BTreeSet::new();
        for path in &update.gone {
            if let Some(id) = self.source(path)? {
                components.extend(ledger::components_in(self.db, id)?);
            }
        }
        let mut new: Vec<Noted> =
            Vec::with_capacity(update.read.iter().map(|read| read.lines.len()).sum());
        let mut passages =
            Vec::with_capacity(update.read.iter().map(|read| read.passages.len()).sum());
        let mut written = Vec::new();
        for read in update.read {
            let known = self.source(&read.source.path)?;
            if let Some(id) = known.filter(|_| !read.grew) {
                components.extend(ledger::components_in(self.db, id)?);
                replaced.insert(read.source.path.clone());
            }
            let id = match known {
                Some(id) => id,
                None => self.add_source(&read.source.path)?,
            };
            new.extend(ledger::taken(id, read.lines));
            if !read.grew && known.is_some() {
                let keep = read.passages.iter().map(|passage| passage.name.as_str()).collect();
                self.drop_others(id, &keep)?;
            }
            passages.extend(read.passages.into_iter().map(|passage| (id, passage)));
            written.push((id, read.source));
        }
        if self.has_lines()? {
            let mut names: Vec<i64> = new.iter().flat_map(Noted::ties).collect();
            names.extend(passages.iter().map(|(_, passage)| short(passage.subject())));
            components.extend(ledger::components_of(self.db, &names)?);
        }
        let before = ledger::lines_of(self.db, &components)?.into_iter();
        let before: Vec<Noted> = before.map(Noted::written).collect();
        ledger::forget(self.db, &before)?;
        let mut named = Named::default();
        named.records.reserve(before.len() + new.len());
        before.iter().chain(&new).for_each(|noted| named.add(&noted.line.record));
        let (stay, go): (Vec<Noted>, Vec<Noted>) = before
            .into_iter()
            .partition(|noted| !replaced.contains(noted.line.place.path.as_ref()));
        ledger::remove(self.db, &go)?;
        for path in &update.gone {
            if let Some(id) = self.source(path)? {
                self.drop_others(id, &HashSet::new())?;
                self.db.execute("DELETE FROM source WHERE id = ?", [id])?;
            }
        }
        for (id, source) in &written {
            self.write_source(*id, source)?;
        }
        let new_files = written.iter().map(|(id, source)| (source.path.as_str().into(), *id));
        let old_files = stay.iter().map(|noted| (noted.line.place.path.clone(), noted.source()));
        let files: HashMap<Arc<str>, i64> = new_files.chain(old_files).collect();
        let mut all = new;
        all.extend(stay);
        let Named { records, names } = named;
        let records: BTreeSet<uuid::Uuid> = records.into_iter().collect();
        let (ties, memory, things) = ledger::tie_and_fold(self.db, all, |memory| {
            passages::of_records(&records, memory, &files)
        })?;
        ledger::write_trouble(self.db, &memory)?;
        Ok(Taken { touched: Touched { memory, records, names }, ties, things, passages })
    }

    /// Writes what follows from all that was written.
    fn finish(&mut self, touched: &Touched) -> Result<(), IndexError> {
        links::write(self.db, &touched.memory, &touched.records, &touched.names)?;
        self.see_repeated()?;
        self.link()?;
        db::write_slots(self.db, self.slots)
    }

    fn has_lines(&self) -> Result<bool, IndexError> {
        let found = self.db.query_row("SELECT 1 FROM tie LIMIT 1", [], |_| Ok(())).optional()?;
        Ok(found.is_some())
    }

    fn source(&self, path: &str) -> Result<Option<i64>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT id FROM source WHERE path = ?")?;
        Ok(query.query_row([path], |row| row.get(0)).optional()?)
    }

    fn add_source(&self, path: &str) -> Result<i64, IndexError> {
        let mut insert = self.db.prepare_cached(
            "INSERT INTO source(path, is_local, size, modified, mark, lines, problems)
             VALUES(?, 0, 0, 0, x'', 0, '')",
        )?;
        Ok(insert.insert([path])?)
    }

    fn write_source(&self, id: i64, source: &Source) -> Result<(), IndexError> {
        let mut update = self.db.prepare_cached(
            "UPDATE source SET is_local = ?, size = ?, modified = ?, mark = ?,
             lines = ?, problems = ? WHERE id = ?",
        )?;
        update.execute(params![
            source.is_local,
            i64::try_from(source.size).unwrap_or_default(),
            source.modified,
            source.mark,
            i64::try_from(source.lines).unwrap_or_default(),
            source.problems,
            id
        ])?;
        Ok(())
    }

    /// Drops what a document held and does not hold any more.
    fn drop_others(&mut self, source: i64, keep: &HashSet<&str>) -> Result<(), IndexError> {
        let mut query = self.db.prepare_cached("SELECT name FROM passage WHERE source = ?")?;
        let names: Vec<String> =
            query.query_map([source], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for name in names.iter().filter(|name| !keep.contains(name.as_str())) {
            self.drop_passage(name)?;
        }
        Ok(())
    }
}

/// The records that lines are, and what they name.
#[derive(Default)]
struct Named {
    records: Vec<uuid::Uuid>,
    names: BTreeSet<String>,
}

impl Named {
    fn add(&mut self, record: &Record) {
        self.records.push(record.id);
        let targets = match &record.body {
            Body::Event(event) => event.targets.as_slice(),
            _ => &[],
        };
        let origin = record.origin.as_deref().and_then(|origin| origin.split('#').next());
        let named = record.supersedes.iter().chain(targets).map(String::as_str).chain(origin);
        self.names.extend(named.map(str::to_owned));
    }
}

/// How things stand with an entry or a document: as the log says, unless a record that stands says
/// the same in its place.
fn state_of(memory: &Memory, taken_over: &HashSet<&str>, subject: &str) -> State {
    match standing(memory.standing(subject)) {
        State::Active if taken_over.contains(subject) => State::Repeated,
        state => state,
    }
}

/// The entries that a record which stands says in their place.
fn taken_over(memory: &Memory) -> HashSet<&str> {
    let mut entries = HashSet::new();
    for record in memory.records() {
        let entry = record.origin.as_deref().and_then(|origin| origin.split('#').next());
        let entry = entry.filter(|entry| entry.starts_with("entry:"));
        if let Some(entry) = entry
            && memory.standing(&record.id.to_string()) == Standing::Active
        {
            entries.insert(entry);
        }
    }
    entries
}

/// Reads which files the index knows, by their paths.
pub(crate) fn sources(db: &Connection) -> Result<BTreeMap<String, Source>, IndexError> {
    let mut query = db.prepare_cached(
        "SELECT path, is_local, size, modified, mark, lines, problems FROM source",
    )?;
    let rows = query.query_map([], |row| {
        let size: i64 = row.get(2)?;
        let lines: i64 = row.get(5)?;
        Ok(Source {
            path: row.get(0)?,
            is_local: row.get(1)?,
            size: u64::try_from(size).unwrap_or_default(),
            modified: row.get(3)?,
            mark: row.get(4)?,
            lines: usize::try_from(lines).unwrap_or_default(),
            problems: row.get(6)?,
        })
    })?;
    let named = rows.map(|source| source.map(|source| (source.path.clone(), source)));
    Ok(named.collect::<Result<_, _>>()?)
}
