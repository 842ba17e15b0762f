//! The folders that the documents of a hierarchy lie in, each listed once.
//!
//! A workspace has thousands of folders. Asking the system for every file that a pattern may name
//! costs several calls a file, most of them for files that are not there. Listing a folder tells all
//! of its names at once, and folders are listed by several processors.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::rc::Rc;

use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::{Problem, hands, path};

use crate::Root;
use crate::confined::Item;
use crate::files::io_problem;
use crate::stamp::Stamp;

/// So many folders at least are listed by several processors.
const WORTH_SHARING: usize = 16;

/// A folder as it was listed.
type Listed = Result<Vec<(Item, Option<Stamp>)>, Problem>;

/// Folders of a workspace, each listed once.
#[derive(Debug)]
pub struct Listings<'r> {
    root: &'r Root,
    folders: RefCell<HashMap<String, Rc<Listed>>>,
}

impl<'r> Listings<'r> {
    /// Lists nothing yet; a folder is listed when it is first asked for.
    pub fn new(root: &'r Root) -> Self {
        Listings { root, folders: RefCell::default() }
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
        self.root.note_looked_into(folders.iter().map(|folder| self.root.join(folder)));
        let mut known = self.folders.borrow_mut();
        known.extend(folders.into_iter().zip(listed.into_iter().map(Rc::new)));
    }

    fn get(&self, folder: &str) -> Rc<Listed> {
        if let Some(listed) = self.folders.borrow().get(folder) {
            return listed.clone();
        }
        self.list_all(vec![folder.to_owned()]);
        self.folders.borrow()[folder].clone()
    }

    /// Lists a folder by name. A missing one is empty.
    pub fn list(&self, folder: &str) -> Result<Vec<Item>, Problem> {
        match &*self.get(folder) {
            Ok(items) => Ok(items.iter().map(|(item, _)| item.clone()).collect()),
            Err(problem) => Err(problem.clone()),
        }
    }

    /// Looks whether there is a file or a folder. A link that leads out, or nowhere, is a problem.
    pub fn exists(&self, file: &str) -> Result<bool, Problem> {
        match self.find(file) {
            Some((item, _)) if item.is_link => Ok(self.root.metadata(file)?.is_some()),
            found => Ok(found.is_some()),
        }
    }

    /// Returns what is known of a file without reading it; `None` for what is not a file.
    pub fn stamp(&self, file: &str) -> Option<Stamp> {
        match self.find(file)? {
            (item, _) if item.is_link => {
                let metadata = self.root.metadata(file).ok()??;
                metadata.is_file().then(|| Stamp::new(&metadata))
            }
            (_, stamp) => stamp,
        }
    }

    fn find(&self, file: &str) -> Option<(Item, Option<Stamp>)> {
        let name = path::file_name(file);
        let listed = self.get(path::folder(file));
        let items = listed.as_ref().as_ref().ok()?;
        let at = items.partition_point(|(item, _)| item.name.as_str() < name);
        items.get(at).filter(|(item, _)| item.name == name).cloned()
    }

    /// Returns the workspace.
    pub fn root(&self) -> &'r Root {
        self.root
    }
}

/// Whether a part of a pattern stands for several names.
fn is_open(part: &str) -> bool {
    part.contains(['{', '*'])
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
