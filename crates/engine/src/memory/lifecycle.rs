//! Stores decisions and answers as facts, and retires facts whose decision is no longer in force.

use std::collections::{HashMap, HashSet};
use std::fmt;

use heirloom_core::Document;
use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::{self, EntryField, EntryKind, MemoryEntry, MemoryFormat};
use heirloom_core::record::{Origin, Record, Referent};
use heirloom_core::supersession::Supersession;
use heirloom_core::words::short_hash;
use heirloom_store::adrs;
use uuid::Uuid;

use super::statement::{FactSource, StatementKey, retire};
use super::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::workspace::archive;
use crate::workspace::catalog::Catalog;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::scaffold;
use crate::{Error, Session};

/// Writes the fact that an accepted decision record states, unless it was stored before. It supersedes
/// the facts of the replaced decision records.
pub(crate) fn ingest_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    adr: &Adr,
    document: &Document,
    replaced: &[&Adr],
) -> Result<Option<Uuid>, Error> {
    let keys = AdrKeys::of_session(transaction.session());
    ingest_adr_with(transaction, known, &keys, adr, document, replaced)
}

fn ingest_adr_with(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    keys: &AdrKeys,
    adr: &Adr,
    document: &Document,
    replaced: &[&Adr],
) -> Result<Option<Uuid>, Error> {
    let supersedes = keys.active_facts_of(known, replaced);
    let source = FactSource { supersedes, ..adr_source(keys, adr, document) };
    source.ingest(transaction, known)
}

/// Finds the facts of decision records. Two records may have the same number, after a merge or in two projects.
struct AdrKeys {
    /// The paths of all records, by their id.
    paths: HashMap<String, Vec<String>>,
}

impl AdrKeys {
    fn new<'a>(records: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut paths: HashMap<String, Vec<String>> = HashMap::new();
        for (id, path) in records {
            paths.entry(id.to_owned()).or_default().push(path.to_owned());
        }
        AdrKeys { paths }
    }

    fn of_adrs(adrs: &[Adr]) -> Self {
        AdrKeys::new(adrs.iter().map(|adr| (adr.id.as_str(), adr.path.as_str())))
    }

    fn of_session(session: &Session) -> Self {
        let Ok(config) = session.config() else { return AdrKeys::new([]) };
        let (found, _) = adrs::find(session.root(), config, adrs::Scope::AllProjects);
        let ids: Vec<(String, String)> =
            found.into_iter().map(|file| (adr::derive_id(&file.path).0, file.path)).collect();
        AdrKeys::new(ids.iter().map(|(id, path)| (id.as_str(), path.as_str())))
    }

    /// Identifies what a decision record states once it is accepted.
    fn key(&self, adr: &Adr) -> StatementKey {
        let with_number = self.paths.get(&adr.id).map(Vec::as_slice).unwrap_or_default();
        StatementKey {
            origin: Origin::accepted_decision(&adr.id),
            others: with_number.iter().filter(|path| **path != adr.path).cloned().collect(),
        }
    }

    /// Returns the active facts of some decision records.
    fn active_facts_of(&self, known: &MemorySlice, adrs: &[&Adr]) -> Vec<Referent> {
        let heads = adrs.iter().flat_map(|adr| self.key(adr).active_heads(known));
        let ids = heads.filter_map(|head| head.record_id());
        ids.flat_map(|id| known.memory.aliases(id)).map(Referent::Record).collect()
    }
}

/// Returns what a decision record states as a fact.
pub(super) fn adr_statement(adr: &Adr, document: &Document) -> String {
    let decision = first_paragraph_under(document, &["decision", "decision outcome", "decisions"]);
    match decision {
        Some(decision) => format!("{}: {}. {decision}", adr.id, adr.title.trim_end_matches('.')),
        None => format!("{}: {}", adr.id, adr.title),
    }
}

fn adr_source<'s>(keys: &AdrKeys, adr: &'s Adr, document: &Document) -> FactSource<'s> {
    FactSource {
        key: keys.key(adr),
        text: adr_statement(adr, document),
        path: &adr.path,
        artifacts: vec![format!("adr:{}", adr.id)],
        supersedes: vec![],
    }
}

/// The changes that [`ingest_all`] made.
#[derive(Debug, Default)]
pub(crate) struct IngestReport {
    /// The ids of the new facts.
    pub(crate) stored: Vec<Uuid>,
    /// The archived facts.
    pub(crate) retired: Vec<RetiredFact>,
    /// The statements that could not be stored.
    pub(crate) left_out: Vec<SkippedStatement>,
}

/// A fact that was archived because the document no longer states it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RetiredFact {
    /// The id of the decision record, or the path of the memory document.
    pub(crate) source: String,
    /// Why it is no longer stated.
    pub(crate) reason: String,
}

impl fmt::Display for RetiredFact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the fact of {} is archived: {}", self.source, self.reason)
    }
}

/// A statement of a document that could not be stored as a fact.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SkippedStatement {
    /// The path of the document, with the line of an entry.
    pub(crate) place: String,
    /// Why it could not be stored.
    pub(crate) reason: String,
}

impl fmt::Display for SkippedStatement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.reason)
    }
}

/// Reads the facts that decision records and entries stated, with their successors.
pub(crate) fn read_ingested<'a>(
    session: &Session,
    adrs: impl IntoIterator<Item = &'a Adr>,
) -> Result<MemorySlice, Error> {
    select_ingested(adrs).read(session)
}

/// Selects the facts that decision records and entries stated, with their successors.
pub(crate) fn select_ingested<'a>(adrs: impl IntoIterator<Item = &'a Adr>) -> MemoryQuery {
    let origins = adrs.into_iter().map(|adr| Origin::accepted_decision(&adr.id));
    MemoryQuery::new().origins(origins).decision_facts()
}

/// Writes the facts that decision records in force, plan decisions and answered questions state, unless
/// they were stored before. Archives the facts of decision records that are no longer in force.
pub(crate) fn ingest_all(
    transaction: &mut WriteTransaction<'_>,
    catalog: &Catalog,
    known: &MemorySlice,
) -> IngestReport {
    let supersession = Supersession::new(&catalog.adrs);
    let keys = AdrKeys::of_adrs(&catalog.adrs);
    let mut ingested = IngestReport::default();
    // The facts of these records are superseded by a new fact, so they must not be archived as well.
    let mut superseded = HashSet::new();
    for (at, adr) in catalog.adrs.iter().enumerate() {
        let document = catalog.find_by_path(&adr.path).map(|catalog_entry| &catalog_entry.document);
        let in_force = adr.status == Status::Accepted && supersession.is_in_force(at);
        if let Some(document) = document.filter(|_| in_force) {
            let replaced: Vec<&Adr> =
                supersession.predecessors(at).map(|old| &catalog.adrs[old]).collect();
            let fact = ingest_adr_with(transaction, known, &keys, adr, document, &replaced);
            if matches!(fact, Ok(Some(_))) {
                superseded.extend(supersession.predecessors(at));
            }
            ingested.add(&adr.path, fact);
        }
    }
    for (at, adr) in catalog.adrs.iter().enumerate().filter(|(at, _)| !superseded.contains(at)) {
        let Some(reason) = reason_to_retire(&catalog.adrs, &supersession, at) else { continue };
        let successors: Vec<&Adr> =
            supersession.successors(at).map(|new| &catalog.adrs[new]).collect();
        if successors.iter().any(|new| is_undone(known, &keys, adr, new)) {
            continue;
        }
        // The fact of a successor that superseded the fact of this record is not this record's own.
        let of_successors = keys.active_facts_of(known, &successors);
        let mut facts = keys.active_facts_of(known, &[adr]);
        facts.retain(|fact| !of_successors.contains(fact));
        match retire(transaction, known, facts, &reason) {
            Ok(false) => {}
            Ok(true) => ingested.retired.push(RetiredFact { source: adr.id.clone(), reason }),
            Err(error) => ingested.leave_out(&adr.path, error),
        }
    }
    for (document, entry) in known.entries() {
        if known.memory.standing(&Referent::entry(&entry.id)) == Standing::Active {
            let place = format!("{}:{}", document.path, entry.line);
            let fact = ingest_entry(transaction, known, document, entry).map(|(_, fact)| fact);
            ingested.add(&place, fact);
        }
    }
    retire_removed(transaction, catalog, known, &mut ingested);
    ingested
}

/// Archives the facts whose decision record or entry was removed, or is no longer decided.
fn retire_removed(
    transaction: &mut WriteTransaction<'_>,
    catalog: &Catalog,
    known: &MemorySlice,
    ingested: &mut IngestReport,
) {
    let archived = archive::documents(transaction.session().root());
    let mut made: Vec<(&Origin, &str)> = known
        .memory
        .records()
        .filter_map(|record| Some((record.origin.as_ref()?, record.source.as_deref()?)))
        .collect();
    made.sort();
    let mut retired_heads: HashSet<Referent> = HashSet::new();
    for (origin, path) in made {
        let reason = reason_of_removal(transaction.session(), catalog, known, origin, path);
        let Some(reason) = reason else { continue };
        // A successor with another origin is stated by another document, or was written by a person.
        let is_own = |head: &Referent| {
            let record = head.record_id().and_then(|id| known.memory.record(id));
            record.is_some_and(|record| {
                let is_version = |made: &Origin| made.is_version_of(origin);
                record.source.as_deref() == Some(path)
                    && record.origin.as_ref().is_some_and(is_version)
            })
        };
        let key = StatementKey { origin: origin.clone(), others: vec![] };
        let mut facts: Vec<Referent> = key.active_heads(known);
        facts.retain(|head| is_own(head) && retired_heads.insert(head.clone()));
        if facts.is_empty() || archive::holds_path(&archived, path) {
            continue;
        }
        let source = origin.decision_record().unwrap_or(path).to_owned();
        match retire(transaction, known, facts, &reason) {
            Ok(_) => ingested.retired.push(RetiredFact { source, reason }),
            Err(error) => ingested.leave_out(path, error),
        }
    }
}

/// Returns why what a fact was made from is gone; `None` if it is still there, or if its document cannot be read.
fn reason_of_removal(
    session: &Session,
    catalog: &Catalog,
    known: &MemorySlice,
    origin: &Origin,
    path: &str,
) -> Option<String> {
    if let Some(id) = origin.decision_record() {
        // A record with the number that has no fact of its own was renamed.
        let is_renamed = |adr: &Adr| {
            adr.id == id
                && !known.memory.records().any(|record| {
                    record.source.as_deref() == Some(&adr.path)
                        && record.origin.as_ref().and_then(Origin::decision_record) == Some(id)
                })
        };
        let exists = catalog.adrs.iter().any(|adr| adr.path == path || is_renamed(adr));
        return (!exists).then(|| "it was deleted".to_owned());
    }
    let entry_id = match origin.referred_entry()? {
        Referent::Entry(id) => id,
        _ => return None,
    };
    let entries = known.entries().filter(|(_, entry)| entry.id == entry_id);
    let states: Vec<bool> =
        entries.map(|(document, entry)| final_state(document, entry).is_some()).collect();
    match states.as_slice() {
        [] if is_unreadable(session, path) => None,
        [] => Some("its entry was removed".to_owned()),
        states if states.contains(&true) => None,
        _ => Some("its entry is no longer decided".to_owned()),
    }
}

/// Returns whether a memory document is there but was left out, such as one with conflict markers.
fn is_unreadable(session: &Session, path: &str) -> bool {
    match session.root().read(path) {
        Ok(None) => false,
        Ok(Some(text)) => {
            let content = memory::read(path, &text);
            content.entries.is_empty() && !content.problems.is_empty()
        }
        Err(_) => true,
    }
}

/// Returns whether the fact of a decision record superseded that of another, and this was undone.
fn is_undone(known: &MemorySlice, keys: &AdrKeys, old: &Adr, new: &Adr) -> bool {
    let [old_facts, new_facts] = [old, new].map(|adr| keys.active_facts_of(known, &[adr]));
    let new_key = keys.key(new);
    let supersedes = |record: &Record, facts: &[Referent]| {
        record.supersedes.iter().any(|replaced| facts.contains(replaced))
    };
    known.memory.records().any(|record| {
        let is_new = new_key.is_of(record) || supersedes(record, &new_facts);
        is_new && known.memory.is_withdrawn(record.id) && supersedes(record, &old_facts)
    })
}

/// Returns why the fact of a decision record has to be archived; `None` if it has not.
fn reason_to_retire(adrs: &[Adr], supersession: &Supersession<'_>, at: usize) -> Option<String> {
    let successors: Vec<&str> =
        supersession.successors(at).map(|new| adrs[new].id.as_str()).collect();
    if supersession.is_replaced(at) {
        return Some(format!("superseded by {}", successors.join(", ")));
    }
    withdrawal(adrs[at].status).map(|status| format!("it is {status}"))
}

/// Returns the status in words if a decision that was in force no longer is.
pub(super) fn withdrawal(status: Status) -> Option<String> {
    match status {
        Status::Draft | Status::Proposed => Some(format!("{status} again")),
        Status::Superseded | Status::Deprecated | Status::Rejected | Status::Withdrawn => {
            Some(status.to_string())
        }
        Status::Accepted | Status::Unknown => None,
    }
}

impl IngestReport {
    /// Describes the archived facts and the statements that could not be stored.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let retired = self.retired.iter().map(ToString::to_string);
        retired.chain(self.left_out.iter().map(ToString::to_string))
    }

    fn add(&mut self, place: &str, fact: Result<Option<Uuid>, Error>) {
        match fact {
            Ok(fact) => self.stored.extend(fact),
            Err(error) => self.leave_out(place, error),
        }
    }

    fn leave_out(&mut self, place: &str, error: Error) {
        let place = place.to_owned();
        self.left_out.push(SkippedStatement { place, reason: error.message });
    }
}

/// Replaces the fact of a decision record with the fact of the record that supersedes it. If the new
/// record is not accepted or cannot be stored as a fact, the old fact is archived. Returns a warning if
/// the new record could not be stored.
pub(crate) fn supersede_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    old: &Adr,
    new: &Adr,
    document: &Document,
) -> Result<Option<String>, Error> {
    let reason = format!("superseded by {}", new.id);
    if new.status != Status::Accepted {
        return retire_adr(transaction, known, old, &reason).map(|_| None);
    }
    let keys = AdrKeys::of_session(transaction.session());
    match ingest_adr_with(transaction, known, &keys, new, document, &[old]) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(None),
        Err(error) => {
            return retire_adr(transaction, known, old, &reason)
                .map(|_| Some(not_stored_warning(new, &error)));
        }
    }
    let replaced = keys.active_facts_of(known, &[old]);
    if !replaced.is_empty() {
        supersede_with_stored_fact(transaction, known, replaced, &keys.key(new))?;
    }
    Ok(None)
}

/// Writes the stored fact of a decision record again, in a version that supersedes `replaced` facts.
fn supersede_with_stored_fact(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    replaced: Vec<Referent>,
    key: &StatementKey,
) -> Result<(), Error> {
    let head = key.active_heads(known).into_iter().next();
    let Some(item) = head.and_then(|head| known.memory.item(head.record_id()?)) else {
        return Ok(());
    };
    let stored = item.record;
    let Record { id, at, by, .. } = transaction.new_record(stored.body.clone());
    let aliases = known.memory.aliases(stored.id).into_iter().map(Referent::Record);
    let supersedes: Vec<Referent> = replaced.into_iter().chain(aliases).collect();
    let replaced: String = supersedes.iter().map(ToString::to_string).collect();
    let origin = Some(key.origin.version(&short_hash(&replaced)));
    let record = Record { id, at, by, origin, supersedes, ..stored.clone() };
    transaction.write(known, &record).map(drop)
}

/// Replaces the fact of a decision record after the record got a new number. Another record may have
/// had the old number, too, so the fact is identified by the path of its document.
pub(crate) fn renumber_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    old: &Adr,
    new: &Adr,
    document: &Document,
) -> Result<Option<Uuid>, Error> {
    let origin = Origin::accepted_decision(&old.id);
    let is_of_adr = |record: &&Record| {
        record.origin.as_ref() == Some(&origin)
            && record.source.as_deref() == Some(old.path.as_str())
    };
    let facts = known.memory.records().filter(is_of_adr);
    let heads = facts.flat_map(|record| known.memory.heads(&record.id.into()));
    let active = heads.filter(|head| known.memory.standing(head) == Standing::Active);
    let ids: Vec<Uuid> = active.filter_map(|head| head.record_id()).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let aliases = ids.into_iter().flat_map(|id| known.memory.aliases(id));
    let mut supersedes: Vec<Referent> = aliases.map(Referent::Record).collect();
    supersedes.sort();
    supersedes.dedup();
    let keys = AdrKeys::of_session(transaction.session());
    let source = FactSource { supersedes, ..adr_source(&keys, new, document) };
    source.ingest(transaction, known)
}

/// Returns a warning that a decision record is not stored as a fact.
pub(crate) fn not_stored_warning(adr: &Adr, error: &Error) -> String {
    format!("{} is not stored as a fact: {}", adr.id, error.message)
}

/// Archives the active fact of a decision record. Returns whether there was one.
pub(crate) fn retire_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    adr: &Adr,
    reason: &str,
) -> Result<bool, Error> {
    let keys = AdrKeys::of_session(transaction.session());
    retire(transaction, known, keys.active_facts_of(known, &[adr]), reason)
}

/// Returns the state of an entry that can be stored as a fact: a decision of a plan or an answered question. A file of
/// decisions is a list of its own, which a fact of each would only repeat.
fn final_state(document: &MemoryDocument, entry: &MemoryEntry) -> Option<&'static str> {
    let is_stored = (entry.kind != EntryKind::Decision || document.level != "agent")
        && document.format == MemoryFormat::Sections;
    own_final_state(entry).filter(|_| is_stored)
}

/// Returns the final state of a decision or a question, if it has reached it.
fn own_final_state(entry: &MemoryEntry) -> Option<&'static str> {
    match entry.kind {
        EntryKind::Decision if is_decided(entry) => Some("decided"),
        EntryKind::Question if entry.resolved => Some("resolved"),
        _ => None,
    }
}

/// Returns whether an entry still has the state in which a fact was made from it.
pub(super) fn is_final(entry: &MemoryEntry, origin: &Origin) -> bool {
    let stored = |state| origin.is_version_of(&Origin::entry(&entry.id, state));
    own_final_state(entry).is_some_and(stored)
}

/// Writes the fact that a decision or an answered question states, unless it was stored before. The id
/// of the entry is written beside it first. Returns the id of the entry and of the fact.
pub(crate) fn ingest_entry(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    document: &MemoryDocument,
    entry: &MemoryEntry,
) -> Result<(String, Option<Uuid>), Error> {
    let Some(state) = final_state(document, entry) else { return Ok((entry.id.clone(), None)) };
    let id = transaction.write_entry_id(known, document, entry)?;
    let source = FactSource {
        key: StatementKey { origin: Origin::entry(&id, state), others: vec![] },
        text: entry.full_text(),
        path: &document.path,
        artifacts: vec![],
        supersedes: vec![],
    };
    Ok((id, source.ingest(transaction, known)?))
}

/// Returns whether a decision is final. One without a status is.
fn is_decided(entry: &MemoryEntry) -> bool {
    entry.field(EntryField::Status).is_none_or(|status| {
        ["accepted", "decided", "implementing", "resolved"]
            .iter()
            .any(|word| status.trim().eq_ignore_ascii_case(word))
    })
}

/// Returns the first paragraph under the first of these headings.
fn first_paragraph_under(document: &Document, titles: &[&str]) -> Option<String> {
    let heading = document
        .headings
        .iter()
        .find(|heading| titles.contains(&heading.text.trim().to_lowercase().as_str()))?;
    let lines = document.prose.lines().skip(heading.line + 1 - document.prose_line);
    let paragraph: Vec<&str> = lines
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(str::trim)
        .collect();
    let text = paragraph.join(" ");
    (!text.is_empty() && text != scaffold::DECISION_PLACEHOLDER).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_record_and_the_place() {
        let mut report = IngestReport::default();
        report.add("plans/a.memory.md:3", Err(Error::bad_input("it contains a secret")));
        let left_out: Vec<String> = report.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(left_out, ["plans/a.memory.md:3: it contains a secret"]);
        let fact = RetiredFact { source: "ADR-0001".into(), reason: "it is deprecated".into() };
        assert_eq!(fact.to_string(), "the fact of ADR-0001 is archived: it is deprecated");
    }
}
