//! An index of documents by their place in the hierarchy.

use std::collections::{BTreeSet, HashMap, HashSet};

use heirloom_core::Problem;
use heirloom_core::hierarchy::{self, Hierarchy, Selectors};
use heirloom_store::Root;
use heirloom_store::layout::{self, HierarchyDocument};

use super::entry::CatalogEntry;

/// The names of several levels, in the order of the levels, joined into one key.
pub(super) type Key = String;

/// An index of the documents by level and by the names that lead to them.
#[derive(Debug)]
pub(super) struct DocumentIndex {
    /// For each level, the documents by the names that lead to them.
    pub(super) documents: HashMap<String, HashMap<Key, Vec<usize>>>,
    /// For each level, its names by the names of the levels above that it depends on.
    pub(super) names_below: HashMap<String, HashMap<Key, Vec<String>>>,
    /// For each level, the sets of levels whose names its patterns contain.
    pub(super) pattern_levels: HashMap<String, BTreeSet<Vec<String>>>,
    pub(super) assigned: AssignedNames,
}

/// For each level, the names that documents assign to it (`project: billing`), by document path.
pub(super) type AssignedNames = HashMap<String, HashMap<String, String>>;

/// Finds the names that documents assign to levels (`project: billing`).
pub(super) fn find_assigned_names(
    root: &Root,
    hierarchy: &Hierarchy,
    placed: &[HierarchyDocument],
) -> (AssignedNames, Vec<Problem>) {
    let mut assigned = AssignedNames::new();
    let mut problems = Vec::new();
    for level in hierarchy.levels.iter().filter(|level| level.named_by.is_some()) {
        let names = layout::list_names(root, level, &Selectors::new()).unwrap_or_default();
        let by_path = assigned.entry(level.name.clone()).or_default();
        for placed in placed {
            match layout::resolve_level_name(level, placed, &names) {
                None => {}
                Some(Ok(name)) => drop(by_path.insert(placed.document.path.clone(), name)),
                Some(Err(problem)) => problems.push(problem),
            }
        }
    }
    (assigned, problems)
}

impl DocumentIndex {
    pub(super) fn new(
        hierarchy: &Hierarchy,
        catalog_entry: &[CatalogEntry],
        assigned: AssignedNames,
    ) -> Self {
        let mut places = DocumentIndex {
            documents: HashMap::new(),
            names_below: HashMap::new(),
            pattern_levels: HashMap::new(),
            assigned,
        };
        for level in &hierarchy.levels {
            let level_sets = level.patterns().map(|pattern| levels_in(hierarchy, pattern));
            places.pattern_levels.insert(level.name.clone(), level_sets.collect());
            places.documents.insert(level.name.clone(), HashMap::new());
            places.names_below.insert(level.name.clone(), HashMap::new());
        }
        let mut seen = HashSet::new();
        for (at, document) in catalog_entry.iter().enumerate() {
            let Some(level) = &document.level else { continue };
            let names = key(document.selectors.values().map(String::as_str));
            let is_first = !seen.contains(&(level, names.clone()));
            if let Some(documents) = places.documents.get_mut(level) {
                documents.entry(names.clone()).or_default().push(at);
            }
            let Some(name) = document.selectors.get(level).filter(|_| is_first) else { continue };
            let above = document.selectors.iter().filter(|(other, _)| *other != level);
            let above = key(above.map(|(_, name)| name.as_str()));
            if let Some(below) = places.names_below.get_mut(level) {
                below.entry(above).or_default().push(name.clone());
            }
            seen.insert((level, names));
        }
        places
    }
}

/// Joins names into one key, separated by NUL, which no name contains.
pub(super) fn key<'n>(names: impl Iterator<Item = &'n str>) -> Key {
    let mut key = String::new();
    for name in names {
        key.push_str(name);
        key.push('\0');
    }
    key
}

/// Returns the levels whose names a pattern contains, in the order of the levels.
fn levels_in(hierarchy: &Hierarchy, pattern: &str) -> Vec<String> {
    let used: HashSet<&str> = hierarchy::pattern_variables(pattern)
        .map(|variable| variable.trim_end_matches(".number"))
        .collect();
    hierarchy
        .levels
        .iter()
        .map(|level| level.name.as_str())
        .filter(|name| used.contains(name))
        .map(str::to_owned)
        .collect()
}
