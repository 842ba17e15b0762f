//! Writing what is remembered: records and entries, together or not at all.

use std::collections::HashSet;

use heirloom_core::memory::{self, Counters, Entry, Which};
use heirloom_core::record::{Action, Body, Event, Kind, Record};
use heirloom_core::{Value, secret};
use heirloom_store::journal::{self, Change, Rename, WriteLock};
use heirloom_store::log::{self, Log, Shelf};
use indexmap::IndexMap;
use serde_json::Map;
use uuid::Uuid;

use super::open_session::open_session;
use super::{MemoryItem, MemorySlice, MemoryTarget};
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::memory_file::refused;
use crate::{Error, Session};

/// Holds the workspace for writing. What is written becomes real with [`WriteTransaction::finish`], all at once.
pub(crate) struct WriteTransaction<'s> {
    session: &'s Session,
    lock: WriteLock,
    allow_secret: bool,
    lines: Vec<(Shelf, Kind, String)>,
    /// Private records among them.
    private: HashSet<String>,
    /// Documents with their text before and now.
    edits: IndexMap<String, (Option<String>, String)>,
    /// Files and folders that get another name.
    renames: Vec<Rename>,
}

impl<'s> WriteTransaction<'s> {
    /// Waits for the right to write.
    pub(crate) fn begin(session: &'s Session, allow_secret: bool) -> Result<Self, Error> {
        let lock = journal::lock(session.root())?;
        Ok(WriteTransaction {
            session,
            lock,
            allow_secret,
            lines: vec![],
            private: HashSet::new(),
            edits: IndexMap::new(),
            renames: vec![],
        })
    }

    /// Refuses a text that looks like a secret.
    pub(crate) fn guard(&self, text: &str) -> Result<(), Error> {
        match secret::find(text).filter(|_| !self.allow_secret) {
            None => Ok(()),
            Some(secret) => Err(Error::bad_input(format!(
                "this looks like {} ({}, line {}), and every agent reads what is remembered",
                secret.what, secret.shown, secret.line
            ))
            .hint("leave the secret out, or insist with --allow-secret")),
        }
    }

    /// Makes a record of now.
    pub(crate) fn record(&self, body: Body) -> Record {
        let now = self.session.now();
        let mut record = Record::new(log::new_id(now), now, &self.session.author(), body);
        if !matches!(record.body, Body::Event(_) | Body::Edge(_) | Body::Episode(_)) {
            record.session = open_session(self.session);
        }
        record
    }

    /// Writes a record.
    pub(crate) fn write(&mut self, known: &MemorySlice, record: &Record) -> Result<Uuid, Error> {
        self.write_with(known, record, Map::new())
    }

    /// Writes a record with fields that this version does not know.
    pub(crate) fn write_with(
        &mut self,
        known: &MemorySlice,
        record: &Record,
        unknown: Map<String, Value>,
    ) -> Result<Uuid, Error> {
        self.guard(&record.written())?;
        let written =
            serde_json::to_value(record).map_err(|error| Error::system(error.to_string()))?;
        let Value::Object(mut line) = written else {
            return Err(Error::system("a record that is no object"));
        };
        unknown.into_iter().for_each(|(key, value)| {
            line.entry(key).or_insert(value);
        });
        let shelf = self.shelf(known, record);
        if shelf == Shelf::Local {
            self.private.insert(record.id.to_string());
        }
        self.lines.push((shelf, record.kind(), Value::Object(line).to_string()));
        Ok(record.id)
    }

    /// Writes a line of a log as it is.
    pub(crate) fn copy(&mut self, known: &MemorySlice, record: &Record, line: String) {
        let shelf = self.shelf(known, record);
        if shelf == Shelf::Local {
            self.private.insert(record.id.to_string());
        }
        self.lines.push((shelf, record.kind(), line));
    }

    /// Learns which of the records to come stay on this machine: those that are private, and those
    /// that name one that does, in whatever order they come.
    pub(crate) fn expect(&mut self, known: &MemorySlice, records: &[Record]) {
        loop {
            let before = self.private.len();
            for record in records {
                let id = record.id.to_string();
                if !self.private.contains(&id) && self.shelf(known, record) == Shelf::Local {
                    self.private.insert(id);
                }
            }
            if self.private.len() == before {
                return;
            }
        }
    }

    /// Writes an event.
    pub(crate) fn event(
        &mut self,
        known: &MemorySlice,
        action: Action,
        targets: Vec<String>,
        undoes: Vec<String>,
        reason: &str,
    ) -> Result<Uuid, Error> {
        let event = Event { action, targets, undoes, reason: reason.to_owned() };
        let record = self.record(Body::Event(event));
        self.write(known, &record)
    }

    /// Whatever is private, or names what is, stays on this machine; so do pins.
    fn shelf(&self, known: &MemorySlice, record: &Record) -> Shelf {
        let is_pin = matches!(&record.body, Body::Event(event) if matches!(event.action, Action::Pin | Action::Release));
        let names_private =
            record.names().iter().any(|name| known.is_local(name) || self.private.contains(*name));
        if record.is_private() || is_pin || names_private { Shelf::Local } else { Shelf::Shared }
    }

    /// Puts a new text in a document's place.
    pub(crate) fn edit(&mut self, path: &str, before: Option<&str>, after: String) {
        match self.edits.get_mut(path) {
            Some((_, now)) => *now = after,
            None => {
                self.edits.insert(path.to_owned(), (before.map(str::to_owned), after));
            }
        }
    }

    /// Gives a file or folder another name, after the renames before it.
    pub(crate) fn rename(&mut self, rename: Rename) {
        self.renames.push(rename);
    }

    /// Returns a document's text as it stands now.
    pub(crate) fn text_of<'t>(&'t self, path: &str, before: &'t str) -> &'t str {
        self.edits.get(path).map_or(before, |(_, now)| now)
    }

    /// Counts a change of a memory document.
    pub(crate) fn count(&mut self, path: &str, counters: &Counters<'_>) -> Result<(), Error> {
        if let Some((_, now)) = self.edits.get_mut(path) {
            *now = counters.set(path, now)?;
        }
        Ok(())
    }

    /// Returns the names under which a target is stored: a record's with all that say the same; an
    /// entry's, whose id is written beside it first, so that people may reword it.
    pub(crate) fn names(
        &mut self,
        known: &MemorySlice,
        target: MemoryTarget<'_>,
    ) -> Result<Vec<String>, Error> {
        Ok(match target {
            MemoryTarget::Record(id) => {
                known.memory.aliases(id).iter().map(Uuid::to_string).collect()
            }
            MemoryTarget::Entry(document, entry) => {
                vec![entry_ref(&self.mark(known, document, entry)?)]
            }
        })
    }

    /// Writes an entry's id beside it. Where another document has an entry of the same id, this one
    /// gets another.
    pub(crate) fn mark(
        &mut self,
        known: &MemorySlice,
        document: &MemoryDocument,
        entry: &Entry,
    ) -> Result<String, Error> {
        if entry.is_marked() {
            return Ok(entry.id.clone());
        }
        let own = document.notebook.entries.iter().filter(|own| own.id == entry.id).count();
        let id = if known.entries_with_id(&entry.id) <= own {
            entry.id.clone()
        } else {
            unique_entry_id(&entry.id, &document.path)
        };
        let date = document.date_to_keep(entry);
        let now = self.text_of(&document.path, &document.text).to_owned();
        let notebook = memory::read(&document.path, &now);
        let Which::One(entry) = notebook.find(&entry.id) else {
            return Err(Error::bad_input(format!(
                "{}: {} is not there once",
                document.path, entry.id
            ))
            .hint("mend the ids"));
        };
        let mut marks = IndexMap::from_iter([("id".to_owned(), id.clone())]);
        marks.extend(date.map(memory::added_mark));
        let after = memory::mark(&now, entry, &marks);
        self.edit(
            &document.path,
            Some(&document.text),
            after.map_err(|no| refused(&document.path, &no))?,
        );
        Ok(id)
    }

    /// Returns records that are to be written, as things.
    pub(crate) fn things(&self, ids: &[Uuid]) -> Vec<MemoryItem> {
        let mut log = Log::default();
        for (_, _, line) in &self.lines {
            log.take("to be written", line.as_bytes());
        }
        let (memory, _) = log.fold(None);
        let items = ids.iter().filter_map(|id| memory.item(*id));
        items.map(|item| MemoryItem::of_record(&memory, &item)).collect()
    }

    /// Makes it all real, or none of it.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let root = self.session.root();
        let changes: Vec<Change> = self
            .edits
            .into_iter()
            .map(|(path, (before, after))| Change { path, before, after })
            .collect();
        let appends = log::appends(&self.lock, root, &self.lines, self.session.now())?;
        Ok(self.lock.write_and_rename(root, &changes, &self.renames, appends)?)
    }
}

/// Returns an id that is this document's own.
pub(crate) fn unique_entry_id(id: &str, path: &str) -> String {
    heirloom_core::words::digest(&format!("{id}\n{path}"))
}
