//! The folders of a repository, without what git ignores and what tools put there.

use std::collections::VecDeque;

use crate::Root;
use crate::ignored::Ignored;

/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;

/// How many folders are looked into.
const MAX_FOLDERS: usize = 4_000;

/// Folders of generated, foreign or test files, ignored by git or not.
const SKIPPED: &[&str] = &[
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
    /// The names of its files, symbolic links left out.
    pub files: Vec<String>,
}

/// The folders that were looked into.
#[derive(Debug, Default)]
pub struct Walk {
    /// The folders, those near the root first.
    pub folders: Vec<Folder>,
    /// Whether there are more than were looked into.
    pub is_cut_off: bool,
}

/// Looks into the folders of a repository. Hidden folders, symbolic links and repositories inside
/// this one are not entered.
pub fn walk(root: &Root) -> Walk {
    walk_in(root, "")
}

/// Looks into a folder of a repository in the same way.
pub fn walk_in(root: &Root, folder: &str) -> Walk {
    let ignored = Ignored::new(root);
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
        for item in items.into_iter().filter(|item| item.is_text && !item.is_link) {
            let within =
                if path.is_empty() { item.name.clone() } else { format!("{path}/{}", item.name) };
            if !item.is_folder {
                files.push(item.name);
            } else if is_entered(&item.name) && !ignored.holds(&format!("{within}/any file")) {
                if depth < MAX_DEPTH {
                    queue.push_back((within, depth + 1));
                } else {
                    walk.is_cut_off = true;
                }
            }
        }
        walk.folders.push(Folder { path, files });
    }
    walk
}

fn is_entered(name: &str) -> bool {
    !name.starts_with('.') && !SKIPPED.contains(&name)
}
