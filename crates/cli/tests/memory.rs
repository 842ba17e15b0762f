//! What agents and plans remember, in markdown, through the real binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";
const PLAN: &str = "plans/0042-graph/plan.memory.md";

fn team() -> Workspace {
    let workspace = Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM);
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
fn the_first_entry_makes_the_file_in_the_shape_that_was_asked_for() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "SQLite-vec needs build flags"]).ok();
    team.run(&[
        "memory",
        "add",
        "0042",
        "001",
        "decision",
        "Use content hash",
        "--rationale",
        "Enables dedup",
    ])
    .ok();
    team.run(&["memory", "add", "0042", "001", "blocker", "FTS5 tokenizer", "--status", "open"])
        .ok();
    team.run(&["memory", "session", "0042", "001", "Completed schema, started extraction"]).ok();
    let text = team.read(AGENT);
    let head = text.lines().find(|line| line.starts_with("### Session 1")).unwrap();
    assert!(head.starts_with("### Session 1 — 2026-02-22 <!-- id:"), "{head}");
    let id = head.trim_end_matches(" -->").rsplit(':').next().unwrap();
    assert_eq!(
        text.replace(head, "### Session 1 — 2026-02-22")
            .replace(&format!(" <!-- session:{id} -->"), ""),
        "\
---
agent: 001-schema
plan: 0042-graph
created: 2026-02-22
updated: 2026-02-22
sessions: 1
---

# Agent Memory: Schema

## Findings
Things discovered while working on this task:

- SQLite-vec needs build flags <!-- added:2026-02-22 -->

## Decisions
Choices made during implementation:

| Decision | Choice | Rationale | Date |
|----------|--------|-----------|------|
| Use content hash |  | Enables dedup | 2026-02-22 |

## Blockers
Current or resolved blockers:

- [ ] FTS5 tokenizer <!-- added:2026-02-22 -->

## Open Questions
What is not known yet for this task:


## Lessons Learned
What we'd do differently:


## Session Log
Brief notes from each work session:

### Session 1 — 2026-02-22
- Completed schema, started extraction
"
    );
    let shown = team.json("memory show 0042 001");
    assert_eq!(shown["findings"][0], "SQLite-vec needs build flags");
    assert_eq!(shown["decisions"][0]["rationale"], "Enables dedup");
    assert_eq!(shown["blockers"][0]["resolved"], false);
    team.run(&["memory", "session", "0042", "001", "More"]).ok();
    assert!(team.read(AGENT).contains("sessions: 2\n"));
    let log = team.read(AGENT);
    assert!(log.find("### Session 2").unwrap() < log.find("### Session 1").unwrap());
}

#[test]
fn a_plan_remembers_with_a_flag_in_the_agents_place() {
    let team = team();
    team.run(&["memory", "add", "0042", "--plan", "lesson", "Bench earlier"]).ok();
    team.run(&["memory", "add", "0042", "finding", "Shared", "--plan"]).ok();
    team.run(&["memory", "add", "--plan", "0042", "question", "Symmetric?"]).ok();
    team.run(&["memory", "add", "0042", "--plan", "blocker", "Stuck"]).ok();
    let text = team.read(PLAN);
    for line in ["- Bench earlier", "- Shared", "- [ ] Symmetric?", "- [ ] Stuck", "## Blockers"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let error = team.run(&["memory", "add", "0042", "lesson", "Bench"]).failed(2);
    assert!(error.contains("AGENT is missing") && error.contains("--plan"), "{error}");
    let error = team.run(&["memory", "add", "0042", "--plan", "001", "lesson", "Bench"]).failed(2);
    assert!(error.contains("one argument too many"), "{error}");
    let error = team.run(&["memory", "add", "0042", "001", "rumour", "x"]).failed(2);
    assert!(error.contains("rumour") && error.contains("finding"), "{error}");
}

#[test]
fn whatever_is_typed_reads_back() {
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
fn a_blocker_is_resolved_by_its_name_or_its_id() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "blocker", "One"]).ok();
    team.run(&["memory", "add", "0042", "001", "blocker", "Two"]).ok();
    team.run(&["memory", "resolve", "0042", "001", "blocker-2", "with vcpkg"]).ok();
    let day = "<!-- added:2026-02-22 -->";
    let written = format!("- [ ] One {day}\n- [x] ~~Two~~ — with vcpkg {day}\n");
    assert!(team.read(AGENT).contains(&written));
    let shown = team.json("memory show 0042 001");
    let id = entry(&shown, "blocker-1")["id"].as_str().unwrap().to_owned();
    team.run(&["memory", "resolve", "0042", "001", &id]).ok();
    assert!(team.read(AGENT).contains(&format!("- [x] ~~One~~ {day}\n")));
    let error = team.run(&["memory", "resolve", "0042", "001", "blocker-1", "again"]).failed(2);
    assert!(error.contains("settled already"), "{error}");
    let error = team.run(&["memory", "resolve", "0042", "001", "blocker-9"]).failed(2);
    assert!(error.contains("blocker-9") && error.contains("blocker-1"), "{error}");
}

#[test]
fn an_ambiguous_id_is_refused_with_its_lines() {
    let team = team();
    team.write(
        AGENT,
        "## Blockers\n- [ ] a <!-- id:00aa11bb22cc -->\n- [ ] b <!-- id:00aa11bb22cc -->\n",
    );
    let error = team.run(&["memory", "resolve", "0042", "001", "00aa11bb22cc"]).failed(2);
    assert!(error.contains("several entries") && error.contains("line 3"), "{error}");
    team.run(&["memory", "resolve", "0042", "001", "blocker-2"]).ok();
}

#[test]
fn a_finding_is_promoted_once_with_who_found_it_and_the_two_are_linked() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Flags matter"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    let shown = team.json("memory show 0042 --plan");
    let promoted = entry(&shown, "finding-1");
    assert_eq!(promoted["found_by"], "001-schema");
    let own = team.json("memory show 0042 001");
    assert_eq!(entry(&own, "finding-1")["promoted_to"], promoted["id"]);
    assert_eq!(promoted["promoted_from"], entry(&own, "finding-1")["id"]);
    assert!(team.read(PLAN).contains("contributors: [001-schema]"));
    let error = team.run(&["memory", "promote", "0042", "001", "finding-1"]).failed(2);
    assert!(error.contains("promoted already"), "{error}");
    team.run(&["memory", "add", "0042", "001", "decision", "Keys", "--choice", "hashes"]).ok();
    team.run(&["memory", "promote", "0042", "001", "decision-1", "--move", "--affects", "002"])
        .ok();
    assert!(!team.read(AGENT).contains("| Keys"));
    assert!(team.read(PLAN).contains("| hashes | 002 |"), "{}", team.read(PLAN));
    let facts = team.json("fact list");
    assert_eq!(facts["hits"][0]["text"], "Keys: hashes");
    let graph = team.json("graph export");
    let promoted_edge =
        graph["edges"].as_array().unwrap().iter().any(|edge| edge["via"] == "promoted from");
    assert!(promoted_edge, "{graph:#}");
}

#[test]
fn people_may_reword_what_is_referred_to() {
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
fn clearing_asks_first_and_keeps_a_copy() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Precious"]).ok();
    let before = team.read(AGENT);
    let error = team.run(&["memory", "clear", "0042", "001"]).failed(2);
    assert!(error.contains("--yes") && error.contains("1 entry"), "{error}");
    assert_eq!(team.read(AGENT), before);
    team.run(&["memory", "clear", "0042", "001", "--yes"]).ok();
    assert!(!team.has(AGENT));
    assert_eq!(team.read(&format!(".heirloom/archive/{AGENT}")), before);
    team.run(&["memory", "add", "0042", "001", "finding", "New"]).ok();
    team.run(&["memory", "clear", "0042", "001", "--yes"]).ok();
    assert!(team.read(&format!(".heirloom/archive/v2/{AGENT}")).contains("- New"));
    team.run(&["context", "restore", AGENT]).ok();
    assert!(team.read(AGENT).contains("- New"));
}

#[test]
fn a_secret_is_refused_unless_one_insists() {
    let team = team();
    let secret = format!("key {}{}", "AKIA", "Q7ZPW3XN5LTR2VJD");
    let error = team.run(&["memory", "add", "0042", "001", "finding", &secret]).failed(2);
    assert!(error.contains("AWS") && error.contains("--allow-secret"), "{error}");
    assert!(!team.has(AGENT));
    let error = team.run(&["fact", "add", "--section", "specs", &secret]).failed(2);
    assert!(error.contains("AWS"), "{error}");
    team.run(&["memory", "add", "0042", "001", "finding", &secret, "--allow-secret"]).ok();
    team.run(&["fact", "add", "--section", "specs", &secret, "--allow-secret"]).ok();
}

#[test]
fn memory_takes_part_in_what_an_agent_inherits() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Keep this"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "Drop this"]).ok();
    team.run(&["memory", "add", "0042", "--plan", "lesson", "From the plan"]).ok();
    let id =
        entry(&team.json("memory show 0042 001"), "finding-2")["id"].as_str().unwrap().to_owned();
    let fact = team
        .json("fact add --section Decisions Pinned")
        .get("id")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    team.run(&["memory", "focus", &fact]).ok();
    team.run(&["memory", "archive", &id]).ok();
    let text = team.heir("context resolve 0042 001").ok();
    assert!(text.starts_with("Working memory\n"), "{text}");
    assert!(
        text.contains("Pinned") && text.contains("Keep this") && text.contains("From the plan"),
        "{text}"
    );
    assert!(!text.contains("Drop this"), "{text}");
    assert!(team.read(AGENT).contains("Drop this"), "its bytes stay");
    let resolved = team.json("context resolve 0042 001");
    assert_eq!(resolved["pins"][0]["text"], "Pinned");
    let health = team.json("context health");
    assert!(health["documents"].as_array().unwrap().iter().any(|one| one["source"] == AGENT));
    let graph = team.json("graph show agent/0042-graph/001-schema");
    assert!(
        graph["edges"].as_array().unwrap().iter().any(|edge| edge["type"] == "REMEMBERS"),
        "{graph:#}"
    );
}

#[test]
fn an_agent_that_decides_against_its_plan_is_a_conflict() {
    let team = team();
    team.run(&["memory", "add", "0042", "--plan", "decision", "Database", "--choice", "SQLite"])
        .ok();
    team.run(&["memory", "add", "0042", "001", "decision", "database", "--choice", "Postgres"])
        .ok();
    let found = team.json("context conflicts 0042");
    let conflict = found["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["key"] == "decision: database");
    let conflict = conflict.unwrap_or_else(|| panic!("{found:#}"));
    assert_eq!(
        (conflict["severity"].as_str(), conflict["path"].as_str()),
        (Some("critical"), Some(AGENT))
    );
    team.heir("context validate").failed(1);
    let resolved = team.json("context resolve 0042 001");
    assert!(resolved["conflicts"].to_string().contains("decision: database"));
    team.run(&["memory", "archive", "0042/001/decision-1"]).ok();
    assert!(
        !team.json("context conflicts")["conflicts"].to_string().contains("decision: database")
    );
}

#[test]
fn a_name_that_means_nothing_is_answered_with_what_there_is() {
    let team = team();
    let error = team.run(&["memory", "add", "0099", "001", "finding", "x"]).failed(2);
    assert!(error.contains("0042-graph"), "{error}");
    let error = team.run(&["memory", "add", "0042", "../../x", "finding", "x"]).failed(2);
    assert!(error.contains("path separator"), "{error}");
    let error = team.run(&["memory", "add", "0042", "001", "finding", "  "]).failed(2);
    assert!(error.contains("without words"), "{error}");
    let error =
        team.run(&["memory", "add", "0042", "001", "finding", "x", "--date", "soon"]).failed(2);
    assert!(error.contains("2026-02-22"), "{error}");
}

#[test]
fn counters_that_a_merge_repeated_are_read_and_tidied() {
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
fn sessions_of_two_branches_stay_two() {
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
fn what_was_put_away_or_settled_may_be_said_again() {
    let team = team();
    team.run(&["memory", "add", "0042", "001", "finding", "Again"]).ok();
    team.run(&["memory", "archive", "0042/001/finding-1"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "Again"]).ok();
    assert_eq!(team.json("recall again")["hits"].as_array().unwrap().len(), 1);
    for _ in 0..3 {
        team.run(&["memory", "add", "0042", "001", "blocker", "Flaky"]).ok();
        let shown = team.json("memory show 0042 001 --open");
        let id = shown["entries"][0]["id"].as_str().unwrap().to_owned();
        team.run(&["memory", "resolve", "0042", "001", &id, "reran"]).ok();
    }
    assert_eq!(team.json("memory show 0042 001")["blockers"].as_array().unwrap().len(), 3);
    team.run(&[
        "memory", "add", "0042", "--plan", "decision", "DB", "--choice", "SQLite", "--status",
        "proposed",
    ])
    .ok();
    let accepted = team
        .run(&[
            "memory", "add", "0042", "--plan", "decision", "DB", "--choice", "SQLite", "--status",
            "accepted",
        ])
        .ok();
    assert!(accepted.contains("also stored as the fact"), "{accepted}");
}

#[test]
fn a_text_that_no_file_holds_is_refused() {
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
