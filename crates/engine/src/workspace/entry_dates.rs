//! The dates of memory entries that state none, from git and the file system.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use heirloom_store::line_dates::{self, LineDate, LineDates};
use heirloom_store::{Root, dates};
use jiff::civil::Date;

/// The dates of entries that state none. Git is not queried before the first such date is needed.
#[derive(Debug)]
pub(crate) struct EntryDates {
    root: Root,
    lines: RefCell<HashMap<String, LineDates>>,
}

impl EntryDates {
    /// Creates an empty cache of dates for a workspace.
    pub(crate) fn new(root: &Root) -> Rc<Self> {
        Rc::new(EntryDates { root: root.reopen(), lines: RefCell::default() })
    }

    /// Reads the git history of several documents with as few processes as possible.
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

    /// Returns the date at which an entry's first line was committed.
    pub(super) fn line(&self, path: &str, line: &str) -> LineDate {
        let known = self.lines.borrow().get(path).map(|dates| dates.date_of(line));
        known.unwrap_or_else(|| {
            self.lines.borrow_mut().extend(line_dates::of_files(&self.root, &[path]));
            self.lines
                .borrow()
                .get(path)
                .map_or(LineDate::NotCommitted, |dates| dates.date_of(line))
        })
    }

    /// Reads the text of a document; empty if that fails.
    pub(super) fn text(&self, path: &str) -> String {
        self.root.read(path).ok().flatten().unwrap_or_default()
    }

    /// Returns the day on which a file was modified. The last commit would be wrong here, because it is
    /// older than an uncommitted line.
    pub(super) fn file(&self, path: &str) -> Option<Date> {
        dates::modified_day(&self.root, path)
    }
}
