//! Full disks and read-only folders: a write fails with an error and changes nothing, and succeeds once
//! there is space.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use heirloom_testkit::{CommandOutput, TEAM, Workspace};

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

/// Length of a text that fits neither into the last page of a file nor into any limit below.
const LONG_TEXT_BYTES: usize = 20_000;

/// A command that writes a text, and how often the text must be in the agent's memory document and in
/// the log afterwards.
struct Write {
    arguments: Vec<String>,
    text: String,
    in_document: usize,
    in_log: usize,
}

fn writes() -> Vec<Write> {
    let write = |words: &[&str], letter: &str, in_document: usize, in_log: usize| {
        let text = letter.repeat(LONG_TEXT_BYTES);
        let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        arguments.push(text.clone());
        Write { arguments, text, in_document, in_log }
    };
    vec![
        write(&["memory", "add", "0042", "001", "finding"], "f", 1, 0),
        write(&["fact", "add", "--section", "Decisions"], "g", 0, 1),
        write(&["memory", "resolve", "0042", "001", "question-1"], "h", 1, 1),
    ]
}

/// Fills a workspace with memories that must not get lost.
fn prepare(workspace: &Workspace) {
    workspace.fill(TEAM);
    workspace.run(&["memory", "add", "0042", "001", "finding", "An old finding."]).ok();
    workspace.run(&["memory", "add", "0042", "001", "question", "Why?"]).ok();
    workspace.run(&["fact", "add", "--section", "Decisions", "An old fact."]).ok();
}

/// Returns the bytes of all documents and shards.
fn stored_files(workspace: &Workspace) -> BTreeMap<String, Vec<u8>> {
    let paths = [workspace.files("plans"), workspace.files(".heirloom/memory")].concat();
    paths.into_iter().map(|path| (path.clone(), workspace.bytes(&path))).collect()
}

fn in_log(workspace: &Workspace, text: &str) -> usize {
    let shards = workspace.shards("fact");
    shards.iter().map(|shard| workspace.read(shard).matches(text).count()).sum()
}

impl Write {
    fn words(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }

    /// Checks that the command fails with an error and changes nothing.
    #[track_caller]
    fn check_fails(&self, workspace: &Workspace, run: impl Fn(&[&str]) -> CommandOutput) {
        let before = stored_files(workspace);
        let error = run(&self.words()).failed(4);
        assert!(error.starts_with("error: "), "{error}");
        assert_eq!(stored_files(workspace), before, "{error}");
    }

    /// Checks that the command succeeds and writes its text once.
    #[track_caller]
    fn check_works(&self, workspace: &Workspace) {
        workspace.run(&self.words()).ok();
        self.check_written(workspace);
    }

    #[track_caller]
    fn check_written(&self, workspace: &Workspace) {
        assert_eq!(workspace.read(AGENT).matches(&self.text).count(), self.in_document);
        assert_eq!(in_log(workspace, &self.text), self.in_log);
        let files = workspace.files("").into_iter();
        let leftovers =
            files.filter(|file| file.ends_with(".heir-new") || file.contains("/journal."));
        assert_eq!(leftovers.collect::<Vec<_>>(), [""; 0]);
    }
}

/// A file system that is mounted over a folder until it is dropped.
struct Mount(PathBuf);

impl Mount {
    /// Mounts a file system over a folder. `None` if this user may not mount.
    fn over(folder: &Path, arguments: &[&str]) -> Option<Self> {
        let mounted = Command::new("mount").args(arguments).arg(folder).output().ok()?;
        mounted.status.success().then(|| Mount(folder.to_path_buf()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

/// Returns a function that runs `heir` with a limit of 4 or 8 kB on the size of files. With
/// [`IGNORE_SIGNAL`] a larger write fails; with [`DIE_BY_SIGNAL`] it kills the process.
fn with_file_size_limit<'w>(
    workspace: &'w Workspace,
    trap: &'w str,
) -> impl Fn(&[&str]) -> CommandOutput + 'w {
    move |arguments| {
        let heir = workspace.command();
        let mut shell = Command::new("sh");
        shell.current_dir(workspace.path());
        for (name, value) in heir.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.args(["-c", &format!("{trap} ulimit -f 8; exec \"$0\" \"$@\""), HEIR]);
        CommandOutput::of(&shell.args(arguments).output().unwrap())
    }
}

const IGNORE_SIGNAL: &str = "trap '' XFSZ;";
const DIE_BY_SIGNAL: &str = "";

#[test]
fn a_write_to_a_full_disk_fails_and_changes_nothing() {
    let workspace = Workspace::empty(HEIR);
    let Some(_mount) = Mount::over(workspace.path(), &["-t", "tmpfs", "-o", "size=1m", "heirloom"])
    else {
        // This user may not mount, so a limit on the size of files stands in for a full disk.
        return a_write_beyond_the_file_size_limit_fails_and_changes_nothing();
    };
    prepare(&workspace);
    for write in writes() {
        let ballast = workspace.path().join("ballast");
        let mut size = 1024 * 1024;
        let mut bytes = Vec::new();
        while size > 0 {
            // Ever smaller pieces are added, so that the last page is used as well.
            bytes.resize(bytes.len() + size, 0);
            if fs::write(&ballast, &bytes).is_err() {
                bytes.truncate(bytes.len() - size);
                size /= 2;
            }
        }
        fs::write(&ballast, &bytes).unwrap();
        write.check_fails(&workspace, |arguments| workspace.run(arguments));
        assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
        fs::remove_file(&ballast).unwrap();
        write.check_works(&workspace);
    }
}

#[test]
fn a_write_beyond_the_file_size_limit_fails_and_changes_nothing() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        write.check_fails(&workspace, with_file_size_limit(&workspace, IGNORE_SIGNAL));
        assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
        write.check_works(&workspace);
    }
}

#[test]
fn the_first_write_to_a_workspace_may_fail() {
    let workspace = Workspace::with(HEIR, TEAM);
    let [finding, fact, _] = writes().try_into().unwrap_or_else(|_| panic!("three writes"));
    for write in [finding, fact] {
        write.check_fails(&workspace, with_file_size_limit(&workspace, IGNORE_SIGNAL));
        write.check_works(&workspace);
    }
}

#[test]
fn a_process_that_is_killed_by_the_file_size_limit_loses_nothing() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        let before = stored_files(&workspace);
        assert_ne!(with_file_size_limit(&workspace, DIE_BY_SIGNAL)(&write.words()).code, 0);
        let after = stored_files(&workspace);
        for (path, bytes) in &before {
            // The log may end in a torn line, which is reported; the next record starts a new line.
            let is_log = path.ends_with(".jsonl");
            assert!(after[path] == *bytes || is_log && after[path].starts_with(bytes), "{path}");
        }
        let torn = workspace.json("stats")["problems"].clone();
        for problem in torn.as_array().unwrap() {
            let message = problem["message"].as_str().unwrap();
            assert!(message.contains("the line is truncated"), "{problem:#}");
        }
        write.check_works(&workspace);
        assert_eq!(workspace.json("stats")["problems"], torn);
    }
}

/// Creates a workspace whose log is larger than the limit, while its documents are smaller.
fn workspace_with_long_log() -> Workspace {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    let text = "l".repeat(LONG_TEXT_BYTES);
    workspace.run(&["fact", "add", "--section", "Decisions", &text]).ok();
    workspace
}

/// Returns a short write that changes a document and the log.
fn resolve_question() -> Write {
    let words = ["memory", "resolve", "0042", "001", "question-1", "Because."];
    Write {
        arguments: words.map(str::to_owned).to_vec(),
        text: "Because.".to_owned(),
        in_document: 1,
        in_log: 1,
    }
}

#[test]
fn a_document_and_the_log_change_together_or_not_at_all() {
    let workspace = workspace_with_long_log();
    resolve_question().check_fails(&workspace, with_file_size_limit(&workspace, IGNORE_SIGNAL));
    resolve_question().check_works(&workspace);
}

#[test]
fn the_journal_of_a_killed_process_is_completed_by_the_next_command() {
    let workspace = workspace_with_long_log();
    assert_ne!(
        with_file_size_limit(&workspace, DIE_BY_SIGNAL)(&resolve_question().words()).code,
        0
    );
    assert_eq!(workspace.json("memory show 0042 001")["questions"][0]["resolution"], "Because.");
    resolve_question().check_written(&workspace);
    assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
}

/// A workspace that is read-only until this is dropped.
struct ReadOnly<'w> {
    workspace: &'w Workspace,
    /// Whether to run `heir` as another user, because this one is root and may write anyway.
    as_other_user: bool,
    mount: Option<Mount>,
}

impl<'w> ReadOnly<'w> {
    fn of(workspace: &'w Workspace) -> Self {
        let path = workspace.path();
        let source = path.to_str().unwrap();
        if let Some(mount) = Mount::over(path, &["--bind", source]) {
            let again = Command::new("mount").args(["-o", "remount,ro,bind", source]).status();
            if again.is_ok_and(|status| status.success()) {
                return ReadOnly { workspace, as_other_user: false, mount: Some(mount) };
            }
        }
        let id = Command::new("id").arg("-u").output().unwrap();
        let read_only = ReadOnly { workspace, as_other_user: id.stdout == b"0\n", mount: None };
        read_only.set_permissions(0o555, 0o444);
        read_only
    }

    fn set_permissions(&self, folders: u32, files: u32) {
        let mut all = vec![self.workspace.path().to_path_buf()];
        while let Some(path) = all.pop() {
            let is_folder = path.is_dir();
            if is_folder {
                all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let mode = if is_folder { folders } else { files };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        if !self.as_other_user {
            return self.workspace.run(arguments);
        }
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--clear-groups", HEIR]).args(arguments);
        CommandOutput::of(&other.current_dir(self.workspace.path()).output().unwrap())
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        if self.mount.is_none() {
            self.set_permissions(0o755, 0o644);
        }
    }
}

#[test]
fn a_write_to_a_read_only_folder_fails_and_reading_works() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        let read_only = ReadOnly::of(&workspace);
        write.check_fails(&workspace, |arguments| read_only.run(arguments));
        for command in ["memory show 0042 001", "fact list", "recall old", "stats"] {
            let words: Vec<&str> = command.split(' ').collect();
            read_only.run(&words).ok();
        }
        drop(read_only);
        write.check_works(&workspace);
    }
}
