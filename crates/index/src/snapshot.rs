//! One generation of the index, as a reader sees it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::recall::{Corpus, Posting, Slot, mark};
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension};

use crate::ledger::{self, short};
use crate::quantise::Small;
use crate::segment::{NO_ROW, Segment};
use crate::slots::{Slots, State, day_of};
use crate::update::{self, Source};
use crate::{IndexError, db};

/// One generation of the index.
pub struct Snapshot {
    pub(crate) db: Connection,
    pub(crate) slots: Slots,
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Where each segment's vectors start among all.
    starts: Vec<u32>,
    /// The first vector of each slot, among all.
    rows: Vec<u32>,
    generation: i64,
    is_on_disk: bool,
    sources: OnceCell<BTreeMap<String, Source>>,
    /// How many memories are active, and how long they are on average.
    active: OnceCell<(usize, f64)>,
}

/// Among which memories one looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shelf {
    /// Those that are known to be so.
    #[default]
    Active,
    /// Those that were put away or replaced.
    Archive,
    /// All that were ever known.
    Everything,
}

impl Shelf {
    /// Returns whether things of a standing are looked for.
    pub fn is_for(self, standing: Standing) -> bool {
        match self {
            Shelf::Active => standing == Standing::Active,
            Shelf::Archive => standing != Standing::Active,
            Shelf::Everything => true,
        }
    }

    fn holds(self, state: State) -> bool {
        match self {
            Shelf::Active => state == State::Active,
            Shelf::Archive => matches!(state, State::Archived | State::Superseded),
            Shelf::Everything => {
                matches!(state, State::Active | State::Archived | State::Superseded)
            }
        }
    }
}

/// What a memory must be to be in an answer: one of each sort that is named.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Sorts, each with the words of which a memory must have one.
    pub marks: Vec<(&'static str, Vec<String>)>,
}

/// A memory as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name under which the log speaks of it.
    pub subject: String,
    /// What is to be answered with it, if it is no record of the log.
    pub data: Option<String>,
}

impl Snapshot {
    /// Reads the tables and takes the segments that they name.
    pub(crate) fn new(db: Connection, segments: Vec<Arc<Segment>>) -> Result<Self, IndexError> {
        let slots = db::slots(&db)?;
        let mut rows = vec![NO_ROW; slots.len()];
        let mut starts = Vec::with_capacity(segments.len());
        let mut start = 0_u32;
        for segment in &segments {
            starts.push(start);
            for row in (0..segment.rows()).rev() {
                if let Some(own) = rows.get_mut(segment.slot_of(row) as usize) {
                    *own = start + row as u32;
                }
            }
            start += segment.rows() as u32;
        }
        let generation = db::get(&db, "generation")?.unwrap_or_default();
        Ok(Snapshot {
            is_on_disk: db.path().is_some_and(|path| !path.is_empty()),
            db,
            slots,
            segments,
            starts,
            rows,
            generation,
            sources: OnceCell::new(),
            active: OnceCell::new(),
        })
    }

    /// Returns the files that were read, by their paths.
    pub fn sources(&self) -> Result<&BTreeMap<String, Source>, IndexError> {
        if let Some(sources) = self.sources.get() {
            return Ok(sources);
        }
        let sources = update::sources(&self.db)?;
        Ok(self.sources.get_or_init(|| sources))
    }

    /// Returns whether it is what lies on disk, and not what one process knows besides.
    pub fn is_on_disk(&self) -> bool {
        self.is_on_disk
    }

    /// Returns whether nothing newer has been written since it was opened.
    pub fn is_newest(&self) -> Result<bool, IndexError> {
        self.db.execute_batch("ROLLBACK; BEGIN")?;
        Ok(db::get(&self.db, "generation")? == Some(self.generation))
    }

    /// Returns what is wrong with lines of the log taken together.
    pub fn trouble(&self) -> Result<Vec<Problem>, IndexError> {
        ledger::trouble(&self.db)
    }

    /// Returns how many memories are in each state.
    pub fn counts(&self) -> BTreeMap<State, usize> {
        let mut counts = BTreeMap::new();
        for entry in self.slots.all() {
            *counts.entry(entry.state).or_default() += 1;
        }
        counts
    }

    /// Returns how many segments there are.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Returns a memory as it is kept.
    pub fn kept(&self, slot: Slot) -> Result<Option<Kept>, IndexError> {
        let mut query = self
            .db
            .prepare_cached("SELECT coalesce(subject, name), data FROM passage WHERE slot = ?")?;
        let found =
            query.query_row([slot], |row| Ok(Kept { subject: row.get(0)?, data: row.get(1)? }));
        Ok(found.optional()?)
    }

    /// Returns what is known of all that is tied to some names; with `as_of`, what was known then.
    pub fn memory_of(
        &self,
        names: &[String],
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        let names: Vec<i64> = names.iter().map(|name| short(name)).collect();
        let components = ledger::components_of(&self.db, &names)?;
        Ok(ledger::folded(ledger::lines_of(&self.db, &components)?, as_of))
    }

    /// Looks among some of the memories.
    pub fn view<'s>(&'s self, shelf: Shelf, filter: &Filter) -> View<'s> {
        let mut view = View::new(self, shelf);
        view.narrow(filter);
        view
    }
}

/// The memories among which one looks.
pub struct View<'s> {
    snapshot: &'s Snapshot,
    shelf: Shelf,
    size: usize,
    mean_length: f64,
    /// Which slots may be in the answer; empty if all may.
    wanted: Vec<bool>,
    /// The question's vector in few bytes, made once.
    query: RefCell<Option<(Vec<f32>, Small)>>,
}

impl<'s> View<'s> {
    fn new(snapshot: &'s Snapshot, shelf: Shelf) -> Self {
        let counted = || {
            let (mut size, mut length) = (0_usize, 0_u64);
            for entry in snapshot.slots.all().iter().filter(|entry| shelf.holds(entry.state)) {
                size += 1;
                length += u64::from(entry.length);
            }
            (size, if size == 0 { 0.0 } else { length as f64 / size as f64 })
        };
        let (size, mean_length) = match shelf {
            Shelf::Active => *snapshot.active.get_or_init(counted),
            _ => counted(),
        };
        View { snapshot, shelf, size, mean_length, wanted: vec![], query: RefCell::default() }
    }

    fn narrow(&mut self, filter: &Filter) {
        for (sort, words) in &filter.marks {
            let mut holds = vec![false; self.snapshot.slots.len()];
            for word in words {
                let term = mark(sort, word);
                for segment in &self.snapshot.segments {
                    segment.postings(&term, |posting| {
                        if let Some(holds) = holds.get_mut(posting.slot as usize) {
                            *holds = true;
                        }
                    });
                }
            }
            if self.wanted.is_empty() {
                self.wanted = holds;
            } else {
                self.wanted.iter_mut().zip(holds).for_each(|(wanted, holds)| *wanted &= holds);
            }
        }
    }

    fn holds(&self, slot: Slot) -> bool {
        self.shelf.holds(self.snapshot.slots.get(slot).state)
    }

    /// Does something with the question's vector in few bytes.
    fn with_query<T>(&self, vector: &[f32], take: impl FnOnce(&Small) -> T) -> T {
        let mut made = self.query.borrow_mut();
        match made.as_ref() {
            Some((of, small)) if of == vector => take(small),
            _ => take(&made.insert((vector.to_vec(), Small::new(vector))).1),
        }
    }

    fn nearness_of_row(&self, row: u32, query: &Small) -> f32 {
        let at = self.snapshot.starts.partition_point(|start| *start <= row) - 1;
        self.snapshot.segments[at].nearness((row - self.snapshot.starts[at]) as usize, query)
    }
}

impl Corpus for View<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn slots(&self) -> usize {
        self.snapshot.slots.len()
    }

    fn mean_length(&self) -> f64 {
        self.mean_length
    }

    fn postings(&self, term: &str, found: &mut Vec<Posting>) {
        for segment in &self.snapshot.segments {
            segment.postings(term, |posting| {
                if self.holds(posting.slot) {
                    found.push(posting);
                }
            });
        }
    }

    fn alike(&self, term: &str) -> Vec<String> {
        crate::alike::alike(self, term)
    }

    fn length(&self, slot: Slot) -> u32 {
        self.snapshot.slots.get(slot).length
    }

    fn is_wanted(&self, slot: Slot) -> bool {
        self.holds(slot) && (self.wanted.is_empty() || self.wanted[slot as usize])
    }

    fn before(&self, slot: Slot) -> Option<Slot> {
        self.snapshot.slots.get(slot).before
    }

    fn after(&self, slot: Slot) -> Option<Slot> {
        self.snapshot.slots.get(slot).after
    }

    fn asks(&self, slot: Slot) -> bool {
        self.snapshot.slots.get(slot).asks
    }

    fn day(&self, slot: Slot) -> Option<Date> {
        self.snapshot.slots.get(slot).day.and_then(day_of)
    }

    /// Looks at one bit a dimension first, then closely at those that are nearest by that. All that
    /// are equally near are looked at, so that the answer depends on nothing but what is there.
    fn nearest(&self, vector: &[f32], most: usize) -> Vec<Slot> {
        let snapshot = self.snapshot;
        self.with_query(vector, |query| {
            let mut distances: Vec<u8> = Vec::new();
            let mut counts = [0_usize; 256];
            let mut wanted: Vec<(u32, Slot)> = Vec::new();
            for (segment, start) in snapshot.segments.iter().zip(&snapshot.starts) {
                let own = distances.len();
                segment.distances(query, &mut distances);
                for (row, distance) in distances[own..].iter().enumerate() {
                    let slot = segment.slot_of(row);
                    if self.is_wanted(slot) {
                        counts[*distance as usize] += 1;
                        wanted.push((start + row as u32, slot));
                    }
                }
            }
            let mut seen = 0;
            let limit = counts.iter().position(|count| {
                seen += count;
                seen >= most * CLOSELY
            });
            let limit = limit.unwrap_or(255);
            let near = |(row, slot): &(u32, Slot)| {
                (distances[*row as usize] as usize <= limit)
                    .then(|| (self.nearness_of_row(*row, query), *slot))
            };
            let mut found: Vec<(f32, Slot)> = wanted.iter().filter_map(near).collect();
            let tie = |slot: Slot| snapshot.slots.get(slot).tie;
            let better = |a: &(f32, Slot), b: &(f32, Slot)| {
                b.0.total_cmp(&a.0).then_with(|| tie(a.1).cmp(&tie(b.1)))
            };
            if found.len() > most {
                found.select_nth_unstable_by(most, better);
                found.truncate(most);
            }
            found.into_iter().map(|(_, slot)| slot).collect()
        })
    }

    fn nearness(&self, slot: Slot, vector: &[f32]) -> f32 {
        let snapshot = self.snapshot;
        self.with_query(vector, |query| {
            let mut row = snapshot.rows[slot as usize];
            let mut best = 0.0_f32;
            let mut is_first = true;
            while row != NO_ROW && self.slot_of_row(row) == Some(slot) {
                let near = self.nearness_of_row(row, query);
                best = if is_first { near } else { best.max(near) };
                is_first = false;
                row += 1;
            }
            best
        })
    }

    fn tie(&self, slot: Slot) -> u64 {
        self.snapshot.slots.get(slot).tie
    }
}

/// For each memory that is wanted, how many are looked at closely.
const CLOSELY: usize = 4;

impl View<'_> {
    fn slot_of_row(&self, row: u32) -> Option<Slot> {
        let at = self.snapshot.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        let segment = &self.snapshot.segments[at];
        let own = (row - self.snapshot.starts[at]) as usize;
        (own < segment.rows()).then(|| segment.slot_of(own))
    }

    /// Gives every term that is held and how many hold it, of all segments.
    pub(crate) fn each_term<'v>(&'v self, mut take: impl FnMut(&'v str, usize)) {
        for segment in &self.snapshot.segments {
            segment.each_term(&mut take);
        }
    }
}
