//! The history of commits that prediction learns from, kept in the cache and updated to the checked-out commit.
//!
//! The file is derived: without it, the history is read again. It begins with a line for its version and the number of
//! commits that it is limited to, and a checksum.

use heirloom_core::imports::SourceStatement;
use heirloom_core::prediction::{
    CommitHistory, FileContent, HistoryCommit, IDENTIFIERS_MAX_BYTES, content_hash, identifiers,
};

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, GitError};

/// The file name in the cache folder.
const FILE: &str = "prediction";

/// The first word of the file. It changes whenever other bytes are written.
const VERSION: &str = "heirloom-prediction-2";

/// A history may grow by one in so many commits before it is read again with the latest ones only.
const GROWTH_PART: usize = 4;

/// The number of bytes of the checksum.
const CHECKSUM_BYTES: usize = 32;

/// Receives how many of all commits are read, and then how many of all files.
pub type ReportProgress<'p> = &'p mut dyn FnMut(usize, usize);

/// Returns what a file with a path and a content states about other files.
pub type ReadStatements = fn(&str, &[u8]) -> Vec<SourceStatement>;

/// Returns the history up to the checked-out commit: from the cache, updated by new commits, or read as a whole.
/// `known` is a history that a process has in memory. `None` if the workspace has no repository or no commit.
pub fn read(
    root: &Root,
    known: Option<CommitHistory>,
    max_commits: usize,
    read_statements: ReadStatements,
    report: ReportProgress<'_>,
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
            extend(root, &mut history, headers, read_statements, report)?;
            save(root, &history, max_commits);
            return Ok(Some(history));
        }
    }
    let mut history = CommitHistory::default();
    let headers = git::commit_headers(root, None, &head, max_commits)?;
    extend(root, &mut history, headers, read_statements, report)?;
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
    read_statements: ReadStatements,
    report: ReportProgress<'_>,
) -> Result<(), GitError> {
    let total = headers.len();
    let mut done = 0;
    git::read_changes(root, headers, |mut commit| {
        remove_log(&mut commit);
        history.apply(commit);
        done += 1;
        report(done, total);
    })?;
    read_files(root, history, read_statements, report)
}

/// Removes the files of the memory log from a commit: they change with every memory.
fn remove_log(commit: &mut HistoryCommit) {
    commit.files.retain(|file| !git::is_memory_log(&file.path));
}

/// Reads the identifiers and imports of the files that changed.
pub fn read_files(
    root: &Root,
    history: &mut CommitHistory,
    read_statements: ReadStatements,
    report: ReportProgress<'_>,
) -> Result<(), GitError> {
    let outdated = history.outdated_files();
    let hashes: Vec<&str> = outdated.iter().map(|file| file.blob.as_str()).collect();
    git::read_contents(root, &hashes, IDENTIFIERS_MAX_BYTES, |position, content| {
        let file = &outdated[position];
        let statements = read_statements(&file.path, content);
        let content_hash = content_hash(content);
        let content = FileContent { identifiers: identifiers(content), statements, content_hash };
        history.set_content(file.number, content);
        report(position + 1, outdated.len());
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// A repository for a test.
    struct TestRepository {
        folder: tempfile::TempDir,
        commits: u32,
    }

    impl TestRepository {
        fn new() -> Self {
            let repository = TestRepository { folder: tempfile::tempdir().unwrap(), commits: 0 };
            repository.git(&["init", "--quiet", "--initial-branch=main"]);
            repository
        }

        fn path(&self) -> &Path {
            self.folder.path()
        }

        fn git(&self, arguments: &[&str]) -> String {
            let mut command = Command::new("git");
            command.current_dir(self.path()).args(arguments);
            for name in ["AUTHOR", "COMMITTER"] {
                command
                    .env(format!("GIT_{name}_NAME"), "Ada")
                    .env(format!("GIT_{name}_EMAIL"), "a@a");
                let date = format!("2026-01-01T00:{:02}:00Z", self.commits);
                command.env(format!("GIT_{name}_DATE"), date);
            }
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "git {arguments:?}: {stderr}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        }

        fn write(&self, file: &str, lines: &[&str]) {
            fs::write(self.path().join(file), lines.join("\n") + "\n").unwrap();
        }

        fn commit(&mut self, options: &[&str]) {
            self.commits += 1;
            self.git(&["add", "--all"]);
            let message = format!("Commit {}", self.commits);
            self.git(
                &[&["commit", "--quiet", "--no-gpg-sign", "--message", &message], options].concat(),
            );
        }

        fn root(&self) -> Root {
            Root::open_new(self.path()).unwrap()
        }

        fn read(&self) -> CommitHistory {
            read(&self.root(), None, 100, no_statements, &mut |_, _| {}).unwrap().unwrap()
        }

        /// Returns how many lines of a file each commit wrote, as git blame names them.
        fn blame(&self, file: &str) -> BTreeMap<String, u32> {
            let mut lines = BTreeMap::new();
            for line in self.git(&["blame", "--root", "-l", "-s", "HEAD", "--", file]).lines() {
                let id = line.split(' ').next().unwrap();
                *lines.entry(id.to_owned()).or_default() += 1;
            }
            lines
        }
    }

    fn no_statements(_: &str, _: &[u8]) -> Vec<SourceStatement> {
        vec![]
    }

    /// Returns how many lines of a file each memory wrote.
    fn origins(history: &CommitHistory, file: &str) -> BTreeMap<String, u32> {
        let number = history.file_number(file).unwrap();
        let tracked = &history.files()[number as usize];
        let memories = history.memories().iter().zip(0..);
        memories
            .map(|(memory, number)| (memory.id.clone(), tracked.lines_of(number).0))
            .filter(|(_, lines)| *lines > 0)
            .collect()
    }

    /// Makes a history with parallel branches, a merge that resolves a conflict, a rename and a bot.
    fn branched() -> TestRepository {
        let mut repository = TestRepository::new();
        repository.write("a.txt", &["1", "2", "3", "4", "5", "6", "7", "8"]);
        repository.write("b.txt", &["x", "y"]);
        repository.commit(&[]);
        repository.git(&["checkout", "--quiet", "-b", "side"]);
        repository.write("a.txt", &["1", "two", "3", "4", "5", "6", "7", "8", "nine"]);
        repository.commit(&[]);
        repository.git(&["checkout", "--quiet", "main"]);
        repository.write("a.txt", &["one", "zwei", "3", "4", "5", "6", "7", "8"]);
        repository.commit(&[]);
        let merge = Command::new("git")
            .current_dir(repository.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@a", "merge", "--quiet", "side"])
            .output()
            .unwrap();
        assert!(!merge.status.success(), "there is a conflict");
        repository.write("a.txt", &["one", "two and zwei", "3", "4", "5", "6", "7", "8", "nine"]);
        repository.commit(&[]);
        repository.write("a.txt", &["one", "two and zwei", "3", "4", "bot", "6", "7", "8", "nine"]);
        repository.commit(&["--author", "dependabot[bot] <d@d>"]);
        repository.git(&["mv", "a.txt", "c.txt"]);
        repository
            .write("c.txt", &["one", "two and zwei", "3", "4", "bot", "6", "7", "eight", "nine"]);
        repository.commit(&[]);
        repository
    }

    #[test]
    fn lines_originate_where_git_blame_says() {
        let repository = branched();
        let history = repository.read();
        assert_eq!(history.memories().len(), 4, "without the merge and the bot");
        let memories: Vec<&str> =
            history.memories().iter().map(|memory| memory.id.as_str()).collect();
        for file in ["c.txt", "b.txt"] {
            let mut blamed = repository.blame(file);
            blamed.retain(|id, _| memories.contains(&id.as_str()));
            assert_eq!(origins(&history, file), blamed, "{file}");
        }
        assert_eq!(origins(&history, "c.txt").values().sum::<u32>(), 7);
        assert_eq!(history.file_number("a.txt"), history.file_number("c.txt"));
    }

    #[test]
    fn an_updated_history_equals_a_new_one() {
        let repository = branched();
        let commits = repository.git(&["log", "--first-parent", "--reverse", "--format=%H"]);
        let whole = repository.read().encode();
        let mut history = None;
        for commit in commits.lines() {
            repository.git(&["checkout", "--quiet", commit]);
            history =
                read(&repository.root(), history, 100, no_statements, &mut |_, _| {}).unwrap();
        }
        let history = history.unwrap();
        assert_eq!(history.head(), commits.lines().last());
        // The side branch was made before the first commit that was read, and is merged later.
        let memories = |history: &CommitHistory| {
            let mut ids: Vec<String> = history.memories().iter().map(|it| it.id.clone()).collect();
            ids.sort();
            ids
        };
        let whole = CommitHistory::decode(&whole).unwrap();
        assert_eq!(memories(&history), memories(&whole));
        assert_eq!(origins(&history, "c.txt"), origins(&whole, "c.txt"));
    }

    #[test]
    fn a_history_that_grew_too_long_is_read_again() {
        let mut repository = TestRepository::new();
        let mut lengths = Vec::new();
        for number in 0..14 {
            repository.write("a.txt", &[&number.to_string()]);
            repository.commit(&[]);
            let history =
                read(&repository.root(), None, 8, no_statements, &mut |_, _| {}).unwrap().unwrap();
            lengths.push(history.memories().len());
        }
        assert_eq!(lengths, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 8, 9, 10, 8]);
    }

    #[test]
    fn the_boundary_of_a_shallow_clone_is_no_memory() {
        let repository = branched();
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", repository.path().display());
        let target = clone.path().join("clone");
        repository.git(&["clone", "--quiet", "--depth", "1", &url, target.to_str().unwrap()]);
        let root = Root::open_new(&target).unwrap();
        let history = read(&root, None, 100, no_statements, &mut |_, _| {}).unwrap().unwrap();
        assert!(history.memories().is_empty());
        assert!(history.file_number("c.txt").is_some());
    }

    #[test]
    fn without_a_repository_or_a_commit_there_is_no_history() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open_new(folder.path()).unwrap();
        assert!(read(&root, None, 100, no_statements, &mut |_, _| {}).unwrap().is_none());
        let empty = TestRepository::new();
        assert!(read(&empty.root(), None, 100, no_statements, &mut |_, _| {}).unwrap().is_none());
    }
}
