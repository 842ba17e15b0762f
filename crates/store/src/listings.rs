//! Cached directory listings for the folders of a hierarchy.
//!
//! A workspace has thousands of folders. Looking up every file that a pattern may match takes several
//! system calls per file, most of them for files that do not exist. Listing a folder returns all of
//! its names at once, and folders are listed in parallel.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::{Arc, PoisonError, RwLock};

use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::{Problem, parallel, path};

use crate::Root;
use crate::confined::FolderEntry;
use crate::files::io_problem;
use crate::stamp::{self, Stamp};

/// From this many folders on, folders are listed in parallel.
const MIN_PARALLEL_FOLDERS: usize = 16;

/// The entries of a folder, sorted by name, or why it could not be listed.
type FolderListing = Result<Vec<(FolderEntry, Option<Stamp>)>, Problem>;

/// Directory listings of a workspace; each folder is listed once.
#[derive(Debug)]
pub struct Listings<'r> {
    root: &'r Root,
    /// A time before the first folder was listed, in nanoseconds since 1970.
    since: i64,
    folders: RwLock<HashMap<String, Arc<FolderListing>>>,
}

impl<'r> Listings<'r> {
    /// Creates an empty cache; a folder is listed on first access.
    pub fn new(root: &'r Root) -> Self {
        Listings { root, since: stamp::now(), folders: RwLock::default() }
    }

    /// Lists every folder that a pattern of a hierarchy can match in, level by level of the tree.
    pub fn of_hierarchy(root: &'r Root, hierarchy: &Hierarchy) -> Self {
        let listings = Listings::new(root);
        let patterns = hierarchy.levels.iter().flat_map(Level::patterns);
        let patterns: Vec<Vec<&str>> = patterns
            .flat_map(|pattern| pattern.split('|'))
            .map(|path| path.split('/').collect())
            .collect();
        let mut folders = PatternsByFolder::new();
        folders.insert(String::new(), (0..patterns.len()).collect());
        for depth in 0.. {
            let needs_listing = |indices: &[usize]| {
                indices.iter().any(|index| {
                    let is_last = depth + 1 == patterns[*index].len();
                    is_last || has_placeholder(patterns[*index][depth])
                })
            };
            let listed = folders.iter().filter(|(_, indices)| needs_listing(indices));
            listings.list_all(listed.map(|(folder, _)| folder.clone()).collect());
            folders = listings.descend(&folders, &patterns, depth);
            if folders.is_empty() {
                break;
            }
        }
        listings
    }

    /// Returns the folders one level below, each with the indices of the patterns that reach it.
    fn descend(
        &self,
        folders: &PatternsByFolder,
        patterns: &[Vec<&str>],
        depth: usize,
    ) -> PatternsByFolder {
        let has_more_parts = |index: &&usize| patterns[**index].len() > depth + 1;
        let is_searched =
            |item: &&FolderEntry| item.is_folder && !item.name.starts_with(['.', '_']);
        let mut next = PatternsByFolder::new();
        for (folder, indices) in folders {
            for index in indices.iter().filter(has_more_parts) {
                let part = patterns[*index][depth];
                if !has_placeholder(part) {
                    next.entry(join(folder, part)).or_default().push(*index);
                    continue;
                }
                let Ok(entries) = &*self.get(folder) else { continue };
                for item in entries.iter().map(|(item, _)| item).filter(is_searched) {
                    next.entry(join(folder, &item.name)).or_default().push(*index);
                }
            }
        }
        next
    }

    /// Lists folders in parallel.
    fn list_all(&self, mut folders: Vec<String>) {
        folders.sort();
        let dir = self.root.dir();
        let listed = parallel::map(&folders, MIN_PARALLEL_FOLDERS, |folder| {
            let path = if folder.is_empty() { "." } else { folder };
            match dir.list_with_stamps(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(vec![]),
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    Err(Problem::in_file(folder, "this is a file, but a folder was expected"))
                }
                listed => listed.map_err(|error| io_problem(folder, &error)),
            }
        });
        self.root.record_visits(folders.iter().cloned());
        let mut cache = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        cache.extend(folders.into_iter().zip(listed.into_iter().map(Arc::new)));
    }

    fn cached(&self, folder: &str) -> Option<Arc<FolderListing>> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.get(folder).cloned()
    }

    fn get(&self, folder: &str) -> Arc<FolderListing> {
        if let Some(listed) = self.cached(folder) {
            return listed;
        }
        self.list_all(vec![folder.to_owned()]);
        self.cached(folder).unwrap_or_else(|| Arc::new(Ok(vec![])))
    }

    /// Returns whether a folder was already listed and does not contain a name.
    pub(crate) fn lacks(&self, folder: &str, name: &str) -> bool {
        let listing = self.cached(folder);
        listing.is_some_and(|listing| {
            listing.as_ref().as_ref().is_ok_and(|entries| find(entries, name).is_none())
        })
    }

    /// Visits the entries of a folder in the order of their names. A missing folder has none.
    pub fn visit(&self, folder: &str, visit: impl FnMut(&FolderEntry)) -> Result<(), Problem> {
        match &*self.get(folder) {
            Ok(items) => {
                items.iter().map(|(item, _)| item).for_each(visit);
                Ok(())
            }
            Err(problem) => Err(problem.clone()),
        }
    }

    /// Returns the problems of folders that could not be listed.
    pub fn problems(&self) -> Vec<Problem> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.values().filter_map(|listed| listed.as_ref().as_ref().err().cloned()).collect()
    }

    /// Returns whether a file or folder exists. A symbolic link that is dangling or leaves the root is
    /// a problem.
    pub fn exists(&self, file: &str) -> Result<bool, Problem> {
        let listed = self.get(path::folder(file));
        match listed.as_ref().as_ref().ok().and_then(|entries| find(entries, path::file_name(file)))
        {
            Some((item, _)) if item.is_link => Ok(self.root.metadata(file)?.is_some()),
            found => Ok(found.is_some()),
        }
    }

    /// Returns the stamp of a file; `None` if it is not a regular file.
    pub fn stamp(&self, file: &str) -> Option<Stamp> {
        let listed = self.get(path::folder(file));
        match find(listed.as_ref().as_ref().ok()?, path::file_name(file))? {
            (item, _) if item.is_link => {
                let metadata = self.root.metadata(file).ok()??;
                metadata.is_file().then(|| Stamp::new(&metadata))
            }
            (_, stamp) => *stamp,
        }
    }

    /// Returns a time before the first folder was listed, in nanoseconds since 1970.
    pub fn started_at(&self) -> i64 {
        self.since
    }

    /// Returns the workspace.
    pub fn root(&self) -> &'r Root {
        self.root
    }
}

/// The folders at one depth, each with the indices of the patterns that reach it.
type PatternsByFolder = HashMap<String, Vec<usize>>;

/// Finds a name in a listing.
fn find<'l>(
    entries: &'l [(FolderEntry, Option<Stamp>)],
    name: &str,
) -> Option<&'l (FolderEntry, Option<Stamp>)> {
    let index = entries.partition_point(|(item, _)| item.name.as_str() < name);
    entries.get(index).filter(|(item, _)| item.name == name)
}

/// Returns whether a component of a pattern can match several names.
fn has_placeholder(part: &str) -> bool {
    part.contains(['{', '*'])
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
