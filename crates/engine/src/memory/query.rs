//! What the log says of a few things, without reading all of it.

use std::collections::BTreeSet;

use heirloom_core::fold::Memory;
use heirloom_core::{Problem, day};
use heirloom_index::{Filter, Shelf, Snapshot};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::indexing::{keep_open, open_if_quick};
use crate::{Error, Session};

/// What somebody wants to know of.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// What typed ids may mean.
    pub(crate) typed: &'w [String],
    /// What has these names, and how it is related.
    pub(crate) names: Vec<String>,
    /// What has these names, and the relations of which are left alone.
    pub(crate) alone: Vec<String>,
    /// All of a shelf that is of some sort, whose relations are left alone.
    pub(crate) sort: Option<(Shelf, Filter)>,
    /// All that is related, and all that was replaced, put away, or said more than once.
    pub(crate) related: bool,
    /// All that was recorded since a day.
    pub(crate) since: Option<Date>,
}

impl<'w> Wanted<'w> {
    /// Wants what typed ids may mean.
    pub(crate) fn typed(typed: &'w [String]) -> Self {
        Wanted { typed, ..Wanted::default() }
    }
}

/// Returns what is known of something, and how it is related; with `as_of`, what was known then. What
/// of the log could not be read is told beside it. Nothing if the index is not there, or far behind.
pub(crate) fn about(
    session: &Session,
    wanted: Wanted<'_>,
    as_of: Option<Timestamp>,
) -> Result<Option<(Memory, Vec<Problem>)>, Error> {
    let Some(index) = open_if_quick(session)? else { return Ok(None) };
    let mut named = wanted.names;
    let mut alone = wanted.alone;
    for typed in wanted.typed {
        named.extend(index.snapshot().ids_ending_in(typed)?);
    }
    if let Some((shelf, filter)) = &wanted.sort {
        alone.extend(index.snapshot().names(*shelf, filter)?);
    }
    if let Some(since) = wanted.since {
        named.extend(index.snapshot().names_since(day::number(since))?);
    }
    // A relation that held once is found by what ended it.
    let is_past = as_of.is_some() && !named.is_empty();
    let memory = match wanted.related || is_past {
        true => index.snapshot().memory_of_related(&[named, alone].concat(), as_of)?,
        false => {
            alone.extend(with_relations(index.snapshot(), named)?);
            index.snapshot().memory_of(&alone, as_of)?
        }
    };
    let problems = index.log_problems()?;
    keep_open(session, index);
    Ok(Some((memory, problems)))
}

/// Adds to names what is related to them. Relations hang on what a thing is called now, or by those
/// who say the same.
fn with_relations(snapshot: &Snapshot, named: Vec<String>) -> Result<Vec<String>, Error> {
    let known = snapshot.memory_of(&named, None)?;
    let mut all: BTreeSet<String> = BTreeSet::new();
    for name in named {
        all.extend(known.heads(&name));
        if let Ok(id) = Uuid::parse_str(&name) {
            all.extend(known.aliases(id).iter().map(Uuid::to_string));
        }
        all.insert(name);
    }
    let mut all: Vec<String> = all.into_iter().collect();
    all.extend(snapshot.relations_of(&all)?);
    Ok(all)
}
