//! A walk through the folders of a repository that skips ignored and generated folders.

use std::collections::VecDeque;

use crate::Root;
use crate::ignore_rules::IgnoreRules;

/// The maximum depth below the start.
const MAX_DEPTH: usize = 16;

/// The maximum number of folders that are visited.
const MAX_FOLDERS: usize = 4_000;

/// Folders of generated, vendored or test files, which are skipped even if git does not ignore them.
const SKIPPED_FOLDERS: &[&str] = &[
    "node_modules",
    "target",
    "vendor",
    "third_party",
    "dist",
    "build",
    "venv",
    "__pycache__",
    "testdata",
    "fixtures",
    "__fixtures__",
];

/// A folder with the names of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Its path from the root; empty for the root.
    pub path: String,
    /// The names of its files, without symbolic links.
    pub files: Vec<String>,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct Walk {
    /// The visited folders in breadth-first order.
    pub folders: Vec<Folder>,
    /// Whether a limit was reached, so that folders are missing.
    pub is_cut_off: bool,
}

/// Walks the whole workspace. Hidden folders, symbolic links and nested repositories are skipped.
pub fn walk(root: &Root) -> Walk {
    walk_in(root, "")
}

/// Walks one folder of the workspace in the same way.
pub fn walk_in(root: &Root, folder: &str) -> Walk {
    let ignored = IgnoreRules::new(root);
    let mut walk = Walk::default();
    let mut queue = VecDeque::from([(folder.to_owned(), 0)]);
    while let Some((path, depth)) = queue.pop_front() {
        if walk.folders.len() == MAX_FOLDERS {
            walk.is_cut_off = true;
            break;
        }
        let items = root.list(&path).unwrap_or_default();
        if depth > 0 && items.iter().any(|item| item.name == ".git") {
            continue;
        }
        let mut files = Vec::new();
        for item in items.into_iter().filter(|item| item.is_utf8 && !item.is_link) {
            let item_path =
                if path.is_empty() { item.name.clone() } else { format!("{path}/{}", item.name) };
            if !item.is_folder {
                files.push(item.name);
            } else if !is_skipped(&item.name)
                && !ignored.is_ignored(&format!("{item_path}/any file"))
            {
                if depth < MAX_DEPTH {
                    queue.push_back((item_path, depth + 1));
                } else {
                    walk.is_cut_off = true;
                }
            }
        }
        walk.folders.push(Folder { path, files });
    }
    walk
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || SKIPPED_FOLDERS.contains(&name)
}
