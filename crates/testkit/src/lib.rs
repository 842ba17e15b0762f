//! Support of tests and benchmarks: a hermetic workspace (a temporary folder, a fixed clock, no user
//! configuration, git with fixed authors and dates), clients of MCP, seeded random numbers, and the
//! conformance suite of an index (`corpus`).
#![allow(clippy::disallowed_methods, reason = "tests set up real files")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod child_guard;
pub mod corpus;
pub mod mcp;
mod mcp_client;
mod rng;

pub use child_guard::ChildGuard;
pub use mcp_client::McpClient;
pub use rng::{SeededRng, is_long_run};

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The current time in tests.
pub const NOW: &str = "2026-02-22T00:00:00Z";

/// The workspace of a small team, for tests of the interfaces.
pub const TEAM: &str = "\
//- .heirloom/workspace.md
---
name: Larkspur
updated: 2026-02-20
voice: professional
defaults:
  coverage: 80%
---

Money is integer minor units.
//- .heirloom/adrs/ADR-0001-use-sqlite.md
---
title: Use SQLite
status: accepted
updated: 2026-02-01
---

# ADR-0001: Use SQLite
//- plans/0042-graph/0042-graph-plan.md
---
title: Graph
updated: 2026-02-21
defaults:
  coverage: 90%
---

Build the graph.
//- plans/0042-graph/agents/001-schema.md
---
title: Schema
updated: 2026-02-21
voice: terse
---

Draw the tables.
//- plans/0043-auth/0043-auth-plan.md
---
title: Auth
updated: 2026-02-21
---
";

/// The folder of Claude Code's files, relative to the root.
pub const CLAUDE_CODE_FOLDER: &str = ".home/claude";

/// The folder of Codex's files, relative to the root.
pub const CODEX_FOLDER: &str = ".home/codex";

/// The folder above the `.gemini` of Gemini CLI.
pub const GEMINI_HOME: &str = ".home";

/// The folder in which Copilot CLI keeps its files.
pub const COPILOT_FOLDER: &str = ".home/copilot";

/// The folder above the `opencode` of opencode.
pub const DATA_HOME: &str = ".home/share";

/// A temporary workspace.
pub struct Workspace {
    folder: tempfile::TempDir,
    heir: PathBuf,
}

/// The output and exit code of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: i32,
}

impl Workspace {
    /// Creates an empty folder in which `heir` (the path of the binary under test) can be run.
    pub fn empty(heir: impl Into<PathBuf>) -> Self {
        Workspace { folder: tempfile::tempdir().expect("a temporary folder"), heir: heir.into() }
    }

    /// Creates a folder with files. Each file of the fixture starts with a line `//- path`.
    pub fn with(heir: impl Into<PathBuf>, fixture: &str) -> Self {
        let workspace = Self::empty(heir);
        workspace.fill(fixture);
        workspace
    }

    /// Writes the files of a fixture.
    pub fn fill(&self, fixture: &str) {
        for file in fixture.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').expect("a path and a text");
            self.write(path.trim(), text);
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file and creates its folders.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// Reads the bytes of a file.
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Returns whether a file exists.
    pub fn has(&self, path: &str) -> bool {
        self.path().join(path).exists()
    }

    /// Returns the sorted paths of the files below a folder, relative to the root, without links.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().join(folder)];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let entry = entry.expect("an entry");
                let kind = entry.file_type().expect("its kind");
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    let path = entry.path();
                    let path = path.strip_prefix(self.path()).expect("a path under the root");
                    found.push(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    /// Returns the shards of the shared log for a kind of record.
    pub fn shards(&self, kind: &str) -> Vec<String> {
        self.files(&format!(".heirloom/memory/{kind}"))
    }

    /// Clones the repository into another workspace.
    pub fn clone_repository(&self) -> Self {
        let clone = Self::empty(&self.heir);
        clone.git(&["clone", "--quiet", &self.path().to_string_lossy(), "."]);
        clone
    }

    /// Returns a command that runs `heir` in the folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.heir);
        command.current_dir(self.path());
        for variable in ["HEIRLOOM_ROOT", "VISUAL", "EDITOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        command.env("HEIRLOOM_NOW", NOW).env("NO_COLOR", "1");
        command.env("HEIRLOOM_HOME", self.path().join(".home"));
        command.env("CLAUDE_CONFIG_DIR", self.path().join(CLAUDE_CODE_FOLDER));
        command.env("CODEX_HOME", self.path().join(CODEX_FOLDER));
        command.env("GEMINI_CLI_HOME", self.path().join(GEMINI_HOME));
        command.env("COPILOT_HOME", self.path().join(COPILOT_FOLDER));
        command.env("XDG_DATA_HOME", self.path().join(DATA_HOME));
        isolate_git(&mut command);
        command
    }

    /// Runs `heir` with arguments split at spaces.
    pub fn heir(&self, arguments: &str) -> CommandOutput {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        self.run(&words)
    }

    /// Runs `heir` with arguments.
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(&self.command().args(arguments).output().expect("heir runs"))
    }

    /// Runs `heir … --json` and returns its parsed output.
    pub fn json(&self, arguments: &str) -> serde_json::Value {
        let ran = self.heir(&format!("{arguments} --json"));
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| {
            panic!("heir {arguments} --json: {error}\n{}\n{}", ran.stdout, ran.stderr)
        })
    }

    /// Runs `heir` with arguments at another time.
    pub fn run_at(&self, now: &str, arguments: &[&str]) -> CommandOutput {
        let mut command = self.command();
        CommandOutput::of(
            &command.env("HEIRLOOM_NOW", now).args(arguments).output().expect("heir runs"),
        )
    }

    /// Runs git in the folder; it must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_at(arguments, "2026-01-01T00:00:00Z")
    }

    /// Runs git with a fixed date; it must succeed.
    pub fn git_at(&self, arguments: &[&str], date: &str) -> String {
        let mut command = Command::new("git");
        command
            .current_dir(self.path())
            .args(arguments)
            .env("GIT_AUTHOR_DATE", date)
            .env("GIT_COMMITTER_DATE", date);
        isolate_git(&mut command);
        let output = command.output().expect("git runs");
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits all files with a date, and initialises the repository if needed.
    pub fn commit_all(&self, date: &str) {
        if !self.has(".git") {
            self.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        self.git(&["add", "--all"]);
        self.git_at(&["commit", "--quiet", "--message", "work"], date);
    }
}

/// Makes git independent of the user's configuration and of the surrounding repository.
pub fn isolate_git(command: &mut Command) {
    let null_device = if cfg!(windows) { "NUL" } else { "/dev/null" };
    command.env("GIT_CONFIG_GLOBAL", null_device).env("GIT_CONFIG_SYSTEM", null_device);
    command.env("GIT_AUTHOR_NAME", "Ada").env("GIT_AUTHOR_EMAIL", "ada@example.org");
    command.env("GIT_COMMITTER_NAME", "Ada").env("GIT_COMMITTER_EMAIL", "ada@example.org");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(variable);
    }
}

impl CommandOutput {
    /// Converts the output of a process.
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        CommandOutput {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Returns the standard output; panics if the command failed.
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Returns the standard error; panics if the exit code is another one.
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self.stderr
    }
}
