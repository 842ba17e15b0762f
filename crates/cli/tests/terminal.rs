//! What a person at a terminal gets: tables that fit, help, an editor, completions.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests run real programs")]

use std::process::Command;

use heirloom_testkit::{Ran, TEAM, Workspace};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");
const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

/// Returns another program in the surroundings in which the workspace runs `heir`.
fn program(workspace: &Workspace, name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(workspace.path());
    for (key, value) in workspace.command().get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    command
}

/// Runs `heir` on a terminal of so many columns.
#[cfg(target_os = "linux")]
fn on_terminal(workspace: &Workspace, columns: usize, arguments: &str) -> String {
    let line = format!("stty cols {columns} rows 40; exec {HEIR} {arguments}");
    let mut script = program(workspace, "script");
    let output = script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).output();
    Ran::of(&output.unwrap()).ok().replace('\r', "")
}

#[cfg(target_os = "linux")]
#[test]
fn tables_fit_the_terminal_and_a_pipe_gets_them_whole() {
    let team = team();
    let words = "a finding that goes on for quite a while and would not fit into a narrow terminal";
    team.write(AGENT, format!("## Findings\n- {words} <!-- id:aaaa00000001 -->\n"));
    let shown = on_terminal(&team, 60, "memory show 0042 001");
    assert!(shown.lines().skip(1).all(|line| line.chars().count() <= 60), "{shown}");
    let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(words) && shown.contains("00000001"), "{shown}");
    assert!(on_terminal(&team, 200, "memory show 0042 001").contains(words));
    assert!(team.heir("memory show 0042 001").ok().contains(words));
    let json = on_terminal(&team, 60, "memory show 0042 001 --json");
    assert!(json.contains(words), "{json}");
}

#[test]
fn help_of_a_command_is_what_its_flag_prints() {
    let workspace = Workspace::empty(HEIR);
    let pairs = [
        ("help", "--help"),
        ("help context", "context --help"),
        ("help context resolve", "context resolve --help"),
        ("help note", "note --help"),
        ("help help", "help --help"),
    ];
    for (help, flag) in pairs {
        let shown = workspace.heir(help).ok();
        assert!(shown.contains("Usage: heir"), "{help}: {shown}");
        assert_eq!(shown, workspace.heir(flag).ok(), "{help}");
    }
    let error = workspace.heir("help context resolv").failed(2);
    assert!(error.contains("resolv") && error.contains("resolve"), "{error}");
    assert!(workspace.heir("--help").ok().contains("\n  help "));
}

/// Writes a program that notes its name and what it was given.
#[cfg(unix)]
fn write_editor(workspace: &Workspace, path: &str) {
    use std::os::unix::fs::PermissionsExt;
    let note = workspace.path().join("opened");
    workspace.write(path, format!("#!/bin/sh\necho \"{path} $@\" > '{}'\n", note.display()));
    let file = workspace.path().join(path);
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn an_editor_is_found_by_what_the_user_set_and_never_by_the_repository() {
    let team = team();
    team.commit_all("2026-02-21T00:00:00Z");
    for editor in ["bin/nano", "bin/visual", "bin/editor", "bin/by-git", "evil"] {
        write_editor(&team, editor);
    }
    let at = |path: &str| team.path().join(path).display().to_string();
    team.git(&["config", "core.editor", &at("evil")]);
    team.write("gitconfig", format!("[core]\n\teditor = '{}' --wait\n", at("bin/by-git")));
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .find(|folder| folder.join("git").is_file())
        .unwrap();
    std::os::unix::fs::symlink(git.join("git"), team.path().join("bin/git")).unwrap();
    let opened = |variables: &[(&str, String)]| {
        drop(std::fs::remove_file(team.path().join("opened")));
        let mut heir = team.command();
        // A folder that is not absolute is the repository's own.
        heir.env("PATH", format!(".:{}", at("bin"))).args(["workspace", "edit"]);
        heir.envs(variables.iter().map(|(key, value)| (*key, value)));
        Ran::of(&heir.output().unwrap()).ok();
        team.read("opened")
    };
    std::os::unix::fs::symlink(at("evil"), team.path().join("sensible-editor")).unwrap();
    let user = ("GIT_CONFIG_GLOBAL", at("gitconfig"));
    let editor = ("EDITOR", at("bin/editor"));
    let visual = ("VISUAL", at("bin/visual"));
    assert!(opened(&[]).starts_with("bin/nano "), "the one that is installed");
    assert!(opened(std::slice::from_ref(&user)).starts_with("bin/by-git --wait "), "git's");
    assert!(opened(&[user.clone(), editor.clone()]).starts_with("bin/editor "), "EDITOR");
    assert!(opened(&[user, editor, visual]).starts_with("bin/visual "), "VISUAL");
}

#[cfg(unix)]
#[test]
fn without_any_editor_the_document_is_named() {
    let team = team();
    let empty = team.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let output = team.command().env("PATH", &empty).args(["workspace", "edit"]).output().unwrap();
    let error = Ran::of(&output).failed(2);
    assert!(error.contains("no editor is set, and none was found"), "{error}");
    assert!(error.contains("VISUAL or EDITOR") && error.contains("workspace.md"), "{error}");
}
