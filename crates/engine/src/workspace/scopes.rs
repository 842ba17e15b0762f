//! Scopes: workspaces, the domains of a workspace, and the repositories of a domain. The folder of a scope has its overview
//! and folders of plans and other documents; its decisions and lessons are in a folder of their own.

mod typed;

pub(crate) use typed::{ScopeLevel, TypedScope, find_typed_scope};

use std::fmt;

use heirloom_core::hierarchy::{self, Hierarchy, Level, Selectors};
use heirloom_core::{Hint, Problem, name, parallel, path};
use heirloom_store::layout;
use heirloom_store::{Config, Root, StoreError};

use crate::Error;
use crate::workspace::found_document::FoundDocument;
use crate::workspace::inherit;

/// The hierarchy whose scopes are used if the default hierarchy has none.
const SCOPES_HIERARCHY: &str = "domains";

/// The outermost level of a hierarchy of scopes.
const OUTERMOST_LEVEL: &str = "workspace";

/// From this many folders on, folders are listed in parallel.
const MIN_PARALLEL_FOLDERS: usize = 4;

/// Limits the names that an error lists.
const MAX_LISTED_NAMES: usize = 30;

/// Names of files that describe a folder and are no documents of it, in lower case.
const FOLDER_FILES: [&str; 4] = ["readme.md", "index.md", "overview.md", "abstract.md"];

/// The file with the overview of a scope.
pub(crate) const OVERVIEW_FILE: &str = "OVERVIEW.md";

/// The folders of a scope, with the documents that they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeFolder {
    Plans,
    Features,
    Spikes,
    Architecture,
}

impl ScopeFolder {
    fn name(self) -> &'static str {
        match self {
            ScopeFolder::Plans => "_plans",
            ScopeFolder::Features => "_features",
            ScopeFolder::Spikes => "_spikes",
            ScopeFolder::Architecture => "_architecture",
        }
    }

    /// Returns whether a path is that of a document in such a folder.
    pub(crate) fn holds(self, document: &str) -> bool {
        path::file_name(path::folder(document)) == self.name()
            && is_document(path::file_name(document))
    }
}

/// A scope by the names that lead to it: `devtools/common`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ScopePath {
    names: Vec<String>,
}

impl ScopePath {
    /// Returns the names, outermost first.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns how many names lead to it: 1 for a workspace.
    pub(crate) fn depth(&self) -> usize {
        self.names.len()
    }

    /// Returns the scopes around it, the nearest first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = ScopePath> {
        (1..self.names.len()).rev().map(|depth| ScopePath { names: self.names[..depth].to_vec() })
    }

    fn child(&self, name: String) -> Self {
        let mut names = self.names.clone();
        names.push(name);
        ScopePath { names }
    }
}

impl fmt::Display for ScopePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join("/"))
    }
}

/// The documents in a folder of a scope.
#[derive(Debug)]
pub(crate) struct FolderDocuments {
    pub(crate) folder: ScopeFolder,
    /// The documents by path.
    pub(crate) documents: Vec<FoundDocument>,
}

/// The levels of the scopes of a workspace.
#[derive(Debug)]
pub(crate) struct Scopes<'r> {
    root: &'r Root,
    /// The levels that need a name, the outermost first.
    levels: Vec<Level>,
}

impl<'r> Scopes<'r> {
    /// Returns the scopes of the default hierarchy, or those of the built-in one.
    pub(crate) fn of(root: &'r Root, config: &Config) -> Result<Self, Error> {
        let (_, default) = inherit::hierarchy(config, None)?;
        let hierarchy = match has_scopes(&default) {
            true => default,
            false => inherit::hierarchy(config, Some(SCOPES_HIERARCHY))?.1,
        };
        let levels = hierarchy.levels.into_iter().filter(Level::needs_selection).collect();
        Ok(Scopes { root, levels })
    }

    /// Returns whether the default hierarchy has these scopes.
    pub(crate) fn are_default(&self, config: &Config) -> Result<bool, Error> {
        let (_, default) = inherit::hierarchy(config, None)?;
        Ok(has_scopes(&default))
    }

    /// Returns the outermost scopes.
    pub(crate) fn workspaces(&self) -> Result<Vec<ScopePath>, Error> {
        self.children(&ScopePath::default())
    }

    /// Returns all scopes, each before those in it.
    pub(crate) fn all(&self) -> Result<Vec<ScopePath>, Error> {
        let mut all = Vec::new();
        for workspace in self.workspaces()? {
            all.extend(self.within(&workspace)?);
        }
        Ok(all)
    }

    /// Finds a scope by typed names, the outermost first.
    pub(crate) fn find(&self, typed: &[String]) -> Result<ScopePath, Error> {
        let mut scope = ScopePath::default();
        for name in typed {
            let Some(level) = self.levels.get(scope.depth()) else {
                let deepest = self.levels.last().map_or("", |level| level.name.as_str());
                let message =
                    format!("`{name}` is one name too many: a {deepest} is the innermost scope");
                return Err(Error::bad_input(message));
            };
            let found = layout::find_name(self.root, level, &self.selectors(&scope), name);
            let found = found.map_err(|error| match error {
                StoreError::Unknown { .. } => self.unknown(level, &scope, name),
                other => other.into(),
            })?;
            scope = scope.child(found);
        }
        Ok(scope)
    }

    /// Returns an error that lists the known names, the most similar first.
    fn unknown(&self, level: &Level, parent: &ScopePath, typed: &str) -> Error {
        let known = self.children(parent).unwrap_or_default();
        let known = known.iter().filter_map(|scope| scope.names.last()).map(String::as_str);
        let candidates = name::nearest_first(typed, known, MAX_LISTED_NAMES);
        let place = if parent.depth() == 0 { String::new() } else { format!(" in {parent}") };
        let has_candidates = !candidates.is_empty();
        let message = format!("there is no {} `{typed}`{place}", level.name);
        let error = Error::not_found(message, candidates);
        match has_candidates {
            true => error,
            false => {
                let folders = level.name_locations().into_iter().filter_map(|(folder, _)| {
                    hierarchy::expand_pattern(folder, &self.selectors(parent))
                });
                let folders = folders.collect::<Vec<_>>().join(" or ");
                error.hint(Hint::text(format!("scopes are folders in {folders}")))
            }
        }
    }

    /// Returns the scopes directly in another one, by name.
    fn children(&self, scope: &ScopePath) -> Result<Vec<ScopePath>, Error> {
        let Some(level) = self.levels.get(scope.depth()) else { return Ok(vec![]) };
        let names = layout::list_names(self.root, level, &self.selectors(scope))?;
        Ok(names.into_iter().map(|name| scope.child(name)).collect())
    }

    /// Returns a scope and all scopes in it, each before those in it.
    pub(crate) fn within(&self, scope: &ScopePath) -> Result<Vec<ScopePath>, Error> {
        let mut found = vec![scope.clone()];
        for child in self.children(scope)? {
            found.extend(self.within(&child)?);
        }
        Ok(found)
    }

    /// Returns the path of the file of a scope that has a name, whether it exists or not: `OVERVIEW.md`.
    pub(crate) fn file(&self, scope: &ScopePath, file_name: &str) -> Option<String> {
        let level = self.levels.get(scope.depth().checked_sub(1)?)?;
        let pattern = level.patterns().find(|pattern| path::file_name(pattern) == file_name)?;
        hierarchy::expand_pattern(pattern, &self.selectors(scope))
    }

    /// Lists the documents in some folders of scopes, in the order of the scopes.
    pub(crate) fn documents(
        &self,
        scopes: &[ScopePath],
        folders: &[ScopeFolder],
    ) -> (Vec<FolderDocuments>, Vec<Problem>) {
        let places = scopes.iter().flat_map(|scope| {
            let place = move |folder: &ScopeFolder| Some((*folder, self.folder(scope, *folder)?));
            folders.iter().filter_map(place)
        });
        let places: Vec<(ScopeFolder, String)> = places.collect();
        let listed = parallel::map(&places, MIN_PARALLEL_FOLDERS, |(_, folder)| {
            list_documents(self.root, folder)
        });
        let mut problems = Vec::new();
        let mut found = Vec::new();
        for ((folder, _), listed) in places.into_iter().zip(listed) {
            match listed {
                Ok((documents, unusable)) => {
                    problems.extend(unusable);
                    found.push(FolderDocuments { folder, documents });
                }
                Err(problem) => problems.push(problem),
            }
        }
        (found, problems)
    }

    /// Returns the path of a folder of a scope.
    pub(crate) fn folder(&self, scope: &ScopePath, folder: ScopeFolder) -> Option<String> {
        let level = self.levels.get(scope.depth().checked_sub(1)?)?;
        let mut folders = level.patterns().map(path::folder);
        let pattern = folders.find(|pattern| path::file_name(pattern) == folder.name())?;
        hierarchy::expand_pattern(pattern, &self.selectors(scope))
    }

    fn selectors(&self, scope: &ScopePath) -> Selectors {
        let names = self.levels.iter().zip(&scope.names);
        names.map(|(level, name)| (level.name.clone(), name.clone())).collect()
    }
}

fn has_scopes(hierarchy: &Hierarchy) -> bool {
    hierarchy.level(OUTERMOST_LEVEL).is_some_and(Level::needs_selection)
}

/// Lists the documents in a folder, and the problems of those whose names cannot be used.
fn list_documents(
    root: &Root,
    folder: &str,
) -> Result<(Vec<FoundDocument>, Vec<Problem>), Problem> {
    let mut documents = Vec::new();
    let mut problems = Vec::new();
    for (item, stamp) in root.list_with_stamps(folder)? {
        if item.is_folder || !is_document(&item.name) {
            continue;
        }
        let path = format!("{folder}/{}", item.name);
        match item.is_utf8 {
            true => {
                let name = path::stem(&path).to_owned();
                documents.push(FoundDocument { name, path, stamp });
            }
            false => problems
                .push(Problem::in_file(path, "the file's name is not UTF-8").hint("rename it")),
        }
    }
    Ok((documents, problems))
}

fn is_document(file_name: &str) -> bool {
    file_name.ends_with(".md")
        && !file_name.starts_with('.')
        && !FOLDER_FILES.contains(&file_name.to_lowercase().as_str())
}
