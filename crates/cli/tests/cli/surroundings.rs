//! The command line itself: finding the root, colours, completions, the manual, the editor.

use heirloom_testkit::{CommandOutput, Workspace};
use serde_json::Value;

use crate::HEIR;

fn workspace() -> Workspace {
    Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\nk: v\n---\n# W\n//- plans/0001-a/plan.md\n# A\n",
    )
}

#[test]
fn the_root_is_found_from_a_folder_below_it() {
    let workspace = workspace();
    let mut command = workspace.command();
    command.current_dir(workspace.path().join("plans/0001-a"));
    let inside = CommandOutput::of(&command.args(["context", "resolve", "1"]).output().unwrap());
    assert_eq!(inside.ok(), workspace.heir("context resolve 1").ok());
}

/// Both accept an absolute path; `transcripts/root.txt` covers relative paths.
#[test]
fn the_root_is_set_by_flag_or_variable() {
    let workspace = workspace();
    let elsewhere = Workspace::empty(HEIR);
    let here = workspace.json("context resolve");
    let root = workspace.path().to_str().unwrap();
    let by_flag = elsewhere.run(&["--root", root, "--json", "context", "resolve"]).ok();
    assert_eq!(serde_json::from_str::<Value>(&by_flag).unwrap(), here);
    let mut command = elsewhere.command();
    command.env("HEIRLOOM_ROOT", root).args(["--json", "context", "resolve"]);
    let by_variable = CommandOutput::of(&command.output().unwrap()).ok();
    assert_eq!(serde_json::from_str::<Value>(&by_variable).unwrap(), here);
}

#[test]
fn colours_are_printed_to_terminals_only() {
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
fn completions_and_manual_pages_are_printed() {
    let workspace = workspace();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.heir(&format!("completions {shell}")).ok();
        assert!(script.contains("HEIRLOOM_COMPLETE"), "{shell}: {script}");
    }
    for (page, title) in [("", ".TH heir 1 "), (" context resolve", ".TH heir-context-resolve 1 ")]
    {
        let manual = workspace.heir(&format!("man{page}")).ok();
        assert!(manual.lines().any(|line| line.starts_with(title)), "{manual}");
    }
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
fn a_document_is_checked_after_editing() {
    let workspace = workspace();
    workspace.write("editor.sh", "#!/bin/sh\nprintf -- '---\\na: 1\\n' > \"$2\"\n");
    let mut command = workspace.command();
    let output = command
        .env("EDITOR", format!("sh {} -w", workspace.path().join("editor.sh").display()))
        .args(["workspace", "edit", "workspace"])
        .output()
        .unwrap();
    assert_eq!(
        CommandOutput::of(&output).failed(1),
        "⚠️ .heirloom/workspace.md:1: the front matter opens with `---` and never closes (add a line `---` after the last key)\n"
    );
}
