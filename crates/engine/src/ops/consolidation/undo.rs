//! `undo`: undoes a whole run of a consolidation, an import, an ingest, a migration or the resolution of a contradiction.

use std::collections::BTreeSet;

use heirloom_core::Hint;
use heirloom_core::record::{Body, EventAction, Referent};
use heirloom_core::usage::UsageCounts;
use heirloom_store::journal::Rename;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::memory::{
    EditedDocument, MemoryQuery, MemorySlice, RecordedRun, RunKind, UNDONE_RUN_REASON,
    WriteTransaction,
};
use crate::usage::append_returns;
use crate::view::{Role, View, present, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::inherit;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct UndoRun;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Number of the run; by default, the last one that was not undone.
    #[serde(default)]
    run: Option<u64>,
    /// Only list the runs.
    #[serde(default)]
    list: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UndoneRun {
    /// The run that was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<ShownRun>,
    /// Number of memories that were withdrawn.
    withdrawn: usize,
    /// Number of archived memories that were restored.
    restored: usize,
    /// Documents that have their former text or place again.
    documents: Vec<String>,
    /// What could not be undone, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The runs that can be undone, the last one first, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    runs: Vec<ShownRun>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ShownRun {
    /// Its number.
    run: u64,
    /// What it was.
    kind: RunKind,
    /// When it was made.
    at: String,
    /// Who made it.
    by: String,
    /// Number of records that it wrote.
    records: usize,
    /// Number of documents that it changed.
    documents: usize,
    /// Whether it was undone.
    is_undone: bool,
}

impl ShownRun {
    fn of(number: u64, run: &RecordedRun) -> Self {
        ShownRun {
            run: number,
            kind: run.kind,
            at: run.at.to_string(),
            by: run.by.clone(),
            records: run.records.len(),
            documents: run.documents.len() + run.renames.len(),
            is_undone: run.is_undone,
        }
    }
}

impl Operation for UndoRun {
    type Request = Request;
    type Response = UndoneRun;
    const SPEC: Spec = Spec {
        name: "undo",
        usage: "undo [run]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Undo a whole run of a consolidation, an import, an ingest, a migration or a resolution on this machine: what it added is withdrawn, what it archived is active again, and documents get their former text back unless they changed since.",
    };

    fn run(session: &Session, request: Request) -> Result<UndoneRun, Error> {
        if request.list {
            return list(session);
        }
        let transaction = WriteTransaction::begin(session, true)?;
        let (number, run) = find(session, request.run)?;
        let known = MemoryQuery::new()
            .referents_without_relations(run.records.iter().map(|id| Referent::Record(*id)))
            .read(session)?;
        let mut undoing = Undoing {
            session,
            known: &known,
            transaction,
            done: UndoneRun {
                undone: Some(ShownRun::of(number, &run)),
                withdrawn: 0,
                restored: 0,
                documents: vec![],
                notes: vec![],
                runs: vec![],
            },
        };
        undoing.undo_records(&run)?;
        undoing.undo_documents(&run)?;
        let Undoing { transaction, done, .. } = undoing;
        transaction.commit()?;
        let counted = run.moved_usage.iter().filter(|moved| moved.counts != UsageCounts::default());
        let returned = counted.map(|moved| (&moved.to, &moved.from, moved.counts));
        append_returns(session, returned)?;
        RecordedRun { is_undone: true, ..run }.replace(session, number)?;
        Ok(done)
    }
}

/// Finds a run that was not undone.
fn find(session: &Session, number: Option<u64>) -> Result<(u64, RecordedRun), Error> {
    let numbers = RecordedRun::numbers(session);
    let list = || Hint::text("list the runs with ").call("undo", [("list", true)]);
    let Some(number) = number else {
        for number in numbers.into_iter().rev() {
            if let Some(run) = RecordedRun::read(session, number)?.filter(|run| !run.is_undone) {
                return Ok((number, run));
            }
        }
        return Err(Error::not_found("no run can be undone on this machine", vec![]));
    };
    match RecordedRun::read(session, number)? {
        None => {
            let known = numbers.iter().map(u64::to_string).collect();
            Err(Error::not_found(format!("there is no run {number}"), known).hint(list()))
        }
        Some(run) if run.is_undone => {
            Err(Error::bad_input(format!("run {number} was undone already")).hint(list()))
        }
        Some(run) => Ok((number, run)),
    }
}

fn list(session: &Session) -> Result<UndoneRun, Error> {
    let mut runs = Vec::new();
    for number in RecordedRun::numbers(session).into_iter().rev() {
        runs.extend(RecordedRun::read(session, number)?.map(|run| ShownRun::of(number, &run)));
    }
    Ok(UndoneRun {
        undone: None,
        withdrawn: 0,
        restored: 0,
        documents: vec![],
        notes: vec![],
        runs,
    })
}

struct Undoing<'s> {
    session: &'s Session,
    known: &'s MemorySlice,
    transaction: WriteTransaction<'s>,
    done: UndoneRun,
}

impl Undoing<'_> {
    /// Withdraws the records of a run, and undoes its events.
    fn undo_records(&mut self, run: &RecordedRun) -> Result<(), Error> {
        let memory = &self.known.memory;
        let mut restores: Vec<Uuid> = Vec::new();
        let mut releases: Vec<Uuid> = Vec::new();
        let mut unresolves: Vec<Uuid> = Vec::new();
        let mut restored: BTreeSet<Referent> = BTreeSet::new();
        for record in run.records.iter().filter_map(|id| memory.record(*id)) {
            let Body::Event(event) = &record.body else {
                if !memory.is_withdrawn(record.id) {
                    let targets = vec![record.id.into()];
                    self.write(EventAction::Undo, targets, &[])?;
                    self.done.withdrawn += 1;
                }
                continue;
            };
            let holds = |action: EventAction| {
                event.targets.iter().any(|it| memory.events(action, it).contains(&record.id))
            };
            match event.action {
                EventAction::Archive | EventAction::Undo if holds(event.action) => {
                    restores.push(record.id);
                    restored.extend(event.targets.first().map(|target| memory.canonical(target)));
                }
                EventAction::Pin if holds(EventAction::Pin) => releases.push(record.id),
                EventAction::Resolve if holds(EventAction::Resolve) => unresolves.push(record.id),
                EventAction::Unresolve => {
                    let undone = event.undoes.iter().filter_map(Referent::record_id);
                    undone.into_iter().try_for_each(|resolution| self.resolve_again(resolution))?;
                }
                _ => {}
            }
        }
        self.done.restored = restored.len();
        self.write(EventAction::Restore, vec![], &restores)?;
        self.write(EventAction::Release, vec![], &releases)?;
        self.write(EventAction::Unresolve, vec![], &unresolves)
    }

    /// Repeats a resolution that a later one took back, unless somebody did.
    fn resolve_again(&mut self, resolution: Uuid) -> Result<(), Error> {
        let memory = &self.known.memory;
        let Some(Body::Event(event)) = memory.record(resolution).map(|record| &record.body) else {
            return Ok(());
        };
        let resolution_of = |id: &Uuid| match memory.record(*id).map(|record| &record.body) {
            Some(Body::Event(event)) => event.resolution,
            _ => None,
        };
        let mut resolutions =
            event.targets.iter().flat_map(|target| memory.events(EventAction::Resolve, target));
        if event.resolution.is_none()
            || resolutions.any(|id| resolution_of(&id) == event.resolution)
        {
            return Ok(());
        }
        let record = self.transaction.new_record(Body::Event(event.clone()));
        self.transaction.write(self.known, &record).map(drop)
    }

    /// Writes events that name others, as many as a line can hold.
    fn write(
        &mut self,
        action: EventAction,
        targets: Vec<Referent>,
        undoes: &[Uuid],
    ) -> Result<(), Error> {
        /// Most ids of a line.
        const MAX_IDS_OF_A_LINE: usize = 5_000;
        let reason = UNDONE_RUN_REASON;
        if !targets.is_empty() {
            self.transaction.write_event(self.known, action, targets, vec![], reason)?;
        }
        for undone in undoes.chunks(MAX_IDS_OF_A_LINE) {
            let undone = undone.iter().copied().map(Referent::Record).collect();
            self.transaction.write_event(self.known, action, vec![], undone, reason)?;
        }
        Ok(())
    }

    /// Gives documents their former text and place back.
    fn undo_documents(&mut self, run: &RecordedRun) -> Result<(), Error> {
        let root = self.session.root();
        if run.documents.is_empty() && run.renames.is_empty() {
            return Ok(());
        }
        if run.root != root.path() {
            let message = format!("the documents were changed in {}", run.root.display());
            self.done.notes.push(message);
            return Ok(());
        }
        for (from, to) in run.renames.iter().rev() {
            if root.read(to)?.is_some() && root.read(from)?.is_none() {
                let rename = Rename { from: to.clone(), to: from.clone() };
                self.transaction.rename(rename);
                self.done.documents.push(from.clone());
            } else {
                self.done
                    .notes
                    .push(format!("{to} is not moved back: it is gone, or {from} exists"));
            }
        }
        for EditedDocument { path, before, after_hash } in &run.documents {
            let current = root.read(path)?;
            if current == *before {
                continue;
            }
            if current.as_deref().map(EditedDocument::hash).as_ref() != Some(after_hash) {
                self.done.notes.push(format!("{path} is left as it is: it changed since"));
                continue;
            }
            match before {
                Some(before) => {
                    self.transaction.edit(path, current.as_deref(), before.clone());
                }
                // A file that is removed could not be read again.
                None => self.archive(path)?,
            }
            self.done.documents.push(path.clone());
        }
        Ok(())
    }

    /// Moves a document that a run created to the archive.
    fn archive(&mut self, path: &str) -> Result<(), Error> {
        let (_, hierarchy) = inherit::hierarchy(self.session.config()?, None)?;
        let unit = Unit::of_document(&hierarchy, path);
        let version = Archive::new(self.session.root()).next_version(&hierarchy, &unit);
        let to = heirloom_store::archive::location(path, version);
        self.transaction.rename(Rename { from: path.to_owned(), to });
        Ok(())
    }
}

impl Answer for UndoneRun {
    fn view(&self) -> View {
        let mut view = View::new();
        let Some(run) = &self.undone else {
            if self.runs.is_empty() {
                view.line([span(Role::Dim, "no runs on this machine")]);
            }
            let rows = self.runs.iter().map(|run| {
                let state = if run.is_undone { "undone" } else { "" };
                vec![
                    span(Role::Key, run.run.to_string()),
                    run.kind.as_str().into(),
                    span(Role::Dim, run.at.get(..10).unwrap_or_default().to_owned()),
                    span(Role::Dim, present::count(run.records, "record")),
                    span(Role::Dim, state),
                ]
            });
            view.table(&[], rows.collect());
            return view;
        };
        let line = format!("undid run {}, a {}", run.run, run.kind.as_str());
        view.line([span(Role::Good, line.replace("a i", "an i"))]);
        let counts = [(self.withdrawn, "withdrawn"), (self.restored, "restored")];
        for (count, done) in counts.into_iter().filter(|(count, _)| *count > 0) {
            view.line([format!("{} {done}", present::count(count, "memory"))]);
        }
        for path in &self.documents {
            view.line(["   ".into(), span(Role::Source, path)]);
        }
        if run.kind == RunKind::Consolidation {
            let hint = Hint::text("later consolidations leave this out; ")
                .call("consolidate", [("again", true)])
                .then(" proposes it again");
            view.line([span(Role::Dim, hint)]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, note)]);
        }
        view
    }
}
