//! `memory undo`: what was superseded by mistake is active again, here and on every branch.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;
use crate::merges::{merge_both_ways, team};

fn store(workspace: &Workspace, text: &str) -> String {
    let arguments = ["fact", "add", "--section", "Decisions", text, "--json"];
    id_of(&workspace.run(&arguments).ok())
}

fn edit(workspace: &Workspace, id: &str, text: &str) -> String {
    id_of(&workspace.run(&["fact", "edit", id, text, "--json"]).ok())
}

fn id_of(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    answer["id"].as_str().unwrap().to_owned()
}

fn texts(workspace: &Workspace, command: &str) -> Vec<String> {
    let answer = workspace.json(command);
    let items = answer.get("hits").unwrap_or(&answer["items"]).as_array().unwrap().iter();
    let mut texts: Vec<String> =
        items.map(|item| item["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn an_undone_supersession_leaves_the_predecessor_active() {
    let team = team();
    let old = store(&team, "Sessions in JWT");
    team.run(&["memory", "focus", &old]).ok();
    let new = edit(&team, &old, "Sessions in cookies");
    team.run(&["memory", "undo", &old]).failed(2);
    let undone = team.json(&format!("memory undo {new} --reason mistake"));
    assert_eq!(undone["items"][0]["id"], json!(old));
    assert_eq!(texts(&team, "fact list"), ["Sessions in JWT"]);
    assert_eq!(texts(&team, "recall sessions"), ["Sessions in JWT"]);
    assert_eq!(texts(&team, "memory search-archive cookies"), ["Sessions in cookies"]);
    assert_eq!(team.json("stats")["pins"][0]["text"], "Sessions in JWT");
    let shown = team.json(&format!("fact show {new}"));
    assert_eq!(shown["archived_because"], json!(["mistake"]));
    assert!(team.run(&["memory", "undo", &new]).failed(2).contains("already undone"));
    assert!(team.run(&["memory", "undo", &old]).failed(2).contains("supersedes nothing"));
    team.run(&["memory", "restore", &new]).ok();
    assert_eq!(texts(&team, "fact list"), ["Sessions in cookies"]);
}

#[test]
fn an_entry_that_was_superseded_by_mistake_is_active_again() {
    let team = Workspace::with(HEIR, TEAM);
    team.run(&["memory", "add", "0042", "001", "finding", "Ids are hashed"]).ok();
    let new = edit(&team, "0042/001/finding-1", "Ids are random");
    assert_eq!(texts(&team, "recall ids"), ["Ids are random"]);
    team.run(&["memory", "undo", &new]).ok();
    assert_eq!(texts(&team, "recall ids"), ["Ids are hashed"]);
    assert_eq!(team.json("memory show 0042 001")["entries"][0]["standing"], "active");
}

#[test]
fn an_undo_on_one_branch_holds_after_the_merge() {
    let origin = team();
    let new = edit(&origin, &store(&origin, "Old."), "New.");
    origin.commit_all("2026-02-21T00:00:00Z");
    let undo = |workspace: &Workspace| drop(workspace.run(&["memory", "undo", &new]).ok());
    let reinforce = |workspace: &Workspace| drop(store(workspace, "Other."));
    for workspace in merge_both_ways(&origin, undo, reinforce) {
        assert_eq!(texts(&workspace, "fact list"), ["Old.", "Other."]);
        assert_eq!(workspace.json("stats")["problems"], json!([]));
    }
}

#[test]
fn an_undo_and_another_supersession_are_a_fork() {
    let origin = team();
    let old = store(&origin, "Old.");
    let new = edit(&origin, &old, "New.");
    origin.commit_all("2026-02-21T00:00:00Z");
    let undo = |workspace: &Workspace| drop(workspace.run(&["memory", "undo", &new]).ok());
    let edit_again = |workspace: &Workspace| drop(edit(workspace, &new, "Newer."));
    for workspace in merge_both_ways(&origin, undo, edit_again) {
        assert_eq!(texts(&workspace, "fact list"), ["Newer.", "Old."]);
        let fork = &workspace.json("stats")["forks"][0];
        assert_eq!((&fork["replaced"], fork["heads"].as_array().unwrap().len()), (&json!(old), 2));
    }
}

/// Returns the texts of the active facts.
fn facts(workspace: &Workspace) -> Vec<String> {
    texts(workspace, "fact list")
}

#[test]
fn an_undone_text_of_a_decision_is_not_stored_again() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    let record = ".heirloom/adrs/ADR-0001-use-sqlite.md";
    let old = facts(&team);
    let decide = |text: &str| {
        team.write(
            record,
            format!("---\ntitle: Use SQLite\nstatus: accepted\n---\n\n## Decision\n\n{text}\n"),
        );
        team.heir("memory ingest").ok();
    };
    decide("For everything.");
    assert_ne!(facts(&team), old);
    let new = team.json("fact list")["hits"][0]["id"].as_str().unwrap().to_owned();
    team.run(&["memory", "undo", &new]).ok();
    for _ in 0..2 {
        assert_eq!(facts(&team), old);
        team.heir("memory ingest").ok();
    }
    decide("For tests only.");
    assert_eq!(facts(&team), ["ADR-0001: Use SQLite. For tests only."]);
    decide("For everything.");
    assert_eq!(facts(&team), ["ADR-0001: Use SQLite. For everything."]);
}

/// Undoes the supersession that stored the given fact, and checks that `memory ingest` does not redo it.
fn check_not_redone(team: &Workspace, superseding: &str, after: &[&str]) {
    let facts = team.json("fact list");
    let hits = facts["hits"].as_array().unwrap();
    let new = hits.iter().find(|fact| fact["text"] == superseding).unwrap();
    team.run(&["memory", "undo", new["id"].as_str().unwrap()]).ok();
    assert_eq!(texts(team, "fact list"), after);
    team.heir("memory ingest").ok();
    assert_eq!(texts(team, "fact list"), after);
}

#[test]
fn an_undone_supersession_of_a_decision_record_is_not_redone() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    let path = ".heirloom/adrs/ADR-0002-use-postgres.md";
    let write = |title: &str| {
        let text = format!("---\ntitle: {title}\nstatus: accepted\nsupersedes: [ADR-0001]\n---\n");
        team.write(path, text);
        team.heir("memory ingest").ok();
    };
    write("Use Postgres");
    assert_eq!(facts(&team), ["ADR-0002: Use Postgres"]);
    check_not_redone(&team, "ADR-0002: Use Postgres", &["ADR-0001: Use SQLite"]);
    for title in ["Use Postgres 18", "Use Postgres 18", "Use Postgres 19"] {
        write(title);
        assert_eq!(facts(&team), [format!("ADR-0002: {title}")]);
    }
}

#[test]
fn an_undone_adr_supersede_is_not_redone() {
    let team = Workspace::with(HEIR, TEAM);
    team.heir("memory ingest").ok();
    team.run(&["adr", "new", "Use Postgres", "--status", "accepted"]).ok();
    team.heir("adr supersede ADR-0001 ADR-0002").ok();
    let both = ["ADR-0001: Use SQLite", "ADR-0002: Use Postgres"];
    check_not_redone(&team, "ADR-0002: Use Postgres", &both);
}
