//! Moves relations to the new ids of renumbered documents.

use std::collections::HashMap;

use heirloom_core::record::{Body, EventAction, Referent, RelationRecord};

use super::{MemoryQuery, WriteTransaction};
use crate::{Error, Session};

/// Moves the relations of documents from their old ids to their new ids, and returns how many were
/// moved. Lines of the log are never rewritten, so each relation is written again and the old one is
/// archived.
pub(crate) fn move_relations(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    new_ids: &HashMap<String, String>,
) -> Result<usize, Error> {
    let renamed_documents: HashMap<Referent, Referent> = new_ids
        .iter()
        .map(|(old, new)| (Referent::document(old), Referent::document(new)))
        .collect();
    let known = MemoryQuery::new().referents(renamed_documents.keys().cloned()).read(session)?;
    let mut moved = 0;
    for ((from, to, relation), id) in known.memory.edges() {
        if !renamed_documents.contains_key(&from) && !renamed_documents.contains_key(&to) {
            continue;
        }
        let renamed = |end: Referent| renamed_documents.get(&end).cloned().unwrap_or(end);
        let old = known.memory.records().find(|record| record.id == id);
        let content = old.and_then(|record| match &record.body {
            Body::Edge(edge) => Some(edge.content.clone()),
            _ => None,
        });
        let (from, to) = (renamed(from), renamed(to));
        let edge = RelationRecord { from, to, relation, content: content.unwrap_or_default() };
        let record = transaction.new_record(Body::Edge(edge));
        transaction.write(&known, &record)?;
        transaction.write_event(
            &known,
            EventAction::Archive,
            vec![id.into()],
            vec![],
            "renumbered",
        )?;
        moved += 1;
    }
    Ok(moved)
}
