//! Records contradictions in the log.

use std::collections::HashSet;

use heirloom_core::contradiction::{Certainty, Verdict};
use heirloom_core::record::{Body, CERTAIN, ContradictionRecord, Origin, Record, Referent};

use crate::memory::{ComparableMemory, MemoryQuery, MemorySlice, MemoryTarget, WriteTransaction};
use crate::{Error, Session};

/// The word for a contradiction that is not certain.
const POSSIBLE: &str = "possible";

/// Two memories with the verdict on them.
#[derive(Debug, Clone)]
pub(crate) struct NewContradiction {
    /// The memory that was known first.
    pub(crate) a: ComparableMemory,
    /// The memory that was known later.
    pub(crate) b: ComparableMemory,
    /// The verdict.
    pub(crate) verdict: Verdict,
}

/// The contradictions that were recorded.
#[derive(Debug, Default)]
pub(super) struct RecordedContradictions {
    /// Their ids, by their position.
    pub(super) ids: Vec<(usize, String)>,
    /// Why others could not be recorded, each reason once.
    pub(super) notes: Vec<String>,
}

/// Records contradictions in a transaction of their own. Those that are known meanwhile, and those whose memories changed
/// since they were judged, are left out.
pub(super) fn record_contradictions(
    session: &Session,
    found: &[NewContradiction],
) -> Result<RecordedContradictions, Error> {
    let mut recorded = RecordedContradictions::default();
    if found.is_empty() {
        return Ok(recorded);
    }
    let mut transaction = WriteTransaction::begin(session, false)?;
    let memories = found.iter().flat_map(|it| [it.a.referent.clone(), it.b.referent.clone()]);
    let known = MemoryQuery::new()
        .referents_without_relations(memories.collect::<Vec<_>>())
        .contradictions()
        .read(session)?;
    let mut pairs = known_pairs(session, &known);
    for (number, contradiction) in found.iter().enumerate() {
        let NewContradiction { a, b, .. } = contradiction;
        let is_unchanged = |memory: &ComparableMemory| {
            let now = known.comparable(&memory.referent, session.today());
            now.is_some_and(|now| now.text == memory.text)
        };
        if !is_unchanged(a) || !is_unchanged(b) || !pairs.insert(pair_of(&a.referent, &b.referent))
        {
            continue;
        }
        match write_contradiction(&mut transaction, &known, contradiction) {
            Ok(id) => recorded.ids.push((number, id)),
            Err(error) => recorded.notes.push(unrecorded_note(&error)),
        }
    }
    recorded.notes.sort();
    recorded.notes.dedup();
    transaction.commit()?;
    Ok(recorded)
}

/// Says that a contradiction could not be recorded, and why.
pub(super) fn unrecorded_note(error: &Error) -> String {
    format!("a contradiction could not be recorded: {}", error.message)
}

/// Returns the pairs of memories whose contradiction is open, or of which somebody said that both hold. What was said about
/// an earlier text of a memory does not count.
pub(crate) fn known_pairs(session: &Session, known: &MemorySlice) -> HashSet<[Referent; 2]> {
    let found = known.found_contradictions(session.today()).into_iter();
    let current = found.filter(|it| it.is_current);
    current.map(|it| pair_of(&it.memories[0], &it.memories[1])).collect()
}

/// Returns two memories in the order of their ids.
pub(crate) fn pair_of(a: &Referent, b: &Referent) -> [Referent; 2] {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    [a.clone(), b.clone()]
}

/// Writes the record of a contradiction, and returns its id. The ids of entries are written beside them first, which fails
/// where the text leaves no room for a comment.
pub(super) fn write_contradiction(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    contradiction: &NewContradiction,
) -> Result<String, Error> {
    let NewContradiction { a, b, verdict } = contradiction;
    if !(0.0..=1.0).contains(&verdict.probability) {
        return Err(Error::system(format!("{} is no probability", verdict.probability)));
    }
    let mut end = |memory: &ComparableMemory| {
        let referent = stored_referent(transaction, known, &memory.referent)?;
        Ok::<_, Error>((referent, memory.text_hash()))
    };
    let ((a, hash_of_a), (b, hash_of_b)) = (end(a)?, end(b)?);
    let certainty = if verdict.certainty == Certainty::Certain { CERTAIN } else { POSSIBLE };
    let body = ContradictionRecord {
        a,
        b,
        score: (verdict.probability * 1000.0).round() / 1000.0,
        certainty: certainty.to_owned(),
        aspect: verdict.kind.name().to_owned(),
        reason: verdict.reason.clone(),
        text_hashes: vec![hash_of_a, hash_of_b],
    };
    let id = body.id();
    let record = |body: ContradictionRecord| Record {
        origin: Some(Origin::contradiction(&id)),
        ..transaction.new_record(Body::Contradiction(Box::new(body)))
    };
    let whole = record(body.clone());
    // The reason quotes the memories, of which one may look like a secret that was stored on purpose.
    let record = match transaction.reject_secret(&whole.all_text()) {
        Ok(()) => whole,
        Err(_) => record(ContradictionRecord { reason: String::new(), ..body }),
    };
    transaction.write(known, &record)?;
    Ok(id)
}

/// Returns what the log refers to a memory by. The id of an entry is written beside it.
fn stored_referent(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    memory: &Referent,
) -> Result<Referent, Error> {
    let entries = || known.entries().find(|(_, entry)| memory.entry_id() == Some(&entry.id));
    let Some((document, entry)) = entries() else { return Ok(memory.clone()) };
    let names = transaction.referents_of(known, MemoryTarget::Entry(document, entry))?;
    Ok(names.into_iter().next().unwrap_or_else(|| memory.clone()))
}
