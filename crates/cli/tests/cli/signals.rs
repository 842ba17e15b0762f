//! Signals: what is remembered about the present work, in the local state.

use std::fs;
use std::path::PathBuf;
use std::thread;

use heirloom_testkit::Workspace;
use serde_json::Value;

use crate::HEIR;

fn workspace() -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n# Shop\n//- src/a.rs\nfn a() {}\n//- src/b.rs\nfn b() {}\n",
    );
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    workspace
}

fn list(workspace: &Workspace) -> Value {
    serde_json::from_str(&workspace.run(&["signal", "list", "--json"]).ok()).unwrap()
}

fn values(signals: &Value) -> Vec<&str> {
    let signals = signals.as_array().unwrap().iter();
    signals.map(|signal| signal["value"].as_str().unwrap()).collect()
}

/// Returns the file of the signals.
fn stored_file(workspace: &Workspace) -> PathBuf {
    let folder = workspace.path().join(".git/heirloom/signals");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files = files.filter(|path| path.extension().is_some_and(|it| it == "json"));
    files.next().unwrap()
}

#[test]
fn signals_stay_out_of_the_repository() {
    let workspace = workspace();
    workspace.run(&["signal", "file", "src/a.rs"]).ok();
    workspace.git(&["add", "--all"]);
    let staged = workspace.git(&["diff", "--cached", "--name-only"]);
    assert!(!staged.contains("signal"), "{staged}");
}

#[test]
fn concurrent_signals_are_all_kept() {
    let workspace = workspace();
    let errors: Vec<String> = (0..8).map(|number| format!("error {number}")).collect();
    thread::scope(|scope| {
        for error in &errors {
            let workspace = &workspace;
            scope.spawn(move || workspace.run(&["signal", "error", error]).ok());
        }
    });
    let text = fs::read_to_string(stored_file(&workspace)).unwrap();
    for error in &errors {
        assert!(text.contains(error.as_str()), "{error} in {text}");
    }
}

#[test]
fn the_latest_files_count_and_the_stored_ones_are_bounded() {
    let workspace = workspace();
    for number in 0..30 {
        let path = format!("src/f{number}.rs");
        workspace.write(&path, "");
        workspace.run(&["signal", "file", &path]).ok();
    }
    workspace.run(&["signal", "file", "src/f28.rs"]).ok();
    let listed = list(&workspace);
    let expected = ["src/f28.rs", "src/f29.rs", "src/f27.rs", "src/f26.rs", "src/f25.rs"];
    assert_eq!(values(&listed["files"]), expected);
    let text = fs::read_to_string(stored_file(&workspace)).unwrap();
    assert_eq!(text.matches("src/f").count(), 20);
}

#[test]
fn old_errors_and_collaborators_stop_counting() {
    let workspace = workspace();
    workspace.run(&["signal", "error", "disk full"]).ok();
    workspace.run(&["signal", "user", "Grace"]).ok();
    let text = fs::read_to_string(stored_file(&workspace)).unwrap();
    let listed = list(&workspace);
    assert_eq!((values(&listed["errors"]).len(), values(&listed["users"]).len()), (1, 1));
    let at = listed["errors"][0]["at"].as_str().unwrap();
    let earlier = |hours: i64| {
        let at: jiff::Timestamp = at.parse().unwrap();
        (at - jiff::SignedDuration::from_hours(hours)).to_string()
    };
    for (hours, errors, users) in [(13, 1, 0), (25, 0, 0)] {
        let date = &at[..10];
        assert!(text.contains(date), "{text}");
        let mut stored: Value = serde_json::from_str(&text).unwrap();
        for kind in ["errors", "users"] {
            stored[kind][0]["at"] = earlier(hours).into();
        }
        fs::write(stored_file(&workspace), stored.to_string()).unwrap();
        let listed = list(&workspace);
        let counts = (values(&listed["errors"]).len(), values(&listed["users"]).len());
        assert_eq!(counts, (errors, users), "{hours} hours");
    }
}

#[test]
fn a_given_branch_counts_until_another_one_is_checked_out() {
    let workspace = workspace();
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--message", "Start"]);
    assert_eq!(list(&workspace)["branch"]["value"], "main");
    workspace.run(&["signal", "branch", "feature/refund-events"]).ok();
    assert_eq!(list(&workspace)["branch"]["value"], "feature/refund-events");
    workspace.git(&["checkout", "--quiet", "-b", "other"]);
    assert_eq!(list(&workspace)["branch"]["value"], "other");
}

#[test]
fn damaged_signals_are_set_aside_and_begin_anew() {
    let workspace = workspace();
    workspace.run(&["signal", "file", "src/a.rs"]).ok();
    let file = stored_file(&workspace);
    for (number, damage) in [(1, b"{\"files\": [" as &[u8]), (2, b"\xff\xfe")] {
        fs::write(&file, damage).unwrap();
        let listed = list(&workspace);
        let problem = listed["problems"][0]["message"].as_str().unwrap();
        let kept = file.with_extension(format!("damaged-{number}"));
        assert!(problem.contains("begin anew"), "{problem}");
        assert_eq!(fs::read(&kept).unwrap(), damage);
        // A context is assembled all the same.
        fs::write(&file, damage).unwrap();
        let context = workspace.run(&["assemble", "--task", "anything"]).ok();
        assert!(context.contains("begin anew"), "{context}");
        fs::remove_file(file.with_extension(format!("damaged-{}", number + 1))).unwrap();
        assert!(list(&workspace)["problems"].is_null());
    }
}

#[test]
fn each_worktree_has_its_own_signals() {
    let workspace = workspace();
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--message", "Start"]);
    workspace.run(&["signal", "file", "src/a.rs"]).ok();
    workspace.git(&["worktree", "add", "--quiet", "tree", "-b", "side"]);
    let tree = workspace.path().join("tree");
    let output = workspace.run(&["signal", "list", "--json", "--root", tree.to_str().unwrap()]);
    let listed: Value = serde_json::from_str(&output.ok()).unwrap();
    assert!(values(&listed["files"]).is_empty(), "{listed}");
    assert_eq!(listed["branch"]["value"], "side");
}
