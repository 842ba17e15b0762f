//! The command line itself: where the root is, colours, completions, the manual, the editor.
#![allow(clippy::unwrap_used, reason = "tests")]

use heirloom_testkit::Workspace;

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

fn workspace() -> Workspace {
    Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\nk: v\n---\n# W\n//- plans/0001-a/plan.md\n# A\n",
    )
}

#[test]
fn the_root_is_found_upwards_by_flag_and_by_variable() {
    let workspace = workspace();
    let inside = workspace
        .command()
        .current_dir(workspace.path().join("plans/0001-a"))
        .args(["context", "resolve", "1"])
        .output()
        .unwrap();
    assert!(inside.status.success());
    let elsewhere = Workspace::empty(HEIR);
    assert!(
        elsewhere
            .run(&["--root", workspace.path().to_str().unwrap(), "context", "resolve"])
            .ok()
            .contains("k  v")
    );
    let by_variable = elsewhere
        .command()
        .env("HEIRLOOM_ROOT", workspace.path())
        .args(["context", "resolve"])
        .output()
        .unwrap();
    assert!(by_variable.status.success());
}

#[test]
fn colours_are_for_terminals() {
    let workspace = workspace();
    let run = |arguments: &[&str]| {
        let mut command = workspace.command();
        command.env_remove("NO_COLOR").args(arguments);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(!run(&["context", "resolve"]).contains('\u{1b}'));
    assert!(run(&["--color", "always", "context", "resolve"]).contains('\u{1b}'));
    assert!(!run(&["--color", "never", "context", "resolve"]).contains('\u{1b}'));
}

#[test]
fn completions_and_manual() {
    let workspace = workspace();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.heir(&format!("completions {shell}")).ok();
        assert!(script.contains("HEIRLOOM_COMPLETE"), "{shell}: {script}");
    }
    assert!(workspace.heir("man").ok().contains(".TH heir"));
    assert!(workspace.heir("man context resolve").ok().contains("resolve"));
    assert!(workspace.heir("man context reslve").failed(2).contains("resolve"));
}

#[test]
fn every_command_has_help_and_json() {
    let workspace = workspace();
    let reference = workspace.heir("reference").ok();
    for words in
        reference.lines().filter_map(|line| line.strip_prefix("## `heir ")?.strip_suffix('`'))
    {
        let help = workspace.heir(&format!("{words} --help")).ok();
        assert!(help.contains("--json") && help.contains("Usage: heir"), "{words}");
    }
    assert!(workspace.heir("--version").ok().starts_with("heir "));
}

#[cfg(unix)]
#[test]
fn the_editor_is_opened_and_the_document_checked() {
    let workspace = workspace();
    workspace.write("editor.sh", "#!/bin/sh\nprintf -- '---\\na: 1\\n' > \"$2\"\n");
    let mut command = workspace.command();
    let output = command
        .env("EDITOR", format!("sh {} -w", workspace.path().join("editor.sh").display()))
        .args(["workspace", "edit", "workspace"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains(".heirloom/workspace.md:1: the front matter opens")
    );
}

#[test]
fn the_demo_shows_a_context() {
    let empty = Workspace::empty(HEIR);
    let shown = empty.heir("demo here").ok();
    assert!(
        shown.contains(
            "What agent 001-refund-api in plan 0042-refund-flow in project checkout inherits"
        ),
        "{shown}"
    );
    assert!(shown.contains("⚠️ CONFLICT: defaults.database"));
    assert!(empty.heir("demo here").failed(2).contains("not empty"));
}
