//! Carries out a plan in one transaction.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::consolidation::{
    ArchivedMemory, ConsolidationPlan, ForgettingReason, MergedFact, MovedUsage, PLAN_VERSION,
    ShortenedEpisode, shorten_episode,
};
use heirloom_core::fold::{Item, Standing};
use heirloom_core::record::{Body, EventAction, Fact, FactSection, Record, Referent};
use heirloom_core::words::short_hash;
use uuid::Uuid;

use super::archive_reason;
use super::protected::{ProtectedMemories, is_made_from_document};
use crate::memory::{MemoryQuery, MemorySlice, RecordedRun, RunKind, WriteTransaction};
use crate::usage::append_moves;
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

/// Carries out a plan. An item whose memories changed since the plan was made is left out.
pub(crate) fn apply(session: &Session, plan: &ConsolidationPlan) -> Result<Applied, Error> {
    if plan.version != PLAN_VERSION {
        let message = format!("this is a plan of version {}, not {PLAN_VERSION}", plan.version);
        return Err(Error::bad_input(message).hint("make a new plan"));
    }
    let transaction = WriteTransaction::begin(session, false)?;
    let referents: Vec<Referent> = plan.memories().cloned().collect();
    let known = MemoryQuery::new().referents(referents).pinned().read(session)?;
    let mut run = Run {
        protected: ProtectedMemories::new(&known),
        known: &known,
        transaction,
        replaced: HashMap::new(),
        applied: Applied::default(),
    };
    for merged in &plan.merge {
        run.merge(merged)?;
    }
    for episode in &plan.compress {
        run.shorten(episode)?;
    }
    for memory in &plan.forget {
        run.forget(memory)?;
    }
    let Run { transaction, replaced, mut applied, .. } = run;
    applied.run = transaction.commit_as_run(RunKind::Consolidation)?;
    let mut moved = plan.rank.clone();
    let successors = replaced.into_iter().map(|(from, to)| MovedUsage { from, to: to.into() });
    let successors: BTreeSet<(Referent, Referent)> =
        successors.map(|moved| (moved.from, moved.to)).collect();
    applied.moved = moved.len();
    moved.extend(successors.into_iter().map(|(from, to)| MovedUsage { from, to }));
    append_moves(session, moved.iter().map(|moved| (&moved.from, &moved.to)))?;
    if let Some(number) = applied.run
        && let Some(recorded) = RecordedRun::read(session, number)?
    {
        RecordedRun { moved_usage: moved, ..recorded }.replace(session, number)?;
    }
    Ok(applied)
}

struct Run<'s> {
    known: &'s MemorySlice,
    protected: ProtectedMemories,
    transaction: WriteTransaction<'s>,
    /// What this run replaced, with what replaced it.
    replaced: HashMap<Referent, Uuid>,
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

    /// Writes a record that replaces others.
    fn replace(&mut self, mut record: Record, replaced: &[Uuid]) -> Result<(), Error> {
        let aliases = replaced.iter().flat_map(|id| self.known.memory.aliases(*id));
        record.supersedes = aliases.map(Referent::Record).collect();
        record.supersedes.sort();
        record.supersedes.dedup();
        let id = self.transaction.write(self.known, &record)?;
        self.replaced.extend(replaced.iter().map(|old| (Referent::Record(*old), id)));
        Ok(())
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
        let is_kept_apart =
            |a: &Record, b: &Record| a.visibility != b.visibility || scope_of(a) != scope_of(b);
        let [(_, first), others @ ..] = facts.as_slice() else { return Ok(()) };
        if others.is_empty() || merged.text.trim().is_empty() {
            return Ok(());
        }
        if let Some((id, _)) = others.iter().find(|(_, other)| is_kept_apart(first, other)) {
            let id = Referent::Record(*id);
            self.leave_out("merged", &id, "the facts differ in section, key, scope or visibility");
            return Ok(());
        }
        let replaced: Vec<Uuid> = facts.iter().map(|(id, _)| *id).collect();
        let record = merged_record(&self.transaction, &facts, &merged.text);
        self.replace(record, &replaced)?;
        self.applied.deduped += replaced.len() - 1;
        Ok(())
    }

    fn shorten(&mut self, planned: &ShortenedEpisode) -> Result<(), Error> {
        let found = self.find(&planned.id, |record| match &record.body {
            Body::Episode(episode) => {
                episode.title == planned.title && !planned.to.is_reached(&record.tags)
            }
            _ => false,
        });
        let (id, old) = match found {
            Ok(item) => (item.id, item.record.clone()),
            Err(reason) => {
                self.leave_out("shortened", &planned.id, &reason);
                return Ok(());
            }
        };
        let Body::Episode(episode) = &old.body else { return Ok(()) };
        let Some(mut short) = shorten_episode(episode, &old.levels, planned.to) else {
            return Ok(());
        };
        short.content.clone_from(&planned.content);
        let new = self.transaction.new_record(Body::Episode(Box::new(short)));
        let tag = planned.to.tag().to_owned();
        let record = Record {
            id: new.id,
            body: new.body,
            tags: old.tags.iter().cloned().chain([tag]).collect(),
            session: old.session_id().map(str::to_owned),
            origin: old.origin.as_ref().map(|it| it.version(&short_hash(&id.to_string()))),
            // It tells of the same work, and is as old.
            ..old.clone()
        };
        self.replace(record, &[id])?;
        self.applied.compressed += 1;
        Ok(())
    }

    fn forget(&mut self, memory: &ArchivedMemory) -> Result<(), Error> {
        let item = memory.id.record_id().and_then(|id| self.known.memory.item(id));
        let Some(item) = item else {
            self.leave_out("archived", &memory.id, "it does not exist");
            return Ok(());
        };
        let is_replaced_here = self.replaced.contains_key(&Referent::Record(item.id));
        if let Some(reason) = self.reason_to_keep(&item, memory.reason, is_replaced_here) {
            self.leave_out("archived", &memory.id, reason);
            return Ok(());
        }
        let targets: Vec<Referent> =
            self.known.memory.aliases(item.id).into_iter().map(Referent::Record).collect();
        let (reason, action) = (archive_reason(memory.reason), EventAction::Archive);
        match memory.reason.is_disuse() {
            true => self.transaction.write_local_event(action, targets, &reason)?,
            false => self.transaction.write_event(self.known, action, targets, vec![], &reason)?,
        };
        self.applied.forgotten += usize::from(!is_replaced_here);
        Ok(())
    }

    /// Returns why a memory is not archived, although a plan says so.
    fn reason_to_keep(
        &self,
        item: &Item<'_>,
        reason: ForgettingReason,
        is_replaced_here: bool,
    ) -> Option<&'static str> {
        let is_archived =
            !self.known.memory.events(EventAction::Archive, &item.id.into()).is_empty();
        if is_archived {
            return Some("it is archived already");
        }
        let is_superseded = is_replaced_here || item.standing == Standing::Superseded;
        if !reason.is_disuse() {
            return (!is_superseded).then_some("nothing replaced it");
        }
        let section = scope_of(item.record).map(|fact| fact.section);
        let is_rule = matches!(section, Some(FactSection::Decisions | FactSection::Constraints));
        match () {
            () if is_superseded => Some("it was replaced meanwhile"),
            () if self.protected.contains(item) => Some("it is pinned, related or in force"),
            () if is_rule => Some("it is a decision or a constraint"),
            () => None,
        }
    }
}

/// Returns what facts must have in common to be merged: a fact without its text.
fn scope_of(record: &Record) -> Option<Fact> {
    match &record.body {
        Body::Fact(fact) => Some(Fact { content: String::new(), ..fact.clone() }),
        _ => None,
    }
}

/// Makes the record of a merged fact. It has what each of the facts states besides the text.
fn merged_record(
    transaction: &WriteTransaction<'_>,
    facts: &[(Uuid, Record)],
    text: &str,
) -> Record {
    let records = || facts.iter().map(|(_, record)| record);
    let base = records().find(|record| record.text() == text);
    let base = base.unwrap_or(&facts[0].1);
    let mut body = base.body.clone();
    if let Body::Fact(fact) = &mut body
        && base.text() != text
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
    let new = transaction.new_record(body);
    Record {
        id: new.id,
        body: new.body,
        // Merging is no news: the fact is as old as its latest version.
        at: records().map(|record| record.at).max().unwrap_or(new.at),
        by: new.by,
        tags: union(|record| &record.tags),
        artifacts: union(|record| &record.artifacts),
        confidence: records().filter_map(|record| record.confidence).reduce(f64::max),
        origin: None,
        ..base.clone()
    }
}
