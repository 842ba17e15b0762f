//! Relations of documents that get another id.

use std::collections::HashMap;

use heirloom_core::record::{Action, Body, Edge};

use super::{MemoryQuery, WriteTransaction};
use crate::{Error, Session};

/// Puts relations that name a document by its old id in the place of themselves under its new id.
/// Lines of the log are never rewritten, so each becomes a new line and the old one is archived.
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
        let now = |name: String| new_names.get(&name).cloned().unwrap_or(name);
        let written = known.memory.records().find(|record| record.id == id);
        let content = written.and_then(|record| match &record.body {
            Body::Edge(edge) => Some(edge.content.clone()),
            _ => None,
        });
        let edge =
            Edge { from: now(from), to: now(to), relation, content: content.unwrap_or_default() };
        let record = transaction.record(Body::Edge(edge));
        transaction.write(&known, &record)?;
        transaction.event(&known, Action::Archive, vec![id.to_string()], vec![], "renumbered")?;
        moved += 1;
    }
    Ok(moved)
}
