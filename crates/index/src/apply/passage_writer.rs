//! Writing passages: adding new ones, keeping unchanged ones, deleting old ones, linking neighbours.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroI64;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use heirloom_core::day;
use heirloom_core::embedding::Embedder;
use heirloom_core::fold::{Item, LineLocation, Memory, Standing};
use heirloom_core::recall::{Passage, Slot, chunks, is_question, is_split};
use heirloom_core::record::Referent;
use jiff::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use super::parallel_tokenizer::ParallelTokenizer;
use crate::IndexError;
use crate::name_hash::{hash_text, tie_breaker};
use crate::segment::{Chunk, SegmentBuilder};
use crate::slots::{SlotEntry, SlotState, SlotTable};
use crate::tables::lines::row_id;
use crate::tables::passages::{self, PassageRow};

/// How often progress is reported while the writer waits for other threads.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(1);

/// After how many stored passages progress is reported.
const PASSAGES_PER_REPORT: usize = 1024;

/// The most chunks that a passage is split into.
const MAX_CHUNKS: usize = 4096;

/// A passage that is to be written.
pub(super) struct PendingPassage {
    passage: Box<Passage>,
    fingerprint: [u8; 16],
    /// The document that it is in; `None` for a record of the log.
    source: Option<i64>,
    /// The row id of the line that states it; `None` for a part of a document.
    line: Option<NonZeroI64>,
    group_hash: Option<i64>,
    state: SlotState,
    latest_day: Option<i32>,
    tie_breaker: u64,
    /// Where the chunks of its text start and end; `None` if it is one chunk.
    chunks: Option<Box<[Range<usize>]>>,
}

impl PendingPassage {
    /// Creates a passage of a document.
    pub(super) fn from_document(passage: Passage, source: i64, state: SlotState) -> Self {
        PendingPassage {
            fingerprint: passage.fingerprint(),
            source: Some(source),
            line: None,
            group_hash: hash_group(&passage),
            state,
            latest_day: passage.day.map(day::to_number),
            tie_breaker: tie_breaker(&passage.name),
            chunks: chunk_ranges(&passage.text),
            passage: Box::new(passage),
        }
    }

    /// Creates a passage from records of the log with the same content, the last of which was
    /// written at `latest`.
    fn from_item(item: &Item<'_>, latest: Timestamp, line: Option<NonZeroI64>) -> Self {
        let passage = Passage::of_item(item);
        PendingPassage {
            fingerprint: item.fingerprint(),
            source: None,
            line,
            group_hash: hash_group(&passage),
            state: state_of_standing(item.standing),
            latest_day: Some(day::to_number(day::of_timestamp(latest))),
            tie_breaker: tie_breaker(&passage.name),
            chunks: chunk_ranges(&passage.text),
            passage: Box::new(passage),
        }
    }

    fn chunk_count(&self) -> usize {
        self.chunks.as_ref().map_or(1, |chunks| chunks.len())
    }

    /// Returns the chunks of its text.
    fn chunks(&self) -> impl Iterator<Item = Chunk<'_>> {
        let passage = &*self.passage;
        (0..self.chunk_count()).map(move |number| {
            let range = self.chunks.as_ref().map(|chunks| chunks[number].clone());
            let text = range.map_or(passage.text.as_str(), |range| &passage.text[range]);
            Chunk { text, passage, is_first: number == 0 }
        })
    }

    /// Returns the hash of its memory.
    fn memory(&self) -> u64 {
        let memory = self.passage.memory();
        if memory == self.passage.name { self.tie_breaker } else { tie_breaker(memory) }
    }

    fn slot_entry(&self, number: usize, chunk: &Chunk<'_>, term_count: u32) -> SlotEntry {
        SlotEntry {
            state: self.state,
            chunk: number as u16,
            chunk_count: self.chunk_count() as u16,
            memory: self.memory(),
            is_question: is_question(chunk.text),
            confidence_percent: self.passage.confidence.map(to_percent),
            term_count,
            tie_breaker: self.tie_breaker,
            day: self.passage.day.map(day::to_number),
            latest_day: self.latest_day,
            previous: None,
            next: None,
            line: self.line,
        }
    }

    fn row(&self) -> Result<PassageRow<'_>, IndexError> {
        let part = self.passage.part.as_ref().map(serde_json::to_string).transpose();
        Ok(PassageRow {
            name: &self.passage.name,
            subject: self.passage.subject_override.as_ref().map(Referent::to_string),
            source: self.source,
            group_hash: self.group_hash,
            position: self.passage.position,
            fingerprint: &self.fingerprint,
            repeats: self.passage.duplicate_of.as_ref().map(Referent::to_string),
            part: part.map_err(|error| IndexError::damaged(error.to_string()))?,
        })
    }
}

/// Returns where the chunks of a text start and end; `None` if it is one chunk. The rest of an extremely long text is
/// left in its last chunk.
fn chunk_ranges(text: &str) -> Option<Box<[Range<usize>]>> {
    if !is_split(text) {
        return None;
    }
    let mut ranges = chunks(text).into_iter().map(|chunk| {
        let start = chunk.as_ptr() as usize - text.as_ptr() as usize;
        start..start + chunk.len()
    });
    let mut kept: Vec<Range<usize>> = ranges.by_ref().take(MAX_CHUNKS).collect();
    if let (Some(last), Some(end)) = (kept.last_mut(), ranges.next_back()) {
        last.end = end.end;
    }
    Some(kept.into())
}

fn hash_group(passage: &Passage) -> Option<i64> {
    passage.group.as_deref().map(hash_text)
}

fn to_percent(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

/// Returns the state of a slot whose memory has some standing in the log.
pub(super) fn state_of_standing(standing: Standing) -> SlotState {
    match standing {
        Standing::Active | Standing::Expired => SlotState::Active,
        Standing::Superseded => SlotState::Superseded,
        Standing::Archived => SlotState::Archived,
    }
}

/// Returns the passage of each record, in order; `None` for a record that cannot be recalled, or that
/// is a duplicate of another record. `sources` has the ids of sources by path.
pub(super) fn pending_records(
    records: &BTreeSet<Uuid>,
    memory: &Memory,
    sources: &HashMap<Arc<str>, i64>,
) -> Vec<Option<PendingPassage>> {
    let line_of = |place: &LineLocation| {
        let source = sources.get(&place.path)?;
        NonZeroI64::new(row_id(*source, place.line))
    };
    let pending = |id: &Uuid| {
        let item = memory.item(*id)?;
        let is_recallable = item.id == *id && item.record.kind().spec().is_recallable;
        is_recallable.then(|| {
            PendingPassage::from_item(&item, memory.latest_timestamp(&item), line_of(item.place))
        })
    };
    records.iter().map(pending).collect()
}

/// Writes passages to the tables and to the slots.
pub(super) struct PassageWriter<'w> {
    pub(super) db: &'w Connection,
    pub(super) slots: &'w mut SlotTable,
    /// The groups whose members changed.
    changed_groups: BTreeSet<i64>,
}

impl<'w> PassageWriter<'w> {
    pub(super) fn new(db: &'w Connection, slots: &'w mut SlotTable) -> Self {
        PassageWriter { db, slots, changed_groups: BTreeSet::new() }
    }

    /// Deletes the passages of a document except those named.
    pub(super) fn delete_others(
        &mut self,
        source: i64,
        kept: &HashSet<&str>,
    ) -> Result<(), IndexError> {
        let names = passages::names_in_source(self.db, source)?;
        for name in names.iter().filter(|name| !kept.contains(name.as_str())) {
            self.delete(name)?;
        }
        Ok(())
    }

    /// Deletes a passage, if it exists.
    fn delete(&mut self, name: &str) -> Result<(), IndexError> {
        if let Some((slot, group)) = passages::delete(self.db, name)? {
            self.slots.change_passage(slot, |entry| *entry = SlotEntry::FREE);
            self.changed_groups.extend(group);
        }
        Ok(())
    }

    /// Writes the states of entries that the log refers to.
    pub(super) fn set_states<'n>(
        &mut self,
        entries: impl Iterator<Item = &'n Referent>,
        state_of: impl Fn(&Referent) -> SlotState,
    ) -> Result<(), IndexError> {
        for entry in entries {
            for slot in passages::slots_of_subject(self.db, entry)? {
                self.slots.change_passage(slot, |slot| slot.state = state_of(entry));
            }
        }
        Ok(())
    }

    /// Appends the passages of records to `pending`, and deletes the passages of records that have
    /// none any more.
    pub(super) fn add_records(
        &mut self,
        ids: &BTreeSet<Uuid>,
        records: Vec<Option<PendingPassage>>,
        pending: &mut Vec<PendingPassage>,
    ) -> Result<(), IndexError> {
        pending.reserve(records.len());
        for (id, record) in ids.iter().zip(records) {
            match record {
                Some(passage) => pending.push(passage),
                None if !self.slots.is_empty() => self.delete(&id.to_string())?,
                None => {}
            }
        }
        Ok(())
    }

    /// Writes passages: unchanged ones keep their slot, the others get a new one. Returns the others,
    /// and the builder of their segment. `store_names` runs while other threads tokenize.
    pub(super) fn write(
        &mut self,
        pending: Vec<PendingPassage>,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
        store_names: impl FnOnce() -> Result<(), IndexError>,
    ) -> Result<(Vec<PendingPassage>, Option<SegmentBuilder>), IndexError> {
        let mut new = if self.slots.is_empty() { pending } else { self.keep_unchanged(pending)? };
        if new.is_empty() {
            store_names()?;
            return Ok((vec![], None));
        }
        // Neighbours get adjacent slots, since they are read together.
        new.sort_unstable_by(|a, b| {
            let key = |pending: &PendingPassage| (pending.group_hash, pending.passage.position);
            key(a).cmp(&key(b)).then_with(|| a.passage.name.cmp(&b.passage.name))
        });
        let first = self.slots.len() as Slot;
        let chunks: Vec<Chunk<'_>> = new.iter().flat_map(PendingPassage::chunks).collect();
        let tokenizer = ParallelTokenizer::new(embedder, first, chunks);
        let report = || progress(tokenizer.done(), tokenizer.len());
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..tokenizer.helpers()).map(|_| scope.spawn(|| tokenizer.work(&|| ()))).collect();
            store_names()?;
            self.insert_all(first, &new, &report)?;
            tokenizer.work(&report)?;
            for worker in workers {
                while !worker.is_finished() {
                    report();
                    std::thread::sleep(PROGRESS_INTERVAL);
                }
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok::<_, IndexError>(())
        })?;
        let (builder, term_counts) = tokenizer.finish();
        let mut term_counts = term_counts.into_iter();
        for pending in &new {
            for (number, chunk) in pending.chunks().enumerate() {
                let term_count = term_counts.next().unwrap_or_default();
                self.slots.push(pending.slot_entry(number, &chunk, term_count));
            }
        }
        Ok((new, Some(builder)))
    }

    fn insert_all(
        &mut self,
        first: Slot,
        new: &[PendingPassage],
        report: &dyn Fn(),
    ) -> Result<(), IndexError> {
        let mut slot = first;
        for (number, pending) in new.iter().enumerate() {
            passages::insert(self.db, slot, &pending.row()?)?;
            self.changed_groups.extend(pending.group_hash);
            if number % PASSAGES_PER_REPORT == 0 {
                report();
            }
            slot += pending.chunk_count() as Slot;
        }
        Ok(())
    }

    /// Keeps the passages whose content is unchanged, and returns the others.
    fn keep_unchanged(
        &mut self,
        pending: Vec<PendingPassage>,
    ) -> Result<Vec<PendingPassage>, IndexError> {
        let mut others = Vec::new();
        for pending in pending {
            match passages::find(self.db, &pending.passage.name)? {
                Some((slot, fingerprint)) if fingerprint == pending.fingerprint => {
                    self.keep(slot, &pending)?;
                }
                Some(_) => {
                    self.delete(&pending.passage.name)?;
                    others.push(pending);
                }
                None => others.push(pending),
            }
        }
        Ok(others)
    }

    /// Updates everything about an unchanged passage that is not its content.
    fn keep(&mut self, slot: Slot, pending: &PendingPassage) -> Result<(), IndexError> {
        let previous_group = passages::update(self.db, slot, &pending.row()?)?;
        self.changed_groups.extend([previous_group, pending.group_hash].into_iter().flatten());
        let memory = pending.memory();
        self.slots.change_passage(slot, |entry| {
            entry.state = pending.state;
            entry.memory = memory;
            entry.day = pending.passage.day.map(day::to_number);
            entry.latest_day = pending.latest_day;
            entry.line = pending.line;
            entry.confidence_percent = pending.passage.confidence.map(to_percent);
        });
        Ok(())
    }

    /// Marks passages as repeated if the passage that they repeat exists, and unmarks the others.
    pub(super) fn mark_repetitions(&mut self) -> Result<(), IndexError> {
        for (slot, has_original) in passages::repetitions(self.db)? {
            let state = self.slots.get(slot).state;
            let new_state = match state {
                SlotState::Active if has_original => SlotState::Duplicate,
                SlotState::Duplicate if !has_original => SlotState::Active,
                unchanged => unchanged,
            };
            if new_state != state {
                self.slots.change_passage(slot, |entry| entry.state = new_state);
            }
        }
        Ok(())
    }

    /// Writes the previous and the next slot of all members of changed groups.
    pub(super) fn link_neighbours(&mut self) -> Result<(), IndexError> {
        for group in std::mem::take(&mut self.changed_groups) {
            let members = passages::slots_of_group(self.db, group)?;
            for (index, slot) in members.iter().enumerate() {
                let previous = index.checked_sub(1).map(|index| members[index]);
                let next = members.get(index + 1).copied();
                let entry = self.slots.get(*slot);
                if (entry.previous, entry.next) != (previous, next) {
                    self.slots.change_passage(*slot, |entry| {
                        entry.previous = previous;
                        entry.next = next;
                    });
                }
            }
        }
        Ok(())
    }
}
