//! Changes of consolidations that were undone. They are not proposed again for the same memories.
//!
//! All of this but moved usage is read from the log. So what one clone merged and another one undid stays undone in both.

use std::collections::{HashMap, HashSet};

use heirloom_core::consolidation::ForgettingReason;
use heirloom_core::fold::Memory;
use heirloom_core::record::{Body, Event, EventAction, Record, RecordKind, Referent};
use uuid::Uuid;

use super::archive_reason;
use crate::memory::{RecordedMove, RecordedRun, UNDONE_RUN_REASON};
use crate::{Error, Session};

/// An event that archived memories, and was undone.
pub(super) struct UndoneArchive<'m> {
    pub(super) archived: &'m Event,
    /// Whether a whole run was undone. Otherwise somebody restored these memories.
    pub(super) is_of_run: bool,
}

/// Returns the events that archived memories and were undone.
pub(super) fn undone_archives(memory: &Memory) -> impl Iterator<Item = UndoneArchive<'_>> {
    let mut restored: HashMap<Uuid, bool> = HashMap::new();
    for (_, event) in events(memory).filter(|(_, event)| event.action == EventAction::Restore) {
        let is_of_run = event.reason == UNDONE_RUN_REASON;
        for archive in event.undoes.iter().filter_map(Referent::record_id) {
            *restored.entry(archive).or_insert(true) &= is_of_run;
        }
    }
    let archives = events(memory).filter(|(_, event)| event.action == EventAction::Archive);
    archives.filter_map(move |(id, archived)| {
        restored.get(&id).map(|is_of_run| UndoneArchive { archived, is_of_run: *is_of_run })
    })
}

fn events(memory: &Memory) -> impl Iterator<Item = (Uuid, &Event)> {
    memory.records().filter_map(|record| match &record.body {
        Body::Event(event) => Some((record.id, event)),
        _ => None,
    })
}

/// The changes that were undone.
#[derive(Default)]
pub(super) struct UndoneChanges {
    /// For each fact, the withdrawn facts that had replaced it together with others.
    merges: HashMap<Referent, Vec<Uuid>>,
    /// The episodes that a withdrawn one had replaced.
    shortened: HashSet<Referent>,
    /// The memories that a withdrawn one had replaced.
    replaced: HashSet<Referent>,
    /// For each memory, the reasons of the events that archived it.
    archived: HashMap<Referent, Vec<String>>,
    /// The memories whose usage counted for others.
    moved: HashSet<(Referent, Referent)>,
}

impl UndoneChanges {
    /// Finds the changes that were undone.
    pub(super) fn read(session: &Session, memory: &Memory) -> Result<Self, Error> {
        let mut found = UndoneChanges::default();
        for record in memory.records().filter(|record| memory.is_withdrawn(record.id)) {
            found.add_withdrawn(memory, record);
        }
        for undone in undone_archives(memory).filter(|undone| undone.is_of_run) {
            for target in &undone.archived.targets {
                let reasons = found.archived.entry(memory.canonical(target)).or_default();
                reasons.push(undone.archived.reason.clone());
            }
        }
        let moved = RecordedRun::undone_moves(session)?.into_iter();
        found.moved.extend(moved.map(|RecordedMove { from, to, .. }| (from, to)));
        Ok(found)
    }

    fn add_withdrawn(&mut self, memory: &Memory, record: &Record) {
        let mut replaced: Vec<Referent> =
            record.supersedes.iter().map(|referent| memory.canonical(referent)).collect();
        replaced.sort();
        replaced.dedup();
        self.replaced.extend(replaced.iter().cloned());
        match record.body.kind() {
            RecordKind::Fact if replaced.len() > 1 => {
                for fact in replaced {
                    self.merges.entry(fact).or_default().push(record.id);
                }
            }
            RecordKind::Episode => self.shortened.extend(replaced),
            _ => {}
        }
    }

    /// Returns those of some facts that were merged with another one of them before.
    pub(super) fn merged_before<'r>(
        &self,
        facts: impl Iterator<Item = &'r Referent> + Clone,
    ) -> HashSet<&'r Referent> {
        let merges_of = |fact: &Referent| self.merges.get(fact).into_iter().flatten();
        let mut counts: HashMap<Uuid, usize> = HashMap::new();
        facts.clone().flat_map(merges_of).for_each(|merge| *counts.entry(*merge).or_default() += 1);
        facts.filter(|fact| merges_of(fact).any(|merge| counts[merge] > 1)).collect()
    }

    /// Returns whether an episode was shortened before.
    pub(super) fn was_shortened(&self, episode: &Referent) -> bool {
        self.shortened.contains(episode)
    }

    /// Returns whether a memory was archived for a reason before.
    pub(super) fn was_archived(&self, memory: &Referent, reason: ForgettingReason) -> bool {
        let Some(reasons) = self.archived.get(memory) else { return false };
        // What was archived because a run replaced it is active since that was undone. If it is not, it was replaced anew.
        let is_replaced_anew = !reason.is_disuse() && self.replaced.contains(memory);
        !is_replaced_anew && reasons.contains(&archive_reason(reason))
    }

    /// Returns whether the usage of a memory counted for another one before.
    pub(super) fn was_moved(&self, from: &Referent, to: &Referent) -> bool {
        !self.moved.is_empty() && self.moved.contains(&(from.clone(), to.clone()))
    }
}
