//! Decisions and answers that become facts by themselves.

use std::collections::HashSet;

use heirloom_core::adr::{Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::{Entry, EntryKind, Field};
use heirloom_core::record::{Action, Body, Fact, Record, Section};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, day};
use jiff::Timestamp;
use uuid::Uuid;

use super::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::workspace::catalog::Catalog;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::scaffold;
use crate::{Error, Session};

/// What a fact is taken from.
struct Source<'s> {
    /// What makes it the same source: `adr:ADR-0010#accepted`.
    origin: String,
    /// What it says.
    text: String,
    /// Where it is written.
    path: &'s str,
    /// What it is about.
    artifacts: Vec<String>,
    /// Facts that it replaces.
    supersedes: Vec<String>,
}

/// The origin of an accepted decision record.
fn adr_origin(adr: &Adr) -> String {
    format!("adr:{}#accepted", adr.id)
}

/// Writes the fact that an accepted decision record states, in the place of those that were made of
/// the records which it replaced, unless it was taken before.
pub(crate) fn ingest_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    adr: &Adr,
    document: &Document,
    replaced: &[&Adr],
) -> Result<Option<Uuid>, Error> {
    let supersedes = replaced_facts(known, replaced);
    ingest(transaction, known, &Source { supersedes, ..source_of(adr, document) })
}

fn source_of<'s>(adr: &'s Adr, document: &Document) -> Source<'s> {
    let opening = opening_of(document, &["decision", "decision outcome", "decisions"]);
    let text = match opening {
        Some(opening) => format!("{}: {}. {opening}", adr.id, adr.title.trim_end_matches('.')),
        None => format!("{}: {}", adr.id, adr.title),
    };
    Source {
        origin: adr_origin(adr),
        text,
        path: &adr.path,
        artifacts: vec![format!("adr:{}", adr.id)],
        supersedes: vec![],
    }
}

/// What became of a batch.
#[derive(Debug, Default)]
pub(crate) struct Ingested {
    /// The facts.
    pub(crate) stored: Vec<Uuid>,
    /// Which facts were archived, and why.
    pub(crate) retired: Vec<String>,
    /// What could not be taken, and why; the rest was.
    pub(crate) left_out: Vec<String>,
}

/// Reads what became of the facts that decision records state, and of those that entries state.
pub(crate) fn known_of<'a>(
    session: &Session,
    adrs: impl IntoIterator<Item = &'a Adr>,
) -> Result<MemorySlice, Error> {
    known_since(session, adrs, None)
}

/// Reads the same, and what was recorded since a moment.
pub(crate) fn known_since<'a>(
    session: &Session,
    adrs: impl IntoIterator<Item = &'a Adr>,
    since: Option<Timestamp>,
) -> Result<MemorySlice, Error> {
    let query = MemoryQuery::new().origins(adrs.into_iter().map(adr_origin));
    query.since(since.map(day::of)).read(session)
}

/// Writes the facts that decision records in force, plan decisions and answered questions state and
/// that were not taken before. Archives the facts of records that hold no more.
pub(crate) fn ingest_all(
    transaction: &mut WriteTransaction<'_>,
    catalog: &Catalog,
    known: &MemorySlice,
) -> Ingested {
    let supersession = Supersession::new(&catalog.adrs);
    let mut done = Ingested::default();
    let mut replaced_now = HashSet::new();
    for (at, adr) in catalog.adrs.iter().enumerate() {
        let document = catalog.at_path(&adr.path).map(|filed| &filed.document);
        let in_force = adr.status == Status::Accepted && supersession.in_force(at);
        if let Some(document) = document.filter(|_| in_force) {
            let replaced: Vec<&Adr> =
                supersession.predecessors(at).map(|old| &catalog.adrs[old]).collect();
            let fact = ingest_adr(transaction, known, adr, document, &replaced);
            if matches!(fact, Ok(Some(_))) {
                replaced_now.extend(supersession.predecessors(at));
            }
            done.take(&adr.path, fact);
        }
    }
    for (at, adr) in catalog.adrs.iter().enumerate().filter(|(at, _)| !replaced_now.contains(at)) {
        let Some(reason) = reason_to_retire(&catalog.adrs, &supersession, at) else { continue };
        match retire_adr(transaction, known, adr, &reason) {
            Ok(false) => {}
            Ok(true) => done.retired.push(format!("the fact of {} is archived: {reason}", adr.id)),
            Err(error) => done.left_out.push(format!("{}: {}", adr.path, error.message)),
        }
    }
    for (document, entry) in known.entries() {
        if known.memory.standing(&entry_ref(&entry.id)) == Standing::Active {
            let place = format!("{}:{}", document.path, entry.line);
            done.take(
                &place,
                ingest_entry(transaction, known, document, entry).map(|(_, fact)| fact),
            );
        }
    }
    done
}

/// Returns why a decision record holds no more; `None` if it may hold.
fn reason_to_retire(adrs: &[Adr], supersession: &Supersession<'_>, at: usize) -> Option<String> {
    let by: Vec<&str> = supersession.successors(at).map(|new| adrs[new].id.as_str()).collect();
    match adrs[at].status {
        _ if supersession.is_replaced(at) => Some(format!("superseded by {}", by.join(", "))),
        status @ (Status::Superseded
        | Status::Deprecated
        | Status::Rejected
        | Status::Withdrawn) => Some(format!("it is {status}")),
        _ => None,
    }
}

impl Ingested {
    fn take(&mut self, place: &str, taken: Result<Option<Uuid>, Error>) {
        match taken {
            Ok(fact) => self.stored.extend(fact),
            Err(error) => self.left_out.push(format!("{place}: {}", error.message)),
        }
    }
}

/// Puts the fact that one decision record states in the place of another's. Where the new one is not
/// in force, or cannot be a fact, the old fact is archived: it holds no more. Returns why the new one
/// cannot be.
pub(crate) fn supersede_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    old: &Adr,
    new: &Adr,
    document: &Document,
) -> Result<Option<String>, Error> {
    let retired = format!("superseded by {}", new.id);
    if new.status != Status::Accepted {
        return retire_adr(transaction, known, old, &retired).map(|_| None);
    }
    match ingest_adr(transaction, known, new, document, &[old]) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(None),
        Err(error) => {
            return retire_adr(transaction, known, old, &retired)
                .map(|_| Some(not_a_fact(new, &error)));
        }
    }
    let replaced = replaced_facts(known, &[old]);
    let own = heads_of(known, &adr_origin(new)).into_iter().next();
    let own = own.and_then(|head| known.memory.item(Uuid::parse_str(&head).ok()?));
    if let Some(own) = own.map(|item| item.record).filter(|_| !replaced.is_empty()) {
        let now = transaction.record(own.body.clone());
        let aliases = known.memory.aliases(own.id).into_iter().map(|id| id.to_string());
        let supersedes = replaced.into_iter().chain(aliases).collect();
        let again = Record { supersedes, ..own.clone() };
        transaction
            .write(known, &Record { id: now.id, at: now.at, by: now.by, origin: None, ..again })?;
    }
    Ok(None)
}

/// Puts the fact that a decision record states under its new number in the place of the one under its
/// old number. Another record may have had the same number, so the file decides whose fact it is.
pub(crate) fn renumber_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    old: &Adr,
    new: &Adr,
    document: &Document,
) -> Result<Option<Uuid>, Error> {
    let origin = adr_origin(old);
    let is_own = |record: &&Record| {
        record.origin.as_deref() == Some(origin.as_str())
            && record.source.as_deref() == Some(old.path.as_str())
    };
    let own = known.memory.records().filter(is_own);
    let heads = own.flat_map(|record| known.memory.heads(&record.id.to_string()));
    let standing = heads.filter(|head| known.memory.standing(head) == Standing::Active);
    let ids: Vec<Uuid> = standing.filter_map(|head| Uuid::parse_str(&head).ok()).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let mut supersedes: Vec<String> =
        ids.into_iter().flat_map(|id| known.memory.aliases(id)).map(|id| id.to_string()).collect();
    supersedes.sort();
    supersedes.dedup();
    ingest(transaction, known, &Source { supersedes, ..source_of(new, document) })
}

/// Says that a decision record is not stored as a fact, and why.
pub(crate) fn not_a_fact(adr: &Adr, error: &Error) -> String {
    format!("{} is not stored as a fact: {}", adr.id, error.message)
}

/// Archives the fact that a decision record stated, if it stands. Returns whether it did.
pub(crate) fn retire_adr(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    adr: &Adr,
    reason: &str,
) -> Result<bool, Error> {
    let facts = replaced_facts(known, &[adr]);
    if facts.is_empty() {
        return Ok(false);
    }
    transaction.event(known, Action::Archive, facts, vec![], reason)?;
    Ok(true)
}

/// What an entry has come to, if it says what was decided or answered.
fn state_of(document: &MemoryDocument, entry: &Entry) -> Option<&'static str> {
    match entry.kind {
        EntryKind::Decision if document.level == "plan" && is_decided(entry) => Some("decided"),
        EntryKind::Question if entry.resolved => Some("resolved"),
        _ => None,
    }
}

/// Writes the fact that an entry states, if it says what was decided or answered, unless it was
/// taken before. The entry's id is written beside it first. Returns the id and the fact.
pub(crate) fn ingest_entry(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    document: &MemoryDocument,
    entry: &Entry,
) -> Result<(String, Option<Uuid>), Error> {
    let Some(state) = state_of(document, entry) else { return Ok((entry.id.clone(), None)) };
    let id = transaction.mark(known, document, entry)?;
    let source = Source {
        origin: format!("{}#{state}", entry_ref(&id)),
        text: entry.sentence(),
        path: &document.path,
        artifacts: vec![],
        supersedes: vec![],
    };
    Ok((id, ingest(transaction, known, &source)?))
}

/// A decision without a status was made when it was written down.
fn is_decided(entry: &Entry) -> bool {
    entry.field(Field::Status).is_none_or(|status| {
        ["accepted", "decided", "implementing", "resolved"]
            .iter()
            .any(|word| status.trim().eq_ignore_ascii_case(word))
    })
}

/// Writes the fact, unless its origin was taken before.
fn ingest(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    source: &Source<'_>,
) -> Result<Option<Uuid>, Error> {
    if known.origins().contains(&source.origin) {
        return Ok(None);
    }
    let body = Body::Fact(Fact {
        section: Section::Decisions,
        content: source.text.clone(),
        key: None,
        value: None,
        scope: None,
    });
    let mut record = transaction.record(body);
    record.origin = Some(source.origin.clone());
    record.source = Some(source.path.to_owned());
    record.artifacts.clone_from(&source.artifacts);
    record.supersedes.clone_from(&source.supersedes);
    record.tags = vec!["auto".to_owned()];
    transaction.write(known, &record).map(Some)
}

/// Returns the names of the facts that were made of these decision records and still stand.
fn replaced_facts(known: &MemorySlice, replaced: &[&Adr]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for adr in replaced {
        for head in heads_of(known, &adr_origin(adr)) {
            let id = Uuid::parse_str(&head).ok();
            names.extend(
                id.into_iter().flat_map(|id| known.memory.aliases(id)).map(|id| id.to_string()),
            );
        }
    }
    names
}

/// What stands of a fact that was made of something, whatever it was edited to since.
fn heads_of(known: &MemorySlice, origin: &str) -> Vec<String> {
    let made = known.memory.records().filter(|record| record.origin.as_deref() == Some(origin));
    let heads = made.flat_map(|record| known.memory.heads(&record.id.to_string()));
    let mut heads: Vec<String> =
        heads.filter(|head| known.memory.standing(head) == Standing::Active).collect();
    heads.sort();
    heads.dedup();
    heads
}

/// The first paragraph under one of these headings.
fn opening_of(document: &Document, titles: &[&str]) -> Option<String> {
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
    (!text.is_empty() && text != scaffold::UNDECIDED).then_some(text)
}
