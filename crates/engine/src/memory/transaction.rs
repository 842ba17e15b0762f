//! Writes records and entries in one transaction.

use std::collections::HashSet;

use heirloom_core::fold::{Item, Standing};
use heirloom_core::memory::{self, Counters, EntryMatch, MemoryEntry};
use heirloom_core::record::{
    self, Body, Event, EventAction, Record, RecordKind, Referent, Tombstone,
};
use heirloom_core::{Hint, Value};
use heirloom_store::journal::{self, ChangeSet, FileChange, LineRemoval, Rename, WriteLock};
use heirloom_store::log::{self, IdSequence, Log, LogScope, PurgedLines};
use indexmap::IndexMap;
use serde_json::Map;
use uuid::Uuid;

use super::open_session::current_session;
use super::runs::{EditedDocument, RecordedMove, RecordedRun, RunKind};
use super::{MemoryItem, MemorySlice, MemoryTarget, PinOwner};
use crate::workspace::input_checks::reject_secret;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::edit_refused;
use crate::{Error, Session};

/// The tag of records that were written automatically: facts of decisions, their retirement, and episodes of sessions.
pub(crate) const AUTO_TAG: &str = "auto";

/// A transaction on the workspace, which holds its write lock. [`WriteTransaction::commit`] makes all
/// changes at once.
pub(crate) struct WriteTransaction<'s> {
    session: &'s Session,
    lock: WriteLock,
    allow_secret: bool,
    ids: IdSequence,
    lines: Vec<(LogScope, RecordKind, String)>,
    /// Ids of the records that are written.
    written: Vec<Uuid>,
    /// Ids of the new records that stay on this machine.
    local: HashSet<Uuid>,
    /// The text of each changed document before and after.
    edits: IndexMap<String, (Option<String>, String)>,
    /// Renames of files and folders, in order.
    renames: Vec<Rename>,
    /// Lines of the log that are purged.
    removals: Vec<LineRemoval>,
}

impl<'s> WriteTransaction<'s> {
    /// Waits for the write lock.
    pub(crate) fn begin(session: &'s Session, allow_secret: bool) -> Result<Self, Error> {
        let lock = journal::lock(session.root())?;
        // Best effort: readers ignore these lines, and report them until they are removed.
        drop(lock.remove_purged_lines(session.root()));
        Ok(WriteTransaction {
            session,
            lock,
            allow_secret,
            ids: IdSequence::default(),
            lines: vec![],
            written: vec![],
            local: HashSet::new(),
            edits: IndexMap::new(),
            renames: vec![],
            removals: vec![],
        })
    }

    /// Rejects a text that looks like a secret.
    pub(crate) fn reject_secret(&self, text: &str) -> Result<(), Error> {
        if self.allow_secret {
            return Ok(());
        }
        let hint = Hint::text("remove the secret, or store it all the same with ");
        reject_secret(text).map_err(|error| error.hint(hint.field("allow_secret")))
    }

    /// Makes a new record, without writing it.
    pub(crate) fn new_record(&self, body: Body) -> Record {
        let now = self.session.now();
        let mut record = Record::new(self.ids.next_id(now), now, &self.session.author(), body);
        if record.kind().spec().joins_session {
            record.session = current_session(self.session);
        }
        record
    }

    /// Writes a record.
    pub(crate) fn write(&mut self, known: &MemorySlice, record: &Record) -> Result<Uuid, Error> {
        self.write_with(known, record, Map::new())
    }

    /// Writes a record with additional fields that this version does not know.
    pub(crate) fn write_with(
        &mut self,
        known: &MemorySlice,
        record: &Record,
        unknown: Map<String, Value>,
    ) -> Result<Uuid, Error> {
        self.reject_secret(&record.all_text())?;
        let json =
            serde_json::to_value(record).map_err(|error| Error::system(error.to_string()))?;
        let Value::Object(mut line) = json else {
            return Err(Error::system("the record is not a JSON object"));
        };
        unknown.into_iter().for_each(|(key, value)| {
            line.entry(key).or_insert(value);
        });
        self.write_line(known, record, Value::Object(line).to_string());
        Ok(record.id)
    }

    /// Writes a record as the line of a log that it was read from.
    pub(crate) fn write_line(&mut self, known: &MemorySlice, record: &Record, line: String) {
        let scope = self.scope_of(known, record);
        if scope == LogScope::Local {
            self.local.insert(record.id);
        }
        self.written.push(record.id);
        self.lines.push((scope, record.kind(), line));
    }

    /// Determines which of the records that will be written stay on this machine: private ones, and all
    /// that refer to such a record directly or indirectly, in any order.
    pub(crate) fn mark_local(&mut self, known: &MemorySlice, records: &[Record]) {
        loop {
            let before = self.local.len();
            for record in records {
                if !self.local.contains(&record.id)
                    && self.scope_of(known, record) == LogScope::Local
                {
                    self.local.insert(record.id);
                }
            }
            if self.local.len() == before {
                return;
            }
        }
    }

    /// Writes an event.
    pub(crate) fn write_event(
        &mut self,
        known: &MemorySlice,
        action: EventAction,
        targets: Vec<Referent>,
        undoes: Vec<Referent>,
        reason: &str,
    ) -> Result<Uuid, Error> {
        let event = Event { undoes, reason: reason.to_owned(), ..Event::new(action, targets) };
        let record = self.new_record(Body::Event(event));
        self.write(known, &record)
    }

    /// Writes an event that holds on this machine only.
    pub(crate) fn write_local_event(
        &mut self,
        action: EventAction,
        targets: Vec<Referent>,
        reason: &str,
    ) -> Result<Uuid, Error> {
        let event = Event { reason: reason.to_owned(), ..Event::new(action, targets) };
        let record = self.new_record(Body::Event(event));
        let line = record::write(&record).map_err(|error| Error::system(error.to_string()))?;
        self.local.insert(record.id);
        self.written.push(record.id);
        self.lines.push((LogScope::Local, record.kind(), line));
        Ok(record.id)
    }

    /// Finds the record that states the same as a new one, and reinforces it if it is active. A new record that
    /// supersedes another states something else.
    pub(crate) fn reinforce_equal<'k>(
        &mut self,
        known: &'k MemorySlice,
        record: &Record,
    ) -> Result<Option<Item<'k>>, Error> {
        let same = known.memory.find_equal(record).filter(|_| record.supersedes.is_empty());
        if let Some(same) = same.filter(|same| same.standing == Standing::Active) {
            self.write_event(known, EventAction::Reinforce, vec![same.id.into()], vec![], "")?;
        }
        Ok(same)
    }

    /// Returns the session of the transaction.
    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    /// Writes an event that pins a memory.
    pub(crate) fn write_pin(
        &mut self,
        known: &MemorySlice,
        memory: &Referent,
        owner: PinOwner<'_>,
    ) -> Result<Uuid, Error> {
        let event = Event::new(EventAction::Pin, vec![memory.clone()]);
        let mut record = self.new_record(Body::Event(event));
        record.tags = owner.tags();
        self.write(known, &record)
    }

    /// Returns where a record is stored. Private records, records that name one, and pins stay on this
    /// machine.
    fn scope_of(&self, known: &MemorySlice, record: &Record) -> LogScope {
        let is_pin = matches!(&record.body, Body::Event(event) if matches!(event.action, EventAction::Pin | EventAction::Release));
        let is_local = |referent: &Referent| {
            known.is_local(referent)
                || referent.record_id().is_some_and(|id| self.local.contains(&id))
        };
        let names_local = record.referents().into_iter().any(is_local);
        if record.is_private() || is_pin || names_local {
            LogScope::Local
        } else {
            LogScope::Shared
        }
    }

    /// Replaces the text of a document.
    pub(crate) fn edit(&mut self, path: &str, before: Option<&str>, after: String) {
        match self.edits.get_mut(path) {
            Some((_, current)) => *current = after,
            None => {
                self.edits.insert(path.to_owned(), (before.map(str::to_owned), after));
            }
        }
    }

    /// Renames a file or folder, after all earlier renames.
    pub(crate) fn rename(&mut self, rename: Rename) {
        self.renames.push(rename);
    }

    /// Purges records: writes a tombstone for each, and removes their lines from the log. What a purged record had
    /// superseded stays superseded. Returns the tombstones.
    pub(crate) fn purge(
        &mut self,
        known: &MemorySlice,
        ids: &[Uuid],
        lines: &PurgedLines,
    ) -> Result<Vec<Record>, Error> {
        let mut tombstones = Vec::new();
        for id in ids {
            let purged = Referent::Record(*id);
            let tombstone = Tombstone { purged, line_hashes: lines.hashes(*id) };
            let mut record = self.new_record(Body::Tombstone(tombstone));
            let old = known.memory.record(*id).filter(|_| !known.memory.is_withdrawn(*id));
            record.supersedes = old.map(|old| old.supersedes.clone()).unwrap_or_default();
            let line = record::write(&record);
            let line = line.map_err(|error| Error::system(error.to_string()))?;
            let (is_shared, is_local) = lines.is_shared_and_local(*id);
            let scopes = [(is_shared, LogScope::Shared), (is_local, LogScope::Local)];
            for (_, scope) in scopes.into_iter().filter(|(is_used, _)| *is_used) {
                self.lines.push((scope, RecordKind::Tombstone, line.clone()));
            }
            tombstones.push(record);
        }
        self.removals.extend(lines.removals());
        Ok(tombstones)
    }

    /// Returns the text of a document with the edits of this transaction.
    pub(crate) fn current_text<'t>(&'t self, path: &str, before: &'t str) -> &'t str {
        self.edits.get(path).map_or(before, |(_, current)| current)
    }

    /// Updates the counters in the front matter of an edited memory document.
    pub(crate) fn update_counters(
        &mut self,
        path: &str,
        counters: &Counters<'_>,
    ) -> Result<(), Error> {
        if let Some((_, current)) = self.edits.get_mut(path) {
            *current = counters.set(path, current)?;
        }
        Ok(())
    }

    /// Returns the names by which records refer to a target. A record has a name for each record with
    /// the same content. The id of an entry is first written beside it, so that it survives rewording.
    pub(crate) fn referents_of(
        &mut self,
        known: &MemorySlice,
        target: MemoryTarget<'_>,
    ) -> Result<Vec<Referent>, Error> {
        Ok(match target {
            MemoryTarget::Record(id) => {
                known.memory.aliases(id).into_iter().map(Referent::Record).collect()
            }
            MemoryTarget::Entry(document, entry) => {
                vec![Referent::Entry(self.write_entry_id(known, document, entry)?)]
            }
        })
    }

    /// Writes the id of an entry beside it. If another document has an entry with the same id, this one
    /// gets a new id.
    pub(crate) fn write_entry_id(
        &mut self,
        known: &MemorySlice,
        document: &MemoryDocument,
        entry: &MemoryEntry,
    ) -> Result<String, Error> {
        if entry.has_stored_id() {
            return Ok(entry.id.clone());
        }
        // The document may have been edited, so that what is known does not have the entry.
        let is_in_another =
            known.entries().any(|(other, same)| same.id == entry.id && other.path != document.path);
        let id = match is_in_another {
            false => entry.id.clone(),
            true => unique_entry_id(&entry.id, &document.path),
        };
        let date = document.date_to_keep(entry);
        let text = self.current_text(&document.path, &document.text).to_owned();
        let content = memory::read_as(document.format, &document.path, &text);
        let EntryMatch::One(entry) = content.find(&entry.id) else {
            return Err(Error::bad_input(format!(
                "{}: the id {} does not belong to exactly one entry",
                document.path, entry.id
            ))
            .hint("remove the duplicate `id:` comments from the document"));
        };
        let mut marks = IndexMap::from_iter([("id".to_owned(), id.clone())]);
        marks.extend(date.map(memory::added_mark));
        let marked = memory::set_marks(&text, entry, &marks)
            .map_err(|refusal| edit_refused(&document.path, &refusal))?;
        self.edit(&document.path, Some(&document.text), marked);
        Ok(id)
    }

    /// Marks an entry with the id of its promoted copy, or removes the entry if it moves.
    pub(crate) fn link_to_copy(
        &mut self,
        document: &MemoryDocument,
        from: &str,
        to: &str,
        moves: bool,
    ) -> Result<(), Error> {
        let before = self.current_text(&document.path, &document.text).to_owned();
        let content = memory::read_as(document.format, &document.path, &before);
        let EntryMatch::One(entry) = content.find(from) else {
            return Err(Error::system(format!(
                "{}: the entry {from} was not found",
                document.path
            )));
        };
        let after = if moves {
            memory::remove(&before, entry)
        } else {
            let marks = IndexMap::from_iter([("promoted".to_owned(), to.to_owned())]);
            memory::set_marks(&before, entry, &marks)
        };
        let after = after.map_err(|refusal| edit_refused(&document.path, &refusal))?;
        self.edit(&document.path, Some(&document.text), after);
        Ok(())
    }

    /// Returns the records that this transaction would write, with what they were made from as their source.
    pub(crate) fn new_items(&self, ids: &[Uuid]) -> Vec<MemoryItem> {
        let mut log = Log::default();
        for (_, _, line) in &self.lines {
            log.parse_text("(transaction)", line.as_bytes());
        }
        let (memory, _) = log.fold(None);
        let items = ids.iter().filter_map(|id| memory.item(*id));
        let items = items.map(|item| MemoryItem::of_record(&memory, &item));
        items
            .map(|mut item| {
                item.source = item.stated_source.clone().unwrap_or_default();
                (item.path, item.line) = (item.source.clone(), 0);
                item
            })
            .collect()
    }

    /// Writes all changes, or none of them, and records them as a run that can be undone as a whole. Returns the number of
    /// the run; `None` if nothing changed.
    pub(crate) fn commit_as_run(self, kind: RunKind) -> Result<Option<u64>, Error> {
        self.commit_as_run_with_usage(kind, vec![])
    }

    /// Does the same for a run that also lets the usage of some memories count for others.
    pub(crate) fn commit_as_run_with_usage(
        self,
        kind: RunKind,
        moved_usage: Vec<RecordedMove>,
    ) -> Result<Option<u64>, Error> {
        let edits = self.edits.iter().filter(|(_, (before, after))| before.as_ref() != Some(after));
        let documents =
            edits.map(|(path, (before, after))| EditedDocument::new(path, before, after));
        let renames = self.renames.iter().map(|rename| (rename.from.clone(), rename.to.clone()));
        let run = RecordedRun {
            kind,
            at: self.session.now(),
            by: self.session.author(),
            root: self.session.root().path().to_path_buf(),
            records: self.written.clone(),
            documents: documents.collect(),
            renames: renames.collect(),
            moved_usage,
            is_undone: false,
        };
        if run.is_empty() {
            self.commit()?;
            return Ok(None);
        }
        // Recorded before it is done: an interrupted run can be undone as far as it came.
        let session = self.session;
        let number = run.store(session)?;
        self.commit().inspect_err(|_| RecordedRun::remove(session, number))?;
        Ok(Some(number))
    }

    /// Writes all changes, or none of them.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let root = self.session.root();
        let appends = log::group_appends(&self.lock, root, &self.lines, self.session.now())?;
        let edits = self.edits.into_iter();
        let changes = edits.map(|(path, (before, after))| FileChange { path, before, after });
        let change_set = ChangeSet {
            changes: changes.collect(),
            renames: self.renames,
            appends,
            removals: self.removals,
        };
        Ok(self.lock.apply(root, change_set)?)
    }
}

/// Derives an id that is unique to a document.
pub(crate) fn unique_entry_id(id: &str, path: &str) -> String {
    heirloom_core::words::short_hash(&format!("{id}\n{path}"))
}
