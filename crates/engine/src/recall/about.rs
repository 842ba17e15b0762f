//! What the log says of a few things, without reading all of it.

use heirloom_core::Problem;
use heirloom_core::fold::Memory;
use heirloom_core::recall::ties;
use heirloom_core::record::Record;

use super::hits::unread;
use super::{Search, embedder, keep, up_to_date};
use crate::{Error, Session};

/// How many things that may say nearly the same are looked at.
const NEAR: usize = 50;

/// Returns what is known of everything that a new record touches: what says the same or nearly the
/// same, what it names, what typed ids may mean, and some other names; and what could not be read.
pub(crate) fn about(
    session: &Session,
    record: &Record,
    typed: &[String],
    names: impl Iterator<Item = String>,
) -> Result<(Memory, Vec<Problem>), Error> {
    let text = record.text();
    let near = Search { query: &text, limit: NEAR, ..Search::default() }.run(session)?;
    let embedder = embedder(session)?;
    let kept = up_to_date(session, &*embedder)?;
    let mut all: Vec<String> = names.collect();
    all.extend(ties(record));
    all.extend(near.hits.iter().chain(&near.near_misses).map(|hit| hit.thing.name()));
    for typed in typed {
        all.extend(kept.snapshot.ids_ending_in(typed)?);
    }
    let memory = kept.snapshot.memory_of(&all, None)?;
    let mut problems = unread(&kept.snapshot)?;
    problems.extend(kept.problems.iter().cloned());
    keep(session, kept);
    Ok((memory, problems))
}
