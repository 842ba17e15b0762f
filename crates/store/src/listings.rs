//! The folders that the documents of a hierarchy lie in, each listed once.
//!
//! A workspace has thousands of folders. Asking the system for every file that a pattern may name
//! costs several calls a file, most of them for files that are not there. Listing a folder tells all
//! of its names at once, and folders are listed by several processors.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::{Arc, PoisonError, RwLock};

use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::{Problem, hands, path};

use crate::Root;
use crate::confined::Item;
use crate::files::io_problem;
use crate::stamp::{self, Stamp};

/// So many folders at least are listed by several processors.
const WORTH_SHARING: usize = 16;

/// A folder as it was listed.
type Listed = Result<Vec<(Item, Option<Stamp>)>, Problem>;

/// Folders of a workspace, each listed once.
#[derive(Debug)]
pub struct Listings<'r> {
    root: &'r Root,
    /// When the first folder was listed, in nanoseconds since 1970.
    since: i64,
    folders: RwLock<HashMap<String, Arc<Listed>>>,
}

impl<'r> Listings<'r> {
    /// Lists nothing yet; a folder is listed when it is first asked for.
    pub fn new(root: &'r Root) -> Self {
        Listings { root, since: stamp::now(), folders: RwLock::default() }
    }

    /// Lists every folder that a pattern of a hierarchy leads through.
    pub fn of_hierarchy(root: &'r Root, hierarchy: &Hierarchy) -> Self {
        let listings = Listings::new(root);
        let patterns = hierarchy.levels.iter().flat_map(Level::patterns);
        let patterns: Vec<Vec<&str>> =
            patterns.flat_map(|all| all.split('|')).map(|one| one.split('/').collect()).collect();
        // Folders at one depth, each with the patterns that lead through it.
        let mut reached: HashMap<String, Vec<usize>> = HashMap::new();
        reached.insert(String::new(), (0..patterns.len()).collect());
        for depth in 0.. {
            let leads_on = |at: &&usize| patterns[**at].len() > depth + 1;
            let mut names: Vec<String> = Vec::new();
            for (folder, through) in &reached {
                let is_listed = through.iter().any(|at| {
                    let part = patterns[*at][depth];
                    is_open(part) || depth + 1 == patterns[*at].len()
                });
                if is_listed {
                    names.push(folder.clone());
                }
            }
            listings.list_all(names);
            let mut next: HashMap<String, Vec<usize>> = HashMap::new();
            for (folder, through) in &reached {
                for at in through.iter().filter(leads_on) {
                    let part = patterns[*at][depth];
                    if !is_open(part) {
                        next.entry(join(folder, part)).or_default().push(*at);
                        continue;
                    }
                    let Ok(items) = &*listings.get(folder) else { continue };
                    let inner = items.iter().map(|(item, _)| item);
                    let is_entered =
                        |item: &&Item| item.is_folder && !item.name.starts_with(['.', '_']);
                    for item in inner.filter(is_entered) {
                        next.entry(join(folder, &item.name)).or_default().push(*at);
                    }
                }
            }
            if next.is_empty() {
                return listings;
            }
            reached = next;
        }
        listings
    }

    /// Lists folders on all processors.
    fn list_all(&self, mut folders: Vec<String>) {
        folders.sort();
        let dir = self.root.dir();
        let listed = hands::map(&folders, WORTH_SHARING, |folder| {
            let at = if folder.is_empty() { "." } else { folder };
            match dir.list_with_stamps(at) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(vec![]),
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    Err(Problem::of_file(folder, "this is a file, and a folder was expected"))
                }
                listed => listed.map_err(|error| io_problem(folder, &error)),
            }
        });
        self.root.note_looked_into(folders.iter().cloned());
        let mut known = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(folders.into_iter().zip(listed.into_iter().map(Arc::new)));
    }

    fn known(&self, folder: &str) -> Option<Arc<Listed>> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.get(folder).cloned()
    }

    fn get(&self, folder: &str) -> Arc<Listed> {
        if let Some(listed) = self.known(folder) {
            return listed;
        }
        self.list_all(vec![folder.to_owned()]);
        self.known(folder).unwrap_or_else(|| Arc::new(Ok(vec![])))
    }

    /// Returns whether a folder was listed and has no such name.
    pub(crate) fn lacks(&self, folder: &str, name: &str) -> bool {
        let known = self.known(folder);
        known.is_some_and(|listed| {
            listed.as_ref().as_ref().is_ok_and(|all| find(all, name).is_none())
        })
    }

    /// Visits what a folder holds, by name. A missing one is empty.
    pub fn visit(&self, folder: &str, visit: impl FnMut(&Item)) -> Result<(), Problem> {
        match &*self.get(folder) {
            Ok(items) => {
                items.iter().map(|(item, _)| item).for_each(visit);
                Ok(())
            }
            Err(problem) => Err(problem.clone()),
        }
    }

    /// Returns why folders could not be listed.
    pub fn problems(&self) -> Vec<Problem> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.values().filter_map(|listed| listed.as_ref().as_ref().err().cloned()).collect()
    }

    /// Looks whether there is a file or a folder. A link that leads out, or nowhere, is a problem.
    pub fn exists(&self, file: &str) -> Result<bool, Problem> {
        let listed = self.get(path::folder(file));
        match listed.as_ref().as_ref().ok().and_then(|all| find(all, path::file_name(file))) {
            Some((item, _)) if item.is_link => Ok(self.root.metadata(file)?.is_some()),
            found => Ok(found.is_some()),
        }
    }

    /// Returns what is known of a file without reading it; `None` for what is not a file.
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

    /// Returns a moment before the first folder was listed, in nanoseconds since 1970.
    pub fn since(&self) -> i64 {
        self.since
    }

    /// Returns the workspace.
    pub fn root(&self) -> &'r Root {
        self.root
    }
}

/// Finds a name in a folder that was listed.
fn find<'l>(listed: &'l [(Item, Option<Stamp>)], name: &str) -> Option<&'l (Item, Option<Stamp>)> {
    let at = listed.partition_point(|(item, _)| item.name.as_str() < name);
    listed.get(at).filter(|(item, _)| item.name == name)
}

/// Whether a part of a pattern stands for several names.
fn is_open(part: &str) -> bool {
    part.contains(['{', '*'])
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
