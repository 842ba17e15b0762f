//! Records that say the same.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::slice;

use uuid::Uuid;

use super::Line;
use crate::fast;
use crate::record::{Body, Record};
use crate::words::normalised;

/// Which records say the same; one that is alone is not kept.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    canonical: HashMap<Uuid, Uuid>,
    groups: HashMap<Uuid, Vec<Uuid>>,
    /// Where the first fact that says something stands among all records.
    by_text: HashMap<[u8; 32], usize, fast::Hash>,
    /// All records, in order.
    ids: Vec<Uuid>,
}

impl Aliases {
    /// Groups records, given in order of id: facts with equal section, scope, key and text, and
    /// whatever has one origin.
    pub(super) fn of<'l>(lines: impl ExactSizeIterator<Item = &'l Line>) -> Self {
        let mut ids = Vec::with_capacity(lines.len());
        let mut groups = Union { parent: Vec::with_capacity(lines.len()) };
        let mut by_text: HashMap<[u8; 32], usize, fast::Hash> = HashMap::default();
        by_text.reserve(lines.len());
        let mut by_origin: HashMap<&str, usize> = HashMap::new();
        for line in lines {
            let record = &line.record;
            let at = groups.add();
            ids.push(record.id);
            if let Some(text) = line.says {
                groups.join_first(by_text.entry(text), at);
            }
            if let Some(origin) = record.origin.as_deref().filter(|_| !record.is_private()) {
                groups.join_first(by_origin.entry(origin), at);
            }
        }
        let mut aliases = Aliases { by_text, ids, ..Aliases::default() };
        for (at, id) in aliases.ids.iter().enumerate() {
            let first = groups.find(at);
            if first != at {
                let first = aliases.ids[first];
                aliases.canonical.insert(*id, first);
                aliases.groups.entry(first).or_insert_with(|| vec![first]).push(*id);
            }
        }
        aliases
    }

    /// Returns the smallest id of those that say the same.
    pub(super) fn canonical(&self, id: Uuid) -> Uuid {
        self.canonical.get(&id).copied().unwrap_or(id)
    }

    /// Returns the first that says the same as a record which is not among them.
    pub(super) fn same(&self, record: &Record) -> Option<Uuid> {
        self.by_text.get(&text_key(record)?).map(|at| self.ids[*at])
    }

    /// Returns all that say the same as a canonical one, in order.
    pub(super) fn group<'a>(&'a self, canonical: &'a Uuid) -> &'a [Uuid] {
        self.groups.get(canonical).map_or_else(|| slice::from_ref(canonical), Vec::as_slice)
    }
}

/// What makes two facts the same. A private fact is apart: nothing that is shared may name it.
pub(crate) fn text_key(record: &Record) -> Option<[u8; 32]> {
    let Body::Fact(fact) = &record.body else { return None };
    let text = normalised(&record.text());
    let parts = [
        if record.is_private() { "private" } else { "" },
        fact.section.title(),
        fact.scope.as_deref().unwrap_or_default(),
        fact.key.as_deref().unwrap_or_default(),
        fact.value.as_deref().unwrap_or_default(),
        &text,
    ];
    let mut said = Vec::with_capacity(text.len() + 128);
    for part in parts {
        said.extend((part.len() as u64).to_le_bytes());
        said.extend(part.as_bytes());
    }
    Some(*blake3::hash(&said).as_bytes())
}

/// Groups of positions, each known by its first.
struct Union {
    parent: Vec<usize>,
}

impl Union {
    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join_first<K>(&mut self, entry: Entry<'_, K, usize>, at: usize) {
        let first = *entry.or_insert(at);
        let (a, b) = (self.find(first), self.find(at));
        self.parent[a.max(b)] = a.min(b);
    }
}
