//! `import`: takes over what other tools, or another workspace, remember.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use heirloom_core::memory::{self, NewEntry, Owner};
use heirloom_core::recall::origin_tie;
use heirloom_core::record::{self, Damage, Record};
use heirloom_core::words::normalised;
use heirloom_core::{Problem, Value, day, name};
use heirloom_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::import::{self, Format, Imported, Importing, Text};
use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::given::File;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Import;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Files, or folders of files.
    files: Vec<File>,
    /// What they are; each is recognised by itself unless you say.
    #[serde(default)]
    format: Option<Format>,
    /// Take what looks like a secret too.
    #[serde(default)]
    allow_secret: bool,
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Taken {
    /// Records that were taken, of each kind.
    taken: BTreeMap<&'static str, usize>,
    /// Memory documents that were written or added to.
    documents: Vec<String>,
    /// Rows that were there already.
    already: usize,
    /// Rows that could not be taken.
    problems: Vec<Problem>,
    /// Whether nothing was really done.
    dry_run: bool,
}

impl Operation for Import {
    type Request = Request;
    type Response = Taken;
    const SPEC: Spec = Spec {
        name: "memory_import",
        usage: "import <files>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Take over memories: of an export of Heirloom, Omegon's facts.jsonl, MCP's server-memory, basic-memory notes, or the bullet lists of CLAUDE.md and AGENTS.md. Importing twice adds nothing.",
    };

    fn run(session: &Session, request: Request) -> Result<Taken, Error> {
        let transaction = WriteTransaction::begin(session, request.allow_secret)?;
        let mut answer = Taken { dry_run: request.dry_run, ..Taken::default() };
        let mut by_format: Vec<(Format, Vec<&File>)> = Vec::new();
        for file in &request.files {
            let Some(format) = request.format.or_else(|| import::detect(&file.name, &file.text))
            else {
                let formats: Vec<&str> = Format::ALL.iter().map(|format| format.word()).collect();
                answer.problems.push(
                    Problem::of_file(&file.name, "nothing in it says what it is")
                        .hint(format!("say --format {}", formats.join(", "))),
                );
                continue;
            };
            match by_format.iter_mut().find(|(own, _)| *own == format) {
                Some((_, files)) => files.push(file),
                None => by_format.push((format, vec![file])),
            }
        }
        let names = by_format.iter().flat_map(|(format, files)| named(session, *format, files));
        let known = MemoryQuery::new().names_without_relations(names).read(session)?;
        let mut taking = Taking { transaction, known, answer };
        for (format, files) in by_format {
            match format.importer() {
                None => {
                    taking.transaction.expect(&taking.known, &own_records(&files));
                    files.iter().try_for_each(|file| taking.take_lines(session, file))?;
                }
                Some(importer) => taking.take_foreign(session, importer, &files),
            }
        }
        let Taking { transaction, answer, .. } = taking;
        if !request.dry_run {
            transaction.commit()?;
        }
        Ok(answer)
    }
}

/// The lines of an export.
fn own_lines(file: &File) -> std::str::Lines<'_> {
    file.text.trim_start_matches('\u{feff}').lines()
}

/// The records of an export.
fn own_records(files: &[&File]) -> Vec<Record> {
    let lines = files.iter().flat_map(|file| own_lines(file));
    lines.filter_map(|line| record::read(line.as_bytes()).ok().flatten()).collect()
}

/// Has an importer read files, given which record is known to have an origin.
fn read(
    session: &Session,
    importer: import::Importer,
    files: &[&File],
    known: &dyn Fn(&str) -> Option<Uuid>,
) -> Imported {
    let texts: Vec<Text<'_>> =
        files.iter().map(|file| Text { path: &file.name, content: &file.text }).collect();
    let (now, by) = (session.now(), session.author());
    importer(&texts, &mut Importing { now, by: &by, new_id: &mut log::new_id, known })
}

/// The names under which what files hold may be known here: their ids, their origins and what they
/// are about.
fn named(session: &Session, format: Format, files: &[&File]) -> Vec<String> {
    let origins = RefCell::new(HashSet::new());
    let records: Vec<Record> = match format.importer() {
        None => own_records(files),
        Some(importer) => {
            // What is asked next may depend on what was known: once everything is, once nothing.
            let records = [true, false].map(|is_known| {
                let ask = |origin: &str| {
                    origins.borrow_mut().insert(origin_tie(origin));
                    is_known.then(|| log::new_id(session.now()))
                };
                read(session, importer, files, &ask).records
            });
            records.into_iter().flatten().map(|(_, record)| record).collect()
        }
    };
    let mut names: Vec<String> = origins.into_inner().into_iter().collect();
    for record in &records {
        names.extend(record.origin.as_deref().map(origin_tie));
        names.extend(record.names().into_iter().map(str::to_owned));
        names.push(record.id.to_string());
    }
    names
}

struct Taking<'s> {
    transaction: WriteTransaction<'s>,
    known: MemorySlice,
    answer: Taken,
}

impl Taking<'_> {
    fn count(&mut self, record: &Record) {
        *self.answer.taken.entry(record.kind().word()).or_default() += 1;
    }

    fn take_foreign(&mut self, session: &Session, importer: import::Importer, files: &[&File]) {
        let origins: HashMap<&str, Uuid> = self
            .known
            .memory
            .records()
            .filter_map(|record| Some((record.origin.as_deref()?, record.id)))
            .collect();
        let imported = read(session, importer, files, &|origin| origins.get(origin).copied());
        self.answer.already += imported.already;
        self.answer.problems.extend(imported.problems);
        let mut refused: HashSet<String> = HashSet::new();
        for (place, record) in imported.records {
            let names_refused = record.names().iter().any(|name| refused.contains(*name));
            match self.transaction.guard(&record.written()) {
                Ok(()) if !names_refused => match self.transaction.write(&self.known, &record) {
                    Ok(_) => self.count(&record),
                    Err(error) => self.refuse(&place.path, place.line, error.message),
                },
                Ok(()) => {
                    let reason = "it is about a row that could not be taken".to_owned();
                    self.refuse(&place.path, place.line, reason);
                }
                Err(error) => {
                    refused.insert(record.id.to_string());
                    self.refuse(&place.path, place.line, error.message);
                }
            }
        }
    }

    fn refuse(&mut self, path: &str, line: usize, reason: String) {
        self.answer.problems.push(Problem::at(path, line, reason));
    }

    /// Takes lines of an export as they are.
    fn take_lines(&mut self, session: &Session, file: &File) -> Result<(), Error> {
        for (at, line) in own_lines(file).enumerate() {
            let number = at + 1;
            match record::read(line.as_bytes()) {
                Ok(None) => {}
                Ok(Some(record)) => match self.known.memory.record(record.id) {
                    Some(own) if *own == record => self.answer.already += 1,
                    Some(_) => self.refuse(
                        &file.name,
                        number,
                        format!("the record {} is here already, in other words", record.id),
                    ),
                    None => match self.transaction.guard(&record.written()) {
                        Ok(()) => {
                            self.transaction.copy(&self.known, &record, line.trim().to_owned());
                            self.count(&record);
                        }
                        Err(error) => self.refuse(&file.name, number, error.message),
                    },
                },
                Err(Damage::Newer(reason)) => match document_of(line) {
                    Some((path, text)) => {
                        if let Err(reason) = self.take_document(session, &path, &text)? {
                            self.refuse(&file.name, number, reason);
                        }
                    }
                    None => self.refuse(&file.name, number, reason),
                },
                Err(Damage::ConflictMarker) => {
                    self.refuse(&file.name, number, "a git conflict marker".to_owned());
                }
                Err(Damage::Broken(reason)) => self.refuse(&file.name, number, reason),
            }
        }
        Ok(())
    }

    /// Writes a memory document, or adds what it has to the one that is there.
    fn take_document(
        &mut self,
        session: &Session,
        path: &str,
        text: &str,
    ) -> Result<Result<(), String>, Error> {
        if !path.ends_with(".memory.md")
            || path.split('/').any(|part| name::unsafe_reason(part).is_some())
        {
            return Ok(Err(format!(
                "`{}` is no memory document of a workspace",
                path.escape_default()
            )));
        }
        if let Err(error) = self.transaction.guard(text) {
            return Ok(Err(error.message));
        }
        let on_disk = session.root().read(path)?;
        let before =
            self.transaction.text_of(path, on_disk.as_deref().unwrap_or_default()).to_owned();
        if before.is_empty() {
            self.transaction.edit(path, on_disk.as_deref(), text.to_owned());
            self.answer.documents.push(path.to_owned());
            return Ok(Ok(()));
        }
        let owner = if path.ends_with("/plan.memory.md") { Owner::Plan } else { Owner::Agent };
        let mut now = before.clone();
        for entry in memory::read(path, text).entries {
            let there = memory::read(path, &now);
            let has = there.entries.iter().any(|own| {
                own.kind == entry.kind && normalised(&own.text) == normalised(&entry.text)
            });
            if has {
                self.answer.already += 1;
                continue;
            }
            if entry.kind == memory::EntryKind::Session {
                let day = entry.field(memory::Field::Date).and_then(day::parse);
                let day = day.unwrap_or_else(|| session.today());
                now = memory::add_session(&now, owner, entry.number, day, &entry.text, &entry.id);
                continue;
            }
            let new = NewEntry {
                kind: entry.kind,
                text: &entry.text,
                fields: entry.fields.clone(),
                resolved: false,
                marks: entry.marks.clone(),
            };
            let added = memory::add(&now, owner, &new).and_then(|(after, added)| {
                let how = entry.resolution.as_deref().unwrap_or_default();
                if entry.resolved { memory::resolve(&after, &added, how) } else { Ok(after) }
            });
            match added {
                Ok(after) => now = after,
                Err(refusal) => return Ok(Err(format!("{path}:{}: {refusal}", refusal.line))),
            }
        }
        if now != before {
            self.transaction.edit(path, on_disk.as_deref(), now);
            self.answer.documents.push(path.to_owned());
        }
        Ok(Ok(()))
    }
}

/// The path and the text of a line that holds a memory document.
fn document_of(line: &str) -> Option<(String, String)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (value["kind"] == "document" && value["v"] == 1).then_some(())?;
    Some((text("path")?, text("text")?))
}

impl Answer for Taken {
    fn view(&self) -> View {
        let mut view = View::new();
        present::problems(&mut view, &self.problems);
        let taken: Vec<String> =
            self.taken.iter().map(|(kind, count)| present::count(*count, kind)).collect();
        let verb = if self.dry_run { "would take" } else { "took" };
        let what = if taken.is_empty() { "nothing new".to_owned() } else { taken.join(", ") };
        view.line([span(Role::Good, format!("{verb} {what}"))]);
        for path in &self.documents {
            view.line(["   ".into(), span(Role::Source, path)]);
        }
        if self.already > 0 {
            let rows = present::count(self.already, "row");
            view.line([span(Role::Dim, format!("{rows} already there"))]);
        }
        if !self.problems.is_empty() {
            let rows = present::count(self.problems.len(), "row");
            view.line([span(Role::Warning, format!("{rows} could not be taken"))]);
        }
        view
    }

    fn has_findings(&self) -> bool {
        !self.problems.is_empty()
    }
}
