//! The cache of documents, and problems of documents that cannot be read.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use heirloom_testkit::Workspace;
use serde_json::Value;

use crate::HEIR;

const TWO_PLANS: &str = "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
# Workspace
//- plans/0001-a/plan.md
---
title: Apple
updated: 2026-02-20
depends_on: [0002-b]
---
//- plans/0001-a/agents/001-x.md
---
title: Xenon
updated: 2026-02-20
---
//- plans/0001-a/agents/001-x.memory.md
---
agent: 001-x
updated: 2026-02-20
---
# Agent Memory

## Findings

- The orchard is in bloom.
//- plans/0002-b/plan.md
---
title: Berry
status: active
updated: 2026-02-20
---
";

/// Sets the modification time of every file to an hour ago. Recently changed files are not cached,
/// since a second change might have the same modification time.
fn age_all(workspace: &Workspace) {
    for path in workspace.files("") {
        age(workspace, &path, 3600);
    }
}

fn age(workspace: &Workspace, path: &str, seconds: u64) {
    let then = SystemTime::now() - Duration::from_secs(seconds);
    let file = File::options().write(true).open(workspace.path().join(path)).unwrap();
    file.set_modified(then).unwrap();
}

fn titles(workspace: &Workspace) -> Vec<String> {
    let listed = workspace.json("plan list");
    let items = listed["items"].as_array().unwrap().iter();
    items.map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn cache_file(workspace: &Workspace) -> std::path::PathBuf {
    let folder = workspace.path().join(".heirloom/cache/documents");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "db")).unwrap()
}

#[test]
fn a_changed_file_is_read_again() {
    let workspace = Workspace::with(HEIR, TWO_PLANS);
    age_all(&workspace);
    assert_eq!(titles(&workspace), ["Apple", "Berry"]);
    // A file with the same size, modification time and file number is not read again.
    let path = workspace.path().join("plans/0001-a/plan.md");
    let date = fs::metadata(&path).unwrap().modified().unwrap();
    let text = workspace.read("plans/0001-a/plan.md").replace("Apple", "Grape");
    fs::write(&path, text).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(date).unwrap();
    assert_eq!(titles(&workspace), ["Apple", "Berry"]);
    age(&workspace, "plans/0001-a/plan.md", 1800);
    assert_eq!(titles(&workspace), ["Grape", "Berry"]);
    fs::remove_dir_all(workspace.path().join("plans/0002-b")).unwrap();
    assert_eq!(titles(&workspace), ["Grape"]);
    workspace.write("plans/0003-c/plan.md", "---\ntitle: Cherry\nupdated: 2026-02-20\n---\n");
    assert_eq!(titles(&workspace), ["Grape", "Cherry"]);
}

#[test]
fn a_damaged_cache_is_replaced() {
    let workspace = Workspace::with(HEIR, TWO_PLANS);
    age_all(&workspace);
    assert_eq!(titles(&workspace), ["Apple", "Berry"]);
    let whole = fs::read(cache_file(&workspace)).unwrap();
    let mut cut = whole[..whole.len() / 2].to_vec();
    cut.resize(whole.len(), 0);
    for damage in [&b"not a database"[..], b"", &cut] {
        fs::write(cache_file(&workspace), damage).unwrap();
        assert_eq!(titles(&workspace), ["Apple", "Berry"]);
        assert_eq!(titles(&workspace), ["Apple", "Berry"]);
    }
}

#[test]
fn answers_are_the_same_with_and_without_the_cache() {
    let workspace = Workspace::with(HEIR, TWO_PLANS);
    age_all(&workspace);
    workspace
        .write("plans/0002-b/agents/001-x.md", "See [[0001-a]] and [it](../../0001-a/plan.md).");
    workspace.write(".heirloom/context/2-rules.md", "---\nupdated: 2026-02-20\nlimit: 2\n---\n");
    workspace.write("plans/0003-c/plan.md", "---\nupdated: 2026-02-20\nlimit: 3\n---\n");
    for path in
        ["plans/0002-b/agents/001-x.md", ".heirloom/context/2-rules.md", "plans/0003-c/plan.md"]
    {
        age(&workspace, path, 3600);
    }
    for question in [
        "graph show plan/0001-a",
        "graph show 0002-b",
        "graph show agent/0001-a/001-x",
        "graph show workspace",
        "graph show context/2-rules",
        "graph show 0001-a --depth 3",
        "graph health",
        "graph export --format json",
        "context conflicts",
        "context health",
        "context validate --format json",
    ] {
        fs::remove_dir_all(workspace.path().join(".heirloom/cache")).ok();
        let first: Value = workspace.json(question);
        assert_eq!(workspace.json(question), first, "{question}");
    }
    let shown = workspace.json("graph show plan/0001-a");
    let node = |id: &str| {
        let nodes = shown["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["id"] == id).cloned().unwrap()
    };
    // A plan without references, which is not on a path through the requested node, is shown whole.
    assert_eq!(node("plan/0002-b")["title"], "Berry");
    assert_eq!(node("plan/0002-b")["status"], "active");
    assert_eq!(node("plan/0002-b")["staleness"], "fresh");
}

#[test]
fn recall_in_a_new_process_sees_changed_files() {
    let workspace = Workspace::with(HEIR, TWO_PLANS);
    age_all(&workspace);
    let found = || -> Vec<String> {
        let recalled = workspace.json("recall orchard");
        let hits = recalled["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["text"].as_str().unwrap().to_owned()).collect()
    };
    for _ in 0..2 {
        assert_eq!(found(), ["The orchard is in bloom."]);
    }
    let path = "plans/0001-a/agents/001-x.memory.md";
    let text = workspace.read(path).replace("in bloom", "harvested");
    workspace.write(path, text);
    for _ in 0..2 {
        assert_eq!(found(), ["The orchard is harvested."]);
    }
    fs::remove_file(workspace.path().join(path)).unwrap();
    assert_eq!(found(), [] as [&str; 0]);
}

// A test that runs as root may read every folder.
#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_reported_and_the_rest_is_listed() {
    use std::os::unix::fs::PermissionsExt;

    let workspace = Workspace::with(HEIR, TWO_PLANS);
    let closed = workspace.path().join("plans/0002-b");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let may_read = fs::read_dir(&closed).is_ok();
    let listed = workspace.json("plan list");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(listed["items"][0]["title"], "Apple");
    let problems = listed["problems"].as_array().unwrap();
    let paths: Vec<&Value> = problems.iter().map(|problem| &problem["path"]).collect();
    assert_eq!(paths, if may_read { vec![] } else { vec!["plans/0002-b"] });
}

/// The settings decide how a file is read, so a change of them outdates the cache.
#[test]
fn a_document_that_becomes_a_memory_document_is_read_again() {
    let settings = |files: &str| {
        format!(
            "hierarchy = \"own\"\n\n[[hierarchies.own.levels]]\nname = \"all\"\npriority = 1\n{files}\n"
        )
    };
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n\n//- a.md\n# A\n//- log.md\n## Findings\n- Keys are short <!-- id:aaaa1111 -->\n",
    );
    workspace.write(".heirloom/config.toml", settings("always = [\"a.md\", \"log.md\"]"));
    age_all(&workspace);
    workspace.heir("graph health").ok();
    workspace.write(".heirloom/config.toml", settings("always = [\"a.md\"]\nmemory = \"log.md\""));
    assert_eq!(workspace.json("graph show aaaa1111")["node"]["title"], "Keys are short");
}

const REPOSITORY: &str = "\
//- README.md
# Shop

## Tooling

Dialogs are checked with the spectacle linter.
//- CONTRIBUTING.md
# Contributing

Sign every commit with your quill.
//- docs/adr/0001-use-rust.md
# 1. Use Rust

## Status

Accepted

## Decision

We use Rust.
//- docs/adr/0002-use-sqlite.md
# 2. Use SQLite

## Status

Accepted

## Decision

We use SQLite.
//- docs/deploy/canary.md
# Canary

The canary gets a tenth of the traffic.
//- docs/adr/template.md
# Title

Quill.
";

#[test]
fn adopted_documents_are_found_and_contexts_only_point_to_them() {
    let workspace = Workspace::with(HEIR, REPOSITORY);
    workspace.heir("adopt").ok();
    let settings = workspace.read(".heirloom/config.toml");
    assert!(
        settings.contains("paths = [\"CONTRIBUTING.md\", \"README.md\", \"docs\"]"),
        "{settings}"
    );
    let paths = |query: &str| -> Vec<String> {
        let found = workspace.json(&format!("recall {query}"));
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["_meta"]["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths("spectacle linter")[0], "README.md");
    assert_eq!(paths("quill"), ["CONTRIBUTING.md"]);
    assert_eq!(paths("canary traffic")[0], "docs/deploy/canary.md");
    assert!(workspace.heir("show docs/deploy/canary.md").ok().contains("a tenth of the traffic"));
    workspace.heir("show docs/adr/template.md").failed(2);
    let work =
        workspace.run(&["assemble", "--task", "Check the dialogs with the spectacle linter"]);
    let work = work.ok();
    assert!(!work.contains("are checked") && work.contains("README.md"), "{work}");
    let question = ["assemble", "--task", "Which linter checks the dialogs?"];
    assert!(workspace.run(&question).ok().contains("the spectacle linter"));
    // Adopting again changes nothing.
    workspace.heir("adopt").ok();
    assert_eq!(workspace.read(".heirloom/config.toml"), settings);
}

#[test]
fn documents_outside_of_the_root_are_refused() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    for path in ["../secrets", "/etc/passwd", "docs/../..", "", "."] {
        workspace.write(".heirloom/config.toml", format!("[documents]\npaths = [\"{path}\"]\n"));
        let error = workspace.heir("recall anything").failed(2);
        assert!(error.contains("documents.paths") && error.contains("config.toml:2"), "{error}");
    }
}
