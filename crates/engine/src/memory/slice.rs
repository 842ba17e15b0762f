//! All that is remembered.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use heirloom_core::fold::{Memory, Standing};
use heirloom_core::graph::NodeKind;
use heirloom_core::memory::{Entry, Notebook};
use heirloom_core::record::{Action, Kind, Record};
use heirloom_core::{Problem, day};
use heirloom_store::Root;
use heirloom_store::layout::Placed;
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::item::MemoryItem;
use crate::Error;
use crate::workspace::catalog::Catalog;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::memory_document::{MemoryDocument, prefetch_dates};
use crate::workspace::memory_file::MemoryFile;

/// A part of memory that was read: what the log says of some memories, and all memory documents. It
/// answers only for the memories that were asked for; what lists memories needs
/// [`WholeMemory`](super::WholeMemory) or [`SelectedRecords`](super::SelectedRecords).
#[derive(Debug)]
pub(crate) struct MemorySlice {
    /// The log, folded.
    pub(crate) memory: Memory,
    /// Every memory document.
    pub(crate) documents: Vec<MemoryDocument>,
    /// What could not be read.
    pub(crate) problems: Vec<Problem>,
    at: PointInTime,
    dates: Rc<EntryDates>,
    origins: OnceCell<HashSet<String>>,
    ids: OnceCell<HashMap<String, usize>>,
}

/// Every memory document, and what is wrong with them.
#[derive(Debug)]
pub(crate) struct MemoryDocuments {
    pub(super) documents: Vec<MemoryDocument>,
    pub(super) problems: Vec<Problem>,
    pub(super) dates: Rc<EntryDates>,
}

/// The point in time that a question is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PointInTime {
    /// What was known then.
    pub(crate) as_of: Option<Timestamp>,
    /// What was true then.
    pub(crate) valid_at: Option<Date>,
}

impl PointInTime {
    /// Reads the dates of a request.
    pub(crate) fn read(as_of: Option<&str>, valid_at: Option<&str>) -> Result<Self, Error> {
        let wrong = |flag: &str, text: &str| {
            Error::bad_input(format!("--{flag} {text}: this is not a date"))
                .hint("write it as 2026-02-22 or 2026-02-22T10:00:00Z")
        };
        let as_of = match as_of {
            None => None,
            Some(text) if text.contains('T') && text.trim().parse::<Timestamp>().is_err() => {
                return Err(wrong("as-of", text));
            }
            Some(text) => Some(match text.trim().parse::<Timestamp>() {
                Ok(moment) => moment,
                Err(_) => day::end(day::parse(text).ok_or_else(|| wrong("as-of", text))?),
            }),
        };
        let valid_at = match valid_at {
            None => None,
            Some(text) => Some(day::parse(text).ok_or_else(|| wrong("valid-at", text))?),
        };
        Ok(PointInTime { as_of, valid_at })
    }
}

impl MemorySlice {
    /// Puts together what was read.
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
            problems: merged(problems, log_problems),
            at,
            dates,
            origins: OnceCell::new(),
            ids: OnceCell::new(),
        }
    }

    /// Returns the records of some kinds that were read, as they were at the point in time.
    pub(super) fn items(&self, kinds: &[Kind]) -> Vec<MemoryItem> {
        let mut items: Vec<MemoryItem> = Vec::new();
        for kind in kinds {
            let records = self.memory.items(*kind).filter(|item| match self.at.valid_at {
                None => true,
                Some(day) => {
                    item.standing != Standing::Archived
                        && self.memory.aliases(item.id).iter().any(|alias| {
                            let record = self.memory.record(*alias);
                            record.is_some_and(|record| self.memory.was_valid(record, day))
                        })
                }
            });
            items.extend(records.map(|item| MemoryItem::of_record(&self.memory, &item)));
        }
        items
    }

    /// Returns the entries that were superseded or archived, as they were at the point in time.
    pub(super) fn retired_entries(&self) -> Vec<MemoryItem> {
        let is_retired =
            |entry: &Entry| self.memory.standing(&entry_ref(&entry.id)) != Standing::Active;
        let retired: Vec<(&MemoryDocument, &Entry)> =
            self.entries().filter(|(_, entry)| is_retired(entry)).collect();
        self.date_entries(retired.iter().map(|(document, _)| *document));
        let known = retired.into_iter().filter(|(document, entry)| self.was_known(document, entry));
        let item = |(document, entry)| MemoryItem::of_entry(&self.memory, document, entry);
        known.map(item).collect()
    }

    /// Reads the history of several documents at once, before the dates of their entries are asked
    /// for.
    pub(crate) fn date_entries<'n>(&self, documents: impl Iterator<Item = &'n MemoryDocument>) {
        prefetch_dates(&self.dates, documents);
    }

    /// Returns every origin that something was taken from.
    pub(crate) fn origins(&self) -> &HashSet<String> {
        let origins = || self.memory.records().filter_map(|record| record.origin.clone()).collect();
        self.origins.get_or_init(origins)
    }

    /// Returns how many entries of all documents have an id.
    pub(crate) fn entries_with_id(&self, id: &str) -> usize {
        let counted = || {
            let mut ids: HashMap<String, usize> = HashMap::new();
            for (_, entry) in self.entries() {
                *ids.entry(entry.id.clone()).or_default() += 1;
            }
            ids
        };
        self.ids.get_or_init(counted).get(id).copied().unwrap_or_default()
    }

    /// An entry was known from its date.
    fn was_known(&self, document: &MemoryDocument, entry: &Entry) -> bool {
        let name = entry_ref(&entry.id);
        let true_then = self.at.valid_at.is_none_or(|day| match self.memory.standing(&name) {
            Standing::Active => true,
            Standing::Archived => false,
            Standing::Superseded => self.memory.replaced_on(&name).is_none_or(|end| day < end),
        });
        if !true_then {
            return false;
        }
        let since = document.since(entry);
        let asked = self.at.as_of.map(day::of).into_iter().chain(self.at.valid_at);
        asked.into_iter().all(|day| since.is_some_and(|since| since <= day))
    }

    /// Returns what was pinned on this machine, with the events that did it: a pin is nobody else's
    /// business.
    pub(crate) fn pin_events(&self) -> impl Iterator<Item = (&str, Vec<Uuid>)> {
        let is_own = |id: &Uuid| self.memory.place(*id).is_some_and(|place| place.is_local);
        let pinned = self.memory.acted_on(Action::Pin).into_iter();
        let own = pinned.map(move |(target, events)| {
            (target, events.iter().copied().filter(is_own).collect::<Vec<_>>())
        });
        own.filter(|(_, events)| !events.is_empty())
    }

    /// Returns what is pinned and still stands, what was pinned first coming first.
    pub(crate) fn pins(&self) -> Vec<(String, MemoryItem)> {
        let mut pins: Vec<(Vec<Uuid>, &str)> =
            self.pin_events().map(|(target, events)| (events, target)).collect();
        pins.sort();
        let mut seen = Vec::new();
        let mut things = Vec::new();
        for (_, target) in pins {
            for head in self.memory.heads(target) {
                if seen.contains(&head) {
                    continue;
                }
                let stands = self.memory.standing(&head) == Standing::Active;
                if let Some(thing) = self.thing(&head).filter(|_| stands) {
                    things.push((head.clone(), MemoryItem { pinned: true, ..thing }));
                }
                seen.push(head);
            }
        }
        things
    }

    /// Returns what stored names lead to, as things stand after what is being done.
    pub(crate) fn described(&self, names: &[String], standing: Standing) -> Vec<MemoryItem> {
        let things = names.iter().filter_map(|name| self.thing(name));
        things.map(|thing| MemoryItem { standing, replaced_by: vec![], ..thing }).collect()
    }

    /// Returns what a stored name leads to.
    pub(crate) fn thing(&self, name: &str) -> Option<MemoryItem> {
        if let Ok(id) = Uuid::parse_str(name) {
            let item = self.memory.item(id)?;
            return Some(MemoryItem::of_record(&self.memory, &item));
        }
        let id = name.strip_prefix("entry:")?;
        self.entries()
            .find(|(_, entry)| entry.id == id)
            .map(|(document, entry)| MemoryItem::of_entry(&self.memory, document, entry))
    }

    /// Returns the problems of documents and of memory together, each once.
    pub(crate) fn with_problems(&self, problems: Vec<Problem>) -> Vec<Problem> {
        merged(problems, self.problems.clone())
    }

    /// Takes a memory document as an edit has made it.
    pub(crate) fn with_edit(&self, book: &MemoryFile, text: String) -> MemoryDocument {
        MemoryDocument::of_book(book, text, &self.dates)
    }

    /// Returns every entry with its document.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&MemoryDocument, &Entry)> {
        self.documents.iter().flat_map(|document| {
            document.notebook.entries.iter().map(move |entry| (document, entry))
        })
    }

    /// Returns whether a name is that of a record which only this machine has.
    pub(crate) fn is_local(&self, name: &str) -> bool {
        let id = Uuid::parse_str(name).ok();
        id.is_some_and(|id| {
            self.memory.place(id).is_some_and(|place| place.is_local)
                || self.memory.record(id).is_some_and(Record::is_private)
        })
    }
}

impl MemoryDocuments {
    /// Takes none yet.
    pub(super) fn new(root: &Root) -> Self {
        MemoryDocuments { documents: vec![], problems: vec![], dates: EntryDates::of(root) }
    }

    /// Adds a document that was read.
    pub(super) fn read(&mut self, placed: Placed) {
        self.problems.extend(placed.document.problems.iter().cloned());
        let document = MemoryDocument::of(placed, &self.dates);
        self.problems.extend(document.notebook.problems.iter().cloned());
        self.documents.push(document);
    }

    /// Takes documents of a catalog whose entries were read, without their text.
    pub(super) fn of_catalog(
        root: &Root,
        catalog: &Catalog,
        mut notebooks: HashMap<String, Notebook>,
    ) -> Self {
        let mut documents = Self::new(root);
        for filed in catalog.filed.iter().filter(|filed| filed.kind == NodeKind::Memory) {
            if let Some(notebook) = notebooks.remove(&filed.document.path) {
                documents.documents.push(MemoryDocument::without_text(
                    filed,
                    notebook,
                    &documents.dates,
                ));
            }
        }
        documents
    }
}

/// Puts problems together, each once.
fn merged(mut problems: Vec<Problem>, more: Vec<Problem>) -> Vec<Problem> {
    problems.extend(more);
    problems.sort();
    problems.dedup();
    problems
}
