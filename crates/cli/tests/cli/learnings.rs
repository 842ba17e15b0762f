//! Files of decisions and lessons: merges of branches that each add entries, and what recall and contexts make of them.

use std::collections::BTreeSet;

use heirloom_testkit::Workspace;
use serde_json::Value;

use crate::HEIR;
use crate::merges::merge_both_ways;

const LESSONS: &str = "user/memory/workspaces/devtools/lessons.md";

/// Creates a repository with a workspace of domains, set up by `heir init`.
fn domains() -> Workspace {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init --hierarchy domains").ok();
    workspace.write("resources/workspaces/devtools/OVERVIEW.md", "# DevTools\n");
    workspace.commit_all("2026-02-20T00:00:00Z");
    workspace
}

fn learn(workspace: &Workspace, title: &str, text: &str) {
    let scope = ["--scope", "devtools", "--category", "debugging", "--tag", "pnpm"];
    let entry = ["learn", "lesson", text, "--title", title];
    workspace.run(&[&entry[..], &scope[..]].concat()).ok();
}

/// Returns the lessons that recall finds: text, category and tags.
fn lessons(workspace: &Workspace) -> BTreeSet<String> {
    let found = workspace.json("recall lockfile --kind lesson --limit 20");
    let hits = found["hits"].as_array().unwrap().iter();
    let line = |hit: &Value| {
        assert_eq!(hit["kind"], "lesson", "{hit:#}");
        format!("{} {} {}", hit["text"], hit["category"], hit["tags"])
    };
    hits.map(line).collect()
}

#[test]
fn lessons_of_two_branches_are_kept_apart_by_a_merge() {
    for has_file in [true, false] {
        let origin = domains();
        if has_file {
            learn(&origin, "Before both", "A lockfile was there.");
            origin.commit_all("2026-02-21T00:00:00Z");
        }
        let [a, b] = merge_both_ways(
            &origin,
            |left| {
                learn(left, "Left one", "The left lockfile.\n\nIt was stale.");
                learn(left, "Left two", "The second lockfile.");
            },
            |right| learn(right, "Right one", "The right lockfile.\n\nIt was missing."),
        );
        for workspace in [&a, &b] {
            let found = lessons(workspace);
            let text = workspace.read(LESSONS);
            assert_eq!(found.len(), 3 + usize::from(has_file), "{found:#?}\n{text}");
            let rest = "\"debugging\" [\"pnpm\"]";
            let right = r#""Right one: The right lockfile.\n\nIt was missing.""#;
            assert!(found.contains(&format!("{right} {rest}")), "{found:#?}\n{text}");
            let left = r#""Left one: The left lockfile.\n\nIt was stale.""#;
            assert!(found.contains(&format!("{left} {rest}")), "{found:#?}\n{text}");
            let validated = workspace.heir("context validate").ok();
            assert!(validated.contains("no conflicts"), "{validated}");
        }
        assert_eq!(lessons(&a), lessons(&b));
    }
}

#[test]
fn the_same_lesson_of_two_branches_is_one_entry() {
    let origin = domains();
    let both = |workspace: &Workspace| learn(workspace, "Same", "The lockfile is stale.");
    for workspace in merge_both_ways(&origin, both, both) {
        assert_eq!(lessons(&workspace).len(), 1);
        assert_eq!(workspace.read(LESSONS).matches("### ").count(), 1);
    }
}

#[test]
fn an_archived_entry_is_left_out_of_every_context() {
    let workspace = domains();
    learn(&workspace, "Old one", "The lockfile is stale.");
    learn(&workspace, "New one", "The lockfile is fresh.");
    workspace.heir("memory archive devtools/lesson-1").ok();
    let resolved = workspace.heir("context resolve --select workspace=devtools --prose").stdout;
    let resolved = if resolved.is_empty() {
        workspace.heir("context load --select workspace=devtools --budget 5000").ok()
    } else {
        resolved
    };
    assert!(!resolved.contains("stale") && resolved.contains("fresh"), "{resolved}");
    assert!(workspace.read(LESSONS).contains("stale"));
    assert_eq!(lessons(&workspace).len(), 1);
}

#[test]
fn equal_lessons_of_two_scopes_are_archived_one_by_one() {
    let workspace = domains();
    workspace.write("resources/workspaces/shop/OVERVIEW.md", "# Shop\n");
    for scope in ["devtools", "shop"] {
        let lesson = ["learn", "lesson", "The lockfile is stale.", "--title", "Same"];
        workspace.run(&[&lesson[..], &["--scope", scope]].concat()).ok();
    }
    workspace.heir("memory archive devtools/lesson-1").ok();
    let retrieved = |scope: &str| {
        let retrieved = workspace.json(&format!("retrieve learnings --scope {scope}"));
        retrieved["lessons"].as_array().unwrap().len()
    };
    assert_eq!((retrieved("devtools"), retrieved("shop")), (0, 1));
}

#[test]
fn a_fact_that_supersedes_a_lesson_keeps_its_tags_and_its_category() {
    let workspace = domains();
    learn(&workspace, "Old one", "The lockfile is stale.");
    workspace.run(&["fact", "edit", "devtools/lesson-1", "The lockfile is fresh."]).ok();
    let found = workspace.json("recall lockfile --tag debugging");
    let [fact] = found["hits"].as_array().unwrap().as_slice() else { panic!("{found:#}") };
    assert_eq!(fact["text"], "The lockfile is fresh.");
    assert_eq!(fact["section"], "Known Issues");
    assert_eq!(fact["tags"], serde_json::json!(["pnpm", "debugging"]));
}

#[test]
fn what_supersedes_a_lesson_is_retrieved_in_its_place() {
    let workspace = domains();
    learn(&workspace, "Old one", "The lockfile is stale.");
    learn(&workspace, "Other one", "Builds are cached.");
    workspace.run(&["fact", "edit", "devtools/lesson-1", "The lockfile is new."]).ok();
    let retrieved = || workspace.json("retrieve learnings --scope devtools --tag pnpm");
    let texts = |answer: &Value| {
        let lessons = answer["lessons"].as_array().unwrap().iter();
        lessons.map(|lesson| lesson["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let answer = retrieved();
    assert_eq!(texts(&answer), ["The lockfile is new.", "Builds are cached."]);
    assert_eq!(answer["lessons"][0]["scope"], "devtools");
    assert_eq!(answer["not_shown"]["superseded"], 1);
    let id = answer["lessons"][0]["_meta"]["document_id"].as_str().unwrap();
    workspace.run(&["memory", "archive", id]).ok();
    assert_eq!(texts(&retrieved()), ["Builds are cached."]);
}

#[test]
fn a_long_file_is_reported_with_what_to_archive_and_to_split_off() {
    let workspace = domains();
    let entry = |number: usize| {
        let category = if number.is_multiple_of(3) { "tooling" } else { "debugging" };
        let year = if number <= 2 { 2024 } else { 2026 };
        format!(
            "### [{year}-01-02] Entry {number}\n\n**Category:** {category}\n\nText {number}.\n\n---\n\n"
        )
    };
    let write = |count: usize| {
        let text: String = (1..=count).map(entry).collect();
        workspace.write(LESSONS, text);
        workspace.json("context health")["long_files"].clone()
    };
    assert!(write(50).is_null());
    let long = write(51);
    let [file] = long.as_array().unwrap().as_slice() else { panic!("{long:#}") };
    assert_eq!((&file["source"], &file["active"]), (&LESSONS.into(), &51.into()));
    let titles: Vec<&Value> =
        file["unused"].as_array().unwrap().iter().map(|entry| &entry["title"]).collect();
    assert_eq!(titles, ["Entry 1", "Entry 2"]);
    assert_eq!(
        (&file["part"]["name"], &file["part"]["entries"]),
        (&"debugging".into(), &34.into())
    );
    let shown = workspace.heir("context health").ok();
    assert!(shown.contains("heir learn archive --older-than 1y --unused"), "{shown}");
    workspace.heir("learn archive --older-than 1y --unused").ok();
    assert!(workspace.json("context health")["long_files"].is_null());
}
