//! Metadata of the entries of memory documents.

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

#[cfg(unix)]
#[test]
fn dating_entries_runs_no_program_that_the_repository_names() {
    let team = team();
    team.write(AGENT, "## Findings\n- Old\n");
    team.write(".gitattributes", "*.md filter=evil diff=evil\n");
    team.commit_all("2026-02-03T12:00:00Z");
    team.write(AGENT, "## Findings\n- Old\n- New\n");
    let touch = format!("touch {}", team.path().join("ran").display());
    for key in ["filter.evil.clean", "diff.evil.textconv", "core.fsmonitor"] {
        team.git(&["config", key, &touch]);
    }
    assert_eq!(team.json("memory show 0042 001")["entries"][0]["date"], "2026-02-03");
    assert!(!team.has("ran"));
}

/// Returns metadata with every character that has a meaning in a memory document.
fn metadata() -> Value {
    json!({
        "severity": "high", "ticket": 42, "seen (by)": ["a|b", "c · d"], "nested": {"x": null},
        "odd": "-->\n`x` ~~y~~ <br> &amp; \\|"
    })
}

/// Creates a workspace whose agent has a finding, a decision and a blocker with metadata.
fn team_with_metadata() -> Workspace {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    for kind in ["finding", "decision", "blocker"] {
        let mut given = metadata();
        given["rationale"] = "because".into();
        let request = json!({
            "planId": "0042", "agentId": "001", "type": kind, "content": format!("a {kind}"),
            "metadata": given
        });
        let added = wire.call("add_memory", &request);
        assert_eq!(added["done"], "added", "{added:#}");
    }
    wire.close();
    team
}

/// Checks that entries have their metadata and that their texts do not contain it.
#[track_caller]
fn check_metadata(team: &Workspace, owner: &str, names: &[&str]) {
    let shown = team.json(&format!("memory show 0042 {owner}"));
    let entries = shown["entries"].as_array().unwrap();
    for name in names {
        let entry = entries.iter().find(|entry| entry["name"] == *name).unwrap();
        assert_eq!(entry["metadata"], metadata(), "{owner} {name}: {shown:#}");
        assert!(!entry["text"].as_str().unwrap().contains("severity"), "{shown:#}");
    }
}

const ALL: [&str; 3] = ["finding-1", "decision-1", "blocker-1"];

#[test]
fn metadata_with_any_name_is_read_back() {
    let team = team_with_metadata();
    check_metadata(&team, "001", &ALL);
    assert!(team.read(AGENT).contains("severity"), "the metadata is visible to people");
    assert_eq!(team.json("memory show 0042 001")["decisions"][0]["rationale"], "because");
}

#[test]
fn metadata_survives_changes_of_an_entry() {
    let team = team_with_metadata();
    team.run(&["memory", "resolve", "0042", "001", "blocker-1", "by hand"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    team.run(&["memory", "promote", "0042", "001", "decision-1"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "another"]).ok();
    check_metadata(&team, "001", &ALL);
    check_metadata(&team, "--plan", &["finding-1", "decision-1"]);
}

#[test]
fn metadata_survives_a_merge_of_two_branches() {
    let team = team_with_metadata();
    let add = |text: &str, by: &str| {
        let metadata = format!("by={by}");
        team.run(&["memory", "add", "0042", "001", "finding", text, "--metadata", &metadata]).ok();
        team.commit_all("2026-02-21T00:00:00Z");
    };
    team.write(".gitattributes", "*.memory.md merge=union\n");
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["switch", "--quiet", "--create", "other"]);
    add("theirs", "them");
    team.git(&["switch", "--quiet", "main"]);
    add("ours", "us");
    team.git(&["merge", "--quiet", "--no-edit", "other"]);
    let shown = team.json("memory show 0042 001");
    let entries = shown["entries"].as_array().unwrap();
    let mut by: Vec<&str> =
        entries.iter().filter_map(|entry| entry["metadata"]["by"].as_str()).collect();
    by.sort_unstable();
    assert_eq!(by, ["them", "us"], "{shown:#}");
    check_metadata(&team, "001", &ALL);
}
