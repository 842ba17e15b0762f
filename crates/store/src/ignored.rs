//! What git ignores is not looked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Root;

/// The `.gitignore` files of a workspace, each read when it is first needed.
pub struct Ignored<'r> {
    root: &'r Root,
    rules: RefCell<HashMap<PathBuf, Option<Gitignore>>>,
}

/// Our own folder is named, not looked for: whoever keeps it out of git still has it read.
const OWN: &str = ".heirloom/";

impl<'r> Ignored<'r> {
    /// Takes a workspace; nothing is read yet.
    pub fn new(root: &'r Root) -> Self {
        Ignored { root, rules: RefCell::default() }
    }

    /// Returns whether git ignores a file of the workspace. The nearest rule decides, and what is
    /// in a folder that is ignored is ignored too.
    pub fn holds(&self, path: &str) -> bool {
        if path.starts_with(OWN) {
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

    /// What the rules in the folders above a file or a folder say of it, the nearest first.
    fn decide(&self, path: &Path, is_folder: bool) -> Match<()> {
        for folder in path.ancestors().skip(1) {
            let mut rules = self.rules.borrow_mut();
            let own = rules.entry(folder.to_path_buf()).or_insert_with(|| self.read(folder));
            let Some(own) = own else { continue };
            match own.matched(self.root.path().join(path), is_folder) {
                Match::None => {}
                decided => return decided.map(|_| ()),
            }
        }
        Match::None
    }

    fn read(&self, folder: &Path) -> Option<Gitignore> {
        let folder = self.root.path().join(folder);
        let file = folder.join(".gitignore");
        if !file.is_file() {
            return None;
        }
        let mut rules = GitignoreBuilder::new(&folder);
        // A line that cannot be read is none; git does not mind it either.
        drop(rules.add(&file));
        rules.build().ok()
    }
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
        write(".gitignore", "drafts/\n*.tmp.md\n.heirloom/\n/plans/0009-*\n");
        write("plans/.gitignore", "!kept.tmp.md\nsecret.md\n");
        let ignored = Ignored::new(&root);
        for (path, expected) in [
            ("plans/0001-a/plan.md", false),
            ("plans/0001-a/drafts/x.md", true),
            ("plans/0001-a/x.tmp.md", true),
            ("plans/0001-a/kept.tmp.md", false),
            ("plans/0001-a/secret.md", true),
            ("plans/0009-b/plan.md", true),
            ("docs/secret.md", false),
            (".heirloom/context/vision.md", false),
        ] {
            assert_eq!(ignored.holds(path), expected, "{path}");
        }
    }
}
