//! The history of commits that prediction learns from, kept in the cache and updated to the checked-out commit.
//!
//! The file is derived: without it, the history is read again. It begins with a line for its version and the number of
//! commits that it is limited to, and a checksum.

use heirloom_core::prediction::{CommitHistory, HistoryCommit, IDENTIFIERS_MAX_BYTES, identifiers};

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, GitError};

/// The file name in the cache folder.
const FILE: &str = "prediction";

/// The first word of the file. It changes whenever other bytes are written.
const VERSION: &str = "heirloom-prediction-1";

/// A history may grow by one in so many commits before it is read again with the latest ones only.
const GROWTH_PART: usize = 4;

/// The number of bytes of the checksum.
const CHECKSUM_BYTES: usize = 32;

/// Receives how many of all commits are read.
pub type ReportCommits<'p> = &'p mut dyn FnMut(usize, usize);

/// Returns the history up to the checked-out commit: from the cache, updated by new commits, or read as a whole.
/// `known` is a history that a process has in memory. `None` if the workspace has no repository or no commit.
pub fn read(
    root: &Root,
    known: Option<CommitHistory>,
    max_commits: usize,
    report: ReportCommits<'_>,
) -> Result<Option<CommitHistory>, GitError> {
    let Some(head) = current_commit(root) else { return Ok(None) };
    let mut known = known.or_else(|| load(root, max_commits));
    let last = known.as_ref().and_then(CommitHistory::head).map(str::to_owned);
    if last.as_ref() == Some(&head) {
        return Ok(known);
    }
    if let (Some(mut history), Some(last)) = (known.take(), last)
        && git::is_ancestor(root, &last, &head)?
    {
        let headers = git::commit_headers(root, Some(&last), &head, max_commits)?;
        let new = headers.iter().filter(|header| header.is_memory()).count();
        let max_growth = max_commits + max_commits / GROWTH_PART;
        if new < max_commits && history.memories().len() + new <= max_growth {
            extend(root, &mut history, headers, report)?;
            save(root, &history, max_commits);
            return Ok(Some(history));
        }
    }
    let mut history = CommitHistory::default();
    extend(root, &mut history, git::commit_headers(root, None, &head, max_commits)?, report)?;
    save(root, &history, max_commits);
    Ok(Some(history))
}

/// Returns the checked-out commit; `None` if the workspace has no repository or no commit.
pub fn current_commit(root: &Root) -> Option<String> {
    git::current_commit(root)
}

/// Returns the latest commits with `max_commits` memories among them, oldest first.
pub fn read_commits(root: &Root, max_commits: usize) -> Result<Vec<HistoryCommit>, GitError> {
    let Some(head) = current_commit(root) else { return Ok(vec![]) };
    let headers = git::commit_headers(root, None, &head, max_commits)?;
    let mut commits = Vec::with_capacity(headers.len());
    git::read_changes(root, headers, |commit| commits.push(commit))?;
    commits.iter_mut().for_each(remove_log);
    Ok(commits)
}

/// Adds commits to a history.
fn extend(
    root: &Root,
    history: &mut CommitHistory,
    headers: Vec<git::CommitHeader>,
    report: ReportCommits<'_>,
) -> Result<(), GitError> {
    let total = headers.len();
    let mut done = 0;
    git::read_changes(root, headers, |mut commit| {
        remove_log(&mut commit);
        history.apply(commit);
        done += 1;
        report(done, total);
    })?;
    read_identifiers(root, history)
}

/// Removes the files of the memory log from a commit: they change with every memory.
fn remove_log(commit: &mut HistoryCommit) {
    commit.files.retain(|file| !is_log(&file.path));
}

/// Returns whether a file is part of the memory log, which changes with every memory.
fn is_log(path: &str) -> bool {
    path.starts_with(".heirloom/memory/") || path.contains("/.heirloom/memory/")
}

/// Reads the identifiers of the files that changed.
pub fn read_identifiers(root: &Root, history: &mut CommitHistory) -> Result<(), GitError> {
    let outdated = history.outdated_files();
    let hashes: Vec<&str> = outdated.iter().map(|(_, blob)| blob.as_str()).collect();
    git::read_contents(root, &hashes, IDENTIFIERS_MAX_BYTES, |position, content| {
        history.set_identifiers(outdated[position].0, identifiers(content));
    })
}

fn header(max_commits: usize) -> String {
    format!("{VERSION} {max_commits}\n")
}

/// Reads the history from the cache; `None` if it is missing, damaged, of another version or of another length.
fn load(root: &Root, max_commits: usize) -> Option<CommitHistory> {
    let bytes = root.existing_cache()?.read(FILE, MAX_CACHE_BYTES).ok()?;
    let rest = bytes.strip_prefix(header(max_commits).as_bytes())?;
    let (checksum, payload) = rest.split_at_checked(CHECKSUM_BYTES)?;
    (blake3::hash(payload).as_bytes() == checksum).then(|| CommitHistory::decode(payload))?
}

fn save(root: &Root, history: &CommitHistory, max_commits: usize) {
    let payload = history.encode();
    let mut bytes = header(max_commits).into_bytes();
    bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
    bytes.extend_from_slice(&payload);
    // Best effort: without the cache, the next run reads the history again.
    drop(root.open_cache("").and_then(|cache| cache.replace_bytes_unsynced(FILE, &bytes)));
}
