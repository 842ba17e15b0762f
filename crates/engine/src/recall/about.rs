//! What the log says of a few things, without reading all of it.

use heirloom_core::Problem;
use heirloom_core::fold::Memory;
use heirloom_core::recall::ties;
use heirloom_core::record::Record;

use super::fresh::up_to_date_at_once;
use super::hits::unread;
use super::{Search, keep, up_to_date};
use crate::{Error, Session};

/// How many things that may say nearly the same are looked at.
const NEAR: usize = 50;

/// Returns what is known of some names and of what typed ids may mean; and, if a record is to be
/// written, of everything that it touches: what says the same or nearly the same, and what it
/// names. What could not be read is told beside it. Nothing if the index is not there, or far behind.
pub(crate) fn about(
    session: &Session,
    record: Option<&Record>,
    typed: &[String],
    names: impl Iterator<Item = String>,
) -> Result<Option<(Memory, Vec<Problem>)>, Error> {
    let Some(mut kept) = up_to_date_at_once(session)? else { return Ok(None) };
    let mut all: Vec<String> = names.collect();
    if let Some(record) = record {
        let text = record.text();
        // The search takes the index from where it is kept, and puts it back.
        keep(session, kept);
        let near = Search { query: &text, limit: NEAR, ..Search::default() }.run(session)?;
        all.extend(ties(record));
        all.extend(near.hits.iter().chain(&near.near_misses).map(|hit| hit.thing.name()));
        kept = up_to_date(session, heirloom_embed::builtin())?;
    }
    for typed in typed {
        all.extend(kept.snapshot.ids_ending_in(typed)?);
    }
    let memory = kept.snapshot.memory_of(&all, None)?;
    let mut problems = unread(&kept.snapshot)?;
    problems.extend(kept.problems.iter().cloned());
    keep(session, kept);
    Ok(Some((memory, problems)))
}
