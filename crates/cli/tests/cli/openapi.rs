//! The OpenAPI document describes what `heir serve` accepts and answers: schemathesis generates requests from it
//! and compares the answers with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use heirloom_testkit::{TEAM, Workspace, is_long_run};
use serde_json::{Value, json};

use crate::HEIR;
use crate::rest::Server;

/// Random requests for each operation, besides those that cover every keyword of its schema.
const EXAMPLES_PER_OPERATION: usize = 5;
const EXAMPLES_PER_OPERATION_LONG: usize = 50;

#[test]
fn answers_and_refusals_are_as_described() {
    let workspace = Workspace::with(HEIR, TEAM);
    let names = fill(&workspace);
    let server = Server::start(workspace, &["serve", "--port", "0"]);
    let examples = if is_long_run() { EXAMPLES_PER_OPERATION_LONG } else { EXAMPLES_PER_OPERATION };
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let results = server.workspace.path().join("results.json");
    let output = Command::new(schemathesis())
        .args(["-m", "schemathesis.cli", "run"])
        .arg(format!("{}/openapi.json", server.url))
        .args([
            "--phases",
            "coverage,fuzzing",
            "--seed",
            "1",
            "--continue-on-failure",
            "--no-color",
        ])
        // A text that matches the schema may still be no date, or no name of anything.
        .args(["--exclude-checks", "positive_data_acceptance", "--generation-database", "none"])
        .args(["--max-examples", &examples.to_string()])
        .env("EXISTING_NAMES", names.to_string())
        .env("RESULTS_FILE", &results)
        .env("PYTHONPATH", &clients)
        .env("SCHEMATHESIS_HOOKS", "schemathesis_hooks")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_PROXY", "127.0.0.1")
        .current_dir(server.workspace.path())
        .output()
        .expect("schemathesis starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    let (_, summary) = report.split_once("API Operations:").expect("a summary");
    println!("API Operations:{summary}");
    let results: Value = serde_json::from_slice(&std::fs::read(results).unwrap()).unwrap();
    let openapi = server.send("GET", "/openapi.json", &[], "").json();
    let paths = openapi["paths"].as_object().unwrap().keys();
    let unanswered: Vec<&String> = paths.filter(|path| results.get(path).is_none()).collect();
    assert!(unanswered.is_empty(), "no request had a result: {unanswered:?}");
}

/// Stores something of every kind, and returns names that exist, by the field that takes them.
fn fill(workspace: &Workspace) -> Value {
    let add = |arguments: &[&str]| {
        let ran = workspace.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        answer["id"].as_str().unwrap_or_default().to_owned()
    };
    workspace.write(".memory/sprint/sprint-01/goals.md", "# Goals\n\nShip refunds.\n");
    workspace.write(
        ".heirloom/config.toml",
        "[levels.workspace]\nfiles = [\"decisions.md\", \"lessons.md\"]\n",
    );
    workspace.write(
        "agent/rules/common/conventions.md",
        "# Conventions\n\n## Naming\n\nShort.\n\n## Commits\n\nSmall.\n",
    );
    workspace.write("agent/rules/common/files.md", "# Files\n\n## Names\n\nPlain.\n");
    add(&["hot", "demote", "files#names"]);
    let facts = ["Refunds are events", "Amounts are in cents", "Deploys are on Mondays"]
        .map(|text| add(&["fact", "add", text, "--section", "Decisions", "--tag", "money"]));
    // No other request supersedes these.
    let [stale, archived] = ["The office is in Bern", "Releases are on Fridays"]
        .map(|text| add(&["fact", "add", text, "--section", "Recent Work"]));
    let [reworded, secret] = ["Standups are at nine", "The door code is 4711"]
        .map(|text| add(&["fact", "add", text, "--section", "Recent Work"]));
    let mistaken = add(&["fact", "edit", &reworded, "Standups are at ten"]);
    let episode = add(&["episode", "add", "Wrote the schema", "--outcome", "done"]);
    let pattern = add(&["pattern", "add", "new_endpoint", "--hint", "route, validate, respond"]);
    let workflow = add(&["workflow", "add", "release", "--step", "tag", "--step", "publish"]);
    let notes = ["look at CI", "ask Bo"].map(|text| add(&["note", text]));
    add(&["memory", "connect", &facts[0], &facts[1], "depends_on"]);
    add(&["memory", "focus", &facts[0]]);
    add(&["memory", "archive", &archived]);
    add(&["memory", "add", "0042", "001", "finding", "Flags matter"]);
    add(&["memory", "add", "0042", "001", "blocker", "No tokenizer"]);
    // Other requests clear the memory of agent 001.
    add(&["agent", "new", "0042", "Reviewer"]);
    let learnt = add(&["memory", "add", "0042", "reviewer", "lesson", "Flags outlive releases"]);
    add(&["project", "new", "Shop"]);
    let session = add(&["session", "start"]);
    add(&["adr", "new", "Use Rust"]);
    add(&["adr", "new", "Use HTTP"]);
    let [accepted, dropped] = propose(workspace);
    add(&["cold", "drop", &dropped]);
    let [connected, unwanted] = propose_links(workspace, &add);
    add(&["links", "drop", &unwanted]);
    let [by_name, by_path] = contradict(&add, workspace);
    let ids = json!({
        "memory_archive.fact_ids": [stale], "memory_restore.fact_ids": [archived],
        "memory_undo.fact_id": [mistaken], "memory_purge.fact_id": [secret],
        "id": facts, "fact_id": facts, "fact_ids": facts, "supersedes": facts, "source": facts,
        "target": ["ADR-0001", "0042", facts[0]], "node": ["ADR-0001", "0042", facts[0]],
        "episode_show.id": [episode], "episode_edit.id": [episode],
        "pattern_show.id": [pattern], "pattern_edit.id": [pattern],
        "workflow_show.id": [workflow], "workflow_edit.id": [workflow],
        "learn_promote.entry": [learnt],
        "cold_accept.ids": [accepted], "cold_drop.ids": [dropped],
        "cold_drop.undo": [true],
        "links_accept.ids": [connected], "links_drop.ids": [unwanted], "links_drop.undo": [true],
        "contradictions_show.id": [by_name, by_path], "contradictions_resolve.id": [by_name],
        "resolve.id": [by_path], "a": facts, "b": ["Refunds are not events"],
        "note_promote.id": [notes[0]], "ids": [notes[1]], "session_end.id": [session],
    });
    let mut names: Value = serde_json::from_str(NAMES).unwrap();
    names.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
    names
}

/// Returns the ids of two proposals from a transcript.
fn propose(workspace: &Workspace) -> [String; 2] {
    let message = |text: &str| json!({"role": "user", "content": text}).to_string();
    let texts = ["Always cite the source of a number.", "Never use floats for money."].map(message);
    workspace.write("agent-transcripts/chat.jsonl", texts.join("\n"));
    let answer = workspace.json("cold proposals");
    [0, 1].map(|at| answer["proposals"][at]["id"].as_str().unwrap().to_owned())
}

/// Returns the ids of two contradictions.
fn contradict(add: &dyn Fn(&[&str]) -> String, workspace: &Workspace) -> [String; 2] {
    for (key, value) in
        [("runner", "nextest"), ("runner", "pytest"), ("linter", "ruff"), ("linter", "clippy")]
    {
        add(&["fact", "add", "--section", "Specs", "--key", key, "--value", value]);
    }
    let answer = workspace.json("contradictions list");
    [0, 1].map(|at| answer["contradictions"][at]["id"].as_str().unwrap().to_owned())
}

/// Returns the ids of two proposed relations.
fn propose_links(workspace: &Workspace, add: &dyn Fn(&[&str]) -> String) -> [String; 2] {
    for text in ["Tests run on SQLite (ADR-0001)", "Backups copy one file (ADR-0001)"] {
        add(&["fact", "add", text, "--section", "Constraints"]);
    }
    let answer = workspace.json("links list");
    [0, 1].map(|at| answer["proposals"][at]["id"].as_str().unwrap().to_owned())
}

/// Names and texts that fit the workspace, by the field that takes them.
const NAMES: &str = r#"{
    "plan": ["0042", "0043-auth"], "planId": ["0042"], "agent": ["001"], "agentId": ["001-schema"],
    "project": ["shop"], "name": ["0042", "0043-auth", "ADR-0001", "workspace"],
    "context_archive.name": ["0043-auth"], "context_restore.name": ["0043-auth"],
    "plan_renumber.plan": ["0043-auth"], "record": ["ADR-0003"],
    "project_new.name": ["Bank"], "plan_new.name": ["Search"], "agent_new.name": ["Scout"],
    "adr_show.id": ["ADR-0001", "ADR-0002"], "adr_status.id": ["ADR-0001", "ADR-0002"],
    "adr_history.id": ["ADR-0001"], "old": ["ADR-0001"], "new": ["ADR-0002"],
    "memory_promote.entry": ["finding-1"], "memory_resolve.entry": ["blocker-1"],
    "hot_demote.item": ["conventions#naming", "conventions#commits"],
    "hot_demote.to": ["docs/rules.md"], "hot_promote.item": ["files#names"],
    "learn_decision.scope": ["workspace"], "learn_lesson.scope": ["workspace"],
    "learn_promote.scope": ["workspace"], "category": ["tooling"],
    "learn_decision.title": ["Idempotent refunds"], "learn_lesson.title": ["Locks in tests"],
    "learn_promote.title": ["Flags"], "older_than": ["1y"],
    "file_opened": ["src/graph.rs"], "branch": ["feature/0042"],
    "set": [{"content": "New text"}], "sprint": ["sprint-01"], "stage": ["planning"],
    "artifacts": [{"plan": {"goal": "Ship refunds"}}], "results": [{"done": 3}], "budget": [2000],
    "trigger": ["new_endpoint", "release"], "content": ["Refunds have an id", "Backups run at night"],
    "query": ["refunds", "what did we decide last week?"], "tag": ["money"],
    "as_of": ["2026-02-22"], "valid_at": ["2026-02-21"], "date": ["2026-02-20"],
    "valid_from": ["2026-01-01"], "valid_to": ["2026-12-31"],
    "transcript": ["User: Fix it.\nAssistant: We'll use X instead of Y. Done."]
}"#;

/// Returns the path of the Python that has schemathesis. Installs it if it is missing.
fn schemathesis() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--", "schemathesis"])
        .current_dir(&repository)
        .status()
        .expect("cargo runs");
    assert!(installed.success(), "schemathesis could not be installed");
    let folder = repository.join("target/schemathesis");
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python3" })
}
