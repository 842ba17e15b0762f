//! Memories that others may contradict: facts, and decisions, findings and lessons of documents.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use heirloom_core::fold::{Item, Standing};
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::{EntryKind, MemoryEntry};
use heirloom_core::record::{Body, Origin, Record, RecordKind, Referent};
use heirloom_core::words::{normalise, short_hash};
use jiff::Timestamp;
use jiff::civil::Date;

use super::{MemorySlice, learnings};
use crate::workspace::memory_document::MemoryDocument;

/// A memory that others may contradict, with what decides whether they are about the same.
#[derive(Debug, Clone)]
pub(crate) struct ComparableMemory {
    /// What the log refers to it by.
    pub(crate) referent: Referent,
    /// What it states.
    pub(crate) text: String,
    /// The key and the value of a fact in the form of key and value.
    pub(crate) key_value: Option<(String, String)>,
    /// The part of the project for which a fact is valid.
    pub(crate) scope: Option<String>,
    /// When a record was written; `None` for an entry or a text.
    pub(crate) recorded: Option<Timestamp>,
    /// Whether it stays on this machine.
    pub(crate) is_local: bool,
    /// The days on which it is true: from the first, and before the second.
    pub(crate) valid: (Option<Date>, Option<Date>),
    /// The plan, agent or other scope in whose document an entry is, or the entry of which a fact was made.
    pub(crate) selectors: Selectors,
}

impl ComparableMemory {
    /// Takes a record that others may contradict; `None` for any other record.
    pub(crate) fn of_record(id: Referent, record: &Record) -> Option<Self> {
        let Body::Fact(fact) = &record.body else { return None };
        let key_value = fact.key.clone().zip(fact.value.clone());
        let text = match &key_value {
            Some((key, value)) if !fact.content.is_empty() => {
                format!("{key}: {value}\n{}", fact.content)
            }
            _ => without_number(record).into_owned(),
        };
        Some(ComparableMemory {
            referent: id,
            text,
            key_value,
            scope: fact.scope.clone(),
            recorded: Some(record.at),
            is_local: record.is_private(),
            valid: (record.valid_from, record.valid_to),
            selectors: Selectors::default(),
        })
    }

    /// Takes an entry that others may contradict; `None` for any other entry.
    pub(crate) fn of_entry(document: &MemoryDocument, entry: &MemoryEntry) -> Option<Self> {
        let is_statement =
            matches!(entry.kind, EntryKind::Decision | EntryKind::Finding | EntryKind::Lesson);
        is_statement.then(|| ComparableMemory {
            referent: Referent::entry(&entry.id),
            text: learnings::statements(entry),
            key_value: None,
            scope: None,
            recorded: None,
            is_local: false,
            valid: (None, None),
            selectors: document.selectors.clone(),
        })
    }

    /// Makes one of a text alone.
    pub(crate) fn of_text(text: &str) -> Self {
        ComparableMemory {
            referent: Referent::Unknown(String::new()),
            text: text.to_owned(),
            key_value: None,
            scope: None,
            recorded: None,
            is_local: false,
            valid: (None, None),
            selectors: Selectors::default(),
        }
    }

    /// Returns whether it is known to be older than another.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        self.recorded.zip(other.recorded).is_some_and(|(own, others)| own < others)
    }

    /// Returns a hash of what it states.
    pub(crate) fn text_hash(&self) -> String {
        short_hash(&normalise(&self.text))
    }

    /// Returns whether both may hold at the same time and for the same part of the project. A memory without a scope
    /// holds for all.
    pub(crate) fn has_common_scope(&self, other: &Self) -> bool {
        let differ = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => normalise(a) != normalise(b),
            _ => false,
        };
        let ends_before = |a: &Self, b: &Self| match (a.valid.1, b.valid.0) {
            (Some(end), Some(start)) => end <= start,
            _ => false,
        };
        let is_other_place = self.selectors.iter().any(|(level, name)| {
            other.selectors.get(level).is_some_and(|other_name| other_name != name)
        });
        !differ(&self.scope, &other.scope)
            && !ends_before(self, other)
            && !ends_before(other, self)
            && !is_other_place
    }
}

impl MemorySlice {
    /// Returns the memories of this slice that hold on a day and that others may contradict. An entry of which a fact was
    /// made is left out: the fact says the same, or was retired.
    pub(crate) fn comparable_memories(&self, today: Date) -> Vec<ComparableMemory> {
        let entries: HashMap<&str, &MemoryDocument> =
            self.entries().map(|(document, entry)| (entry.id.as_str(), document)).collect();
        let mut found: Vec<ComparableMemory> = Vec::new();
        for item in self.memory.items(RecordKind::Fact).filter(|item| holds(item, today)) {
            let document =
                origin_entry(item.record).and_then(|id| entries.get(id.as_str()).copied());
            let comparable = ComparableMemory::of_record(item.id.into(), item.record);
            found.extend(comparable.map(|memory| self.complete(memory, document)));
        }
        let facts = self.memory.records().filter(|record| record.kind() == RecordKind::Fact);
        let facts = facts.filter(|record| !self.memory.is_withdrawn(record.id));
        let entries_with_facts: HashSet<String> = facts.filter_map(origin_entry).collect();
        for (document, entry) in self.entries() {
            let is_active = self.memory.standing(&Referent::entry(&entry.id)) == Standing::Active;
            if is_active && !entries_with_facts.contains(&entry.id) {
                found.extend(ComparableMemory::of_entry(document, entry));
            }
        }
        found
    }

    /// Returns the plan, agent or other scope for which a record holds: that of the entry of which it was made.
    pub(crate) fn selectors_of(&self, record: &Record) -> Selectors {
        let document = origin_entry(record).and_then(|id| {
            self.entries().find(|(_, entry)| entry.id == id).map(|(document, _)| document)
        });
        document.map(|document| document.selectors.clone()).unwrap_or_default()
    }

    /// Adds what a record does not state itself: where it is stored, and the scope of the document that it was made from.
    fn complete(
        &self,
        memory: ComparableMemory,
        document: Option<&MemoryDocument>,
    ) -> ComparableMemory {
        ComparableMemory {
            is_local: self.is_local(&memory.referent),
            selectors: document.map(|document| document.selectors.clone()).unwrap_or_default(),
            ..memory
        }
    }

    /// Returns a memory that holds on a day and that others may contradict; `None` for any other.
    pub(crate) fn comparable(&self, referent: &Referent, today: Date) -> Option<ComparableMemory> {
        match referent {
            Referent::Record(id) => {
                let item = self.memory.item(*id).filter(|item| holds(item, today))?;
                let memory = ComparableMemory::of_record(item.id.into(), item.record)?;
                let is_local = self.is_local(&memory.referent);
                Some(ComparableMemory {
                    is_local,
                    selectors: self.selectors_of(item.record),
                    ..memory
                })
            }
            Referent::Entry(id) => {
                let is_active = self.memory.standing(referent) == Standing::Active;
                let (document, entry) =
                    self.entries().find(|(_, entry)| is_active && entry.id == *id)?;
                ComparableMemory::of_entry(document, entry)
            }
            Referent::Document(_) | Referent::Unknown(_) => None,
        }
    }
}

/// Returns the text of a record without the number of the decision record that it was made of, which is no part of what is
/// decided.
fn without_number(record: &Record) -> Cow<'_, str> {
    let text = record.text();
    let number = record.origin.as_ref().and_then(Origin::decision_record);
    let rest = number.and_then(|number| text.strip_prefix(number)?.strip_prefix(": "));
    match rest {
        Some(rest) => Cow::Owned(rest.to_owned()),
        None => text,
    }
}

/// Returns the id of the entry of which a record was made.
fn origin_entry(record: &Record) -> Option<String> {
    match record.origin.as_ref()?.referred_entry()? {
        Referent::Entry(id) => Some(id),
        _ => None,
    }
}

fn holds(item: &Item<'_>, today: Date) -> bool {
    item.standing == Standing::Active && item.record.valid_to.is_none_or(|end| end > today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_of_other_scopes_times_and_plans_are_not_about_the_same() {
        let text = ComparableMemory::of_text("The timeout is 30 s");
        let scoped = |scope: &str| ComparableMemory { scope: Some(scope.into()), ..text.clone() };
        assert!(text.has_common_scope(&scoped("api")));
        assert!(scoped("API").has_common_scope(&scoped("api")));
        assert!(!scoped("api").has_common_scope(&scoped("web")));
        let day = |text: &str| heirloom_core::day::parse(text);
        let until = ComparableMemory { valid: (None, day("2026-02-01")), ..text.clone() };
        let from = ComparableMemory { valid: (day("2026-02-01"), None), ..text.clone() };
        assert!(!until.has_common_scope(&from) && !from.has_common_scope(&until));
        assert!(until.has_common_scope(&text));
        let of_plan = |plan: &str| ComparableMemory {
            selectors: Selectors::from_iter([("plan".to_owned(), plan.to_owned())]),
            ..text.clone()
        };
        assert!(!of_plan("0042-graph").has_common_scope(&of_plan("0043-auth")));
        assert!(of_plan("0042-graph").has_common_scope(&text));
    }
}
