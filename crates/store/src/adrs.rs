//! Where decision records are, and reading them.

use std::collections::HashSet;

use heirloom_core::adr::{self, Adr};
use heirloom_core::{Document, Problem, path};

use crate::confined::{ConfinedDir, Item};
use crate::listings::Listings;
use crate::stamp::Stamp;
use crate::{Config, Root, archive, files, layout};

/// The workspace's own records.
pub const FOLDER: &str = ".heirloom/adrs";
const PROJECTS: &str = ".heirloom/projects";
const MAX_DEPTH: usize = 4;

/// A record and its document.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it says as a record.
    pub adr: Adr,
    /// What it says as a document.
    pub document: Document,
    /// Its text.
    pub text: String,
    /// The project that it belongs to.
    pub project: Option<String>,
}

/// Returns the folder of a project's records.
pub fn project_folder(project: &str) -> String {
    format!("{PROJECTS}/{project}/adrs")
}

/// Reads the records that hold for a project, or for every project.
pub fn read(root: &Root, config: &Config, project: Scope<'_>) -> (Vec<Record>, Vec<Problem>) {
    let (found, mut problems) = find(root, config, project);
    (read_found(root, found, &mut problems), problems)
}

/// Reads records that were found.
pub fn read_found(root: &Root, found: Vec<Found>, problems: &mut Vec<Problem>) -> Vec<Record> {
    let mut records = Vec::new();
    for Found { path, project } in found {
        if let Some((text, document)) = read_document(root.dir(), &path) {
            problems.extend(document.problems.iter().cloned());
            let adr = adr::read_document(&document, &text);
            records.push(Record { adr, document, text, project });
        }
    }
    records
}

/// Reads a record with the fields that stand in a file beside it. A missing one is `None`.
pub fn read_document(root: &ConfinedDir, path: &str) -> Option<(String, Document)> {
    let (text, mut document) = layout::read_document_in(root, path)?;
    let beside = adr::metadata_path(path).map(|beside| files::read_text(root, &beside));
    match beside.transpose() {
        Ok(metadata) => {
            let metadata = metadata.flatten();
            metadata.iter().for_each(|metadata| adr::add_metadata(&mut document, metadata));
        }
        Err(problem) => document.problems.push(problem),
    }
    Some((text, document))
}

/// Returns what is known of a record without reading it, and of the file beside it: a change of either
/// changes it.
pub fn stamp(listings: &Listings<'_>, path: &str) -> Option<Stamp> {
    let own = listings.stamp(path)?;
    let beside = adr::metadata_path(path).and_then(|beside| listings.stamp(&beside));
    Some(match beside {
        Some(beside) => own.and(beside),
        None => own,
    })
}

/// A record that is there and was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its file.
    pub path: String,
    /// The project that it belongs to.
    pub project: Option<String>,
}

/// Finds the records that hold for a project, or for every project, each once.
pub fn find(root: &Root, config: &Config, project: Scope<'_>) -> (Vec<Found>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut folders = vec![(FOLDER.to_owned(), None, 0)];
    match project {
        Scope::Workspace => {}
        Scope::Project(name) => folders.push((project_folder(name), Some(name.to_owned()), 0)),
        Scope::Everything => {
            let listed = root.list(PROJECTS).unwrap_or_else(|problem| {
                problems.push(problem);
                vec![]
            });
            let projects = listed.into_iter().filter(|item| item.is_folder);
            folders.extend(projects.map(|item| (project_folder(&item.name), Some(item.name), 0)));
        }
    }
    folders.extend(
        config
            .adrs
            .folders
            .iter()
            .map(|folder| (folder.trim_end_matches('/').to_owned(), None, MAX_DEPTH)),
    );
    for (folder, project, depth) in folders {
        find_in(root, &folder, project.as_deref(), depth, &mut found, &mut problems);
    }
    let mut seen = HashSet::new();
    found.retain(|found: &Found| seen.insert(found.path.clone()));
    (found, problems)
}

/// Returns the number of the next record of a folder. The archive counts, because a number that was
/// given once must not come to mean another decision. Folders share their numbers, so that an id
/// means one record, unless a number is already in two of them.
pub fn next_number(root: &Root, config: &Config, folder: &str) -> u32 {
    let adopted = config.adrs.folders.iter().map(|folder| folder.trim_end_matches('/'));
    let shared: Vec<&str> = adopted.chain([FOLDER]).collect();
    let is_shared = shared.iter().any(|own| path::is_within(folder, own));
    let mut paths: Vec<String> =
        archive::list(root).into_iter().map(|archived| archived.source).collect();
    let mut found = Vec::new();
    for folder in shared.iter().copied().chain([folder]) {
        find_in(root, folder, None, MAX_DEPTH, &mut found, &mut Vec::new());
    }
    paths.extend(found.into_iter().map(|found| found.path));
    paths.sort();
    paths.dedup();
    let numbers = |wanted: &dyn Fn(&str) -> bool| -> HashSet<u32> {
        // Records that are folders count by themselves.
        let files = paths.iter().filter(|path| adr::folder_name(path).is_none());
        let wanted = files.filter(|path| wanted(path::folder(path)));
        wanted.filter_map(|path| adr::id_of(path).1).collect()
    };
    let own = numbers(&|other| path::is_within(other, folder));
    let others = numbers(&|other| {
        !path::is_within(other, folder) && shared.iter().any(|own| path::is_within(other, own))
    });
    let is_alone = folder != FOLDER && !own.is_disjoint(&others);
    let all = own.iter().chain(others.iter().filter(|_| is_shared && !is_alone));
    all.max().map_or(1, |highest| highest.saturating_add(1))
}

/// Returns whether a record of a folder has this number, or had it and is in the archive.
pub fn is_taken(root: &Root, folder: &str, number: u32) -> bool {
    let archived = format!("{}/{folder}", crate::files::ARCHIVE);
    let items =
        [folder, &archived].into_iter().flat_map(|folder| root.list(folder).unwrap_or_default());
    items
        .filter(|item| adr::is_record(&item.name))
        .any(|item| adr::id_of(&item.name).1 == Some(number))
}

/// Whose records are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The workspace's.
    Workspace,
    /// The workspace's and one project's.
    Project(&'a str),
    /// All.
    Everything,
}

fn find_in(
    root: &Root,
    folder: &str,
    project: Option<&str>,
    depth: usize,
    found: &mut Vec<Found>,
    problems: &mut Vec<Problem>,
) {
    let items = match root.list(folder) {
        Ok(items) => items,
        Err(problem) => return problems.push(problem),
    };
    // A record that is a folder states its fields in a file beside its text.
    let is_record_folder = |item: &Item| {
        let inner = format!("{folder}/{}", item.name);
        let readme = format!("{inner}/README.md");
        let is_numbered = item.is_folder && !item.is_link && adr::folder_name(&readme).is_some();
        is_numbered && root.exists(&format!("{inner}/{}", adr::METADATA)) && root.exists(&readme)
    };
    let has_folders = depth > 0 && items.iter().any(is_record_folder);
    for item in items {
        let path = format!("{folder}/{}", item.name);
        let found_at = |path: String| Found { path, project: project.map(str::to_owned) };
        if item.is_folder && !adr::is_record(&item.name) {
            if depth == 0 || item.is_link || item.name.starts_with('.') {
                continue;
            }
            match is_record_folder(&item) {
                true => found.push(found_at(format!("{path}/README.md"))),
                false => find_in(root, &path, project, depth - 1, found, problems),
            }
        } else if adr::is_record(&item.name) {
            // Beside records that are folders lie links by their older names, and texts on all of them.
            let is_beside_records = match item.is_link {
                true => leads_to_record_folder(root, &path),
                false => has_folders && adr::id_of(&item.name).1.is_none(),
            };
            if !is_beside_records {
                found.push(found_at(path));
            }
        }
    }
}

/// Returns whether a link leads to the text of a record that is a folder.
fn leads_to_record_folder(root: &Root, link: &str) -> bool {
    let target = root.dir().link_target(link).and_then(|target| path::joined(link, &target));
    let beside = target.and_then(|target| adr::metadata_path(&target));
    beside.is_some_and(|beside| root.exists(&beside))
}
