//! Bad input is reported with its path and line, and does not stop the rest.

use heirloom_testkit::Workspace;

use crate::HEIR;

/// Creates a workspace with the given `context/bad.md` and two good documents.
fn with_bad_document(bytes: impl AsRef<[u8]>) -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\nbefore: 1\n---\n//- .heirloom/context/good.md\n---\nupdated: 2026-02-20\nafter: 2\n---\n",
    );
    workspace.write(".heirloom/context/bad.md", bytes);
    workspace
}

/// Returns the problems that a command reports, as `path:line: message`.
fn problems(workspace: &Workspace, command: &str) -> Vec<String> {
    let answer = workspace.json(command);
    let places = answer["problems"].as_array().unwrap().iter().map(|problem| {
        let text = |field: &str| problem[field].as_str().unwrap().to_owned();
        format!("{}:{}: {}", text("path"), problem["line"], text("message"))
    });
    places.collect()
}

/// Checks that a problem is reported and that the good documents are read.
#[track_caller]
fn check(workspace: &Workspace, problem: &str) {
    let resolved = workspace.json("context resolve");
    assert_eq!(
        (&resolved["values"]["before"], &resolved["values"]["after"]),
        (&1.into(), &2.into()),
        "{resolved:#}"
    );
    let found = problems(workspace, "context resolve");
    assert!(matches!(found.as_slice(), [one] if one.starts_with(problem)), "{problem}\n{found:#?}");
    assert_eq!(workspace.heir("context validate").code, 1);
    for command in ["context health", "graph health", "graph export", "workspace show", "adr list"]
    {
        assert_eq!(workspace.heir(command).code, 0, "{command}");
    }
}

#[test]
fn a_yaml_bomb_is_rejected() {
    let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        bomb.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 9].join(",")
        ));
    }
    bomb.push_str("---\n");
    check(
        &with_bad_document(bomb),
        ".heirloom/context/bad.md:6: front matter: expands to more than 50000 values",
    );
    check(
        &with_bad_document(format!("---\na: {}\n---\n", "[".repeat(100_000))),
        ".heirloom/context/bad.md:2: front matter: ",
    );
}

#[test]
fn a_huge_file_is_not_read() {
    check(
        &with_bad_document(vec![b'x'; 50 * 1024 * 1024]),
        ".heirloom/context/bad.md:1: 50 MB is too large for a document",
    );
}

#[test]
fn a_document_that_is_not_utf8_is_reported_with_the_line() {
    check(
        &with_bad_document(b"---\na: 1\n---\nfine\nbroken \xff here\n"),
        ".heirloom/context/bad.md:5: this is not UTF-8 text",
    );
}

#[test]
fn a_git_conflict_marker_is_reported_with_its_line() {
    check(
        &with_bad_document("---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> theirs\n---\n"),
        ".heirloom/context/bad.md:3: a git conflict marker",
    );
}

#[test]
fn a_folder_with_the_name_of_a_document_is_reported() {
    let workspace = with_bad_document("");
    std::fs::remove_file(workspace.path().join(".heirloom/context/bad.md")).unwrap();
    std::fs::create_dir(workspace.path().join(".heirloom/context/bad.md")).unwrap();
    check(&workspace, ".heirloom/context/bad.md:1: this is a folder, but a document was expected");
}

#[cfg(unix)]
#[test]
fn a_document_that_is_a_link_out_of_the_root_is_not_read() {
    let outside = Workspace::with(HEIR, "//- secret.md\n---\nstolen: yes\n---\n");
    let workspace = with_bad_document("");
    let bad = workspace.path().join(".heirloom/context/bad.md");
    std::fs::remove_file(&bad).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), &bad).unwrap();
    check(&workspace, ".heirloom/context/bad.md:1: this symbolic link leads out of the workspace");
    assert!(workspace.json("context resolve")["values"]["stolen"].is_null());
}

#[cfg(unix)]
#[test]
fn a_plan_that_is_a_link_out_of_the_root_is_not_read() {
    let outside = Workspace::with(HEIR, "//- 0001-a/plan.md\n---\nstolen: yes\n---\n");
    let workspace = with_bad_document("# fine\n");
    std::fs::create_dir(workspace.path().join("plans")).unwrap();
    let plan = workspace.path().join("plans/0001-a");
    std::os::unix::fs::symlink(outside.path().join("0001-a"), plan).unwrap();
    let ran = workspace.heir("context resolve 0001-a");
    assert!(ran.code != 0 && ran.stdout.is_empty(), "{ran:?}");
    let message = "plans/0001-a:1: this symbolic link leads out of the workspace";
    assert!(ran.stderr.contains(message), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_link_within_the_root_is_followed() {
    let workspace = with_bad_document("# fine\n");
    let inside = workspace.path().join(".heirloom/context/inside.md");
    std::os::unix::fs::symlink("good.md", inside).unwrap();
    let resolved = workspace.json("context resolve");
    let layers = resolved["layers"].as_array().unwrap();
    let is_read = |path: &str| layers.iter().any(|layer| layer["source"] == path);
    assert!(is_read(".heirloom/context/inside.md"), "{resolved:#}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_document_does_not_hang() {
    let workspace = with_bad_document("");
    let bad = workspace.path().join(".heirloom/context/bad.md");
    std::fs::remove_file(&bad).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&bad).status().unwrap().success());
    check(&workspace, ".heirloom/context/bad.md:1: this is not a regular file");
}

#[test]
fn hostile_names_are_rejected() {
    let workspace = with_bad_document("# fine\n");
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
}

#[test]
fn control_characters_in_documents_are_escaped() {
    let workspace =
        with_bad_document("---\ntone: \"\\e]0;owned\\a\"\n---\n\u{1b}[31mred\u{1b}[0m\n");
    let shown = workspace.heir("context resolve").ok();
    assert!(!shown.contains('\u{1b}') && shown.contains("\\u001b[31mred"), "{shown}");
}

#[test]
fn problems_in_json_have_path_line_and_hint() {
    let resolved = with_bad_document("---\na: 1\n").json("context resolve");
    assert_eq!(resolved["problems"][0]["path"], ".heirloom/context/bad.md");
    assert_eq!(resolved["problems"][0]["line"], 1);
    assert!(resolved["problems"][0]["hint"].is_string());
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
        let workspace = with_bad_document("# fine\n");
        match as_file {
            true => drop(workspace.write(path, "a file")),
            false => {
                std::os::unix::fs::symlink(outside.path(), workspace.path().join(path)).unwrap();
            }
        }
        let health = workspace.json("context health");
        let documents = health["documents"].as_array().unwrap();
        assert!(
            documents.iter().any(|one| one["source"] == ".heirloom/workspace.md"),
            "{health:#}"
        );
        let found = problems(&workspace, "context health");
        assert!(found.iter().any(|one| one.starts_with(&format!("{path}:1: "))), "{found:#?}");
        for command in ["graph health", "adr list"] {
            assert_eq!(workspace.heir(command).code, 0, "{command}");
        }
        // Without the folder of plans, `plan list` cannot answer.
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
        let workspace = with_bad_document("# fine\n");
        std::os::unix::fs::symlink(outside.path(), workspace.path().join(path)).unwrap();
        workspace.heir(command);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{command}");
    }
}

#[test]
fn control_characters_in_titles_are_escaped() {
    let workspace = with_bad_document("# fine\n");
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

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

#[test]
fn a_new_document_with_a_secret_is_rejected() {
    let workspace = Workspace::with(HEIR, heirloom_testkit::TEAM);
    let description = format!("Uses {KEY}");
    for words in [
        &["plan", "new", "Search", "--description", &description][..],
        &["agent", "new", "0042", "Scout", "--description", &description],
        &["project", "new", "Bank", "--description", &description],
        &["plan", "new", KEY],
    ] {
        let error = workspace.run(words).failed(2);
        assert!(error.contains("an AWS access key id"), "{words:?}: {error}");
    }
    let stored: Vec<String> = workspace.files("");
    assert!(
        !stored
            .iter()
            .any(|file| workspace.bytes(file).windows(KEY.len()).any(|w| w == KEY.as_bytes()))
    );
}

#[test]
fn a_title_that_is_too_long_is_rejected() {
    let workspace = Workspace::with(HEIR, heirloom_testkit::TEAM);
    let (longest, long) = ("é".repeat(200), "é".repeat(201));
    let episode: String = workspace.json("episode add Moved")["id"].as_str().unwrap().to_owned();
    let set = format!("title={long}");
    for words in [
        &["plan", "new", &long][..],
        &["agent", "new", "0042", &long],
        &["project", "new", &long],
        &["adr", "new", &long],
        &["episode", "add", &long],
        &["episode", "edit", &episode, "--set", &set],
        &["pattern", "add", &long],
        &["workflow", "add", &long, "--step", "one"],
        &["session", "start", &long],
    ] {
        let error = workspace.run(words).failed(2);
        assert!(error.contains("the title has 201 characters, and 200 are allowed"), "{error}");
    }
    workspace.run(&["plan", "new", &longest]).ok();
    workspace.run(&["episode", "add", &longest]).ok();
}

#[test]
fn a_number_that_json_does_not_have_is_rejected() {
    let workspace = Workspace::with(HEIR, heirloom_testkit::TEAM);
    for number in ["NaN", "inf", "-inf", "1e999", "high"] {
        let flag = format!("--confidence={number}");
        let words = ["fact", "add", "--section", "Specs", "Text", &flag];
        let error = workspace.run(&words).failed(2);
        assert!(error.contains("number"), "{number}: {error}");
    }
    assert_eq!(workspace.json("fact list")["hits"], serde_json::json!([]));
}
