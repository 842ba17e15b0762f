//! Bad input: each gets a clear problem with its place, and the rest still resolves.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use heirloom_testkit::Workspace;

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

/// A workspace whose `context/bad.md` is as given, between two good documents.
fn with_bad(bytes: impl AsRef<[u8]>) -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\nbefore: 1\n---\n//- .heirloom/context/good.md\n---\nupdated: 2026-02-20\nafter: 2\n---\n",
    );
    workspace.write(".heirloom/context/bad.md", bytes);
    workspace
}

#[track_caller]
fn check(workspace: &Workspace, problem: &str) {
    let resolved = workspace.json("context resolve");
    assert_eq!(
        (&resolved["values"]["before"], &resolved["values"]["after"]),
        (&1.into(), &2.into()),
        "{resolved:#}"
    );
    let shown = workspace.heir("context resolve").ok();
    assert!(shown.contains(problem), "{problem}\n---\n{shown}");
    assert_eq!(workspace.heir("context validate").code, 1);
    for command in ["context health", "graph health", "graph export", "workspace show", "adr list"]
    {
        assert_eq!(workspace.heir(command).code, 0, "{command}");
    }
}

#[test]
fn unclosed_front_matter() {
    check(
        &with_bad("---\na: 1\n\n# Title\n"),
        ".heirloom/context/bad.md:1: the front matter opens with `---` and never closes",
    );
}

#[test]
fn duplicate_keys() {
    check(
        &with_bad("---\na: 1\nb: 2\na: 3\n---\n"),
        ".heirloom/context/bad.md:4: front matter: duplicate key `a`",
    );
}

#[test]
fn tabs() {
    check(&with_bad("---\na:\n\tb: 1\n---\n"), ".heirloom/context/bad.md:3: front matter: ");
}

#[test]
fn yaml_bombs() {
    let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        bomb.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 9].join(",")
        ));
    }
    bomb.push_str("---\n");
    check(&with_bad(bomb), "expands to more than");
    check(
        &with_bad(format!("---\na: {}\n---\n", "[".repeat(100_000))),
        ".heirloom/context/bad.md:2: front matter: ",
    );
}

#[test]
fn a_huge_file() {
    check(
        &with_bad(vec![b'x'; 50 * 1024 * 1024]),
        ".heirloom/context/bad.md:1: 50 MB is too large for a document",
    );
}

#[test]
fn invalid_utf8() {
    check(
        &with_bad(b"---\na: 1\n---\nfine\nbroken \xff here\n"),
        ".heirloom/context/bad.md:5: this is not UTF-8 text",
    );
}

#[test]
fn git_conflict_markers() {
    check(
        &with_bad("---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> theirs\n---\n"),
        ".heirloom/context/bad.md:3: a git conflict marker",
    );
}

#[test]
fn a_folder_called_like_a_document() {
    let workspace = with_bad("");
    std::fs::remove_file(workspace.path().join(".heirloom/context/bad.md")).unwrap();
    std::fs::create_dir(workspace.path().join(".heirloom/context/bad.md")).unwrap();
    check(&workspace, ".heirloom/context/bad.md:1: this is a folder, and a document was expected");
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_root() {
    let outside = Workspace::with(HEIR, "//- secret.md\n---\nstolen: yes\n---\n");
    let workspace = with_bad("");
    let bad = workspace.path().join(".heirloom/context/bad.md");
    std::fs::remove_file(&bad).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), &bad).unwrap();
    check(&workspace, ".heirloom/context/bad.md:1: this symbolic link leads out of the workspace");
    assert!(!workspace.heir("context resolve").stdout.contains("stolen"));
    let plans = with_bad("");
    std::fs::remove_file(plans.path().join(".heirloom/context/bad.md")).unwrap();
    outside.write("0001-a/plan.md", "---\nstolen: yes\n---\n");
    std::fs::create_dir(plans.path().join("plans")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("0001-a"), plans.path().join("plans/0001-a"))
        .unwrap();
    let ran = plans.heir("context resolve 0001-a");
    assert!(ran.code != 0 && !ran.stdout.contains("stolen"), "{ran:?}");
    assert!(ran.stderr.contains("plans/0001-a:1: this symbolic link leads out of the workspace"));
    let inside = plans.path().join(".heirloom/context/inside.md");
    std::os::unix::fs::symlink("good.md", inside).unwrap();
    assert_eq!(plans.heir("context resolve").code, 0);
    assert!(plans.heir("context resolve").ok().contains("inside.md"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_document_does_not_hang() {
    let workspace = with_bad("");
    let bad = workspace.path().join(".heirloom/context/bad.md");
    std::fs::remove_file(&bad).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&bad).status().unwrap().success());
    check(&workspace, ".heirloom/context/bad.md:1: this is not a regular file");
}

#[test]
fn hostile_names() {
    let workspace = with_bad("# fine\n");
    for name in ["../../etc/passwd", "..", "a/b", "a\\b", "/etc", ".hidden", "nul", "x\ny"] {
        for command in [["context", "resolve"], ["context", "conflicts"], ["agent", "list"]] {
            let ran = workspace.run(&[command[0], command[1], name]);
            assert_eq!(ran.code, 2, "{command:?} {name:?}: {}", ran.stdout);
            assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        }
        for command in [
            ["context", "refresh"],
            ["context", "archive"],
            ["graph", "show"],
            ["adr", "show"],
            ["context", "restore"],
        ] {
            assert_eq!(
                workspace.run(&[command[0], command[1], name]).code,
                2,
                "{command:?} {name:?}"
            );
        }
    }
    assert_eq!(workspace.run(&["context", "resolve", "--select", "plan=../x"]).code, 2);
    workspace.write("plans/0001-a/plan.md", "---\nproject: ../../outside\n---\n");
    let shown = workspace.heir("context resolve 0001").ok();
    assert!(
        shown.contains("plans/0001-a/plan.md:2: `../../outside` cannot be the project's name"),
        "{shown}"
    );
}

#[test]
fn bad_settings_name_their_line_and_the_mend() {
    let workspace = with_bad("# fine\n");
    workspace.write(".heirloom/config.toml", "# settings\n[stalenes]\nwarning = 3\n");
    let said = workspace.heir("context resolve").failed(2);
    assert!(
        said.contains(".heirloom/config.toml:2: there is no setting `stalenes`")
            && said.contains("did you mean `staleness`?"),
        "{said}"
    );
    workspace.write(".heirloom/config.toml", "hierarchy = plans\n");
    assert!(workspace.heir("context resolve").failed(2).contains(".heirloom/config.toml:1: "));
}

#[test]
fn wrong_usage() {
    let empty = Workspace::empty(HEIR);
    let said = empty.heir("context resolve").failed(3);
    assert!(said.contains("no Heirloom workspace") && said.contains("heir init"), "{said}");
    assert!(empty.heir("contxt resolve").failed(2).contains("context"));
    assert!(empty.heir("context resolve --dif").failed(2).contains("--diff"));
    assert_eq!(empty.heir("--root nowhere context resolve").code, 2);
    let mut fixed = empty.command();
    let output =
        fixed.env("HEIRLOOM_NOW", "yesterday").args(["context", "resolve"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("HEIRLOOM_NOW=yesterday"));
}

#[test]
fn a_file_cannot_drive_the_terminal() {
    let workspace = with_bad("---\ntone: \"\\e]0;owned\\a\"\n---\n\u{1b}[31mred\u{1b}[0m\n");
    let shown = workspace.heir("context resolve").ok();
    assert!(!shown.contains('\u{1b}') && shown.contains("\\u001b[31mred"), "{shown}");
}

#[test]
fn problems_in_json_have_path_line_and_hint() {
    let resolved = with_bad("---\na: 1\n").json("context resolve");
    assert_eq!(resolved["problems"][0]["path"], ".heirloom/context/bad.md");
    assert_eq!(resolved["problems"][0]["line"], 1);
    assert!(resolved["problems"][0]["hint"].is_string());
}

#[test]
fn names_that_cannot_be_used_are_reported_and_not_skipped() {
    let workspace = with_bad("# fine\n");
    workspace
        .write("plans/a:b/plan.md", "# A\n")
        .write("plans/-x/plan.md", "# X\n")
        .write("plans/0001-good/plan.md", "# G\n");
    workspace.write("plans/0001-good/agents/what?.md", "# W\n");
    let validated = workspace.heir("context validate");
    assert_eq!(validated.code, 1);
    for name in ["plans/a:b:1:", "plans/-x:1:", "plans/0001-good/agents/what?.md:1:"] {
        assert!(validated.stdout.contains(name), "{name}\n{}", validated.stdout);
    }
}

#[cfg(unix)]
#[test]
fn one_bad_folder_does_not_stop_the_rest() {
    let outside = Workspace::with(HEIR, "//- 0001-a/plan.md\nstolen\n");
    for (path, as_file) in [
        ("plans", true),
        ("plans", false),
        (".heirloom/projects", true),
        (".heirloom/projects", false),
        (".heirloom/adrs", true),
    ] {
        let workspace = with_bad("# fine\n");
        match as_file {
            true => drop(workspace.write(path, "a file")),
            false => {
                std::os::unix::fs::symlink(outside.path(), workspace.path().join(path)).unwrap();
            }
        }
        let health = workspace.heir("context health").ok();
        assert!(
            health.contains(".heirloom/workspace.md") && health.contains(&format!("{path}:1: ")),
            "{path}: {health}"
        );
        for command in ["graph health", "adr list"] {
            assert_eq!(workspace.heir(command).code, 0, "{command}");
        }
        // Of plans nothing is left to be listed.
        let listed = workspace.heir("plan list");
        assert_eq!(listed.code != 0, path == "plans", "{path}: {}", listed.stderr);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_outside_the_root() {
    let outside = Workspace::empty(HEIR);
    for (path, command) in [
        (".heirloom/projects", "project new evil"),
        ("plans", "plan new evil"),
        (".heirloom/adrs", "adr new evil"),
        (".heirloom/cache", "context resolve --json"),
        (".heirloom/archive", "context archive good"),
    ] {
        let workspace = with_bad("# fine\n");
        std::os::unix::fs::symlink(outside.path(), workspace.path().join(path)).unwrap();
        workspace.heir(command);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{command}");
    }
}

#[test]
fn titles_cannot_drive_the_terminal() {
    let workspace = with_bad("# fine\n");
    workspace.write(
        ".heirloom/adrs/ADR-0001-x.md",
        "---\ntitle: \"evil \\e[2J\"\nstatus: accepted\n---\n",
    );
    for arguments in [
        &["adr", "show", "1"][..],
        &["workspace", "show"],
        &["adr", "list"],
        &["graph", "show", "ADR-0001"],
    ] {
        let shown = workspace.run(&[&["--color", "always"], arguments].concat()).ok();
        assert!(!shown.contains("\u{1b}[2J"), "{shown}");
    }
}
