//! Statements of documents that are stored as facts: finds the facts of a statement, stores new versions, and archives
//! and restores what documents no longer state or state again.

use heirloom_core::fold::Standing;
use heirloom_core::record::{
    Body, Event, EventAction, Fact, FactSection, Origin, Record, Referent,
};
use heirloom_core::words::short_hash;
use uuid::Uuid;

use super::transaction::AUTO_TAG;
use super::{MemorySlice, WriteTransaction};
use crate::Error;

/// Identifies a statement, so that it is stored once.
#[derive(Clone)]
pub(super) struct StatementKey {
    /// The origin of its facts, and of their later versions.
    pub(super) origin: Origin,
    /// The paths of other documents with the same origin: decision records with the same number. Their facts are not
    /// facts of this statement.
    pub(super) others: Vec<String>,
}

/// A statement in a document that is stored as a fact.
#[derive(Clone)]
pub(super) struct FactSource<'s> {
    pub(super) key: StatementKey,
    pub(super) text: String,
    /// Path of the document.
    pub(super) path: &'s str,
    pub(super) artifacts: Vec<String>,
    /// The facts that it replaces.
    pub(super) supersedes: Vec<Referent>,
}

impl StatementKey {
    /// Returns whether a record was made from the statement.
    pub(super) fn is_of(&self, record: &Record) -> bool {
        let is_other = |path: &String| self.others.contains(path);
        record.origin.as_ref().is_some_and(|made| made.is_version_of(&self.origin))
            && !record.source.as_ref().is_some_and(is_other)
    }

    /// Returns the facts of the statement, in all versions.
    fn facts<'k>(&self, known: &'k MemorySlice) -> impl Iterator<Item = &'k Record> {
        known.memory.records().filter(|record| self.is_of(record))
    }

    /// Returns the latest successors of the facts, or the facts themselves.
    fn heads(&self, known: &MemorySlice) -> Vec<Referent> {
        known.heads_where(|record| self.is_of(record))
    }

    /// Returns those of the [`heads`](Self::heads) that are active.
    pub(super) fn active_heads(&self, known: &MemorySlice) -> Vec<Referent> {
        let mut heads = self.heads(known);
        heads.retain(|head| known.memory.standing(head) == Standing::Active);
        heads
    }
}

/// How the statement of a document compares with its facts.
enum Comparison {
    /// No fact was made from it.
    New,
    /// The facts state an earlier text.
    Outdated(Vec<Referent>),
    /// Its facts were superseded or archived because of other documents, or of what this one said in between. Names the
    /// successors and the events.
    Retired(Vec<Referent>),
    /// A fact states it, or a person decided otherwise.
    Known,
}

impl FactSource<'_> {
    /// Writes a fact, unless it was stored before. If its text has changed since, the new version supersedes the stored
    /// one.
    pub(super) fn ingest(
        &self,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
    ) -> Result<Option<Uuid>, Error> {
        let mut origin = self.key.origin.clone();
        let mut supersedes = self.supersedes.clone();
        let heads = match self.compare(known) {
            Comparison::New => None,
            Comparison::Known => return Ok(None),
            Comparison::Outdated(heads) => {
                supersedes.extend(heads.iter().cloned());
                Some(heads)
            }
            Comparison::Retired(causes) => match self.restore(transaction, known)? {
                Some(restored) => return Ok(Some(restored)),
                None => Some(causes),
            },
        };
        if let Some(heads) = heads {
            let heads: String = heads.iter().map(ToString::to_string).collect();
            origin = origin.version(&short_hash(&format!("{heads}\n{}", self.text)));
            // The same text superseded the same facts before, and that was undone.
            if known.origins().contains(&origin) {
                return Ok(None);
            }
        }
        let body = Body::Fact(Fact {
            section: FactSection::Decisions,
            content: self.text.clone(),
            key: None,
            value: None,
            scope: None,
        });
        let mut record = transaction.new_record(body);
        record.origin = Some(origin);
        record.source = Some(self.path.to_owned());
        record.artifacts.clone_from(&self.artifacts);
        record.supersedes = supersedes;
        record.tags = vec![AUTO_TAG.to_owned()];
        transaction.write(known, &record).map(Some)
    }

    /// Compares the statement with its facts. What a person has edited since it was stored is known. A fact that was
    /// withdrawn is outdated by any other text, but is not in force.
    fn compare(&self, known: &MemorySlice) -> Comparison {
        let stored: Vec<&Record> = self.key.facts(known).collect();
        if stored.is_empty() {
            return Comparison::New;
        }
        let states_source = |record: &&Record| record.text() == self.text;
        let was_stored = stored.iter().any(states_source);
        let heads = self.key.active_heads(known);
        let records: Vec<&Record> =
            heads.iter().filter_map(|head| known.memory.record(head.record_id()?)).collect();
        if let Some(causes) = self.causes_of_retirement(known, &stored) {
            return Comparison::Retired(causes);
        }
        if records.is_empty() {
            let is_withdrawn = stored.iter().any(|record| known.memory.is_withdrawn(record.id));
            return match is_withdrawn && !was_stored {
                true => Comparison::Outdated(vec![]),
                false => Comparison::Known,
            };
        }
        let is_edited = records.iter().any(|record| !self.key.is_of(record));
        if records.iter().any(states_source) || (is_edited && was_stored) {
            return Comparison::Known;
        }
        let ids = records.iter().flat_map(|record| known.memory.aliases(record.id));
        Comparison::Outdated(ids.map(Referent::Record).collect())
    }

    /// Returns the facts of other decision records that superseded the facts of this statement, and the automatic events
    /// that archived them; `None` if a fact is active, or if a person superseded or archived one.
    fn causes_of_retirement(
        &self,
        known: &MemorySlice,
        stored: &[&Record],
    ) -> Option<Vec<Referent>> {
        let record_of = |head: &Referent| known.memory.record(head.record_id()?);
        let is_of_another = |head: &Referent| {
            record_of(head).is_some_and(|record| {
                let decision = record.origin.as_ref().and_then(Origin::decision_record);
                decision.is_some() && !self.key.is_of(record)
            })
        };
        let mut causes = Vec::new();
        for record in stored {
            let referent = Referent::Record(record.id);
            let (found, is_automatic) = match known.memory.standing(&referent) {
                Standing::Superseded => {
                    let heads = known.memory.heads(&referent);
                    let is_automatic = heads
                        .iter()
                        .all(|head| is_of_another(head) || self.is_retired(known, head));
                    (heads, is_automatic)
                }
                Standing::Archived => {
                    let is_automatic = self.is_retired(known, &referent);
                    (retirements(known, &referent).collect::<Vec<_>>(), is_automatic)
                }
                Standing::Active | Standing::Expired => return None,
            };
            if found.is_empty() || !is_automatic {
                return None;
            }
            causes.extend(found);
            causes.extend(retirements(known, &referent));
        }
        causes.sort();
        causes.dedup();
        Some(causes)
    }

    /// Returns whether a fact of this statement was archived because the document did not state it.
    fn is_retired(&self, known: &MemorySlice, fact: &Referent) -> bool {
        let record = fact.record_id().and_then(|id| known.memory.record(id));
        let events = known.memory.events(EventAction::Archive, fact);
        record.is_some_and(|record| self.key.is_of(record))
            && !events.is_empty()
            && events.len() == retirements(known, fact).count()
    }

    /// Restores the facts that were retired because the document did not state them. Returns one of them.
    fn restore(
        &self,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
    ) -> Result<Option<Uuid>, Error> {
        let states_source = |head: &Referent| {
            let record = head.record_id().and_then(|id| known.memory.record(id));
            record.is_some_and(|record| record.text() == self.text)
        };
        let heads = self.key.heads(known);
        let Some(head) = heads.iter().find(|head| states_source(head)) else { return Ok(None) };
        if !self.is_retired(known, head) {
            return Ok(None);
        }
        let undoes = retirements(known, head).collect();
        let reason = "its document states it again";
        transaction.write_event(known, EventAction::Restore, vec![head.clone()], undoes, reason)?;
        Ok(head.record_id())
    }
}

/// Returns the automatic events that archived a fact.
fn retirements(known: &MemorySlice, fact: &Referent) -> impl Iterator<Item = Referent> {
    let is_automatic = |event: &Uuid| {
        let event = known.memory.record(*event);
        event.is_some_and(|event| event.tags.iter().any(|tag| tag == AUTO_TAG))
    };
    let events = known.memory.events(EventAction::Archive, fact).into_iter();
    events.filter(is_automatic).map(Referent::Record)
}

/// Archives facts because their document no longer states them. Returns whether there were any. The event is tagged, so
/// that they come back when the document states them again; what a person archives stays archived.
pub(super) fn retire(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    facts: Vec<Referent>,
    reason: &str,
) -> Result<bool, Error> {
    if facts.is_empty() {
        return Ok(false);
    }
    let event = Event { reason: reason.to_owned(), ..Event::new(EventAction::Archive, facts) };
    let mut record = transaction.new_record(Body::Event(event));
    record.tags = vec![AUTO_TAG.to_owned()];
    transaction.write(known, &record).map(|_| true)
}
