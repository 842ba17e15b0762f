//! Usage: how often memories were retrieved, cited and ignored, in the local state.

use std::fs;
use std::thread;

use heirloom_testkit::Workspace;
use serde_json::Value;

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

#[test]
fn memories_that_were_used_with_a_file_are_predicted_for_it() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.write("src/refund.rs", "fn refund() {}\n");
    workspace.write("src/order.rs", "fn order() {}\n");
    workspace.write("src/mail.rs", "fn mail() {}\n");
    workspace.write(
        ".heirloom/adrs/0001-cents.md",
        "# Cents\n\nStatus: accepted\n\n## Decision\n\nCents.\n",
    );
    workspace.run(&["used", "aaaa0001", "--file", "src/refund.rs"]).ok();
    workspace.run(&["used", "aaaa0001", "--file", "./src/refund.rs"]).ok();
    let predicted = workspace.json("predict --file src/refund.rs");
    let first = &predicted["predicted_memories"][0];
    assert!(first["id"].as_str().unwrap().ends_with("aaaa0001"), "{predicted}");
    assert_eq!(first["reason"], "was used 2× while src/refund.rs was open");
    assert_eq!(first["confidence"], 0.7);
    workspace.run(&["used", "ADR-0001", "--file", "src/order.rs"]).ok();
    let record = workspace.json("predict --file src/order.rs");
    assert_eq!(record["predicted_memories"][0]["id"], "ADR-0001", "{record}");
    workspace.run(&["used", "aaaa0001", "--file", "../order.rs"]).failed(2);
    let other = workspace.json("predict --file src/mail.rs");
    assert_eq!(other["predicted_memories"].as_array().unwrap().len(), 0, "{other}");
    let context = workspace.run(&["assemble", "--file", "src/refund.rs"]).ok();
    assert!(context.contains("whole cents") && !context.contains("whole euros"), "{context}");
}

#[test]
fn the_file_of_a_signal_is_remembered_with_what_is_used() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.write("src/refund.rs", "fn refund() {}\n");
    workspace.run(&["signal", "file", "src/refund.rs"]).ok();
    workspace.run(&["used", "aaaa0002"]).ok();
    let predicted = workspace.json("predict --file src/refund.rs");
    let first = &predicted["predicted_memories"][0];
    assert!(first["id"].as_str().unwrap().ends_with("aaaa0002"), "{predicted}");
}

#[test]
fn a_memory_that_no_longer_holds_is_not_predicted() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.write("src/refund.rs", "fn refund() {}\n");
    workspace.run(&["used", "aaaa0001", "--file", "src/refund.rs"]).ok();
    workspace.run(&["memory", "archive", "aaaa0001"]).ok();
    let predicted = workspace.json("predict --file src/refund.rs");
    assert_eq!(predicted["predicted_memories"].as_array().unwrap().len(), 0, "{predicted}");
}

#[test]
fn citations_decide_between_equal_matches() {
    let fact = |number: u32, text: &str| {
        format!(
            r#"{{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa000{number}", "kind": "fact", "section": "Specs", "content": "{text}", "at": "2026-02-10T10:00:00Z", "by": "Ada"}}"#
        )
    };
    let facts = [
        fact(1, "Invoices are sent by mail on Mondays."),
        fact(2, "On Mondays invoices are sent by mail."),
        fact(3, "By mail invoices are sent on Mondays."),
    ];
    let files = format!(
        "//- .heirloom/workspace.md\n# Shop\n//- .heirloom/memory/fact/2026-02-ada.jsonl\n{}\n",
        facts.join("\n")
    );
    let workspace = Workspace::with(HEIR, &files);
    let hits = || workspace.json("recall invoices")["hits"].as_array().unwrap().clone();
    let before = hits();
    assert_eq!(before[1]["score"], before[2]["score"]);
    workspace.run(&["used", before[2]["id"].as_str().unwrap()]).ok();
    let after = hits();
    let ids = |hits: &[Value]| hits.iter().map(|hit| hit["id"].clone()).collect::<Vec<_>>();
    let [best, second, third] = ids(&before).try_into().unwrap();
    assert_eq!(ids(&after), [best, third, second]);
}

#[test]
fn what_is_used_every_morning_is_predicted_in_the_morning() {
    let workspace = Workspace::with(HEIR, FACTS);
    for (day, minutes) in [(16, "08:55"), (17, "09:10"), (18, "09:40")] {
        let now = format!("2026-02-{day}T{minutes}:00Z");
        workspace.run_at(&now, &["used", "aaaa0001"]).ok();
    }
    workspace.run_at("2026-02-18T15:00:00Z", &["used", "aaaa0002"]).ok();
    let morning = "2026-02-19T09:00:00Z";
    let predicted = |now: &str| -> Value {
        serde_json::from_str(&workspace.run_at(now, &["predict", "--json"]).ok()).unwrap()
    };
    let memories = &predicted(morning)["predicted_memories"];
    assert_eq!(memories[0]["title"], "Refunds are rounded to whole cents.");
    let reason = "used at this time of day: on 3 of 3 days; last on 2026-02-18";
    assert_eq!(memories[0]["reason"], reason);
    assert!(memories[1].is_null(), "{memories:#}");
    let afternoon = workspace.run_at("2026-02-19T16:00:00Z", &["predict"]).failed(2);
    assert!(afternoon.contains("nothing is usual now"), "{afternoon}");
    // The time counts in a context as long as no task is known.
    let reasons = |task: &[&str]| {
        let arguments = ["assemble", "--explain", "--json"];
        let answer = workspace.run_at(morning, &[&arguments[..], task].concat()).ok();
        serde_json::from_str::<Value>(&answer).unwrap()["lines"].to_string()
    };
    assert!(reasons(&[]).contains(reason));
    assert!(!reasons(&["--task", "Deploy the shop"]).contains(reason));
}

#[test]
fn loaded_documents_are_counted() {
    let workspace = Workspace::with(HEIR, FACTS);
    workspace.run(&["context", "load"]).ok();
    workspace.run(&["prompt", "--task", "Round the refunds"]).ok();
    let usage = workspace.json("usage");
    let counted = &usage["memories"][0];
    assert_eq!(counted["retrieved"], 2, "{usage:#}");
    assert!(counted["tokens"].as_u64().unwrap() > 0, "{usage:#}");
}
