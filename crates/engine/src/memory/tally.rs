//! What all of the log comes to, without reading all of it.

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::record::{Body, Kind, Section};
use heirloom_index::{Filter, Shelf, Snapshot, State};

use crate::indexing::{keep_open, open_if_quick};
use crate::{Error, Session};

/// How much there is in the log.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Records of each kind.
    pub(crate) kinds: Vec<(Kind, Count)>,
    /// Facts of each section that stand.
    pub(crate) sections: Vec<(Section, usize)>,
}

/// How many records there are of a kind, by how things stand with them.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) active: usize,
    pub(crate) superseded: usize,
    pub(crate) archived: usize,
    pub(crate) private: usize,
}

impl Tally {
    /// Counts what was read whole.
    pub(crate) fn of(memory: &Memory) -> Self {
        let count = |kind: Kind| {
            let mut count = Count::default();
            for item in memory.items(kind) {
                match item.standing {
                    Standing::Active => count.active += 1,
                    Standing::Superseded => count.superseded += 1,
                    Standing::Archived => count.archived += 1,
                }
                count.private += usize::from(item.record.is_private());
            }
            (kind, count)
        };
        let mut sections: Vec<(Section, usize)> =
            Section::ALL.into_iter().map(|section| (section, 0)).collect();
        for item in memory.items(Kind::Fact).filter(|item| item.standing == Standing::Active) {
            let Body::Fact(fact) = &item.record.body else { continue };
            let own = sections.iter_mut().find(|(section, _)| *section == fact.section);
            own.into_iter().for_each(|(_, count)| *count += 1);
        }
        Tally { kinds: Kind::REMEMBERED.into_iter().map(count).collect(), sections }
    }

    /// Counts what an index holds.
    fn of_index(snapshot: &Snapshot) -> Self {
        let count = |kind: Kind| {
            let mut filter = Filter::of_records(kind.word());
            let all = snapshot.counts_of(&filter);
            let in_state = |state: State| all.get(&state).copied().unwrap_or_default();
            filter.marks.push(("visibility", vec!["private".to_owned()]));
            let private = snapshot.counts_of(&filter).into_iter();
            let count = Count {
                active: in_state(State::Active),
                superseded: in_state(State::Superseded),
                archived: in_state(State::Archived),
                private: private.filter(|(state, _)| *state != State::Free).map(|(_, n)| n).sum(),
            };
            (kind, count)
        };
        let sections = Section::ALL.into_iter();
        Tally {
            kinds: Kind::REMEMBERED.into_iter().map(count).collect(),
            sections: sections.map(|section| (section, standing_in(snapshot, section))).collect(),
        }
    }
}

fn facts_in(section: Section) -> Filter {
    let mut filter = Filter::of_records(Kind::Fact.word());
    filter.marks.push(("section", vec![section.title().to_owned()]));
    filter
}

/// Returns how many facts of a section stand.
fn standing_in(snapshot: &Snapshot, section: Section) -> usize {
    snapshot.counts_of(&facts_in(section)).get(&State::Active).copied().unwrap_or_default()
}

/// Returns the names of the first facts that stand, section by section and in the order of their ids,
/// and how many stand in all. Nothing if the index is not there, or far behind.
pub(crate) fn first_facts(
    session: &Session,
    most: usize,
) -> Result<Option<(Vec<String>, usize)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let (mut names, mut total) = (Vec::new(), 0);
    for section in Section::ALL {
        total += standing_in(index.snapshot(), section);
        if names.len() < most {
            let mut own = index.snapshot().names(Shelf::Active, &facts_in(section))?;
            own.sort_unstable();
            own.truncate(most - names.len());
            names.extend(own);
        }
    }
    keep_open(session, index);
    Ok(Some((names, total)))
}

/// Returns how much there is, and what is known of some names, of all that is related, and of all
/// that was replaced, put away, or said more than once. What of the log could not be read is told
/// beside it. Nothing if the index is not there, or far behind.
pub(crate) fn survey(
    session: &Session,
    names: &[String],
) -> Result<Option<(Tally, Memory, Vec<Problem>)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let tally = Tally::of_index(index.snapshot());
    let memory = index.snapshot().memory_of_related(names, None)?;
    let problems = index.log_problems()?;
    keep_open(session, index);
    Ok(Some((tally, memory, problems)))
}
