//! Evaluates `.gitignore` rules, so that ignored files are skipped.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use heirloom_core::path;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Root;
use crate::confined::ConfinedDir;
use crate::files::MAX_DOCUMENT_BYTES;
use crate::git::Repository;
use crate::listings::Listings;

/// The ignore rules of a workspace. Each `.gitignore` file is read on first use.
pub struct IgnoreRules<'r> {
    root: &'r Root,
    /// Cached listings, which show that a folder has no `.gitignore` without a system call.
    listings: Option<&'r Listings<'r>>,
    /// The rules of each folder that was evaluated, by its path relative to the root.
    folders: RefCell<HashMap<String, Rc<FolderRules>>>,
}

/// The rules that apply in a folder.
struct FolderRules {
    /// Whether the folder itself is ignored.
    is_ignored: bool,
    /// The rules of this folder and of the folders above it, nearest first.
    rules: Vec<Rc<Gitignore>>,
}

/// A rule that ignores all of `.heirloom` keeps it out of git, but does not hide it from Heirloom.
const HOME: &str = ".heirloom";
/// Folders that are never treated as ignored.
const NEVER_IGNORED: [&str; 2] = [".heirloom/archive/", ".heirloom/local/"];
/// A path that no specific rule matches, to test whether all files of `.heirloom` are ignored.
const PROBE: &str = ".heirloom/any file whatever";

impl<'r> IgnoreRules<'r> {
    /// Creates the rules of a workspace; no file is read yet.
    pub fn new(root: &'r Root) -> Self {
        IgnoreRules { root, listings: None, folders: RefCell::default() }
    }

    /// Creates the rules of a workspace with cached listings, so that `.gitignore` files are opened only
    /// where they exist.
    pub fn with_listings(listings: &'r Listings<'r>) -> Self {
        let root = listings.root();
        IgnoreRules { root, listings: Some(listings), folders: RefCell::default() }
    }

    /// Returns the rule files that were consulted so far, whether they exist or not.
    pub fn rule_files(&self) -> Vec<PathBuf> {
        let folders = self.folders.borrow();
        let inside = folders.keys().map(|folder| self.root.join(folder));
        inside.chain(self.folders_above()).flat_map(|folder| rule_files(&folder)).collect()
    }

    /// Returns the folders from the root's parent up to the top of the work tree.
    fn folders_above(&self) -> Vec<PathBuf> {
        let work_tree = self.root.repository().map(Repository::work_tree);
        let above = self.root.path().ancestors().skip(1);
        let above = above.take_while(|folder| work_tree.is_some_and(|top| folder.starts_with(top)));
        above.map(Path::to_path_buf).collect()
    }

    /// Returns whether git ignores a file of the workspace. The nearest matching rule decides; every
    /// file in an ignored folder is ignored.
    pub fn is_ignored(&self, path: &str) -> bool {
        if NEVER_IGNORED.iter().any(|folder| path.starts_with(folder))
            || path.starts_with(HOME) && self.is_home_ignored()
        {
            return false;
        }
        let folder = self.folder_rules(path::folder(path));
        folder.is_ignored || self.matches_rule(path, false, &folder.rules)
    }

    /// Returns whether the rules ignore all of `.heirloom`.
    fn is_home_ignored(&self) -> bool {
        let is_ignored = |path: &str, is_folder: bool| {
            self.matches_rule(path, is_folder, &self.folder_rules(path::folder(path)).rules)
        };
        is_ignored(HOME, true) || is_ignored(PROBE, false)
    }

    /// Returns the rules that apply in a folder.
    fn folder_rules(&self, folder: &str) -> Rc<FolderRules> {
        if let Some(cached) = self.folders.borrow().get(folder) {
            return cached.clone();
        }
        let evaluated = if folder.is_empty() {
            let above = self.folders_above().into_iter().filter_map(|folder| self.read(&folder));
            let own = self.read(self.root.path());
            FolderRules {
                is_ignored: false,
                rules: own.into_iter().chain(above).map(Rc::new).collect(),
            }
        } else {
            let parent = self.folder_rules(path::folder(folder));
            let is_ignored = parent.is_ignored || self.matches_rule(folder, true, &parent.rules);
            let has_none = self.listings.is_some_and(|listings| listings.lacks(folder, FILE));
            let own = if has_none { None } else { self.read(&self.root.join(folder)) };
            let own = own.map(Rc::new).into_iter();
            FolderRules { is_ignored, rules: own.chain(parent.rules.iter().cloned()).collect() }
        };
        let evaluated = Rc::new(evaluated);
        self.folders.borrow_mut().insert(folder.to_owned(), evaluated.clone());
        evaluated
    }

    /// Returns whether rules, nearest first, ignore a file or folder; its parent is not considered.
    fn matches_rule(&self, path: &str, is_folder: bool, rules: &[Rc<Gitignore>]) -> bool {
        if rules.is_empty() {
            return false;
        }
        let path = self.root.join(path);
        let mut matches = rules.iter().map(|rules| rules.matched(&path, is_folder));
        matches.find(|matched| !matched.is_none()).is_some_and(|matched| matched.is_ignore())
    }

    /// Reads the rules of a folder: its `.gitignore`, and `info/exclude` at the top of the work tree.
    fn read(&self, folder: &Path) -> Option<Gitignore> {
        let repository = self.root.repository();
        let exclude = repository.filter(|repository| repository.work_tree() == folder);
        let exclude = exclude.and_then(Repository::exclude_rules);
        let own = match folder.strip_prefix(self.root.path()) {
            Ok(inner) => {
                let inner = inner.to_string_lossy().replace('\\', "/");
                let path = if inner.is_empty() { FILE.into() } else { format!("{inner}/{FILE}") };
                self.root.dir().read_text(&path, MAX_DOCUMENT_BYTES).ok()
            }
            Err(_) => ConfinedDir::open(folder)
                .and_then(|dir| dir.read_text(FILE, MAX_DOCUMENT_BYTES))
                .ok(),
        };
        if exclude.is_none() && own.is_none() {
            return None;
        }
        let mut rules = GitignoreBuilder::new(folder);
        for line in exclude.iter().chain(&own).flat_map(|text| text.lines()) {
            // Like git, skip a line that is not a valid pattern.
            drop(rules.add_line(None, line));
        }
        rules.build().ok()
    }
}

/// The name of the rule file of a folder.
const FILE: &str = ".gitignore";

/// Returns the rule files that a folder may have.
fn rule_files(folder: &Path) -> [PathBuf; 2] {
    [folder.join(".git").join("info").join("exclude"), folder.join(FILE)]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_rule_decides_and_heirloom_stays_visible() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open_new(folder.path()).unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            ".gitignore",
            "drafts/\n*.tmp.md\narchive/\n.heirloom/context/private.md\n/plans/0009-*\n",
        );
        write("plans/.gitignore", "!kept.tmp.md\nsecret.md\n");
        fs::create_dir_all(folder.path().join(".git/info")).unwrap();
        write(".git/info/exclude", "mine.md\n");
        let ignored = IgnoreRules::new(&root);
        assert!(ignored.is_ignored("plans/mine.md"));
        for (path, expected) in [
            ("plans/0001-a/plan.md", false),
            ("plans/0001-a/drafts/x.md", true),
            ("plans/0001-a/x.tmp.md", true),
            ("plans/0001-a/kept.tmp.md", false),
            ("plans/0001-a/secret.md", true),
            ("plans/0009-b/plan.md", true),
            ("docs/secret.md", false),
            (".heirloom/context/vision.md", false),
            (".heirloom/context/private.md", true),
            (".heirloom/context/drafts/vision.md", true),
            (".heirloom/local/drafts/vision.md", false),
            (".heirloom/archive/plans/0001-a/plan.md", false),
        ] {
            assert_eq!(ignored.is_ignored(path), expected, "{path}");
        }
        for (path, rule) in [
            (".gitignore", ".heirloom"),
            (".gitignore", ".heirloom/"),
            (".gitignore", ".heirloom/*"),
            (".gitignore", "/.heirloom/**"),
            (".heirloom/.gitignore", "*"),
        ] {
            write(".gitignore", "");
            write(".heirloom/.gitignore", "");
            write(path, rule);
            assert!(!IgnoreRules::new(&root).is_ignored(".heirloom/context/vision.md"), "{rule}");
        }
    }
}
