//! What is in the archive.

use std::cell::OnceCell;

use heirloom_core::{adr, name, path};
use heirloom_store::Root;
use heirloom_store::files::ARCHIVE;

/// The archive of a workspace, listed when it is first asked.
pub(crate) struct Archive<'r> {
    root: &'r Root,
    paths: OnceCell<Vec<String>>,
}

impl<'r> Archive<'r> {
    /// Takes the archive of a workspace.
    pub(crate) fn new(root: &'r Root) -> Self {
        Archive { root, paths: OnceCell::new() }
    }

    /// Returns the paths that archived documents had.
    pub(crate) fn paths(&self) -> &[String] {
        self.paths.get_or_init(|| {
            let mut found = Vec::new();
            files_under(self.root, ARCHIVE, &mut found);
            found.iter().map(|path| path[ARCHIVE.len() + 1..].to_owned()).collect()
        })
    }

    /// Returns whether a path or a decision's id is in it.
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.paths().iter().any(|path| path == name || adr::id_matches(&adr::read(path, ""), name))
    }

    /// Returns the archived documents that a name may mean: by path, by an ADR's id, by the name of
    /// a plan, an agent or a project, by a file's stem.
    pub(crate) fn named(&self, typed: &str) -> Vec<&str> {
        let typed = typed.trim_start_matches("./");
        let all = || self.paths().iter().map(String::as_str);
        let exact: Vec<&str> = all()
            .filter(|path| *path == typed || path.strip_prefix(".heirloom/") == Some(typed))
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        let records: Vec<&str> = all()
            .filter(|path| {
                typed.starts_with(char::is_alphabetic)
                    && adr::id_matches(&adr::read(path, ""), typed)
            })
            .collect();
        if !records.is_empty() {
            return records;
        }
        let names: Vec<&str> = all().flat_map(names_of).collect();
        match name::find(typed.rsplit('/').next().unwrap_or(typed), names) {
            name::Match::One(found) => {
                all().filter(|path| names_of(path).contains(&found.as_str())).collect()
            }
            name::Match::Ambiguous(found) => all()
                .filter(|path| {
                    names_of(path).iter().any(|name| found.iter().any(|own| own == name))
                })
                .collect(),
            name::Match::Unknown(_) => vec![],
        }
    }
}

/// Returns the paths of the archived documents, where they lie now.
pub(crate) fn documents(root: &Root) -> Vec<String> {
    let mut found = Vec::new();
    files_under(root, ARCHIVE, &mut found);
    found.retain(|path| path.ends_with(".md"));
    found
}

/// A plan's or a project's document is called by its folder.
fn names_of(path: &str) -> Vec<&str> {
    let stem = path::stem(path);
    let folder = path::file_name(path::folder(path));
    if stem == "plan" || stem == "project" || stem.ends_with("-plan") {
        vec![stem, folder]
    } else {
        vec![stem]
    }
}

fn files_under(root: &Root, folder: &str, found: &mut Vec<String>) {
    for item in root.list(folder).unwrap_or_default() {
        let path = format!("{folder}/{}", item.name);
        // Links may lead in circles.
        match (item.is_folder, item.is_link) {
            (true, true) => {}
            (true, false) => files_under(root, &path, found),
            (false, _) => found.push(path),
        }
    }
}
