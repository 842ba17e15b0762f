//! Discovers the git repository that a workspace belongs to, and reads its small files.
//!
//! `.git` may be a file or a link that points to a folder elsewhere (worktrees and submodules), and a
//! malicious archive may contain a `.git` that points to a repository of another owner. So a
//! repository outside of the work tree is used only if it refers back to that work tree: git writes
//! both references, and an archive cannot write into a repository that it does not contain.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::Problem;

use crate::confined::ConfinedDir;

/// A larger file of a repository is not read.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The size limit of files that hold one line, such as `.git` and `HEAD`.
const MAX_POINTER_BYTES: u64 = 64 * 1024;

/// A git repository and one of its work trees.
#[derive(Debug)]
pub struct Repository {
    /// The top folder of the work tree.
    work_tree: PathBuf,
    /// The git directory of this work tree.
    git_dir: Arc<ConfinedDir>,
    /// The git directory that all work trees share.
    common_dir: Arc<ConfinedDir>,
}

/// The result of looking for the repository of a folder.
#[derive(Debug)]
pub enum RepositoryLookup {
    /// The folder is in no repository.
    None,
    /// The folder is in this repository.
    Found(Repository),
    /// There is a `.git` that must not be used, with the reason.
    Refused(Problem),
}

impl Repository {
    /// Finds the repository that contains a folder.
    pub fn discover(folder: &Path) -> RepositoryLookup {
        for top in folder.ancestors() {
            let dot_git = top.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&dot_git) else { continue };
            if metadata.is_dir() {
                return Self::open(top, &dot_git);
            }
            let git_dir = match fs::canonicalize(&dot_git) {
                Ok(target) if target.is_dir() => Some(target),
                Ok(target) if target.is_file() => read_git_file(top, &target),
                _ => None,
            };
            return git_dir.map_or(RepositoryLookup::None, |git_dir| Self::open(top, &git_dir));
        }
        RepositoryLookup::None
    }

    /// Opens the repository with the git directory `git_dir`, if it refers back to the work tree.
    fn open(work_tree: &Path, git_dir: &Path) -> RepositoryLookup {
        let opened =
            (fs::canonicalize(work_tree), fs::canonicalize(git_dir), ConfinedDir::open(git_dir));
        let (Ok(tree_path), Ok(git_path), Ok(dir)) = opened else { return RepositoryLookup::None };
        let common_path = match dir.read_text("commondir", MAX_POINTER_BYTES) {
            Ok(text) => match fs::canonicalize(git_path.join(text.trim())) {
                Ok(path) if is_linked_work_tree(&dir, &git_path, &path, &tree_path) => path,
                Ok(path) => return RepositoryLookup::Refused(foreign_problem(&tree_path, &path)),
                Err(_) => return RepositoryLookup::None,
            },
            Err(_) if git_path.starts_with(&tree_path) => git_path.clone(),
            Err(_) if has_work_tree_setting(&dir, &git_path, &tree_path) => git_path.clone(),
            Err(_) => return RepositoryLookup::Refused(foreign_problem(&tree_path, &git_path)),
        };
        let git_dir = Arc::new(dir);
        let common_dir = match common_path == git_path {
            true => git_dir.clone(),
            false => match ConfinedDir::open(&common_path) {
                Ok(common_dir) => Arc::new(common_dir),
                Err(_) => return RepositoryLookup::None,
            },
        };
        let work_tree = work_tree.to_path_buf();
        RepositoryLookup::Found(Repository { work_tree, git_dir, common_dir })
    }

    /// Returns the top folder of the work tree.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Returns the git directory of this work tree.
    pub(crate) fn git_dir(&self) -> &Path {
        self.git_dir.path()
    }

    /// Returns the git directory that all work trees share.
    pub(crate) fn common_dir(&self) -> &Arc<ConfinedDir> {
        &self.common_dir
    }

    /// Returns whether git can be run on the repository. If one of its files is replaced by a FIFO,
    /// git would block forever.
    pub(crate) fn is_readable(&self) -> bool {
        let is_regular = |dir: &ConfinedDir, file: &str| match dir.metadata(file) {
            Ok(metadata) => metadata.is_file(),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        let tree_files = ["HEAD", "index", "commondir", "gitdir", "config.worktree"];
        let common_files =
            ["config", "packed-refs", "shallow", "info/exclude", "objects/info/alternates"];
        tree_files.iter().all(|file| is_regular(&self.git_dir, file))
            && common_files.iter().all(|file| is_regular(&self.common_dir, file))
    }

    /// Returns whether the git directory is owned by the user that runs this process.
    pub(crate) fn is_owned_by_user(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let user = rustix::process::geteuid().as_raw();
            fs::metadata(self.git_dir.path()).is_ok_and(|metadata| metadata.uid() == user)
        }
        #[cfg(not(unix))]
        true
    }

    /// Returns the text of `HEAD`.
    fn head_text(&self) -> Option<String> {
        self.git_dir.read_text("HEAD", MAX_POINTER_BYTES).ok()
    }

    /// Returns the checked-out reference (`refs/heads/main`); `None` with a detached `HEAD`.
    fn reference(&self) -> Option<String> {
        let head = self.head_text()?;
        let reference = head.trim().strip_prefix("ref: ")?.trim();
        is_reference(reference).then(|| reference.to_owned())
    }

    /// Returns the checked-out branch; `None` with a detached `HEAD`.
    pub fn branch(&self) -> Option<String> {
        self.reference()?.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// Returns the checked-out commit without running git; `None` if there is no commit yet, or if
    /// the repository stores its references in another format.
    pub fn head_commit(&self) -> Option<String> {
        let hash = match self.reference() {
            None => self.head_text()?.trim().to_owned(),
            Some(reference) => match self.common_dir.read_text(&reference, MAX_POINTER_BYTES) {
                Ok(commit) => commit.trim().to_owned(),
                Err(_) => self.find_packed(&reference)?,
            },
        };
        is_hash(&hash).then_some(hash)
    }

    fn find_packed(&self, reference: &str) -> Option<String> {
        let packed = self.common_dir.read_text("packed-refs", MAX_FILE_BYTES).ok()?;
        packed.lines().find_map(|line| {
            let (commit, name) = line.split_once(' ')?;
            (name == reference).then(|| commit.to_owned())
        })
    }

    /// Returns whether the checked-out branch has no commit yet. Always `false` for a repository that
    /// stores its references as a reftable.
    pub(crate) fn is_unborn(&self) -> bool {
        let has_reftable = self.common_dir.exists("reftable");
        self.branch().is_some() && !has_reftable && self.head_commit().is_none()
    }

    /// Returns the files that change with the checked-out commit, whether they exist or not.
    pub fn head_files(&self) -> Vec<PathBuf> {
        let common = self.common_dir.path();
        let reference = self.reference().map(|reference| common.join(reference));
        let head = self.git_dir.path().join("HEAD");
        std::iter::once(head).chain(reference).chain([common.join("packed-refs")]).collect()
    }

    /// Returns the commits at which the history of a shallow clone ends, one per line; empty for a
    /// full clone.
    pub fn shallow_boundaries(&self) -> String {
        self.common_dir.read_text("shallow", MAX_FILE_BYTES).unwrap_or_default()
    }

    /// Returns the rules of `info/exclude`.
    pub(crate) fn exclude_rules(&self) -> Option<String> {
        self.common_dir.read_text("info/exclude", MAX_FILE_BYTES).ok()
    }
}

/// Returns whether a text is a full object hash, which is safe to pass as an argument.
pub fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a name is a path below `refs/`. Any other path could name another file of the
/// repository.
fn is_reference(name: &str) -> bool {
    let is_normal = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.starts_with("refs/") && name.split('/').all(is_normal) && !name.contains(char::is_control)
}

/// Returns the git directory that a `.git` file points to: `gitdir: path`, relative to its folder.
fn read_git_file(top: &Path, file: &Path) -> Option<PathBuf> {
    let is_small = fs::metadata(file).is_ok_and(|metadata| metadata.len() <= MAX_POINTER_BYTES);
    let text = is_small.then(|| fs::read_to_string(file).ok()).flatten()?;
    fs::canonicalize(top.join(text.strip_prefix("gitdir:")?.trim())).ok()
}

/// Returns whether `git_dir` is the entry of a linked work tree in `common_dir` and refers back to
/// `work_tree`.
fn is_linked_work_tree(
    dir: &ConfinedDir,
    git_dir: &Path,
    common_dir: &Path,
    work_tree: &Path,
) -> bool {
    let has_back_reference = || {
        let text = dir.read_text("gitdir", MAX_POINTER_BYTES).ok()?;
        let dot_git = git_dir.join(text.trim());
        Some(fs::canonicalize(dot_git.parent()?).ok()? == work_tree)
    };
    git_dir.parent() == Some(&common_dir.join("worktrees")) && has_back_reference().unwrap_or(false)
}

/// Returns whether `core.worktree` of a repository is a folder, as git sets it for a submodule.
fn has_work_tree_setting(dir: &ConfinedDir, git_dir: &Path, work_tree: &Path) -> bool {
    let Ok(text) = dir.read_text("config", MAX_FILE_BYTES) else { return false };
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().trim().to_lowercase();
        } else if let Some((key, value)) = line.split_once('=') {
            let is_setting = section == "core" && key.trim().eq_ignore_ascii_case("worktree");
            let value = value.trim().trim_matches('"');
            let resolved = || fs::canonicalize(git_dir.join(value));
            if is_setting && resolved().is_ok_and(|path| path == work_tree) {
                return true;
            }
        }
    }
    false
}

fn foreign_problem(work_tree: &Path, repository: &Path) -> Problem {
    let (work_tree, repository) = (work_tree.display(), repository.display());
    Problem::in_file(
        ".git",
        format!(
            "this points to {repository}, which does not name {work_tree} as its work tree, so the \
             repository is not used: dates are taken from the files, and local state is stored in \
             .heirloom/local"
        ),
    )
    .hint(format!(
        "if the repository is yours, run `git config core.worktree \"{work_tree}\"` in it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a repository with a linked work tree, as git lays them out.
    fn create_work_tree(home: &Path) -> (PathBuf, PathBuf) {
        let (shared, tree) = (home.join("first/.git"), home.join("second"));
        let git_dir = shared.join("worktrees/second");
        fs::create_dir_all(&git_dir).unwrap();
        fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        fs::write(git_dir.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        (shared, tree)
    }

    fn common_dir(folder: &Path) -> Option<PathBuf> {
        match Repository::discover(folder) {
            RepositoryLookup::Found(repository) => {
                repository.common_dir().path().canonicalize().ok()
            }
            _ => None,
        }
    }

    fn is_refused(folder: &Path) -> bool {
        matches!(Repository::discover(folder), RepositoryLookup::Refused(_))
    }

    #[test]
    fn linked_work_trees_share_the_common_dir() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = create_work_tree(home.path());
        fs::create_dir_all(home.path().join("first/docs")).unwrap();
        let shared = shared.canonicalize().unwrap();
        assert_eq!(common_dir(&home.path().join("first/docs")), Some(shared.clone()));
        assert_eq!(common_dir(&tree.join("src")), Some(shared));
    }

    #[test]
    fn a_git_file_without_a_target_is_no_repository() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".git"), "gitdir").unwrap();
        assert!(matches!(Repository::discover(home.path()), RepositoryLookup::None));
    }

    #[test]
    fn a_repository_without_a_back_reference_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let (shared, _) = create_work_tree(home.path());
        let evil = home.path().join("evil");
        fs::create_dir_all(&evil).unwrap();
        // The main git directory of another work tree, and the entry of a linked work tree.
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
        // A real `.git` folder whose `commondir` points to another repository.
        fs::remove_file(evil.join(".git")).unwrap();
        fs::rename(&forged, evil.join(".git")).unwrap();
        assert!(is_refused(&evil));
    }

    #[test]
    fn a_submodule_is_accepted_by_its_work_tree_setting() {
        let home = tempfile::tempdir().unwrap();
        let (module, tree) = (home.path().join(".git/modules/sub"), home.path().join("sub"));
        fs::create_dir_all(&module).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert!(is_refused(&tree));
        fs::write(module.join("config"), "[core]\n\tbare = false\n\tworktree = ../../../sub\n")
            .unwrap();
        assert_eq!(common_dir(&tree), module.canonicalize().ok());
    }

    #[test]
    fn references_outside_of_refs_are_not_read() {
        let home = tempfile::tempdir().unwrap();
        let git_dir = home.path().join(".git");
        fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
        let hash = "0123456789012345678901234567890123456789";
        fs::write(git_dir.join("secret"), hash).unwrap();
        fs::write(git_dir.join("refs/heads/main"), format!("{hash}\n")).unwrap();
        let head = |text: &str| {
            fs::write(git_dir.join("HEAD"), text).unwrap();
            match Repository::discover(home.path()) {
                RepositoryLookup::Found(repository) => repository.head_commit(),
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
    fn a_git_dir_may_be_a_symbolic_link() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = create_work_tree(home.path());
        fs::remove_file(tree.join(".git")).unwrap();
        std::os::unix::fs::symlink(shared.join("worktrees/second"), tree.join(".git")).unwrap();
        assert_eq!(common_dir(&tree), shared.canonicalize().ok());
        // A dangling link is treated as no repository.
        fs::remove_dir_all(&shared).unwrap();
        assert_eq!(common_dir(&tree), None);
    }
}
