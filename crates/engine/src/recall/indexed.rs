//! Looks up what only the index knows: sections of documents, and the records of a session.

use std::collections::BTreeSet;

use heirloom_core::recall::{section_name, session_group};
use heirloom_core::record::{Record, Referent};
use heirloom_index::{Filter, IndexError, StandingFilter, StoredMemory};

use crate::indexing::{
    EmbedderTimeout, LexicalOnly, OpenIndex, keep_open, open_embedder, open_up_to_date,
};
use crate::memory::MemoryItem;
use crate::{Error, Session};

/// Returns a section of a document, by its number.
pub(crate) fn find_section(
    session: &Session,
    path: &str,
    number: &str,
) -> Result<Option<MemoryItem>, Error> {
    let Ok(number) = number.parse() else { return Ok(None) };
    with_index(session, |index| {
        let Some(slot) = index.snapshot().passage_named(&section_name(path, number))? else {
            return Ok(None);
        };
        let (stored, memory) = index.snapshot().load_for_display(&[slot], None)?;
        Ok(stored.into_iter().flatten().find_map(|stored| match stored {
            StoredMemory::Part { subject, part } => {
                Some(MemoryItem::of_part(&memory, &subject, &part))
            }
            StoredMemory::Record(_) => None,
        }))
    })
}

/// Minimum length of the end of a session's id that stands for it.
const MIN_ID_SUFFIX_BYTES: usize = 8;

/// Returns the records of a session, in order. The end of its id is enough.
pub(crate) fn records_of_session(session: &Session, typed: &str) -> Result<Vec<Referent>, Error> {
    with_index(session, |index| {
        let snapshot = index.snapshot();
        let found = snapshot.subjects_of_group(&session_group(typed))?;
        if !found.is_empty() || typed.len() < MIN_ID_SUFFIX_BYTES {
            return Ok(found);
        }
        let filter = Filter::default().in_sessions();
        let slots = snapshot.slots_in(StandingFilter::Everything, &filter);
        let (_, memory) = snapshot.load_for_display(&slots, None)?;
        let ids: BTreeSet<&str> = memory
            .records()
            .filter_map(Record::session_id)
            .filter(|id| id.ends_with(typed))
            .collect();
        match ids.first() {
            Some(id) if ids.len() == 1 => snapshot.subjects_of_group(&session_group(id)),
            _ => Ok(vec![]),
        }
    })
}

/// Opens the index up to date; one without vectors if the embedder fails.
fn with_index<T>(
    session: &Session,
    read: impl FnOnce(&OpenIndex) -> Result<T, IndexError>,
) -> Result<T, Error> {
    let index = match open_embedder(session, EmbedderTimeout::Short) {
        Ok(embedder) => open_up_to_date(session, &*embedder)?,
        Err(_) => open_up_to_date(session, &LexicalOnly)?,
    };
    let result = read(&index)?;
    keep_open(session, index);
    Ok(result)
}
