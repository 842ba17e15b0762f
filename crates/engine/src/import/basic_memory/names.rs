//! Finds the note that a link refers to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use heirloom_core::Document;

/// An index of the imported notes by name. A title takes precedence over a path or permalink, and these
/// over a file name. A name that several notes share is ambiguous.
pub(super) struct NoteIndex {
    /// The position of the note by name, `None` if ambiguous, in order of precedence.
    tiers: [HashMap<String, Option<usize>>; 3],
}

impl NoteIndex {
    /// Indexes notes, each with its title.
    pub(super) fn new<'n>(notes: impl Iterator<Item = (&'n Document, &'n str)>) -> Self {
        let mut names = NoteIndex { tiers: Default::default() };
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

    /// Returns the position of the note that a link names, if exactly one note has this name.
    pub(super) fn find(&self, target: &str) -> Option<usize> {
        let name = normalise(target);
        self.tiers.iter().find_map(|tier| tier.get(&name)).copied().flatten()
    }

    fn add(&mut self, tier: usize, name: &str, index: usize) {
        match self.tiers[tier].entry(normalise(name)) {
            Entry::Vacant(entry) => drop(entry.insert(Some(index))),
            Entry::Occupied(mut entry) if *entry.get() != Some(index) => drop(entry.insert(None)),
            Entry::Occupied(_) => {}
        }
    }
}

/// Returns the file name of a note, without extension.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".md").unwrap_or(file)
}

fn normalise(name: &str) -> String {
    let name = name.trim();
    let name = name.strip_prefix("memory://").unwrap_or(name);
    name.strip_suffix(".md").unwrap_or(name).to_lowercase()
}
