//! Reads the part of memory that a new record affects.

use heirloom_core::recall::{ComponentKey, component_keys};
use heirloom_core::record::{Record, Visibility};

use super::Search;
use crate::memory::{MemoryQuery, MemorySlice, RecordAttributes, is_long_log};
use crate::{Error, Session};

/// Reads the memories with a similar text, and the entries of all memory documents.
pub(crate) fn read_similar_to(session: &Session, text: &str) -> Result<MemorySlice, Error> {
    let keys = if is_long_log(session) { similar_to(session, text)? } else { vec![] };
    MemoryQuery::new().keys(keys).read(session)
}

fn similar_to(session: &Session, text: &str) -> Result<Vec<ComponentKey<'static>>, Error> {
    let search = Search { query: text, limit: SIMILAR_LIMIT, ..Search::default() };
    let similar = search.run(session)?;
    let hits = similar.hits.iter().chain(&similar.near_misses);
    Ok(hits.map(|hit| hit.item.referent.clone().into()).collect())
}

/// Maximum number of memories that are compared with a new record.
const SIMILAR_LIMIT: usize = 50;

/// Reads the part of memory that a new record affects once it has its attributes.
pub(crate) fn read_affected_by_new(
    session: &Session,
    record: &Record,
    attributes: &RecordAttributes,
) -> Result<MemorySlice, Error> {
    let mut record = record.clone();
    if attributes.private {
        record.visibility = Visibility::Private;
    }
    read_affected(session, &record, &attributes.supersedes)
}

/// Reads the part of memory that a new record affects: memories with the same or a similar text,
/// memories that it names, and memories that the typed ids may mean. A short log is read whole, so it
/// is not searched.
pub(crate) fn read_affected(
    session: &Session,
    record: &Record,
    typed: &[String],
) -> Result<MemorySlice, Error> {
    let mut keys: Vec<ComponentKey<'static>> = Vec::new();
    if is_long_log(session) {
        keys.extend(component_keys(record).map(ComponentKey::into_owned));
        keys.extend(similar_to(session, &record.text())?);
    }
    MemoryQuery::new().keys(keys).ids(typed).read(session)
}
