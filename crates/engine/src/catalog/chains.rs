//! Ways down the hierarchy: which documents lie on which.

use std::collections::{BTreeSet, HashMap, HashSet};

use heirloom_core::Problem;
use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_store::Root;
use heirloom_store::layout::{self, Placed};

use super::{Catalog, Filed};

/// Names, in order of level.
type Names = Vec<String>;

/// Where documents are.
#[derive(Debug)]
pub(super) struct Places {
    /// The documents of a level that its patterns find through these names.
    documents: HashMap<(String, Names), Vec<usize>>,
    /// The names of a level below those of the levels that it needs.
    names_below: HashMap<(String, Names), Names>,
    /// For each level, the sets of levels whose names its patterns use.
    needs: HashMap<String, BTreeSet<Vec<String>>>,
    /// The name that a document gives to a level, by its path.
    named: HashMap<(String, String), String>,
}

/// Finds the names that documents give to levels (`project: billing`), by path and level.
pub(super) fn named_levels(
    root: &Root,
    hierarchy: &Hierarchy,
    placed: &[Placed],
) -> (HashMap<(String, String), String>, Vec<Problem>) {
    let mut named = HashMap::new();
    let mut problems = Vec::new();
    for level in hierarchy.levels.iter().filter(|level| level.named_by.is_some()) {
        let names = layout::names(root, level, &Selectors::new()).unwrap_or_default();
        for placed in placed {
            match layout::name_in(level, placed, &names) {
                None => {}
                Some(Ok(name)) => {
                    drop(named.insert((placed.document.path.clone(), level.name.clone()), name));
                }
                Some(Err(problem)) => problems.push(problem),
            }
        }
    }
    (named, problems)
}

impl Places {
    pub(super) fn new(
        hierarchy: &Hierarchy,
        filed: &[Filed],
        named: HashMap<(String, String), String>,
    ) -> Self {
        let mut places = Places {
            documents: HashMap::new(),
            names_below: HashMap::new(),
            needs: HashMap::new(),
            named,
        };
        for level in &hierarchy.levels {
            let uses = level.patterns().map(|pattern| in_order(hierarchy, pattern));
            places.needs.insert(level.name.clone(), uses.collect());
        }
        let mut seen = HashSet::new();
        for (at, one) in filed.iter().enumerate() {
            let Some(level) = &one.level else { continue };
            let names: Names = one.selectors.values().cloned().collect();
            places.documents.entry((level.clone(), names.clone())).or_default().push(at);
            let above: Names = one
                .selectors
                .iter()
                .filter(|(own, _)| *own != level)
                .map(|(_, name)| name.clone())
                .collect();
            if let Some(name) = one
                .selectors
                .get(level)
                .filter(|name| seen.insert((level.clone(), above.clone(), (*name).clone())))
            {
                places.names_below.entry((level.clone(), above)).or_default().push(name.clone());
            }
        }
        places
    }
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

impl Catalog {
    /// Returns every way down the hierarchy: each plan, each agent of each plan, and each project
    /// that no plan names.
    pub fn chains(&self) -> Vec<Selectors> {
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
                match above
                    .and_then(|above| self.places.names_below.get(&(level.name.clone(), above)))
                {
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
        let named: HashSet<(&String, &String)> =
            self.places.named.iter().map(|((_, level), name)| (level, name)).collect();
        let levels = self.hierarchy.levels.iter().filter(|level| level.named_by.is_some());
        let all = levels.flat_map(|level| {
            self.places
                .names_below
                .get(&(level.name.clone(), vec![]))
                .into_iter()
                .flatten()
                .map(move |name| (&level.name, name))
        });
        all.filter(|one| !named.contains(one))
            .map(|(level, name)| with(&Selectors::new(), level, name))
            .collect()
    }

    /// Returns the documents of one way down, lowest priority first, by position.
    pub fn chain(&self, selectors: &Selectors) -> Vec<usize> {
        let mut selectors = selectors.clone();
        for level in &self.hierarchy.levels {
            let naming = level.named_by.as_deref().and_then(|naming| self.hierarchy.level(naming));
            let Some(naming) = naming.filter(|_| !selectors.contains_key(&level.name)) else {
                continue;
            };
            let documents = self.on(naming, &selectors);
            let named = documents.iter().find_map(|&at| {
                self.places.named.get(&(self.filed[at].document.path.clone(), level.name.clone()))
            });
            if let Some(name) = named.cloned() {
                selectors.insert(level.name.clone(), name);
            }
        }
        self.hierarchy.levels.iter().flat_map(|level| self.on(level, &selectors)).collect()
    }

    /// The documents of one level on a way down, in the order in which its patterns are read.
    fn on(&self, level: &Level, selectors: &Selectors) -> Vec<usize> {
        if level.needs().iter().any(|need| !selectors.contains_key(*need)) {
            return vec![];
        }
        let names = |levels: &Vec<String>| -> Option<Names> {
            levels.iter().map(|level| selectors.get(level).cloned()).collect()
        };
        let places = self.places.needs.get(&level.name).into_iter().flatten().filter_map(names);
        let mut found: Vec<usize> = places
            .filter_map(|names| self.places.documents.get(&(level.name.clone(), names)))
            .flatten()
            .copied()
            .collect();
        found.sort_by_key(|&at| (self.filed[at].pattern, at));
        found
    }

    /// The names that lead to a level, without its own; `None` when one is not selected.
    fn above(&self, level: &Level, selectors: &Selectors) -> Option<Names> {
        let needs = level.needs();
        let above = self
            .hierarchy
            .levels
            .iter()
            .filter(|other| needs.contains(&other.name.as_str()) && other.name != level.name);
        above.map(|other| selectors.get(&other.name).cloned()).collect()
    }
}

fn with(chain: &Selectors, level: &str, name: &str) -> Selectors {
    let mut chain = chain.clone();
    chain.insert(level.to_owned(), name.to_owned());
    chain
}
