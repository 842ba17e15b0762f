//! Carries out a plan in one transaction.

use std::collections::{HashMap, HashSet};

use heirloom_core::consolidation::{
    ArchivedMemory, ConsolidationPlan, ForgettingReason, MergedFact, MovedUsage, PLAN_VERSION,
    ShortenedEpisode, shorten_episode,
};
use heirloom_core::fold::{Item, Standing};
use heirloom_core::record::{Body, EventAction, Fact, Origin, Record, Referent, ShortTexts};
use jiff::Timestamp;
use uuid::Uuid;

use super::disuse::{DisuseJudge, fact_of};
use super::protected::is_made_from_document;
use super::{ArchivedRecords, archive_reason};
use crate::contradictions::{known_pairs, pair_of};
use crate::memory::{MemoryQuery, MemorySlice, RecordedMove, RunKind, WriteTransaction};
use crate::usage::append_moves;
use crate::workspace::input_checks::reject_secret;
use crate::{Error, Session};

/// What was carried out.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The number of facts that were merged into others.
    pub(crate) deduped: usize,
    /// The number of episodes that were shortened.
    pub(crate) compressed: usize,
    /// The number of memories whose usage counts for what replaced them.
    pub(crate) moved: usize,
    /// The number of memories that were archived, besides those that the run itself replaced.
    pub(crate) forgotten: usize,
    /// The number of the run; `None` if no memory changed.
    pub(crate) run: Option<u64>,
    /// What was left out, and why.
    pub(crate) notes: Vec<String>,
}

/// Checks whether this version can carry out a plan.
fn check_version(plan: &ConsolidationPlan) -> Result<(), Error> {
    if plan.version != PLAN_VERSION {
        let message = format!("this is a plan of version {}, not {PLAN_VERSION}", plan.version);
        return Err(Error::bad_input(message).hint("make a new plan"));
    }
    Ok(())
}

/// Carries out a plan. An item whose memories changed since the plan was made is left out.
pub(crate) fn apply(session: &Session, plan: &ConsolidationPlan) -> Result<Applied, Error> {
    with_run(session, plan, |run| {
        let Run { transaction, moved, mut applied, .. } = run;
        let moves: Vec<(Referent, Referent)> =
            moved.iter().map(|moved| (moved.from.clone(), moved.to.clone())).collect();
        applied.run = transaction.commit_as_run_with_usage(RunKind::Consolidation, moved)?;
        append_moves(session, moves.iter().map(|(from, to)| (from, to)))?;
        Ok(applied)
    })
}

/// Returns what would be carried out of a plan, without changing anything.
pub(crate) fn try_plan(session: &Session, plan: &ConsolidationPlan) -> Result<Applied, Error> {
    with_run(session, plan, |run| Ok(run.applied))
}

/// Prepares all changes of a plan, and passes them on.
fn with_run(
    session: &Session,
    plan: &ConsolidationPlan,
    finish: impl FnOnce(Run<'_>) -> Result<Applied, Error>,
) -> Result<Applied, Error> {
    check_version(plan)?;
    if plan.is_empty() {
        return Ok(Applied::default());
    }
    // What a merged fact or a short episode says is in the log already. An edited text is checked by itself.
    let transaction = WriteTransaction::begin(session, true)?;
    let ranked = plan.rank.iter().flat_map(|moved| [&moved.from, &moved.to]);
    let referents: Vec<Referent> = plan.memories().chain(ranked).cloned().collect();
    let known = MemoryQuery::new().referents(referents).pinned().contradictions().read(session)?;
    let mut run = Run {
        judge: DisuseJudge::new(session, &known)?,
        archived: ArchivedRecords::of(&known.memory),
        apart: known_pairs(session, &known),
        planned_at: plan.made_at,
        known: &known,
        transaction,
        replaced: HashMap::new(),
        moved: vec![],
        applied: Applied::default(),
    };
    for merged in &plan.merge {
        run.merge(merged)?;
    }
    for episode in &plan.compress {
        run.shorten(episode)?;
    }
    for moved in &plan.rank {
        run.rank(moved);
    }
    for memory in &plan.forget {
        run.forget(memory)?;
    }
    finish(run)
}

struct Run<'s> {
    known: &'s MemorySlice,
    judge: DisuseJudge<'s>,
    archived: ArchivedRecords<'s>,
    /// The pairs of memories that contradict each other, or were said to hold both.
    apart: HashSet<[Referent; 2]>,
    /// When the plan was made.
    planned_at: Timestamp,
    transaction: WriteTransaction<'s>,
    /// What this run replaced, with what replaced it.
    replaced: HashMap<Referent, Uuid>,
    /// The memories whose usage counts for others.
    moved: Vec<RecordedMove>,
    applied: Applied,
}

impl Run<'_> {
    /// Returns the active record that a plan names, if its text is still the same.
    fn find(&self, id: &Referent, is_same: impl Fn(&Record) -> bool) -> Result<Item<'_>, String> {
        let item = id.record_id().and_then(|id| self.known.memory.item(id));
        let item = item.ok_or_else(|| "it does not exist".to_owned())?;
        if self.replaced.contains_key(&Referent::Record(item.id)) {
            return Err("the plan replaces it twice".to_owned());
        }
        match item.standing {
            Standing::Active if is_same(item.record) => Ok(item),
            Standing::Active => Err("its text changed".to_owned()),
            standing => Err(format!("it is {} meanwhile", standing.as_str())),
        }
    }

    fn leave_out(&mut self, what: &str, id: &Referent, reason: &str) {
        self.applied.notes.push(format!("{} is not {what}: {reason}", id.short()));
    }

    /// Writes a record that replaces others, and lets their usage count for it.
    fn replace(&mut self, mut record: Record, replaced: &[Uuid]) -> Result<(), Error> {
        let aliases = replaced.iter().flat_map(|id| self.known.memory.aliases(*id));
        record.supersedes = aliases.map(Referent::Record).collect();
        record.supersedes.sort();
        record.supersedes.dedup();
        // A record that says the same as an older one is an alias of it, and usage is counted by the oldest.
        let equal = self.known.memory.find_equal(&record).map(|item| item.id);
        let canonical = equal.map_or(record.id, |equal| equal.min(record.id));
        let id = self.transaction.write(self.known, &record)?;
        self.replaced.extend(replaced.iter().map(|old| (Referent::Record(*old), id)));
        for old in replaced {
            self.move_usage((*old).into(), canonical.into());
        }
        Ok(())
    }

    fn move_usage(&mut self, from: Referent, to: Referent) {
        let counts = self.judge.usage.counts(&from);
        if from != to {
            self.moved.push(RecordedMove { from, to, counts });
        }
    }

    fn merge(&mut self, merged: &MergedFact) -> Result<(), Error> {
        let mut facts: Vec<(Uuid, Record)> = Vec::new();
        for memory in &merged.memories {
            let found = self.find(&memory.id, |record| record.text() == memory.text);
            let fact = found.and_then(|item| match &item.record.body {
                Body::Fact(_) if is_made_from_document(&item) => {
                    Err("it states what a document says".to_owned())
                }
                Body::Fact(_) => Ok((item.id, item.record.clone())),
                _ => Err("it is not a fact".to_owned()),
            });
            match fact {
                Ok(fact) if facts.iter().any(|(id, _)| *id == fact.0) => {}
                Ok(fact) => facts.push(fact),
                Err(reason) => {
                    self.leave_out("merged", &memory.id, &reason);
                    return Ok(());
                }
            }
        }
        let [(first, _), others @ ..] = facts.as_slice() else { return Ok(()) };
        if others.is_empty() || merged.text.trim().is_empty() {
            return Ok(());
        }
        if let Some((id, reason)) =
            others.iter().find_map(|(id, _)| Some((*id, self.reason_to_keep_apart(*first, *id)?)))
        {
            self.leave_out("merged", &id.into(), reason);
            return Ok(());
        }
        let contradicts = |a: Uuid, b: Uuid| self.apart.contains(&pair_of(&a.into(), &b.into()));
        let pairs = (0..facts.len()).flat_map(|a| (a + 1..facts.len()).map(move |b| (a, b)));
        let apart = pairs.map(|(a, b)| (facts[a].0, facts[b].0)).find(|(a, b)| contradicts(*a, *b));
        if let Some((id, _)) = apart {
            let reason = "two of the facts contradict each other, or were said to hold both";
            self.leave_out("merged", &id.into(), reason);
            return Ok(());
        }
        let is_known = facts.iter().any(|(_, record)| record.text() == merged.text);
        if !is_known && let Err(error) = reject_secret(&merged.text) {
            self.leave_out("merged", &(*first).into(), &error.message);
            return Ok(());
        }
        let replaced: Vec<Uuid> = facts.iter().map(|(id, _)| *id).collect();
        let record = merged_record(&self.transaction, &facts, &merged.text);
        self.replace(record, &replaced)?;
        self.applied.deduped += replaced.len() - 1;
        Ok(())
    }

    /// Returns why two facts are not merged, whatever their texts say.
    fn reason_to_keep_apart(&self, a: Uuid, b: Uuid) -> Option<&'static str> {
        let memory = &self.known.memory;
        let (a, b) = (memory.item(a)?, memory.item(b)?);
        let valid = |item: &Item<'_>| (item.record.valid_from, item.record.valid_to);
        match () {
            () if a.record.visibility != b.record.visibility
                || a.place.is_local != b.place.is_local
                || scope_of(a.record) != scope_of(b.record) =>
            {
                Some("the facts differ in section, key, scope or visibility")
            }
            () if valid(&a) != valid(&b) => Some("the facts are true at different times"),
            () => None,
        }
    }

    fn shorten(&mut self, planned: &ShortenedEpisode) -> Result<(), Error> {
        let found = self.find(&planned.id, |record| match &record.body {
            Body::Episode(episode) => {
                episode.title == planned.title && !planned.to.is_reached(&record.tags)
            }
            _ => false,
        });
        let found =
            found.and_then(|item| match self.judge.protected.is_pinned_or_related(item.id) {
                true => Err("it is pinned or related".to_owned()),
                false => Ok((item.id, item.record.clone())),
            });
        let (id, old) = match found {
            Ok(found) => found,
            Err(reason) => {
                self.leave_out("shortened", &planned.id, &reason);
                return Ok(());
            }
        };
        let Body::Episode(episode) = &old.body else { return Ok(()) };
        let Some(mut short) = shorten_episode(episode, &old.levels, planned.to) else {
            return Ok(());
        };
        if short.content != planned.content {
            if let Err(error) = reject_secret(&planned.content) {
                self.leave_out("shortened", &planned.id, &error.message);
                return Ok(());
            }
            short.content.clone_from(&planned.content);
        }
        let new = self.transaction.new_record(Body::Episode(Box::new(short)));
        let tag = planned.to.tag();
        // Two clones that shorten one episode to one length make one record of it.
        let origin = old.origin.clone().unwrap_or_else(|| Origin::shortened(&id.into()));
        let record = Record {
            id: new.id,
            body: new.body,
            tags: old.tags.iter().cloned().chain([tag.to_owned()]).collect(),
            session: old.session_id().map(str::to_owned),
            origin: Some(origin.version(tag)),
            // It tells of the same work, and is as old.
            ..old.clone()
        };
        self.replace(record, &[id])?;
        self.applied.compressed += 1;
        Ok(())
    }

    /// Lets the usage of a replaced memory count for what replaced it.
    fn rank(&mut self, planned: &MovedUsage) {
        let memory = &self.known.memory;
        let is_replaced = memory.standing(&planned.from) == Standing::Superseded
            && memory.heads(&planned.from).contains(&planned.to);
        if !is_replaced {
            let reason = format!("{} did not replace it", planned.to.short());
            self.leave_out("ranked", &planned.from, &reason);
            return;
        }
        // What replaces the successor in this run gets the usage with that of the successor.
        self.move_usage(planned.from.clone(), planned.to.clone());
        self.applied.moved += 1;
    }

    fn forget(&mut self, memory: &ArchivedMemory) -> Result<(), Error> {
        let item = memory.id.record_id().and_then(|id| self.known.memory.item(id));
        let Some(item) = item else {
            self.leave_out("archived", &memory.id, "it does not exist");
            return Ok(());
        };
        let is_replaced_here = self.replaced.contains_key(&Referent::Record(item.id));
        if let Some(reason) = self.reason_to_leave(&item, memory.reason, is_replaced_here) {
            self.leave_out("archived", &memory.id, reason);
            return Ok(());
        }
        let targets: Vec<Referent> =
            self.known.memory.aliases(item.id).into_iter().map(Referent::Record).collect();
        let (reason, action) = (archive_reason(memory.reason), EventAction::Archive);
        let is_for_all =
            !memory.reason.is_disuse() && (is_replaced_here || self.is_replaced_for_all(&item));
        match is_for_all {
            true => self.transaction.write_event(self.known, action, targets, vec![], &reason)?,
            false => self.transaction.write_local_event(action, targets, &reason)?,
        };
        self.applied.forgotten += usize::from(!is_replaced_here);
        Ok(())
    }

    /// Returns whether everybody who has a record also has what replaced it: a private record replaces a shared one on this
    /// machine only.
    fn is_replaced_for_all(&self, item: &Item<'_>) -> bool {
        let successors = self.known.memory.direct_successors(&item.id.into());
        successors.into_iter().any(|id| !self.known.is_local(&id.into()))
    }

    /// Returns why a memory is not archived, although a plan says so.
    fn reason_to_leave(
        &self,
        item: &Item<'_>,
        reason: ForgettingReason,
        is_replaced_here: bool,
    ) -> Option<&'static str> {
        if reason.is_disuse() {
            return match is_replaced_here {
                true => Some("it was replaced meanwhile"),
                false => self.judge.reason_to_leave(item, self.planned_at),
            };
        }
        match () {
            () if is_replaced_here => None,
            () if item.standing != Standing::Superseded => Some("nothing replaced it"),
            () if self.archived.contain_all_of(&self.known.memory, item) => {
                Some("it is archived already")
            }
            () => None,
        }
    }
}

/// Returns what facts must have in common to be merged: a fact without its text.
fn scope_of(record: &Record) -> Option<Fact> {
    fact_of(record).map(|fact| Fact { content: String::new(), ..fact.clone() })
}

/// Makes the record of a merged fact. It has what each of the facts states besides the text.
fn merged_record(
    transaction: &WriteTransaction<'_>,
    facts: &[(Uuid, Record)],
    text: &str,
) -> Record {
    let records = || facts.iter().map(|(_, record)| record);
    let same = records().find(|record| record.text() == text);
    let base = same.unwrap_or(&facts[0].1);
    let mut body = base.body.clone();
    if let Body::Fact(fact) = &mut body
        && same.is_none()
    {
        fact.content = text.to_owned();
    }
    let union = |list: fn(&Record) -> &[String]| {
        let mut all: Vec<String> = Vec::new();
        for item in records().flat_map(list) {
            if !all.contains(item) {
                all.push(item.clone());
            }
        }
        all
    };
    // A fact that states no confidence is certain.
    let confidence = match records().all(|record| record.confidence.is_some()) {
        true => records().filter_map(|record| record.confidence).reduce(f64::max),
        false => None,
    };
    let new = transaction.new_record(body);
    Record {
        id: new.id,
        body: new.body,
        // Merging is no news: the fact is as old as its latest version.
        at: records().map(|record| record.at).max().unwrap_or(new.at),
        by: new.by,
        tags: union(|record| &record.tags),
        artifacts: union(|record| &record.artifacts),
        confidence,
        origin: None,
        // Short forms of another text are none of this one.
        levels: if same.is_some() { base.levels.clone() } else { ShortTexts::default() },
        ..base.clone()
    }
}
