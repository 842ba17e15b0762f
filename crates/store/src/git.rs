//! What a repository's history says of files, asked of the `git` command.
//!
//! The repository's own settings come with the repository, so no call runs a program that they name:
//! see [`git`].

mod repository;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use heirloom_core::hands;
pub use repository::{Lookup, Repository, is_hash};

use crate::Root;

/// More paths than this go over the whole history instead of on the command line.
const MAX_PATHS_ON_COMMAND_LINE: usize = 400;

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

/// Returns which of these files, given relative to the root, git keeps. One process is run for all.
pub(crate) fn tracked<'p>(root: &Root, paths: &[&'p str]) -> Result<Vec<&'p str>, GitFailed> {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-files", "-z", "--"]);
    match paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        true => command.args(paths),
        false => command.arg("."),
    };
    let listed = succeeded(command)?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let kept: HashSet<&str> = text.split('\0').collect();
    Ok(paths.iter().copied().filter(|path| kept.contains(path)).collect())
}

/// Returns the name that git would put on a commit here.
pub fn author(root: &Root) -> Option<String> {
    let mut command = git(root);
    command.args(["var", "GIT_AUTHOR_IDENT"]);
    let ident = String::from_utf8(succeeded(command).ok()?.stdout).ok()?;
    let name = ident.split(" <").next().unwrap_or_default().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the branch that is checked out; `None` outside git and on a detached head.
pub fn branch(root: &Root) -> Option<String> {
    root.repository()?.branch()
}

/// Returns the editor that the user told git to open. The repository's own settings are not asked: a
/// clone must not choose a program that is run here.
pub fn user_editor() -> Option<String> {
    let mut command = Command::new("git");
    command.args(["config", "--global", "--includes", "--get", "core.editor"]);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG"] {
        command.env_remove(variable);
    }
    // Away from the workspace, so that git does not even look at its settings.
    command.current_dir(std::path::MAIN_SEPARATOR_STR).stdin(Stdio::null());
    let asked = command.output().ok()?;
    let editor = String::from_utf8(asked.stdout).ok()?;
    (asked.status.success() && !editor.trim().is_empty()).then(|| editor.trim().to_owned())
}

/// Returns the commit that is checked out, asking git where its files do not tell.
pub fn current_commit(root: &Root) -> Option<String> {
    let repository = root.repository()?;
    if let Some(commit) = repository.head() {
        return Some(commit);
    }
    if repository.is_unborn() {
        return None;
    }
    let mut command = git(root);
    command.args(["rev-parse", "--verify", "HEAD"]);
    let commit = String::from_utf8(succeeded(command).ok()?.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| is_hash(commit))
}

/// Returns whether one commit comes before another, or is it.
pub fn is_ancestor(root: &Root, old: &str, new: &str) -> Result<bool, GitFailed> {
    if !is_hash(old) || !is_hash(new) {
        return Ok(false);
    }
    let mut command = git(root);
    command.args(["merge-base", "--is-ancestor", old, new]);
    // 1 is no; anything else is a failure, such as a commit that was collected.
    Ok(output(command)?.status.success())
}

/// Returns the last commit of each of these files, given relative to the root, looking no further
/// back than `since`. Files that no such commit has are not in the answer. One process is run for
/// all of them.
pub fn last_commits(
    root: &Root,
    paths: &[&str],
    since: Option<&str>,
) -> Result<HashMap<String, LastCommit>, GitFailed> {
    let Some(repository) = root.repository().filter(|_| !paths.is_empty()) else {
        return Ok(HashMap::new());
    };
    let shallow = repository.shallow_ends();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let mut wanted: HashSet<&str> = paths.iter().copied().collect();
    let mut found = HashMap::new();
    let mut child = log_command(root, paths, since).spawn().map_err(|e| not_started(&e))?;
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
    if ended.status.success() { Ok(found) } else { Err(failed(&ended)) }
}

/// Returns the hash of the committed content of each of these files, given relative to the root.
/// Files that the checked-out commit does not have are not in the answer. One process is run for all.
pub(crate) fn committed_blobs(
    root: &Root,
    paths: &[&str],
) -> Result<HashMap<String, String>, GitFailed> {
    let mut command = git(root);
    command.env("GIT_LITERAL_PATHSPECS", "1").args(["ls-tree", "-r", "-z", "HEAD", "--"]);
    match paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        true => command.args(paths),
        false => command.arg("."),
    };
    let listed = succeeded(command)?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let wanted: HashSet<&str> = paths.iter().copied().collect();
    let blobs = text.split('\0').filter_map(|line| {
        let (about, path) = line.split_once('\t')?;
        let blob = about.rsplit(' ').next().filter(|hash| is_hash(hash))?;
        wanted.contains(path).then(|| (path.to_owned(), blob.to_owned()))
    });
    Ok(blobs.collect())
}

/// A line of a committed file and the moment (seconds since 1970) of the commit that introduced it;
/// `None` beyond the end of a shallow clone's history.
pub(crate) type CommittedLine = (String, Option<i64>);

/// Returns the lines of files as they are committed, in the order of the paths; nothing for a file
/// that git cannot tell of. Only the committed file is read: reading the working copy could run a
/// filter that a repository configures. One process is run for each file, several at a time.
pub(crate) fn committed_lines(root: &Root, paths: &[&str]) -> Vec<Option<Vec<CommittedLine>>> {
    let Some(repository) = root.repository() else { return vec![None; paths.len()] };
    let shallow = repository.shallow_ends();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let blame = |path: &&str| {
        let mut command = git(root);
        command.args(["-c", "blame.ignoreRevsFile=", "blame", "--line-porcelain"]);
        command.args(["--no-textconv", "--root", "HEAD", "--", path]);
        Mutex::new(command)
    };
    let commands: Vec<Mutex<Command>> = paths.iter().map(blame).collect();
    hands::map(&commands, 1, |command| {
        let mut command = command.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = command.output().ok().filter(|ended| ended.status.success())?;
        Some(lines_of_blame(&String::from_utf8_lossy(&ended.stdout), &shallow))
    })
}

/// Reads what `git blame --line-porcelain` says.
fn lines_of_blame(said: &str, shallow: &HashSet<&str>) -> Vec<CommittedLine> {
    let mut lines = Vec::new();
    let (mut commit, mut seconds) = (String::new(), None);
    for line in said.split('\n') {
        if let Some(text) = line.strip_prefix('\t') {
            let known = seconds.take().filter(|_| !shallow.contains(commit.as_str()));
            lines.push((text.trim_end_matches('\r').to_owned(), known));
            commit.clear();
        } else if commit.is_empty() {
            commit = line.split(' ').next().unwrap_or_default().to_owned();
        } else if let Some(moment) = line.strip_prefix("committer-time ") {
            seconds = moment.trim().parse().ok();
        }
    }
    lines
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
    if paths.len() <= MAX_PATHS_ON_COMMAND_LINE {
        command.args(paths);
    } else {
        command.arg(".");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Settings that would make git run a program, reach the network or read a file elsewhere, each
/// switched off for every call.
const SWITCHED_OFF: &[(&str, &str)] = &[
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

/// Variables of a surrounding git process, which would lead to another repository or run a program.
const INHERITED: &[&str] = &[
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

/// Returns a git command on the repository of a workspace. The repository is named explicitly: git's
/// own search would also take a folder of the work tree that looks like a bare repository. A
/// repository of another user is left to that search, which asks the person's `safe.directory`.
fn git(root: &Root) -> Command {
    let mut command = Command::new("git");
    for (key, value) in SWITCHED_OFF {
        command.arg("-c").arg(format!("{key}={value}"));
    }
    for variable in INHERITED {
        command.env_remove(variable);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    match root.repository().filter(|repository| repository.is_readable()) {
        Some(repository) => {
            command.arg("-C").arg(root.path());
            if repository.is_own() {
                command.env("GIT_DIR", repository.own());
                command.env("GIT_WORK_TREE", repository.top());
            }
        }
        // Outside every repository, so that one which was refused is not found again.
        None => drop(root.path().ancestors().last().map(|top| command.arg("-C").arg(top))),
    }
    command.stdin(Stdio::null());
    command
}

fn not_started(error: &std::io::Error) -> GitFailed {
    GitFailed(format!("git could not be started: {error}"))
}

fn failed(ended: &Output) -> GitFailed {
    let said = String::from_utf8_lossy(&ended.stderr);
    GitFailed(said.lines().next().unwrap_or("git failed").to_owned())
}

fn output(mut command: Command) -> Result<Output, GitFailed> {
    command.output().map_err(|error| not_started(&error))
}

fn succeeded(command: Command) -> Result<Output, GitFailed> {
    let ended = output(command)?;
    if ended.status.success() { Ok(ended) } else { Err(failed(&ended)) }
}

/// Switches off the filters that the repository's own settings define: comparing a file with the
/// index would run them. Filters of the person's settings stay.
fn without_filters(root: &Root, command: &mut Command) {
    let mut listing = git(root);
    listing.args(["config", "--list", "--show-scope", "--name-only", "-z"]);
    let Ok(listed) = succeeded(listing) else { return };
    let text = String::from_utf8_lossy(&listed.stdout);
    let mut parts = text.split('\0');
    let mut drivers = HashSet::new();
    while let (Some(scope), Some(key)) = (parts.next(), parts.next()) {
        let driver = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
        if let Some((driver, _)) = driver.filter(|_| ["local", "worktree"].contains(&scope)) {
            drivers.insert(driver);
        }
    }
    let settings = drivers.iter().flat_map(|driver| {
        let key = move |last: &str| format!("filter.{driver}.{last}");
        [(key("clean"), ""), (key("process"), ""), (key("required"), "false")]
    });
    let mut count = 0;
    for (at, (key, value)) in settings.enumerate() {
        // As variables, since a driver's name may hold any character.
        command.env(format!("GIT_CONFIG_KEY_{at}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        count = at + 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
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
pub fn since(root: &Root, commit: Option<&str>) -> Since {
    if root.repository().is_none() {
        return Since::default();
    }
    let commit = commit.filter(|commit| is_hash(commit));
    let range = commit.map_or_else(|| "HEAD".to_owned(), |commit| format!("{commit}..HEAD"));
    let has_commits = current_commit(root).is_some();
    let mut problem = None;
    let mut lines = |arguments: &[&str]| -> Vec<String> {
        let mut command = git(root);
        if arguments.contains(&"--modified") {
            without_filters(root, &mut command);
        }
        command.args(arguments);
        let text = succeeded(command).map(|ended| ended.stdout).unwrap_or_else(|failed| {
            problem = Some(failed.0);
            vec![]
        });
        let text = String::from_utf8_lossy(&text);
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let log = |format| ["log", "--no-ext-diff", "--no-textconv", "--no-merges", format];
    let commits = log("--format=%h %s").into_iter().chain(["--reverse", &range]);
    let commits = lines(&commits.collect::<Vec<_>>());
    let files = log("--format=").into_iter().chain(["--name-only", "--relative", &range]);
    let mut files = lines(&files.collect::<Vec<_>>());
    files.sort();
    files.dedup();
    let changed = lines(&["ls-files", "--modified", "--others", "--exclude-standard"]);
    // Where there is no commit, git has nothing to tell.
    Since { commits, files, changed, problem: problem.filter(|_| has_commits) }
}
