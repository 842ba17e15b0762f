//! A thin reader of a git repository: where its folder is, and what its history says of files.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// More paths than this go over the whole history instead of on the command line.
const MAX_PATHS_ON_COMMAND_LINE: usize = 400;

/// Returns the git folder that all worktrees share, if the path lies in a repository.
pub fn common_dir(path: &Path) -> Option<PathBuf> {
    Repository::around(path).map(|repository| repository.common())
}

/// A repository, as a worktree of it.
pub(crate) struct Repository<'p> {
    /// The worktree's top folder.
    pub(crate) top: &'p Path,
    /// The git folder of this worktree.
    own: PathBuf,
    /// Whether that lies in the top folder, where all worktrees share it.
    is_shared: bool,
}

impl<'p> Repository<'p> {
    /// Finds the one that a path lies in.
    pub(crate) fn around(path: &'p Path) -> Option<Self> {
        let found = path.ancestors().find_map(|top| {
            let dot_git = top.join(".git");
            let is_shared = std::fs::symlink_metadata(&dot_git).ok()?.is_dir();
            (is_shared || dot_git.exists()).then_some((top, dot_git, is_shared))
        });
        let (top, dot_git, is_shared) = found?;
        if is_shared || dot_git.is_dir() {
            return Some(Repository { top, own: dot_git, is_shared });
        }
        let text = std::fs::read_to_string(&dot_git).ok()?;
        let target = text.strip_prefix("gitdir:")?.trim();
        Some(Repository { top, own: top.join(target), is_shared })
    }

    /// Returns the git folder that all worktrees share.
    pub(crate) fn common(&self) -> PathBuf {
        let named = || std::fs::read_to_string(self.own.join("commondir")).ok();
        match (!self.is_shared).then(named).flatten() {
            Some(common) => stepped(&self.own, Path::new(common.trim())),
            None => self.own.clone(),
        }
    }
}

/// Goes from a folder along a path, and leaves out what it only enters to leave again. What is around
/// a link does not tell what is around the place where it leads.
fn stepped(from: &Path, path: &Path) -> PathBuf {
    let mut at = from.to_path_buf();
    for part in path.components() {
        match part {
            Component::ParentDir if at.is_symlink() => return from.join(path),
            Component::ParentDir => drop(at.pop()),
            part => at.push(part),
        }
    }
    at
}

/// What the history says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastCommit {
    /// Seconds since 1970 of the commit that last touched it.
    At(i64),
    /// The history is cut off before one can tell.
    BeyondShallow,
}

/// Why the history could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFailed(pub String);

/// Returns the commit that is checked out, read from the repository's files without running git.
/// `None` when there is none yet, or when the repository keeps its references in another format.
pub fn head(root: &Path) -> Option<String> {
    let repository = Repository::around(root)?;
    let head = std::fs::read_to_string(repository.own.join("HEAD")).ok()?;
    let Some(reference) = head.trim().strip_prefix("ref: ") else {
        return Some(head.trim().to_owned());
    };
    let common = repository.common();
    if let Ok(commit) = std::fs::read_to_string(common.join(reference)) {
        return Some(commit.trim().to_owned());
    }
    let packed = std::fs::read_to_string(common.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| {
        line.split_once(' ')
            .filter(|(_, name)| *name == reference)
            .map(|(commit, _)| commit.to_owned())
    })
}

/// Returns the files that change when another commit is checked out, there or not.
pub fn head_files(root: &Path) -> Vec<PathBuf> {
    let Some(repository) = Repository::around(root) else { return vec![] };
    let head = repository.own.join("HEAD");
    let text = std::fs::read_to_string(&head).unwrap_or_default();
    let common = repository.common();
    let reference = text.trim().strip_prefix("ref: ").map(|reference| common.join(reference));
    std::iter::once(head).chain(reference).chain([common.join("packed-refs")]).collect()
}

/// Returns which of these files, given relative to the root, git keeps. One process is run for all.
pub(crate) fn tracked<'p>(root: &Path, paths: &[&'p str]) -> Result<Vec<&'p str>, GitFailed> {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-files", "-z", "--"]);
    match paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        true => command.args(paths),
        false => command.arg("."),
    };
    let listed = command.stdin(Stdio::null()).output();
    let listed = listed.map_err(|error| GitFailed(format!("git could not be started: {error}")))?;
    if !listed.status.success() {
        let said = String::from_utf8_lossy(&listed.stderr);
        return Err(GitFailed(said.lines().next().unwrap_or("git failed").to_owned()));
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    let kept: HashSet<&str> = text.split('\0').collect();
    Ok(paths.iter().copied().filter(|path| kept.contains(path)).collect())
}

/// Returns the branch that is checked out; `None` outside git and on a detached head.
pub fn branch(root: &Path) -> Option<String> {
    let head = std::fs::read_to_string(Repository::around(root)?.own.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Returns whether a branch is checked out that has no commit yet, as far as the repository's files
/// tell.
pub fn is_unborn(root: &Path) -> bool {
    let Some(repository) = Repository::around(root) else { return false };
    let has_tables = repository.common().join("reftable").exists();
    branch(root).is_some() && !has_tables && head(root).is_none()
}

/// Returns the name that git would put on a commit here.
pub fn author(root: &Path) -> Option<String> {
    let ended = git(root).args(["var", "GIT_AUTHOR_IDENT"]).stdin(Stdio::null()).output().ok()?;
    let ident = String::from_utf8(ended.stdout).ok()?;
    let name = ident.split(" <").next().unwrap_or_default().trim();
    (ended.status.success() && !name.is_empty()).then(|| name.to_owned())
}

/// Returns the commit that is checked out, asking git where its files do not tell.
pub fn current_commit(root: &Path) -> Option<String> {
    if let Some(commit) = head(root) {
        return Some(commit);
    }
    Repository::around(root).filter(|_| !is_unborn(root))?;
    let asked =
        git(root).args(["rev-parse", "--verify", "HEAD"]).stdin(Stdio::null()).output().ok()?;
    let commit = String::from_utf8(asked.stdout).ok()?;
    asked.status.success().then(|| commit.trim().to_owned())
}

/// Returns what marks the ends of a shallow clone's history; empty in a whole one.
pub fn shallow_ends(root: &Path) -> String {
    common_dir(root)
        .and_then(|common| std::fs::read_to_string(common.join("shallow")).ok())
        .unwrap_or_default()
}

/// Returns whether one commit comes before another, or is it.
pub fn is_ancestor(root: &Path, old: &str, new: &str) -> Result<bool, GitFailed> {
    let mut command = git(root);
    command.args(["merge-base", "--is-ancestor", old, new]).stdin(Stdio::null());
    let ended = command
        .output()
        .map_err(|error| GitFailed(format!("git could not be started: {error}")))?;
    // 1 is no; anything else is a failure, such as a commit that was collected.
    Ok(ended.status.success())
}

/// Returns the last commit of each of these files, given relative to the root, looking no further
/// back than `since`. Files that no such commit has are not in the answer. One process is run for
/// all of them.
pub fn last_commits(
    root: &Path,
    paths: &[&str],
    since: Option<&str>,
) -> Result<HashMap<String, LastCommit>, GitFailed> {
    if paths.is_empty() {
        return Ok(HashMap::new());
    }
    let shallow: HashSet<String> = shallow_ends(root).lines().map(str::to_owned).collect();
    let mut wanted: HashSet<&str> = paths.iter().copied().collect();
    let mut found = HashMap::new();
    let mut child = log_command(root, paths, since)
        .spawn()
        .map_err(|error| GitFailed(format!("git could not be started: {error}")))?;
    let stdout = child.stdout.take().ok_or_else(|| GitFailed("git has no output".into()))?;
    let mut commit = LastCommit::BeyondShallow;
    for token in BufReader::new(stdout).split(0) {
        let token = token.map_err(|error| GitFailed(error.to_string()))?;
        let text = String::from_utf8_lossy(&token);
        let text = text.trim_start_matches('\n');
        if let Some(head) = text.strip_prefix('\u{1}') {
            let (hash, seconds) = head.split_once(' ').unwrap_or((head, ""));
            commit = match seconds.trim().parse() {
                Ok(seconds) if !shallow.contains(hash) => LastCommit::At(seconds),
                _ => LastCommit::BeyondShallow,
            };
        } else if wanted.remove(text) {
            found.insert(text.to_owned(), commit);
            if wanted.is_empty() {
                break;
            }
        }
    }
    if wanted.is_empty() {
        // All is known; what git says of being stopped is not of interest.
        drop(child.kill());
        drop(child.wait());
        return Ok(found);
    }
    let ended = child.wait_with_output().map_err(|error| GitFailed(error.to_string()))?;
    if !ended.status.success() {
        return Err(GitFailed(
            String::from_utf8_lossy(&ended.stderr)
                .lines()
                .next()
                .unwrap_or("git failed")
                .to_owned(),
        ));
    }
    Ok(found)
}

fn log_command(root: &Path, paths: &[&str], since: Option<&str>) -> Command {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args([
        "log",
        "-z",
        "--no-show-signature",
        "--no-renames",
        "--relative",
        "--name-only",
        "--format=%x01%H %ct",
    ]);
    if let Some(since) = since {
        command.arg(format!("{since}..HEAD"));
    }
    command.arg("--");
    if paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        command.args(paths);
    } else {
        command.arg(".");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A git command in a folder, untouched by a hook's environment.
fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(["-c", "core.quotepath=off", "-c", "log.showSignature=false"]);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command
}

/// What was done in a repository since a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Since {
    /// Commits, oldest first: `hash subject`.
    pub commits: Vec<String>,
    /// Files that they touched.
    pub files: Vec<String>,
    /// Files that are changed and not committed.
    pub changed: Vec<String>,
    /// What git could not tell, in its words.
    pub problem: Option<String>,
}

/// Returns what was done since a commit; since the beginning, if there was none.
pub fn since(root: &Path, commit: Option<&str>) -> Since {
    let range = commit.map_or_else(|| "HEAD".to_owned(), |commit| format!("{commit}..HEAD"));
    let has_commits = current_commit(root).is_some();
    let mut problem = None;
    let mut lines = |arguments: &[&str]| -> Vec<String> {
        let text = match git(root).args(arguments).stdin(Stdio::null()).output() {
            Ok(ended) if ended.status.success() => ended.stdout,
            Ok(ended) => {
                problem = Some(String::from_utf8_lossy(&ended.stderr).trim().to_owned());
                vec![]
            }
            Err(error) => {
                problem = Some(error.to_string());
                vec![]
            }
        };
        let text = String::from_utf8_lossy(&text);
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let commits = lines(&["log", "--reverse", "--no-merges", "--format=%h %s", &range]);
    let mut files =
        lines(&["log", "--no-merges", "--name-only", "--relative", "--format=", &range]);
    files.sort();
    files.dedup();
    let changed = lines(&["ls-files", "--modified", "--others", "--exclude-standard"]);
    // Where there is no commit or no repository, git has nothing to tell.
    Since { commits, files, changed, problem: problem.filter(|_| has_commits) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A repository with a worktree beside it, as git lays them out.
    fn with_worktree(home: &Path) -> (PathBuf, PathBuf) {
        let (shared, tree) = (home.join("first/.git"), home.join("second"));
        let own = shared.join("worktrees/second");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        (shared, tree)
    }

    #[test]
    fn worktrees_share_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = with_worktree(home.path());
        assert_eq!(common_dir(&home.path().join("first/docs")), Some(shared.clone()));
        assert_eq!(common_dir(&tree.join("src")), Some(shared));
        assert_eq!(Repository::around(&tree.join("src")).unwrap().top, tree);
    }

    #[test]
    fn a_git_file_that_leads_nowhere_is_no_repository() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".git"), "gitdir").unwrap();
        assert_eq!(common_dir(home.path()), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_git_folder_may_be_a_link() {
        let home = tempfile::tempdir().unwrap();
        let (shared, tree) = with_worktree(home.path());
        fs::remove_file(tree.join(".git")).unwrap();
        std::os::unix::fs::symlink(shared.join("worktrees/second"), tree.join(".git")).unwrap();
        let found = common_dir(&tree).unwrap();
        assert_eq!(found.canonicalize().unwrap(), shared.canonicalize().unwrap());
        // What a link names and is not there says nothing.
        fs::remove_dir_all(&shared).unwrap();
        assert_eq!(common_dir(&tree), None);
    }
}
