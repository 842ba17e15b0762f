//! Queries of the git history, answered by the `git` command.
//!
//! A repository is untrusted and brings its own git settings, so no call may run a program that they
//! name: see the function `git`.

mod commits;
mod contents;
mod patch;
mod repository;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

pub(crate) use commits::{CommitHeader, commit_headers, read_changes};
pub(crate) use contents::read_contents;
use heirloom_core::prediction::CommittedChange;
use heirloom_core::{day, parallel};
use jiff::Timestamp;
use jiff::civil::Date;
pub use repository::{Repository, RepositoryLookup, is_hash};

use crate::Root;

/// With more paths than this, git is asked for all files instead of naming each path, because the
/// length of a command line is limited.
const MAX_PATHS_ON_COMMAND_LINE: usize = 400;

/// When a file was last committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastCommit {
    /// The time of the last commit that changed it, in seconds since 1970.
    At(i64),
    /// The commit lies beyond the end of a shallow clone's history.
    BeyondShallow,
}

/// The message of a git command that could not be run or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitError(pub String);

/// Returns the files, given relative to the root, that git tracks. Runs one process for all of them.
pub(crate) fn filter_tracked<'p>(root: &Root, paths: &[&'p str]) -> Result<Vec<&'p str>, GitError> {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-files", "-z", "--"]);
    add_paths(&mut command, paths);
    let output = run_checked(command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let tracked: HashSet<&str> = text.split('\0').collect();
    Ok(paths.iter().copied().filter(|path| tracked.contains(path)).collect())
}

/// Adds the paths that a command is limited to, or the whole folder if they are too many.
fn add_paths(command: &mut Command, paths: &[&str]) {
    if paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        command.args(paths);
    } else {
        command.arg(".");
    }
}

/// Returns the author name that git would use for a commit in the workspace.
pub fn author(root: &Root) -> Option<String> {
    let mut command = git(root);
    command.args(["var", "GIT_AUTHOR_IDENT"]);
    let ident = String::from_utf8(run_checked(command).ok()?.stdout).ok()?;
    let name = ident.split(" <").next().unwrap_or_default().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the checked-out branch; `None` outside of git and with a detached `HEAD`.
pub fn branch(root: &Root) -> Option<String> {
    root.repository()?.branch()
}

/// Parses the changes of a commit in the output of `git diff-tree`, as the history for predictions is read.
pub fn parse_changes(output: &[u8], commit: &str) -> std::io::Result<Vec<CommittedChange>> {
    patch::PatchReader::new(output).changes_of(commit)
}

/// Maximum number of files of a working tree that are listed.
const MAX_LISTED_FILES: usize = 50_000;

/// Returns the files of the workspace that git does not ignore, by their paths in it; none outside of git. Of a very large
/// tree, only the first ones.
pub fn list_files(root: &Root) -> Result<Vec<String>, GitError> {
    if root.repository().is_none() {
        return Ok(vec![]);
    }
    let mut command = git(root);
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    command.args(["--deduplicate", "--", "."]);
    let output = run_checked(command)?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let texts = paths.filter_map(|path| str::from_utf8(path).ok());
    Ok(texts.take(MAX_LISTED_FILES).map(str::to_owned).collect())
}

/// Returns whether a file is part of the memory log, which changes with every memory.
pub fn is_memory_log(path: &str) -> bool {
    path.starts_with(".heirloom/memory/") || path.contains("/.heirloom/memory/")
}

/// Returns `core.editor` from the user's git settings. The settings of the repository are ignored: a
/// clone must not choose a program that is run on this machine.
pub fn user_editor() -> Option<String> {
    let mut command = Command::new("git");
    command.args(["config", "--global", "--includes", "--get", "core.editor"]);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG"] {
        command.env_remove(variable);
    }
    // Run outside of the workspace, so that git does not read its settings.
    command.current_dir(std::path::MAIN_SEPARATOR_STR).stdin(Stdio::null());
    let output = command.output().ok()?;
    let editor = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !editor.trim().is_empty()).then(|| editor.trim().to_owned())
}

/// Returns the checked-out commit. Runs git only if the repository's files do not name the commit.
pub fn current_commit(root: &Root) -> Option<String> {
    let repository = root.repository()?;
    if let Some(commit) = repository.head_commit() {
        return Some(commit);
    }
    if repository.is_unborn() {
        return None;
    }
    let mut command = git(root);
    command.args(["rev-parse", "--verify", "HEAD"]);
    let commit = String::from_utf8(run_checked(command).ok()?.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| is_hash(commit))
}

/// Returns whether one commit is an ancestor of another, or the same. A commit that the repository does not
/// have, for instance because it was garbage-collected, is no ancestor.
pub(crate) fn is_ancestor(root: &Root, old: &str, new: &str) -> Result<bool, GitError> {
    if !is_hash(old) || !is_hash(new) {
        return Ok(false);
    }
    let mut command = git(root);
    command.args(["merge-base", "--is-ancestor", old, new]);
    let output = run(command)?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ if !has_object(root, old)? => Ok(false),
        _ => Err(exit_error(&output)),
    }
}

fn has_object(root: &Root, hash: &str) -> Result<bool, GitError> {
    let mut command = git(root);
    command.args(["cat-file", "-e", hash]);
    let output = run(command)?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(exit_error(&output)),
    }
}

/// Returns the last commit of each file, given relative to the root, among the commits after
/// `since`. Files that none of these commits changed are not in the result. Runs one process for all
/// files.
pub(crate) fn last_commits(
    root: &Root,
    paths: &[&str],
    since: Option<&str>,
) -> Result<HashMap<String, LastCommit>, GitError> {
    let Some(repository) = root.repository().filter(|_| !paths.is_empty()) else {
        return Ok(HashMap::new());
    };
    let shallow = repository.shallow_boundaries();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let mut pending: HashSet<&str> = paths.iter().copied().collect();
    let mut found = HashMap::new();
    let mut child = log_command(root, paths, since).spawn().map_err(|e| start_error(&e))?;
    let stdout = child.stdout.take().ok_or_else(|| GitError("git has no output".into()))?;
    let mut reader = LogReader::new(&shallow);
    for token in BufReader::new(stdout).split(0) {
        let token = token.map_err(|error| GitError(error.to_string()))?;
        if let Some(path) = reader.read(&String::from_utf8_lossy(&token))
            && pending.remove(path.as_str())
        {
            found.insert(path, reader.commit);
            if pending.is_empty() {
                break;
            }
        }
    }
    if pending.is_empty() {
        // Every file is found, so the rest of the history is not read; errors of a stopped process
        // do not matter.
        drop(child.kill());
        drop(child.wait());
        return Ok(found);
    }
    let output = child.wait_with_output().map_err(|error| GitError(error.to_string()))?;
    if output.status.success() { Ok(found) } else { Err(exit_error(&output)) }
}

/// Reads the output of [`log_command`] part by part.
struct LogReader<'s> {
    shallow: &'s HashSet<&'s str>,
    /// The commit that the last part belongs to.
    commit: LastCommit,
}

impl<'s> LogReader<'s> {
    fn new(shallow: &'s HashSet<&'s str>) -> Self {
        LogReader { shallow, commit: LastCommit::BeyondShallow }
    }

    /// Reads a part; returns the path of a changed file if it is one.
    fn read(&mut self, token: &str) -> Option<String> {
        let text = token.trim_start_matches('\n');
        let Some(header) = text.strip_prefix('\u{1}') else {
            return Some(text.to_owned()).filter(|path| !path.is_empty());
        };
        let (hash, seconds) = header.split_once(' ').unwrap_or((header, ""));
        self.commit = match seconds.trim().parse() {
            Ok(seconds) if !self.shallow.contains(hash) => LastCommit::At(seconds),
            _ => LastCommit::BeyondShallow,
        };
        None
    }
}

/// Returns the day of the first commit of each file, given relative to the root. Files that were added before the history
/// of a shallow clone begins, and files that are not committed, are not in the result. Runs one process for all files.
pub fn first_commit_days(root: &Root, paths: &[&str]) -> Result<HashMap<String, Date>, GitError> {
    let Some(repository) = root.repository().filter(|_| !paths.is_empty()) else {
        return Ok(HashMap::new());
    };
    if current_commit(root).is_none() {
        return Ok(HashMap::new());
    }
    let shallow = repository.shallow_boundaries();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let wanted: HashSet<&str> = paths.iter().copied().collect();
    let output = run_checked(log_command(root, paths, None))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut reader = LogReader::new(&shallow);
    let mut commits = HashMap::new();
    for token in text.split('\0') {
        // The log begins with the newest commit, so the last one of a file is its first.
        if let Some(path) = reader.read(token).filter(|path| wanted.contains(path.as_str())) {
            commits.insert(path, reader.commit);
        }
    }
    let day = |commit| match commit {
        LastCommit::At(seconds) => Timestamp::from_second(seconds).ok().map(day::of_timestamp),
        LastCommit::BeyondShallow => None,
    };
    Ok(commits.into_iter().filter_map(|(path, commit)| Some((path, day(commit)?))).collect())
}

/// Returns the blob hash of each file, given relative to the root, in the checked-out commit. Files
/// that the commit does not contain are not in the result. Runs one process for all files.
pub(crate) fn committed_blobs(
    root: &Root,
    paths: &[&str],
) -> Result<HashMap<String, String>, GitError> {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-tree", "-r", "-z", "HEAD", "--"]);
    add_paths(&mut command, paths);
    let output = run_checked(command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let requested: HashSet<&str> = paths.iter().copied().collect();
    let blobs = text.split('\0').filter_map(|line| {
        let (header, path) = line.split_once('\t')?;
        let blob = header.rsplit(' ').next().filter(|hash| is_hash(hash))?;
        requested.contains(path).then(|| (path.to_owned(), blob.to_owned()))
    });
    Ok(blobs.collect())
}

/// A line of a committed file and the time (seconds since 1970) of the commit that introduced it;
/// `None` if that commit lies beyond the end of a shallow clone's history.
pub(crate) type CommittedLine = (String, Option<i64>);

/// Returns the committed lines of files with their dates (`git blame`), in the order of the paths;
/// `None` for a file that git fails on. Only the committed version is blamed: reading the working
/// copy could run a filter that the repository configures. Runs one process per file, in parallel.
pub(crate) fn committed_lines(root: &Root, paths: &[&str]) -> Vec<Option<Vec<CommittedLine>>> {
    let Some(repository) = root.repository() else { return vec![None; paths.len()] };
    let shallow = repository.shallow_boundaries();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let blame = |path: &&str| {
        let mut command = git(root);
        command.args(["-c", "blame.ignoreRevsFile=", "blame", "--line-porcelain"]);
        command.args(["--no-textconv", "--root", "HEAD", "--", path]);
        Mutex::new(command)
    };
    let commands: Vec<Mutex<Command>> = paths.iter().map(blame).collect();
    parallel::map(&commands, 1, |command| {
        let mut command = command.lock().unwrap_or_else(PoisonError::into_inner);
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(parse_blame(&String::from_utf8_lossy(&output.stdout), &shallow))
    })
}

/// Parses the output of `git blame --line-porcelain`.
fn parse_blame(output: &str, shallow: &HashSet<&str>) -> Vec<CommittedLine> {
    let mut lines = Vec::new();
    let (mut commit, mut seconds) = (String::new(), None);
    for line in output.split('\n') {
        if let Some(text) = line.strip_prefix('\t') {
            let seconds = seconds.take().filter(|_| !shallow.contains(commit.as_str()));
            lines.push((text.trim_end_matches('\r').to_owned(), seconds));
            commit.clear();
        } else if commit.is_empty() {
            commit = line.split(' ').next().unwrap_or_default().to_owned();
        } else if let Some(moment) = line.strip_prefix("committer-time ") {
            seconds = moment.trim().parse().ok();
        }
    }
    lines
}

/// Where the repository still holds a text that was removed from the work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextTraces {
    /// The commits that added or removed the text, on any branch and in the reflog, newest first.
    pub commits: Vec<String>,
    /// Whether the staging area holds it.
    pub is_staged: bool,
}

/// Finds where the repository holds a text in the files below a folder, given relative to the root.
pub fn find_text(root: &Root, text: &str, folder: &str) -> Result<TextTraces, GitError> {
    if root.repository().is_none() {
        return Ok(TextTraces::default());
    }
    let mut log = git(root);
    log.env("GIT_LITERAL_PATHSPECS", "1").args(["log", "--all", "--reflog", "--format=%H"]);
    log.args(["--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames"]);
    log.arg(format!("-S{text}")).args(["--", folder]);
    let commits = String::from_utf8_lossy(&run_checked(log)?.stdout).into_owned();
    let mut grep = git(root);
    grep.env("GIT_LITERAL_PATHSPECS", "1").args(["grep", "--cached", "--quiet", "--no-textconv"]);
    grep.args(["--fixed-strings", "-e", text, "--", folder]);
    let staged = run(grep)?;
    let is_staged = match staged.status.code() {
        Some(0) => true,
        Some(1) => false,
        _ => return Err(exit_error(&staged)),
    };
    Ok(TextTraces { commits: commits.lines().map(str::to_owned).collect(), is_staged })
}

fn log_command(root: &Root, paths: &[&str], since: Option<&str>) -> Command {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1");
    command.args(["log", "-z", "--no-show-signature", "--no-ext-diff", "--no-textconv"]);
    command.args(["--no-renames", "--relative", "--name-only", "--format=%x01%H %ct"]);
    if let Some(since) = since.filter(|since| is_hash(since)) {
        command.arg(format!("{since}..HEAD"));
    }
    command.arg("--");
    add_paths(&mut command, paths);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Overrides of settings that could make git run a program, access the network or read a file outside
/// of the repository. They are passed to every call.
const SAFE_SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", NULL_DEVICE),
    ("core.attributesFile", NULL_DEVICE),
    ("core.pager", "cat"),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
    ("core.quotepath", "off"),
];

const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Variables that a surrounding git process sets. They could select another repository or a program to
/// run, so they are removed.
const GIT_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
];

/// Returns a git command for the repository of a workspace. The repository is named explicitly,
/// because git's own discovery would also accept a folder of the work tree that looks like a bare
/// repository. For a repository that another user owns, discovery is left to git, because only then
/// it checks the user's `safe.directory`.
fn git(root: &Root) -> Command {
    let mut command = Command::new("git");
    for (key, value) in SAFE_SETTINGS {
        command.arg("-c").arg(format!("{key}={value}"));
    }
    for variable in GIT_VARIABLES {
        command.env_remove(variable);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    match root.repository().filter(|repository| repository.is_readable()) {
        Some(repository) => {
            command.arg("-C").arg(root.path());
            if repository.is_owned_by_user() {
                command.env("GIT_DIR", repository.git_dir());
                command.env("GIT_WORK_TREE", repository.work_tree());
            }
        }
        // Run outside of every repository, so that git does not find a refused repository again.
        None => drop(root.path().ancestors().last().map(|top| command.arg("-C").arg(top))),
    }
    command.stdin(Stdio::null());
    command
}

fn start_error(error: &std::io::Error) -> GitError {
    GitError(format!("git could not be started: {error}"))
}

fn exit_error(output: &Output) -> GitError {
    let stderr = String::from_utf8_lossy(&output.stderr);
    GitError(stderr.lines().next().unwrap_or("git failed").to_owned())
}

fn run(mut command: Command) -> Result<Output, GitError> {
    command.output().map_err(|error| start_error(&error))
}

/// Runs a command; an exit code other than 0 is an error.
fn run_checked(command: Command) -> Result<Output, GitError> {
    let output = run(command)?;
    if output.status.success() { Ok(output) } else { Err(exit_error(&output)) }
}

/// Disables the filters that the repository's settings define, because git runs them to compare a
/// file with the index. Filters of the user's settings stay enabled.
fn disable_repository_filters(root: &Root, command: &mut Command) {
    let mut listing = git(root);
    listing.args(["config", "--list", "--show-scope", "--name-only", "-z"]);
    let Ok(output) = run_checked(listing) else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut parts = text.split('\0');
    let mut drivers = HashSet::new();
    while let (Some(scope), Some(key)) = (parts.next(), parts.next()) {
        let driver = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
        if let Some((driver, _)) = driver.filter(|_| ["local", "worktree"].contains(&scope)) {
            drivers.insert(driver);
        }
    }
    let settings = drivers.iter().flat_map(|driver| {
        let key = move |setting: &str| format!("filter.{driver}.{setting}");
        [(key("clean"), ""), (key("process"), ""), (key("required"), "false")]
    });
    let mut count = 0;
    for (index, (key, value)) in settings.enumerate() {
        // Passed as variables, because `-c key=value` cannot express a driver name that contains `=`.
        command.env(format!("GIT_CONFIG_KEY_{index}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        count = index + 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
}

/// The changes in a repository since a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesSince {
    /// The commits, oldest first: `hash subject`.
    pub commits: Vec<String>,
    /// The files that these commits changed.
    pub files: Vec<String>,
    /// The files with uncommitted changes.
    pub changed: Vec<String>,
    /// The last error message of git, if a query failed.
    pub problem: Option<String>,
}

/// Returns the changes since a commit, or since the first commit if none is given. Commits after a time are left out.
pub fn changes_since(root: &Root, commit: Option<&str>, until: Option<Timestamp>) -> ChangesSince {
    if root.repository().is_none() {
        return ChangesSince::default();
    }
    let commit = commit.filter(|commit| is_hash(commit));
    let range = commit.map_or_else(|| "HEAD".to_owned(), |commit| format!("{commit}..HEAD"));
    let has_commits = current_commit(root).is_some();
    let mut problem = None;
    let mut lines = |arguments: &[&str]| -> Vec<String> {
        let mut command = git(root);
        if arguments.contains(&"--modified") {
            disable_repository_filters(root, &mut command);
        }
        command.args(arguments);
        let stdout = run_checked(command).map(|output| output.stdout).unwrap_or_else(|error| {
            problem = Some(error.0);
            vec![]
        });
        let text = String::from_utf8_lossy(&stdout);
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let until = until.map(|until| format!("--until=@{}", until.as_second()));
    let log = |format| {
        let options = ["log", "--no-ext-diff", "--no-textconv", "--no-merges", format];
        options.into_iter().chain(until.as_deref())
    };
    let commits = log("--format=%h %s").chain(["--reverse", &range]);
    let commits = lines(&commits.collect::<Vec<_>>());
    let files = log("--format=").chain(["--name-only", "--relative", &range]);
    let mut files = lines(&files.collect::<Vec<_>>());
    files.sort();
    files.dedup();
    let changed = lines(&["ls-files", "--modified", "--others", "--exclude-standard"]);
    // Without any commit, the failure of `git log` is expected.
    ChangesSince { commits, files, changed, problem: problem.filter(|_| has_commits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(root: &Root) -> String {
        let mut command = git(root);
        command.args(["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q"]);
        command.args(["--allow-empty", "--no-gpg-sign", "-m", "x"]);
        run_checked(command).unwrap();
        current_commit(root).unwrap()
    }

    #[test]
    fn a_failure_of_git_does_not_look_like_no() {
        let home = tempfile::tempdir().unwrap();
        let mut init = Command::new("git");
        init.arg("-C").arg(home.path()).args(["init", "-q"]);
        run_checked(init).unwrap();
        let root = Root::open_new(home.path()).unwrap();
        let (first, second) = (commit(&root), commit(&root));
        let missing = "0123456789012345678901234567890123456789";
        assert!(is_ancestor(&root, &first, &second).unwrap());
        assert!(!is_ancestor(&root, &second, &first).unwrap());
        assert!(!is_ancestor(&root, missing, &second).unwrap());
        assert!(is_ancestor(&root, &first, missing).is_err());
    }
}
