//! When the entries of memory documents were written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use heirloom_store::line_dates::{self, LineDate, LineDates};
use heirloom_store::{Root, dates};
use jiff::civil::Date;

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
    pub(super) fn prefetch<'p>(&self, documents: impl Iterator<Item = &'p str>) {
        let known = self.lines.borrow();
        let mut paths: Vec<&str> = documents.filter(|path| !known.contains_key(*path)).collect();
        drop(known);
        paths.sort_unstable();
        paths.dedup();
        if !paths.is_empty() {
            self.lines.borrow_mut().extend(line_dates::of_files(&self.root, &paths));
        }
    }

    /// Returns what the history says of an entry's first line.
    pub(super) fn line(&self, path: &str, line: &str) -> LineDate {
        let known = self.lines.borrow().get(path).map(|dates| dates.of(line));
        known.unwrap_or_else(|| {
            self.lines.borrow_mut().extend(line_dates::of_files(&self.root, &[path]));
            self.lines.borrow().get(path).map_or(LineDate::NotCommitted, |dates| dates.of(line))
        })
    }

    /// Reads a document whose text was not read.
    pub(super) fn text(&self, path: &str) -> String {
        self.root.read(path).ok().flatten().unwrap_or_default()
    }

    /// Returns the day on which a file was modified. Its last commit is of no use here: it is older
    /// than a line that it does not have.
    pub(super) fn file(&self, path: &str) -> Option<Date> {
        dates::modified(&self.root, path)
    }
}
