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

use super::thing::Thing;
use crate::Error;
use crate::workspace::catalog::Catalog;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::memory_document::{MemoryDocument, prefetch_dates};
use crate::workspace::memory_file::MemoryFile;

/// All that is remembered.
#[derive(Debug)]
pub(crate) struct Recollection {
    /// The log, folded.
    pub(crate) memory: Memory,
    /// Every memory document.
    pub(crate) noted: Vec<MemoryDocument>,
    /// What could not be read.
    pub(crate) problems: Vec<Problem>,
    when: When,
    dates: Rc<EntryDates>,
    origins: OnceCell<HashSet<String>>,
    ids: OnceCell<HashMap<String, usize>>,
}

/// Every memory document, and what is wrong with them.
#[derive(Debug)]
pub(crate) struct MemoryDocuments {
    pub(super) noted: Vec<MemoryDocument>,
    pub(super) problems: Vec<Problem>,
    pub(super) dates: Rc<EntryDates>,
}

/// Which entries are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// None.
    Without,
    /// Those that were archived or replaced.
    Retired,
}

/// At which time one asks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct When {
    /// What was known then.
    pub(crate) as_of: Option<Timestamp>,
    /// What was true then.
    pub(crate) valid_at: Option<Date>,
}

impl When {
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
        Ok(When { as_of, valid_at })
    }
}

impl Recollection {
    /// Puts together what was read.
    pub(super) fn of(
        memory: Memory,
        documents: MemoryDocuments,
        log_problems: Vec<Problem>,
        when: When,
    ) -> Self {
        let MemoryDocuments { noted, problems, dates } = documents;
        Recollection {
            memory,
            noted,
            problems: merged(problems, log_problems),
            when,
            dates,
            origins: OnceCell::new(),
            ids: OnceCell::new(),
        }
    }

    /// Returns the records of a kind and the entries, as things; what is asked for of another time
    /// is as it was then.
    pub(crate) fn things(&self, kinds: &[Kind], entries: Entries) -> Vec<Thing> {
        let mut things: Vec<Thing> = Vec::new();
        for kind in kinds {
            let items = self.memory.items(*kind).filter(|item| match self.when.valid_at {
                None => true,
                Some(day) => {
                    item.standing != Standing::Archived
                        && self.memory.aliases(item.id).iter().any(|alias| {
                            let record = self.memory.record(*alias);
                            record.is_some_and(|record| self.memory.was_valid(record, day))
                        })
                }
            });
            things.extend(items.map(|item| Thing::of_record(&self.memory, &item)));
        }
        if entries == Entries::Retired {
            let is_retired =
                |entry: &Entry| self.memory.standing(&entry_ref(&entry.id)) != Standing::Active;
            let retired: Vec<(&MemoryDocument, &Entry)> =
                self.entries().filter(|(_, entry)| is_retired(entry)).collect();
            self.date_entries(retired.iter().map(|(noted, _)| *noted));
            let known = retired.into_iter().filter(|(noted, entry)| self.was_known(noted, entry));
            things.extend(known.map(|(noted, entry)| Thing::of_entry(&self.memory, noted, entry)));
        }
        things
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
    fn was_known(&self, noted: &MemoryDocument, entry: &Entry) -> bool {
        let name = entry_ref(&entry.id);
        let true_then = self.when.valid_at.is_none_or(|day| match self.memory.standing(&name) {
            Standing::Active => true,
            Standing::Archived => false,
            Standing::Superseded => self.memory.replaced_on(&name).is_none_or(|end| day < end),
        });
        if !true_then {
            return false;
        }
        let since = noted.since(entry);
        let asked = self.when.as_of.map(day::of).into_iter().chain(self.when.valid_at);
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
    pub(crate) fn pins(&self) -> Vec<(String, Thing)> {
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
                    things.push((head.clone(), Thing { pinned: true, ..thing }));
                }
                seen.push(head);
            }
        }
        things
    }

    /// Returns what stored names lead to, as things stand after what is being done.
    pub(crate) fn described(&self, names: &[String], standing: Standing) -> Vec<Thing> {
        let things = names.iter().filter_map(|name| self.thing(name));
        things.map(|thing| Thing { standing, replaced_by: vec![], ..thing }).collect()
    }

    /// Returns what a stored name leads to.
    pub(crate) fn thing(&self, name: &str) -> Option<Thing> {
        if let Ok(id) = Uuid::parse_str(name) {
            let item = self.memory.item(id)?;
            return Some(Thing::of_record(&self.memory, &item));
        }
        let id = name.strip_prefix("entry:")?;
        self.entries()
            .find(|(_, entry)| entry.id == id)
            .map(|(noted, entry)| Thing::of_entry(&self.memory, noted, entry))
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
        self.noted
            .iter()
            .flat_map(|noted| noted.notebook.entries.iter().map(move |entry| (noted, entry)))
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
        MemoryDocuments { noted: vec![], problems: vec![], dates: EntryDates::of(root) }
    }

    /// Adds a document that was read.
    pub(super) fn read(&mut self, placed: Placed) {
        self.problems.extend(placed.document.problems.iter().cloned());
        let noted = MemoryDocument::of(placed, &self.dates);
        self.problems.extend(noted.notebook.problems.iter().cloned());
        self.noted.push(noted);
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
                documents.noted.push(MemoryDocument::without_text(
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
