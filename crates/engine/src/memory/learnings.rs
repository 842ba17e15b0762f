//! Adds decisions and lessons to their files, compares them with those that are there, and chooses those that the files
//! could do without.

use std::collections::HashSet;

use heirloom_core::contradiction::find_contradiction;
use heirloom_core::day;
use heirloom_core::fold::Standing;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::learning::{self, NewLearning};
use heirloom_core::memory::{self, EntryEditError, EntryKind, MemoryEntry, MemoryFormat};
use heirloom_core::record::{EventAction, Referent};
use heirloom_core::words::{normalise, split_words};
use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::Date;

use super::similar::likeness;
use super::{MemorySlice, WriteTransaction, unique_entry_id};
use crate::Error;
use crate::usage::Usage;
use crate::workspace::learning_file::LearningFile;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::edit_refused;

/// From this share of common words on, two entries say the same.
const MIN_DUPLICATE_LIKENESS: f64 = 0.8;

/// An entry of a file of decisions or lessons, with what decides whether it is still needed.
pub(crate) struct LearningState<'k> {
    /// Its file.
    pub(crate) document: &'k MemoryDocument,
    /// The entry.
    pub(crate) entry: &'k MemoryEntry,
    /// Its standing.
    pub(crate) standing: Standing,
    /// Its date, if it is known.
    pub(crate) date: Option<Date>,
    /// The day on which it was last used on this machine.
    pub(crate) last_used: Option<Date>,
    /// Whether it is pinned.
    pub(crate) is_pinned: bool,
}

/// Which entries are archived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArchiveCriteria {
    /// Only those from before this day.
    pub(crate) before: Date,
    /// Only those that were not used on this machine since then.
    pub(crate) is_unused: bool,
}

impl LearningState<'_> {
    /// Returns whether it may be archived. Pinned entries and those without a known date are not old.
    pub(crate) fn meets(&self, criteria: ArchiveCriteria) -> bool {
        let is_old = self.date.is_some_and(|date| date < criteria.before);
        let is_unused =
            !criteria.is_unused || self.last_used.is_none_or(|used| used < criteria.before);
        self.standing == Standing::Active && !self.is_pinned && is_old && is_unused
    }
}

/// Returns the entries of some files of decisions and lessons with their states.
pub(crate) fn learning_states<'k>(
    known: &'k MemorySlice,
    usage: &Usage,
    is_read: impl Fn(&MemoryDocument) -> bool,
) -> Vec<LearningState<'k>> {
    let is_learning =
        |document: &&MemoryDocument| document.format != MemoryFormat::Sections && is_read(document);
    known.prefetch_entry_dates(known.documents.iter().filter(is_learning));
    let entries = known.entries().filter(|(document, _)| is_learning(document));
    entries
        .map(|(document, entry)| {
            let referent = Referent::entry(&entry.id);
            let last = usage.counts(&referent).last_accessed;
            let last = Some(last).filter(|at| *at > 0);
            let last = last.and_then(|at| Timestamp::from_millisecond(at).ok());
            LearningState {
                document,
                entry,
                standing: known.memory.standing(&referent),
                date: document.date_of(entry),
                last_used: last.map(day::of_timestamp),
                is_pinned: !known.memory.events(EventAction::Pin, &referent).is_empty(),
            }
        })
        .collect()
}

/// Adds an entry at the end of a file of decisions or lessons.
///
/// The log refers to entries by their ids alone, so the entry gets another id than an equal one of another scope.
pub(crate) fn add_to_file(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    file: &LearningFile,
    kind: EntryKind,
    new: &NewLearning<'_>,
) -> Result<MemoryEntry, Error> {
    let before = file.text.clone().unwrap_or_else(|| empty_file(kind));
    let refused = |refusal: EntryEditError| edit_refused(&file.path, &refusal);
    let (mut after, mut entry) = learning::append(&before, kind, new).map_err(refused)?;
    if known.count_entries_with_id(&entry.id) > 0 {
        let id = unique_entry_id(&entry.id, &file.path);
        let marks = IndexMap::from_iter([("id".to_owned(), id.clone())]);
        after = memory::set_marks(&after, &entry, &marks).map_err(refused)?;
        entry.id = id;
    }
    transaction.edit(&file.path, file.text.as_deref(), after);
    Ok(entry)
}

/// Writes the id of an entry that was just added beside it, since something will refer to it.
pub(crate) fn mark_id(
    transaction: &mut WriteTransaction<'_>,
    file: &LearningFile,
    entry: &MemoryEntry,
) -> Result<(), Error> {
    if entry.has_stored_id() {
        return Ok(());
    }
    let before = file.text.as_deref();
    let added = transaction.current_text(&file.path, before.unwrap_or_default()).to_owned();
    let marks = IndexMap::from_iter([("id".to_owned(), entry.id.clone())]);
    let marked = memory::set_marks(&added, entry, &marks)
        .map_err(|refusal| edit_refused(&file.path, &refusal))?;
    transaction.edit(&file.path, before, marked);
    Ok(())
}

/// Returns a file without entries.
fn empty_file(kind: EntryKind) -> String {
    let title = if kind == EntryKind::Decision { "Decisions" } else { "Lessons" };
    format!("# {title}\n\n")
}

/// Returns the title and the text of an entry on lines of their own, since each is a statement.
pub(crate) fn statements(entry: &MemoryEntry) -> String {
    match &entry.title {
        Some(title) => format!("{title}\n{}", entry.text),
        None => entry.full_text(),
    }
}

/// Returns the active entry of a kind that says the same as a new one, in the scope or in one above it. An entry that may
/// contradict the new one does not say the same.
pub(crate) fn find_duplicate<'k>(
    known: &'k MemorySlice,
    kind: EntryKind,
    selectors: &Selectors,
    text: &str,
    is_near_allowed: bool,
) -> Option<(&'k MemoryDocument, &'k MemoryEntry)> {
    let words: HashSet<String> = split_words(text).into_iter().collect();
    let says_the_same = |entry: &MemoryEntry| {
        let other = statements(entry);
        normalise(&other) == normalise(text)
            || (!is_near_allowed
                && likeness(&words, &other) >= MIN_DUPLICATE_LIKENESS
                && find_contradiction(text, &other).is_none())
    };
    in_force(known, selectors)
        .filter(|(document, entry)| {
            document.format == MemoryFormat::Learnings(kind) && says_the_same(entry)
        })
        .max_by_key(|(document, _)| document.selectors.iter().len())
}

/// Returns the active entries that hold in a scope: its own, and those of the scopes above it.
fn in_force<'k>(
    known: &'k MemorySlice,
    selectors: &Selectors,
) -> impl Iterator<Item = (&'k MemoryDocument, &'k MemoryEntry)> {
    known.entries().filter(move |(document, entry)| {
        let mut names = document.selectors.iter();
        names.all(|(level, name)| selectors.get(level) == Some(name))
            && known.memory.standing(&Referent::entry(&entry.id)) == Standing::Active
    })
}
