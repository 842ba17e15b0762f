//! All workspaces of a machine are asked at once.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test changes files behind the program's back"
)]

use std::fs;

use heirloom_testkit::Workspace;
use serde_json::Value;

fn workspace(fact: &str) -> Workspace {
    let workspace = Workspace::empty(env!("CARGO_BIN_EXE_heir"));
    workspace.run(&["init"]).ok();
    workspace.run(&["fact", "add", "--section", "decisions", fact]).ok();
    workspace
}

#[test]
fn all_workspaces_of_a_machine_are_asked_at_once() {
    let (shop, bank) = (workspace("Refunds take thirty days"), workspace("Loans take sixty days"));
    let home = tempfile::tempdir().unwrap();
    let run = |at: &Workspace, words: &[&str]| {
        at.command().env("HEIRLOOM_HOME", home.path()).args(words).output().unwrap()
    };
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(run(&shop, &["workspace", "register"]).status.success());
    let ask = |at: &Workspace| {
        let output = run(at, &["recall", "how many days", "--workspaces", "--json"]);
        serde_json::from_str::<Value>(&said(&output)).unwrap()
    };
    let answer = ask(&bank);
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 2, "{answer:#}");
    assert!(hits.iter().all(|hit| hit["workspace"].is_string()));
    assert_ne!(hits[0]["workspace"], hits[1]["workspace"]);
    let listed = run(&bank, &["workspace", "list", "--json"]);
    let listed: Value = serde_json::from_str(&said(&listed)).unwrap();
    let name = listed["workspaces"][0]["name"].as_str().unwrap().to_owned();
    // From anywhere, too.
    let nowhere = Workspace::empty(env!("CARGO_BIN_EXE_heir"));
    assert_eq!(ask(&nowhere)["hits"].as_array().unwrap().len(), 1);
    assert_eq!(run(&nowhere, &["recall", "how many days"]).status.code(), Some(3));
    // What cannot be read is told, and can be forgotten.
    let damaged = home.path().join("workspaces/damaged.json");
    let entry = fs::read_dir(home.path().join("workspaces")).unwrap().next().unwrap().unwrap();
    let damaged = damaged.with_extension(entry.path().extension().unwrap_or_default());
    fs::write(&damaged, "{").unwrap();
    assert!(ask(&bank)["problems"][0]["hint"].as_str().unwrap().contains("forget damaged"));
    assert!(run(&bank, &["workspace", "forget", "damaged"]).status.success());
    assert!(ask(&bank)["problems"].is_null());
    // A kind that no workspace has is a typo.
    let typo = run(&bank, &["recall", "days", "--workspaces", "--kind", "fcat"]);
    assert_eq!(typo.status.code(), Some(2));
    // One that is gone is told and stops nobody.
    drop(shop);
    let answer = ask(&bank);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    assert!(answer["problems"][0]["hint"].as_str().unwrap().contains(&name), "{answer:#}");
    assert!(run(&bank, &["workspace", "forget", &name]).status.success());
    assert!(ask(&bank)["problems"].is_null());
    assert!(!run(&bank, &["workspace", "forget", &name]).status.success());
}
