//! Chains: the paths from the top of the hierarchy down to a plan, an agent or a project, with the
//! documents of each level on them.

use std::collections::HashSet;
use std::rc::Rc;

use heirloom_core::conflict::{LayerStack, Override};
use heirloom_core::hierarchy::{Level, Selectors};

use super::places::{Key, key};
use super::read::Catalog;

/// A level of a chain that was not visited before.
pub(super) struct Step<'s> {
    /// The positions of the documents of the level above.
    pub(super) above: Option<&'s [usize]>,
    /// The positions of its documents.
    pub(super) level: &'s [usize],
    /// The values that its documents override; layers are given by position.
    pub(super) overrides: Vec<Override>,
}

/// Looks up the documents of a level on one chain after another, and caches the last result, because
/// consecutive chains mostly share their documents.
struct LevelDocuments<'c> {
    level: &'c Level,
    needs: Vec<&'c str>,
    /// The names of the previous chain.
    last_key: Option<Key>,
    documents: Rc<[usize]>,
}

impl<'c> LevelDocuments<'c> {
    fn new(catalog: &'c Catalog, level: &'c Level) -> Self {
        // In the order of the levels, as in the keys of `DocumentIndex`.
        let needs = level.required_levels();
        let in_order = catalog.hierarchy.levels.iter().map(|other| other.name.as_str());
        let needs = in_order.filter(|name| needs.contains(name)).collect();
        LevelDocuments { level, needs, last_key: None, documents: Rc::new([]) }
    }

    /// Returns its documents on a chain, in the order of its patterns.
    fn on(&mut self, catalog: &Catalog, selectors: &Selectors) -> Rc<[usize]> {
        let names = self.needs.iter().map(|need| selectors.get(need).map(String::as_str));
        let names: Option<Vec<&str>> = names.collect();
        let Some(names) = names else { return Rc::new([]) };
        let current_key = key(names.into_iter());
        if self.last_key.as_ref() != Some(&current_key) {
            let key_of = |levels: &Vec<String>| {
                let names = levels.iter().filter_map(|level| selectors.get(level));
                key(names.map(String::as_str))
            };
            let documents = &catalog.places.documents[&self.level.name];
            let keys = catalog.places.pattern_levels[&self.level.name].iter().map(key_of);
            let mut found: Vec<usize> =
                keys.filter_map(|key| documents.get(&key)).flatten().copied().collect();
            found.sort_by_key(|&at| (catalog.entries[at].pattern, at));
            self.documents = found.into();
            self.last_key = Some(current_key);
        }
        self.documents.clone()
    }
}

impl Catalog {
    /// Returns all chains: one for each plan, each agent of each plan, and each project that no plan
    /// names.
    fn chains(&self) -> Vec<Selectors> {
        let mut chains = vec![Selectors::new()];
        for level in self
            .hierarchy
            .levels
            .iter()
            .filter(|level| level.needs_selection() && level.named_by.is_none())
        {
            let mut longer = Vec::with_capacity(chains.len());
            for chain in chains {
                let above = self.key_above(level, &chain);
                match above.and_then(|above| self.places.names_below[&level.name].get(&above)) {
                    None => longer.push(chain),
                    Some(names) => {
                        longer.extend(names.iter().map(|name| with(&chain, &level.name, name)));
                    }
                }
            }
            chains = longer;
        }
        chains.extend(self.unassigned_chains());
        chains
    }

    /// Returns a chain for each name that no document assigns, such as a project without a plan.
    fn unassigned_chains(&self) -> Vec<Selectors> {
        let levels = self.hierarchy.levels.iter().filter(|level| level.named_by.is_some());
        let all = levels.flat_map(|level| {
            let assigned: HashSet<&String> = match self.places.assigned.get(&level.name) {
                Some(assigned) => assigned.values().collect(),
                None => HashSet::new(),
            };
            let names = self.places.names_below[&level.name].get("").into_iter().flatten();
            let unassigned = names.filter(move |name| !assigned.contains(name));
            unassigned.map(move |name| (&level.name, name))
        });
        all.map(|(level, name)| with(&Selectors::new(), level, name)).collect()
    }

    /// Visits the levels of every included chain, from the top. A level that consecutive chains share is
    /// visited once.
    pub(super) fn walk(
        &self,
        is_included: impl Fn(&Selectors) -> bool,
        mut visit: impl FnMut(Step<'_>),
    ) {
        let mut levels: Vec<LevelDocuments<'_>> =
            self.hierarchy.levels.iter().map(|level| LevelDocuments::new(self, level)).collect();
        let mut shared: Vec<(Rc<[usize]>, LayerStack)> = Vec::new();
        for mut selectors in self.chains() {
            self.add_assigned_names(&mut levels, &mut selectors);
            if !is_included(&selectors) {
                continue;
            }
            let mut depth = 0;
            for level in &mut levels {
                let documents = level.on(self, &selectors);
                if documents.is_empty() {
                    continue;
                }
                depth += 1;
                if shared.get(depth - 1).is_some_and(|(previous, _)| *previous == documents) {
                    continue;
                }
                shared.truncate(depth - 1);
                let mut stack = shared.last().map(|(_, stack)| stack.clone()).unwrap_or_default();
                let mut overrides = Vec::new();
                for &at in &*documents {
                    stack.add(at, &self.entries[at].document, &mut overrides);
                }
                let above = shared.last().map(|(above, _)| &**above);
                visit(Step { above, level: &documents, overrides });
                shared.push((documents, stack));
            }
            shared.truncate(depth);
        }
    }

    /// Adds the names that documents on a chain assign to other levels.
    fn add_assigned_names(&self, levels: &mut [LevelDocuments<'_>], selectors: &mut Selectors) {
        for level in &self.hierarchy.levels {
            let Some(naming_level) = &level.named_by else { continue };
            if selectors.contains_key(&level.name) {
                continue;
            }
            let naming_level = levels.iter_mut().find(|other| other.level.name == *naming_level);
            let documents = naming_level.map(|level| level.on(self, selectors));
            let assigned = self.places.assigned.get(&level.name).and_then(|by_path| {
                let mut documents = documents.iter().flat_map(|documents| documents.iter());
                documents.find_map(|&at| by_path.get(&self.entries[at].document.path))
            });
            if let Some(name) = assigned.cloned() {
                selectors.insert(level.name.clone(), name);
            }
        }
    }

    /// Returns the key of the names above a level; `None` if one of them is not selected.
    fn key_above(&self, level: &Level, selectors: &Selectors) -> Option<Key> {
        let needs = level.required_levels();
        let above = self
            .hierarchy
            .levels
            .iter()
            .filter(|other| needs.contains(&other.name.as_str()) && other.name != level.name);
        let names: Option<Vec<&str>> =
            above.map(|other| selectors.get(&other.name).map(String::as_str)).collect();
        Some(key(names?.into_iter()))
    }
}

fn with(chain: &Selectors, level: &str, name: &str) -> Selectors {
    let mut chain = chain.clone();
    chain.insert(level.to_owned(), name.to_owned());
    chain
}
