//! Memory documents of agents and plans.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    workspace
}

fn entry<'v>(shown: &'v Value, name: &str) -> &'v Value {
    let entries = shown["entries"].as_array().unwrap();
    entries
        .iter()
        .find(|entry| entry["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {shown:#}"))
}

#[test]
fn a_section_with_two_names_is_known_by_each() {
    let team = team();
    let names = ["Conventions", "patterns", "patterns-conventions", "Patterns & Conventions"];
    for (name, word) in names.into_iter().zip(["alpha", "beta", "gamma", "delta"]) {
        team.run(&["fact", "add", "--section", name, &format!("Prefer {word} to the rest")]).ok();
        let listed = team.run(&["fact", "list", "--section", name]).ok();
        assert!(listed.contains(&format!("Prefer {word} to the rest")), "{name}: {listed}");
    }
}

#[test]
fn any_text_is_read_back_unchanged() {
    let team = team();
    let texts = [
        "a | b",
        "two\nlines",
        "- [x] ~~done~~ — not",
        "# heading",
        "<!-- id:1 -->",
        "C:\\path|x",
        "émoji 🎉 (date: x)",
    ];
    for text in texts {
        team.run(&["memory", "add", "0042", "001", "finding", text]).ok();
        team.run(&["memory", "add", "0042", "001", "decision", text, "--choice", text]).ok();
    }
    let shown = team.json("memory show 0042 001");
    let findings: Vec<&str> =
        shown["findings"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert_eq!(findings, texts);
    let choices: Vec<&str> = shown["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["choice"].as_str().unwrap())
        .collect();
    assert_eq!(choices, texts);
}

#[test]
fn a_promoted_finding_and_its_origin_are_linked() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Flags matter"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    let shown = team.json("memory show 0042 --plan");
    let promoted = entry(&shown, "finding-1");
    assert_eq!(promoted["found_by"], "001-schema");
    let own = team.json("memory show 0042 001");
    assert_eq!(entry(&own, "finding-1")["promoted_to"], promoted["id"]);
    assert_eq!(promoted["promoted_from"], entry(&own, "finding-1")["id"]);
    let graph = team.json("graph export");
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["via"] == "promoted from"), "{graph:#}");
}

#[test]
fn an_entry_that_is_referred_to_may_be_reworded() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Old words"]).ok();
    let id =
        entry(&team.json("memory show 0042 001"), "finding-1")["id"].as_str().unwrap().to_owned();
    team.run(&["memory", "focus", &id]).ok();
    team.write(AGENT, team.read(AGENT).replace("Old words", "Other words"));
    let pins = team.json("stats");
    assert_eq!(pins["pins"][0]["text"], "Other words");
    assert_eq!(pins["pins"][0]["id"], id.as_str());
}

#[test]
fn memory_documents_are_part_of_context_health_and_graph() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Keep this"]).ok();
    let fact = team.json("fact add --section Decisions Pinned");
    team.run(&["memory", "focus", fact["id"].as_str().unwrap()]).ok();
    let resolved = team.json("context resolve 0042 001");
    assert_eq!(resolved["pins"][0]["text"], "Pinned");
    let health = team.json("context health");
    assert!(health["documents"].as_array().unwrap().iter().any(|one| one["source"] == AGENT));
    let graph = team.json("graph show agent/0042-graph/001-schema");
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["type"] == "REMEMBERS"), "{graph:#}");
}

#[test]
fn counters_that_a_merge_duplicated_are_combined() {
    let team = team();
    team.write(AGENT, "---\nagent: 001-schema\nupdated: 2026-02-01\nupdated: 2026-02-03\nsessions: 4\nsessions: 3\n---\n\n## Findings\n- a\n");
    assert!(team.json("context health")["problems"].as_array().unwrap().is_empty());
    team.run(&["memory", "session", "0042", "001", "x"]).ok();
    let text = team.read(AGENT);
    assert!(
        text.starts_with("---\nagent: 001-schema\nupdated: 2026-02-22\nsessions: 5\n---\n"),
        "{text}"
    );
}

#[test]
fn sessions_of_two_branches_stay_separate() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Common"]).ok();
    team.heir("init").ok();
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["checkout", "--quiet", "-b", "other"]);
    team.run(&["memory", "session", "0042", "001", "Did X\nran tests\nall green"]).ok();
    team.commit_all("2026-02-21T01:00:00Z");
    team.git(&["checkout", "--quiet", "main"]);
    team.run(&["memory", "session", "0042", "001", "Did Y\nran tests\nall green"]).ok();
    team.commit_all("2026-02-21T02:00:00Z");
    team.git(&["merge", "--quiet", "--no-edit", "other"]);
    let shown = team.json("memory show 0042 001");
    let mut notes: Vec<String> =
        shown["sessions"].as_array().unwrap().iter().map(|one| one["notes"].to_string()).collect();
    notes.sort();
    assert_eq!(
        notes,
        ["[\"Did X\",\"ran tests\",\"all green\"]", "[\"Did Y\",\"ran tests\",\"all green\"]"]
    );
    team.run(&["memory", "session", "0042", "001", "Next"]).ok();
    assert!(team.read(AGENT).contains("### Session 3 "));
}

#[test]
fn a_text_that_is_too_long_is_rejected() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Small"]).ok();
    let before = team.read(AGENT);
    let mut child = team
        .command()
        .args(["memory", "add", "0042", "001", "finding", "-"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &vec![b'x'; 9 * 1024 * 1024])
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(team.read(AGENT), before);
}
