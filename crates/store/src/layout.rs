//! From a hierarchy and selected names to the documents that are really there.

use std::collections::{BTreeSet, HashSet};

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::memory;
use heirloom_core::name::{self, Match};
use heirloom_core::{Document, Problem, hands, path};

use crate::confined::ConfinedDir;
use crate::files::{self, Item};
use crate::listings::Listings;
use crate::{Root, StoreError};

/// So many names of a level at least are worth another processor.
const WORTH_SHARING: usize = 64;

/// A document in its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Its level's name.
    pub level: String,
    /// Its level's priority.
    pub priority: i64,
    /// Which of the level's patterns found it; they are read in order.
    pub pattern: usize,
    /// What it is to its level.
    pub part: Part,
    /// The names that its path was found by.
    pub selectors: Selectors,
    /// Its text.
    pub text: String,
    /// What it says.
    pub document: Box<Document>,
}

/// What a document is to its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The document that the level is about: the plan, the agent.
    Main,
    /// What else the level reads.
    More,
    /// The level's memory.
    Memory,
}

/// Turns typed names into the names that are there, and finds the levels that others name.
pub fn select(
    root: &Root,
    hierarchy: &Hierarchy,
    typed: &Selectors,
) -> Result<Selectors, StoreError> {
    let mut selectors = Selectors::new();
    if let Some(unknown) = typed
        .iter()
        .map(|(level, _)| level)
        .find(|level| hierarchy.level(level).is_none_or(|level| !level.is_selected()))
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
                .find(|need| *need != level.name && !selectors.contains_key(need));
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
    if is_there(root, level, selectors, typed) {
        return Ok(typed.to_owned());
    }
    let (candidates, problems) = usable_names(root, level, selectors)?;
    let is_typed = |problem: &Problem| path::file_name(&problem.path) == typed;
    if let Some(problem) = problems.into_iter().find(is_typed) {
        return Err(problem.into());
    }
    match name::find_typed(typed, candidates.iter().map(String::as_str)) {
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

/// Returns whether a whole name is there, without listing the others.
pub fn is_there(root: &Root, level: &Level, selectors: &Selectors, name: &str) -> bool {
    let sites = level.name_sites();
    let longer = |file: &str, ending: &str| {
        sites.iter().any(|(_, other)| other.len() > ending.len() && file.ends_with(other))
    };
    !name.starts_with('_')
        && sites.iter().any(|(folder, ending)| {
            let file = format!("{name}{ending}");
            let path =
                hierarchy::expand(folder, selectors).map(|folder| format!("{folder}/{file}"));
            let exists = |path: &str| {
                if ending.is_empty() { root.is_folder(path) } else { root.exists(path) }
            };
            !longer(&file, ending) && path.is_some_and(|path| exists(&path))
        })
}

/// Lists the names that a level has, below the selected ones.
pub fn names(root: &Root, level: &Level, selectors: &Selectors) -> Result<Vec<String>, Problem> {
    Ok(look(&Access::of(root), level, selectors)?.names.into_iter().collect())
}

/// Lists the names that a level has, below the selected ones, and what is wrong with other names.
pub fn usable_names(
    root: &Root,
    level: &Level,
    selectors: &Selectors,
) -> Result<(Vec<String>, Vec<Problem>), Problem> {
    let Looked { names, problems } = look(&Access::of(root), level, selectors)?;
    Ok((names.into_iter().collect(), problems))
}

/// The names of a level, and those that cannot be used.
#[derive(Debug, Default)]
struct Looked {
    names: BTreeSet<String>,
    problems: Vec<Problem>,
}

/// A name that starts with `.` or `_` is somebody else's: hidden, or a folder such as `_plans`.
fn look(access: &Access<'_>, level: &Level, selectors: &Selectors) -> Result<Looked, Problem> {
    let mut sites = level.name_sites();
    sites.sort_by_key(|(_, ending)| std::cmp::Reverse(ending.len()));
    let mut folders: Vec<&str> = sites.iter().map(|(folder, _)| *folder).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut looked = Looked::default();
    for folder in folders {
        let Some(path) = hierarchy::expand(folder, selectors) else { continue };
        access.visit(&path, |item| {
            look_at(access, level, &sites, (folder, &path), item, &mut looked);
        })?;
    }
    Ok(looked)
}

/// Takes a name of a folder, if it is one of a level.
fn look_at(
    access: &Access<'_>,
    level: &Level,
    sites: &[(&str, &str)],
    (folder, path): (&str, &str),
    item: &Item,
    looked: &mut Looked,
) {
    let fits = |ending: &str| {
        if ending.is_empty() { item.is_folder } else { item.name.ends_with(ending) }
    };
    let ending = sites.iter().find(|(site, ending)| *site == folder && fits(ending));
    let Some(name) = ending.and_then(|(_, ending)| item.name.strip_suffix(ending)) else {
        // A link to a folder that leads out is not seen as a folder.
        if item.is_link && item.is_text {
            let linked = access.root.metadata(&format!("{path}/{}", item.name));
            looked.problems.extend(linked.err());
        }
        return;
    };
    if name.starts_with(['.', '_']) {
        return;
    }
    let reason = if item.is_text { name::unsafe_reason(name) } else { Some("it is not UTF-8") };
    match reason {
        None => drop(looked.names.insert(name.to_owned())),
        Some(reason) => {
            let shown = item.name.escape_debug();
            let problem = Problem::of_file(
                format!("{path}/{shown}"),
                format!(
                    "this is not read, because a {} cannot be called that: {reason}",
                    level.name
                ),
            );
            looked.problems.push(problem.hint("rename it"));
        }
    }
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
    selectors.sort_by_key(|level| order.iter().position(|name| *name == level));
    by_level.into_iter().flat_map(|(_, placed)| placed).collect()
}

/// Returns the name that a document gives to a level (`project: billing`).
fn named_by(root: &Root, level: &Level, placed: &mut Placed) -> Option<String> {
    let names = names(root, level, &Selectors::new()).unwrap_or_default();
    match name_in(level, placed, &names)? {
        Ok(name) => Some(name),
        Err(problem) => {
            placed.document.problems.push(problem);
            None
        }
    }
}

/// Returns the name that a document gives to a level, if it gives one, out of the names that the
/// level has. A name that leads nowhere is a problem of that document.
pub fn name_in(
    level: &Level,
    placed: &Placed,
    names: &[String],
) -> Option<Result<String, Problem>> {
    if Some(&placed.level) != level.named_by.as_ref() || placed.part == Part::Memory {
        return None;
    }
    let typed = placed.document.field(&level.name)?;
    let line = placed.document.line_of(&level.name);
    let refuse = |message: String, hint: String| {
        Err(Problem::at(&placed.document.path, line, message).hint(hint))
    };
    if let Some(reason) = name::unsafe_reason(typed) {
        let typed = typed.escape_default();
        return Some(refuse(
            format!("`{typed}` cannot be the {}'s name: {reason}", level.name),
            format!("mend `{}:`", level.name),
        ));
    }
    Some(match name::find(typed, names.iter().map(String::as_str)) {
        Match::One(name) => Ok(name),
        Match::Ambiguous(found) => {
            refuse(format!("`{typed}` could be any of several {}s", level.name), found.join(", "))
        }
        Match::Unknown(_) if names.is_empty() => refuse(
            format!("there is no {} `{typed}`", level.name),
            format!("run `heir {} new {typed}`", level.name),
        ),
        Match::Unknown(near) => {
            let there =
                if near.is_empty() { names.iter().take(10).cloned().collect() } else { near };
            refuse(
                format!("there is no {} `{typed}`", level.name),
                format!("there are {}", there.join(", ")),
            )
        }
    })
}

/// Reads the documents of one level.
pub fn read_level(root: &Root, level: &Level, selectors: &Selectors) -> Vec<Placed> {
    LevelPatterns::new(level, |_| true).read(&Access::of(root), selectors)
}

/// How documents are looked for and read.
struct Access<'a> {
    root: &'a Root,
    /// Folders that are listed once for all; else each is listed whenever it is asked for.
    listings: Option<&'a Listings<'a>>,
    /// Whether documents are read, or only looked for.
    is_read: bool,
}

impl<'a> Access<'a> {
    fn of(root: &'a Root) -> Self {
        Access { root, listings: None, is_read: true }
    }

    /// Visits what a folder holds, by name. A missing one is empty.
    fn visit(&self, folder: &str, visit: impl FnMut(&Item)) -> Result<(), Problem> {
        match self.listings {
            Some(listings) => listings.visit(folder, visit),
            None => {
                self.root.list(folder)?.iter().for_each(visit);
                Ok(())
            }
        }
    }

    /// Returns the document at a path. A missing one is `None`; one that is only looked for has no
    /// text.
    fn document(&self, path: &str) -> Option<(String, Document)> {
        let exists = match self.listings {
            Some(listings) => listings.exists(path),
            None if self.is_read => Ok(true),
            None => self.root.metadata(path).map(|metadata| metadata.is_some()),
        };
        match exists {
            Ok(false) => None,
            Ok(true) if self.is_read => read_document(self.root, path),
            Ok(true) => {
                Some((String::new(), Document { path: path.to_owned(), ..Document::default() }))
            }
            Err(problem) => Some((String::new(), Document::unreadable(problem))),
        }
    }
}

/// A pattern of a level, and what is known of it before any name is.
struct LevelPattern<'l> {
    pattern: &'l str,
    part: Part,
    /// The levels whose names it uses.
    used: Vec<&'l str>,
}

/// The patterns of a level that find some of its parts.
struct LevelPatterns<'l> {
    level: &'l Level,
    needs: Vec<&'l str>,
    patterns: Vec<(usize, LevelPattern<'l>)>,
}

impl<'l> LevelPatterns<'l> {
    fn new(level: &'l Level, wanted: impl Fn(Part) -> bool) -> Self {
        let of_pattern = |pattern: &'l str| LevelPattern {
            pattern,
            part: match () {
                () if level.memory.as_deref() == Some(pattern) => Part::Memory,
                () if level.is_main(pattern) => Part::Main,
                () => Part::More,
            },
            used: hierarchy::variables(pattern)
                .map(|variable| variable.trim_end_matches(".number"))
                .collect(),
        };
        let patterns = level.patterns().map(of_pattern).enumerate();
        let patterns = patterns.filter(|(_, pattern)| wanted(pattern.part)).collect();
        LevelPatterns { level, needs: level.needs(), patterns }
    }

    /// Reads the documents that they find through some names.
    fn read(&self, access: &Access<'_>, selectors: &Selectors) -> Vec<Placed> {
        if self.needs.iter().any(|need| !selectors.contains_key(need)) {
            return vec![];
        }
        let mut placed = Vec::with_capacity(self.patterns.len());
        for (at, LevelPattern { pattern, part, used }) in &self.patterns {
            let mut own = selectors.clone();
            own.retain(|level| used.contains(&level));
            let found = read_pattern(access, pattern, selectors).into_iter();
            placed.extend(found.map(|(text, document)| Placed {
                level: self.level.name.clone(),
                priority: self.level.priority,
                pattern: *at,
                part: *part,
                selectors: own.clone(),
                text,
                document: Box::new(document),
            }));
        }
        placed
    }
}

fn read_pattern(
    access: &Access<'_>,
    pattern: &str,
    selectors: &Selectors,
) -> Vec<(String, Document)> {
    let mut alternatives: Vec<String> = pattern
        .split('|')
        .filter_map(|alternative| hierarchy::expand(alternative, selectors))
        .collect();
    if alternatives.len() > 1 {
        let mut seen = BTreeSet::new();
        alternatives.retain(|path| seen.insert(path.clone()));
    }
    let mut found: Vec<(String, Document)> = Vec::new();
    let mut winner: Option<String> = None;
    for path in alternatives {
        if winner.as_ref().is_some_and(|first| is_same_file(access, first, &path)) {
            continue;
        }
        let documents = if path.contains('*') {
            read_glob(access, &path)
        } else {
            access.document(&path).into_iter().collect()
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

/// Returns whether two spellings mean one file, as they do where case does not matter.
fn is_same_file(access: &Access<'_>, first: &str, path: &str) -> bool {
    let is_listed = || {
        let mut is_listed = false;
        let name = path::file_name(path);
        let visited = access.visit(path::folder(path), |item| is_listed |= item.name == name);
        visited.is_ok() && is_listed
    };
    first.eq_ignore_ascii_case(path) && !is_listed()
}

fn read_glob(access: &Access<'_>, pattern: &str) -> Vec<(String, Document)> {
    let (folder, file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let (before, after) = file.split_once('*').unwrap_or((file, ""));
    let mut matching: Vec<Item> = Vec::new();
    let visited = access.visit(folder, |item| {
        let fits = item.name.len() >= before.len() + after.len()
            && item.name.starts_with(before)
            && item.name.ends_with(after);
        // A folder that is called like a document is reported; any other folder is none of ours.
        if fits && !item.name.starts_with('.') && (!item.is_folder || !after.is_empty()) {
            matching.push(item.clone());
        }
    });
    if let Err(problem) = visited {
        return vec![(String::new(), Document::unreadable(problem))];
    }
    let take = |item: Item| {
        let path = if folder.is_empty() { item.name } else { format!("{folder}/{}", item.name) };
        match item.is_text {
            true => access.document(&path),
            false => Some((
                String::new(),
                Document::unreadable(
                    Problem::of_file(path, "the file's name is not UTF-8").hint("rename it"),
                ),
            )),
        }
    };
    matching.into_iter().filter_map(take).collect()
}

/// Reads one document by its path. A missing one is `None`.
pub fn read_document(root: &Root, path: &str) -> Option<(String, Document)> {
    parsed(path, root.read(path))
}

/// Reads one document below a directory by its path. A missing one is `None`.
pub fn read_document_in(dir: &ConfinedDir, path: &str) -> Option<(String, Document)> {
    parsed(path, files::read_text(dir, path))
}

fn parsed(path: &str, read: Result<Option<String>, Problem>) -> Option<(String, Document)> {
    match read {
        Ok(None) => None,
        Ok(Some(text)) => {
            let document = if path.ends_with(".memory.md") {
                Document::parse(path, &memory::readable(&text))
            } else if is_markdown(path) {
                Document::parse(path, &text)
            } else {
                Document::plain(path, &text)
            };
            Some((text, document))
        }
        Err(problem) => Some((String::new(), Document::unreadable(problem))),
    }
}

/// Returns whether a file is markdown by its name, so that it may have front matter.
pub fn is_markdown(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".mdc", ".mdx", ".markdown"].iter().any(|ending| lower.ends_with(ending))
}

/// Every document of a hierarchy, and what stood in the way of reading more.
#[derive(Debug, Default)]
pub struct Everything {
    /// The documents, each once, in order of level, name and pattern.
    pub placed: Vec<Placed>,
    /// Folders that could not be listed, names that cannot be used.
    pub problems: Vec<Problem>,
}

/// Reads every document of a hierarchy, for every name that its levels have.
pub fn read_all(root: &Root, hierarchy: &Hierarchy) -> Everything {
    let listings = Listings::of_hierarchy(root, hierarchy);
    read_parts(&Access { listings: Some(&listings), ..Access::of(root) }, hierarchy, |_| true)
}

/// Finds every document of a hierarchy, and reads none of them: each has a path and no text.
pub fn find_all(listings: &Listings<'_>, hierarchy: &Hierarchy) -> Everything {
    let root = listings.root();
    let access = Access { root, listings: Some(listings), is_read: false };
    read_parts(&access, hierarchy, |_| true)
}

/// Reads every memory document of a hierarchy.
pub fn read_memories(root: &Root, hierarchy: &Hierarchy) -> Everything {
    let listings = Listings::of_hierarchy(root, hierarchy);
    let access = Access { listings: Some(&listings), ..Access::of(root) };
    read_parts(&access, hierarchy, |part| part == Part::Memory)
}

fn read_parts(
    access: &Access<'_>,
    hierarchy: &Hierarchy,
    wanted: impl Fn(Part) -> bool + Copy + Sync,
) -> Everything {
    let mut all = Everything::default();
    let holds = |level: &&Level| wanted(Part::Main) || level.memory.is_some();
    for level in hierarchy.levels.iter().filter(holds) {
        let combinations = combinations(access, hierarchy, level, &mut all.problems);
        let patterns = LevelPatterns::new(level, wanted);
        let read =
            hands::map(&combinations, WORTH_SHARING, |selectors| patterns.read(access, selectors));
        let paths = || read.iter().flatten().map(|placed| placed.document.path.as_str());
        let mut seen = HashSet::with_capacity(read.len());
        let is_first: Vec<bool> = paths().map(|path| seen.insert(path)).collect();
        all.placed.reserve(is_first.len());
        let placed = read.into_iter().flatten().zip(is_first);
        all.placed.extend(placed.filter_map(|(placed, is_first)| is_first.then_some(placed)));
    }
    all.problems.extend(access.listings.map(Listings::problems).unwrap_or_default());
    all.problems.sort();
    all.problems.dedup();
    all
}

/// Every way to select what a level needs: each plan, and each agent of each plan.
fn combinations(
    access: &Access<'_>,
    hierarchy: &Hierarchy,
    level: &Level,
    problems: &mut Vec<Problem>,
) -> Vec<Selectors> {
    let needs = level.needs();
    let mut all = vec![Selectors::new()];
    for needed in hierarchy.levels.iter().filter(|other| needs.contains(&other.name.as_str())) {
        let looked = hands::map(&all, WORTH_SHARING, |selectors| look(access, needed, selectors));
        let mut wider = Vec::new();
        for (selectors, looked) in all.into_iter().zip(looked) {
            let looked = looked
                .unwrap_or_else(|problem| Looked { problems: vec![problem], ..Looked::default() });
            problems.extend(looked.problems);
            wider.extend(looked.names.into_iter().map(|name| {
                let mut selectors = selectors.clone();
                selectors.insert(needed.name.clone(), name);
                selectors
            }));
        }
        all = wider;
    }
    all
}
