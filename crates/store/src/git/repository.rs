//! Finding the git repository that a workspace belongs to, and reading its small files.
//!
//! `.git` may be a file or a link that names a folder elsewhere (worktrees and submodules), and an
//! unpacked archive may hold a `.git` that names somebody else's repository. So a repository outside
//! the folder of its `.git` is used only if it names that folder as its work tree: git writes this
//! in both directions, and an archive cannot write into a repository that it does not hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::Problem;

use crate::confined::ConfinedDir;

/// A file of a repository that is larger than this is not one that git wrote for us to read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A `.git` file is one line.
const MAX_POINTER_BYTES: u64 = 64 * 1024;

/// A repository, as one work tree of it sees it.
#[derive(Debug)]
pub struct Repository {
    /// The top folder of the work tree.
    top: PathBuf,
    /// The git folder of this work tree.
    own: Arc<ConfinedDir>,
    /// The git folder that all work trees share.
    common: Arc<ConfinedDir>,
}

/// Whether a folder lies in a repository.
#[derive(Debug)]
pub enum Lookup {
    /// It lies in none.
    None,
    /// It lies in this one.
    Found(Repository),
    /// There is a `.git` that must not be used, and why.
    Refused(Problem),
}

impl Repository {
    /// Finds the repository that a folder lies in.
    pub fn around(folder: &Path) -> Lookup {
        for top in folder.ancestors() {
            let dot_git = top.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&dot_git) else { continue };
            if metadata.is_dir() {
                return Self::at(top, &dot_git);
            }
            let named = match fs::canonicalize(&dot_git) {
                Ok(target) if target.is_dir() => Some(target),
                Ok(target) if target.is_file() => pointed_to(top, &target),
                _ => None,
            };
            return named.map_or(Lookup::None, |own| Self::at(top, &own));
        }
        Lookup::None
    }

    /// Opens the repository whose git folder for the work tree `top` is `own`, if it says so itself.
    fn at(top: &Path, own: &Path) -> Lookup {
        let opened = (fs::canonicalize(top), fs::canonicalize(own), ConfinedDir::open(own));
        let (Ok(tree), Ok(place), Ok(dir)) = opened else { return Lookup::None };
        let common = match dir.read_text("commondir", MAX_POINTER_BYTES) {
            Ok(text) => match fs::canonicalize(place.join(text.trim())) {
                Ok(common) if is_linked_work_tree(&dir, &place, &common, &tree) => common,
                Ok(common) => return Lookup::Refused(not_ours(&tree, &common)),
                Err(_) => return Lookup::None,
            },
            Err(_) if place.starts_with(&tree) => place.clone(),
            Err(_) if names_work_tree(&dir, &place, &tree) => place.clone(),
            Err(_) => return Lookup::Refused(not_ours(&tree, &place)),
        };
        let own = Arc::new(dir);
        let common = match common == place {
            true => own.clone(),
            false => match ConfinedDir::open(&common) {
                Ok(common) => Arc::new(common),
                Err(_) => return Lookup::None,
            },
        };
        Lookup::Found(Repository { top: top.to_path_buf(), own, common })
    }

    /// Returns the top folder of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the git folder of this work tree.
    pub fn own(&self) -> &Path {
        self.own.path()
    }

    /// Returns the git folder that all work trees share.
    pub fn common(&self) -> &Arc<ConfinedDir> {
        &self.common
    }

    /// Returns whether git can be run on it: where a FIFO stands in the place of one of its files,
    /// git would wait for ever.
    pub fn is_readable(&self) -> bool {
        let is_regular = |dir: &ConfinedDir, file: &str| match dir.metadata(file) {
            Ok(metadata) => metadata.is_file(),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        let own = ["HEAD", "index", "commondir", "gitdir", "config.worktree"];
        let shared =
            ["config", "packed-refs", "shallow", "info/exclude", "objects/info/alternates"];
        own.iter().all(|file| is_regular(&self.own, file))
            && shared.iter().all(|file| is_regular(&self.common, file))
    }

    /// Returns whether its folder belongs to the user that this process runs as.
    pub fn is_own(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let user = rustix::process::geteuid().as_raw();
            fs::metadata(self.own.path()).is_ok_and(|metadata| metadata.uid() == user)
        }
        #[cfg(not(unix))]
        true
    }

    /// Returns the text of `HEAD`.
    fn head_text(&self) -> Option<String> {
        self.own.read_text("HEAD", MAX_POINTER_BYTES).ok()
    }

    /// Returns the reference that is checked out (`refs/heads/main`); `None` on a detached head.
    fn reference(&self) -> Option<String> {
        let head = self.head_text()?;
        let reference = head.trim().strip_prefix("ref: ")?.trim();
        is_reference(reference).then(|| reference.to_owned())
    }

    /// Returns the branch that is checked out; `None` on a detached head.
    pub fn branch(&self) -> Option<String> {
        self.reference()?.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// Returns the commit that is checked out, read without running git. `None` when there is none
    /// yet, or when the repository keeps its references in another format.
    pub fn head(&self) -> Option<String> {
        let hash = match self.reference() {
            None => self.head_text()?.trim().to_owned(),
            Some(reference) => match self.common.read_text(&reference, MAX_POINTER_BYTES) {
                Ok(commit) => commit.trim().to_owned(),
                Err(_) => self.packed(&reference)?,
            },
        };
        is_hash(&hash).then_some(hash)
    }

    fn packed(&self, reference: &str) -> Option<String> {
        let packed = self.common.read_text("packed-refs", MAX_BYTES).ok()?;
        packed.lines().find_map(|line| {
            let (commit, name) = line.split_once(' ')?;
            (name == reference).then(|| commit.to_owned())
        })
    }

    /// Returns whether a branch is checked out that has no commit yet, as far as files tell.
    pub fn is_unborn(&self) -> bool {
        let has_reftable = self.common.exists("reftable");
        self.branch().is_some() && !has_reftable && self.head().is_none()
    }

    /// Returns the files that change when another commit is checked out, there or not.
    pub fn head_files(&self) -> Vec<PathBuf> {
        let common = self.common.path();
        let reference = self.reference().map(|reference| common.join(reference));
        let head = self.own.path().join("HEAD");
        std::iter::once(head).chain(reference).chain([common.join("packed-refs")]).collect()
    }

    /// Returns the commits at which a shallow clone's history ends, a line each; empty in a whole one.
    pub fn shallow_ends(&self) -> String {
        self.common.read_text("shallow", MAX_BYTES).unwrap_or_default()
    }

    /// Returns the rules of `info/exclude`.
    pub fn exclude_rules(&self) -> Option<String> {
        self.common.read_text("info/exclude", MAX_BYTES).ok()
    }
}

/// Returns whether a text is the hash of a commit, so that it may stand on a command line.
pub fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A reference is a path below `refs/`; anything else would name another file of the repository.
fn is_reference(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.starts_with("refs/") && name.split('/').all(is_plain) && !name.contains(char::is_control)
}

/// The git folder that a `.git` file names: `gitdir: path`, relative to the file's folder.
fn pointed_to(top: &Path, file: &Path) -> Option<PathBuf> {
    let is_small = fs::metadata(file).is_ok_and(|metadata| metadata.len() <= MAX_POINTER_BYTES);
    let text = is_small.then(|| fs::read_to_string(file).ok()).flatten()?;
    fs::canonicalize(top.join(text.strip_prefix("gitdir:")?.trim())).ok()
}

/// Whether `own` is the entry of a linked work tree in `common`, and that entry leads back to `tree`.
fn is_linked_work_tree(dir: &ConfinedDir, own: &Path, common: &Path, tree: &Path) -> bool {
    let leads_back = || {
        let text = dir.read_text("gitdir", MAX_POINTER_BYTES).ok()?;
        let dot_git = own.join(text.trim());
        Some(fs::canonicalize(dot_git.parent()?).ok()? == tree)
    };
    own.parent() == Some(&common.join("worktrees")) && leads_back().unwrap_or(false)
}

/// Whether a repository's settings name a folder as its work tree, as those of a submodule do.
fn names_work_tree(dir: &ConfinedDir, own: &Path, tree: &Path) -> bool {
    let Ok(text) = dir.read_text("config", MAX_BYTES) else { return false };
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().trim().to_lowercase();
        } else if let Some((key, value)) = line.split_once('=') {
            let is_named = section == "core" && key.trim().eq_ignore_ascii_case("worktree");
            let value = value.trim().trim_matches('"');
            if is_named && fs::canonicalize(own.join(value)).is_ok_and(|named| named == tree) {
                return true;
            }
        }
    }
    false
}

fn not_ours(tree: &Path, repository: &Path) -> Problem {
    let (tree, repository) = (tree.display(), repository.display());
    Problem::of_file(
        ".git",
        format!(
            "it leads to {repository}, which does not name {tree} as its work tree, so that \
             repository is not used: dates come from files, and this machine's own state is kept in \
             .heirloom/local"
        ),
    )
    .hint(format!("if it is yours, run `git config core.worktree \"{tree}\"` in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with a work tree beside it, as git lays them out.
    fn with_work_tree(home: &Path) -> (PathBuf, PathBuf) {
        let (shared, tree) = (home.join("first/.git"), home.join("second"));
        let own = shared.join("worktrees/second");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        (shared, tree)
    }

    fn common_of(folder: &Path) -> Option<PathBuf> {
        match Repository::around(folder) {
            Lookup::Found(repository) => repository.common().path().canonicalize().ok(),
            _ => None,
        }
    }

    fn is_refused(folder: &Path) -> bool {
        matches!(Repository::around(folder), Lookup::Refused(_))
    }

    #[test]
    fn work_trees_share_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = with_work_tree(home.path());
        fs::create_dir_all(home.path().join("first/docs")).unwrap();
        let shared = shared.canonicalize().unwrap();
        assert_eq!(common_of(&home.path().join("first/docs")), Some(shared.clone()));
        assert_eq!(common_of(&tree.join("src")), Some(shared));
    }

    #[test]
    fn a_git_file_that_leads_nowhere_is_no_repository() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".git"), "gitdir").unwrap();
        assert!(matches!(Repository::around(home.path()), Lookup::None));
    }

    #[test]
    fn a_repository_that_names_another_work_tree_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let (shared, _) = with_work_tree(home.path());
        let evil = home.path().join("evil");
        fs::create_dir_all(&evil).unwrap();
        // The repository of somebody else, the entry of another work tree, and a forged entry.
        for target in [shared.clone(), shared.join("worktrees/second")] {
            fs::write(evil.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
            assert!(is_refused(&evil), "{}", target.display());
        }
        let forged = evil.join("forged");
        fs::create_dir_all(&forged).unwrap();
        fs::write(forged.join("gitdir"), evil.join(".git").display().to_string()).unwrap();
        fs::write(forged.join("commondir"), shared.display().to_string()).unwrap();
        fs::write(evil.join(".git"), "gitdir: forged\n").unwrap();
        assert!(is_refused(&evil));
        // A real folder whose `commondir` leads elsewhere.
        fs::remove_file(evil.join(".git")).unwrap();
        fs::rename(&forged, evil.join(".git")).unwrap();
        assert!(is_refused(&evil));
    }

    #[test]
    fn a_submodule_is_known_by_its_settings() {
        let home = tempfile::tempdir().unwrap();
        let (module, tree) = (home.path().join(".git/modules/sub"), home.path().join("sub"));
        fs::create_dir_all(&module).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert!(is_refused(&tree));
        fs::write(module.join("config"), "[core]\n\tbare = false\n\tworktree = ../../../sub\n")
            .unwrap();
        assert_eq!(common_of(&tree), module.canonicalize().ok());
    }

    #[test]
    fn references_stay_below_refs() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join(".git");
        fs::create_dir_all(own.join("refs/heads")).unwrap();
        let hash = "0123456789012345678901234567890123456789";
        fs::write(own.join("secret"), hash).unwrap();
        fs::write(own.join("refs/heads/main"), format!("{hash}\n")).unwrap();
        let head = |text: &str| {
            fs::write(own.join("HEAD"), text).unwrap();
            match Repository::around(home.path()) {
                Lookup::Found(repository) => repository.head(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(head("ref: refs/heads/main\n"), Some(hash.to_owned()));
        for text in ["ref: secret", "ref: refs/../secret", "ref: ../secret", "--output=x"] {
            assert_eq!(head(text), None, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_git_folder_may_be_a_link() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = with_work_tree(home.path());
        fs::remove_file(tree.join(".git")).unwrap();
        std::os::unix::fs::symlink(shared.join("worktrees/second"), tree.join(".git")).unwrap();
        assert_eq!(common_of(&tree), shared.canonicalize().ok());
        // What a link names and is not there says nothing.
        fs::remove_dir_all(&shared).unwrap();
        assert_eq!(common_of(&tree), None);
    }
}
