//! Makes a plan from the memory of a workspace.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};

use heirloom_core::consolidation::{
    ArchivedMemory, ConsolidationPlan, ConsolidationStep, DuplicateFinder, ForgettingReason,
    MergedFact, MovedUsage, PlannedMemory, ShortenedEpisode, due_length, shorten_episode,
};
use heirloom_core::fold::{Item, Standing};
use heirloom_core::record::{Body, Episode, RecordKind, Referent};
use heirloom_core::{day, transcript};
use heirloom_embed::word_nearness;
use heirloom_store::config::ConsolidationSettings;

use super::disuse::DisuseJudge;
use super::protected::is_made_from_document;
use super::undone::UndoneChanges;
use super::{ArchivedRecords, days_between};
use crate::contradictions::{known_pairs, pair_of};
use crate::memory::{MemorySlice, WholeMemory};
use crate::{Error, Session};

/// Most characters of a text that a plan shows where the text is not changed.
const MAX_SHOWN_CHARS: usize = 200;

/// A plan that was just made.
pub(crate) struct NewPlan {
    pub(crate) plan: ConsolidationPlan,
    /// The number of changes that it leaves out because they were undone.
    pub(crate) undone_before: usize,
}

/// Makes a plan of some steps. What was undone is left out, unless it is proposed `again`.
pub(crate) fn make_plan(
    session: &Session,
    steps: &[ConsolidationStep],
    again: bool,
) -> Result<NewPlan, Error> {
    let known = WholeMemory::read(session)?.into_slice();
    let undone = match again {
        true => UndoneChanges::default(),
        false => UndoneChanges::read(session, &known.memory)?,
    };
    let maker = PlanMaker {
        session,
        settings: &session.config()?.consolidation,
        judge: DisuseJudge::new(session, &known)?,
        known: &known,
        undone,
        undone_before: Cell::new(0),
    };
    let has = |step: ConsolidationStep| steps.contains(&step);
    let mut plan = ConsolidationPlan::new(session.now());
    if has(ConsolidationStep::Merge) {
        plan.merge = maker.find_duplicates();
    }
    if has(ConsolidationStep::Compress) {
        plan.compress = maker.find_old_episodes();
    }
    if has(ConsolidationStep::Rank) {
        plan.rank = maker.find_moved_usage();
    }
    if has(ConsolidationStep::Forget) {
        plan.forget = maker.find_forgettable(&plan);
    }
    plan.contradictions = has(ConsolidationStep::Contradictions);
    plan.links = has(ConsolidationStep::Links);
    Ok(NewPlan { plan, undone_before: maker.undone_before.get() })
}

struct PlanMaker<'s> {
    session: &'s Session,
    settings: &'s ConsolidationSettings,
    known: &'s MemorySlice,
    judge: DisuseJudge<'s>,
    undone: UndoneChanges,
    /// The number of changes that were left out because they were undone.
    undone_before: Cell<usize>,
}

impl PlanMaker<'_> {
    /// Counts a change that was undone before. Returns whether it is proposed: whether it was not.
    fn leave_out_if_undone(&self, was_undone: bool) -> bool {
        self.undone_before.set(self.undone_before.get() + usize::from(was_undone));
        !was_undone
    }

    fn active(&self, kind: RecordKind) -> impl Iterator<Item = Item<'_>> {
        self.known.memory.items(kind).filter(|item| item.standing == Standing::Active)
    }

    /// Finds facts that say the same.
    fn find_duplicates(&self) -> Vec<MergedFact> {
        let facts: Vec<Item<'_>> =
            self.active(RecordKind::Fact).filter(|item| !is_made_from_document(item)).collect();
        let mut finder = DuplicateFinder::default();
        let texts: Vec<String> = facts.iter().map(|fact| fact.record.text().into_owned()).collect();
        for (fact, text) in facts.iter().zip(&texts) {
            finder.add(&equal_fields(fact), text);
        }
        let threshold = self.settings.duplicate_similarity;
        let groups = finder.find(threshold, |at| &texts[at], &word_nearness);
        // What is known to contradict each other, or was said to hold both, does not say the same.
        let apart = known_pairs(self.session, self.known);
        let merged = groups.into_iter().map(|group| {
            let longest: Referent = facts[group.longest].id.into();
            let is_same = |at: &usize| {
                !apart.contains(&pair_of(&facts[*at].id.into(), &longest)) || *at == group.longest
            };
            let members = group.members.iter().copied().filter(is_same);
            let mut memories: Vec<PlannedMemory> = members
                .map(|at| PlannedMemory { id: facts[at].id.into(), text: texts[at].clone() })
                .collect();
            self.leave_out_merged_before(&mut memories);
            MergedFact {
                text: texts[group.longest].clone(),
                similarity: (group.similarity * 1000.0).round() / 1000.0,
                memories,
            }
        });
        merged.filter(|merged| merged.memories.len() > 1).collect()
    }

    /// Leaves out facts that were merged with each other before. All of them: if one stayed, what it is merged into would be
    /// merged with the others next time.
    fn leave_out_merged_before(&self, facts: &mut Vec<PlannedMemory>) {
        let merged_before = self.undone.merged_before(facts.iter().map(|fact| &fact.id));
        if !self.leave_out_if_undone(!merged_before.is_empty()) {
            let left_out: HashSet<Referent> = merged_before.into_iter().cloned().collect();
            facts.retain(|fact| !left_out.contains(&fact.id));
        }
    }

    /// Finds episodes that are older than their length allows.
    fn find_old_episodes(&self) -> Vec<ShortenedEpisode> {
        let mut found = Vec::new();
        for item in self.active(RecordKind::Episode) {
            let Body::Episode(episode) = &item.record.body else { continue };
            let days = days_between(day::of_timestamp(item.record.at), self.session.today());
            let (summary, line) = (self.settings.summary_days, self.settings.line_days);
            let Some(to) = due_length(days, summary.into(), line.into()) else { continue };
            if to.is_reached(&item.record.tags)
                || self.judge.protected.is_pinned_or_related(item.id)
            {
                continue;
            }
            if let Some(short) = shorten_episode(episode, &item.record.levels, to)
                && self.leave_out_if_undone(self.undone.was_shortened(&item.id.into()))
            {
                found.push(ShortenedEpisode {
                    id: item.id.into(),
                    title: episode.title.clone(),
                    to,
                    words: words_of(episode),
                    kept_words: words_of(&short),
                    content: short.content,
                });
            }
        }
        found
    }

    /// Finds replaced memories whose usage was counted.
    fn find_moved_usage(&self) -> Vec<MovedUsage> {
        let memory = &self.known.memory;
        let mut found: BTreeMap<Referent, Referent> = BTreeMap::new();
        for (from, _) in self.judge.usage.all() {
            if memory.standing(&from) != Standing::Superseded {
                continue;
            }
            if let [to] = memory.heads(&from).as_slice()
                && memory.standing(to) == Standing::Active
                && *to != from
                && self.leave_out_if_undone(self.undone.was_moved(&from, to))
            {
                found.insert(from, to.clone());
            }
        }
        found.into_iter().map(|(from, to)| MovedUsage { from, to }).collect()
    }

    /// Finds what is archived: what was replaced or will be by this plan, and what is unused and unimportant.
    fn find_forgettable(&self, plan: &ConsolidationPlan) -> Vec<ArchivedMemory> {
        let changed: HashSet<&Referent> = plan.memories().collect();
        let archived = ArchivedRecords::of(&self.known.memory);
        let mut found = Vec::new();
        for kind in RecordKind::recallable() {
            for item in self.known.memory.items(kind) {
                let id = Referent::Record(item.id);
                let is_replaced_here = changed.contains(&id);
                let reason = match item.standing {
                    _ if is_replaced_here => Some(ForgettingReason::Superseded),
                    Standing::Superseded if !archived.contain_all_of(&self.known.memory, &item) => {
                        Some(ForgettingReason::Superseded)
                    }
                    _ => self.judge.reason_to_forget(&item),
                };
                let was_archived = |reason: &ForgettingReason| {
                    !is_replaced_here && self.undone.was_archived(&id, *reason)
                };
                let reason = reason.filter(|it| self.leave_out_if_undone(was_archived(it)));
                found.extend(reason.map(|reason| ArchivedMemory {
                    text: transcript::excerpt(&item.record.text(), MAX_SHOWN_CHARS),
                    id,
                    reason,
                }));
            }
        }
        found
    }
}

/// Returns what must be equal for two facts to be merged, besides their texts.
fn equal_fields(item: &Item<'_>) -> impl std::hash::Hash + use<> {
    let record = item.record;
    let fact = match &record.body {
        Body::Fact(fact) => {
            Some((fact.section, fact.key.clone(), fact.value.clone(), fact.scope.clone()))
        }
        _ => None,
    };
    (fact, record.visibility, item.place.is_local, record.valid_from, record.valid_to)
}

fn words_of(episode: &Episode) -> usize {
    episode.texts().map(|text| text.split_whitespace().count()).sum()
}
