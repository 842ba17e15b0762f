//! Groups records that say the same.

use std::collections::HashMap;
use std::slice;

use rustc_hash::FxHashMap;
use uuid::Uuid;

use super::Line;
use crate::record::{Body, Origin, Record};
use crate::union_find::UnionFind;
use crate::words::normalise;

/// Groups of records that say the same. A record without aliases is in no group.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    canonical: HashMap<Uuid, Uuid>,
    groups: HashMap<Uuid, Vec<Uuid>>,
    /// The position in `ids` of the first fact with a text key.
    by_text: FxHashMap<[u8; 32], usize>,
    /// The ids of all records, sorted.
    ids: Vec<Uuid>,
}

impl Aliases {
    /// Groups records, given in order of id: facts with equal section, scope, key and text, and records with the same
    /// origin. Facts of decision records with the same number are kept apart by the paths of the documents.
    pub(super) fn of<'l>(lines: impl ExactSizeIterator<Item = &'l Line>) -> Self {
        let mut ids = Vec::with_capacity(lines.len());
        let mut groups = UnionFind::with_capacity(lines.len());
        let mut by_text: FxHashMap<[u8; 32], usize> = FxHashMap::default();
        by_text.reserve(lines.len());
        let mut by_origin: HashMap<(&Origin, Option<&str>), usize> = HashMap::new();
        for line in lines {
            let record = &line.record;
            let position = groups.add();
            ids.push(record.id);
            if let Some(text) = line.text_key {
                groups.join(*by_text.entry(text).or_insert(position), position);
            }
            if let Some(origin) = record.origin.as_ref().filter(|_| !record.is_private()) {
                // Two decision records may have the same number, after a merge or in two projects.
                let path = record.source.as_deref().filter(|_| origin.decision_record().is_some());
                groups.join(*by_origin.entry((origin, path)).or_insert(position), position);
            }
        }
        let mut aliases = Aliases { by_text, ids, ..Aliases::default() };
        for (position, id) in aliases.ids.iter().enumerate() {
            let first = groups.find(position);
            if first != position {
                let first = aliases.ids[first];
                aliases.canonical.insert(*id, first);
                aliases.groups.entry(first).or_insert_with(|| vec![first]).push(*id);
            }
        }
        aliases
    }

    /// Returns the smallest id in the group of a record.
    pub(super) fn canonical(&self, id: Uuid) -> Uuid {
        self.canonical.get(&id).copied().unwrap_or(id)
    }

    /// Returns the first record that says the same as a record outside of the log.
    pub(super) fn find_equal(&self, record: &Record) -> Option<Uuid> {
        self.by_text.get(&text_key(record)?).map(|position| self.ids[*position])
    }

    /// Returns the ids of the group of a canonical id, sorted.
    pub(super) fn group<'a>(&'a self, canonical: &'a Uuid) -> &'a [Uuid] {
        self.groups.get(canonical).map_or_else(|| slice::from_ref(canonical), Vec::as_slice)
    }
}

/// Returns a hash that is equal for facts that say the same. Private and shared facts differ, since a shared record
/// must not refer to a private one.
pub(crate) fn text_key(record: &Record) -> Option<[u8; 32]> {
    let Body::Fact(fact) = &record.body else { return None };
    let text = normalise(&record.text());
    let parts = [
        if record.is_private() { "private" } else { "" },
        fact.section.title(),
        fact.scope.as_deref().unwrap_or_default(),
        fact.key.as_deref().unwrap_or_default(),
        fact.value.as_deref().unwrap_or_default(),
        &text,
    ];
    let mut hashed = Vec::with_capacity(text.len() + 128);
    for part in parts {
        hashed.extend((part.len() as u64).to_le_bytes());
        hashed.extend(part.as_bytes());
    }
    Some(*blake3::hash(&hashed).as_bytes())
}
