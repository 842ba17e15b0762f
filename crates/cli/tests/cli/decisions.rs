//! Decision records: discovery, numbering, supersession across folders, recovery of changes.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::json;

use crate::HEIR;

const TWO_RECORDS: &str = "\
//- .heirloom/adrs/ADR-0005-x.md
---
title: T0005
status: accepted
---
//- .heirloom/adrs/ADR-0010-x.md
---
title: T0010
status: accepted
---
";

/// The next command completes the change of a process that died between writing the journal and
/// renaming the files.
#[test]
fn an_interrupted_change_is_completed() {
    let workspace = Workspace::with(HEIR, TWO_RECORDS);
    let (old, new) = (".heirloom/adrs/ADR-0005-x.md", ".heirloom/adrs/ADR-0010-x.md");
    let draft = |path: &str| path.replace("ADR-", "draft-ADR-");
    let texts = [old, new].map(|path| workspace.read(path).replace("title: T", "title: N"));
    let moves: Vec<_> = [old, new]
        .iter()
        .zip(&texts)
        .map(|(path, text)| {
            workspace.write(&draft(path), text);
            std::fs::remove_file(workspace.path().join(path)).unwrap();
            json!({"from": draft(path), "to": path, "before": "absent"})
        })
        .collect();
    let root = workspace.path().canonicalize().unwrap();
    let journal = json!({"root": root, "moves": moves, "appends": []});
    workspace.write(".heirloom/local/journal.json", journal.to_string());
    workspace.heir("adr list").ok();
    assert_eq!([old, new].map(|path| workspace.read(path)), texts);
    assert!(!workspace.has(".heirloom/local/journal.json"));
}

#[test]
fn only_the_named_record_of_another_folder_is_superseded() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.heir("project new p").ok();
    for (title, project) in [("W1", ""), ("W2", ""), ("P1", "--project p"), ("P2", "--project p")] {
        workspace.heir(&format!("adr new {title} --status accepted {project}")).ok();
    }
    workspace.heir("adr supersede adr/ADR-0001 adr/p/ADR-0002").ok();
    let listed = workspace.json("adr list");
    let by_title = |title: &str| {
        listed["adrs"].as_array().unwrap().iter().find(|adr| adr["title"] == title).unwrap().clone()
    };
    assert_eq!(
        (&by_title("W1")["status"], &by_title("P1")["status"], &by_title("W2")["superseded_by"]),
        (&json!("superseded"), &json!("accepted"), &json!([]))
    );
    assert_eq!(by_title("P2")["supersedes"], json!(["ADR-0001"]));
    let graph = workspace.json("graph show adr/p/ADR-0002");
    assert!(
        graph["edges"].as_array().unwrap().contains(
            &json!({"from": "adr/p/ADR-0002", "to": "adr/ADR-0001", "type": "SUPERSEDES"})
        ),
        "{graph:#}"
    );
    workspace.heir("adr supersede adr/ADR-0002 adr/p/ADR-0001").ok();
    workspace.heir("context validate").ok();
}

#[test]
fn records_with_unusual_titles_are_listed() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    for title in ["Use the new template", "XXX marks", "2026 goals"] {
        workspace.run(&["adr", "new", title]).ok();
    }
    assert_eq!(workspace.json("adr list")["adrs"].as_array().unwrap().len(), 3);
}

#[test]
fn a_record_in_overlapping_folders_is_listed_once() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs\", \"docs/adr\"]\n//- docs/adr/0001-a.md\n# A\n\nStatus: Accepted\n",
    );
    assert_eq!(workspace.json("adr list")["adrs"].as_array().unwrap().len(), 1);
    assert_eq!(workspace.json("adr new B")["name"], "ADR-0002");
}

/// A recursion over the chain would overflow the stack.
#[test]
fn the_history_of_a_very_long_chain_is_shown() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/config.toml\n");
    for number in 1..=3000 {
        let by = if number < 3000 {
            format!("superseded_by: ADR-{:04}\nstatus: superseded", number + 1)
        } else {
            "status: accepted".to_owned()
        };
        workspace.write(
            &format!(".heirloom/adrs/ADR-{number:04}-x.md"),
            format!("---\nupdated: 2026-02-20\n{by}\n---\n"),
        );
    }
    assert_eq!(workspace.heir("adr history 1").ok().lines().count(), 3000);
}

/// Creates a repository with decision records and adopts it.
fn adopt(records: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::empty(HEIR);
    for (path, text) in records {
        workspace.write(path, text);
    }
    workspace.heir("adopt").ok();
    workspace
}

const ADR_TOOLS: &str = "# 18. Old way\n\nDate: 2020-05-04\n\n## Status\n\nAccepted\n\n## Context\n\nLong.\n\n## Decision\n\nDone.\n\n## Consequences\n\nMany.\n";

#[test]
fn a_template_beside_the_records_is_used() {
    let workspace = adopt(&[
        (
            "docs/adr/ADR-001_first_one.md",
            "---\nstatus: Accepted\ndate: 04.05.2020\n---\n# ADR-001: First one\n",
        ),
        (
            "docs/adr/templates/adr-template.md",
            "---\nstatus: \"{proposed | accepted}\"\ndate: {when}\n---\n\n# {title}\n\n## Why\n\n{Say why.}\n",
        ),
    ]);
    let created = workspace.json("adr new Rust --status accepted");
    assert_eq!(created["path"], "docs/adr/ADR-002_rust.md");
    assert_eq!(
        workspace.read("docs/adr/ADR-002_rust.md"),
        "---\nstatus: \"accepted\"\ndate: 2026-02-22\n---\n\n# ADR-002: Rust\n\n## Why\n\n{Say why.}\n"
    );
    assert_eq!(workspace.json("adr list --in-force")["adrs"].as_array().unwrap().len(), 2);
}

#[test]
fn each_folder_continues_its_own_numbering() {
    let workspace = adopt(&[
        ("docs/adr/0001-a.md", ADR_TOOLS),
        ("docs/adr/0002-b.md", ADR_TOOLS),
        ("docs/adr/0003-c.md", ADR_TOOLS),
        ("doc/adr/0001-d.md", ADR_TOOLS),
    ]);
    assert_eq!(workspace.json("adr new X --folder doc/adr")["path"], "doc/adr/0002-x.md");
    assert_eq!(workspace.json("adr new Y")["path"], "docs/adr/0004-y.md");
}

#[test]
fn records_without_a_status_are_reported() {
    let workspace = adopt(&[
        ("docs/adr/0001-a.md", "# A\n\nWe do a.\n"),
        ("docs/adr/0002-b.md", "# B\n\nWe do b.\n"),
        ("docs/adr/0003-c.md", "# C\n\n## Status\n\nAccepted\n"),
    ]);
    let ids = json!(["ADR-0001", "ADR-0002"]);
    assert_eq!(workspace.json("adr list")["without_status"], ids);
    assert_eq!(workspace.json("context resolve")["decisions_without_status"], ids);
}

fn facts(team: &Workspace) -> Vec<String> {
    let listed = team.json("fact list");
    let facts = listed["hits"].as_array().unwrap().iter();
    facts.map(|fact| fact["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_fact_of_a_renumbered_record_survives_the_next_ingest() {
    let team = Workspace::with(HEIR, TEAM);
    team.run(&["adr", "new", "Use Kafka", "--status", "accepted"]).ok();
    team.heir("adr renumber ADR-0002 9").ok();
    let before = facts(&team);
    assert!(before.iter().any(|fact| fact.starts_with("ADR-0009: Use Kafka")), "{before:?}");
    team.heir("memory ingest").ok();
    team.heir("memory ingest").ok();
    assert!(before.iter().all(|fact| facts(&team).contains(fact)), "{before:?}");
}

#[test]
fn a_fact_that_a_person_wrote_stays_when_the_record_is_deleted() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    let id = team.json("fact list")["hits"][0]["id"].as_str().unwrap().to_owned();
    team.run(&["fact", "edit", &id, "SQLite is used, with backups since May"]).ok();
    let record = team.files(".heirloom/adrs").remove(0);
    std::fs::remove_file(team.path().join(record)).unwrap();
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team), ["SQLite is used, with backups since May"]);
}

#[test]
fn a_decision_that_comes_back_gets_its_fact_back() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    let stated = facts(&team);
    let path = team.files(".heirloom/adrs").remove(0);
    let text = team.read(&path);
    std::fs::remove_file(team.path().join(&path)).unwrap();
    team.heir("memory ingest").ok();
    assert!(facts(&team).is_empty());
    team.write(&path, &text);
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team), stated);
    team.write(&path, text.replace("accepted", "deprecated"));
    team.heir("memory ingest").ok();
    assert!(facts(&team).is_empty());
    team.write(&path, &text);
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team), stated);
    // What a person archives stays archived.
    let id = team.json("fact list")["hits"][0]["id"].as_str().unwrap().to_owned();
    team.run(&["memory", "archive", &id]).ok();
    team.heir("memory ingest").ok();
    assert!(facts(&team).is_empty());
}

#[test]
fn an_archived_record_is_not_called_deleted() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    team.heir("context archive ADR-0001 --yes").ok();
    let listed = team.heir("fact list").ok();
    assert!(!listed.contains("outdated") && listed.contains("ADR-0001"), "{listed}");
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team).len(), 1);
}

/// Returns why each listed fact is outdated.
fn outdated(team: &Workspace) -> Vec<String> {
    let listed = team.json("fact list");
    let facts = listed["hits"].as_array().unwrap().iter();
    facts.filter_map(|fact| Some(fact["outdated"].as_str()?.to_owned())).collect()
}

#[test]
fn a_fact_is_outdated_when_its_record_was_withdrawn_in_any_way() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    assert_eq!(outdated(&team), [""; 0]);
    let path = team.files(".heirloom/adrs").remove(0);
    let text = team.read(&path);

    team.write(
        ".heirloom/adrs/ADR-0007-postgres.md",
        "---\ntitle: Postgres\nstatus: accepted\nsupersedes: ADR-0001\n---\n\n## Decision\n\nUse Postgres.\n",
    );
    assert_eq!(outdated(&team), ["ADR-0001 is superseded by ADR-0007"]);
    std::fs::remove_file(team.path().join(".heirloom/adrs/ADR-0007-postgres.md")).unwrap();

    team.write(&path, text.replace("accepted", "proposed"));
    assert_eq!(outdated(&team), ["ADR-0001 is proposed again"]);
    let exported = team.heir("export --format markdown").ok();
    assert!(exported.contains("(outdated: ADR-0001 is proposed again)"), "{exported}");

    std::fs::remove_file(team.path().join(&path)).unwrap();
    team.write(".heirloom/adrs/ADR-0001-other-name.md", text.replace("accepted", "deprecated"));
    assert_eq!(outdated(&team), ["ADR-0001 is deprecated"]);
    team.heir("memory ingest").ok();
    assert!(facts(&team).is_empty());
}

#[test]
fn a_fact_of_a_plan_is_found_where_the_plan_is_now() {
    let team = Workspace::with(HEIR, TEAM);
    let created = team.json("plan new Ledger");
    let name = created["name"].as_str().unwrap();
    team.run(&["memory", "add", name, "--plan", "decision", "Amounts are integers"]).ok();
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team).len(), 2);
    team.run(&["plan", "renumber", name, "77"]).ok();
    assert_eq!(outdated(&team), [""; 0]);
    let memory = team.files("plans");
    let memory = memory.iter().find(|path| path.contains("77") && path.ends_with("memory.md"));
    std::fs::remove_file(team.path().join(memory.unwrap())).unwrap();
    assert_eq!(outdated(&team), ["its memory document was deleted"]);
}

#[test]
fn records_with_the_same_number_have_a_fact_each() {
    let team = Workspace::with(HEIR, TEAM);
    for (name, title) in [("kafka", "Use Kafka"), ("grpc", "Use gRPC")] {
        team.write(
            &format!(".heirloom/adrs/ADR-0007-{name}.md"),
            format!("---\ntitle: {title}\nstatus: accepted\n---\n"),
        );
    }
    for _ in 0..3 {
        team.heir("memory ingest").ok();
        let mut stored = facts(&team);
        stored.retain(|fact| fact.contains("ADR-0007"));
        stored.sort();
        assert_eq!(stored, ["ADR-0007: Use Kafka", "ADR-0007: Use gRPC"]);
    }
    let shard = team.shards("fact").remove(0);
    assert_eq!(team.read(&shard).lines().count(), 3, "{}", team.read(&shard));
    team.heir("adr renumber .heirloom/adrs/ADR-0007-grpc.md 9").ok();
    team.heir("memory ingest").ok();
    let stored = facts(&team);
    assert!(stored.contains(&"ADR-0007: Use Kafka".to_owned()), "{stored:?}");
    assert!(stored.contains(&"ADR-0009: Use gRPC".to_owned()), "{stored:?}");
    std::fs::remove_file(team.path().join(".heirloom/adrs/ADR-0007-kafka.md")).unwrap();
    team.heir("memory ingest").ok();
    assert!(facts(&team).iter().all(|fact| !fact.contains("Kafka")));
}

#[test]
fn a_supersession_that_is_taken_back_brings_the_fact_back() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    let before = facts(&team);
    let new = ".heirloom/adrs/ADR-0007-postgres.md";
    let text = "---\ntitle: Postgres\nstatus: accepted\nsupersedes: ADR-0001\n---\n";
    team.write(new, text);
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team), ["ADR-0007: Postgres"]);
    team.write(new, text.replace("supersedes: ADR-0001\n", ""));
    for _ in 0..2 {
        team.heir("memory ingest").ok();
        assert_eq!(facts(&team).len(), 2, "{:?}", facts(&team));
    }
    team.write(new, text);
    team.heir("memory ingest").ok();
    assert_eq!(facts(&team), ["ADR-0007: Postgres"]);
    std::fs::remove_file(team.path().join(new)).unwrap();
    for _ in 0..2 {
        team.heir("memory ingest").ok();
        assert_eq!(facts(&team), before);
    }
}

#[test]
fn a_document_with_conflict_markers_changes_no_fact() {
    let team = Workspace::with(HEIR, TEAM);
    let created = team.json("plan new Ledger");
    let name = created["name"].as_str().unwrap();
    team.run(&["memory", "add", name, "--plan", "decision", "Amounts are integers"]).ok();
    let path = team.files("plans").into_iter().find(|path| path.ends_with("plan.memory.md"));
    let path = path.unwrap();
    let text = team.read(&path);
    team.write(&path, format!("{text}\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"));
    assert_eq!(outdated(&team), [""; 0]);
    team.run(&["memory", "ingest"]);
    assert!(facts(&team).contains(&"Amounts are integers".to_owned()), "{:?}", facts(&team));
}

/// A person's edit of a fact stays when the text of its record changes, but says when the record is withdrawn.
#[test]
fn an_edited_fact_is_labelled_when_its_record_is_withdrawn() {
    let workspace = Workspace::with(HEIR, TWO_RECORDS);
    let record = ".heirloom/adrs/ADR-0005-x.md";
    let edit = |from: &str, to: &str| {
        workspace.write(record, workspace.read(record).replace(from, to));
    };
    let label = || {
        let listed = workspace.json("fact list");
        let facts = listed["hits"].as_array().unwrap();
        let edited = facts.iter().find(|fact| fact["text"] == "Our own words").unwrap();
        let recalled = &workspace.json("recall our own words")["hits"][0];
        assert_eq!((&recalled["id"], &recalled["outdated"]), (&edited["id"], &edited["outdated"]));
        edited["outdated"].as_str().map(str::to_owned)
    };
    workspace.heir("memory ingest").ok();
    let listed = workspace.json("fact list");
    let made = |fact: &&serde_json::Value| fact["text"].as_str().unwrap().starts_with("ADR-0005");
    let fact = listed["hits"].as_array().unwrap().iter().find(made).unwrap();
    workspace.run(&["fact", "edit", fact["id"].as_str().unwrap(), "Our own words"]).ok();
    assert_eq!(label(), None);
    edit("title: T0005", "title: Another title");
    assert_eq!(label(), None);
    edit("status: accepted", "status: deprecated");
    assert_eq!(label().as_deref(), Some("ADR-0005 is deprecated"));
    std::fs::remove_file(workspace.path().join(record)).unwrap();
    assert_eq!(label().as_deref(), Some("ADR-0005 was deleted"));
}
