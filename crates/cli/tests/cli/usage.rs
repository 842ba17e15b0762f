//! Usage: how often memories were retrieved, cited and ignored, in the local state.

use std::fs;
use std::thread;

use heirloom_testkit::Workspace;

use crate::HEIR;

const FACTS: &str = r#"//- .heirloom/workspace.md
# Shop
//- .heirloom/memory/fact/2026-02-ada.jsonl
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0001", "kind": "fact", "section": "Specs", "content": "Refunds are rounded to whole cents.", "at": "2026-02-10T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0002", "kind": "fact", "section": "Specs", "content": "Refunds are rounded to whole euros.", "at": "2026-02-10T10:00:00Z", "by": "Ada"}
"#;

const LOG: &str = ".heirloom/local/usage/log.json";

#[test]
fn concurrent_writers_lose_nothing() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.run(&["usage"]).ok();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| workspace.run(&["used", "aaaa0001"]).ok());
        }
    });
    assert_eq!(workspace.json("usage")["memories"][0]["cited"], 8);
}

#[test]
fn a_long_log_is_replaced_by_its_sums() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.run(&["used", "aaaa0001"]).ok();
    let line = workspace.read(LOG).trim().to_owned();
    let lines = 300 * 1024 / line.len();
    fs::write(workspace.path().join(LOG), format!("{line}\n").repeat(lines)).unwrap();
    workspace.run(&["used", "aaaa0001"]).ok();
    assert!(workspace.read(LOG).len() < 1_000, "{}", workspace.read(LOG));
    assert_eq!(workspace.json("usage")["memories"][0]["cited"], lines + 1);
}

#[test]
fn damaged_lines_are_reported_and_the_rest_counts() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.run(&["used", "aaaa0001"]).ok();
    let damaged = format!("{}cited soon aaaa\n", workspace.read(LOG));
    fs::write(workspace.path().join(LOG), damaged).unwrap();
    let usage = workspace.json("usage");
    assert_eq!(usage["memories"][0]["cited"], 1);
    let problem = usage["problems"][0]["message"].as_str().unwrap();
    assert!(problem.contains("1 line of the usage log"), "{problem}");
}

#[test]
fn a_better_match_stays_first_in_recall() {
    let workspace = Workspace::with(HEIR, FACTS);
    for _ in 0..3 {
        workspace.run(&["used", "aaaa0002"]).ok();
    }
    let hits = workspace.json("recall cents");
    assert!(hits["hits"][0]["id"].as_str().unwrap().ends_with("aaaa0001"), "{hits}");
}
