//! A part of memory that was read from the log and the memory documents.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::memory::{MemoryEntries, MemoryEntry};
use heirloom_core::record::{EventAction, Origin, Record, RecordKind, Referent};
use heirloom_core::{Problem, day};
use heirloom_store::Root;
use heirloom_store::layout::HierarchyDocument;
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::item::MemoryItem;
use super::pin_owner::PinOwner;
use crate::Error;
use crate::workspace::catalog::Catalog;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::{MemoryDocument, prefetch_dates};
use crate::workspace::memory_file::MemoryFile;

/// A part of memory: the records that a query selects, and all memory documents. It answers questions
/// about the selected memories only; to list memories, use
/// [`WholeMemory`](super::WholeMemory) or [`SelectedRecords`](super::SelectedRecords).
#[derive(Debug)]
pub(crate) struct MemorySlice {
    /// The log, folded.
    pub(crate) memory: Memory,
    /// Every memory document.
    pub(crate) documents: Vec<MemoryDocument>,
    /// Problems of the log and the documents.
    pub(crate) problems: Vec<Problem>,
    at: PointInTime,
    dates: Rc<EntryDates>,
    origins: OnceCell<HashSet<Origin>>,
    /// Number of entries by id.
    entry_counts: OnceCell<HashMap<String, usize>>,
}

/// Every memory document, with their problems.
#[derive(Debug)]
pub(crate) struct MemoryDocuments {
    pub(super) documents: Vec<MemoryDocument>,
    pub(super) problems: Vec<Problem>,
    pub(super) dates: Rc<EntryDates>,
}

/// The point in time that a request is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PointInTime {
    /// Ignores everything that was recorded later.
    pub(crate) as_of: Option<Timestamp>,
    /// Selects memories that were true on this day.
    pub(crate) valid_at: Option<Date>,
}

impl PointInTime {
    /// Parses the dates of a request.
    pub(crate) fn parse(as_of: Option<&str>, valid_at: Option<&str>) -> Result<Self, Error> {
        let invalid = |flag: &str, text: &str| {
            Error::bad_input(format!("--{flag} {text}: this is not a date"))
                .hint("write it as 2026-02-22 or 2026-02-22T10:00:00Z")
        };
        let as_of = match as_of {
            None => None,
            Some(text) if text.contains('T') && text.trim().parse::<Timestamp>().is_err() => {
                return Err(invalid("as-of", text));
            }
            Some(text) => Some(match text.trim().parse::<Timestamp>() {
                Ok(moment) => moment,
                Err(_) => day::end_of_day(day::parse(text).ok_or_else(|| invalid("as-of", text))?),
            }),
        };
        let valid_at = match valid_at {
            None => None,
            Some(text) => Some(day::parse(text).ok_or_else(|| invalid("valid-at", text))?),
        };
        Ok(PointInTime { as_of, valid_at })
    }

    /// Returns whether a record of a log that was folded as of this point was true then.
    pub(crate) fn includes_record(self, memory: &Memory, item: &Item<'_>) -> bool {
        self.valid_at.is_none_or(|day| {
            item.standing != Standing::Archived
                && memory.aliases(item.id).iter().any(|alias| {
                    memory.record(*alias).is_some_and(|record| memory.was_valid(record, day))
                })
        })
    }

    /// Returns whether a part of a document was known and true. It is known from its date on.
    pub(crate) fn includes_part(
        self,
        memory: &Memory,
        subject: &Referent,
        date: impl FnOnce() -> Option<Date>,
    ) -> bool {
        let was_true = self.valid_at.is_none_or(|day| match memory.standing(subject) {
            Standing::Active | Standing::Expired => true,
            Standing::Archived => false,
            Standing::Superseded => memory.replaced_on(subject).is_none_or(|end| day < end),
        });
        let last_day = self.as_of.map(day::of_timestamp).into_iter().chain(self.valid_at).min();
        was_true && last_day.is_none_or(|last| date().is_some_and(|date| date <= last))
    }
}

impl MemorySlice {
    /// Combines the folded log with the memory documents.
    pub(super) fn new(
        memory: Memory,
        documents: MemoryDocuments,
        log_problems: Vec<Problem>,
        at: PointInTime,
    ) -> Self {
        let MemoryDocuments { documents, problems, dates } = documents;
        MemorySlice {
            memory,
            documents,
            problems: merge_problems(problems, log_problems),
            at,
            dates,
            origins: OnceCell::new(),
            entry_counts: OnceCell::new(),
        }
    }

    /// Returns the selected records of some kinds as of the point in time.
    pub(super) fn items(&self, kinds: &[RecordKind]) -> Vec<MemoryItem> {
        let mut items: Vec<MemoryItem> = Vec::new();
        for kind in kinds {
            let records = self.memory.items(*kind);
            let records = records.filter(|item| self.at.includes_record(&self.memory, item));
            items.extend(records.map(|item| MemoryItem::of_record(&self.memory, &item)));
        }
        items
    }

    /// Returns the superseded and archived entries as of the point in time.
    pub(super) fn retired_entries(&self) -> Vec<MemoryItem> {
        let is_retired = |entry: &MemoryEntry| {
            self.memory.standing(&Referent::entry(&entry.id)) != Standing::Active
        };
        let retired: Vec<(&MemoryDocument, &MemoryEntry)> =
            self.entries().filter(|(_, entry)| is_retired(entry)).collect();
        self.prefetch_entry_dates(retired.iter().map(|(document, _)| *document));
        let known = retired.into_iter().filter(|(document, entry)| self.did_hold(document, entry));
        let item = |(document, entry)| MemoryItem::of_entry(&self.memory, document, entry);
        known.map(item).collect()
    }

    /// Reads the git history of several documents at once, which is quicker than dating their entries
    /// one by one.
    pub(crate) fn prefetch_entry_dates<'n>(
        &self,
        documents: impl Iterator<Item = &'n MemoryDocument>,
    ) {
        prefetch_dates(&self.dates, documents);
    }

    /// Returns the origins of all records that have one.
    pub(crate) fn origins(&self) -> &HashSet<Origin> {
        let origins = || self.memory.records().filter_map(|record| record.origin.clone()).collect();
        self.origins.get_or_init(origins)
    }

    /// Returns the latest successors of the records with an origin or a version of it, or these records.
    pub(crate) fn heads_of_origin(&self, origin: &Origin) -> Vec<Referent> {
        self.heads_where(|record| {
            record.origin.as_ref().is_some_and(|made| made.is_version_of(origin))
        })
    }

    /// Returns the latest successors of the records that pass a test, or these records.
    pub(crate) fn heads_where(&self, passes: impl Fn(&Record) -> bool) -> Vec<Referent> {
        let records = self.memory.records().filter(|record| passes(record));
        let mut heads: Vec<Referent> =
            records.flat_map(|record| self.memory.heads(&record.id.into())).collect();
        heads.sort();
        heads.dedup();
        heads
    }

    /// Returns how many entries of all documents have the given id.
    pub(crate) fn count_entries_with_id(&self, id: &str) -> usize {
        let count_all = || {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for (_, entry) in self.entries() {
                *counts.entry(entry.id.clone()).or_default() += 1;
            }
            counts
        };
        self.entry_counts.get_or_init(count_all).get(id).copied().unwrap_or_default()
    }

    fn did_hold(&self, document: &MemoryDocument, entry: &MemoryEntry) -> bool {
        self.at.includes_part(&self.memory, &Referent::entry(&entry.id), || document.date_of(entry))
    }

    /// Returns what one owner has pinned on this machine, with the events that pinned it. Pins are personal, so those of
    /// other machines are ignored.
    pub(crate) fn pin_events(
        &self,
        owner: PinOwner<'_>,
    ) -> impl Iterator<Item = (&Referent, Vec<Uuid>)> {
        let is_own = move |id: &Uuid| {
            let is_local = self.memory.place(*id).is_some_and(|place| place.is_local);
            is_local && self.memory.record(*id).is_some_and(|record| PinOwner::of(record) == owner)
        };
        let pinned = self.memory.targets_of(EventAction::Pin).into_iter();
        let pinned_here = pinned.map(move |(target, events)| {
            (target, events.iter().copied().filter(is_own).collect::<Vec<_>>())
        });
        pinned_here.filter(|(_, events)| !events.is_empty())
    }

    /// Returns the active memories that are pinned for an agent: its own pins and the shared ones, in the order in which
    /// they were pinned.
    pub(crate) fn pins(&self, agent: Option<&str>) -> Vec<(Referent, MemoryItem)> {
        self.pins_of([PinOwner::Shared].into_iter().chain(agent.map(PinOwner::Agent)))
    }

    /// Returns the active memories that some owners have pinned, in the order in which they were pinned.
    pub(crate) fn pins_of<'o>(
        &self,
        owners: impl IntoIterator<Item = PinOwner<'o>>,
    ) -> Vec<(Referent, MemoryItem)> {
        let events =
            owners.into_iter().flat_map(|owner| self.pin_events(owner).collect::<Vec<_>>());
        let mut pins: Vec<(Vec<Uuid>, &Referent)> =
            events.map(|(target, events)| (events, target)).collect();
        pins.sort();
        let mut seen = Vec::new();
        let mut items = Vec::new();
        for (_, target) in pins {
            for head in self.memory.heads(target) {
                if seen.contains(&head) {
                    continue;
                }
                let is_active = self.memory.standing(&head) == Standing::Active;
                if let Some(item) = self.item(&head).filter(|_| is_active) {
                    items.push((head.clone(), MemoryItem { pinned: true, ..item }));
                }
                seen.push(head);
            }
        }
        items
    }

    /// Returns some memories, with the standing that an operation gives them.
    pub(crate) fn describe(&self, memories: &[Referent], standing: Standing) -> Vec<MemoryItem> {
        let items = memories.iter().filter_map(|memory| self.item(memory));
        items.map(|item| MemoryItem { standing, replaced_by: vec![], ..item }).collect()
    }

    /// Returns the memory that the log refers to. `None` for a document.
    pub(crate) fn item(&self, referent: &Referent) -> Option<MemoryItem> {
        match referent {
            Referent::Record(id) => {
                self.memory.item(*id).map(|item| MemoryItem::of_record(&self.memory, &item))
            }
            Referent::Entry(id) => {
                let (document, entry) = self.entries().find(|(_, entry)| entry.id == *id)?;
                Some(MemoryItem::of_entry(&self.memory, document, entry))
            }
            Referent::Document(_) | Referent::Unknown(_) => None,
        }
    }

    /// Returns the given problems and those of memory, each once.
    pub(crate) fn with_problems(&self, problems: Vec<Problem>) -> Vec<Problem> {
        merge_problems(problems, self.problems.clone())
    }

    /// Returns a memory document with the text that an edit gave it.
    pub(crate) fn edited_document(&self, file: &MemoryFile, text: String) -> MemoryDocument {
        MemoryDocument::from_file(file, text, &self.dates)
    }

    /// Returns every entry with its document.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&MemoryDocument, &MemoryEntry)> {
        self.documents.iter().flat_map(|document| {
            document.content.entries.iter().map(move |entry| (document, entry))
        })
    }

    /// Returns whether this is a record that stays on this machine.
    pub(crate) fn is_local(&self, referent: &Referent) -> bool {
        referent.record_id().is_some_and(|id| {
            self.memory.place(id).is_some_and(|place| place.is_local)
                || self.memory.record(id).is_some_and(Record::is_private)
        })
    }
}

impl MemoryDocuments {
    /// Starts without documents.
    pub(super) fn new(root: &Root) -> Self {
        MemoryDocuments { documents: vec![], problems: vec![], dates: EntryDates::new(root) }
    }

    /// Adds a document and its problems.
    pub(super) fn add(&mut self, placed: HierarchyDocument) {
        self.problems.extend(placed.document.problems.iter().cloned());
        let document = MemoryDocument::from_placed(placed, &self.dates);
        self.problems.extend(document.content.problems.iter().cloned());
        self.documents.push(document);
    }

    /// Takes the memory documents of a catalog whose entries are cached. Their texts are not.
    pub(super) fn of_catalog(
        root: &Root,
        catalog: &Catalog,
        mut cached_entries: HashMap<String, MemoryEntries>,
    ) -> Self {
        let mut documents = Self::new(root);
        for catalog_entry in
            catalog.entries.iter().filter(|catalog_entry| catalog_entry.memory_format.is_some())
        {
            if let Some(content) = cached_entries.remove(&catalog_entry.document.path) {
                documents.documents.push(MemoryDocument::from_cache(
                    catalog_entry,
                    content,
                    &documents.dates,
                ));
            }
        }
        documents
    }
}

/// Merges problems, each once.
fn merge_problems(mut problems: Vec<Problem>, more: Vec<Problem>) -> Vec<Problem> {
    problems.extend(more);
    problems.sort();
    problems.dedup();
    problems
}
