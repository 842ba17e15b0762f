//! Commits with the lines that they changed, as prediction learns from them.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use heirloom_core::prediction::HistoryCommit;

use super::patch::PatchReader;
use super::{GitError, exit_error, git, is_hash, start_error};
use crate::Root;

/// Longer messages are shortened.
const MAX_MESSAGE_BYTES: usize = 2_000;

/// Longer names of authors are shortened.
const MAX_AUTHOR_BYTES: usize = 100;

/// How the names of bots end.
const BOT_SUFFIX: &str = "[bot]";

/// Renames of changed files are looked for in commits of at most so many added or deleted files, since the time grows
/// with their square.
const RENAME_LIMIT: &str = "-l400";

/// Larger files are treated as binary: a generated file says little, and its lines take long to compare.
const MAX_DIFFED_FILE: &str = "core.bigFileThreshold=1m";

/// A commit without its changes.
#[derive(Debug, Clone)]
pub(crate) struct CommitHeader {
    id: String,
    author: String,
    time: i64,
    message: String,
    is_memory: bool,
}

impl CommitHeader {
    /// Returns whether the commit can be predicted: it is no merge, not the work of a bot, and its parent is known.
    pub(crate) fn is_memory(&self) -> bool {
        self.is_memory
    }

    fn into_commit(self) -> HistoryCommit {
        let CommitHeader { id, author, time, message, is_memory } = self;
        HistoryCommit { id, author, time, message, is_memory, files: vec![] }
    }
}

/// Returns the commits up to `head` and after `since`, oldest first and parents before children. Of a long history, only
/// the latest ones with `max_memories` memories.
pub(crate) fn commit_headers(
    root: &Root,
    since: Option<&str>,
    head: &str,
    max_memories: usize,
) -> Result<Vec<CommitHeader>, GitError> {
    let shallow = root.repository().map(super::Repository::shallow_boundaries).unwrap_or_default();
    let shallow: HashSet<&str> = shallow.lines().collect();
    let mut command = git(root);
    command.args(["log", "--date-order", "--encoding=UTF-8", "--no-show-signature"]);
    command.args(["--no-color", "--no-decorate", "--no-patch"]);
    command.arg("--format=%H%x00%P%x00%an%x00%ct%x00%B%x00");
    command.args(
        [since, Some(head)].into_iter().flatten().filter(|id| is_hash(id)).enumerate().map(
            |(position, id)| match since {
                Some(_) if position == 0 => format!("^{id}"),
                _ => id.to_owned(),
            },
        ),
    );
    command.arg("--").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| start_error(&error))?;
    let stdout = child.stdout.take().ok_or_else(no_output)?;
    let mut fields = BufReader::new(stdout).split(0);
    let (mut headers, mut memories) = (Vec::new(), 0);
    while memories < max_memories {
        let mut field = || -> Result<Option<String>, GitError> {
            let bytes = fields.next().transpose().map_err(|error| GitError(error.to_string()))?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let (Some(id), Some(parents), Some(author), Some(time), Some(message)) =
            (field()?, field()?, field()?, field()?, field()?)
        else {
            break;
        };
        let id = id.trim().to_owned();
        let is_merge = parents.split_whitespace().count() > 1;
        let is_bot = author.trim_end().ends_with(BOT_SUFFIX);
        // At the boundary of a shallow clone, every file looks new.
        let is_memory = !is_merge && !is_bot && !shallow.contains(id.as_str());
        memories += usize::from(is_memory);
        headers.push(CommitHeader {
            id,
            author: shorten(author.trim(), MAX_AUTHOR_BYTES),
            time: time.trim().parse().unwrap_or_default(),
            message: shorten(message.trim(), MAX_MESSAGE_BYTES),
            is_memory,
        });
    }
    drop(fields);
    finish(child, memories == max_memories)?;
    headers.reverse();
    Ok(headers)
}

/// Waits for a process. If its output was not read to the end, its errors do not matter.
fn finish(mut child: Child, is_stopped: bool) -> Result<(), GitError> {
    if is_stopped {
        drop(child.kill());
    }
    let output = child.wait_with_output().map_err(|error| GitError(error.to_string()))?;
    if output.status.success() || is_stopped { Ok(()) } else { Err(exit_error(&output)) }
}

fn no_output() -> GitError {
    GitError("git has no output".into())
}

/// Returns the beginning of a text that is too long.
fn shorten(text: &str, max_bytes: usize) -> String {
    text[..text.floor_char_boundary(max_bytes)].to_owned()
}

/// Reads what commits changed, in their order, and passes each on. Renames are followed. Of a merge, only files that
/// differ from every parent are read.
pub(crate) fn read_changes(
    root: &Root,
    headers: Vec<CommitHeader>,
    mut each: impl FnMut(HistoryCommit),
) -> Result<(), GitError> {
    let mut child = diff_command(root).spawn().map_err(|error| start_error(&error))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return Err(no_output()) };
    let ids: String = headers.iter().map(|header| format!("{}\n", header.id)).collect();
    let read = thread::scope(|scope| {
        // Git stops reading when its output is not read, so both happen at the same time. If git ends early, its exit
        // code tells.
        scope.spawn(move || drop(stdin.write_all(ids.as_bytes())));
        let mut patches = PatchReader::new(BufReader::new(stdout));
        for header in headers {
            let files = patches.changes_of(&header.id)?;
            each(HistoryCommit { files, ..header.into_commit() });
        }
        Ok(())
    });
    match read {
        Ok(()) => finish(child, false),
        Err(error) => {
            drop(finish(child, true));
            Err(GitError(std::io::Error::to_string(&error)))
        }
    }
}

fn diff_command(root: &Root) -> Command {
    let mut command = git(root);
    command.args([
        "-c",
        MAX_DIFFED_FILE,
        "diff-tree",
        "--stdin",
        "-r",
        "-c",
        "--root",
        "-M",
        RENAME_LIMIT,
    ]);
    command.args(["--raw", "-p", "-U0", "--full-index", "--no-color", "--no-relative"]);
    command.args([
        "--submodule=short",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-algorithm=default",
    ]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
