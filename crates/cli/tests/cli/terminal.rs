//! Features for a person at a terminal: tables that fit, help, the editor, completions.

use std::process::Command;

use heirloom_testkit::{CommandOutput, TEAM, Workspace};

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

/// Returns a command with the working folder and environment in which the workspace runs `heir`.
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

/// Runs `heir` on a terminal with a number of columns.
#[cfg(target_os = "linux")]
fn on_terminal(workspace: &Workspace, columns: usize, arguments: &str) -> String {
    on_terminal_of_size(workspace, (columns, 40), arguments)
}

/// Runs `heir` on a terminal that states a number of columns and rows.
#[cfg(target_os = "linux")]
fn on_terminal_of_size(
    workspace: &Workspace,
    (columns, rows): (usize, usize),
    arguments: &str,
) -> String {
    let line = format!("stty cols {columns} rows {rows}; exec {HEIR} {arguments}");
    let mut script = program(workspace, "script");
    let output = script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).output();
    CommandOutput::of(&output.unwrap()).ok().replace('\r', "")
}

#[cfg(target_os = "linux")]
#[test]
fn tables_fit_the_terminal_and_are_not_wrapped_in_a_pipe() {
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

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_of_unknown_size_has_eighty_columns() {
    let team = team();
    let words =
        "a finding that goes on for quite a while, and for long enough that it does not fit";
    team.write(AGENT, format!("## Findings\n- {words} <!-- id:aaaa00000001 -->\n"));
    for size in [(0, 0), (0, 40), (60, 0)] {
        let shown = on_terminal_of_size(&team, size, "recall finding");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(words), "{shown}");
    }
}

#[test]
fn the_help_command_prints_the_same_as_the_flag() {
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
        assert_eq!(shown, workspace.heir(flag).ok(), "{help}");
    }
}

/// Writes a program that writes its name and its arguments to the file `opened`.
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
fn the_editor_is_taken_from_the_user_and_never_from_the_repository() {
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
        // A relative folder in PATH would find programs of the repository.
        heir.env("PATH", format!(".:{}", at("bin"))).args(["workspace", "edit"]);
        heir.envs(variables.iter().map(|(key, value)| (*key, value)));
        CommandOutput::of(&heir.output().unwrap()).ok();
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
fn without_an_editor_the_error_names_the_document() {
    let team = team();
    let empty = team.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let output = team.command().env("PATH", &empty).args(["workspace", "edit"]).output().unwrap();
    let document = team.path().canonicalize().unwrap().join(".heirloom/workspace.md");
    let expected = format!(
        "error: no editor is set, and none was found\n  hint: set VISUAL or EDITOR, or open {} yourself\n",
        document.display()
    );
    assert_eq!(CommandOutput::of(&output).failed(2), expected);
}

/// Requests the completions of the last word, as the script of a shell does.
fn complete(workspace: &Workspace, shell: &str, words: &[&str]) -> CommandOutput {
    let mut heir = workspace.command();
    heir.env("HEIRLOOM_COMPLETE", shell).env("_CLAP_IFS", "\n");
    heir.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    CommandOutput::of(&heir.args(["--", "heir"]).args(words).output().unwrap())
}

#[track_caller]
fn check_completions(workspace: &Workspace, words: &[&str], expected: &[&str]) {
    let ran = complete(workspace, "bash", words);
    let shown = format!("{words:?}: {ran:?}");
    let found = ran.ok();
    let found: Vec<&str> = found.lines().filter(|word| !word.starts_with('-')).collect();
    assert_eq!(found, expected, "{shown}");
}

#[test]
fn names_ids_and_values_are_completed() {
    let team = team();
    team.write(AGENT, "## Findings\n- One\n- Two\n\n## Blockers\n- [ ] Stuck\n");
    team.write("plans/0042-graph/plan.memory.md", "## Lessons\n- Measure\n");
    let entries = ["finding-1", "finding-2", "blocker-1"];
    check_completions(&team, &["context", "resolve", ""], &["0042-graph", "0043-auth"]);
    check_completions(&team, &["context", "resolve", "0042"], &["0042-graph"]);
    check_completions(&team, &["context", "resolve", "0042", ""], &["001-schema"]);
    check_completions(&team, &["memory", "show", "0042-graph", "0"], &["001-schema"]);
    check_completions(&team, &["compact", "--plan", "0042", "--agent", ""], &["001-schema"]);
    check_completions(&team, &["compact", "--plan=0042", "--agent", ""], &["001-schema"]);
    check_completions(&team, &["memory", "add", "0042", "001", "f"], &["finding"]);
    check_completions(&team, &["memory", "add", "0042", "--plan", "l"], &["lesson"]);
    check_completions(&team, &["memory", "promote", "0042", "001", ""], &entries);
    check_completions(&team, &["memory", "resolve", "0042", "--plan", "l"], &["lesson-1"]);
    check_completions(&team, &["adr", "show", ""], &["ADR-0001"]);
    check_completions(&team, &["adr", "supersede", "ADR-0001", "adr"], &["ADR-0001"]);
    let paths = entries.map(|entry| format!("0042/001/{entry}"));
    check_completions(
        &team,
        &["memory", "archive", "0042/001/"],
        &paths.each_ref().map(String::as_str),
    );
    check_completions(&team, &["memory", "archive", "0042/l"], &["0042/lesson-1"]);
    check_completions(&team, &["mcp", "--tools", "p"], &["plans"]);
    check_completions(&team, &["adr", "list", "--color", "a"], &["auto", "always"]);
    check_completions(&team, &["help", "context", "re"], &["resolve", "refresh", "restore"]);
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let found = complete(&team, shell, &["context", "resolve", "0042", ""]).ok();
        assert!(found.contains("001-schema"), "{shell}: {found}");
    }
    assert!(!team.has(".heirloom/cache"), "completing builds no index");
    let outside = Workspace::empty(HEIR);
    let ran = complete(&outside, "bash", &["context", "resolve", ""]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let elsewhere = team.path().to_str().unwrap();
    check_completions(
        &outside,
        &["--root", elsewhere, "context", "resolve", "0043"],
        &["0043-auth"],
    );
}

#[cfg(unix)]
#[test]
fn names_with_shell_syntax_are_not_completed() {
    let team = team();
    team.write("plans/0044-$(touch x)/plan.md", "# Evil\n");
    team.write("plans/`touch x`/plan.md", "# Evil\n");
    check_completions(&team, &["plan", "new", ""], &[]);
    check_completions(&team, &["context", "resolve", ""], &["0042-graph", "0043-auth", "0044"]);
}

#[cfg(unix)]
#[test]
fn the_bash_script_completes() {
    let team = team();
    let folder = std::path::Path::new(HEIR).parent().unwrap().display().to_string();
    let line = format!(
        "PATH='{folder}':$PATH; source <(heir completions bash); COMP_WORDS=(heir context resolve 00); COMP_CWORD=3; COMP_TYPE=9; _clap_complete_heir heir 00 resolve; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let ran = CommandOutput::of(&program(&team, "bash").args(["-c", &line]).output().unwrap());
    assert_eq!(ran.clone().ok(), "0042-graph\n0043-auth\n", "{ran:?}");
}
