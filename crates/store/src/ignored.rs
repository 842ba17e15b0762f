//! What git ignores is not looked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Root;
use crate::confined::ConfinedDir;
use crate::files::MAX_DOCUMENT;
use crate::git::Repository;

/// The `.gitignore` files of a workspace, each read when it is first needed.
pub struct Ignored<'r> {
    root: &'r Root,
    /// By the folder that they are in.
    rules: RefCell<HashMap<PathBuf, Option<Gitignore>>>,
    /// The folders above the root, up to that of the repository, the nearest first.
    above: Vec<PathBuf>,
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
        let top = root.repository().map(Repository::top);
        let above = root.path().ancestors().skip(1);
        let above = above.take_while(|folder| top.is_some_and(|top| folder.starts_with(top)));
        let above = above.map(Path::to_path_buf).collect();
        Ignored { root, rules: RefCell::default(), above }
    }

    /// Returns the files that were looked for so far, there or not.
    pub fn files(&self) -> Vec<PathBuf> {
        self.rules.borrow().keys().flat_map(|folder| files_in(folder)).collect()
    }

    /// Returns whether git ignores a file of the workspace. The nearest rule decides, and what is
    /// in a folder that is ignored is ignored too.
    pub fn holds(&self, path: &str) -> bool {
        if KNOWN.iter().any(|known| path.starts_with(known))
            || path.starts_with(OWN) && self.holds_all_of_ours()
        {
            return false;
        }
        let mut above = PathBuf::new();
        let parts: Vec<&str> = path.split('/').collect();
        for (at, part) in parts.iter().enumerate() {
            let is_folder = at + 1 < parts.len();
            above.push(part);
            match self.decide(&above, is_folder) {
                Match::Ignore(()) => return true,
                Match::None | Match::Whitelist(()) => {}
            }
        }
        false
    }

    fn holds_all_of_ours(&self) -> bool {
        let is_ignored = |path: &str, is_folder: bool| {
            matches!(self.decide(Path::new(path), is_folder), Match::Ignore(()))
        };
        is_ignored(OWN, true) || is_ignored(ANY, false)
    }

    /// What the rules in the folders above a file or a folder say of it, the nearest first.
    fn decide(&self, path: &Path, is_folder: bool) -> Match<()> {
        let path = self.root.path().join(path);
        let within = path.ancestors().skip(1).take_while(|at| at.starts_with(self.root.path()));
        for folder in within.chain(self.above.iter().map(PathBuf::as_path)) {
            let mut rules = self.rules.borrow_mut();
            let own = rules.entry(folder.to_path_buf()).or_insert_with(|| self.read(folder));
            let Some(own) = own else { continue };
            match own.matched(&path, is_folder) {
                Match::None => {}
                decided => return decided.map(|_| ()),
            }
        }
        Match::None
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
