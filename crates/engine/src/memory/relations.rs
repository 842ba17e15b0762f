//! Moves relations to the new ids of renumbered documents.

use std::collections::HashMap;

use heirloom_core::record::{Body, EventAction, RelationRecord};

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
    let new_names: HashMap<String, String> =
        new_ids.iter().map(|(old, new)| (format!("doc:{old}"), format!("doc:{new}"))).collect();
    let known = MemoryQuery::new().names(new_names.keys().cloned()).read(session)?;
    let mut moved = 0;
    for ((from, to, relation), id) in known.memory.edges() {
        if !new_names.contains_key(&from) && !new_names.contains_key(&to) {
            continue;
        }
        let renamed = |name: String| new_names.get(&name).cloned().unwrap_or(name);
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
            vec![id.to_string()],
            vec![],
            "renumbered",
        )?;
        moved += 1;
    }
    Ok(moved)
}
