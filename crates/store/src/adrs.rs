//! Finds and reads decision records (ADRs).

use std::collections::HashSet;

use heirloom_core::adr::{self, Adr};
use heirloom_core::{Document, Problem, path};

use crate::confined::{ConfinedDir, FolderEntry};
use crate::listings::Listings;
use crate::stamp::Stamp;
use crate::{Config, Root, archive, files, layout};

/// The folder of the records of the workspace.
pub const FOLDER: &str = ".heirloom/adrs";
const PROJECTS_FOLDER: &str = ".heirloom/projects";
/// The depth to which folders that the settings name are searched.
const MAX_DEPTH: usize = 4;

/// A decision record and its document.
#[derive(Debug, Clone)]
pub struct AdrDocument {
    /// The parsed record.
    pub adr: Adr,
    /// The parsed document.
    pub document: Document,
    /// Its text.
    pub text: String,
    /// The project that it belongs to, if any.
    pub project: Option<String>,
}

/// Returns the folder of a project's records.
pub fn project_folder(project: &str) -> String {
    format!("{PROJECTS_FOLDER}/{project}/adrs")
}

/// Reads the records of a scope.
pub fn read(root: &Root, config: &Config, scope: Scope<'_>) -> (Vec<AdrDocument>, Vec<Problem>) {
    let (found, mut problems) = find(root, config, scope);
    (read_files(root, found, &mut problems), problems)
}

/// Reads records that [`find`] returned.
pub fn read_files(
    root: &Root,
    found: Vec<AdrFile>,
    problems: &mut Vec<Problem>,
) -> Vec<AdrDocument> {
    let mut records = Vec::new();
    for AdrFile { path, project } in found {
        if let Some((text, document)) = read_document(root.dir(), &path) {
            problems.extend(document.problems.iter().cloned());
            let adr = adr::read_document(&document, &text);
            records.push(AdrDocument { adr, document, text, project });
        }
    }
    records
}

/// Reads the records of all projects that may supersede another one. Only those whose text or metadata says so are
/// parsed, since most do not.
pub fn read_superseding(root: &Root, config: &Config) -> Vec<Adr> {
    let (found, _) = find(root, config, Scope::AllProjects);
    let mentions_supersession = |path: &str| {
        files::read_text(root.dir(), path).ok().flatten().is_some_and(|text| {
            let text = text.to_ascii_lowercase();
            ["supersed", "replac"].iter().any(|word| text.contains(word))
        })
    };
    let may_supersede = |file: &AdrFile| {
        mentions_supersession(&file.path)
            || adr::metadata_path(&file.path).is_some_and(|path| mentions_supersession(&path))
    };
    let superseding = found.into_iter().filter(may_supersede).collect();
    let records = read_files(root, superseding, &mut Vec::new());
    records.into_iter().map(|record| record.adr).collect()
}

/// Reads a record together with the fields of its metadata file; `None` if it does not exist.
pub fn read_document(root: &ConfinedDir, path: &str) -> Option<(String, Document)> {
    let (text, mut document) = layout::read_document_in(root, path)?;
    let metadata = adr::metadata_path(path).map(|path| files::read_text(root, &path));
    match metadata.transpose() {
        Ok(metadata) => {
            let metadata = metadata.flatten();
            metadata.iter().for_each(|metadata| adr::add_metadata(&mut document, metadata));
        }
        Err(problem) => document.problems.push(problem),
    }
    Some((text, document))
}

/// Returns the combined stamp of a record and its metadata file.
pub fn stamp(listings: &Listings<'_>, path: &str) -> Option<Stamp> {
    let stamp = listings.stamp(path)?;
    let metadata = adr::metadata_path(path).and_then(|path| listings.stamp(&path));
    Some(match metadata {
        Some(metadata) => stamp.combine(metadata),
        None => stamp,
    })
}

/// The path of a record that was found and not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdrFile {
    /// The path of its file.
    pub path: String,
    /// The project that it belongs to, if any.
    pub project: Option<String>,
}

/// Finds the records of a scope, without duplicates.
pub fn find(root: &Root, config: &Config, scope: Scope<'_>) -> (Vec<AdrFile>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut folders = vec![(FOLDER.to_owned(), None, 0)];
    match scope {
        Scope::Workspace => {}
        Scope::Project(name) => folders.push((project_folder(name), Some(name.to_owned()), 0)),
        Scope::AllProjects => {
            let listed = root.list(PROJECTS_FOLDER).unwrap_or_else(|problem| {
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
    found.retain(|found: &AdrFile| seen.insert(found.path.clone()));
    (found, problems)
}

/// Returns the number for the next record in a folder. Archived records count, because a number must
/// not be reused for another decision. All folders share one sequence of numbers, so that an id is
/// unique, unless a number of this folder is already used in another folder.
pub fn next_number(root: &Root, config: &Config, folder: &str) -> u32 {
    let adopted = config.adrs.folders.iter().map(|folder| folder.trim_end_matches('/'));
    let shared: Vec<&str> = adopted.chain([FOLDER]).collect();
    let is_shared = shared.iter().any(|shared| path::is_within(folder, shared));
    let mut paths: Vec<String> =
        archive::list(root).into_iter().map(|archived| archived.source).collect();
    let mut found = Vec::new();
    for folder in shared.iter().copied().chain([folder]) {
        find_in(root, folder, None, MAX_DEPTH, &mut found, &mut Vec::new());
    }
    paths.extend(found.into_iter().map(|found| found.path));
    paths.sort();
    paths.dedup();
    let numbers_in = |is_counted: &dyn Fn(&str) -> bool| -> HashSet<u32> {
        // Records that are folders have a sequence of their own.
        let files = paths.iter().filter(|path| adr::folder_name(path).is_none());
        let counted = files.filter(|path| is_counted(path::folder(path)));
        counted.filter_map(|path| adr::derive_id(path).1).collect()
    };
    let own = numbers_in(&|other| path::is_within(other, folder));
    let others = numbers_in(&|other| {
        !path::is_within(other, folder)
            && shared.iter().any(|shared| path::is_within(other, shared))
    });
    let is_independent = folder != FOLDER && !own.is_disjoint(&others);
    let all = own.iter().chain(others.iter().filter(|_| is_shared && !is_independent));
    all.max().map_or(1, |highest| highest.saturating_add(1))
}

/// Returns whether a record of a folder has this number, or an archived one of that folder.
pub fn is_taken(root: &Root, folder: &str, number: u32) -> bool {
    let has_number =
        |file: &str| adr::is_adr_file_name(file) && adr::derive_id(file).1 == Some(number);
    let is_archived_here = |archived: &archive::ArchivedFile| {
        path::folder(&archived.source) == folder && has_number(path::file_name(&archived.source))
    };
    root.list(folder).unwrap_or_default().iter().any(|item| has_number(&item.name))
        || archive::list(root).iter().any(is_archived_here)
}

/// The set of records to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The records of the workspace.
    Workspace,
    /// The records of the workspace and of one project.
    Project(&'a str),
    /// The records of the workspace and of all projects.
    AllProjects,
}

/// Finds the records in a folder and, down to a depth, in its subfolders.
fn find_in(
    root: &Root,
    folder: &str,
    project: Option<&str>,
    depth: usize,
    found: &mut Vec<AdrFile>,
    problems: &mut Vec<Problem>,
) {
    let items = match root.list(folder) {
        Ok(items) => items,
        Err(problem) => return problems.push(problem),
    };
    // A record that is a folder consists of a README.md and a metadata file.
    let is_record_folder = |item: &FolderEntry| {
        let inner = format!("{folder}/{}", item.name);
        let readme = format!("{inner}/README.md");
        let is_numbered = item.is_folder && !item.is_link && adr::folder_name(&readme).is_some();
        is_numbered
            && root.exists(&format!("{inner}/{}", adr::METADATA_FILE_NAME))
            && root.exists(&readme)
    };
    let has_record_folders = depth > 0 && items.iter().any(is_record_folder);
    for item in items {
        let path = format!("{folder}/{}", item.name);
        let found_at = |path: String| AdrFile { path, project: project.map(str::to_owned) };
        if item.is_folder && !adr::is_adr_file_name(&item.name) {
            if depth == 0 || item.is_link || item.name.starts_with('.') {
                continue;
            }
            match is_record_folder(&item) {
                true => found.push(found_at(format!("{path}/README.md"))),
                false => find_in(root, &path, project, depth - 1, found, problems),
            }
        } else if adr::is_adr_file_name(&item.name) {
            // Links with older names of record folders, and overviews beside them, are not records.
            let is_auxiliary = match item.is_link {
                true => is_link_to_record_folder(root, &path),
                false => has_record_folders && adr::derive_id(&item.name).1.is_none(),
            };
            if !is_auxiliary {
                found.push(found_at(path));
            }
        }
    }
}

/// Returns whether a link points to the README.md of a record that is a folder.
fn is_link_to_record_folder(root: &Root, link: &str) -> bool {
    let target = root.dir().link_target(link).and_then(|target| path::resolve_link(link, &target));
    let metadata = target.and_then(|target| adr::metadata_path(&target));
    metadata.is_some_and(|path| root.exists(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_archived_record_is_taken() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::open_new(home.path()).unwrap();
        for (folder, file) in [(FOLDER, "ADR-0007-x.md"), ("docs/adr", "0008-y.md")] {
            let archived = archive::location(&format!("{folder}/{file}"), 2);
            assert!(root.create(&archived, "# X\n").unwrap());
        }
        assert!(is_taken(&root, FOLDER, 7));
        assert!(is_taken(&root, "docs/adr", 8));
        assert!(!is_taken(&root, FOLDER, 8));
        assert!(!is_taken(&root, "docs/adr", 7));
    }
}
