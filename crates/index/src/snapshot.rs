//! One generation of the index, as a reader sees it.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use heirloom_core::Problem;
use heirloom_core::fold::Memory;
use heirloom_core::recall::{ComponentKey, Corpus, Slot};
use heirloom_core::record::Referent;
use jiff::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use crate::folder::{IndexFiles, MappedSizes};
use crate::name_hash::{IdSuffix, hash_key, hash_referent, hash_text};
use crate::relations::{self, RelatedSlots};
use crate::segment::Segment;
use crate::slots::{SlotEntry, SlotState, SlotTable};
use crate::stored_memory::{self, StoredMemory};
use crate::tables::sources::Source;
use crate::tables::state::EmbedderId;
use crate::tables::{self, lines, passages, problems, sources, state};
use crate::vector_numbers::VectorNumbers;
use crate::view::{Filter, StandingFilter, View};
use crate::{IndexError, sqlite};

/// The index is worth rebuilding if more than 1 / `FREE_SLOTS_DIVISOR` of its slots are free.
const FREE_SLOTS_DIVISOR: usize = 2;

/// The index is not worth rebuilding for so few free slots.
const MIN_FREE_SLOTS: usize = 1000;

/// One generation of the index.
pub struct Snapshot {
    pub(crate) db: Connection,
    pub(crate) slots: SlotTable,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) vector_numbers: VectorNumbers,
    pub(crate) generation: i64,
    /// The files of the index, unless it is in memory only.
    pub(crate) files: Option<IndexFiles>,
    /// The time of the file that names the current index, when this was last found to be current.
    checked_at: Cell<Option<SystemTime>>,
    /// The sizes of the memory-mapped files of the database when they were last checked.
    mapped_sizes: Cell<MappedSizes>,
    /// Whether the connection notices commits of other processes.
    is_reusable: bool,
    pub(crate) embedder: EmbedderId,
    pub(crate) sources: OnceCell<BTreeMap<String, Source>>,
    related: RelatedSlots,
}

impl Snapshot {
    /// Creates a snapshot from a database in an open transaction, from what was loaded from it, and from the vector
    /// numbers of an earlier generation.
    pub(crate) fn new(
        db: Connection,
        slots: SlotTable,
        segments: Vec<Arc<Segment>>,
        mut vector_numbers: VectorNumbers,
        files: Option<IndexFiles>,
    ) -> Result<Self, IndexError> {
        vector_numbers.update(slots.len(), &segments);
        Ok(Snapshot {
            generation: state::generation(&db)?,
            embedder: state::embedder(&db)?,
            related: relations::load(&db, |slot| slots.get(slot).tie_breaker)?,
            is_reusable: files.is_some(),
            checked_at: Cell::new(None),
            mapped_sizes: Cell::new(
                files.as_ref().map(IndexFiles::mapped_sizes).unwrap_or_default(),
            ),
            files,
            db,
            slots,
            segments,
            vector_numbers,
            sources: OnceCell::new(),
        })
    }

    /// Marks a snapshot whose connection does not notice commits of other processes.
    pub(crate) fn single_use(self) -> Self {
        Snapshot { is_reusable: false, ..self }
    }

    /// Sets the files that were read, if they are known.
    pub(crate) fn with_sources(self, sources: OnceCell<BTreeMap<String, Source>>) -> Self {
        Snapshot { sources, ..self }
    }

    /// Returns the files that were read, by path.
    pub fn sources(&self) -> Result<&BTreeMap<String, Source>, IndexError> {
        if let Some(sources) = self.sources.get() {
            return Ok(sources);
        }
        let sources = sources::all(&self.db)?;
        Ok(self.sources.get_or_init(|| sources))
    }

    /// Returns the checksum of the files that the index was last up to date with.
    pub fn checksum(&self) -> Result<Option<i64>, IndexError> {
        state::checksum(&self.db)
    }

    /// Returns the checksum of the purged records that the index was built without; 0 if there were none.
    pub fn purge_checksum(&self) -> Result<i64, IndexError> {
        state::purge_checksum(&self.db)
    }

    /// Returns whether the snapshot may serve further questions: it is on disk, and notices commits
    /// of other processes.
    pub fn is_reusable(&self) -> bool {
        self.is_reusable
    }

    /// Returns whether nothing was ever committed to the index.
    pub fn is_new(&self) -> bool {
        self.generation == 0
    }

    /// Returns whether the snapshot is of the current index, which was not rebuilt since.
    pub fn is_current(&self) -> bool {
        let Some(files) = &self.files else { return true };
        let file_time = files.current_file_time();
        if file_time.is_some() && file_time == self.checked_at.get() {
            return true;
        }
        let is_current = files.is_current();
        self.checked_at.set(file_time.filter(|_| is_current));
        is_current
    }

    /// Returns whether the files of all segments are unchanged since they were opened.
    pub fn has_unchanged_segments(&self) -> bool {
        self.segments.iter().all(|segment| segment.is_unchanged())
    }

    /// Returns whether a memory-mapped file of the database was truncated, whose length otherwise only
    /// grows. Reading past the end of a truncated memory map raises SIGBUS. A deleted file is
    /// harmless, since its data stay until it is closed.
    pub fn is_truncated(&self) -> bool {
        let Some(files) = &self.files else { return false };
        let (now, before) = (files.mapped_sizes(), self.mapped_sizes.get());
        let is_truncated =
            now.iter().zip(before).any(|(now, before)| now.is_some_and(|now| Some(now) < before));
        if !is_truncated {
            self.mapped_sizes.set(now);
        }
        is_truncated
    }

    /// Returns whether nothing was committed since the snapshot was opened.
    pub fn is_up_to_date(&self) -> Result<bool, IndexError> {
        if !self.is_current() || !self.has_unchanged_segments() {
            return Ok(false);
        }
        // A new transaction sees the latest commit.
        sqlite::execute(&self.db, ["ROLLBACK", "BEGIN"])?;
        Ok(state::generation(&self.db)? == self.generation)
    }

    /// Returns the problems that appear when the lines of the log are folded together.
    pub fn log_problems(&self) -> Result<Vec<Problem>, IndexError> {
        problems::all(&self.db)
    }

    /// Returns how many memories that pass a filter are in each state.
    pub fn count_by_state(&self, filter: &Filter) -> BTreeMap<SlotState, usize> {
        let view = self.view(StandingFilter::Active, filter);
        let mut counts = BTreeMap::new();
        for (slot, entry) in self.slots.all().enumerate() {
            if entry.chunk == 0 && view.passes_filter(slot as Slot) {
                *counts.entry(entry.state).or_default() += 1;
            }
        }
        counts
    }

    /// Returns whether memories were archived that nothing replaced.
    pub fn has_archived(&self) -> bool {
        self.slots.count(SlotState::Archived).chunks > 0
    }

    /// Returns whether a memory was archived, and nothing replaced it.
    pub fn is_archived(&self, slot: Slot) -> bool {
        self.slots.state(slot) == SlotState::Archived
    }

    /// Returns how many memories that pass a filter are in each state, by the day of each, counted from 1970. Memories
    /// without a known day are left out.
    pub fn count_by_day(&self, filter: &Filter) -> BTreeMap<(i32, SlotState), usize> {
        let view = self.view(StandingFilter::Active, filter);
        let mut counts = BTreeMap::new();
        for (slot, entry) in self.slots.all().enumerate() {
            if let Some(day) = entry.day.filter(|_| entry.is_first_chunk())
                && view.passes_filter(slot as Slot)
            {
                *counts.entry((day, entry.state)).or_default() += 1;
            }
        }
        counts
    }

    /// Returns whether so many slots are free that the index is worth rebuilding.
    pub fn is_worth_rebuilding(&self) -> bool {
        let free = self.slots.count(SlotState::Free).chunks;
        free > MIN_FREE_SLOTS && free * FREE_SLOTS_DIVISOR > self.slots.len()
    }

    /// Returns how many segments there are.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Returns what the log refers to a memory by.
    pub fn subject(&self, slot: Slot) -> Result<Option<Referent>, IndexError> {
        let first = self.slots.first_of_passage(slot);
        Ok(passages::content(&self.db, first)?.map(|(subject, _)| subject))
    }

    /// Returns the passage with a name.
    pub fn passage_named(&self, name: &str) -> Result<Option<Slot>, IndexError> {
        Ok(passages::find(&self.db, name)?.map(|(slot, _)| slot))
    }

    /// Returns what the log refers to the passages of a group by, in order.
    pub fn subjects_of_group(&self, group: &str) -> Result<Vec<Referent>, IndexError> {
        self.subjects(passages::slots_of_group(&self.db, hash_text(group))?.into_iter())
    }

    /// Returns the first chunk of the passage of a chunk.
    pub fn passage(&self, slot: Slot) -> Slot {
        self.slots.first_of_passage(slot)
    }

    /// Returns the number of a chunk in its passage, counted from 0.
    pub fn chunk_number(&self, slot: Slot) -> usize {
        self.slots.get(slot).chunk.into()
    }

    /// Returns the fold of all components that some keys belong to; with `as_of`, as of that time.
    pub fn fold_components_of(
        &self,
        keys: &[ComponentKey<'_>],
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        self.fold_components(&self.components_of(keys.iter().map(hash_key))?, as_of)
    }

    /// Returns the fold of the components of some keys, of all relations, and of all components of
    /// several lines; with `as_of`, as of that time. Every line that is left out is alone in its
    /// component, and therefore active.
    pub fn fold_shared_components(
        &self,
        keys: &[ComponentKey<'_>],
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        let mut components = lines::shared_components(&self.db)?;
        components.extend(self.components_of(keys.iter().map(hash_key))?);
        let related = tables::relations::all_referents(&self.db)?;
        components.extend(self.components_of(related.iter().map(hash_referent))?);
        self.fold_components(&components, as_of)
    }

    /// Returns memories and the fold of the lines that decide their state; with `as_of`, as of that
    /// time. The fold is for display: it may lack other records that say the same.
    pub fn load_for_display(
        &self,
        slots: &[Slot],
        as_of: Option<Timestamp>,
    ) -> Result<(Vec<Option<StoredMemory>>, Memory), IndexError> {
        let memories: Vec<(Slot, SlotEntry)> = slots
            .iter()
            .map(|slot| (self.slots.first_of_passage(*slot), self.slots.get(*slot)))
            .collect();
        let (stored, lines) = stored_memory::load(&self.db, &memories)?;
        Ok((stored, lines::fold_lines(lines, as_of)))
    }

    fn components_of(
        &self,
        hashes: impl Iterator<Item = i64>,
    ) -> Result<BTreeSet<i64>, IndexError> {
        lines::components_of_names(&self.db, &hashes.collect::<Vec<_>>())
    }

    fn fold_components(
        &self,
        components: &BTreeSet<i64>,
        as_of: Option<Timestamp>,
    ) -> Result<Memory, IndexError> {
        Ok(lines::fold_lines(lines::lines_of_components(&self.db, components)?, as_of))
    }

    /// Returns the relations that have one of the referents at an end, and what they state at their
    /// ends.
    pub fn relations_around(&self, referents: &[Referent]) -> Result<Vec<Referent>, IndexError> {
        tables::relations::referents_around(&self.db, referents)
    }

    /// Returns all memories of a standing that pass a filter.
    pub fn subjects_in(
        &self,
        standing_filter: StandingFilter,
        filter: &Filter,
    ) -> Result<Vec<Referent>, IndexError> {
        self.subjects(self.slots_in(standing_filter, filter).into_iter())
    }

    /// Returns the passages of a standing that pass a filter.
    pub fn slots_in(&self, standing_filter: StandingFilter, filter: &Filter) -> Vec<Slot> {
        let view = self.view(standing_filter, filter);
        let is_selected = |slot: &Slot| self.slots.get(*slot).chunk == 0 && view.is_selected(*slot);
        (0..view.slot_bound() as Slot).filter(is_selected).collect()
    }

    /// Returns all memories that were stated on a day or later, in any state. The day is counted from
    /// 1970.
    pub fn subjects_since(&self, day: i32) -> Result<Vec<Referent>, IndexError> {
        let is_since = |entry: &SlotEntry| {
            entry.is_first_chunk() && entry.latest_day.is_some_and(|latest| latest >= day)
        };
        let slots = self.slots.all().enumerate().filter(|(_, entry)| is_since(entry));
        self.subjects(slots.map(|(slot, _)| slot as Slot))
    }

    fn subjects(&self, slots: impl Iterator<Item = Slot>) -> Result<Vec<Referent>, IndexError> {
        let mut subjects = Vec::new();
        for slot in slots {
            subjects.extend(self.subject(slot)?);
        }
        Ok(subjects)
    }

    /// Returns the ids of records in any state that end in some digits.
    pub fn ids_ending_in(&self, typed: &str) -> Result<Vec<Uuid>, IndexError> {
        match IdSuffix::parse(typed) {
            Some(suffix) => lines::ids_ending_in(&self.db, &suffix),
            None => Ok(vec![]),
        }
    }

    /// Returns a view of the memories of a standing that pass a filter.
    pub fn view<'s>(&'s self, standing_filter: StandingFilter, filter: &Filter) -> View<'s> {
        let mut view = View {
            slots: &self.slots,
            standing_filter,
            segments: &self.segments,
            vector_numbers: &self.vector_numbers,
            related: &self.related,
            has_archived: false,
            filtered: None,
        };
        view.apply_filter(filter);
        view
    }
}
