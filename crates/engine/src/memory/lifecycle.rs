//! Stores decisions and answers as facts, and retires facts whose decision is no longer in force.

use std::collections::HashSet;
use std::fmt;

use heirloom_core::Document;
use heirloom_core::adr::{Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::{EntryField, EntryKind, MemoryEntry};
use heirloom_core::record::{
    Body, Event, EventAction, Fact, FactSection, Origin, Record, Referent,
};
use heirloom_core::supersession::Supersession;
use heirloom_core::words::short_hash;
use uuid::Uuid;

use super::transaction::AUTO_TAG;
use super::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::workspace::archive;
use crate::workspace::catalog::Catalog;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::scaffold;
use crate::{Error, Session};

/// A statement in a document that is stored as a fact.
#[derive(Clone)]
struct FactSource<'s> {
    /// Identifies the statement, so that it is stored once.
    origin: Origin,
    text: String,
    /// Path of the document.
    path: &'s str,
    artifacts: Vec<String>,
    /// The facts that it replaces.
    supersedes: Vec<Referent>,
}

/// Returns the origin of the fact that an accepted decision record states.
fn adr_origin(adr: &Adr) -> Origin {
    Origin::accepted_decision(&adr.id)
}

/// Writes the fact that an accepted decision record states, unless it was stored before. It supersedes
/// the facts of the replaced decision records.
pub(crate) fn ingest_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    adr: &Adr,
    document: &Document,
    replaced: &[&Adr],
) -> Result<Option<Uuid>, Error> {
    let supersedes = active_facts_of(known, replaced);
    ingest(transaction, known, &FactSource { supersedes, ..adr_source(adr, document) })
}

/// Returns what a decision record states as a fact.
pub(super) fn adr_statement(adr: &Adr, document: &Document) -> String {
    let decision = first_paragraph_under(document, &["decision", "decision outcome", "decisions"]);
    match decision {
        Some(decision) => format!("{}: {}. {decision}", adr.id, adr.title.trim_end_matches('.')),
        None => format!("{}: {}", adr.id, adr.title),
    }
}

fn adr_source<'s>(adr: &'s Adr, document: &Document) -> FactSource<'s> {
    FactSource {
        origin: adr_origin(adr),
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
    MemoryQuery::new().origins(adrs.into_iter().map(adr_origin)).decision_facts()
}

/// Writes the facts that decision records in force, plan decisions and answered questions state, unless
/// they were stored before. Archives the facts of decision records that are no longer in force.
pub(crate) fn ingest_all(
    transaction: &mut WriteTransaction<'_>,
    catalog: &Catalog,
    known: &MemorySlice,
) -> IngestReport {
    let supersession = Supersession::new(&catalog.adrs);
    let mut ingested = IngestReport::default();
    // The facts of these records are superseded by a new fact, so they must not be archived as well.
    let mut superseded = HashSet::new();
    for (at, adr) in catalog.adrs.iter().enumerate() {
        let document = catalog.find_by_path(&adr.path).map(|catalog_entry| &catalog_entry.document);
        let in_force = adr.status == Status::Accepted && supersession.is_in_force(at);
        if let Some(document) = document.filter(|_| in_force) {
            let replaced: Vec<&Adr> =
                supersession.predecessors(at).map(|old| &catalog.adrs[old]).collect();
            let fact = ingest_adr(transaction, known, adr, document, &replaced);
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
        if successors.iter().any(|new| is_undone(known, adr, new)) {
            continue;
        }
        // The fact of a successor that superseded the fact of this record is not this record's own.
        let of_successors = active_facts_of(known, &successors);
        let mut facts = active_facts_of(known, &[adr]);
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
    for (origin, path) in made {
        let Some(reason) = reason_of_removal(catalog, known, origin, path) else { continue };
        // A successor with another origin is stated by another document, or was written by a person.
        let is_own = |head: &Referent| {
            let record = head.record_id().and_then(|id| known.memory.record(id));
            let made_from = record.and_then(|record| record.origin.as_ref());
            made_from.is_some_and(|made| made.is_version_of(origin))
        };
        let facts: Vec<Referent> = active_heads(known, origin).into_iter().filter(is_own).collect();
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

/// Returns why what a fact was made from is gone; `None` if it is still there.
fn reason_of_removal(
    catalog: &Catalog,
    known: &MemorySlice,
    origin: &Origin,
    path: &str,
) -> Option<String> {
    if let Some(id) = origin.decision_record() {
        let exists = catalog.adrs.iter().any(|adr| adr.id == id || adr.path == path);
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
        [] => Some("its entry was removed".to_owned()),
        states if states.contains(&true) => None,
        _ => Some("its entry is no longer decided".to_owned()),
    }
}

/// Returns whether the fact of a decision record superseded that of another, and this was undone.
fn is_undone(known: &MemorySlice, old: &Adr, new: &Adr) -> bool {
    let [old_facts, new_facts] = [old, new].map(|adr| active_facts_of(known, &[adr]));
    let origin = adr_origin(new);
    let supersedes = |record: &Record, facts: &[Referent]| {
        record.supersedes.iter().any(|replaced| facts.contains(replaced))
    };
    known.memory.records().any(|record| {
        let is_new = record.origin.as_ref().is_some_and(|made| made.is_version_of(&origin))
            || supersedes(record, &new_facts);
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
    match ingest_adr(transaction, known, new, document, &[old]) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(None),
        Err(error) => {
            return retire_adr(transaction, known, old, &reason)
                .map(|_| Some(not_stored_warning(new, &error)));
        }
    }
    let replaced = active_facts_of(known, &[old]);
    if !replaced.is_empty() {
        supersede_with_stored_fact(transaction, known, replaced, new)?;
    }
    Ok(None)
}

/// Writes the stored fact of a decision record again, in a version that supersedes `replaced` facts.
fn supersede_with_stored_fact(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    replaced: Vec<Referent>,
    adr: &Adr,
) -> Result<(), Error> {
    let head = active_heads(known, &adr_origin(adr)).into_iter().next();
    let Some(item) = head.and_then(|head| known.memory.item(head.record_id()?)) else {
        return Ok(());
    };
    let stored = item.record;
    let Record { id, at, by, .. } = transaction.new_record(stored.body.clone());
    let aliases = known.memory.aliases(stored.id).into_iter().map(Referent::Record);
    let supersedes = replaced.into_iter().chain(aliases).collect();
    let record = Record { id, at, by, origin: None, supersedes, ..stored.clone() };
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
    let origin = adr_origin(old);
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
    ingest(transaction, known, &FactSource { supersedes, ..adr_source(new, document) })
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
    retire(transaction, known, active_facts_of(known, &[adr]), reason)
}

/// Archives facts because their document no longer states them. Returns whether there were any. The event is tagged, so
/// that they come back when the document states them again; what a person archives stays archived.
fn retire(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    facts: Vec<Referent>,
    reason: &str,
) -> Result<bool, Error> {
    if facts.is_empty() {
        return Ok(false);
    }
    let event = Event {
        action: EventAction::Archive,
        targets: facts,
        undoes: vec![],
        reason: reason.to_owned(),
    };
    let mut record = transaction.new_record(Body::Event(event));
    record.tags = vec![AUTO_TAG.to_owned()];
    transaction.write(known, &record).map(|_| true)
}

/// Restores the facts of a source that were retired because its document did not state them. Returns one of them.
fn restore_retired(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    source: &FactSource<'_>,
) -> Result<Option<Uuid>, Error> {
    let heads = known.heads_of_origin(&source.origin);
    let states_source = |head: &Referent| {
        let record = head.record_id().and_then(|id| known.memory.record(id));
        record.is_some_and(|record| record.text() == source.text)
    };
    let Some(head) = heads.iter().find(|head| states_source(head)) else { return Ok(None) };
    let events = known.memory.events(EventAction::Archive, head);
    let is_retirement = |event: &Uuid| {
        known
            .memory
            .record(*event)
            .is_some_and(|event| event.tags.iter().any(|tag| tag == AUTO_TAG))
    };
    if events.is_empty() || !events.iter().all(is_retirement) {
        return Ok(None);
    }
    let undoes = events.into_iter().map(Referent::Record).collect();
    let reason = "its document states it again";
    transaction.write_event(known, EventAction::Restore, vec![head.clone()], undoes, reason)?;
    Ok(head.record_id())
}

/// Returns the state of an entry that can be stored as a fact: a decision of a plan or an answered question.
fn final_state(document: &MemoryDocument, entry: &MemoryEntry) -> Option<&'static str> {
    let is_stored = entry.kind != EntryKind::Decision || document.level == "plan";
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
        origin: Origin::entry(&id, state),
        text: entry.full_text(),
        path: &document.path,
        artifacts: vec![],
        supersedes: vec![],
    };
    Ok((id, ingest(transaction, known, &source)?))
}

/// Returns whether a decision is final. One without a status is.
fn is_decided(entry: &MemoryEntry) -> bool {
    entry.field(EntryField::Status).is_none_or(|status| {
        ["accepted", "decided", "implementing", "resolved"]
            .iter()
            .any(|word| status.trim().eq_ignore_ascii_case(word))
    })
}

/// Writes a fact, unless it was stored before. If its text has changed since, the new version supersedes the stored one.
fn ingest(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    source: &FactSource<'_>,
) -> Result<Option<Uuid>, Error> {
    let mut source = source.clone();
    if known.origins().contains(&source.origin) {
        let Some(outdated) = outdated_heads(known, &source) else {
            return restore_retired(transaction, known, &source);
        };
        let heads: String = outdated.iter().map(ToString::to_string).collect();
        source.origin = source.origin.version(&short_hash(&format!("{heads}\n{}", source.text)));
        // The same text superseded the same facts before, and that was undone.
        if known.origins().contains(&source.origin) {
            return Ok(None);
        }
        source.supersedes.extend(outdated);
    }
    let body = Body::Fact(Fact {
        section: FactSection::Decisions,
        content: source.text.clone(),
        key: None,
        value: None,
        scope: None,
    });
    let mut record = transaction.new_record(body);
    record.origin = Some(source.origin.clone());
    record.source = Some(source.path.to_owned());
    record.artifacts.clone_from(&source.artifacts);
    record.supersedes.clone_from(&source.supersedes);
    record.tags = vec![AUTO_TAG.to_owned()];
    transaction.write(known, &record).map(Some)
}

/// Returns the stored facts that state an earlier version of a source; `None` if there is none, or if a person has edited
/// the fact since it was stored. A fact that was withdrawn is outdated by any other text, but is not in force.
fn outdated_heads(known: &MemorySlice, source: &FactSource<'_>) -> Option<Vec<Referent>> {
    let heads = active_heads(known, &source.origin);
    let records: Vec<&Record> =
        heads.iter().filter_map(|head| known.memory.record(head.record_id()?)).collect();
    let states_source = |record: &Record| record.text() == source.text;
    let is_stored = |record: &Record| {
        record.origin.as_ref().is_some_and(|origin| origin.is_version_of(&source.origin))
    };
    if records.is_empty() {
        let stored: Vec<&Record> =
            known.memory.records().filter(|record| is_stored(record)).collect();
        let is_withdrawn = stored.iter().any(|record| known.memory.is_withdrawn(record.id));
        let is_new = !stored.iter().any(|record| states_source(record));
        return (is_withdrawn && is_new).then(Vec::new);
    }
    if records.iter().any(|record| states_source(record)) {
        return None;
    }
    let is_edited = records.iter().any(|record| !is_stored(record));
    let was_stored =
        || known.memory.records().any(|record| is_stored(record) && states_source(record));
    if is_edited && was_stored() {
        return None;
    }
    let ids = records.iter().flat_map(|record| known.memory.aliases(record.id));
    Some(ids.map(Referent::Record).collect())
}

/// Returns the active facts of some decision records.
fn active_facts_of(known: &MemorySlice, adrs: &[&Adr]) -> Vec<Referent> {
    let heads = adrs.iter().flat_map(|adr| active_heads(known, &adr_origin(adr)));
    let ids = heads.filter_map(|head| head.record_id());
    ids.flat_map(|id| known.memory.aliases(id)).map(Referent::Record).collect()
}

/// Returns the active successors of the facts with an origin or a version of it, or the facts themselves.
fn active_heads(known: &MemorySlice, origin: &Origin) -> Vec<Referent> {
    let mut heads = known.heads_of_origin(origin);
    heads.retain(|head| known.memory.standing(head) == Standing::Active);
    heads
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
