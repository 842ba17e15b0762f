//! An import under way: what was taken so far, and what went wrong.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::fold::Place;
use heirloom_core::record::{self, Action, Body, Event, MAX_LINE, Record};
use heirloom_core::words::{digest, normalised};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use uuid::Uuid;

use super::{Imported, Importing};

/// Longer than any name, and short enough to be repeated.
const LONGEST_NAME: usize = 200;

/// An import under way.
pub(super) struct Batch<'b, 'i> {
    given: &'b mut Importing<'i>,
    /// The new records, by their origins.
    ids: HashMap<String, Uuid>,
    /// Where each is among the new records.
    positions: HashMap<Uuid, usize>,
    imported: Imported,
}

impl<'b, 'i> Batch<'b, 'i> {
    pub(super) fn new(given: &'b mut Importing<'i>) -> Self {
        Batch {
            given,
            ids: HashMap::new(),
            positions: HashMap::new(),
            imported: Imported::default(),
        }
    }

    /// Returns the moment of the import.
    pub(super) fn now(&self) -> Timestamp {
        self.given.now
    }

    /// Returns the record with an origin, new or known before.
    pub(super) fn id_of(&self, origin: &str) -> Option<Uuid> {
        self.ids.get(origin).copied().or_else(|| (self.given.known)(origin))
    }

    /// Returns a record that is new.
    pub(super) fn new_record(&mut self, id: Uuid) -> Option<&mut Record> {
        let position = *self.positions.get(&id)?;
        self.imported.records.get_mut(position).map(|(_, record)| record)
    }

    /// Makes a record of this moment; it gets its id when it is taken.
    pub(super) fn draft(&self, origin: String, body: Body) -> Record {
        let mut record = Record::new(Uuid::nil(), self.given.now, self.given.by, body);
        record.origin = Some(origin);
        record
    }

    /// Takes the record of a row, unless its origin is known, and returns which record it is.
    pub(super) fn take(&mut self, place: &Place, record: Record) -> Option<Uuid> {
        match record.origin.as_deref().and_then(|origin| self.id_of(origin)) {
            Some(id) => {
                self.imported.already += 1;
                Some(id)
            }
            None => self.add(place, record),
        }
    }

    /// Takes what was done to a record, once.
    pub(super) fn take_event(
        &mut self,
        place: &Place,
        origin: String,
        at: Timestamp,
        (action, target, reason): (Action, Uuid, String),
    ) {
        if self.id_of(&origin).is_none() {
            let targets = vec![target.to_string()];
            let event = Event { action, targets, undoes: vec![], reason };
            let mut record = self.draft(origin, Body::Event(event));
            record.at = at;
            self.add(place, record);
        }
    }

    fn add(&mut self, place: &Place, mut record: Record) -> Option<Uuid> {
        record.id = (self.given.new_id)(record.at);
        if !record::write(&record).is_ok_and(|line| line.len() <= MAX_LINE) {
            self.problem(place, "this is too long for a record (at most 1 MB)");
            return None;
        }
        let id = record.id;
        self.ids.extend(record.origin.clone().map(|origin| (origin, id)));
        self.positions.insert(id, self.imported.records.len());
        self.imported.records.push((place.clone(), record));
        Some(id)
    }

    /// Counts a row that says what another one said.
    pub(super) fn repeated(&mut self) {
        self.imported.already += 1;
    }

    /// Reads a moment, or says that it cannot be read.
    pub(super) fn moment(&mut self, place: &Place, written: Option<&str>) -> Option<Timestamp> {
        let written = written?;
        let read = moment(written);
        if read.is_none() {
            let message = format!("`{written}` is not a date; the moment of the import is used");
            self.report(problem(place, message).hint("write it as 2026-02-22T10:00:00Z"));
        }
        read
    }

    /// Returns whether a name is short enough to be on every record that it is about.
    pub(super) fn fits(&mut self, place: &Place, name: &str) -> bool {
        let fits = name.len() <= LONGEST_NAME;
        if !fits {
            let start: String = name.chars().take(20).collect();
            let message = format!("a name of {} bytes is too long: `{start}…`", name.len());
            self.report(problem(place, message).hint(format!("at most {LONGEST_NAME}")));
        }
        fits
    }

    /// Adds a problem.
    pub(super) fn problem(&mut self, place: &Place, message: impl Into<String>) {
        self.report(problem(place, message));
    }

    /// Adds a problem that is already described.
    pub(super) fn report(&mut self, problem: Problem) {
        self.imported.problems.push(problem);
    }

    /// Returns what came of it.
    pub(super) fn finish(mut self) -> Imported {
        self.imported.records.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.imported.problems.sort();
        self.imported
    }
}

/// Returns a line of a text as a place.
pub(super) fn place(path: &Arc<str>, line: usize) -> Place {
    Place { path: Arc::clone(path), line, is_local: false }
}

/// Describes a problem at a place.
pub(super) fn problem(place: &Place, message: impl Into<String>) -> Problem {
    Problem::at(&*place.path, place.line, message)
}

/// Returns a short hash of a text, the same on every machine and for texts that say the same.
pub(super) fn hash(text: &str) -> String {
    digest(&normalised(text))
}

/// Returns tags without blanks and repetitions.
pub(super) fn tags(written: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let trimmed = written.into_iter().map(|tag| tag.trim().to_owned());
    trimmed.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

/// Reads a moment; one without a zone is in UTC, and a day is its first moment.
fn moment(written: &str) -> Option<Timestamp> {
    let written = written.trim();
    written.parse().ok().or_else(|| {
        let civil: DateTime = written.parse().ok()?;
        civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}
