//! Counts the records of the log, from the index if the log is long.

use std::borrow::Cow;

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::recall::ComponentKey;
use heirloom_core::record::{Body, FactSection, RecordKind, Referent};
use heirloom_index::{Filter, SlotState, Snapshot, StandingFilter};

use crate::indexing::{keep_open, open_if_quick};
use crate::{Error, Session};

/// The number of records in the log.
#[derive(Debug)]
pub(crate) struct RecordCounts {
    /// Records of each kind.
    pub(crate) kinds: Vec<(RecordKind, StandingCounts)>,
    /// Active facts of each section.
    pub(crate) sections: Vec<(FactSection, usize)>,
}

/// The number of records of a kind, by standing.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct StandingCounts {
    pub(crate) active: usize,
    pub(crate) superseded: usize,
    pub(crate) archived: usize,
    pub(crate) private: usize,
}

impl RecordCounts {
    /// Counts the records of a log that was read whole.
    pub(crate) fn of(memory: &Memory) -> Self {
        let count = |kind: RecordKind| {
            let mut count = StandingCounts::default();
            for item in memory.items(kind) {
                match item.standing {
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
        for item in memory.items(RecordKind::Fact).filter(|item| item.standing == Standing::Active)
        {
            let Body::Fact(fact) = &item.record.body else { continue };
            let found = sections.iter_mut().find(|(section, _)| *section == fact.section);
            found.into_iter().for_each(|(_, count)| *count += 1);
        }
        RecordCounts { kinds: RecordKind::recallable().map(count).collect(), sections }
    }

    /// Counts the records of an index.
    fn of_index(snapshot: &Snapshot) -> Self {
        let count = |kind: RecordKind| {
            let mut filter = Filter::records_of_kind(kind.as_str());
            let counts = snapshot.count_by_state(&filter);
            let in_state = |state: SlotState| counts.get(&state).copied().unwrap_or_default();
            filter.terms.push(("visibility", vec!["private".to_owned()]));
            let private = snapshot.count_by_state(&filter).into_iter();
            let count = StandingCounts {
                active: in_state(SlotState::Active),
                superseded: in_state(SlotState::Superseded),
                archived: in_state(SlotState::Archived),
                private: private
                    .filter(|(state, _)| *state != SlotState::Free)
                    .map(|(_, n)| n)
                    .sum(),
            };
            (kind, count)
        };
        let sections = FactSection::ALL.into_iter();
        RecordCounts {
            kinds: RecordKind::recallable().map(count).collect(),
            sections: sections.map(|section| (section, count_active(snapshot, section))).collect(),
        }
    }
}

fn facts_in(section: FactSection) -> Filter {
    let mut filter = Filter::records_of_kind(RecordKind::Fact.as_str());
    filter.terms.push(("section", vec![section.title().to_owned()]));
    filter
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

/// Counts the records of the index, and reads from it some memories, all that are related, and all that were superseded, archived or stored more than once. Returns them with the
/// problems of the log; `None` if the index does not exist or is far behind.
pub(crate) fn read_related(
    session: &Session,
    memories: &[Referent],
) -> Result<Option<(RecordCounts, Memory, Vec<Problem>)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let counts = RecordCounts::of_index(index.snapshot());
    let keys: Vec<ComponentKey<'_>> =
        memories.iter().map(|memory| ComponentKey::Referent(Cow::Borrowed(memory))).collect();
    let memory = index.snapshot().fold_shared_components(&keys, None)?;
    let problems = index.log_problems()?;
    keep_open(session, index);
    Ok(Some((counts, memory, problems)))
}
