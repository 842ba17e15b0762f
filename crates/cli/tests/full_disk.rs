//! A disk without room and a folder that may not be written: the command fails and says so, the
//! bytes that were there stay, and the same command works once there is room.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use heirloom_testkit::{Ran, TEAM, Workspace};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

/// More than what is left in the last page of any file, and more than any limit below.
const LONG: usize = 20_000;

/// What is written while there is no room, and how often its text is then found where there is:
/// in the agent's memory document, and in the log.
struct Write {
    arguments: Vec<String>,
    text: String,
    in_document: usize,
    in_log: usize,
}

fn writes() -> Vec<Write> {
    let write = |words: &[&str], letter: &str, in_document: usize, in_log: usize| {
        let text = letter.repeat(LONG);
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

/// Writes what shall outlive everything.
fn prepare(workspace: &Workspace) {
    workspace.fill(TEAM);
    workspace.run(&["memory", "add", "0042", "001", "finding", "An old finding."]).ok();
    workspace.run(&["memory", "add", "0042", "001", "question", "Why?"]).ok();
    workspace.run(&["fact", "add", "--section", "Decisions", "An old fact."]).ok();
}

/// Every file of documents and of the log, with its bytes.
fn remembered(workspace: &Workspace) -> BTreeMap<String, Vec<u8>> {
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

    /// Checks that it fails, says why and changes nothing.
    #[track_caller]
    fn fails(&self, workspace: &Workspace, run: impl Fn(&[&str]) -> Ran) {
        let before = remembered(workspace);
        let said = run(&self.words()).failed(4);
        assert!(said.starts_with("error: "), "{said}");
        assert_eq!(remembered(workspace), before, "{said}");
    }

    /// Checks that it works, and that what it says is there once.
    #[track_caller]
    fn works(&self, workspace: &Workspace) {
        workspace.run(&self.words()).ok();
        self.is_there(workspace);
    }

    #[track_caller]
    fn is_there(&self, workspace: &Workspace) {
        assert_eq!(workspace.read(AGENT).matches(&self.text).count(), self.in_document);
        assert_eq!(in_log(workspace, &self.text), self.in_log);
        let files = workspace.files("").into_iter();
        let left = files.filter(|file| file.ends_with(".heir-new") || file.contains("/journal."));
        assert_eq!(left.collect::<Vec<_>>(), [""; 0]);
    }
}

/// A file system over a folder until it is dropped.
struct Mount(PathBuf);

impl Mount {
    /// Runs mount with arguments and the folder; `None` where this is not allowed.
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

/// Returns how to run `heir` so that no file grows beyond 4 or 8 kB. `trap` says what becomes of the
/// signal that comes with it: ignored, the write fails; else the process dies.
fn limited<'w>(workspace: &'w Workspace, trap: &'w str) -> impl Fn(&[&str]) -> Ran + 'w {
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
        Ran::of(&shell.args(arguments).output().unwrap())
    }
}

const IGNORED: &str = "trap '' XFSZ;";
const DEADLY: &str = "";

#[test]
fn a_full_disk() {
    let workspace = Workspace::empty(HEIR);
    let Some(_mount) = Mount::over(workspace.path(), &["-t", "tmpfs", "-o", "size=1m", "heirloom"])
    else {
        // Only some users may mount; a limit on the size of files stands in for a full disk.
        return files_that_may_not_grow();
    };
    prepare(&workspace);
    for write in writes() {
        let ballast = workspace.path().join("ballast");
        let mut size = 1024 * 1024;
        let mut bytes = Vec::new();
        while size > 0 {
            // What does not fit is cut off, so that the last page is taken too.
            bytes.resize(bytes.len() + size, 0);
            if fs::write(&ballast, &bytes).is_err() {
                bytes.truncate(bytes.len() - size);
                size /= 2;
            }
        }
        fs::write(&ballast, &bytes).unwrap();
        write.fails(&workspace, |arguments| workspace.run(arguments));
        assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
        fs::remove_file(&ballast).unwrap();
        write.works(&workspace);
    }
}

#[test]
fn files_that_may_not_grow() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        write.fails(&workspace, limited(&workspace, IGNORED));
        assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
        write.works(&workspace);
    }
}

#[test]
fn the_first_write_of_all_fails() {
    let workspace = Workspace::with(HEIR, TEAM);
    let [finding, fact, _] = writes().try_into().unwrap_or_else(|_| panic!("three writes"));
    for write in [finding, fact] {
        write.fails(&workspace, limited(&workspace, IGNORED));
        write.works(&workspace);
    }
}

#[test]
fn a_process_dies_for_want_of_room() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        let before = remembered(&workspace);
        assert_ne!(limited(&workspace, DEADLY)(&write.words()).code, 0);
        let after = remembered(&workspace);
        for (path, bytes) in &before {
            // A line that was begun may be there: it is reported, and nothing is glued to it.
            let is_log = path.ends_with(".jsonl");
            assert!(after[path] == *bytes || is_log && after[path].starts_with(bytes), "{path}");
        }
        let torn = workspace.json("stats")["problems"].clone();
        for problem in torn.as_array().unwrap() {
            let message = problem["message"].as_str().unwrap();
            assert!(message.contains("the line is truncated"), "{problem:#}");
        }
        write.works(&workspace);
        assert_eq!(workspace.json("stats")["problems"], torn);
    }
}

/// A workspace in which a document may still grow and the log may not.
fn with_a_long_log() -> Workspace {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    let text = "l".repeat(LONG);
    workspace.run(&["fact", "add", "--section", "Decisions", &text]).ok();
    workspace
}

fn answer() -> Write {
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
    let workspace = with_a_long_log();
    answer().fails(&workspace, limited(&workspace, IGNORED));
    answer().works(&workspace);
}

#[test]
fn what_a_dead_process_had_promised_is_finished_by_the_next_command() {
    let workspace = with_a_long_log();
    assert_ne!(limited(&workspace, DEADLY)(&answer().words()).code, 0);
    assert_eq!(workspace.json("memory show 0042 001")["questions"][0]["resolution"], "Because.");
    answer().is_there(&workspace);
    assert_eq!(workspace.json("stats")["problems"], serde_json::json!([]));
}

/// A workspace that this process may read and not write until the lock is dropped.
struct ReadOnly<'w> {
    workspace: &'w Workspace,
    /// Whom to run `heir` as, where permissions do not bind this user.
    other_user: bool,
    mount: Option<Mount>,
}

impl<'w> ReadOnly<'w> {
    fn of(workspace: &'w Workspace) -> Self {
        let path = workspace.path();
        let source = path.to_str().unwrap();
        if let Some(mount) = Mount::over(path, &["--bind", source]) {
            let again = Command::new("mount").args(["-o", "remount,ro,bind", source]).status();
            if again.is_ok_and(|status| status.success()) {
                return ReadOnly { workspace, other_user: false, mount: Some(mount) };
            }
        }
        let id = Command::new("id").arg("-u").output().unwrap();
        let read_only = ReadOnly { workspace, other_user: id.stdout == b"0\n", mount: None };
        read_only.permit(0o555, 0o444);
        read_only
    }

    fn permit(&self, folders: u32, files: u32) {
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

    fn run(&self, arguments: &[&str]) -> Ran {
        if !self.other_user {
            return self.workspace.run(arguments);
        }
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--clear-groups", HEIR]).args(arguments);
        Ran::of(&other.current_dir(self.workspace.path()).output().unwrap())
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        if self.mount.is_none() {
            self.permit(0o755, 0o644);
        }
    }
}

#[test]
fn a_folder_that_may_not_be_written() {
    let workspace = Workspace::empty(HEIR);
    prepare(&workspace);
    for write in writes() {
        let read_only = ReadOnly::of(&workspace);
        write.fails(&workspace, |arguments| read_only.run(arguments));
        for reading in ["memory show 0042 001", "fact list", "recall old", "stats"] {
            let words: Vec<&str> = reading.split(' ').collect();
            read_only.run(&words).ok();
        }
        drop(read_only);
        write.works(&workspace);
    }
}
