//! Counts the records of the log, from the index if the log is long.

use std::borrow::Cow;
use std::collections::BTreeMap;

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::recall::ComponentKey;
use heirloom_core::record::{Body, FactSection, Record, RecordKind, Referent};
use heirloom_core::{Problem, day};
use heirloom_index::{Filter, IndexError, SlotState, Snapshot, StandingFilter};
use jiff::civil::Date;

use crate::indexing::{keep_open, open_if_quick};
use crate::{Error, Session};

/// The number of records in the log.
#[derive(Debug)]
pub(crate) struct RecordCounts {
    /// Records of each kind.
    pub(crate) kinds: Vec<(RecordKind, StandingCounts)>,
    /// Active facts of each section.
    pub(crate) sections: Vec<(FactSection, usize)>,
    /// Records of each kind by the day on which they were recorded.
    pub(crate) days: Vec<(RecordKind, BTreeMap<Date, DayCounts>)>,
}

/// The number of records of a day.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DayCounts {
    /// All of them, whatever became of them.
    pub(crate) all: usize,
    /// Those that are neither superseded nor archived.
    pub(crate) active: usize,
}

/// The number of records of a kind, by standing.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct StandingCounts {
    pub(crate) active: usize,
    /// Records that were true until the day of the count or before.
    pub(crate) expired: usize,
    pub(crate) superseded: usize,
    pub(crate) archived: usize,
    pub(crate) private: usize,
}

impl RecordCounts {
    /// Counts the records of a log that was read whole, as they stand on a day.
    pub(crate) fn of(memory: &Memory, today: Date) -> Self {
        let count = |kind: RecordKind| {
            let mut count = StandingCounts::default();
            for item in memory.items(kind) {
                match item.standing {
                    Standing::Active if is_expired(item.record, today) => count.expired += 1,
                    Standing::Active | Standing::Expired => count.active += 1,
                    Standing::Superseded => count.superseded += 1,
                    Standing::Archived => count.archived += 1,
                }
                count.private += usize::from(item.record.is_private());
            }
            (kind, count)
        };
        let mut sections: Vec<(FactSection, usize)> =
            FactSection::ALL.into_iter().map(|section| (section, 0)).collect();
        let is_active =
            |item: &Item<'_>| item.standing == Standing::Active && !is_expired(item.record, today);
        for item in memory.items(RecordKind::Fact).filter(is_active) {
            let Body::Fact(fact) = &item.record.body else { continue };
            let found = sections.iter_mut().find(|(section, _)| *section == fact.section);
            found.into_iter().for_each(|(_, count)| *count += 1);
        }
        RecordCounts {
            kinds: RecordKind::recallable().map(count).collect(),
            sections,
            days: RecordKind::recallable().map(|kind| (kind, days_of(memory, kind))).collect(),
        }
    }

    /// Counts the records of an index, as they stand on a day.
    fn of_index(snapshot: &Snapshot, today: Date) -> Result<Self, IndexError> {
        let (mut kinds, mut days) = (Vec::new(), Vec::new());
        for kind in RecordKind::recallable() {
            let filter = Filter::records_of_kind(kind.as_str());
            let counts = snapshot.count_by_state(&filter);
            let in_state = |state: SlotState| counts.get(&state).copied().unwrap_or_default();
            let private = with_term(&filter, "visibility", "private");
            let private = snapshot.count_by_state(&private).into_iter();
            let expired = count_expired(snapshot, &filter, today)?;
            let count = StandingCounts {
                active: in_state(SlotState::Active) - expired,
                expired,
                superseded: in_state(SlotState::Superseded),
                archived: in_state(SlotState::Archived),
                private: private
                    .filter(|(state, _)| *state != SlotState::Free)
                    .map(|(_, n)| n)
                    .sum(),
            };
            kinds.push((kind, count));
            days.push((kind, days_in(snapshot, &filter)));
        }
        let mut sections = Vec::new();
        for section in FactSection::ALL {
            let expired = count_expired(snapshot, &facts_in(section), today)?;
            sections.push((section, count_active(snapshot, section) - expired));
        }
        Ok(RecordCounts { kinds, sections, days })
    }
}

fn days_of(memory: &Memory, kind: RecordKind) -> BTreeMap<Date, DayCounts> {
    let mut days: BTreeMap<Date, DayCounts> = BTreeMap::new();
    for item in memory.items(kind) {
        let counts = days.entry(day::of_timestamp(item.record.at)).or_default();
        counts.all += 1;
        counts.active += usize::from(item.standing == Standing::Active);
    }
    days
}

fn days_in(snapshot: &Snapshot, filter: &Filter) -> BTreeMap<Date, DayCounts> {
    let mut days: BTreeMap<Date, DayCounts> = BTreeMap::new();
    for ((number, state), count) in snapshot.count_by_day(filter) {
        let is_item =
            matches!(state, SlotState::Active | SlotState::Superseded | SlotState::Archived);
        let Some(day) = day::from_number(number).filter(|_| is_item) else { continue };
        let counts = days.entry(day).or_default();
        counts.all += count;
        counts.active += if state == SlotState::Active { count } else { 0 };
    }
    days
}

/// Returns whether a record was true until a day or before.
fn is_expired(record: &Record, today: Date) -> bool {
    record.valid_to.is_some_and(|end| end <= today)
}

/// Returns the number of unsuperseded records that were true until a day or before. Only those are read that state an
/// end.
fn count_expired(snapshot: &Snapshot, filter: &Filter, today: Date) -> Result<usize, IndexError> {
    let ending = with_term(filter, "validity", "ends");
    let subjects = snapshot.subjects_in(StandingFilter::Active, &ending)?;
    let keys: Vec<ComponentKey<'_>> =
        subjects.iter().map(|subject| ComponentKey::Referent(Cow::Borrowed(subject))).collect();
    let memory = snapshot.fold_components_of(&keys, None)?;
    let records = subjects.iter().filter_map(|subject| memory.record(subject.record_id()?));
    Ok(records.filter(|record| is_expired(record, today)).count())
}

fn with_term(filter: &Filter, field: &'static str, value: &str) -> Filter {
    let mut filter = filter.clone();
    filter.terms.push((field, vec![value.to_owned()]));
    filter
}

fn facts_in(section: FactSection) -> Filter {
    let facts = Filter::records_of_kind(RecordKind::Fact.as_str());
    with_term(&facts, "section", section.title())
}

/// Returns the number of active facts in a section.
fn count_active(snapshot: &Snapshot, section: FactSection) -> usize {
    snapshot.count_by_state(&facts_in(section)).get(&SlotState::Active).copied().unwrap_or_default()
}

/// Returns the first active facts, ordered by section and id, and the number of all
/// active facts. `None` if the index does not exist or is far behind.
pub(crate) fn first_facts(
    session: &Session,
    limit: usize,
) -> Result<Option<(Vec<Referent>, usize)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let (mut facts, mut total) = (Vec::new(), 0);
    for section in FactSection::ALL {
        total += count_active(index.snapshot(), section);
        if facts.len() < limit {
            let mut in_section =
                index.snapshot().subjects_in(StandingFilter::Active, &facts_in(section))?;
            in_section.sort_unstable();
            in_section.truncate(limit - facts.len());
            facts.extend(in_section);
        }
    }
    keep_open(session, index);
    Ok(Some((facts, total)))
}

/// Counts the records of the index, and reads from it some memories, all that are related, and all that were
/// superseded, archived or stored more than once. Returns them with the problems of the log; `None` if the index does
/// not exist or is far behind.
pub(crate) fn read_related(
    session: &Session,
    memories: &[Referent],
) -> Result<Option<(RecordCounts, Memory, Vec<Problem>)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let counts = RecordCounts::of_index(index.snapshot(), session.today())?;
    let keys: Vec<ComponentKey<'_>> =
        memories.iter().map(|memory| ComponentKey::Referent(Cow::Borrowed(memory))).collect();
    let memory = index.snapshot().fold_shared_components(&keys, None)?;
    let problems = index.log_problems()?;
    keep_open(session, index);
    Ok(Some((counts, memory, problems)))
}
