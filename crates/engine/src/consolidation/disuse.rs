//! Whether a memory may be forgotten by disuse. A plan is made and applied by the same rules, except for the age: a reviewer may
//! let a memory go earlier.

use heirloom_core::consolidation::{
    ForgettableMemory, ForgettingReason, ForgettingRules, reason_to_forget,
};
use heirloom_core::day;
use heirloom_core::fold::{Item, Standing};
use heirloom_core::instruction::{EXTRACTED_TAG, is_tagged_as_standing};
use heirloom_core::record::{Body, EventAction, Fact, FactSection, Record, RecordKind};
use jiff::Timestamp;
use jiff::civil::Date;

use super::days_between;
use super::protected::ProtectedMemories;
use crate::memory::MemorySlice;
use crate::usage::Usage;
use crate::{Error, Session};

/// The kinds of records that may be forgotten by disuse. Episodes get shorter instead, and patterns and workflows are how
/// things are done.
const FORGETTABLE_KINDS: [RecordKind; 2] = [RecordKind::Fact, RecordKind::Note];

/// Judges whether memories may be forgotten by disuse.
pub(super) struct DisuseJudge<'k> {
    known: &'k MemorySlice,
    pub(super) protected: ProtectedMemories,
    pub(super) usage: Usage,
    today: Date,
    rules: ForgettingRules,
}

impl<'k> DisuseJudge<'k> {
    pub(super) fn new(session: &Session, known: &'k MemorySlice) -> Result<Self, Error> {
        let unused_days = session.config()?.consolidation.unused_days.into();
        Ok(DisuseJudge {
            known,
            protected: ProtectedMemories::new(known),
            usage: Usage::read(session),
            today: session.today(),
            rules: ForgettingRules { unused_days },
        })
    }

    /// Returns why a memory is forgotten by disuse, if it is unused for long enough.
    pub(super) fn reason_to_forget(&self, item: &Item<'_>) -> Option<ForgettingReason> {
        // The log of usage keeps what was used last: anything else may have been used before.
        let unknown_before =
            self.usage.known_since().filter(|_| self.last_retrieval(item).is_none());
        let last_use = self.last_use(item).max(unknown_before.unwrap_or(Timestamp::MIN));
        let unused_days = days_between(day::of_timestamp(last_use), self.today);
        match self.reason_to_keep(item) {
            None => self.reason_after(item, unused_days),
            Some(_) => None,
        }
    }

    /// Returns why a memory must not be forgotten by disuse although a plan says so, which was made at a time.
    pub(super) fn reason_to_leave(
        &self,
        item: &Item<'_>,
        planned_at: Timestamp,
    ) -> Option<&'static str> {
        self.reason_to_keep(item).or_else(|| match () {
            () if self.last_use(item) > planned_at => Some("it was used since the plan was made"),
            () if self.reason_after(item, self.rules.unused_days).is_none() => {
                Some("what it says may be needed")
            }
            () => None,
        })
    }

    /// Returns why a memory is kept, however long it was not used.
    fn reason_to_keep(&self, item: &Item<'_>) -> Option<&'static str> {
        let fact = fact_of(item.record);
        let section = fact.map(|fact| fact.section);
        match () {
            () if item.standing == Standing::Archived => Some("it is archived already"),
            () if item.standing != Standing::Active => Some("it was replaced meanwhile"),
            () if !FORGETTABLE_KINDS.contains(&item.record.kind()) => {
                Some("only facts and notes are archived by disuse")
            }
            () if self.protected.contains(item) => Some("it is pinned, related or in force"),
            () if matches!(section, Some(FactSection::Decisions | FactSection::Constraints)) => {
                Some("it is a decision or a constraint")
            }
            () if fact.is_some_and(|fact| fact.key.is_some()) => Some("it is the value of a key"),
            () if self.aliases(item).any(|record| is_tagged_as_standing(&record.tags)) => {
                Some("it is a standing instruction")
            }
            () if self.usage.counts(&item.id.into()).cited > 0 => Some("an agent used it"),
            () => None,
        }
    }

    fn reason_after(&self, item: &Item<'_>, unused_days: i64) -> Option<ForgettingReason> {
        let memory = &self.known.memory;
        let expired = item.record.valid_to.map(|end| days_between(end, self.today));
        let forgettable = ForgettableMemory {
            text: &item.record.text(),
            is_conversation: is_conversation(item.record),
            unused_days,
            is_done: !memory.events(EventAction::Resolve, &item.id.into()).is_empty(),
            is_long_expired: expired.is_some_and(|days| days >= self.rules.unused_days),
        };
        reason_to_forget(&forgettable, self.rules)
    }

    fn aliases(&self, item: &Item<'_>) -> impl Iterator<Item = &Record> {
        let memory = &self.known.memory;
        memory.aliases(item.id).into_iter().filter_map(|id| memory.record(id))
    }

    /// Returns when a memory was recorded, reinforced, retrieved or cited last, as far as it is known.
    fn last_use(&self, item: &Item<'_>) -> Timestamp {
        let memory = &self.known.memory;
        let reinforced = memory.events(EventAction::Reinforce, &item.id.into());
        let reinforced = reinforced.into_iter().filter_map(|id| Some(memory.record(id)?.at)).max();
        let recorded = memory.latest_timestamp(item);
        [reinforced, self.last_retrieval(item)].into_iter().flatten().fold(recorded, Timestamp::max)
    }

    fn last_retrieval(&self, item: &Item<'_>) -> Option<Timestamp> {
        let at = self.usage.counts(&item.id.into()).last_accessed;
        Timestamp::from_millisecond(at).ok().filter(|_| at > 0)
    }
}

pub(super) fn fact_of(record: &Record) -> Option<&Fact> {
    match &record.body {
        Body::Fact(fact) => Some(fact),
        _ => None,
    }
}

/// Returns whether a record may be a line of a conversation: a note, or a fact that was imported or extracted. A fact that a
/// person filed under a section says something, even if it reads like small talk.
fn is_conversation(record: &Record) -> bool {
    let is_extracted = || record.tags.iter().any(|tag| tag == EXTRACTED_TAG);
    record.kind() == RecordKind::Note || record.origin.is_some() || is_extracted()
}
