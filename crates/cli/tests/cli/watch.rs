//! `watch`: follows the working tree.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use heirloom_testkit::Workspace;
use serde_json::Value;

use crate::HEIR;

fn repository() -> Workspace {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    workspace.write(".gitignore", ".heirloom/cache/\n.home/\nbuild/\n");
    workspace.write("src/a.rs", "one\n");
    commit(&workspace, "Start");
    workspace
}

fn commit(workspace: &Workspace, message: &str) {
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--message", message]);
}

/// A running `heir watch --json`.
struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    fn start(workspace: &Workspace) -> Self {
        let mut command = workspace.command();
        command.args(["watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Watching { child, lines }
    }

    /// Waits for the next line.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "the process ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits for a line for which a condition holds: changes may be noticed one by one.
    fn next_where(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.next();
            if is_wanted(&line) {
                return line;
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn edits_commits_and_checkouts_are_noticed_until_the_process_is_stopped() {
    let workspace = repository();
    let mut watching = Watching::start(&workspace);
    let first = watching.next();
    assert_eq!(
        (first["branch"].as_str(), first["subject"].as_str()),
        (Some("main"), Some("Start"))
    );
    assert_eq!(first["files"].as_array().map(Vec::len), Some(0));
    assert!(workspace.has(".heirloom/cache/prediction"), "the history was read");
    let names = |file: &'static str| {
        move |line: &Value| line["files"].as_array().unwrap().iter().any(|it| it == file)
    };
    workspace.write("build/ignored.rs", "generated\n");
    workspace.write("src/new.rs", "new\n");
    let line = watching.next_where(names("src/new.rs"));
    assert_eq!(line["files"].as_array().unwrap().len(), 1, "{line}");
    workspace.write("src/a.rs", "one\ntwo\n");
    watching.next_where(names("src/a.rs"));
    let remembered = workspace.json("signal list");
    assert_eq!(remembered["files"][0]["value"], "src/a.rs", "{remembered:#}");
    commit(&workspace, "Add a file");
    let line = watching.next_where(|line| line["is_new_commit"] == true);
    assert_eq!(line["subject"], "Add a file");
    workspace.git(&["checkout", "--quiet", "-b", "side"]);
    let line = watching.next_where(|line| line["is_new_branch"] == true);
    assert_eq!(line["branch"], "side");
    workspace.run(&["fact", "add", "--section", "Specs", "Prices are in cents"]).ok();
    let line = watching.next_where(|line| line["memory_files"] != 0);
    assert_eq!(line["files"].as_array().unwrap().len(), 0, "{line}");
    let id = watching.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(watching.child.wait().unwrap().success(), "it stops cleanly");
}

#[test]
fn once_brings_everything_up_to_date_and_ends() {
    let workspace = repository();
    let hash = workspace.git(&["rev-parse", "HEAD"]);
    let text = workspace.run(&["watch", "--once"]).ok();
    let expected = format!("branch main · at {} Start\n", &hash[..7]);
    assert!(text.ends_with(&expected), "{text}");
    assert!(workspace.has(".heirloom/cache/prediction"));
    let plain = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    assert!(plain.run(&["watch", "--once"]).ok().contains("no git repository"));
}
