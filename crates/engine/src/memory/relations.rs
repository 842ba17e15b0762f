//! Adds relations between memories or documents, and moves them to the new ids of renumbered documents.

use std::cell::OnceCell;
use std::collections::HashMap;

use heirloom_core::Hint;
use heirloom_core::record::{Body, EventAction, Referent, Relation, RelationRecord};
use uuid::Uuid;

use super::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::workspace::catalog::Catalog;
use crate::{Error, ErrorKind, Session};

/// Finds the ends of relations by their names. The documents are read only if an end is no memory.
pub(crate) struct RelationEnds<'s> {
    session: &'s Session,
    catalog: OnceCell<Catalog>,
}

impl<'s> RelationEnds<'s> {
    /// Starts without having read anything.
    pub(crate) fn new(session: &'s Session) -> Self {
        RelationEnds { session, catalog: OnceCell::new() }
    }

    /// Finds an end: the id of a memory, or a name of a document. The id of an entry is written beside it.
    pub(crate) fn find(
        &self,
        transaction: &mut WriteTransaction<'_>,
        known: &MemorySlice,
        input: &str,
    ) -> Result<Referent, Error> {
        let not_found = match known.find(input) {
            Ok(target) => {
                let names = transaction.referents_of(known, target)?;
                let first = names.into_iter().next().unwrap_or_else(|| target.referent());
                return Ok(known.memory.canonical(&first));
            }
            Err(error) => error,
        };
        if not_found.kind == ErrorKind::NotFound && !not_found.candidates.is_empty() {
            return Err(not_found);
        }
        match self.catalog()?.find(input) {
            Ok(catalog_entry) => Ok(Referent::document(&catalog_entry.id)),
            Err(error) if error.candidates.is_empty() => Err(Error::not_found(
                format!("`{}` is neither a memory nor a document", input.escape_default()),
                vec![],
            )
            .hint(
                Hint::text("use an id that ")
                    .operation("memory_recall")
                    .then(" shows, or a document's name or path"),
            )),
            Err(error) => Err(error),
        }
    }

    fn catalog(&self) -> Result<&Catalog, Error> {
        if let Some(catalog) = self.catalog.get() {
            return Ok(catalog);
        }
        let catalog = Catalog::read(self.session)?;
        Ok(self.catalog.get_or_init(|| catalog))
    }
}

/// Returns the record of a relation between two memories or documents, or between their latest successors.
pub(crate) fn find_relation(
    known: &MemorySlice,
    from: &Referent,
    to: &Referent,
    relation: Relation,
) -> Option<Uuid> {
    let head =
        |end: &Referent| known.memory.heads(end).into_iter().next().unwrap_or_else(|| end.clone());
    known.memory.edges().get(&(head(from), head(to), relation)).copied()
}

/// Writes a relation between two memories or documents.
pub(crate) fn write_relation(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    relation: RelationRecord,
) -> Result<Uuid, Error> {
    let record = transaction.new_record(Body::Edge(relation));
    transaction.write(known, &record)
}

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
