//! One generation of the index, as a reader sees it.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use heirloom_core::Problem;
use heirloom_core::fold::Memory;
use heirloom_core::recall::{Corpus, Slot};
use jiff::Timestamp;
use rusqlite::Connection;

use crate::folder::{Home, Lengths};
use crate::ledger::{self, StoredMemory, short};
use crate::links::{self, Links};
use crate::segment::{NO_ROW, Segment};
use crate::slots::{Entry, Slots, State};
use crate::update::{self, Source};
use crate::view::{Filter, Measured, Shelf, View};
use crate::{IndexError, db};

/// Where the state has the checksum of the files that were read.
pub(crate) const CHECKSUM: &str = "checksum";

/// When one in so many slots is free, the index is made anew.
const MOST_FREE: usize = 2;

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
    /// Where it lies, if it is not only in memory.
    pub(crate) home: Option<Home>,
    /// When the file was put there that named it when it was last read.
    named_at: Cell<Option<SystemTime>>,
    /// How long the tables' files were when they were last looked at.
    lengths: Cell<Lengths>,
    /// Whether it shows when somebody writes a newer one.
    is_lasting: bool,
    /// Which embedder made its vectors, and how many numbers they have.
    pub(crate) embedder: (String, usize),
    sources: OnceCell<BTreeMap<String, Source>>,
    active: OnceCell<Measured>,
    links: Links,
}

impl Snapshot {
    /// Takes the tables, the slots that they hold and the segments that they name.
    pub(crate) fn with(
        db: Connection,
        slots: Slots,
        segments: Vec<Arc<Segment>>,
        home: Option<Home>,
    ) -> Result<Self, IndexError> {
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
        let dimensions = db::get(&db, "dimensions")?.unwrap_or_default();
        let dimensions = usize::try_from(dimensions).unwrap_or_default();
        let embedder = (db::embedder(&db)?.unwrap_or_default(), dimensions);
        let links = links::read(&db, |slot| slots.get(slot).tie)?;
        Ok(Snapshot {
            embedder,
            is_lasting: home.is_some(),
            named_at: Cell::new(None),
            lengths: Cell::new(home.as_ref().map(Home::lengths).unwrap_or_default()),
            home,
            db,
            slots,
            segments,
            starts,
            rows,
            generation,
            sources: OnceCell::new(),
            active: OnceCell::new(),
            links,
        })
    }

    /// Takes one that does not show when somebody writes a newer one.
    pub(crate) fn for_one_question(self) -> Self {
        Snapshot { is_lasting: false, ..self }
    }

    /// Returns the files that were read, by their paths.
    pub fn sources(&self) -> Result<&BTreeMap<String, Source>, IndexError> {
        if let Some(sources) = self.sources.get() {
            return Ok(sources);
        }
        let sources = update::sources(&self.db)?;
        Ok(self.sources.get_or_init(|| sources))
    }

    /// Returns the checksum of the files that it was last found to be up to date with.
    pub fn checksum(&self) -> Result<Option<i64>, IndexError> {
        db::get(&self.db, CHECKSUM)
    }

    /// Returns whether it can be kept for another question: it is what lies on disk, and shows when
    /// somebody writes a newer one.
    pub fn is_lasting(&self) -> bool {
        self.is_lasting
    }

    /// Returns whether nothing was ever committed to it.
    pub fn is_new(&self) -> bool {
        self.generation == 0
    }

    /// Returns whether it is still of the index that holds, and that was not made anew.
    pub fn is_current(&self) -> bool {
        let Some(home) = &self.home else { return true };
        let named_at = home.named_at();
        if named_at.is_some() && named_at == self.named_at.get() {
            return true;
        }
        let is_current = home.is_current();
        self.named_at.set(named_at.filter(|_| is_current));
        is_current
    }

    /// Returns whether nobody has changed its segments.
    pub fn is_as_opened(&self) -> bool {
        self.segments.iter().all(|segment| segment.is_as_opened())
    }

    /// Returns whether somebody has cut off the tables' files, which only grow. Whoever touches what
    /// was there is ended; what was taken away as a whole is still there for who has it open.
    pub fn is_cut_off(&self) -> bool {
        let Some(home) = &self.home else { return false };
        let (now, then) = (home.lengths(), self.lengths.get());
        let is_cut_off =
            now.iter().zip(then).any(|(now, then)| now.is_some_and(|now| Some(now) < then));
        if !is_cut_off {
            self.lengths.set(now);
        }
        is_cut_off
    }

    /// Returns whether nothing newer has been written since it was opened.
    pub fn is_newest(&self) -> Result<bool, IndexError> {
        if !self.is_current() || !self.is_as_opened() {
            return Ok(false);
        }
        for statement in ["ROLLBACK", "BEGIN"] {
            self.db.prepare_cached(statement)?.execute([])?;
        }
        Ok(db::get(&self.db, "generation")? == Some(self.generation))
    }

    /// Returns what is wrong with lines of the log taken together.
    pub fn trouble(&self) -> Result<Vec<Problem>, IndexError> {
        ledger::trouble(&self.db)
    }

    /// Returns how many memories of some sort are in each state.
    pub fn counts_of(&self, filter: &Filter) -> BTreeMap<State, usize> {
        let view = self.view(Shelf::Active, filter);
        let is_wanted = |slot: usize| view.wanted.get(slot).is_none_or(|wanted| *wanted);
        let mut counts = BTreeMap::new();
        let all = self.slots.all().iter().enumerate();
        for (_, entry) in all.filter(|(slot, _)| is_wanted(*slot)) {
            *counts.entry(entry.state).or_default() += 1;
        }
        counts
    }

    /// Returns whether so much of it is free that it should be made anew.
    pub fn is_worn(&self) -> bool {
        let free = self.slots.all().iter().filter(|entry| entry.state == State::Free).count();
        free > 1000 && free * MOST_FREE > self.slots.len()
    }

    /// Returns how many segments there are.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Returns the name under which the log speaks of a memory.
    pub fn subject(&self, slot: Slot) -> Result<Option<String>, IndexError> {
        Ok(ledger::kept_at(&self.db, slot)?.map(|(subject, _)| subject))
    }

    /// Returns what is known of all that is tied to some names; with `as_of`, what was known then.
    pub fn memory_of(
        &self,
        names: &[String],
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        Ok(ledger::folded(ledger::lines_of(&self.db, &self.components_of(names)?)?, as_of))
    }

    /// Returns what is known of some names, of all that is related, and of all that was replaced, put
    /// away, or said more than once: of a line that is not among these, nothing but that it stands.
    /// With `as_of`, what was known then.
    pub fn memory_of_related(
        &self,
        names: &[String],
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        let mut components = ledger::components_of_several(&self.db)?;
        components.extend(self.components_of(names)?);
        components.extend(self.components_of(&links::all(&self.db)?)?);
        Ok(ledger::folded(ledger::lines_of(&self.db, &components)?, as_of))
    }

    /// Returns memories as they are kept, and what is known of them, for one who only shows it and
    /// looks for nothing that says the same.
    pub fn to_show(
        &self,
        slots: &[Slot],
        as_of: Option<Timestamp>,
    ) -> Result<(Vec<Option<StoredMemory>>, Memory), IndexError> {
        let memories = slots.iter().map(|slot| (*slot, self.slots.get(*slot)));
        let (kept, lines) = ledger::to_show(&self.db, memories)?;
        Ok((kept, ledger::folded(lines, as_of)))
    }

    fn components_of(&self, names: &[String]) -> Result<BTreeSet<i64>, IndexError> {
        let names: Vec<i64> = names.iter().map(|name| short(name)).collect();
        ledger::components_of(&self.db, &names)
    }

    /// Returns the relations that lead to some names or start there, and the names at their ends.
    pub fn relations_of(&self, names: &[String]) -> Result<Vec<String>, IndexError> {
        links::at(&self.db, names)
    }

    /// Returns the names of all memories of a shelf that are of some sort.
    pub fn names(&self, shelf: Shelf, filter: &Filter) -> Result<Vec<String>, IndexError> {
        let view = self.view(shelf, filter);
        self.subjects((0..view.slots() as Slot).filter(|slot| view.is_wanted(*slot)))
    }

    /// Returns the names of all that was said since a day, given by its number, whatever became of it.
    pub fn names_since(&self, day: i32) -> Result<Vec<String>, IndexError> {
        let is_since = |entry: &Entry| {
            entry.state != State::Free && entry.latest.is_some_and(|latest| latest >= day)
        };
        let slots = self.slots.all().iter().enumerate().filter(|(_, entry)| is_since(entry));
        self.subjects(slots.map(|(slot, _)| slot as Slot))
    }

    fn subjects(&self, slots: impl Iterator<Item = Slot>) -> Result<Vec<String>, IndexError> {
        let mut subjects = Vec::new();
        for slot in slots {
            subjects.extend(self.subject(slot)?);
        }
        Ok(subjects)
    }

    /// Returns the ids of records that end in some digits, whatever became of them.
    pub fn ids_ending_in(&self, typed: &str) -> Result<Vec<String>, IndexError> {
        ledger::ids_ending_in(&self.db, typed)
    }

    /// Looks among some of the memories.
    pub fn view<'s>(&'s self, shelf: Shelf, filter: &Filter) -> View<'s> {
        let measured = || Measured::of(&self.slots, shelf);
        let measured = match shelf {
            Shelf::Active => Cow::Borrowed(self.active.get_or_init(measured)),
            _ => Cow::Owned(measured()),
        };
        let mut view = View {
            slots: &self.slots,
            segments: &self.segments,
            starts: &self.starts,
            rows: &self.rows,
            links: &self.links,
            measured,
            wanted: vec![],
        };
        view.narrow(filter);
        view
    }
}
