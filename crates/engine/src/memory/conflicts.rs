//! Finds contradictions between memories.

use std::collections::BTreeMap;

use heirloom_core::conflict::{self, Conflict, ConflictKind, DecisionSource, Severity};
use heirloom_core::fold::Standing;
use heirloom_core::hint::{Argument, Hint};
use heirloom_core::record::{EventAction, RecordKind, Referent, Relation};

use super::MemorySlice;
use crate::workspace::memory_document::MemoryDocument;

impl MemorySlice {
    /// Returns all conflicts between memories. With `plan`, returns only the conflicting decisions of that plan and its
    /// agents.
    pub(crate) fn conflicts(&self, plan: Option<&str>) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let mut plans: BTreeMap<&str, Vec<&MemoryDocument>> = BTreeMap::new();
        for document in &self.documents {
            if let Some(name) = document.selectors.get("plan") {
                plans.entry(name).or_default().push(document);
            }
        }
        plans.retain(|name, _| plan.is_none_or(|plan| plan == *name));
        for documents in plans.into_values() {
            conflicts.extend(self.conflicting_decisions(documents));
        }
        if plan.is_none() {
            conflicts.extend(self.forked_facts());
            conflicts.extend(self.contradictions());
        }
        conflicts
    }

    /// Returns whether a pin, a fork or a contradiction, stated or found, names an entry of a memory document.
    pub(crate) fn names_entries(&self) -> bool {
        let is_entry = |memory: &Referent| memory.entry_id().is_some();
        let pinned = self.memory.targets_of(EventAction::Pin);
        pinned.keys().any(|pin| is_entry(pin) || self.memory.heads(pin).iter().any(is_entry))
            || self.memory.forks().iter().any(|fork| fork.heads.iter().any(is_entry))
            || self.memory.edges().keys().any(|(from, to, relation)| {
                *relation == Relation::Contradicts && (is_entry(from) || is_entry(to))
            })
            || self
                .memory
                .items(RecordKind::Contradiction)
                .any(|found| found.record.referents().into_iter().any(is_entry))
    }

    /// Returns the conflicts between decisions of a plan and its agents, and among the agents.
    fn conflicting_decisions(&self, documents: Vec<&MemoryDocument>) -> Vec<Conflict> {
        let sources: Vec<DecisionSource<'_>> = documents
            .into_iter()
            .map(|document| DecisionSource {
                level: &document.level,
                owner: document.selectors.last().map_or("", |(_, name)| name),
                path: &document.path,
                entries: document
                    .content
                    .entries
                    .iter()
                    .filter(|entry| {
                        self.memory.standing(&Referent::entry(&entry.id)) == Standing::Active
                    })
                    .collect(),
            })
            .collect();
        let (plans, agents): (Vec<_>, Vec<_>) =
            sources.into_iter().partition(|source| source.level == "plan");
        conflict::find_decision_conflicts(plans.first(), &agents)
    }

    /// Returns a conflict for each fact that several active ones supersede.
    fn forked_facts(&self) -> Vec<Conflict> {
        let forks = self.memory.forks().into_iter();
        forks
            .map(|fork| {
                let texts: Vec<String> = fork
                    .heads
                    .iter()
                    .filter_map(|head| self.item(head))
                    .map(|item| format!("`{}` ({})", item.text, item.short_id()))
                    .collect();
                contradiction_warning(
                    self.first_location(&fork.heads),
                    format!(
                        "{} was superseded by {}, which are all active",
                        fork.replaced.short(),
                        texts.join(" and ")
                    ),
                    Hint::text("supersede all of them by one with ").call(
                        "memory_supersede",
                        [
                            ("fact_id", Argument::from("ID")),
                            ("content", "TEXT".into()),
                            ("supersedes", vec!["OTHER".to_owned()].into()),
                        ],
                    ),
                )
            })
            .collect()
    }

    /// Returns the relations of contradiction between active memories.
    fn contradictions(&self) -> Vec<Conflict> {
        let edges = self.memory.edges();
        let pairs = edges.keys().filter(|(from, to, relation)| {
            *relation == Relation::Contradicts
                && [from, to].iter().all(|end| self.memory.standing(end) == Standing::Active)
        });
        pairs
            .map(|(from, to, _)| {
                let describe = |end: &Referent| match (self.item(end), end) {
                    (Some(item), _) => format!("`{}`", item.text),
                    (None, Referent::Document(id)) => id.clone(),
                    (None, other) => other.to_string(),
                };
                contradiction_warning(
                    self.first_location(&[from.clone(), to.clone()]),
                    format!("{} contradicts {}, and both are active", describe(from), describe(to)),
                    "archive or supersede one of the two".into(),
                )
            })
            .collect()
    }

    /// Returns the path and line of the first memory that is known; an empty path and line 1 if none is.
    fn first_location(&self, memories: &[Referent]) -> (String, usize) {
        let first = memories.iter().find_map(|memory| self.item(memory));
        first.map_or((String::new(), 1), |item| (item.path, item.line))
    }
}

fn contradiction_warning(place: (String, usize), message: String, hint: Hint) -> Conflict {
    Conflict::at(ConflictKind::DirectContradiction, Severity::Warning, place, message, hint)
}
