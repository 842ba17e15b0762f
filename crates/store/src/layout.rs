//! From a hierarchy and selected names to the documents that are really there.

use std::collections::BTreeSet;

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::name::{self, Match};
use heirloom_core::{Document, Problem};

use crate::{Root, StoreError};

/// A document in its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Its level's name.
    pub level: String,
    /// Its level's priority.
    pub priority: i64,
    /// Which of the level's patterns found it; 0 is the level's main document.
    pub pattern: usize,
    /// Whether it is the level's memory.
    pub memory: bool,
    /// The names selected to get here.
    pub selectors: Selectors,
    /// Its text.
    pub text: String,
    /// What it says.
    pub document: Document,
}

/// Turns typed names into the names that are there, and finds the levels that others name.
pub fn select(
    root: &Root,
    hierarchy: &Hierarchy,
    typed: &Selectors,
) -> Result<Selectors, StoreError> {
    let mut selectors = Selectors::new();
    if let Some(unknown) =
        typed.keys().find(|level| hierarchy.level(level).is_none_or(|level| !level.is_selected()))
    {
        let names: Vec<String> = hierarchy
            .levels
            .iter()
            .filter(|level| level.is_selected())
            .map(|level| level.name.clone())
            .collect();
        return Err(StoreError::Unknown {
            name: unknown.clone(),
            what: "level to select".into(),
            candidates: names,
        });
    }
    for level in &hierarchy.levels {
        if let Some(name) = typed.get(&level.name) {
            let missing = level
                .needs()
                .into_iter()
                .find(|need| *need != level.name && !selectors.contains_key(*need));
            if let Some(missing) = missing {
                return Err(StoreError::refused(
                    format!(
                        "the {} `{name}` is found through its {missing}, and none is selected",
                        level.name
                    ),
                    format!("name the {missing} too"),
                ));
            }
            selectors.insert(level.name.clone(), find_name(root, level, &selectors, name)?);
        }
    }
    Ok(selectors)
}

/// Finds which name of a level is meant.
pub fn find_name(
    root: &Root,
    level: &Level,
    selectors: &Selectors,
    typed: &str,
) -> Result<String, StoreError> {
    let what = level.name.clone();
    if let Some(reason) = name::unsafe_reason(typed) {
        return Err(StoreError::UnsafeName {
            name: typed.escape_default().to_string(),
            what,
            reason,
        });
    }
    let candidates = names(root, level, selectors)?;
    match name::find(typed, candidates.iter().map(String::as_str)) {
        Match::One(name) => Ok(name),
        Match::Ambiguous(candidates) => {
            Err(StoreError::Ambiguous { name: typed.into(), what, candidates })
        }
        Match::Unknown(near) => {
            let candidates =
                if near.is_empty() { candidates.into_iter().take(10).collect() } else { near };
            Err(StoreError::Unknown { name: typed.into(), what, candidates })
        }
    }
}

/// Lists the names that a level has, below the selected ones.
pub fn names(root: &Root, level: &Level, selectors: &Selectors) -> Result<Vec<String>, StoreError> {
    let mut sites = level.name_sites();
    sites.sort_by_key(|(_, ending)| std::cmp::Reverse(ending.len()));
    let mut folders: Vec<&str> = sites.iter().map(|(folder, _)| *folder).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut found = BTreeSet::new();
    for folder in folders {
        let Some(path) = hierarchy::expand(folder, selectors) else { continue };
        for item in root.list(&path)? {
            let ending = sites.iter().find(|(site, ending)| {
                *site == folder
                    && if ending.is_empty() { item.is_folder } else { item.name.ends_with(ending) }
            });
            let name = ending
                .and_then(|(_, ending)| item.name.strip_suffix(ending))
                .filter(|name| name::unsafe_reason(name).is_none());
            found.extend(name.map(str::to_owned));
        }
    }
    Ok(found.into_iter().collect())
}

/// Reads every document of the selected levels, lowest priority first. What cannot be read is in
/// the answer as an empty document with its problem.
pub fn read_selected(root: &Root, hierarchy: &Hierarchy, selectors: &mut Selectors) -> Vec<Placed> {
    let mut by_level: Vec<(usize, Vec<Placed>)> = Vec::new();
    let naming_last =
        |level: &Level| level.named_by.is_some() && !selectors.contains_key(&level.name);
    let (later, first): (Vec<_>, Vec<_>) =
        hierarchy.levels.iter().enumerate().partition(|(_, level)| naming_last(level));
    for (at, level) in first {
        by_level.push((at, read_level(root, level, selectors)));
    }
    for (at, level) in later {
        let named = by_level
            .iter_mut()
            .flat_map(|(_, placed)| placed)
            .find_map(|placed| named_by(root, level, placed));
        if let Some(name) = named {
            selectors.insert(level.name.clone(), name);
            by_level.push((at, read_level(root, level, selectors)));
        }
    }
    by_level.sort_by_key(|(at, _)| *at);
    let order: Vec<&String> = hierarchy.levels.iter().map(|level| &level.name).collect();
    selectors.sort_by_key(|level, _| order.iter().position(|name| *name == level));
    let mut all: Vec<Placed> = by_level.into_iter().flat_map(|(_, placed)| placed).collect();
    for placed in &mut all {
        placed.selectors = selectors
            .iter()
            .filter(|(level, _)| {
                hierarchy
                    .level(&placed.level)
                    .is_some_and(|own| own.needs().contains(&level.as_str()))
            })
            .map(|(level, name)| (level.clone(), name.clone()))
            .collect();
    }
    all
}

/// Returns the name that a document gives to a level (`project: billing`). A name that leads
/// nowhere is a problem of that document.
fn named_by(root: &Root, level: &Level, placed: &mut Placed) -> Option<String> {
    if Some(&placed.level) != level.named_by.as_ref() || placed.memory {
        return None;
    }
    let name = placed.document.field(&level.name)?.to_owned();
    let line = placed.document.line_of(&level.name);
    let mut refuse = |message: String, hint: String| {
        placed.document.problems.push(Problem::at(&placed.document.path, line, message).hint(hint));
    };
    match find_name(root, level, &Selectors::new(), &name) {
        Ok(found) => Some(found),
        Err(StoreError::Unknown { candidates, .. }) => {
            let hint = if candidates.is_empty() {
                format!("run `heir {} new {name}`", level.name)
            } else {
                format!("there are {}", candidates.join(", "))
            };
            refuse(format!("there is no {} `{name}`", level.name), hint);
            None
        }
        Err(error) => {
            refuse(error.to_string(), format!("mend `{}:`", level.name));
            None
        }
    }
}

/// Reads the documents of one level.
pub fn read_level(root: &Root, level: &Level, selectors: &Selectors) -> Vec<Placed> {
    if level.needs().iter().any(|need| !selectors.contains_key(*need)) {
        return vec![];
    }
    let mut placed = Vec::new();
    for (pattern, (at, memory)) in level
        .patterns()
        .map(|text| (text, level.memory.as_deref() == Some(text)))
        .enumerate()
        .map(|(at, (text, memory))| (text, (at, memory)))
    {
        for document in read_pattern(root, pattern, selectors) {
            let (text, document) = document;
            placed.push(Placed {
                level: level.name.clone(),
                priority: level.priority,
                pattern: at,
                memory,
                selectors: selectors.clone(),
                text,
                document,
            });
        }
    }
    placed
}

fn read_pattern(root: &Root, pattern: &str, selectors: &Selectors) -> Vec<(String, Document)> {
    let mut alternatives: Vec<String> = pattern
        .split('|')
        .filter_map(|alternative| hierarchy::expand(alternative, selectors))
        .collect();
    let mut seen = BTreeSet::new();
    alternatives.retain(|path| seen.insert(path.clone()));
    let mut found: Vec<(String, Document)> = Vec::new();
    let mut winner: Option<String> = None;
    for path in alternatives {
        let documents = if path.contains('*') {
            read_glob(root, &path)
        } else {
            read_document(root, &path).into_iter().collect()
        };
        if documents.is_empty() {
            continue;
        }
        match &winner {
            None => {
                winner = Some(path);
                found = documents;
            }
            Some(first) => {
                let other = documents[0].1.path.clone();
                let problem = Problem::of_file(
                    &other,
                    format!("{first} is there too, and only one of them is read"),
                )
                .hint("keep one of the two");
                found[0].1.problems.push(problem);
            }
        }
    }
    found
}

fn read_glob(root: &Root, pattern: &str) -> Vec<(String, Document)> {
    let (folder, file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let (before, after) = file.split_once('*').unwrap_or((file, ""));
    let items = match root.list(folder) {
        Ok(items) => items,
        Err(problem) => return vec![(String::new(), Document::unreadable(problem))],
    };
    let matching = items.into_iter().filter(|item| {
        let fits = item.name.len() >= before.len() + after.len()
            && item.name.starts_with(before)
            && item.name.ends_with(after);
        // A folder that is called like a document is reported; any other folder is none of ours.
        fits && !item.name.starts_with('.') && (!item.is_folder || !after.is_empty())
    });
    matching
        .filter_map(|item| {
            read_document(
                root,
                &if folder.is_empty() { item.name } else { format!("{folder}/{}", item.name) },
            )
        })
        .collect()
}

/// Reads one document by its path. A missing one is `None`.
pub fn read_document(root: &Root, path: &str) -> Option<(String, Document)> {
    match root.read(path) {
        Ok(None) => None,
        Ok(Some(text)) => {
            let document = if is_markdown(path) {
                Document::parse(path, &text)
            } else {
                Document::plain(path, &text)
            };
            Some((text, document))
        }
        Err(problem) => Some((String::new(), Document::unreadable(problem))),
    }
}

fn is_markdown(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".mdc", ".mdx", ".markdown"].iter().any(|ending| lower.ends_with(ending))
}

/// Reads every document of a hierarchy, for every name that its levels have.
pub fn read_all(root: &Root, hierarchy: &Hierarchy) -> Result<Vec<Placed>, StoreError> {
    let mut all = Vec::new();
    for level in &hierarchy.levels {
        for selectors in combinations(root, hierarchy, level)? {
            all.extend(read_level(root, level, &selectors));
        }
    }
    Ok(all)
}

/// Every way to select what a level needs: each plan, and each agent of each plan.
pub fn combinations(
    root: &Root,
    hierarchy: &Hierarchy,
    level: &Level,
) -> Result<Vec<Selectors>, StoreError> {
    let needs = level.needs();
    let mut all = vec![Selectors::new()];
    for needed in hierarchy.levels.iter().filter(|other| needs.contains(&other.name.as_str())) {
        let mut wider = Vec::new();
        for selectors in all {
            for name in names(root, needed, &selectors)? {
                let mut selectors = selectors.clone();
                selectors.insert(needed.name.clone(), name);
                wider.push(selectors);
            }
        }
        all = wider;
    }
    Ok(all)
}
