//! Relations between memories: keeping their ends up to date, and loading them as a graph of slots.

use std::collections::{BTreeSet, HashMap};

use heirloom_core::fold::{Memory, Standing};
use heirloom_core::recall::Slot;
use heirloom_core::record::{Body, Referent};
use rusqlite::Connection;
use rustc_hash::FxHashMap;
use uuid::Uuid;

use crate::IndexError;
use crate::name_hash::hash_referent;
use crate::tables::relations::{self, FROM, RelationEnd, TO};
use crate::tables::{lines, passages};

/// The slots that are related to each slot.
pub(crate) type RelatedSlots = FxHashMap<Slot, Vec<Slot>>;

/// Updates the relations that the records and referents of an update concern: adds new relations, removes
/// inactive ones, and points the ends of all to the current heads.
pub(crate) fn update(
    db: &Connection,
    memory: &Memory,
    records: &BTreeSet<Uuid>,
    referents: &BTreeSet<Referent>,
) -> Result<(), IndexError> {
    let had_relations = !relations::is_empty(db)?;
    if had_relations {
        relations::delete(db, records.iter())?;
    }
    let mut ends = active_ends(memory, records);
    if had_relations {
        let changed = records.iter().map(|id| Referent::Record(*id));
        ends.extend(relations::ends_at(db, changed.chain(referents.iter().cloned()))?);
    }
    write_heads(db, &ends)
}

/// Returns the ends of the active relations among some records.
fn active_ends(memory: &Memory, records: &BTreeSet<Uuid>) -> BTreeSet<RelationEnd> {
    let mut ends = BTreeSet::new();
    for record in memory.records() {
        let Body::Edge(body) = &record.body else { continue };
        let relation = record.id;
        if records.contains(&relation) && memory.standing(&relation.into()) == Standing::Active {
            for (side, stated) in [(FROM, &body.from), (TO, &body.to)] {
                ends.insert(RelationEnd { relation, side, stated: stated.clone() });
            }
        }
    }
    ends
}

/// Writes ends with the current heads of what they state.
fn write_heads(db: &Connection, ends: &BTreeSet<RelationEnd>) -> Result<(), IndexError> {
    if ends.is_empty() {
        return Ok(());
    }
    let hashes: Vec<i64> = ends.iter().map(|end| hash_referent(&end.stated)).collect();
    let components = lines::components_of_names(db, &hashes)?;
    let memory = lines::fold_lines(lines::lines_of_components(db, &components)?, None);
    for end in ends {
        relations::replace(db, end, &memory.heads(&end.stated))?;
    }
    Ok(())
}

/// Loads which slots are related. The related slots of each are sorted by their tie-breakers.
pub(crate) fn load(
    db: &Connection,
    tie_breaker: impl Fn(Slot) -> u64,
) -> Result<RelatedSlots, IndexError> {
    let mut related = RelatedSlots::default();
    if relations::is_empty(db)? {
        return Ok(related);
    }
    let mut slots_of_head: HashMap<String, Vec<Slot>> = HashMap::new();
    let mut current = LoadedRelation::default();
    relations::for_each_head(db, |relation, side, head| {
        if current.id != relation {
            let finished = std::mem::replace(&mut current, LoadedRelation::new(relation));
            finished.connect(&mut related);
        }
        if !slots_of_head.contains_key(head) {
            slots_of_head.insert(head.to_owned(), passages::slots_of_name(db, head)?);
        }
        let slots = slots_of_head.get(head).map(Vec::as_slice).unwrap_or_default();
        let end = if side == FROM { &mut current.from } else { &mut current.to };
        end.extend_from_slice(slots);
        Ok(())
    })?;
    current.connect(&mut related);
    for slots in related.values_mut() {
        slots.sort_by_key(|slot| (tie_breaker(*slot), *slot));
        slots.dedup();
    }
    Ok(related)
}

/// The slots at both ends of a relation.
#[derive(Default)]
struct LoadedRelation {
    id: String,
    from: Vec<Slot>,
    to: Vec<Slot>,
}

impl LoadedRelation {
    fn new(id: &str) -> Self {
        LoadedRelation { id: id.to_owned(), ..Self::default() }
    }

    /// Connects each slot of one end with each slot of the other, in both directions.
    fn connect(&self, related: &mut RelatedSlots) {
        for from in &self.from {
            for to in self.to.iter().filter(|to| *to != from) {
                related.entry(*from).or_default().push(*to);
                related.entry(*to).or_default().push(*from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite;
    use crate::tables::passages::PassageRow;
    use crate::tables::state::EmbedderId;

    fn add_passage(db: &Connection, slot: Slot, name: &str, subject: Option<&str>) {
        let row = PassageRow {
            name,
            subject: subject.map(str::to_owned),
            source: None,
            group_hash: None,
            position: 0,
            fingerprint: &[],
            repeats: None,
            part: None,
        };
        passages::insert(db, slot, &row).unwrap();
    }

    fn add_end(db: &Connection, relation: u128, side: i64, stated: &str, heads: &[&str]) {
        let relation = Uuid::from_u128(relation);
        let heads: Vec<Referent> = heads.iter().map(|head| Referent::from(*head)).collect();
        let end = RelationEnd { relation, side, stated: stated.into() };
        relations::replace(db, &end, &heads).unwrap();
    }

    #[test]
    fn slots_are_related_through_the_heads_of_both_ends() {
        let db = sqlite::open_in_memory().unwrap();
        let embedder = EmbedderId { name: "none".to_owned(), dimensions: 0 };
        crate::tables::create(&db, &embedder).unwrap();
        add_passage(&db, 0, "a", None);
        add_passage(&db, 1, "b", None);
        add_passage(&db, 2, "entry:c@1", Some("entry:c"));
        add_passage(&db, 3, "entry:c@2", Some("entry:c"));
        add_end(&db, 1, FROM, "a", &["a"]);
        add_end(&db, 1, TO, "old", &["b", "a"]);
        add_end(&db, 2, FROM, "entry:c", &["entry:c"]);
        add_end(&db, 2, TO, "a", &["a"]);
        add_end(&db, 3, FROM, "b", &["b"]);
        let related = load(&db, |slot| u64::from(10 - slot)).unwrap();
        assert_eq!(related[&0], [3, 2, 1]);
        assert_eq!(related[&1], [0]);
        assert_eq!(related[&2], [0]);
        assert_eq!(related.len(), 4);
    }
}
