//! Reading what a new record touches.

use heirloom_core::recall::ties;
use heirloom_core::record::{Record, Visibility};

use super::Search;
use crate::memory::{MemoryQuery, MemorySlice, Particulars, is_long};
use crate::{Error, Session};

/// How many memories that may say nearly the same are looked at.
const NEAR_LIMIT: usize = 50;

/// Reads all that a new record with some particulars touches.
pub(crate) fn read_around_new(
    session: &Session,
    record: &Record,
    particulars: &Particulars,
) -> Result<MemorySlice, Error> {
    let mut record = record.clone();
    if particulars.private {
        record.visibility = Visibility::Private;
    }
    read_around(session, &record, &particulars.supersedes)
}

/// Reads all that a new record touches: what says the same or nearly the same, what it names and
/// what typed ids may mean. A short log is read whole, so nothing is searched for in it.
pub(crate) fn read_around(
    session: &Session,
    record: &Record,
    typed: &[String],
) -> Result<MemorySlice, Error> {
    let mut names: Vec<String> = Vec::new();
    if is_long(session) {
        let text = record.text();
        let near = Search { query: &text, limit: NEAR_LIMIT, ..Search::default() }.run(session)?;
        names.extend(ties(record));
        names.extend(near.hits.iter().chain(&near.near_misses).map(|hit| hit.thing.name()));
    }
    MemoryQuery::new().names(names).ids(typed).read(session)
}
