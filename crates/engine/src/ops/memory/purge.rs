//! `memory purge`: removes a record for good, such as a secret that was stored.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_core::record::{
    Body, ContradictionRecord, Origin, Record, RecordKind, Referent, short_ids,
};
use heirloom_store::log::{self, PurgedLines, Tombstones};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::assembly::Explanation;
use crate::indexing;
use crate::link_discovery::StoredLinks;
use crate::memory::{MemoryQuery, MemorySlice, MemoryTarget, WriteTransaction};
use crate::usage::forget_injected;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

/// Fewest characters of the id of a contradiction that are compared.
const MIN_ID_SUFFIX_CHARS: usize = 4;

pub(crate) struct MemoryPurge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, or end of the id, of the record; of an entry of a document or of a contradiction, whose reason may quote a
    /// secret.
    fact_id: String,
    /// Confirm that the record should be removed.
    #[serde(default)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PurgeReport {
    /// Ids of the removed records: the named one, and those that say the same.
    purged: Vec<String>,
    /// Files that lines were removed from.
    files: Vec<String>,
    /// Commits of the git history that still hold a line of the records.
    commits: Vec<String>,
    /// Whether the staging area of git still holds one.
    staged: bool,
    /// What else may hold the text.
    notes: Vec<String>,
}

impl Operation for MemoryPurge {
    type Request = Request;
    type Response = PurgeReport;
    const SPEC: Spec = Spec {
        name: "memory_purge",
        usage: "memory purge <fact_id>",
        group: Group::Memory,
        effect: Effect::Removes,
        about: "Remove a record for good, for a secret that was stored. Its lines are deleted from the log and from the search index; a tombstone with its id keeps merges from bringing it back. The git history is not changed: the answer says which commits still hold it.",
    };

    fn run(session: &Session, request: Request) -> Result<PurgeReport, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let ids = std::slice::from_ref(&request.fact_id);
        let known = MemoryQuery::new().ids(ids).contradictions().read(session)?;
        let mut of_entry = None;
        let (purged, quoting) = match find_records(session, &known, &request.fact_id) {
            Ok(purged) => {
                let quoting = quoting_records(&known, |it| {
                    it.record_id().is_some_and(|id| purged.contains(&id))
                });
                (purged, quoting)
            }
            Err(error) => {
                let found = find_quoting(&known, &request.fact_id);
                of_entry = matches!(known.find(&request.fact_id), Ok(MemoryTarget::Entry(..)))
                    .then(|| format!("{}: remove it there", error.message));
                (vec![], found.ok_or(error)?)
            }
        };
        let all = [purged.as_slice(), &quoting].concat();
        let lines = PurgedLines::find(session.root(), &all)?;
        if !request.yes {
            let count = present::count(lines.count(), "line");
            let files = lines.files().join(" and ");
            let message = format!("this would remove {count} for good from {files}");
            return Err(Error::unconfirmed(message));
        }
        let tombstones = transaction.purge(&known, &all, &lines)?;
        transaction.commit()?;
        let mut report = PurgeReport {
            purged: if purged.is_empty() { &quoting } else { &purged }
                .iter()
                .map(Uuid::to_string)
                .collect(),
            files: lines.files(),
            commits: vec![],
            staged: false,
            notes: other_copies(&known, &purged),
        };
        report.notes.extend(of_entry);
        if !quoting.is_empty() && !purged.is_empty() {
            let removed = present::count(quoting.len(), "contradiction or relation");
            report.notes.push(format!("{removed} that may quote it: removed, too"));
        }
        report.notes.extend(tombstones.iter().filter_map(|tombstone| {
            let replaced: Vec<_> = tombstone.supersedes.iter().map(Referent::short).collect();
            let tombstone = Referent::Record(tombstone.id);
            let (replaced, tombstone) = (replaced.join(", "), tombstone.short());
            (!replaced.is_empty()).then(|| {
                format!("still superseded: {replaced}; undo {tombstone} to make it active again")
            })
        }));
        if let Err(error) = indexing::discard_indexes(session) {
            let message = error.message;
            report.notes.push(format!("the next command removes it from the index: {message}"));
        }
        report.remove_from_state(session, &purged);
        report.find_in_git(session, &all);
        Ok(report)
    }
}

/// Returns the ids of the record that is typed, and of the records that say the same.
fn find_records(session: &Session, known: &MemorySlice, typed: &str) -> Result<Vec<Uuid>, Error> {
    match known.find(typed) {
        Ok(MemoryTarget::Record(id)) => {
            let kind = known.memory.record(id).map(Record::kind);
            match kind == Some(RecordKind::Tombstone) {
                false => Ok(known.memory.aliases(id)),
                true => Err(Error::bad_input(format!("`{typed}` is what a purge left"))),
            }
        }
        Ok(MemoryTarget::Entry(document, entry)) => {
            let (name, path) = (entry.name(), &document.path);
            let message = format!("`{typed}` is {name} in {path}, which is text of a document");
            Err(Error::bad_input(message).hint("remove the text from the document"))
        }
        Err(error) => find_returned(session, typed)?.map(|id| vec![id]).ok_or(error),
    }
}

/// Returns the contradictions and relations of some memories, whose reasons may quote them.
fn quoting_records(known: &MemorySlice, is_purged: impl Fn(&Referent) -> bool) -> Vec<Uuid> {
    let records = known.memory.records();
    let found = records.filter(|record| {
        let may_quote = match &record.body {
            Body::Contradiction(_) => true,
            Body::Edge(relation) => !relation.content.is_empty(),
            _ => false,
        };
        may_quote && record.referents().into_iter().any(&is_purged)
    });
    found.map(|record| record.id).collect()
}

/// Returns the records that may quote an entry, or those of the contradiction with an id. `None` if there are none.
fn find_quoting(known: &MemorySlice, typed: &str) -> Option<Vec<Uuid>> {
    let found = match known.find(typed) {
        Ok(MemoryTarget::Entry(_, entry)) => {
            quoting_records(known, |it| it.entry_id() == Some(&entry.id))
        }
        _ => {
            let typed = typed.trim().to_ascii_lowercase();
            let has_id = |body: &ContradictionRecord| {
                typed.len() >= MIN_ID_SUFFIX_CHARS && body.id().ends_with(&typed)
            };
            let mut ids: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
            for record in known.memory.records() {
                if let Body::Contradiction(body) = &record.body
                    && has_id(body)
                {
                    ids.entry(body.id()).or_default().push(record.id);
                }
            }
            if ids.len() == 1 { ids.into_values().flatten().collect() } else { vec![] }
        }
    };
    Some(found).filter(|found| !found.is_empty())
}

/// Returns a purged record that a merge has brought back with other content. `None` if none has this id.
fn find_returned(session: &Session, typed: &str) -> Result<Option<Uuid>, Error> {
    let [id] = Tombstones::of(session.root()).ids_ending_in(typed)[..] else { return Ok(None) };
    match PurgedLines::find(session.root(), &[id])?.count() {
        0 => Err(Error::bad_input(format!("`{typed}` was already purged"))),
        _ => Ok(Some(id)),
    }
}

/// Returns notes on where else the text of purged records may be.
fn other_copies(known: &MemorySlice, purged: &[Uuid]) -> Vec<String> {
    let mut versions: BTreeSet<Uuid> = BTreeSet::new();
    let mut documents: BTreeSet<String> = BTreeSet::new();
    let is_from_document =
        |origin: &Origin| origin.decision_record().is_some() || origin.referred_entry().is_some();
    for record in known.memory.records() {
        let replaced = || record.supersedes.iter().filter_map(Referent::record_id);
        if purged.contains(&record.id) {
            versions.extend(replaced().filter(|id| known.memory.record(*id).is_some()));
            let origin = record.origin.as_ref().filter(|origin| is_from_document(origin));
            documents.extend(origin.and(record.source.clone()));
        } else if record.kind() != RecordKind::Tombstone
            && replaced().any(|id| purged.contains(&id))
        {
            versions.insert(record.id);
        }
    }
    let versions: Vec<String> = versions
        .into_iter()
        .filter(|id| !purged.contains(id))
        .map(|id| Referent::Record(id).short().into_owned())
        .collect();
    let mut notes = Vec::new();
    if !versions.is_empty() {
        notes.push(format!("its other versions are kept: {}", versions.join(", ")));
    }
    notes.extend(documents.iter().map(|path| {
        format!(
            "its text was taken from {path}: remove it there, or the next ingest stores it again"
        )
    }));
    notes
}

impl PurgeReport {
    /// Removes the records from what this machine keeps of contexts.
    fn remove_from_state(&mut self, session: &Session, purged: &[Uuid]) {
        let memories: Vec<Referent> = purged.iter().map(|id| Referent::Record(*id)).collect();
        let forgotten = forget_injected(session, &memories)
            .and_then(|()| Explanation::forget_last(session))
            .and_then(|()| StoredLinks::forget(session, &memories));
        if let Err(error) = forgotten {
            let message = error.message;
            self.notes.push(format!("the state of this machine may still hold it: {message}"));
        }
    }

    /// Adds where git still holds the records.
    fn find_in_git(&mut self, session: &Session, purged: &[Uuid]) {
        for id in purged {
            match log::find_in_git(session.root(), *id) {
                Ok(traces) => {
                    self.commits.extend(traces.commits);
                    self.staged |= traces.is_staged;
                }
                Err(error) => {
                    self.notes.push(format!("the git history could not be searched: {}", error.0));
                }
            }
        }
        self.commits.sort();
        self.commits.dedup();
    }
}

impl Answer for PurgeReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let ids: Vec<&str> = self.purged.iter().map(String::as_str).collect();
        view.line([span(Role::Good, "purged "), short_ids(&ids).join(", ").into()]);
        for file in &self.files {
            view.line([span(Role::Dim, "  removed from "), span(Role::Source, file)]);
        }
        if self.staged {
            let warning = "⚠️ git has it staged: stage the changed files before you commit";
            view.line([span(Role::Warning, warning)]);
        }
        if !self.commits.is_empty() {
            let commits = present::count(self.commits.len(), "commit");
            let warning = format!(
                "⚠️ the git history holds it ({commits}), and so does every clone: change the secret, or rewrite the history"
            );
            view.line([span(Role::Warning, warning)]);
        }
        for note in &self.notes {
            view.line([span(Role::Dim, note)]);
        }
        view
    }
}
