//! Ways down the hierarchy: which documents lie on which.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use heirloom_core::Problem;
use heirloom_core::conflict::{Override, Stack};
use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_store::Root;
use heirloom_store::layout::{self, Placed};

use super::{Catalog, Filed};

/// Names in order of level, as one key.
type Key = String;

/// Where documents are.
#[derive(Debug)]
pub(super) struct Places {
    /// For each level, the documents that its patterns find through some names.
    documents: HashMap<String, HashMap<Key, Vec<usize>>>,
    /// For each level, its names below those of the levels that it needs.
    names_below: HashMap<String, HashMap<Key, Vec<String>>>,
    /// For each level, the sets of levels whose names its patterns use.
    needs: HashMap<String, BTreeSet<Vec<String>>>,
    named: Named,
}

/// For each level, the name that a document gives to it, by the document's path.
pub(super) type Named = HashMap<String, HashMap<String, String>>;

/// A level on a way down the hierarchy that was not visited before.
pub(super) struct Step<'s> {
    /// The documents of the level above it, by position.
    pub(super) above: Option<&'s [usize]>,
    /// Its documents, by position.
    pub(super) level: &'s [usize],
    /// What its documents override, the layers being positions.
    pub(super) overrides: Vec<Override>,
}

/// Finds the names that documents give to levels (`project: billing`).
pub(super) fn named_levels(
    root: &Root,
    hierarchy: &Hierarchy,
    placed: &[Placed],
) -> (Named, Vec<Problem>) {
    let mut named = Named::new();
    let mut problems = Vec::new();
    for level in hierarchy.levels.iter().filter(|level| level.named_by.is_some()) {
        let names = layout::names(root, level, &Selectors::new()).unwrap_or_default();
        let own = named.entry(level.name.clone()).or_default();
        for placed in placed {
            match layout::name_in(level, placed, &names) {
                None => {}
                Some(Ok(name)) => drop(own.insert(placed.document.path.clone(), name)),
                Some(Err(problem)) => problems.push(problem),
            }
        }
    }
    (named, problems)
}

impl Places {
    pub(super) fn new(hierarchy: &Hierarchy, filed: &[Filed], named: Named) -> Self {
        let mut places = Places {
            documents: HashMap::new(),
            names_below: HashMap::new(),
            needs: HashMap::new(),
            named,
        };
        for level in &hierarchy.levels {
            let uses = level.patterns().map(|pattern| in_order(hierarchy, pattern));
            places.needs.insert(level.name.clone(), uses.collect());
            places.documents.insert(level.name.clone(), HashMap::new());
            places.names_below.insert(level.name.clone(), HashMap::new());
        }
        let mut seen = HashSet::new();
        for (at, one) in filed.iter().enumerate() {
            let Some(level) = &one.level else { continue };
            let names = key(one.selectors.values().map(String::as_str));
            let is_first = !seen.contains(&(level, names.clone()));
            if let Some(documents) = places.documents.get_mut(level) {
                documents.entry(names.clone()).or_default().push(at);
            }
            let Some(name) = one.selectors.get(level).filter(|_| is_first) else { continue };
            let others = one.selectors.iter().filter(|(own, _)| *own != level);
            let above = key(others.map(|(_, name)| name.as_str()));
            if let Some(below) = places.names_below.get_mut(level) {
                below.entry(above).or_default().push(name.clone());
            }
            seen.insert((level, names));
        }
        places
    }
}

/// Makes one key of names. No name has a NUL in it.
fn key<'n>(names: impl Iterator<Item = &'n str>) -> Key {
    let mut key = String::new();
    for name in names {
        key.push_str(name);
        key.push('\0');
    }
    key
}

/// The levels whose names a pattern uses, in order.
fn in_order(hierarchy: &Hierarchy, pattern: &str) -> Vec<String> {
    let used: HashSet<&str> = hierarchy::variables(pattern)
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

/// The documents of a level on one way down after another. Most ways lead through the same ones as
/// the way before.
struct LevelDocuments<'c> {
    level: &'c Level,
    needs: Vec<&'c str>,
    /// The names of the way before.
    last: Option<Key>,
    documents: Rc<[usize]>,
}

impl<'c> LevelDocuments<'c> {
    fn new(catalog: &'c Catalog, level: &'c Level) -> Self {
        // In the order of levels, as the keys of places are.
        let needs = level.needs();
        let in_order = catalog.hierarchy.levels.iter().map(|other| other.name.as_str());
        let needs = in_order.filter(|name| needs.contains(name)).collect();
        LevelDocuments { level, needs, last: None, documents: Rc::new([]) }
    }

    /// Returns its documents on a way down, in the order in which its patterns are read.
    fn on(&mut self, catalog: &Catalog, selectors: &Selectors) -> Rc<[usize]> {
        let names = self.needs.iter().map(|need| selectors.get(need).map(String::as_str));
        let names: Option<Vec<&str>> = names.collect();
        let Some(names) = names else { return Rc::new([]) };
        let own = key(names.into_iter());
        if self.last.as_ref() != Some(&own) {
            let key_of = |levels: &Vec<String>| {
                let names = levels.iter().filter_map(|level| selectors.get(level));
                key(names.map(String::as_str))
            };
            let documents = &catalog.places.documents[&self.level.name];
            let keys = catalog.places.needs[&self.level.name].iter().map(key_of);
            let mut found: Vec<usize> =
                keys.filter_map(|key| documents.get(&key)).flatten().copied().collect();
            found.sort_by_key(|&at| (catalog.filed[at].pattern, at));
            self.documents = found.into();
            self.last = Some(own);
        }
        self.documents.clone()
    }
}

impl Catalog {
    /// Returns every way down the hierarchy: each plan, each agent of each plan, and each project
    /// that no plan names.
    fn chains(&self) -> Vec<Selectors> {
        let mut chains = vec![Selectors::new()];
        for level in self
            .hierarchy
            .levels
            .iter()
            .filter(|level| level.is_selected() && level.named_by.is_none())
        {
            let mut longer = Vec::with_capacity(chains.len());
            for chain in chains {
                let above = self.above(level, &chain);
                match above.and_then(|above| self.places.names_below[&level.name].get(&above)) {
                    None => longer.push(chain),
                    Some(names) => {
                        longer.extend(names.iter().map(|name| with(&chain, &level.name, name)));
                    }
                }
            }
            chains = longer;
        }
        chains.extend(self.chains_of_unnamed());
        chains
    }

    fn chains_of_unnamed(&self) -> Vec<Selectors> {
        let levels = self.hierarchy.levels.iter().filter(|level| level.named_by.is_some());
        let all = levels.flat_map(|level| {
            let named: HashSet<&String> = match self.places.named.get(&level.name) {
                Some(named) => named.values().collect(),
                None => HashSet::new(),
            };
            let names = self.places.names_below[&level.name].get("").into_iter().flatten();
            let unnamed = names.filter(move |name| !named.contains(name));
            unnamed.map(move |name| (&level.name, name))
        });
        all.map(|(level, name)| with(&Selectors::new(), level, name)).collect()
    }

    /// Visits the levels of every way down that is wanted, from the top. A level that several ways
    /// share is visited once where they follow one another.
    pub(super) fn walk(
        &self,
        is_wanted: impl Fn(&Selectors) -> bool,
        mut visit: impl FnMut(Step<'_>),
    ) {
        let mut levels: Vec<LevelDocuments<'_>> =
            self.hierarchy.levels.iter().map(|level| LevelDocuments::new(self, level)).collect();
        let mut shared: Vec<(Rc<[usize]>, Stack)> = Vec::new();
        for mut selectors in self.chains() {
            self.add_named(&mut levels, &mut selectors);
            if !is_wanted(&selectors) {
                continue;
            }
            let mut depth = 0;
            for level in &mut levels {
                let documents = level.on(self, &selectors);
                if documents.is_empty() {
                    continue;
                }
                depth += 1;
                if shared.get(depth - 1).is_some_and(|(own, _)| *own == documents) {
                    continue;
                }
                shared.truncate(depth - 1);
                let mut stack = shared.last().map(|(_, stack)| stack.clone()).unwrap_or_default();
                let mut overrides = Vec::new();
                for &at in &*documents {
                    stack.add(at, &self.filed[at].document, &mut overrides);
                }
                let above = shared.last().map(|(above, _)| &**above);
                visit(Step { above, level: &documents, overrides });
                shared.push((documents, stack));
            }
            shared.truncate(depth);
        }
    }

    /// Adds the names that documents on a way down give to other levels.
    fn add_named(&self, levels: &mut [LevelDocuments<'_>], selectors: &mut Selectors) {
        for level in &self.hierarchy.levels {
            let Some(naming) = &level.named_by else { continue };
            if selectors.contains_key(&level.name) {
                continue;
            }
            let naming = levels.iter_mut().find(|other| other.level.name == *naming);
            let documents = naming.map(|naming| naming.on(self, selectors));
            let named = self.places.named.get(&level.name).and_then(|named| {
                let mut documents = documents.iter().flat_map(|documents| documents.iter());
                documents.find_map(|&at| named.get(&self.filed[at].document.path))
            });
            if let Some(name) = named.cloned() {
                selectors.insert(level.name.clone(), name);
            }
        }
    }

    /// The names that lead to a level, without its own; `None` when one is not selected.
    fn above(&self, level: &Level, selectors: &Selectors) -> Option<Key> {
        let needs = level.needs();
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
