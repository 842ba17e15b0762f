//! A memory document: the entries of an agent, a plan or another level, or a file of decisions or lessons, with the dates
//! of the entries.

use std::borrow::Cow;
use std::rc::Rc;

use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::{self, MemoryEntries, MemoryEntry, MemoryFormat};
use heirloom_core::{Document, day};
use heirloom_store::layout::HierarchyDocument;
use heirloom_store::line_dates::LineDate;
use jiff::civil::Date;

use super::catalog::CatalogEntry;
use super::entry_dates::EntryDates;
use super::memory_file::MemoryFile;

/// Reads the git history of several documents at once, before the dates of their entries are used.
pub(crate) fn prefetch_dates<'d>(
    dates: &EntryDates,
    documents: impl Iterator<Item = &'d MemoryDocument>,
) {
    let undated = documents.filter(|document| document.has_undated());
    dates.prefetch(undated.map(|document| document.path.as_str()));
}

/// A memory document with its parsed entries.
#[derive(Debug)]
pub(crate) struct MemoryDocument {
    /// The path of the file.
    pub(crate) path: String,
    /// The level.
    pub(crate) level: String,
    /// The names of its plan and agent.
    pub(crate) selectors: Selectors,
    /// The format of the entries.
    pub(crate) format: MemoryFormat,
    /// The text; empty if the entries come from the cache.
    pub(crate) text: String,
    /// The entries.
    pub(crate) content: MemoryEntries,
    created: Option<Date>,
    updated: Option<Date>,
    dates: Rc<EntryDates>,
}

impl MemoryDocument {
    /// Returns the agent or plan whose memory it is.
    pub(crate) fn owner(&self) -> Option<&str> {
        self.selectors.values().last().map(String::as_str)
    }

    /// Parses a memory document.
    pub(crate) fn from_placed(placed: HierarchyDocument, dates: &Rc<EntryDates>) -> Self {
        let (created, updated) = front_matter_dates(&placed.document);
        let path = placed.document.path;
        let format = placed.role.memory_format().unwrap_or_default();
        MemoryDocument {
            format,
            created,
            updated,
            dates: dates.clone(),
            level: placed.level,
            selectors: placed.selectors,
            content: memory::read_as(format, &path, &placed.text),
            text: placed.text,
            path,
        }
    }

    /// Parses a new text of a memory document.
    pub(crate) fn from_file(book: &MemoryFile, text: String, dates: &Rc<EntryDates>) -> Self {
        let document = Document::parse(&book.path, &memory::merge_repeated_counters(&text));
        let (created, updated) = front_matter_dates(&document);
        MemoryDocument {
            path: book.path.clone(),
            level: book.level.clone(),
            selectors: book.selectors.clone(),
            format: MemoryFormat::Sections,
            content: memory::read(&book.path, &text),
            text,
            created,
            updated,
            dates: dates.clone(),
        }
    }

    /// Creates a memory document from cached entries, without its text.
    pub(crate) fn from_cache(
        catalog_entry: &CatalogEntry,
        content: MemoryEntries,
        dates: &Rc<EntryDates>,
    ) -> Self {
        let (created, updated) = front_matter_dates(&catalog_entry.document);
        MemoryDocument {
            path: catalog_entry.document.path.clone(),
            format: catalog_entry.memory_format.unwrap_or_default(),
            level: catalog_entry.level.clone().unwrap_or_default(),
            selectors: catalog_entry.selectors.clone(),
            text: String::new(),
            content,
            created,
            updated,
            dates: dates.clone(),
        }
    }

    /// Returns when an entry was written: the day that it states or on which Heirloom added it, else the
    /// day of the commit that introduced its line, else, for an uncommitted line, the date of the file.
    /// Returns `None` if that commit lies beyond the end of a shallow clone.
    pub(crate) fn date_of(&self, entry: &MemoryEntry) -> Option<Date> {
        if let Some(date) = entry.date() {
            return Some(date);
        }
        match self.line_date(entry) {
            LineDate::Committed(date) => Some(date),
            LineDate::BeyondShallow => None,
            LineDate::NotCommitted => {
                self.updated.or_else(|| self.dates.file(&self.path)).or(self.created)
            }
        }
    }

    /// Returns the day to write into an entry before its line is rewritten, because afterwards git would
    /// date the line by the commit that rewrote it.
    pub(crate) fn date_to_keep(&self, entry: &MemoryEntry) -> Option<Date> {
        if entry.date().is_some() {
            return None;
        }
        match self.line_date(entry) {
            LineDate::Committed(date) => Some(date),
            LineDate::BeyondShallow | LineDate::NotCommitted => None,
        }
    }

    fn line_date(&self, entry: &MemoryEntry) -> LineDate {
        let text = match self.text.is_empty() {
            true => Cow::Owned(self.dates.text(&self.path)),
            false => Cow::Borrowed(self.text.as_str()),
        };
        let line = text.get(entry.bytes.clone()).and_then(|text| text.lines().next());
        line.map_or(LineDate::NotCommitted, |line| self.dates.line(&self.path, line))
    }

    /// Returns whether an entry states no date.
    pub(crate) fn has_undated(&self) -> bool {
        self.content.entries.iter().any(|entry| entry.date().is_none())
    }
}

/// Returns the days `created` and `updated` of the front matter.
fn front_matter_dates(document: &Document) -> (Option<Date>, Option<Date>) {
    let date =
        |key: &str| document.fields.get(key).and_then(|value| value.as_str()).and_then(day::parse);
    (date("created"), date("updated"))
}
