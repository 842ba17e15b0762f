//! What git ignores is not looked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use heirloom_core::path;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Root;
use crate::confined::ConfinedDir;
use crate::files::MAX_DOCUMENT;
use crate::git::Repository;
use crate::listings::Listings;

/// The `.gitignore` files of a workspace, each read when it is first needed.
pub struct Ignored<'r> {
    root: &'r Root,
    /// Folders that are known to have no rules of their own.
    listings: Option<&'r Listings<'r>>,
    /// What holds in the folders that were asked about, by their path relative to the root.
    folders: RefCell<HashMap<String, Rc<Folder>>>,
}

/// What holds in a folder.
struct Folder {
    is_ignored: bool,
    /// The rules that decide about what is in it, the nearest first.
    rules: Vec<Rc<Gitignore>>,
}

/// Our own folder is not looked for but known: whoever keeps all of it out of git still has it read.
const OWN: &str = ".heirloom";
/// What we put away is known as well, and what is meant to stay on this machine.
const KNOWN: [&str; 2] = [".heirloom/archive/", ".heirloom/local/"];
/// A file that nobody has: who ignores it there ignores all.
const ANY: &str = ".heirloom/any file whatever";

impl<'r> Ignored<'r> {
    /// Takes a workspace; nothing is read yet.
    pub fn new(root: &'r Root) -> Self {
        Ignored { root, listings: None, folders: RefCell::default() }
    }

    /// Takes a workspace of which folders were listed, so that rules are looked for only where there
    /// are any.
    pub fn of_listed(listings: &'r Listings<'r>) -> Self {
        let root = listings.root();
        Ignored { root, listings: Some(listings), folders: RefCell::default() }
    }

    /// Returns the files that were looked for so far, there or not.
    pub fn files(&self) -> Vec<PathBuf> {
        let folders = self.folders.borrow();
        let inner = folders.keys().map(|folder| self.root.join(folder));
        inner.chain(self.above()).flat_map(|folder| files_in(&folder)).collect()
    }

    /// The folders above the root, up to that of the repository, the nearest first.
    fn above(&self) -> Vec<PathBuf> {
        let top = self.root.repository().map(Repository::top);
        let above = self.root.path().ancestors().skip(1);
        let above = above.take_while(|folder| top.is_some_and(|top| folder.starts_with(top)));
        above.map(Path::to_path_buf).collect()
    }

    /// Returns whether git ignores a file of the workspace. The nearest rule decides, and what is
    /// in a folder that is ignored is ignored too.
    pub fn holds(&self, path: &str) -> bool {
        if KNOWN.iter().any(|known| path.starts_with(known))
            || path.starts_with(OWN) && self.holds_all_of_ours()
        {
            return false;
        }
        let folder = self.folder(path::folder(path));
        folder.is_ignored || self.is_ignored(path, false, &folder.rules)
    }

    fn holds_all_of_ours(&self) -> bool {
        let is_ignored = |path: &str, is_folder: bool| {
            self.is_ignored(path, is_folder, &self.folder(path::folder(path)).rules)
        };
        is_ignored(OWN, true) || is_ignored(ANY, false)
    }

    /// Returns what holds in a folder.
    fn folder(&self, folder: &str) -> Rc<Folder> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return known.clone();
        }
        let found = if folder.is_empty() {
            let above = self.above().into_iter().filter_map(|folder| self.read(&folder));
            let own = self.read(self.root.path());
            Folder { is_ignored: false, rules: own.into_iter().chain(above).map(Rc::new).collect() }
        } else {
            let around = self.folder(path::folder(folder));
            let is_ignored = around.is_ignored || self.is_ignored(folder, true, &around.rules);
            let lacks_own = self.listings.is_some_and(|listings| listings.lacks(folder, FILE));
            let own = if lacks_own { None } else { self.read(&self.root.join(folder)) };
            let own = own.map(Rc::new).into_iter();
            Folder { is_ignored, rules: own.chain(around.rules.iter().cloned()).collect() }
        };
        let found = Rc::new(found);
        self.folders.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    /// Returns whether rules, the nearest first, ignore a file or a folder by itself.
    fn is_ignored(&self, path: &str, is_folder: bool, rules: &[Rc<Gitignore>]) -> bool {
        if rules.is_empty() {
            return false;
        }
        let path = self.root.join(path);
        let decided = rules.iter().map(|own| own.matched(&path, is_folder));
        decided.into_iter().find(|decided| !decided.is_none()).is_some_and(|one| one.is_ignore())
    }

    /// Reads the rules of a folder: its own, and the repository's where that is there.
    fn read(&self, folder: &Path) -> Option<Gitignore> {
        let repository = self.root.repository();
        let exclude = repository.filter(|repository| repository.top() == folder);
        let exclude = exclude.and_then(Repository::exclude_rules);
        let own = match folder.strip_prefix(self.root.path()) {
            Ok(inner) => {
                let inner = inner.to_string_lossy().replace('\\', "/");
                let path = if inner.is_empty() { FILE.into() } else { format!("{inner}/{FILE}") };
                self.root.dir().read_text(&path, MAX_DOCUMENT).ok()
            }
            Err(_) => ConfinedDir::open(folder).and_then(|d| d.read_text(FILE, MAX_DOCUMENT)).ok(),
        };
        if exclude.is_none() && own.is_none() {
            return None;
        }
        let mut rules = GitignoreBuilder::new(folder);
        for line in exclude.iter().chain(&own).flat_map(|text| text.lines()) {
            // A line that cannot be read is none; git does not mind it either.
            drop(rules.add_line(None, line));
        }
        rules.build().ok()
    }
}

/// The file of a folder's rules.
const FILE: &str = ".gitignore";

/// The files of rules that a folder may have: its own, and those of a repository that is there.
fn files_in(folder: &Path) -> [PathBuf; 2] {
    [folder.join(".git").join("info").join("exclude"), folder.join(FILE)]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_rule_decides() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new_at(folder.path()).unwrap();
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
        let ignored = Ignored::new(&root);
        assert!(ignored.holds("plans/mine.md"));
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
            assert_eq!(ignored.holds(path), expected, "{path}");
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
            assert!(!Ignored::new(&root).holds(".heirloom/context/vision.md"), "{rule}");
        }
    }
}
