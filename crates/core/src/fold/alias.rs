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
    by_text: HashMap<[u8; 32], Uuid, fast::Hash>,
}

impl Aliases {
    /// Groups records, given in order of id: facts with equal section, scope, key and text, and
    /// whatever has one origin.
    pub(super) fn of<'l>(lines: impl Iterator<Item = &'l Line>) -> Self {
        let mut ids = Vec::new();
        let mut groups = Union::default();
        let mut by_text: HashMap<[u8; 32], usize, fast::Hash> = HashMap::default();
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
        let by_text = by_text.into_iter().map(|(text, at)| (text, ids[at])).collect();
        let mut aliases = Aliases { by_text, ..Aliases::default() };
        for at in 0..ids.len() {
            let first = groups.find(at);
            if first != at {
                aliases.canonical.insert(ids[at], ids[first]);
                aliases.groups.entry(ids[first]).or_insert_with(|| vec![ids[first]]).push(ids[at]);
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
        self.by_text.get(&text_key(record)?).copied()
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
#[derive(Default)]
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
