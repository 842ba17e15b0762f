//! `import`: imports memories of other tools or of another workspace.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use heirloom_core::memory::{
    self, EntryEditError, EntryField, EntryKind, MemoryEntry, MemoryOwner, NewEntry,
};
use heirloom_core::recall::ComponentKey;
use heirloom_core::record::{
    self, Body, EventAction, LineError, Origin, Record, RecordKind, Referent,
};
use heirloom_core::words::normalise;
use heirloom_core::{Hint, Problem, Value, byte_order_mark, day, name};
use heirloom_store::log::{IdSequence, Tombstones};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::contradictions::check_stored;
use crate::import::{self, ImportContext, ImportFormat, ImportResult, SourceText};
use crate::memory::{MemoryQuery, MemorySlice, RunKind, UNDONE_RUN_REASON, WriteTransaction};
use crate::ops::request_parts::InputFile;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Import;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Files, or folders with files.
    files: Vec<InputFile>,
    /// Format of the files; default: detected for each file.
    #[serde(default)]
    format: Option<ImportFormat>,
    /// Import rows even if they look like secrets.
    #[serde(default)]
    allow_secret: bool,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct ImportReport {
    /// Number of imported records by kind.
    #[serde(rename = "taken")]
    imported: BTreeMap<&'static str, usize>,
    /// Memory documents that were created or extended.
    documents: Vec<String>,
    /// Number of rows that already exist.
    already: usize,
    /// Rows that could not be imported.
    problems: Vec<Problem>,
    /// Remarks, such as what the imported facts contradict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Whether this is only a preview: nothing was imported.
    dry_run: bool,
}

impl Operation for Import {
    type Request = Request;
    type Response = ImportReport;
    const SPEC: Spec = Spec {
        name: "memory_import",
        usage: "import <files>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Import memories. Sources are a Heirloom export, Omegon's facts.jsonl, MCP's server-memory, basic-memory notes, and bullet lists of CLAUDE.md and AGENTS.md. Importing twice adds nothing; importing again after `undo` brings back what that withdrew.",
    };

    fn run(session: &Session, request: Request) -> Result<ImportReport, Error> {
        let transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let mut report = ImportReport { dry_run: request.dry_run, ..ImportReport::default() };
        let mut by_format: Vec<(ImportFormat, Vec<&InputFile>)> = Vec::new();
        for file in &request.files {
            if let Some(reason) = &file.unreadable {
                report.problems.push(Problem::in_file(&file.name, reason));
                continue;
            }
            let Some(format) = request.format.or_else(|| import::detect(&file.name, &file.text))
            else {
                let formats: Vec<&str> =
                    ImportFormat::ALL.iter().map(|format| format.as_str()).collect();
                report.problems.push(
                    Problem::in_file(&file.name, "the format was not recognised").hint(
                        Hint::text("choose one with ")
                            .field("format")
                            .then(format!(": {}", formats.join(", "))),
                    ),
                );
                continue;
            };
            match by_format.iter_mut().find(|(other, _)| *other == format) {
                Some((_, files)) => files.push(file),
                None => by_format.push((format, vec![file])),
            }
        }
        let keys =
            by_format.iter().flat_map(|(format, files)| possible_keys(session, *format, files));
        let known = MemoryQuery::new().keys_without_relations(keys).read(session)?;
        let tombstones = Tombstones::of(session.root());
        let mut run = ImportRun {
            transaction,
            known,
            tombstones,
            report,
            facts: vec![],
            withdrawals: BTreeSet::new(),
        };
        for (format, files) in by_format {
            match format.importer() {
                None => {
                    run.transaction.mark_local(&run.known, &exported_records(&files));
                    files.iter().try_for_each(|file| run.import_lines(session, file))?;
                }
                Some(importer) => run.import_foreign(session, importer, &files),
            }
        }
        run.restore_withdrawn()?;
        let ImportRun { transaction, mut report, facts, .. } = run;
        if !request.dry_run {
            transaction.commit_as_run(RunKind::Import)?;
            report.notes = check_stored(session, &facts);
        }
        Ok(report)
    }
}

/// Returns the lines of a Heirloom export.
fn exported_lines(file: &InputFile) -> std::str::Lines<'_> {
    byte_order_mark::strip(&file.text).lines()
}

/// Returns the records of Heirloom exports.
fn exported_records(files: &[&InputFile]) -> Vec<Record> {
    let lines = files.iter().flat_map(|file| exported_lines(file));
    lines.filter_map(|line| record::read(line.as_bytes()).ok().flatten()).collect()
}

/// Reads files with an importer. `known` returns the existing record with an origin.
fn run_importer(
    session: &Session,
    importer: import::Importer,
    files: &[&InputFile],
    known: &dyn Fn(&Origin) -> Option<Uuid>,
) -> ImportResult {
    let texts: Vec<SourceText<'_>> =
        files.iter().map(|file| SourceText { path: &file.name, content: &file.text }).collect();
    let (now, by, ids) = (session.now(), session.author(), IdSequence::default());
    let mut new_id = |now| ids.next_id(now);
    importer(
        &texts,
        &mut ImportContext { now, author: &by, new_id: &mut new_id, find_by_origin: known },
    )
}

/// Returns the keys by which existing records may match the files: ids, origins and what the records
/// refer to.
fn possible_keys(
    session: &Session,
    format: ImportFormat,
    files: &[&InputFile],
) -> Vec<ComponentKey<'static>> {
    let origins = RefCell::new(HashSet::new());
    let records: Vec<Record> = match format.importer() {
        None => exported_records(files),
        Some(importer) => {
            // An importer may look up further origins depending on the answers, so it runs twice: once with
            // every origin known and once with none.
            let records = [true, false].map(|is_known| {
                let lookup = |origin: &Origin| {
                    origins.borrow_mut().insert(origin.clone());
                    is_known.then(|| IdSequence::default().next_id(session.now()))
                };
                run_importer(session, importer, files, &lookup).records
            });
            records.into_iter().flatten().map(|(_, record)| record).collect()
        }
    };
    let mut keys: Vec<ComponentKey<'_>> =
        origins.into_inner().into_iter().map(ComponentKey::from).collect();
    for record in &records {
        keys.extend(record.origin.clone().map(ComponentKey::from));
        keys.extend(record.referents().into_iter().cloned().map(ComponentKey::from));
        keys.push(Referent::Record(record.id).into());
    }
    keys
}

/// The state of an import.
struct ImportRun<'s> {
    transaction: WriteTransaction<'s>,
    known: MemorySlice,
    tombstones: Tombstones,
    report: ImportReport,
    /// The facts that are written.
    facts: Vec<Referent>,
    /// The events that withdrew records which are imported again, because the run that had imported them was undone.
    withdrawals: BTreeSet<Uuid>,
}

impl ImportRun<'_> {
    fn count(&mut self, record: &Record) {
        *self.report.imported.entry(record.kind().as_str()).or_default() += 1;
        if record.kind() == RecordKind::Fact {
            self.facts.push(record.id.into());
        }
    }

    /// Returns whether a record was withdrawn with a whole run, and restores it: importing it again asks for it.
    fn restore_if_undone(&mut self, id: Uuid) -> bool {
        let memory = &self.known.memory;
        let is_of_run = |event: &Uuid| {
            let record = memory.record(*event).map(|record| &record.body);
            matches!(record, Some(Body::Event(event)) if event.reason == UNDONE_RUN_REASON)
        };
        let events = memory.targets_of(EventAction::Undo);
        let events = events.get(&Referent::Record(id)).copied().unwrap_or_default();
        let is_undone = !events.is_empty() && events.iter().all(is_of_run);
        if is_undone {
            self.withdrawals.extend(events);
        }
        is_undone
    }

    /// Makes the records active again that were withdrawn with an earlier import of the same rows.
    fn restore_withdrawn(&mut self) -> Result<(), Error> {
        let events: Vec<Referent> =
            self.withdrawals.iter().copied().map(Referent::Record).collect();
        if !events.is_empty() {
            self.transaction.write_event(&self.known, EventAction::Restore, vec![], events, "")?;
        }
        Ok(())
    }

    fn import_foreign(
        &mut self,
        session: &Session,
        importer: import::Importer,
        files: &[&InputFile],
    ) {
        let origins: HashMap<&Origin, Uuid> = self
            .known
            .memory
            .records()
            .filter_map(|record| Some((record.origin.as_ref()?, record.id)))
            .collect();
        let asked: RefCell<BTreeSet<Uuid>> = RefCell::default();
        let find = |origin: &Origin| {
            let id = origins.get(origin).copied();
            asked.borrow_mut().extend(id);
            id
        };
        let imported = run_importer(session, importer, files, &find);
        self.report.already += imported.known_rows;
        for id in asked.into_inner() {
            if self.restore_if_undone(id)
                && let Some(record) = self.known.memory.record(id).cloned()
            {
                self.count(&record);
                self.report.already = self.report.already.saturating_sub(1);
            }
        }
        self.report.problems.extend(imported.problems);
        let mut rejected: HashSet<Referent> = HashSet::new();
        for (place, record) in imported.records {
            let names_rejected = record.referents().into_iter().any(|name| rejected.contains(name));
            match self.transaction.reject_secret(&record.all_text()) {
                Ok(()) if !names_rejected => match self.transaction.write(&self.known, &record) {
                    Ok(_) => self.count(&record),
                    Err(error) => self.reject(&place.path, place.line, error.message),
                },
                Ok(()) => {
                    let reason = "it refers to a row that could not be imported".to_owned();
                    self.reject(&place.path, place.line, reason);
                }
                Err(error) => {
                    rejected.insert(record.id.into());
                    self.reject(&place.path, place.line, error.message);
                }
            }
        }
    }

    fn reject(&mut self, path: &str, line: usize, reason: String) {
        self.report.problems.push(Problem::at(path, line, reason));
    }

    /// Imports the lines of a Heirloom export unchanged.
    fn import_lines(&mut self, session: &Session, file: &InputFile) -> Result<(), Error> {
        for (at, line) in exported_lines(file).enumerate() {
            let number = at + 1;
            match record::read(line.as_bytes()) {
                Ok(None) => {}
                Ok(Some(record)) if self.tombstones.is_purged(&record) => {
                    let reason = format!("the record {} was purged here", record.id);
                    self.reject(&file.name, number, reason);
                }
                Ok(Some(record)) => match self.known.memory.record(record.id) {
                    Some(existing) if *existing == record => {
                        match self.restore_if_undone(record.id) {
                            true => self.count(&record),
                            false => self.report.already += 1,
                        }
                    }
                    Some(_) => self.reject(
                        &file.name,
                        number,
                        format!("a different record with the id {} already exists", record.id),
                    ),
                    None => match self.transaction.reject_secret(&record.all_text()) {
                        Ok(()) => {
                            self.transaction.write_line(
                                &self.known,
                                &record,
                                line.trim().to_owned(),
                            );
                            self.count(&record);
                        }
                        Err(error) => self.reject(&file.name, number, error.message),
                    },
                },
                Err(LineError::Newer(reason)) => match parse_document(line) {
                    Some((path, text)) => {
                        if let Err(reason) = self.import_document(session, &path, &text)? {
                            self.reject(&file.name, number, reason);
                        }
                    }
                    None => self.reject(&file.name, number, reason),
                },
                Err(LineError::ConflictMarker) => {
                    self.reject(&file.name, number, "the line is a git conflict marker".to_owned());
                }
                Err(LineError::Broken(reason)) => self.reject(&file.name, number, reason),
            }
        }
        Ok(())
    }

    /// Writes a memory document, or adds its entries to the existing one. The inner error is the reason
    /// why the document was rejected.
    fn import_document(
        &mut self,
        session: &Session,
        path: &str,
        text: &str,
    ) -> Result<Result<(), String>, Error> {
        if !path.ends_with(".memory.md")
            || path.split('/').any(|part| name::unsafe_reason(part).is_some())
        {
            let path = path.escape_default();
            return Ok(Err(format!("`{path}` is not the path of a memory document")));
        }
        if let Err(error) = self.transaction.reject_secret(text) {
            return Ok(Err(error.message));
        }
        let on_disk = session.root().read(path)?;
        let before =
            self.transaction.current_text(path, on_disk.as_deref().unwrap_or_default()).to_owned();
        let after = if before.is_empty() {
            text.to_owned()
        } else {
            match self.add_entries(session, path, &before, text) {
                Ok(after) if after == before => return Ok(Ok(())),
                Ok(after) => after,
                Err(reason) => return Ok(Err(reason)),
            }
        };
        self.transaction.edit(path, on_disk.as_deref(), after);
        self.report.documents.push(path.to_owned());
        Ok(Ok(()))
    }

    /// Returns the existing text with the missing entries of the imported one added.
    fn add_entries(
        &mut self,
        session: &Session,
        path: &str,
        existing: &str,
        imported: &str,
    ) -> Result<String, String> {
        let owner =
            if path.ends_with("/plan.memory.md") { MemoryOwner::Plan } else { MemoryOwner::Agent };
        let mut text = existing.to_owned();
        for entry in memory::read(path, imported).entries {
            let is_same = |other: &MemoryEntry| {
                other.kind == entry.kind && normalise(&other.text) == normalise(&entry.text)
            };
            if memory::read(path, &text).entries.iter().any(is_same) {
                self.report.already += 1;
                continue;
            }
            text = add_entry(session, &text, owner, &entry)
                .map_err(|refusal| format!("{path}:{}: {refusal}", refusal.line))?;
        }
        Ok(text)
    }
}

fn add_entry(
    session: &Session,
    text: &str,
    owner: MemoryOwner,
    entry: &MemoryEntry,
) -> Result<String, EntryEditError> {
    if entry.kind == EntryKind::Session {
        let day = entry.field(EntryField::Date).and_then(day::parse);
        let day = day.unwrap_or_else(|| session.today());
        return Ok(memory::add_session(text, owner, entry.number, day, &entry.text, &entry.id));
    }
    let new = NewEntry {
        kind: entry.kind,
        text: &entry.text,
        fields: entry.fields.clone(),
        resolved: false,
        marks: entry.marks.clone(),
    };
    let (after, added) = memory::add(text, owner, &new)?;
    let resolution = entry.resolution.as_deref().unwrap_or_default();
    if entry.resolved { memory::resolve(&after, &added, resolution) } else { Ok(after) }
}

/// Parses a line with a memory document. Returns its path and text.
fn parse_document(line: &str) -> Option<(String, String)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (value["kind"] == "document" && value["v"] == 1).then_some(())?;
    Some((text("path")?, text("text")?))
}

impl Answer for ImportReport {
    fn view(&self) -> View {
        let mut view = View::new();
        present::problems(&mut view, &self.problems);
        let imported: Vec<String> =
            self.imported.iter().map(|(kind, count)| present::count(*count, kind)).collect();
        let verb = if self.dry_run { "would import" } else { "imported" };
        let what = if imported.is_empty() { "nothing new".to_owned() } else { imported.join(", ") };
        view.line([span(Role::Good, format!("{verb} {what}"))]);
        for path in &self.documents {
            view.line(["   ".into(), span(Role::Source, path)]);
        }
        if self.already > 0 {
            let rows = present::count(self.already, "row");
            view.line([span(Role::Dim, format!("{rows} already imported"))]);
        }
        if !self.problems.is_empty() {
            let rows = present::count(self.problems.len(), "row");
            let verb = if self.dry_run { "cannot" } else { "could not" };
            view.line([span(Role::Warning, format!("{rows} {verb} be imported"))]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, note)]);
        }
        view
    }

    fn has_findings(&self) -> bool {
        !self.problems.is_empty()
    }
}
