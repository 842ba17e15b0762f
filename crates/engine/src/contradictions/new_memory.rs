//! Compares a memory that is being stored with a few similar ones.

use std::collections::HashSet;

use heirloom_core::contradiction::{
    CandidateFinder, CandidatePair, Certainty, FindingKind, Thresholds, Verdict, handicap,
};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::recall::{for_each_term, is_stop_word, terms};
use heirloom_core::record::{Record, Referent, short_id};
use heirloom_core::{Hint, transcript};
use heirloom_embed::builtin;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::judge::{PairJudge, ReadMemory, sentence_of};
use super::record::{
    NewContradiction, RecordedContradictions, pair_of, record_contradictions, unrecorded_note,
    write_contradiction,
};
use crate::memory::{ComparableMemory, MemoryQuery, MemorySlice, WriteTransaction};
use crate::recall::read_similar_to;
use crate::view::{Role, View, present, span};
use crate::workspace::memory_document::MemoryDocument;
use crate::{Error, Session};

/// How many memories that share the most words with the new one are compared by their vectors, too.
const MAX_SIMILAR: usize = 64;

/// How many of these are judged by rules.
const MAX_JUDGED: usize = 16;

/// How many are read by the model, if there is one.
const MAX_READ_BY_MODEL: usize = 4;

/// About one in so many new memories is said to contradict another one by mistake.
const MEMORIES_PER_FALSE_ALARM: f64 = 50.0;

/// Most contradictions of a new memory.
const MAX_CONTRADICTED: usize = 5;

/// How many memories that are stored together are compared; a scan compares the others.
const MAX_STORED_TOGETHER: usize = 50;

/// Most characters of a memory that is shown.
const MAX_SHOWN_CHARS: usize = 160;

/// A memory that a new one contradicts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContradictedMemory {
    /// Id of the memory.
    pub(crate) id: String,
    /// Its text.
    text: String,
    /// The path and line where it is written.
    source: String,
    /// Id of the recorded contradiction, by which it is resolved; empty if it could not be recorded.
    #[serde(skip_serializing_if = "String::is_empty")]
    contradiction: String,
    /// Whether they certainly contradict each other, or may.
    certainty: Certainty,
    /// In what they differ.
    differs_in: FindingKind,
    /// How likely they contradict each other, from 0 to 1.
    score: f64,
    /// Why.
    reason: String,
    /// Why it could not be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_recorded: Option<String>,
}

impl ContradictedMemory {
    /// Describes a contradiction with a known memory, under the id of its record or with the reason why it has none.
    fn new(known: &MemorySlice, found: &NewContradiction, recorded: Result<String, Error>) -> Self {
        let item = known.item(&found.a.referent);
        let Verdict { probability, certainty, kind, ref reason, .. } = found.verdict;
        ContradictedMemory {
            id: item.as_ref().map_or_else(|| found.a.referent.to_string(), |item| item.id.clone()),
            text: transcript::excerpt(&found.a.text, MAX_SHOWN_CHARS),
            source: item.map(|item| item.source).unwrap_or_default(),
            not_recorded: recorded.as_ref().err().map(unrecorded_note),
            contradiction: recorded.unwrap_or_default(),
            certainty,
            differs_in: kind,
            score: (probability * 1000.0).round() / 1000.0,
            reason: reason.clone(),
        }
    }
}

/// Compares a record that a transaction writes with similar ones, and records what it contradicts in the same transaction.
pub(crate) fn check_new_record(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    record: &Record,
) -> Vec<ContradictedMemory> {
    let Some(new) = ComparableMemory::of_record(record.id.into(), record) else {
        return vec![];
    };
    let new = ComparableMemory { selectors: known.selectors_of(record), ..new };
    let equal = known.memory.find_equal(record).map(|item| item.id.into());
    let earlier: Vec<Referent> = record.supersedes.iter().cloned().chain(equal).collect();
    check_new(transaction, known, &new, &earlier)
}

/// Compares an entry that a transaction writes to a document with similar memories, and records what it contradicts in the
/// same transaction. `document` is the edited document; `fact` is the fact that was made of the entry, if one was.
pub(crate) fn check_new_entry(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    document: &MemoryDocument,
    entry: &MemoryEntry,
    fact: Option<Uuid>,
) -> Vec<ContradictedMemory> {
    if let Some(fact) = fact {
        let new = ComparableMemory {
            referent: fact.into(),
            selectors: document.selectors.clone(),
            ..ComparableMemory::of_text(&entry.full_text())
        };
        return check_new(transaction, known, &new, &[]);
    }
    let Some(mut new) = ComparableMemory::of_entry(document, entry) else { return vec![] };
    let found = find_contradicted(transaction.session(), known, &new, &[]);
    if found.is_empty() {
        return vec![];
    }
    match transaction.write_entry_id(known, document, entry) {
        Ok(id) => {
            new.referent = Referent::Entry(id);
            write_all(transaction, known, &new, &[], found)
        }
        Err(error) => {
            let unrecorded = |found: &NewContradiction| {
                ContradictedMemory::new(known, found, Err(error.clone()))
            };
            found.iter().map(unrecorded).collect()
        }
    }
}

/// Compares a memory that a transaction writes with similar ones, and records what it contradicts in the same transaction.
/// `earlier` are the memories that it replaces or repeats.
pub(crate) fn check_new(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    new: &ComparableMemory,
    earlier: &[Referent],
) -> Vec<ContradictedMemory> {
    let found = find_contradicted(transaction.session(), known, new, earlier);
    write_all(transaction, known, new, earlier, found)
}

/// Records contradictions of a new memory. One that is known is described under its id, and left out if somebody said that
/// both hold. One that cannot be recorded does not keep the memory from being stored.
fn write_all(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    new: &ComparableMemory,
    earlier: &[Referent],
    found: Vec<NewContradiction>,
) -> Vec<ContradictedMemory> {
    if found.is_empty() {
        return vec![];
    }
    let earlier = [earlier, std::slice::from_ref(&new.referent)].concat();
    let memories = found.iter().map(|it| it.a.referent.clone()).chain(earlier.iter().cloned());
    let recorded = MemoryQuery::new()
        .referents_without_relations(memories.collect::<Vec<_>>())
        .contradictions()
        .read_without_documents(transaction.session());
    let new_hash = new.text_hash();
    let mut contradicted = Vec::new();
    for found in found {
        let found = NewContradiction { b: new.clone(), ..found };
        let (other, hash) = (&found.a.referent, found.a.text_hash());
        let written =
            match recorded.memory.earlier_contradiction((other, &hash), (&earlier, &new_hash)) {
                Some(known) if known.is_dismissed => continue,
                Some(known) => Ok(known.id),
                None => write_contradiction(transaction, known, &found),
            };
        contradicted.push(ContradictedMemory::new(known, &found, written));
    }
    contradicted
}

/// Compares records that were stored together with similar ones, and records what they contradict. Returns a note for each
/// contradiction. They stay stored if that fails.
pub(crate) fn check_stored(session: &Session, stored: &[Referent]) -> Vec<String> {
    if stored.is_empty() {
        return vec![];
    }
    let failed =
        |error: Error| vec![format!("contradictions were not looked for: {}", error.message)];
    find_and_record(session, stored).unwrap_or_else(failed)
}

fn find_and_record(session: &Session, stored: &[Referent]) -> Result<Vec<String>, Error> {
    let mut found: Vec<NewContradiction> = Vec::new();
    let known = MemoryQuery::new()
        .referents_without_relations(stored.iter().take(MAX_STORED_TOGETHER).cloned())
        .read(session)?;
    for memory in stored.iter().take(MAX_STORED_TOGETHER) {
        let Some(new) = known.comparable(memory, session.today()) else { continue };
        let similar = read_similar_to(session, &new.text)?;
        for contradiction in find_contradicted(session, &similar, &new, &[]) {
            if !found.iter().any(|other| is_same(other, &contradiction)) {
                found.push(contradiction);
            }
        }
    }
    let RecordedContradictions { ids, notes } = record_contradictions(session, &found)?;
    let note = |(number, id): (usize, String)| {
        let NewContradiction { a, b, verdict } = &found[number];
        let reason = match verdict.reason.as_str() {
            "" => verdict.kind.name(),
            reason => reason,
        };
        let (a, b, id) = (a.referent.short(), b.referent.short(), short_id(&id));
        let verb = match verdict.certainty {
            Certainty::Certain => "contradicts",
            Certainty::Possible | Certainty::None => "may contradict",
        };
        format!("{b} {verb} {a}: {reason} (contradiction {id})")
    };
    let others = stored.len().saturating_sub(MAX_STORED_TOGETHER);
    let others = (others > 0).then(|| {
        let memories = present::count(others, "memory");
        format!("{memories} were not compared with others; a scan for contradictions compares all")
    });
    Ok(ids.into_iter().map(note).chain(notes).chain(others).collect())
}

/// Returns whether two contradictions are between the same memories.
fn is_same(one: &NewContradiction, other: &NewContradiction) -> bool {
    pair_of(&one.a.referent, &one.b.referent) == pair_of(&other.a.referent, &other.b.referent)
}

/// Returns the known memories that a new one contradicts, the most likely first. Those that it replaces or repeats are left
/// out.
fn find_contradicted(
    session: &Session,
    known: &MemorySlice,
    new: &ComparableMemory,
    earlier: &[Referent],
) -> Vec<NewContradiction> {
    let mut others = known.comparable_memories(session.today());
    others.retain(|other| {
        other.referent != new.referent
            && !earlier.contains(&other.referent)
            && new.has_common_scope(other)
    });
    let mut others = keep_similar(others, new);
    let stated = new.text_hash();
    others.retain(|other| other.memory.text_hash() != stated);
    let judge = PairJudge::builtin();
    let best = others.iter().map(|it| it.likeness).fold(0.0, f32::max);
    let handicaps: Vec<f64> = others.iter().map(|it| handicap(it.likeness, best)).collect();
    let [of_rules, of_model] = [false, true].map(|has_log_odds| {
        Thresholds::among(&handicaps, 1.0 / MEMORIES_PER_FALSE_ALARM, has_log_odds)
    });
    let mut judged: Vec<NewContradiction> = Vec::new();
    let read = ReadMemory::new(new);
    for (number, (similar, handicap)) in others.into_iter().zip(handicaps).enumerate() {
        let SimilarMemory { memory: other, sentences, .. } = similar;
        let log_odds = || {
            let [at_other, at_new] = sentences;
            let pair = (sentence_of(&other, at_other), sentence_of(new, at_new));
            judge.log_odds_of_similar(&[pair])?.first().copied()
        };
        let (verdict, thresholds) = match number < MAX_READ_BY_MODEL && judge.has_model() {
            true => (judge.judge_with(&ReadMemory::new(&other), &read, log_odds()), of_model),
            false => (judge.judge_by_rules(&ReadMemory::new(&other), &read), of_rules),
        };
        let certainty = thresholds.certainty(&verdict, handicap);
        if certainty != Certainty::None {
            let verdict = Verdict { certainty, ..verdict };
            judged.push(NewContradiction { a: other, b: new.clone(), verdict });
        }
    }
    judged.sort_by(|x, y| y.verdict.probability.total_cmp(&x.verdict.probability));
    judged.truncate(MAX_CONTRADICTED);
    judged
}

/// A memory that is similar to a new one, or has its key.
struct SimilarMemory {
    memory: ComparableMemory,
    likeness: f32,
    /// The sentences of this memory and of the new one that are similar.
    sentences: [u16; 2],
}

/// Keeps the memories that are most similar to a new one, or have its key.
fn keep_similar(others: Vec<ComparableMemory>, new: &ComparableMemory) -> Vec<SimilarMemory> {
    let of_new: HashSet<String> =
        terms(&new.text).into_iter().filter(|term| !is_stop_word(term)).collect();
    let count_shared = |text: &str| {
        let mut shared = 0;
        for piece in text.split_whitespace() {
            for_each_term(piece, &mut |term| shared += usize::from(of_new.contains(term)));
        }
        shared
    };
    let key = new.key_value.as_ref().map(|(key, _)| key);
    let mut sharing: Vec<(usize, ComparableMemory)> = Vec::new();
    let mut found: Vec<SimilarMemory> = Vec::new();
    for other in others {
        if key.is_some() && other.key_value.as_ref().map(|(key, _)| key) == key {
            found.push(SimilarMemory { memory: other, likeness: 1.0, sentences: [0, 0] });
            continue;
        }
        let shared = count_shared(&other.text);
        if shared > 0 {
            sharing.push((shared, other));
        }
    }
    sharing.sort_by(|x, y| y.0.cmp(&x.0).then_with(|| x.1.referent.cmp(&y.1.referent)));
    sharing.truncate(MAX_SIMILAR);
    let mut finder = CandidateFinder::new(builtin());
    sharing.iter().for_each(|(_, other)| finder.add(&other.text, builtin()));
    finder.add(&new.text, builtin());
    let mut pairs = finder.finish().before(sharing.len(), MAX_JUDGED);
    pairs.retain(|pair| !pair.is_apart);
    let mut sharing: Vec<Option<ComparableMemory>> =
        sharing.into_iter().map(|(_, other)| Some(other)).collect();
    for CandidatePair { a, likeness, sentences, .. } in pairs {
        let memory = sharing[a as usize].take();
        found.extend(memory.map(|memory| SimilarMemory { memory, likeness, sentences }));
    }
    found.truncate(MAX_JUDGED);
    found
}

/// Prints the memories that a new one contradicts.
pub(crate) fn show_contradicted(view: &mut View, memories: &[ContradictedMemory]) {
    for memory in memories {
        let (role, verb) = match memory.certainty {
            Certainty::Certain => (Role::Bad, "contradicts"),
            Certainty::Possible | Certainty::None => (Role::Warning, "may contradict"),
        };
        view.line([
            span(role, format!("   {verb} ")),
            span(Role::Key, short_id(&memory.id)),
            format!("  {}  ", present::opening(&memory.text)).into(),
            span(Role::Source, &memory.source),
        ]);
        let resolve = Hint::text("      ");
        let resolve = match memory.reason.is_empty() {
            true => resolve,
            false => resolve.then(format!("{}; ", memory.reason)),
        };
        let resolve = match &memory.not_recorded {
            Some(reason) => resolve.then(reason.clone()),
            None => {
                let id = short_id(&memory.contradiction);
                resolve.call("contradictions_resolve", [("id", id), ("resolution", "…")])
            }
        };
        view.line([span(Role::Dim, resolve)]);
    }
}
