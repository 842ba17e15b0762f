//! Which note a link leads to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use heirloom_core::Document;

/// The notes of a batch by what they are called. A title is asked before a path and a path before a
/// file's name; a name that several notes have leads nowhere.
pub(super) struct Names {
    tiers: [HashMap<String, Option<usize>>; 3],
}

impl Names {
    /// Lists notes, each with its title.
    pub(super) fn of<'n>(notes: impl Iterator<Item = (&'n Document, &'n str)>) -> Self {
        let mut names = Names { tiers: Default::default() };
        for (index, (document, title)) in notes.enumerate() {
            names.add(0, title, index);
            names.add(1, &document.path, index);
            if let Some(permalink) = document.field("permalink") {
                names.add(1, permalink, index);
            }
            names.add(2, stem(&document.path), index);
        }
        names
    }

    /// Returns the note that a link names, or why there is none.
    pub(super) fn find(&self, target: &str) -> Result<usize, &'static str> {
        let wanted = folded(target);
        match self.tiers.iter().find_map(|tier| tier.get(&wanted)) {
            Some(Some(index)) => Ok(*index),
            Some(None) => Err("several notes have this name"),
            None => Err("no note that is imported has this name"),
        }
    }

    fn add(&mut self, tier: usize, name: &str, index: usize) {
        match self.tiers[tier].entry(folded(name)) {
            Entry::Vacant(entry) => drop(entry.insert(Some(index))),
            Entry::Occupied(mut entry) if *entry.get() != Some(index) => drop(entry.insert(None)),
            Entry::Occupied(_) => {}
        }
    }
}

/// Returns the name of a note's file.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".md").unwrap_or(file)
}

fn folded(name: &str) -> String {
    let name = name.trim();
    let name = name.strip_prefix("memory://").unwrap_or(name);
    name.strip_suffix(".md").unwrap_or(name).to_lowercase()
}
