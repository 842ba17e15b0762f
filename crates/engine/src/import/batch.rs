//! Collects the records and problems of an import.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use heirloom_core::Problem;
use heirloom_core::fold::LineLocation;
use heirloom_core::record::{self, Body, Event, EventAction, MAX_LINE_BYTES, Origin, Record};
use heirloom_core::words::{normalise, short_hash};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use uuid::Uuid;

/// A text to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceText<'t> {
    /// The path, with `/` as separator.
    pub(crate) path: &'t str,
    /// The content.
    pub(crate) content: &'t str,
}

/// The environment of an import.
pub(crate) struct ImportContext<'i> {
    /// The time of the import, for rows without a date.
    pub(crate) now: Timestamp,
    /// The author of the new records.
    pub(crate) author: &'i str,
    /// Creates an id for a record of a given time.
    pub(crate) new_id: &'i mut dyn FnMut(Timestamp) -> Uuid,
    /// Returns the id of an existing record with a given origin.
    pub(crate) find_by_origin: &'i dyn Fn(&Origin) -> Option<Uuid>,
}

/// The result of an import.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ImportResult {
    /// The new records, ordered by path and line.
    pub(crate) records: Vec<(LineLocation, Record)>,
    /// The number of rows that were imported before or repeat another row.
    pub(crate) known_rows: usize,
    /// The problems, ordered by path and line.
    pub(crate) problems: Vec<Problem>,
}

/// Limits names, because a name is repeated on every record of its note or entity.
const MAX_NAME_BYTES: usize = 200;

/// The records and problems collected so far.
pub(super) struct Batch<'b, 'i> {
    context: &'b mut ImportContext<'i>,
    /// The ids of the new records, by origin.
    ids: HashMap<Origin, Uuid>,
    /// The positions of the new records, by id.
    positions: HashMap<Uuid, usize>,
    imported: ImportResult,
}

impl<'b, 'i> Batch<'b, 'i> {
    pub(super) fn new(context: &'b mut ImportContext<'i>) -> Self {
        Batch {
            context,
            ids: HashMap::new(),
            positions: HashMap::new(),
            imported: ImportResult::default(),
        }
    }

    /// Returns the time of the import.
    pub(super) fn now(&self) -> Timestamp {
        self.context.now
    }

    /// Returns the id of the record with an origin, whether new or imported before.
    pub(super) fn find_id(&self, origin: &Origin) -> Option<Uuid> {
        self.ids.get(origin).copied().or_else(|| (self.context.find_by_origin)(origin))
    }

    /// Returns a new record by its id.
    pub(super) fn new_record(&mut self, id: Uuid) -> Option<&mut Record> {
        let position = *self.positions.get(&id)?;
        self.imported.records.get_mut(position).map(|(_, record)| record)
    }

    /// Creates a record with the time of the import. It gets its id when it is inserted.
    pub(super) fn draft(&self, origin: Origin, body: Body) -> Record {
        let mut record = Record::new(Uuid::nil(), self.context.now, self.context.author, body);
        record.origin = Some(origin);
        record
    }

    /// Inserts the record of a row, unless its origin is known, and returns the id of the record.
    pub(super) fn insert(&mut self, place: &LineLocation, record: Record) -> Option<Uuid> {
        match record.origin.as_ref().and_then(|origin| self.find_id(origin)) {
            Some(id) => {
                self.imported.known_rows += 1;
                Some(id)
            }
            None => self.push(place, record),
        }
    }

    /// Inserts an event about a record, unless it was imported before.
    pub(super) fn insert_event(
        &mut self,
        place: &LineLocation,
        origin: Origin,
        at: Timestamp,
        (action, target, reason): (EventAction, Uuid, String),
    ) {
        if self.find_id(&origin).is_none() {
            let targets = vec![target.into()];
            let event = Event { reason, ..Event::new(action, targets) };
            let mut record = self.draft(origin, Body::Event(event));
            record.at = at;
            self.push(place, record);
        }
    }

    fn push(&mut self, place: &LineLocation, mut record: Record) -> Option<Uuid> {
        record.id = (self.context.new_id)(record.at);
        if !record::write(&record).is_ok_and(|line| line.len() <= MAX_LINE_BYTES) {
            self.report_at(place, "this is too long for a record (at most 1 MB)");
            return None;
        }
        let id = record.id;
        self.ids.extend(record.origin.clone().map(|origin| (origin, id)));
        self.positions.insert(id, self.imported.records.len());
        self.imported.records.push((place.clone(), record));
        Some(id)
    }

    /// Counts a row that repeats another one.
    pub(super) fn count_repeated(&mut self) {
        self.imported.known_rows += 1;
    }

    /// Parses a timestamp, and reports a problem if it is invalid.
    pub(super) fn timestamp(
        &mut self,
        place: &LineLocation,
        written: Option<&str>,
    ) -> Option<Timestamp> {
        let written = written?;
        let timestamp = parse_timestamp(written);
        if timestamp.is_none() {
            let message = format!("`{written}` is not a date; the time of the import is used");
            self.report(problem(place, message).hint("write it as 2026-02-22T10:00:00Z"));
        }
        timestamp
    }

    /// Returns whether a name is short enough, and reports a problem if it is not.
    pub(super) fn check_name(&mut self, place: &LineLocation, name: &str) -> bool {
        let is_short = name.len() <= MAX_NAME_BYTES;
        if !is_short {
            let start: String = name.chars().take(20).collect();
            let message = format!("a name of {} bytes is too long: `{start}…`", name.len());
            self.report(problem(place, message).hint(format!("at most {MAX_NAME_BYTES} bytes")));
        }
        is_short
    }

    /// Adds a problem at a place.
    pub(super) fn report_at(&mut self, place: &LineLocation, message: impl Into<String>) {
        self.report(problem(place, message));
    }

    /// Adds a problem.
    pub(super) fn report(&mut self, problem: Problem) {
        self.imported.problems.push(problem);
    }

    /// Sorts and returns the records and problems.
    pub(super) fn finish(mut self) -> ImportResult {
        self.imported.records.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.imported.problems.sort();
        self.imported
    }
}

/// Returns the place of a line.
pub(super) fn place(path: &Arc<str>, line: usize) -> LineLocation {
    LineLocation { path: Arc::clone(path), line, is_local: false }
}

/// Creates a problem at a place.
pub(super) fn problem(place: &LineLocation, message: impl Into<String>) -> Problem {
    Problem::at(&*place.path, place.line, message)
}

/// Puts the name of an entity or a note before a text that does not contain it.
pub(super) fn with_name(name: &str, text: &str) -> String {
    if normalise(text).contains(&normalise(name)) {
        text.to_owned()
    } else {
        format!("{name}: {text}")
    }
}

/// Returns a short hash of a text. It ignores differences that normalisation removes.
pub(super) fn hash(text: &str) -> String {
    short_hash(&normalise(text))
}

/// Trims tags and removes empty and duplicate ones.
pub(super) fn tags(written: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let trimmed = written.into_iter().map(|tag| tag.trim().to_owned());
    trimmed.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

/// Parses a timestamp. Without a time zone it is in UTC; a date alone is its midnight.
fn parse_timestamp(written: &str) -> Option<Timestamp> {
    let written = written.trim();
    written.parse().ok().or_else(|| {
        let civil: DateTime = written.parse().ok()?;
        civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}
