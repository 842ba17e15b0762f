//! Passages as the index keeps them: which are new, which stay, which go, and what stands beside what.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroI64;
use std::sync::Arc;

use heirloom_core::day;
use heirloom_core::embedding::Embedder;
use heirloom_core::fold::{Item, Memory, Place, Standing};
use heirloom_core::recall::{Passage, Slot, asks};
use heirloom_core::record::Kind;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

use super::Writing;
use super::reading::Work;
use crate::IndexError;
use crate::ledger::{row_of, short, tie_of};
use crate::segment::Builder;
use crate::slots::{Entry, State};

/// How long a writer waits before it looks again how far those are who help it.
const LOOK: std::time::Duration = std::time::Duration::from_millis(1);

/// A passage that is to be written, and what it belongs to.
pub(super) struct Put {
    passage: Box<Passage>,
    fingerprint: [u8; 16],
    source: Option<i64>,
    /// The row of the line that says it, if it is of the log.
    line: Option<NonZeroI64>,
    /// The short form of the name of what it stands in.
    group: Option<i64>,
    state: State,
    /// The number of the last day on which it was said.
    latest: Option<i32>,
    /// Decides between those that answer equally well.
    tie: u64,
}

impl Put {
    /// Takes a passage of a document.
    pub(super) fn new(passage: Passage, source: i64, state: State) -> Self {
        let fingerprint = passage.fingerprint();
        let latest = passage.day.map(day::number);
        let group = group_of(&passage);
        Put {
            tie: tie_of(&passage.name),
            passage: Box::new(passage),
            fingerprint,
            source: Some(source),
            line: None,
            group,
            state,
            latest,
        }
    }

    /// Takes a thing of the log, which was said last at some time and is written in a line.
    fn of_item(item: &Item<'_>, latest: Timestamp, line: Option<NonZeroI64>) -> Self {
        let passage = Passage::of_item(item);
        Put {
            group: group_of(&passage),
            tie: tie_of(&passage.name),
            passage: Box::new(passage),
            fingerprint: item.fingerprint(),
            source: None,
            line,
            state: standing(item.standing),
            latest: Some(day::number(day::of(latest))),
        }
    }

    /// Returns what is known of it beside its text, which has so many terms.
    fn entry(&self, length: u32) -> Entry {
        Entry {
            state: self.state,
            asks: asks(&self.passage.text),
            sure: self.passage.confidence.map(of_a_hundred),
            length,
            tie: self.tie,
            day: self.passage.day.map(day::number),
            latest: self.latest,
            before: None,
            after: None,
            line: self.line,
        }
    }
}

fn group_of(passage: &Passage) -> Option<i64> {
    passage.group.as_deref().map(short)
}

/// What is known of a passage that is there.
struct There {
    slot: Slot,
    fingerprint: Vec<u8>,
}

/// Returns what records are to be found as, in order: those that are things of their own.
pub(super) fn of_records(
    records: &BTreeSet<Uuid>,
    memory: &Memory,
    files: &HashMap<Arc<str>, i64>,
) -> Vec<Option<Put>> {
    let row = |place: &Place| {
        let file = files.get(&place.path)?;
        NonZeroI64::new(row_of(*file, place.line))
    };
    let put = |id: &Uuid| {
        let item = memory.item(*id)?;
        let is_thing = item.id == *id && Kind::REMEMBERED.contains(&item.record.kind());
        is_thing.then(|| Put::of_item(&item, memory.latest(&item), row(item.place)))
    };
    records.iter().map(put).collect()
}

impl Writing<'_> {
    /// Drops a passage, if it is there.
    pub(super) fn drop_passage(&mut self, name: &str) -> Result<(), IndexError> {
        let mut delete =
            self.db.prepare_cached("DELETE FROM passage WHERE name = ? RETURNING slot, grouped")?;
        let found: Option<(Slot, Option<i64>)> =
            delete.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        if let Some((slot, group)) = found {
            self.slots.change(slot, |entry| *entry = Entry::FREE);
            self.groups.extend(group);
        }
        Ok(())
    }

    /// Writes how things stand with entries that the log says something else of now.
    pub(super) fn settle<'n>(
        &mut self,
        entries: impl Iterator<Item = &'n String>,
        state_of: impl Fn(&str) -> State,
    ) -> Result<(), IndexError> {
        let mut query = self.db.prepare_cached("SELECT slot FROM passage WHERE subject = ?")?;
        for name in entries {
            let rows = query.query_map([name], |row| row.get(0))?;
            for slot in rows.collect::<Result<Vec<Slot>, _>>()? {
                self.slots.change(slot, |entry| entry.state = state_of(name));
            }
        }
        Ok(())
    }

    /// Takes the records that are things of their own, and drops those that are not any more.
    pub(super) fn add_records(
        &mut self,
        records: &BTreeSet<Uuid>,
        things: Vec<Option<Put>>,
        puts: &mut Vec<Put>,
    ) -> Result<(), IndexError> {
        puts.reserve(things.len());
        for (id, thing) in records.iter().zip(things) {
            match thing {
                Some(put) => puts.push(put),
                None if self.slots.len() > 0 => self.drop_passage(&id.to_string())?,
                None => {}
            }
        }
        Ok(())
    }

    fn there(&self, name: &str) -> Result<Option<There>, IndexError> {
        let mut query =
            self.db.prepare_cached("SELECT slot, fingerprint FROM passage WHERE name = ?")?;
        let found = query
            .query_row([name], |row| Ok(There { slot: row.get(0)?, fingerprint: row.get(1)? }));
        Ok(found.optional()?)
    }

    /// Writes passages: those that read as before keep their slot, the others get a new one. Returns
    /// those, and the segment that is to be finished of them. What is to be written `meanwhile` is
    /// written while others read them.
    pub(super) fn put(
        &mut self,
        puts: Vec<Put>,
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
        meanwhile: impl FnOnce() -> Result<(), IndexError>,
    ) -> Result<(Vec<Put>, Option<Builder>), IndexError> {
        let mut fresh = match self.slots.len() {
            0 => puts,
            _ => self.not_kept(puts)?,
        };
        if fresh.is_empty() {
            meanwhile()?;
            return Ok((vec![], None));
        }
        // Neighbours side by side, so that what is read together lies together.
        fresh.sort_unstable_by(|a, b| {
            let (one, other) = (&a.passage, &b.passage);
            let within = || (one.position, &one.name).cmp(&(other.position, &other.name));
            a.group.cmp(&b.group).then_with(within)
        });
        let first = self.slots.len() as Slot;
        let passages = fresh.iter().map(|put| &*put.passage).collect();
        let work = Work::new(embedder, first, passages);
        let tell = || progress(work.done(), fresh.len());
        std::thread::scope(|scope| {
            let helpers: Vec<_> =
                (0..work.helpers()).map(|_| scope.spawn(|| work.take_part(&|| ()))).collect();
            meanwhile()?;
            for (slot, put) in (first..).zip(&fresh) {
                self.insert(slot, put)?;
                if slot % 1024 == 0 {
                    tell();
                }
            }
            work.take_part(&tell)?;
            for helper in helpers {
                while !helper.is_finished() {
                    tell();
                    std::thread::sleep(LOOK);
                }
                helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok::<_, IndexError>(())
        })?;
        let (builder, lengths) = work.end();
        for (put, length) in fresh.iter().zip(lengths) {
            self.slots.push(put.entry(length));
        }
        Ok((fresh, Some(builder)))
    }

    /// Keeps the passages that read as before, and returns the others.
    fn not_kept(&mut self, puts: Vec<Put>) -> Result<Vec<Put>, IndexError> {
        let mut others = Vec::new();
        for put in puts {
            match self.there(&put.passage.name)? {
                Some(there) if there.fingerprint == put.fingerprint => {
                    self.keep(there.slot, &put)?;
                }
                Some(_) => {
                    self.drop_passage(&put.passage.name)?;
                    others.push(put);
                }
                None => others.push(put),
            }
        }
        Ok(others)
    }

    /// A passage that reads as before may still stand elsewhere.
    fn keep(&mut self, slot: Slot, put: &Put) -> Result<(), IndexError> {
        let passage = &put.passage;
        let group = put.group;
        let mut query = self.db.prepare_cached("SELECT grouped FROM passage WHERE slot = ?")?;
        let before: Option<i64> = query.query_row([slot], |row| row.get(0))?;
        let mut update = self.db.prepare_cached(
            "UPDATE passage SET subject = ?, source = ?, grouped = ?, position = ?, repeats = ?,
             data = ? WHERE slot = ?",
        )?;
        update.execute(params![
            passage.own_subject,
            put.source,
            group,
            passage.position,
            passage.repeats,
            encode(passage)?,
            slot
        ])?;
        self.groups.extend([before, group].into_iter().flatten());
        self.slots.change(slot, |entry| {
            entry.state = put.state;
            entry.day = passage.day.map(day::number);
            entry.latest = put.latest;
            entry.line = put.line;
            entry.sure = passage.confidence.map(of_a_hundred);
        });
        Ok(())
    }

    fn insert(&mut self, slot: Slot, put: &Put) -> Result<(), IndexError> {
        let passage = &put.passage;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO passage(slot, name, subject, source, grouped, position, fingerprint, repeats,
             data) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        insert.execute(params![
            slot,
            passage.name,
            passage.own_subject,
            put.source,
            put.group,
            passage.position,
            put.fingerprint.as_slice(),
            passage.repeats,
            encode(passage)?
        ])?;
        self.groups.extend(put.group);
        Ok(())
    }

    /// What is said again in another place is found there.
    pub(super) fn see_repeated(&mut self) -> Result<(), IndexError> {
        let mut query = self.db.prepare_cached(
            // Few repeat anything; SQLite does not know that, and would look at all.
            "SELECT DISTINCT passage.slot, other.slot IS NOT NULL
             FROM passage INDEXED BY passage_repeats
             LEFT JOIN passage AS other ON other.subject = passage.repeats
             WHERE passage.repeats IS NOT NULL",
        )?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(Slot, bool)> = rows.collect::<Result<_, _>>()?;
        for (slot, is_there) in found {
            let state = self.slots.get(slot).state;
            let now = match state {
                State::Active if is_there => State::Repeated,
                State::Repeated if !is_there => State::Active,
                same => same,
            };
            if now != state {
                self.slots.change(slot, |entry| entry.state = now);
            }
        }
        Ok(())
    }

    /// Writes what stands beside what, in the groups that changed.
    pub(super) fn link(&mut self) -> Result<(), IndexError> {
        let mut query = self
            .db
            .prepare_cached("SELECT slot FROM passage WHERE grouped = ? ORDER BY position, name")?;
        for group in std::mem::take(&mut self.groups) {
            let rows = query.query_map([group], |row| row.get(0))?;
            let members: Vec<Slot> = rows.collect::<Result<_, _>>()?;
            for (at, slot) in members.iter().enumerate() {
                let before = at.checked_sub(1).map(|at| members[at]);
                let after = members.get(at + 1).copied();
                let entry = self.slots.get(*slot);
                if (entry.before, entry.after) != (before, after) {
                    self.slots.change(*slot, |entry| {
                        entry.before = before;
                        entry.after = after;
                    });
                }
            }
        }
        Ok(())
    }
}

fn of_a_hundred(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

/// Returns how things stand with a memory, as the log says it.
pub(super) fn standing(standing: Standing) -> State {
    match standing {
        Standing::Active => State::Active,
        Standing::Superseded => State::Superseded,
        Standing::Archived => State::Archived,
    }
}

/// Returns a part of a document as the index stores it.
fn encode(passage: &Passage) -> Result<Option<String>, IndexError> {
    let part = passage.part.as_ref().map(serde_json::to_string);
    part.transpose().map_err(|error| IndexError::damaged(error.to_string()))
}
