//! Records of the log: storing, superseding, archiving, and what is shared by git.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

use crate::HEIR;

fn team() -> Workspace {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    workspace
}

/// Runs a command at a given time, and returns its JSON answer.
fn json_at(workspace: &Workspace, now: &str, arguments: &[&str]) -> Value {
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
        json_at(workspace, heirloom_testkit::NOW, &["fact", "add", "--section", "Decisions", text]);
    stored["id"].as_str().unwrap().to_owned()
}

fn texts(answer: &Value) -> Vec<&str> {
    let items = answer.get("hits").unwrap_or(&answer["items"]);
    items.as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect()
}

#[test]
fn a_known_fact_is_reinforced_and_similar_facts_are_listed() {
    let team = team();
    let id = store(&team, "Use Postgres for all billing data");
    let again = json_at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "decisions", "use  postgres for all BILLING data."],
    );
    assert_eq!(
        (again["done"].as_str(), again["id"].as_str()),
        (Some("reinforced"), Some(id.as_str()))
    );
    let near = json_at(
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
fn a_superseded_fact_leads_to_its_successor() {
    let team = team();
    let old = store(&team, "Sessions in JWT");
    team.run(&["memory", "focus", &old]).ok();
    let new = json_at(&team, heirloom_testkit::NOW, &["fact", "edit", &old, "Sessions in cookies"]);
    assert_eq!(new["replaced"][0], old.as_str());
    assert_eq!(texts(&team.json("fact list")), ["Sessions in cookies"]);
    assert_eq!(team.json("stats")["pins"][0]["text"], "Sessions in cookies");
    let history =
        json_at(&team, heirloom_testkit::NOW, &["fact", "show", new["id"].as_str().unwrap()]);
    assert_eq!(history["history"][0]["text"], "Sessions in JWT");
    assert_eq!(texts(&team.json("memory search-archive JWT")), ["Sessions in JWT"]);
    let lines = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/fact"]);
    assert_eq!(lines.lines().count(), 1, "one shard: {lines}");
    assert_eq!(team.read(lines.trim()).lines().count(), 2, "a supersession is one line");
}

#[test]
fn an_edit_keeps_unknown_fields() {
    let team = team();
    let id = store(&team, "Old");
    let shard = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/fact"]);
    let text = team.read(shard.trim());
    team.write(shard.trim(), text.replace("\"by\":", "\"colour\":\"blue\",\"by\":"));
    team.run(&["fact", "edit", &id, "New", "--tag", "t"]).ok();
    let text = team.read(shard.trim());
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&last["colour"], &last["content"]), (&"blue".into(), &"New".into()), "{last:#}");
}

#[test]
fn an_archived_fact_is_not_recalled_until_it_is_restored() {
    let team = team();
    let id = store(&team, "Stale");
    team.run(&["memory", "archive", &id, "--reason", "gone"]).ok();
    assert!(texts(&team.json("fact list")).is_empty());
    assert_eq!(texts(&team.json("fact list --all")), ["Stale"]);
    assert_eq!(texts(&team.json("recall stale")), Vec::<&str>::new());
    let later = "2026-02-23T00:00:00Z";
    json_at(&team, later, &["fact", "add", "--section", "Decisions", "Stale"]);
    assert_eq!(texts(&team.json("fact list")), ["Stale"], "a fact that is stored again is active");
    team.run(&["memory", "restore", &id]).ok();
    assert_eq!(team.json("fact list")["hits"][0]["id"], id.as_str());
    team.run(&["memory", "restore", &id]).failed(2);
}

#[test]
fn a_fact_is_expired_from_the_day_on_which_it_is_no_longer_true() {
    let team = team();
    let add = |text: &str, valid_to: &str| {
        let words = ["fact", "add", "--section", "Specs", text, "--valid-to", valid_to];
        json_at(&team, heirloom_testkit::NOW, &words)["id"].as_str().unwrap().to_owned()
    };
    let (id, current) =
        (add("The office is closed", "2026-02-23"), add("Doors are open", "2026-02-24"));
    team.run(&["memory", "connect", &id, &current, "contradicts"]).ok();
    team.run(&["memory", "focus", &id]).ok();
    let tomorrow = "2026-02-23T00:00:00Z";
    for words in [&["fact", "list"][..], &["recall", "office closed"], &["fact", "list", "office"]]
    {
        let hit_at = |now: &str| {
            let found = json_at(&team, now, words);
            let hits = found["hits"].as_array().unwrap().iter();
            hits.clone().find(|hit| hit["id"] == id.as_str()).unwrap().clone()
        };
        assert_eq!(hit_at(heirloom_testkit::NOW)["standing"], "active", "{words:?}");
        let hit = hit_at(tomorrow);
        assert_eq!((&hit["standing"], &hit["freshness"]), (&"expired".into(), &"critical".into()));
    }
    assert_eq!(json_at(&team, tomorrow, &["fact", "show", &id])["standing"], "expired");
    assert_eq!(json_at(&team, tomorrow, &["fact", "show", &current])["standing"], "active");
    assert_eq!(json_at(&team, tomorrow, &["memory", "stats"])["pins"][0]["standing"], "expired");
    let stats = json_at(&team, tomorrow, &["memory", "stats"]);
    assert_eq!(
        (&stats["records"]["fact"]["active"], &stats["sections"]["Specs"]),
        (&1.into(), &1.into())
    );
    assert_eq!(stats["records"]["fact"]["expired"], 1);
    let graph = json_at(&team, tomorrow, &["graph", "show", &id]);
    let node = &graph["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|node| node["title"] == "The office is closed");
    assert_eq!(node.unwrap()["status"], "expired", "{graph:#}");
    for words in [&["fact", "list"][..], &["memory", "focus"], &["export", "--format", "markdown"]]
    {
        let printed = team.run_at(tomorrow, words).ok();
        assert!(printed.contains("expired"), "{printed}");
    }
    let before = json_at(&team, tomorrow, &["recall", "office closed", "--valid-at", "2026-02-22"]);
    assert_eq!(before["hits"][0]["id"], id.as_str(), "{before}");
}

/// The counts of a long log come from the index.
#[test]
fn expired_facts_of_a_long_log_are_counted() {
    let team = team();
    let words = ["fact", "add", "--section", "Specs", "Fact one", "--valid-to", "2026-02-23"];
    let id = json_at(&team, heirloom_testkit::NOW, &words)["id"].as_str().unwrap().to_owned();
    let [shard] = team.shards("fact").try_into().unwrap();
    let line = team.read(&shard);
    let copies = (0..3000).map(|n| {
        let copy = line.replace(&id, &format!("019c82a5-5800-7000-8000-{n:012x}"));
        let copy = copy.replace("Fact one", &format!("Fact {n}"));
        if n % 3 == 0 { copy } else { copy.replace("2026-02-23", "2027-02-23") }
    });
    team.write(&shard, copies.collect::<String>());
    team.json("recall fact");
    let stats = json_at(&team, "2026-02-23T00:00:00Z", &["memory", "stats"]);
    let facts = &stats["records"]["fact"];
    assert_eq!((&facts["active"], &facts["expired"]), (&2000.into(), &1000.into()));
    assert_eq!(stats["sections"]["Specs"], 2000);
}

#[test]
fn the_hint_for_a_note_is_a_command_that_makes_a_fact_of_it() {
    let team = team();
    let note = json_at(&team, heirloom_testkit::NOW, &["note", "Ask finance"]);
    let error =
        team.run(&["fact", "edit", note["id"].as_str().unwrap(), "Finance agreed"]).failed(2);
    assert!(
        error.contains("is a note, not a fact") && error.contains("heir note promote"),
        "{error}"
    );
}

/// Copies a folder with everything in it.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn a_copy_of_a_clone_writes_to_a_shard_of_its_own() {
    let team = team();
    store(&team, "In the original");
    team.commit_all("2026-02-21T00:00:00Z");
    let copied = Workspace::empty(HEIR);
    copy(team.path(), copied.path());
    store(&copied, "In the copy");
    store(&copied, "In the copy again");
    store(&team, "In the original again");
    assert_eq!((team.shards("fact").len(), copied.shards("fact").len()), (1, 2));
    assert_eq!(texts(&copied.json("fact list")).len(), 3);
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
fn facts_that_were_archived_together_can_be_restored_one_by_one() {
    let team = team();
    let (a, b) = (store(&team, "First thing"), store(&team, "Second thing"));
    let private = json_at(
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
}

#[test]
fn an_archived_fact_is_no_longer_pinned() {
    let team = team();
    let id = store(&team, "Pinned thing");
    team.run(&["memory", "focus", &id]).ok();
    team.run(&["memory", "archive", &id]).ok();
    assert_eq!(team.json("context resolve 0042 001")["pins"], Value::Array(vec![]));
    assert_eq!(team.json("stats")["pins"], Value::Array(vec![]));
}

#[test]
fn private_records_of_an_export_stay_private() {
    let team = team();
    let private = json_at(
        &team,
        heirloom_testkit::NOW,
        &["fact", "add", "--section", "Specs", "My own thing", "--private"],
    );
    team.run(&["memory", "archive", private["id"].as_str().unwrap(), "--reason", "client left"])
        .ok();
    let exported = team.heir("export --private").ok();
    let other = Workspace::with(HEIR, TEAM);
    other.commit_all("2026-02-21T00:00:00Z");
    let mut lines: Vec<&str> = exported.lines().collect();
    lines.reverse();
    other.write("e.jsonl", lines.join("\n"));
    other.heir("import e.jsonl").ok();
    assert!(!other.has(".heirloom/memory"), "private records must not be shared by git");
    assert_eq!(texts(&other.json("fact list --all")), ["My own thing"]);
}

#[test]
fn commands_that_read_the_log_report_a_damaged_line() {
    let team = team();
    let agent = "plans/0042-graph/agents/001-schema.memory.md";
    team.run(&["memory", "add", "0042", "001", "finding", "Put away"]).ok();
    team.run(&["memory", "archive", "0042/001/finding-1"]).ok();
    let shard = team.git(&["ls-files", "--others", "--exclude-standard", ".heirloom/memory/event"]);
    team.write(shard.trim(), "{\"v\":1,");
    for command in ["context resolve 0042 001", "memory show 0042 001"] {
        assert_eq!(team.json(command)["problems"][0]["path"], shard.trim(), "{command}");
    }
    assert!(team.read(agent).contains("Put away"));
}

#[test]
fn all_versions_of_a_long_history_lead_to_the_latest() {
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
