//! Resolves a hierarchy and selected names to the documents that exist on disk.

use std::collections::{BTreeSet, HashSet};

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::memory::{self, EntryKind, MemoryFormat, learning};
use heirloom_core::name::{self, Match};
use heirloom_core::{Document, Problem, parallel, path};

use crate::confined::ConfinedDir;
use crate::files::{self, FolderEntry};
use crate::listings::Listings;
use crate::{Root, StoreError};

/// From this many selections of a level on, its documents are read in parallel.
const MIN_PARALLEL_SELECTIONS: usize = 64;

/// A document together with the level and the pattern that it was found by.
#[derive(Debug, Clone)]
pub struct HierarchyDocument {
    /// The name of its level.
    pub level: String,
    /// The priority of its level.
    pub priority: i64,
    /// The index of the pattern of the level that matched it; patterns are read in order.
    pub pattern: usize,
    /// Its role in the level.
    pub role: DocumentRole,
    /// The names that were substituted into the pattern.
    pub selectors: Selectors,
    /// Its text.
    pub text: String,
    /// The parsed document.
    pub document: Box<Document>,
}

/// The role of a document in its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRole {
    /// The document that defines the level: the plan, the agent.
    Main,
    /// Any other document of the level.
    Additional,
    /// The memory document of the level.
    Memory,
    /// A file with entries of one kind: decisions or lessons. The cascade reads it as a document.
    Learnings(EntryKind),
}

impl DocumentRole {
    /// Returns the format of its entries; `None` for a document without entries.
    pub fn memory_format(self) -> Option<MemoryFormat> {
        match self {
            DocumentRole::Main | DocumentRole::Additional => None,
            DocumentRole::Memory => Some(MemoryFormat::Sections),
            DocumentRole::Learnings(kind) => Some(MemoryFormat::Learnings(kind)),
        }
    }
}

/// Resolves typed names to names that exist.
pub fn resolve_selectors(
    root: &Root,
    hierarchy: &Hierarchy,
    typed: &Selectors,
) -> Result<Selectors, StoreError> {
    let mut selectors = Selectors::new();
    if let Some(unknown) = typed
        .iter()
        .map(|(level, _)| level)
        .find(|level| hierarchy.level(level).is_none_or(|level| !level.needs_selection()))
    {
        let selectable = hierarchy.levels.iter().filter(|level| level.needs_selection());
        return Err(StoreError::Unknown {
            name: unknown.clone(),
            what: "level to select".into(),
            candidates: selectable.map(|level| level.name.clone()).collect(),
        });
    }
    for level in &hierarchy.levels {
        if let Some(name) = typed.get(&level.name) {
            let missing = level
                .required_levels()
                .into_iter()
                .find(|need| *need != level.name && !selectors.contains_key(need));
            if let Some(missing) = missing {
                return Err(StoreError::refused(
                    format!(
                        "the {} `{name}` can only be found within its {missing}, and no {missing} is selected",
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

/// Resolves a typed name to a name of a level.
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
    if has_name(root, level, selectors, typed) {
        return Ok(typed.to_owned());
    }
    let (candidates, problems) = list_names_with_problems(root, level, selectors)?;
    let is_typed = |problem: &Problem| path::file_name(&problem.path) == typed;
    if let Some(problem) = problems.into_iter().find(is_typed) {
        return Err(problem.into());
    }
    match name::find_loosely(typed, candidates.iter().map(String::as_str)) {
        Match::One(name) => Ok(name),
        Match::Ambiguous(candidates) => {
            Err(StoreError::Ambiguous { name: typed.into(), what, candidates })
        }
        Match::Unknown(candidates) => {
            Err(StoreError::Unknown { name: typed.into(), what, candidates })
        }
    }
}

/// Returns whether a level has exactly this name, without listing its folders.
pub fn has_name(root: &Root, level: &Level, selectors: &Selectors, name: &str) -> bool {
    let sites = level.name_locations();
    let has_longer_ending = |file: &str, ending: &str| {
        sites.iter().any(|(_, other)| other.len() > ending.len() && file.ends_with(other))
    };
    !name.starts_with('_')
        && sites.iter().any(|(folder, ending)| {
            let file = format!("{name}{ending}");
            let path = hierarchy::expand_pattern(folder, selectors)
                .map(|folder| format!("{folder}/{file}"));
            let exists = |path: &str| {
                if ending.is_empty() { root.is_folder(path) } else { root.exists(path) }
            };
            !has_longer_ending(&file, ending) && path.is_some_and(|path| exists(&path))
        })
}

/// Lists the names of a level under the selected names of the levels above it.
pub fn list_names(
    root: &Root,
    level: &Level,
    selectors: &Selectors,
) -> Result<Vec<String>, Problem> {
    Ok(find_names(&DocumentReader::new(root), level, selectors)?.names.into_iter().collect())
}

/// Lists the names of a level as [`list_names`] does, and the problems of names that cannot be used.
pub fn list_names_with_problems(
    root: &Root,
    level: &Level,
    selectors: &Selectors,
) -> Result<(Vec<String>, Vec<Problem>), Problem> {
    let LevelNames { names, problems } = find_names(&DocumentReader::new(root), level, selectors)?;
    Ok((names.into_iter().collect(), problems))
}

/// The names of a level, and the problems of names that cannot be used.
#[derive(Debug, Default)]
struct LevelNames {
    names: BTreeSet<String>,
    problems: Vec<Problem>,
}

/// Finds the names of a level. Names that start with `.` (hidden) or `_` (such as `_plans`) are
/// skipped.
fn find_names(
    reader: &DocumentReader<'_>,
    level: &Level,
    selectors: &Selectors,
) -> Result<LevelNames, Problem> {
    let mut sites = level.name_locations();
    sites.sort_by_key(|(_, ending)| std::cmp::Reverse(ending.len()));
    let mut folders: Vec<&str> = sites.iter().map(|(folder, _)| *folder).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut found = LevelNames::default();
    for folder in folders {
        let Some(path) = hierarchy::expand_pattern(folder, selectors) else { continue };
        reader.visit(&path, |item| {
            add_name(reader, level, &sites, (folder, &path), item, &mut found);
        })?;
    }
    Ok(found)
}

/// Adds the name that a directory entry stands for, if it matches a pattern of the level.
fn add_name(
    reader: &DocumentReader<'_>,
    level: &Level,
    sites: &[(&str, &str)],
    (folder, path): (&str, &str),
    item: &FolderEntry,
    found: &mut LevelNames,
) {
    let has_ending = |ending: &str| {
        if ending.is_empty() { item.is_folder } else { item.name.ends_with(ending) }
    };
    let ending = sites.iter().find(|(site, ending)| *site == folder && has_ending(ending));
    let Some(name) = ending.and_then(|(_, ending)| item.name.strip_suffix(ending)) else {
        // A link to a folder outside of the root is not listed as a folder, so it is reported here.
        if item.is_link && item.is_utf8 {
            let target = reader.root.metadata(&format!("{path}/{}", item.name));
            found.problems.extend(target.err());
        }
        return;
    };
    if name.starts_with(['.', '_']) {
        return;
    }
    let reason = if item.is_utf8 { name::unsafe_reason(name) } else { Some("it is not UTF-8") };
    match reason {
        None => drop(found.names.insert(name.to_owned())),
        Some(reason) => {
            let escaped = item.name.escape_debug();
            let problem = Problem::in_file(
                format!("{path}/{escaped}"),
                format!(
                    "this is ignored, because the name of the {} is not allowed: {reason}",
                    level.name
                ),
            );
            found.problems.push(problem.hint("rename it"));
        }
    }
}

/// Reads every document of the selected levels, lowest priority first, and selects levels that are
/// named in a document of another level. A document that cannot be read is returned empty, with its
/// problem.
pub fn read_selected(
    root: &Root,
    hierarchy: &Hierarchy,
    selectors: &mut Selectors,
) -> Vec<HierarchyDocument> {
    let mut by_level: Vec<(usize, Vec<HierarchyDocument>)> = Vec::new();
    let is_named_by_document =
        |level: &Level| level.named_by.is_some() && !selectors.contains_key(&level.name);
    let (named, selected): (Vec<_>, Vec<_>) =
        hierarchy.levels.iter().enumerate().partition(|(_, level)| is_named_by_document(level));
    for (index, level) in selected {
        by_level.push((index, read_level(root, level, selectors)));
    }
    for (index, level) in named {
        let name = by_level
            .iter_mut()
            .flat_map(|(_, documents)| documents)
            .find_map(|placed| find_level_name(root, level, placed));
        if let Some(name) = name {
            selectors.insert(level.name.clone(), name);
            by_level.push((index, read_level(root, level, selectors)));
        }
    }
    by_level.sort_by_key(|(index, _)| *index);
    let order: Vec<&String> = hierarchy.levels.iter().map(|level| &level.name).collect();
    selectors.sort_by_key(|level| order.iter().position(|name| *name == level));
    by_level.into_iter().flat_map(|(_, documents)| documents).collect()
}

/// Returns the name of a level that a field of a document states (`project: billing`). A name that
/// does not exist is added to the problems of the document.
fn find_level_name(root: &Root, level: &Level, placed: &mut HierarchyDocument) -> Option<String> {
    let names = list_names(root, level, &Selectors::new()).unwrap_or_default();
    match resolve_level_name(level, placed, &names)? {
        Ok(name) => Some(name),
        Err(problem) => {
            placed.document.problems.push(problem);
            None
        }
    }
}

/// Returns the name of a level that a field of a document states, resolved among the names that the
/// level has; `None` if the document states none. A name that does not exist is a problem.
pub fn resolve_level_name(
    level: &Level,
    placed: &HierarchyDocument,
    names: &[String],
) -> Option<Result<String, Problem>> {
    if Some(&placed.level) != level.named_by.as_ref() || placed.role == DocumentRole::Memory {
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
            format!("correct `{}:`", level.name),
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
        Match::Unknown(candidates) => refuse(
            format!("there is no {} `{typed}`", level.name),
            format!("existing names: {}", candidates.join(", ")),
        ),
    })
}

/// Reads the documents of one level.
pub fn read_level(root: &Root, level: &Level, selectors: &Selectors) -> Vec<HierarchyDocument> {
    LevelPatterns::new(level, |_| true).read(&DocumentReader::new(root), selectors)
}

/// Finds and reads documents, with or without cached directory listings.
struct DocumentReader<'a> {
    root: &'a Root,
    /// Cached listings; without them, a folder is listed again on every visit.
    listings: Option<&'a Listings<'a>>,
    /// Whether documents are read. If not, only their existence is checked.
    reads_text: bool,
}

impl<'a> DocumentReader<'a> {
    fn new(root: &'a Root) -> Self {
        DocumentReader { root, listings: None, reads_text: true }
    }

    /// Visits the entries of a folder in the order of their names. A missing folder has none.
    fn visit(&self, folder: &str, visit: impl FnMut(&FolderEntry)) -> Result<(), Problem> {
        match self.listings {
            Some(listings) => listings.visit(folder, visit),
            None => {
                self.root.list(folder)?.iter().for_each(visit);
                Ok(())
            }
        }
    }

    /// Returns the document at a path, without text if texts are not read; `None` if it does not
    /// exist.
    fn document(&self, path: &str) -> Option<(String, Document)> {
        let exists = match self.listings {
            Some(listings) => listings.exists(path),
            None if self.reads_text => Ok(true),
            None => self.root.metadata(path).map(|metadata| metadata.is_some()),
        };
        match exists {
            Ok(false) => None,
            Ok(true) if self.reads_text => read_document(self.root, path),
            Ok(true) => {
                Some((String::new(), Document { path: path.to_owned(), ..Document::default() }))
            }
            Err(problem) => Some((String::new(), Document::unreadable(problem))),
        }
    }
}

/// A pattern of a level, prepared for repeated expansion.
struct LevelPattern<'l> {
    pattern: &'l str,
    part: DocumentRole,
    /// The levels whose names occur in it.
    variables: Vec<&'l str>,
}

/// The patterns of a level whose documents have a requested role.
struct LevelPatterns<'l> {
    level: &'l Level,
    needs: Vec<&'l str>,
    patterns: Vec<(usize, LevelPattern<'l>)>,
}

impl<'l> LevelPatterns<'l> {
    fn new(level: &'l Level, has_role: impl Fn(DocumentRole) -> bool) -> Self {
        let prepare = |pattern: &'l str| LevelPattern {
            pattern,
            part: match () {
                () if level.memory.as_deref() == Some(pattern) => DocumentRole::Memory,
                () => match learning::kind_of_file(pattern) {
                    Some(kind) => DocumentRole::Learnings(kind),
                    None if level.is_main_pattern(pattern) => DocumentRole::Main,
                    None => DocumentRole::Additional,
                },
            },
            variables: hierarchy::pattern_variables(pattern)
                .map(|variable| variable.trim_end_matches(".number"))
                .collect(),
        };
        let patterns = level.patterns().map(prepare).enumerate();
        let patterns = patterns.filter(|(_, pattern)| has_role(pattern.part)).collect();
        LevelPatterns { level, needs: level.required_levels(), patterns }
    }

    /// Reads the documents that the patterns match for the selected names.
    fn read(&self, reader: &DocumentReader<'_>, selectors: &Selectors) -> Vec<HierarchyDocument> {
        if self.needs.iter().any(|need| !selectors.contains_key(need)) {
            return vec![];
        }
        let mut placed = Vec::with_capacity(self.patterns.len());
        for (index, LevelPattern { pattern, part, variables }) in &self.patterns {
            let mut used_selectors = selectors.clone();
            used_selectors.retain(|level| variables.contains(&level));
            let documents = read_pattern(reader, pattern, selectors).into_iter();
            placed.extend(documents.map(|(text, document)| HierarchyDocument {
                level: self.level.name.clone(),
                priority: self.level.priority,
                pattern: *index,
                role: *part,
                selectors: used_selectors.clone(),
                text,
                document: Box::new(document),
            }));
        }
        placed
    }
}

/// Reads the documents of the first alternative of a pattern that exists, and reports the others.
fn read_pattern(
    reader: &DocumentReader<'_>,
    pattern: &str,
    selectors: &Selectors,
) -> Vec<(String, Document)> {
    let mut alternatives: Vec<String> = pattern
        .split('|')
        .filter_map(|alternative| hierarchy::expand_pattern(alternative, selectors))
        .collect();
    if alternatives.len() > 1 {
        let mut seen = BTreeSet::new();
        alternatives.retain(|path| seen.insert(path.clone()));
    }
    let mut found: Vec<(String, Document)> = Vec::new();
    let mut winner: Option<String> = None;
    for path in alternatives {
        if winner.as_ref().is_some_and(|first| is_same_file(reader, first, &path)) {
            continue;
        }
        let documents = if path.contains('*') {
            read_glob(reader, &path)
        } else {
            reader.document(&path).into_iter().collect()
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
                let problem = Problem::in_file(
                    &other,
                    format!("this is ignored, because {first} takes its place"),
                )
                .hint("keep one of the two");
                found[0].1.problems.push(problem);
            }
        }
    }
    found
}

/// Returns whether two paths that differ in case name one file, as on a case-insensitive file system.
fn is_same_file(reader: &DocumentReader<'_>, first: &str, path: &str) -> bool {
    let is_listed = || {
        let mut is_listed = false;
        let name = path::file_name(path);
        let visited = reader.visit(path::folder(path), |item| is_listed |= item.name == name);
        visited.is_ok() && is_listed
    };
    first.eq_ignore_ascii_case(path) && !is_listed()
}

fn read_glob(reader: &DocumentReader<'_>, pattern: &str) -> Vec<(String, Document)> {
    let (folder, file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let (prefix, suffix) = file.split_once('*').unwrap_or((file, ""));
    let mut matching: Vec<FolderEntry> = Vec::new();
    let visited = reader.visit(folder, |item| {
        let is_match = item.name.len() >= prefix.len() + suffix.len()
            && item.name.starts_with(prefix)
            && item.name.ends_with(suffix);
        // A folder with the name of a document is reported; other folders are not documents.
        if is_match && !item.name.starts_with('.') && (!item.is_folder || !suffix.is_empty()) {
            matching.push(item.clone());
        }
    });
    if let Err(problem) = visited {
        return vec![(String::new(), Document::unreadable(problem))];
    }
    let read = |item: FolderEntry| {
        let path = if folder.is_empty() { item.name } else { format!("{folder}/{}", item.name) };
        match item.is_utf8 {
            true => reader.document(&path),
            false => Some((
                String::new(),
                Document::unreadable(
                    Problem::in_file(path, "the file's name is not UTF-8").hint("rename it"),
                ),
            )),
        }
    };
    matching.into_iter().filter_map(read).collect()
}

/// Reads one document by its path; `None` if it does not exist.
pub fn read_document(root: &Root, path: &str) -> Option<(String, Document)> {
    parse_document(path, root.read(path))
}

/// Reads one document by its path in a directory; `None` if it does not exist.
pub fn read_document_in(dir: &ConfinedDir, path: &str) -> Option<(String, Document)> {
    parse_document(path, files::read_text(dir, path))
}

fn parse_document(path: &str, read: Result<Option<String>, Problem>) -> Option<(String, Document)> {
    match read {
        Ok(None) => None,
        Ok(Some(text)) => {
            let document = if path.ends_with(".memory.md") {
                Document::parse(path, &memory::merge_repeated_counters(&text))
            } else if is_markdown(path) {
                Document::parse(path, &text)
            } else {
                Document::from_plain_text(path, &text)
            };
            Some((text, document))
        }
        Err(problem) => Some((String::new(), Document::unreadable(problem))),
    }
}

/// Returns whether the extension of a file is one of markdown, so that it may have front matter.
pub fn is_markdown(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".mdc", ".mdx", ".markdown"].iter().any(|ending| lower.ends_with(ending))
}

/// The documents of a whole hierarchy.
#[derive(Debug, Default)]
pub struct HierarchyDocuments {
    /// The documents, without duplicates, in the order of level, name and pattern.
    pub documents: Vec<HierarchyDocument>,
    /// The folders that could not be listed and the names that cannot be used.
    pub problems: Vec<Problem>,
}

/// Reads every document of a hierarchy, for all names of its levels.
pub fn read_all(root: &Root, hierarchy: &Hierarchy) -> HierarchyDocuments {
    let listings = Listings::of_hierarchy(root, hierarchy);
    let reader = DocumentReader { listings: Some(&listings), ..DocumentReader::new(root) };
    read_roles(&reader, hierarchy, |_| true)
}

/// Finds every document of a hierarchy without reading it: each has a path and no text.
pub fn find_all(listings: &Listings<'_>, hierarchy: &Hierarchy) -> HierarchyDocuments {
    let root = listings.root();
    let reader = DocumentReader { root, listings: Some(listings), reads_text: false };
    read_roles(&reader, hierarchy, |_| true)
}

/// Reads every document with entries of a hierarchy.
pub fn read_memories(root: &Root, hierarchy: &Hierarchy) -> HierarchyDocuments {
    let listings = Listings::of_hierarchy(root, hierarchy);
    let reader = DocumentReader { listings: Some(&listings), ..DocumentReader::new(root) };
    read_roles(&reader, hierarchy, |part| part.memory_format().is_some())
}

/// Reads the documents of a hierarchy that have a requested role.
fn read_roles(
    reader: &DocumentReader<'_>,
    hierarchy: &Hierarchy,
    has_role: impl Fn(DocumentRole) -> bool + Copy + Sync,
) -> HierarchyDocuments {
    let mut all = HierarchyDocuments::default();
    for level in &hierarchy.levels {
        let patterns = LevelPatterns::new(level, has_role);
        if patterns.patterns.is_empty() && !has_role(DocumentRole::Main) {
            continue;
        }
        let selections = list_selections(reader, hierarchy, level, &mut all.problems);
        let read = parallel::map(&selections, MIN_PARALLEL_SELECTIONS, |selectors| {
            patterns.read(reader, selectors)
        });
        let paths = || read.iter().flatten().map(|placed| placed.document.path.as_str());
        let mut seen = HashSet::with_capacity(read.len());
        let is_first: Vec<bool> = paths().map(|path| seen.insert(path)).collect();
        all.documents.reserve(is_first.len());
        let placed = read.into_iter().flatten().zip(is_first);
        all.documents.extend(placed.filter_map(|(placed, is_first)| is_first.then_some(placed)));
    }
    all.problems.extend(reader.listings.map(Listings::problems).unwrap_or_default());
    all.problems.sort();
    all.problems.dedup();
    all
}

/// Lists every combination of names that a level needs: for agents, each agent of each plan.
fn list_selections(
    reader: &DocumentReader<'_>,
    hierarchy: &Hierarchy,
    level: &Level,
    problems: &mut Vec<Problem>,
) -> Vec<Selectors> {
    let needs = level.required_levels();
    let mut selections = vec![Selectors::new()];
    for needed in hierarchy.levels.iter().filter(|other| needs.contains(&other.name.as_str())) {
        let found = parallel::map(&selections, MIN_PARALLEL_SELECTIONS, |selectors| {
            find_names(reader, needed, selectors)
        });
        let mut extended = Vec::new();
        for (selectors, found) in selections.into_iter().zip(found) {
            let found = found.unwrap_or_else(|problem| LevelNames {
                problems: vec![problem],
                ..LevelNames::default()
            });
            problems.extend(found.problems);
            extended.extend(found.names.into_iter().map(|name| {
                let mut selectors = selectors.clone();
                selectors.insert(needed.name.clone(), name);
                selectors
            }));
        }
        selections = extended;
    }
    selections
}
