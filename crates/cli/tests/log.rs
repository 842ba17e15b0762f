//! Facts, episodes, patterns, workflows, edges, pins and notes, through the real binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

fn team() -> Workspace {
    let workspace = Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    workspace
}

fn at(workspace: &Workspace, now: &str, arguments: &[&str]) -> Value {
    let output = workspace
        .command()
        .env("HEIRLOOM_NOW", now)
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn store(workspace: &Workspace, text: &str) -> String {
    let stored =
        at(workspace, heirloom_testkit::NOW, &["fact", "add", "--section", "Decisions", text]);
    stored["id"].as_str().unwrap().to_owned()
}

fn texts(answer: &Value) -> Vec<&str> {
    let items = answer.get("hits").unwrap_or(&answer["items"]);
    items.as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect()
}

#[test]
fn a_fact_is_stored_with_all_that_is_said_of_it() {
    let team = team();
    let stored = at(
        &team,
        heirloom_testkit::NOW,
        &[
            "fact",
            "add",
            "--section",
            "Decisions",
            "Use Postgres for billing",
            "--tag",
            "db",
            "--tag",
            "billing",
            "--confidence",
            "0.9",
            "--artifact",
            "commit:abc123",
            "--source",
            "review",
        ],
    );
    let shown =
        at(&team, heirloom_testkit::NOW, &["fact", "show", &stored["id"].as_str().unwrap()[28..]]);
    assert_eq!(shown["record"]["artifacts"][0], "commit:abc123");
    assert_eq!(shown["record"]["confidence"], 0.9);
    assert_eq!(shown["by"], "Ada");
    let error = team
        .run(&["fact", "add", "--section", "Decisions", "x", "--artifact", "ticket:3"])
        .failed(2);
    assert!(error.contains("commit:abc123"), "{error}");
    let error =
        team.run(&["fact", "add", "--section", "Decisions", "x", "--confidence", "7"]).failed(2);
    assert!(error.contains("0 to 1"), "{error}");
    let error = team.run(&["fact", "add", "--section", "Gossip", "x"]).failed(2);
    assert!(error.contains("known-issues"), "{error}");
}

#[test]
fn what_is_already_there_is_reinforced_and_what_is_near_is_listed() {
    let team = team();
    let id = store(&team, "Use Postgres for all billing data");
    let again = at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "decisions", "use  postgres for all BILLING data."],
    );
    assert_eq!(
        (again["done"].as_str(), again["id"].as_str()),
        (Some("reinforced"), Some(id.as_str()))
    );
    let near = at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "Architecture", "Use Postgres for billing data"],
    );
    assert_eq!(near["near"][0]["id"], id.as_str());
    let listed = team.json("fact list");
    assert_eq!(listed["hits"].as_array().unwrap().len(), 2);
    let first =
        listed["hits"].as_array().unwrap().iter().find(|item| item["id"] == id.as_str()).unwrap();
    assert_eq!(first["reinforced"], 1);
}

#[test]
fn a_superseded_fact_leads_to_what_replaced_it() {
    let team = team();
    let old = store(&team, "Sessions in JWT");
    team.run(&["memory", "focus", &old]).ok();
    let new = at(&team, heirloom_testkit::NOW, &["fact", "edit", &old, "Sessions in cookies"]);
    assert_eq!(new["replaced"][0], old.as_str());
    assert_eq!(texts(&team.json("fact list")), ["Sessions in cookies"]);
    assert_eq!(team.json("stats")["pins"][0]["text"], "Sessions in cookies");
    let history = at(&team, heirloom_testkit::NOW, &["fact", "show", new["id"].as_str().unwrap()]);
    assert_eq!(history["history"][0]["text"], "Sessions in JWT");
    assert_eq!(texts(&team.json("memory search-archive JWT")), ["Sessions in JWT"]);
    let lines = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/fact"]);
    assert_eq!(lines.lines().count(), 1, "one shard: {lines}");
    assert_eq!(team.read(lines.trim()).lines().count(), 2, "a supersession is one line");
}

#[test]
fn an_edit_keeps_what_it_does_not_know() {
    let team = team();
    let id = store(&team, "Old");
    let shard = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/fact"]);
    let text = team.read(shard.trim());
    team.write(shard.trim(), text.replace("\"by\":", "\"colour\":\"blue\",\"by\":"));
    team.run(&["fact", "edit", &id, "New", "--tag", "t"]).ok();
    let last = team.read(shard.trim()).lines().last().unwrap().to_owned();
    assert!(last.contains("\"colour\":\"blue\"") && last.contains("New"), "{last}");
}

#[test]
fn archiving_and_restoring() {
    let team = team();
    let id = store(&team, "Stale");
    team.run(&["memory", "archive", &id, "--reason", "gone"]).ok();
    assert!(texts(&team.json("fact list")).is_empty());
    assert_eq!(texts(&team.json("fact list --all")), ["Stale"]);
    assert_eq!(texts(&team.json("recall stale")), Vec::<&str>::new());
    let later = "2026-02-23T00:00:00Z";
    at(&team, later, &["fact", "add", "--section", "Decisions", "Stale"]);
    assert_eq!(texts(&team.json("fact list")), ["Stale"], "what is stored again stands");
    let error = team.run(&["memory", "restore", "ffffffff"]).failed(2);
    assert!(error.contains("nothing is remembered"), "{error}");
    team.run(&["memory", "restore", &id]).ok();
    assert_eq!(team.json("fact list")["hits"][0]["id"], id.as_str());
    team.run(&["memory", "restore", &id]).failed(2);
}

#[test]
fn what_was_known_and_what_was_true() {
    let team = team();
    let old = at(
        &team,
        "2026-01-10T00:00:00Z",
        &["fact", "add", "--section", "Architecture", "The database is SQLite"],
    );
    at(
        &team,
        "2026-02-20T00:00:00Z",
        &[
            "fact",
            "edit",
            old["id"].as_str().unwrap(),
            "The database is Postgres",
            "--valid-from",
            "2026-02-01",
        ],
    );
    let asked = |arguments: &str| {
        let answer = team.json(&format!("recall database --kind fact {arguments}"));
        texts(&answer).iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(asked(""), ["The database is Postgres"]);
    assert_eq!(asked("--as-of 2026-02-10"), ["The database is SQLite"]);
    assert_eq!(asked("--valid-at 2026-01-20"), ["The database is SQLite"]);
    assert_eq!(asked("--valid-at 2026-02-10"), ["The database is Postgres"]);
    assert_eq!(asked("--as-of 2026-02-10 --valid-at 2026-02-10"), ["The database is SQLite"]);
    assert_eq!(asked("--valid-at 2025-12-01"), Vec::<String>::new());
    let error = team.run(&["recall", "x", "--as-of", "soon"]).failed(2);
    assert!(error.contains("2026-02-22"), "{error}");
}

#[test]
fn edges_are_of_five_kinds_between_facts_entries_and_documents() {
    let team = team();
    let (a, b) = (store(&team, "Payments are idempotent"), store(&team, "Requests carry a key"));
    team.run(&["memory", "add", "0042", "001", "finding", "Retries double charge"]).ok();
    team.run(&["memory", "connect", &a, &b, "depends_on"]).ok();
    team.run(&["memory", "connect", &a, "ADR-0001", "motivated_by"]).ok();
    team.run(&["memory", "connect", &b, "0042/001/finding-1", "motivated_by"]).ok();
    assert!(
        team.read("plans/0042-graph/agents/001-schema.memory.md")
            .contains("- Retries double charge <!-- id:")
    );
    let error = team.run(&["memory", "connect", &a, &b, "likes"]).failed(2);
    assert!(error.contains("depends_on, contradicts, enables, replaces, motivated_by"), "{error}");
    let graph = team.json(&format!("graph show {a}"));
    let mut kinds: Vec<&str> = graph["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["type"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["DEPENDS_ON", "MOTIVATED_BY"], "{graph:#}");
    assert!(team.heir("graph export --format mermaid").ok().contains("DEPENDS_ON"));
    team.run(&["memory", "connect", &a, &b, "contradicts"]).ok();
    assert!(team.json("context conflicts")["conflicts"].to_string().contains("contradicts"));
    team.run(&["memory", "connect", &a, &b, "contradicts", "--remove"]).ok();
    assert_eq!(team.json("stats")["relations"], 3);
}

#[test]
fn pins_are_capped_persist_and_are_this_machines_own() {
    let team = team();
    team.write(".heirloom/config.toml", "[memory]\npins = 2\n");
    let ids: Vec<String> =
        ["a one", "b two", "c three"].iter().map(|text| store(&team, text)).collect();
    team.run(&["memory", "focus", &ids[0], &ids[1]]).ok();
    let error = team.run(&["memory", "focus", &ids[2]]).failed(2);
    assert!(error.contains("2 pins") && error.contains("memory.pins"), "{error}");
    assert!(!team.has(".heirloom/memory/event"), "pins never go to git");
    team.run(&["memory", "release", &ids[0]]).ok();
    team.run(&["memory", "focus", &ids[2]]).ok();
    let pins = team.json("compact")["pins"].clone();
    assert_eq!(pins.as_array().unwrap().len(), 2);
    team.run(&["memory", "release"]).ok();
    assert_eq!(team.json("stats")["pins"], Value::Array(vec![]));
}

#[test]
fn what_is_private_and_what_names_it_stays_on_this_machine() {
    let team = team();
    let stored = at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "Specs", "My own habit", "--private"],
    );
    let id = stored["id"].as_str().unwrap();
    let shared = store(&team, "Shared");
    team.run(&["memory", "connect", id, &shared, "enables"]).ok();
    team.run(&["fact", "edit", id, "My other habit"]).ok();
    let listed = team.json("fact list habit");
    team.run(&["memory", "archive", listed["hits"][0]["id"].as_str().unwrap()]).ok();
    let files = team.git(&["ls-files", "--others", "--exclude-standard"]);
    let ours: Vec<&str> =
        files.lines().filter(|file| file.starts_with(".heirloom/memory/")).collect();
    assert_eq!(ours.len(), 1, "{ours:?}");
    assert!(!team.read(ours[0]).contains("habit"));
    assert!(!team.heir("export").ok().contains("habit"));
    assert!(team.heir("export --private").ok().contains("habit"));
}

#[test]
fn episodes_patterns_and_workflows() {
    let team = team();
    let run = |arguments: &[&str]| {
        at(&team, heirloom_testkit::NOW, arguments)["id"].as_str().unwrap().to_owned()
    };
    let episode = run(&[
        "episode",
        "add",
        "Auth refactor",
        "--content",
        "JWT was too big",
        "--goal",
        "smaller",
        "--decision",
        "sessions",
        "--outcome",
        "done",
        "--file",
        "src/auth.rs",
    ]);
    run(&[
        "pattern",
        "add",
        "new_endpoint",
        "--template",
        "{\"route\":\"GET /x\"}",
        "--hint",
        "route→zod",
    ]);
    run(&[
        "workflow",
        "add",
        "deploy",
        "--step",
        "test",
        "--step",
        "build",
        "--details",
        "test=cargo test",
    ]);
    assert_eq!(texts(&team.json("workflow list")), ["deploy: test → build"]);
    assert_eq!(texts(&team.json("pattern list zod")), ["new_endpoint: route→zod"]);
    let found = team.json("episode list JWT");
    assert!(texts(&found)[0].starts_with("Auth refactor: "), "{found:#}");
    team.run(&["episode", "edit", &episode, "--set", "outcome=shipped", "--set", "goals=a; b"])
        .ok();
    let listed = team.json("episode list");
    let shown = team.json(&format!("episode show {}", listed["hits"][0]["id"].as_str().unwrap()));
    assert_eq!(
        (shown["record"]["outcome"].as_str(), shown["record"]["goals"][1].as_str()),
        (Some("shipped"), Some("b"))
    );
    let error = team
        .run(&[
            "episode",
            "edit",
            listed["hits"][0]["id"].as_str().unwrap(),
            "--set",
            "colour=blue",
        ])
        .failed(2);
    assert!(error.contains("colour"), "{error}");
    let error =
        team.run(&["workflow", "add", "deploy", "--step", "test", "--details", "tset=x"]).failed(2);
    assert!(error.contains("tset"), "{error}");
}

#[test]
fn notes_are_pending_until_they_are_done_or_promoted() {
    let team = team();
    let note = |text: &str| {
        at(&team, heirloom_testkit::NOW, &["note", text])["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (note("look at CI"), note("rename the crate"));
    team.run(&["note", "done", &first]).ok();
    assert_eq!(texts(&team.json("notes")), ["rename the crate"]);
    team.run(&["note", "promote", &second, "--section", "Specs"]).ok();
    assert!(texts(&team.json("notes")).is_empty());
    assert_eq!(texts(&team.json("fact list")), ["rename the crate"]);
    team.run(&["note", "done", &first, "--undo"]).ok();
    assert_eq!(texts(&team.json("notes")), ["look at CI"]);
    team.run(&["note"]).failed(2);
    team.run(&["note", "buy", "milk"]).ok();
    assert!(texts(&team.json("notes")).contains(&"buy milk"));
}

#[test]
fn decisions_become_facts_once() {
    let team = team();
    team.heir("adr new Use-Redis").ok();
    let moved = team.json("adr status ADR-0002 accepted");
    assert!(moved["fact"].is_string(), "{moved}");
    let fact = team.json("fact list")["hits"][0].clone();
    assert_eq!(fact["section"], "Decisions");
    let shown = team.json(&format!("fact show {}", fact["id"].as_str().unwrap()));
    assert_eq!(shown["record"]["origin"], "adr:ADR-0002#accepted");
    let ingested = team.json("memory ingest");
    assert_eq!(ingested["items"].as_array().unwrap().len(), 1, "ADR-0001, which was there before");
    assert!(team.json("memory ingest")["items"].as_array().unwrap().is_empty());
    team.run(&["memory", "add", "0042", "--plan", "question", "Which cache?"]).ok();
    let resolved = at(
        &team,
        heirloom_testkit::NOW,
        &["memory", "resolve", "0042", "--plan", "question-1", "Redis"],
    );
    assert!(resolved["fact"].is_string());
    team.heir("adr new Use-Valkey --status accepted").ok();
    team.heir("adr supersede ADR-0002 ADR-0003").ok();
    let facts = team.json("fact list");
    assert!(texts(&facts).iter().any(|text| text.contains("Use-Valkey")), "{facts:#}");
    assert!(!texts(&facts).iter().any(|text| text.contains("Use-Redis")), "{facts:#}");
}

#[test]
fn a_session_leaves_an_episode() {
    let team = team();
    at(&team, "2026-02-22T09:00:00Z", &["session", "start", "Billing"]);
    team.write("src/billing.rs", "fn main() {}\n");
    team.git(&["add", "src"]);
    team.git_at(&["commit", "--quiet", "--message", "billing: begin"], "2026-02-22T09:30:00Z");
    let fact = at(
        &team,
        "2026-02-22T09:40:00Z",
        &["fact", "add", "--section", "Specs", "Invoices are immutable"],
    );
    let ended = at(
        &team,
        "2026-02-22T10:00:00Z",
        &["session", "end", "--turns", "12", "--tool-calls", "30"],
    );
    let shown = team.json(&format!("episode show {}", ended["id"].as_str().unwrap()));
    let record = &shown["record"];
    assert_eq!(record["title"], "Billing");
    assert_eq!(
        (
            record["duration_seconds"].as_u64(),
            record["turns"].as_u64(),
            record["tool_calls"].as_u64()
        ),
        (Some(3600), Some(12), Some(30))
    );
    assert!(record["files"].to_string().contains("src/billing.rs"), "{record:#}");
    assert!(record["commits"][0].as_str().unwrap().ends_with("billing: begin"), "{record:#}");
    assert!(record["stored"].as_array().unwrap().contains(&fact["id"]), "{record:#}");
    assert_eq!(record["tags"][0], "auto");
    let error = team.heir("session end").failed(2);
    assert!(error.contains("heir session start"), "{error}");
}

#[test]
fn two_branches_write_to_two_shards() {
    let team = team();
    store(&team, "On main");
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["checkout", "--quiet", "-b", "feature"]);
    store(&team, "On a branch");
    let files = team.git(&["ls-files", "--others", "--exclude-standard", "--modified"]);
    assert_eq!(files.lines().count(), 1, "{files}");
    assert_eq!(team.json("fact list")["hits"].as_array().unwrap().len(), 2);
}

#[test]
fn what_was_archived_together_is_restored_one_by_one() {
    let team = team();
    let (a, b) = (store(&team, "First thing"), store(&team, "Second thing"));
    let private = at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "Specs", "My own thing", "--private"],
    );
    team.run(&["memory", "archive", &a, &b, private["id"].as_str().unwrap()]).ok();
    team.run(&["memory", "restore", &a]).ok();
    assert_eq!(texts(&team.json("fact list")), ["First thing"]);
    let shared =
        team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/event"]);
    let events = team.read(shared.trim());
    assert!(events.contains(&b) && !events.contains(private["id"].as_str().unwrap()), "{events}");
    let error = team
        .run(&[
            "fact",
            "add",
            "--section",
            "Specs",
            "Public",
            "--supersedes",
            private["id"].as_str().unwrap(),
        ])
        .failed(2);
    assert!(error.contains("--private"), "{error}");
}

#[test]
fn an_archived_pin_does_not_come_first_any_more() {
    let team = team();
    let id = store(&team, "Pinned thing");
    team.run(&["memory", "focus", &id]).ok();
    team.run(&["memory", "archive", &id]).ok();
    assert_eq!(team.json("context resolve 0042 001")["pins"], Value::Array(vec![]));
    assert_eq!(team.json("stats")["pins"], Value::Array(vec![]));
}

#[test]
fn a_fork_is_told_until_one_side_is_put_away() {
    let team = team();
    let old = store(&team, "Use one queue");
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["checkout", "--quiet", "-b", "other"]);
    team.run(&["fact", "edit", &old, "Use two queues"]).ok();
    team.commit_all("2026-02-21T01:00:00Z");
    team.git(&["checkout", "--quiet", "main"]);
    let sure = at(&team, heirloom_testkit::NOW, &["fact", "edit", &old, "--confidence", "0.5"]);
    team.commit_all("2026-02-21T02:00:00Z");
    team.git(&["merge", "--quiet", "--no-edit", "other"]);
    let forks = team.json("stats")["forks"].clone();
    assert_eq!(forks[0]["heads"].as_array().unwrap().len(), 2, "{forks}");
    assert!(team.json("context conflicts")["conflicts"].to_string().contains("which all stand"));
    team.run(&["memory", "archive", sure["id"].as_str().unwrap()]).ok();
    assert_eq!(team.json("stats")["forks"], Value::Array(vec![]));
}

#[test]
fn an_edited_fact_goes_with_the_decision_that_it_came_from() {
    let team = team();
    team.heir("adr new Use-Redis --status accepted").ok();
    let fact = team.json("fact list")["hits"][0]["id"].as_str().unwrap().to_owned();
    team.run(&["fact", "edit", &fact, "Redis holds sessions"]).ok();
    team.heir("adr status ADR-0002 deprecated").ok();
    assert!(texts(&team.json("fact list")).is_empty());
}

#[test]
fn private_lines_of_an_export_stay_private() {
    let team = team();
    let private = at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "Specs", "My own thing", "--private"],
    );
    team.run(&["memory", "archive", private["id"].as_str().unwrap(), "--reason", "client left"])
        .ok();
    let exported = team.heir("export --private").ok();
    let other = Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM);
    other.commit_all("2026-02-21T00:00:00Z");
    let mut lines: Vec<&str> = exported.lines().collect();
    lines.reverse();
    other.write("e.jsonl", lines.join("\n"));
    other.heir("import e.jsonl").ok();
    assert!(!other.has(".heirloom/memory"), "nothing of it goes to git");
    assert_eq!(texts(&other.json("fact list --all")), ["My own thing"]);
}

#[test]
fn a_damaged_line_of_the_log_is_told_where_it_matters() {
    let team = team();
    let agent = "plans/0042-graph/agents/001-schema.memory.md";
    team.run(&["memory", "add", "0042", "001", "finding", "Put away"]).ok();
    team.run(&["memory", "archive", "0042/001/finding-1"]).ok();
    let shard = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/event"]);
    team.write(shard.trim(), "{\"v\":1,");
    let told = |answer: &Value| answer["problems"].to_string().contains(shard.trim());
    assert!(told(&team.json("context resolve 0042 001")));
    assert!(told(&team.json("memory show 0042 001")));
    assert!(team.read(agent).contains("Put away"));
}

#[test]
fn a_long_history_is_followed_in_one_go() {
    let team = team();
    let first = store(&team, "Version 0");
    let shard = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/fact"]);
    let line = team.read(shard.trim());
    let mut lines = line.clone();
    let mut last = first.clone();
    for n in 1..2000 {
        let id = format!("019c82a5-5800-7000-8000-{n:012x}");
        let head =
            line.trim_end().replace(&first, &id).replace("Version 0", &format!("Version {n}"));
        lines.push_str(&format!(
            "{},\"supersedes\":[\"{last}\"]}}\n",
            head.strip_suffix('}').unwrap()
        ));
        last = id;
    }
    team.write(shard.trim(), &lines);
    let listed = team.json("fact list --all");
    assert!(
        listed["hits"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["standing"] == "superseded")
            .all(|item| item["replaced_by"][0] == last.as_str())
    );
}
