//! When the entries of memory documents were written.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use heirloom_core::memory::Entry;
use heirloom_store::line_dates::{self, LineDate, LineDates};
use heirloom_store::{Root, dates};
use jiff::civil::Date;

use super::Noted;

/// What git and the file system say of entries that state no date. Nothing is asked before the first
/// such date is needed.
#[derive(Debug)]
pub(crate) struct EntryDates {
    root: Root,
    lines: RefCell<HashMap<String, LineDates>>,
}

impl EntryDates {
    /// Dates the entries of a workspace.
    pub(crate) fn of(root: &Root) -> Rc<Self> {
        Rc::new(EntryDates { root: root.another(), lines: RefCell::default() })
    }

    /// Reads the history of several documents at once: each costs a process the first time.
    pub(crate) fn prefetch<'n>(&self, documents: impl Iterator<Item = &'n Noted>) {
        let needed = documents.filter(|noted| noted.has_undated()).map(|noted| noted.path.as_str());
        let known = self.lines.borrow();
        let mut paths: Vec<&str> = needed.filter(|path| !known.contains_key(*path)).collect();
        drop(known);
        paths.sort_unstable();
        paths.dedup();
        if !paths.is_empty() {
            self.lines.borrow_mut().extend(line_dates::of_files(&self.root, &paths));
        }
    }

    /// Returns what the history says of an entry's first line.
    fn line(&self, path: &str, line: &str) -> LineDate {
        let known = self.lines.borrow().get(path).map(|dates| dates.of(line));
        known.unwrap_or_else(|| {
            self.lines.borrow_mut().extend(line_dates::of_files(&self.root, &[path]));
            self.lines.borrow().get(path).map_or(LineDate::NotCommitted, |dates| dates.of(line))
        })
    }

    /// Reads a document whose text was not read.
    fn text(&self, path: &str) -> String {
        self.root.read(path).ok().flatten().unwrap_or_default()
    }

    /// Returns the day on which a file was modified. Its last commit is of no use here: it is older
    /// than a line that it does not have.
    fn file(&self, path: &str) -> Option<Date> {
        dates::modified(&self.root, path)
    }
}

impl Noted {
    /// Returns when an entry was written: the day that it states, else the day on which Heirloom
    /// added it, else the commit that introduced its line, else, of a line that is not committed, the
    /// date of its file. Beyond the end of a shallow clone that is not known.
    pub(crate) fn since(&self, entry: &Entry) -> Option<Date> {
        if let Some(date) = entry.own_date() {
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

    /// Returns the day to write beside an entry before its line is rewritten: the commit that
    /// rewrites the line would date it otherwise.
    pub(crate) fn date_to_keep(&self, entry: &Entry) -> Option<Date> {
        if entry.own_date().is_some() {
            return None;
        }
        match self.line_date(entry) {
            LineDate::Committed(date) => Some(date),
            LineDate::BeyondShallow | LineDate::NotCommitted => None,
        }
    }

    fn line_date(&self, entry: &Entry) -> LineDate {
        let text = match self.text.is_empty() {
            true => Cow::Owned(self.dates.text(&self.path)),
            false => Cow::Borrowed(self.text.as_str()),
        };
        let line = text.get(entry.bytes.clone()).and_then(|own| own.lines().next());
        line.map_or(LineDate::NotCommitted, |line| self.dates.line(&self.path, line))
    }

    /// Returns whether an entry of it does not say when it was written.
    pub(crate) fn has_undated(&self) -> bool {
        self.notebook.entries.iter().any(|entry| entry.own_date().is_none())
    }
}
