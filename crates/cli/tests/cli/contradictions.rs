//! Contradictions between memories: found when something is stored and by a scan, listed, and resolved.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use heirloom_testkit::mcp::{self, StdioServer};
use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;
use crate::merges::{merge_both_ways, team};

const SHORT: &str = "Requests to the billing service time out after 30 seconds";
const LONG: &str = "Requests to the billing service time out after 60 seconds";

/// Stores a fact and returns the answer.
fn store(workspace: &Workspace, text: &str) -> Value {
    let ran = workspace.run(&["fact", "add", "--section", "Constraints", text, "--json"]);
    serde_json::from_str(&ran.ok()).unwrap()
}

fn id_of(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// Stores two facts that contradict each other. Returns the ids of both and of the contradiction.
fn contradict(workspace: &Workspace) -> [String; 3] {
    let (a, b) = (store(workspace, SHORT), store(workspace, LONG));
    let found = &b["contradictions"][0];
    assert_eq!(found["id"], a["id"], "{b:#}");
    [id_of(&a), id_of(&b), found["contradiction"].as_str().unwrap().to_owned()]
}

fn open(workspace: &Workspace) -> Vec<Value> {
    let listed = workspace.json("contradictions list");
    assert_eq!(listed["open"], listed["contradictions"].as_array().unwrap().len(), "{listed:#}");
    listed["contradictions"].as_array().unwrap().clone()
}

fn resolve(workspace: &Workspace, id: &str, rest: &[&str]) -> Value {
    let arguments = [&["contradictions", "resolve", id, "--json", "--resolution"], rest].concat();
    serde_json::from_str(&workspace.run(&arguments).ok()).unwrap()
}

/// Returns the texts of the active facts.
fn facts(workspace: &Workspace) -> Vec<String> {
    let listed = workspace.json("fact list");
    let items = listed["items"].as_array().or(listed["hits"].as_array()).unwrap();
    let mut texts: Vec<String> =
        items.iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn storing_warns_with_the_id_and_the_reason_and_records_it() {
    let team = Workspace::with(HEIR, TEAM);
    let [a, b, id] = contradict(&team);
    let [found] = open(&team).try_into().unwrap();
    assert_eq!((&found["memory_a"]["id"], &found["memory_b"]["id"]), (&json!(a), &json!(b)));
    assert_eq!(found["id"], json!(id));
    assert!(found["reason"].as_str().unwrap().contains("60"), "{found:#}");
    assert_eq!(found["detected_at"], "2026-02-22");
    assert_eq!(team.shards("contradiction").len(), 1);
    assert_eq!(facts(&team), [SHORT, LONG], "nothing changes by itself");
    let printed = team.heir(&format!("contradictions show {}", &id[28..])).ok();
    assert!(printed.contains(SHORT) && printed.contains(LONG), "{printed}");
    let again = store(&team, LONG);
    assert_eq!(again["done"], "reinforced");
    assert_eq!(open(&team).len(), 1, "a fact that is known is not compared again");
}

#[test]
fn what_a_fact_replaces_it_does_not_contradict() {
    let team = Workspace::with(HEIR, TEAM);
    let a = id_of(&store(&team, SHORT));
    let edited = team.run(&["fact", "edit", &a, LONG, "--json"]).ok();
    let edited: Value = serde_json::from_str(&edited).unwrap();
    assert_eq!(edited.get("contradictions"), None, "{edited:#}");
    let third = "Requests to the billing service time out after 90 seconds";
    let b = store(&team, third);
    assert_eq!(b["contradictions"][0]["id"], edited["id"], "the latest version is compared");
    let edited = team.run(&["fact", "edit", &id_of(&b), SHORT, "--json"]).ok();
    assert!(edited.contains("\"contradictions\""), "a supersession is checked, too: {edited}");
}

#[test]
fn the_winner_supersedes_the_loser_and_undo_takes_it_back() {
    for (resolution, kept) in [("a_wins", SHORT), ("b_wins", LONG)] {
        let team = Workspace::with(HEIR, TEAM);
        let [a, b, id] = contradict(&team);
        let resolved = resolve(&team, &id, &[resolution, "--note", "The gateway was changed"]);
        let (winner, loser) = if resolution == "a_wins" { (&a, &b) } else { (&b, &a) };
        assert_eq!(resolved["holds"], json!([winner]), "{resolved:#}");
        assert_eq!(resolved["replaced"], json!([loser]));
        assert_eq!(facts(&team), [kept]);
        let old = team.json(&format!("fact show {loser}"));
        assert_eq!(
            old["item"]["standing"].as_str().or(old["standing"].as_str()),
            Some("superseded")
        );
        assert!(open(&team).is_empty());
        let [shown] = team.json("contradictions list --all")["contradictions"]
            .as_array()
            .unwrap()
            .clone()
            .try_into()
            .unwrap();
        assert_eq!(shown["state"], "resolved");
        assert_eq!(shown["resolution"], resolution);
        assert_eq!(shown["resolution_note"], "The gateway was changed");
        let refused = team.run(&["contradictions", "resolve", &id, "--resolution", "a_wins"]);
        assert!(refused.failed(2).contains("resolved already"));
        assert_eq!(team.json("contradictions scan")["new"], json!([]));
        team.heir("undo").ok();
        assert_eq!(facts(&team), [SHORT, LONG]);
        assert_eq!(open(&team).len(), 1, "it is open again");
    }
}

#[test]
fn merging_replaces_both_by_a_new_fact() {
    let team = Workspace::with(HEIR, TEAM);
    let [a, b, id] = contradict(&team);
    let merge = ["contradictions", "resolve", &id, "--resolution", "merged"];
    assert!(team.run(&merge).failed(2).contains("text"));
    let text = "Requests to the billing service time out after 30 seconds, exports after 60";
    let resolved = resolve(&team, &id, &["merged", "--note", text]);
    assert_eq!(facts(&team), [text], "without a text, the note is the text");
    team.heir("undo").ok();
    assert_eq!(facts(&team), [SHORT, LONG]);
    assert_eq!(resolved["texts"], json!([text]));
    let resolved = resolve(&team, &id, &["merged", "--text", text]);
    assert_eq!(resolved["replaced"], json!([a, b]));
    assert_eq!(facts(&team), [text]);
    assert!(open(&team).is_empty());
    let other = ["contradictions", "resolve", &id, "--resolution", "both_valid", "--text", text];
    team.run(&other).failed(2);
}

#[test]
fn what_both_hold_is_not_found_again() {
    let team = Workspace::with(HEIR, TEAM);
    let [a, b, id] = contradict(&team);
    resolve(&team, &id, &["both_valid", "--note", "two gateways"]);
    assert_eq!(facts(&team), [SHORT, LONG]);
    assert!(open(&team).is_empty());
    let scanned = team.json("contradictions scan");
    assert_eq!((&scanned["new"], &scanned["open"]), (&json!([]), &json!(0)), "{scanned:#}");
    team.run(&["memory", "archive", &a]).ok();
    team.run(&["memory", "restore", &a]).ok();
    assert!(open(&team).is_empty(), "the decision outlives an archive");
    // It may be decided otherwise, and that be undone.
    let resolved = resolve(&team, &id, &["b_wins"]);
    assert_eq!(resolved["holds"], json!([b]));
    assert_eq!(facts(&team), [LONG]);
    team.heir("undo").ok();
    assert_eq!(facts(&team), [SHORT, LONG]);
    let shown = team.json(&format!("contradictions show {id}"));
    assert_eq!((&shown["state"], &shown["resolution"]), (&json!("resolved"), &json!("both_valid")));
    assert_eq!(shown["resolution_note"], "two gateways");
}

/// Returns the number of lines about contradictions in the log.
fn recorded(workspace: &Workspace) -> usize {
    workspace.shards("contradiction").iter().map(|it| workspace.read(it).lines().count()).sum()
}

#[test]
fn what_is_said_about_a_memory_holds_for_what_repeats_or_replaces_it() {
    let team = Workspace::with(HEIR, TEAM);
    let [_, b, id] = contradict(&team);
    team.run(&["memory", "archive", &b]).ok();
    let again = store(&team, LONG);
    assert_eq!(again["contradictions"][0]["contradiction"], json!(id), "{again:#}");
    assert_eq!((open(&team).len(), recorded(&team)), (1, 1));
    resolve(&team, &id, &["both_valid"]);
    let edited = team.run(&["fact", "edit", &id_of(&again), "--tag", "gateway", "--json"]).ok();
    assert!(!edited.contains("\"contradictions\""), "{edited}");
    assert_eq!((open(&team).len(), recorded(&team)), (0, 1));
    assert_eq!(team.json("contradictions scan")["new"], json!([]));
}

#[test]
fn a_dismissal_holds_for_the_text_it_was_made_for() {
    let team = Workspace::with(HEIR, TEAM);
    store(&team, LONG);
    let added = team.run(&["memory", "add", "0042", "001", "finding", SHORT, "--json"]).ok();
    let added: Value = serde_json::from_str(&added).unwrap();
    let id = added["contradictions"][0]["contradiction"].as_str().unwrap();
    resolve(&team, id, &["both_valid"]);
    let path = "plans/0042-graph/agents/001-schema.memory.md";
    let document = team.read(path);
    team.write(path, document.replace("30 seconds", "45 seconds"));
    let scanned = team.json("contradictions scan");
    assert_eq!((scanned["new"].as_array().unwrap().len(), open(&team).len()), (1, 1));
    let reworded = &scanned["new"][0]["id"];
    assert_ne!(reworded, &json!(id));
    assert_eq!(team.json("contradictions scan")["new"], json!([]));
    assert_eq!(recorded(&team), 2, "a scan that finds nothing new adds nothing");
    resolve(&team, reworded.as_str().unwrap(), &["b_wins"]);
    team.heir("undo").ok();
    team.write(path, document);
    assert!(open(&team).is_empty(), "the former text was dismissed");
}

#[test]
fn an_entry_that_cannot_be_marked_keeps_nothing_else_from_being_stored() {
    let team = Workspace::with(HEIR, TEAM);
    let path = "plans/0042-graph/agents/001-schema.memory.md";
    team.run(&["memory", "add", "0042", "001", "finding", SHORT]).ok();
    let document = team.read(path);
    let line = document.lines().find(|line| line.contains(SHORT)).unwrap();
    team.write(path, document.replace(line, &format!("- {SHORT}. <!-- TODO")));
    let unmarkable = team.read(path);
    let stored = store(&team, LONG);
    assert_eq!(stored["done"], "stored");
    let found = &stored["contradictions"][0];
    assert_eq!(found.get("contradiction"), None, "{stored:#}");
    assert!(found["not_recorded"].as_str().unwrap().contains(path), "{stored:#}");
    write_facts(&team, &["The lobby opens at 8 o'clock", "The lobby opens at 9 o'clock"]);
    let scanned = team.json("contradictions scan");
    assert_eq!(scanned["new"].as_array().unwrap().len(), 1, "{scanned:#}");
    assert!(scanned["notes"][0].as_str().unwrap().contains(path), "{scanned:#}");
    assert_eq!(open(&team).len(), 1);
    assert_eq!(team.read(path), unmarkable);
}

/// Adds an entry to the memory of a plan, or of an agent.
fn add_entry(workspace: &Workspace, owner: &[&str], kind: &str, text: &str) -> Value {
    let arguments = [&["memory", "add"], owner, &[kind, text, "--json"]].concat();
    serde_json::from_str(&workspace.run(&arguments).ok()).unwrap()
}

#[test]
fn a_decision_of_a_plan_loses_as_a_fact_and_as_an_entry() {
    let team = Workspace::with(HEIR, TEAM);
    let decided = add_entry(&team, &["0042", "--plan"], "decision", SHORT);
    assert!(decided["fact"].is_string(), "{decided:#}");
    let stored = store(&team, LONG);
    let id = stored["contradictions"][0]["contradiction"].as_str().unwrap().to_owned();
    resolve(&team, &id, &["b_wins"]);
    assert_eq!(facts(&team), [LONG]);
    let scanned = team.json("contradictions scan");
    assert_eq!((&scanned["new"], &scanned["open"]), (&json!([]), &json!(0)), "{scanned:#}");
    team.heir("undo").ok();
    assert_eq!((facts(&team).len(), open(&team).len()), (2, 1));
    // The fact may be retired in another way.
    team.run(&["memory", "archive", decided["fact"].as_str().unwrap()]).ok();
    let scanned = team.json("contradictions scan");
    assert_eq!((&scanned["new"], &scanned["open"]), (&json!([]), &json!(0)), "{scanned:#}");
}

#[test]
fn decisions_of_different_plans_do_not_contradict_each_other() {
    let team = Workspace::with(HEIR, TEAM);
    add_entry(&team, &["0042", "--plan"], "decision", SHORT);
    let other = add_entry(&team, &["0043", "--plan"], "decision", LONG);
    assert_eq!(other.get("contradictions"), None, "{other:#}");
    assert_eq!(team.json("contradictions scan")["new"], json!([]));
    let same = add_entry(&team, &["0042", "--plan"], "decision", LONG);
    assert_eq!(same["contradictions"].as_array().map(Vec::len), Some(1), "{same:#}");
}

#[test]
fn contradictions_of_a_plan_stand_in_its_own_conflicts_and_contexts() {
    let team = Workspace::with(HEIR, TEAM);
    add_entry(&team, &["0042", "--plan"], "finding", SHORT);
    add_entry(&team, &["0042", "--plan"], "finding", LONG);
    assert_eq!(open(&team).len(), 1);
    for (plan, is_listed) in [("0042", true), ("0043", false)] {
        let conflicts = team.heir(&format!("context conflicts {plan}")).stdout;
        assert_eq!(conflicts.contains(SHORT), is_listed, "{plan}: {conflicts}");
        let context = team.heir(&format!("assemble --plan {plan} --budget 4000")).ok();
        assert_eq!(context.contains("Contradiction: "), is_listed, "{plan}: {context}");
    }
    let id = open(&team)[0]["id"].as_str().unwrap().to_owned();
    let text = "Requests to the billing service time out after 45 seconds";
    resolve(&team, &id, &["merged", "--text", text]);
    let listed = team.json("fact list");
    assert!(listed.to_string().contains("0042-graph"), "the fact keeps the scope: {listed:#}");
}

#[test]
fn everything_that_stores_compares() {
    let contradicts = |answer: &str| answer.contains("contradict") && answer.contains("60 seconds");
    let question = "After how long do requests to the billing service time out?";
    // A question that is answered, and an entry that is promoted.
    let team = Workspace::with(HEIR, TEAM);
    add_entry(&team, &["0042", "--plan"], "question", question);
    add_entry(&team, &["0042", "001"], "finding", LONG);
    let fact = id_of(&store(&team, SHORT));
    let answered = team.run(&["memory", "resolve", "0042", "--plan", "question-1", LONG]).ok();
    assert!(contradicts(&answered) && answered.contains(&fact[28..]), "{answered}");
    let promoted = team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    assert!(contradicts(&promoted), "{promoted}");
    // An import, decisions of documents and a decision record.
    let team = Workspace::with(HEIR, TEAM);
    store(&team, SHORT);
    let exported = Workspace::with(HEIR, TEAM);
    store(&exported, LONG);
    team.write("memory.jsonl", exported.heir("export").ok());
    let imported = team.heir("import memory.jsonl").ok();
    assert!(contradicts(&imported), "{imported}");
    team.heir("undo").ok();
    let decisions = format!("# Memory\n\n## Decisions\n\n- {LONG}\n");
    team.write("plans/0043-auth/plan.memory.md", decisions);
    let ingested = team.heir("memory ingest").ok();
    assert!(contradicts(&ingested), "{ingested}");
    team.heir("undo").ok();
    let accepted = team.run(&["adr", "new", LONG, "--status", "accepted"]).ok();
    assert!(contradicts(&accepted), "{accepted}");
    // A text that replaces two others.
    let team = Workspace::with(HEIR, TEAM);
    let [_, _, id] = contradict(&team);
    store(&team, "Requests to the payment service time out after 60 seconds");
    let text = "Requests to the payment service time out after 45 seconds";
    let merged = resolve(&team, &id, &["merged", "--text", text]);
    assert_eq!(merged["contradictions"].as_array().map(Vec::len), Some(1), "{merged:#}");
}

#[test]
fn a_contradiction_is_closed_with_one_of_its_memories() {
    let team = Workspace::with(HEIR, TEAM);
    let [a, _, id] = contradict(&team);
    team.run(&["memory", "archive", &a]).ok();
    assert!(open(&team).is_empty());
    let shown = team.json(&format!("contradictions show {id}"));
    assert_eq!(shown["state"], "closed");
    let refused = team.run(&["contradictions", "resolve", &id, "--resolution", "a_wins"]);
    assert!(refused.failed(2).contains("closed"));
    team.run(&["memory", "restore", &a]).ok();
    assert_eq!(open(&team).len(), 1, "it is open again with the memory");
}

#[test]
fn a_scan_finds_what_was_stored_without_a_check() {
    let team = Workspace::with(HEIR, TEAM);
    let texts = [
        SHORT,
        "Backups run every night",
        LONG,
        "Never store card numbers",
        "The office is in Bern",
    ];
    write_facts(&team, &texts);
    let planned = team.json("contradictions scan --dry-run");
    assert_eq!(planned["new"].as_array().unwrap().len(), 1, "{planned:#}");
    assert!(open(&team).is_empty() && team.shards("contradiction").is_empty());
    let scanned = team.json("contradictions scan");
    let [new] = scanned["new"].as_array().unwrap().clone().try_into().unwrap();
    assert_eq!(new["memory_a"]["text"], SHORT);
    assert_eq!(scanned["judged_pairs"], planned["judged_pairs"]);
    assert_eq!(scanned["known_pairs"], scanned["judged_pairs"], "the verdicts were kept");
    assert_eq!(open(&team).len(), 1);
    let again = team.json("contradictions scan");
    assert_eq!((&again["new"], &again["open"]), (&json!([]), &json!(1)));
    assert_eq!(team.read(&team.shards("contradiction")[0]).lines().count(), 1);
    let consolidated = team.json("consolidate --dry-run");
    assert_eq!(consolidated["contradictions_found"], 1, "{consolidated:#}");
    std::fs::remove_dir_all(team.path().join(".heirloom/cache")).unwrap();
    assert_eq!(team.json("contradictions scan")["new"], json!([]));
}

#[test]
fn a_key_with_two_values_is_certain_unless_the_scopes_differ() {
    let team = Workspace::with(HEIR, TEAM);
    let add = |value: &str, scope: &str| -> Value {
        let fact = ["fact", "add", "--section", "Decisions", "--key", "test_runner"];
        let rest = ["--value", value, "--scope", scope, "--json"];
        serde_json::from_str(&team.run(&[&fact[..], &rest].concat()).ok()).unwrap()
    };
    add("nextest", "rust");
    assert_eq!(add("pytest", "python").get("contradictions"), None);
    let found = add("cargo test", "rust");
    assert_eq!(found["contradictions"][0]["certainty"], "certain", "{found:#}");
    assert_eq!(found["contradictions"][0]["differs_in"], "key_value");
    assert_eq!(
        team.json("contradictions list --certain")["contradictions"][0]["differs_in"],
        "key_value"
    );
    // A value for a part of the project may be an exception to the general one.
    let general = ["fact", "add", "--section", "Decisions", "--key", "test_runner"];
    let general = team.run(&[&general[..], &["--value", "bazel test", "--json"]].concat()).ok();
    let general: Value = serde_json::from_str(&general).unwrap();
    for found in general["contradictions"].as_array().into_iter().flatten() {
        assert_eq!(found["certainty"], "possible", "{general:#}");
    }
}

#[test]
fn entries_of_documents_are_compared_and_resolved() {
    let team = Workspace::with(HEIR, TEAM);
    let fact = id_of(&store(&team, SHORT));
    let added = team.run(&["memory", "add", "0042", "001", "finding", LONG, "--json"]).ok();
    let added: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(added["contradictions"][0]["id"], json!(fact), "{added:#}");
    let id = added["contradictions"][0]["contradiction"].as_str().unwrap().to_owned();
    let document = team.read("plans/0042-graph/agents/001-schema.memory.md");
    assert!(document.contains("<!-- id:"), "the log refers to it: {document}");
    assert_eq!(open(&team).len(), 1);
    // The entry stays where it is written, and the fact is archived.
    let resolved = resolve(&team, &id, &["b_wins"]);
    assert_eq!(resolved["holds"], json!([added["id"]]), "{resolved:#}");
    assert!(facts(&team).is_empty() && open(&team).is_empty());
    assert_eq!(team.read("plans/0042-graph/agents/001-schema.memory.md"), document);
    team.heir("undo").ok();
    assert_eq!(facts(&team), [SHORT]);
    assert_eq!(open(&team).len(), 1);
    // A reworded entry is another statement.
    let reworded = document.replace("60 seconds", "30 seconds, too");
    team.write("plans/0042-graph/agents/001-schema.memory.md", reworded);
    assert!(open(&team).is_empty());
}

#[test]
fn open_contradictions_stand_in_conflicts_contexts_and_health() {
    let team = Workspace::with(HEIR, TEAM);
    let [_, _, id] = contradict(&team);
    let short = &id[28..];
    let conflicts = team.heir("context conflicts").stdout;
    assert!(conflicts.contains(SHORT) && conflicts.contains(short), "{conflicts}");
    let assembled = team.json("assemble --budget 4000 --explain");
    let context = assembled["context"].as_str().unwrap();
    assert!(context.contains("Contradiction: ") && context.contains(LONG), "{context}");
    let task = ["assemble", "--task", "Change the timeout of requests to the billing service"];
    let assembled = team.run(&[&task[..], &["--budget", "2000"]].concat()).ok();
    assert!(assembled.contains("Contradiction: "), "{assembled}");
    let other = team.run(&["assemble", "--task", "Draw the logo", "--budget", "2000"]).ok();
    assert!(!other.contains("Contradiction: "), "{other}");
    assert!(team.heir("health").ok().contains("1 open"));
    resolve(&team, &id, &["both_valid"]);
    assert!(!team.heir("context conflicts").stdout.contains(SHORT));
    let assembled = team.heir("assemble --budget 4000").ok();
    assert!(!assembled.contains("Contradiction: "), "{assembled}");
}

#[test]
fn check_judges_ids_and_statements_and_records_nothing() {
    let team = Workspace::with(HEIR, TEAM);
    let a = id_of(&store(&team, SHORT));
    let check = |b: &str| -> Value {
        let ran = team.run(&["contradictions", "check", &a[28..], b, "--json"]);
        serde_json::from_str(&ran.ok()).unwrap()
    };
    let found = check(LONG);
    assert_ne!(found["certainty"], "none", "{found:#}");
    assert_eq!(found["a"]["id"], json!(a));
    assert_eq!(check("The office is in Bern")["certainty"], "none");
    assert!(open(&team).is_empty());
    team.run(&["contradictions", "check", &a, "00000000"]).failed(2);
    team.run(&["contradictions", "check", &a, " "]).failed(2);
}

#[test]
fn ids_that_mean_nothing_are_refused_with_candidates() {
    let team = Workspace::with(HEIR, TEAM);
    let [_, _, id] = contradict(&team);
    for typed in ["00000000", "x", "", "..", "-rf"] {
        let refused = team.run(&["contradictions", "show", typed]);
        assert_ne!(refused.code, 0, "{typed:?}");
    }
    let refused = team.run(&["contradictions", "show", "ffff0000"]).failed(2);
    assert!(refused.contains(&id[28..]), "{refused}");
}

#[test]
fn a_contradiction_with_a_private_memory_stays_on_this_machine() {
    let team = Workspace::with(HEIR, TEAM);
    let private = ["fact", "add", "--section", "Constraints", SHORT, "--private"];
    team.run(&private).ok();
    let b = id_of(&store(&team, LONG));
    let [found] = open(&team).try_into().unwrap();
    assert!(team.shards("contradiction").is_empty(), "{found:#}");
    // The shared fact loses on this machine only.
    resolve(&team, found["id"].as_str().unwrap(), &["a_wins"]);
    assert_eq!(facts(&team), [SHORT]);
    let shared: String = team.shards("fact").iter().map(|shard| team.read(shard)).collect();
    assert!(shared.contains(&b) && !shared.contains("30 seconds"), "{shared}");
    // The private fact loses, and the shared one stays what it was.
    team.heir("undo").ok();
    assert_eq!(facts(&team), [SHORT, LONG]);
    resolve(&team, found["id"].as_str().unwrap(), &["b_wins"]);
    assert_eq!(facts(&team), [LONG]);
    assert!(open(&team).is_empty());
    let listed = team.json("fact list").to_string();
    assert!(listed.contains(&b), "no version of it stays on this machine: {listed}");
    assert!(team.shards("event").is_empty());
    team.heir("undo").ok();
    assert_eq!((facts(&team).len(), open(&team).len()), (2, 1));
}

#[test]
fn purging_a_memory_purges_what_quotes_it() {
    let team = Workspace::with(HEIR, TEAM);
    let [_, b, _] = contradict(&team);
    team.run(&["memory", "purge", &b, "--yes"]).ok();
    assert!(
        team.json("contradictions list --all")["contradictions"].as_array().unwrap().is_empty()
    );
    let left: String = team
        .files(".heirloom/memory")
        .iter()
        .filter(|path| path.ends_with(".jsonl"))
        .map(|path| team.read(path))
        .collect();
    assert!(!left.contains("60 seconds"), "{left}");
}

/// Returns the text of the shared log.
fn log(workspace: &Workspace) -> String {
    let files = workspace.files(".heirloom/memory").into_iter();
    files.filter(|path| path.ends_with(".jsonl")).map(|path| workspace.read(&path)).collect()
}

#[test]
fn a_contradiction_that_another_branch_found_is_purged_with_its_memory() {
    let origin = team();
    write_facts(&origin, &[SHORT, LONG]);
    origin.commit_all("2026-02-21T00:00:00Z");
    let b = "019c0000-0000-7000-8000-000000000001";
    let purge = |workspace: &Workspace| drop(workspace.run(&["memory", "purge", b, "--yes"]).ok());
    let scan = |workspace: &Workspace| {
        assert_eq!(workspace.json("contradictions scan")["new"].as_array().unwrap().len(), 1);
        assert!(
            log(workspace).contains("`60`") || log(workspace).matches("60 seconds").count() > 1
        );
    };
    for workspace in merge_both_ways(&origin, purge, scan) {
        let all = workspace.json("contradictions list --all");
        assert_eq!(all["contradictions"], json!([]), "{all:#}");
        workspace.run(&["note", "The next write removes the line"]).ok();
        assert_eq!(recorded(&workspace), 0);
        // Ids may have the digits, too.
        let quotes = ["60 seconds", "`60"].map(|quote| log(&workspace).contains(quote));
        assert_eq!(quotes, [false; 2], "{}", log(&workspace));
    }
}

#[test]
fn what_quotes_an_entry_can_be_purged() {
    let team = Workspace::with(HEIR, TEAM);
    store(&team, SHORT);
    let added = add_entry(&team, &["0042", "001"], "finding", LONG);
    assert_eq!(recorded(&team), 1);
    let purged = team.run(&["memory", "purge", added["id"].as_str().unwrap(), "--yes"]).ok();
    assert!(purged.contains("001-schema.memory.md"), "the text itself is there: {purged}");
    assert_eq!((recorded(&team), log(&team).contains("60 seconds")), (0, false));
    let scanned = team.json("contradictions scan");
    let id = scanned["new"][0]["id"].as_str().unwrap();
    team.run(&["memory", "purge", &id[28..], "--yes"]).ok();
    assert_eq!((recorded(&team), open(&team).len()), (0, 0));
    team.run(&["memory", "purge", &id[28..], "--yes"]).failed(2);
}

#[test]
fn two_branches_that_find_and_resolve_the_same_merge() {
    let origin = team();
    let older = ["fact", "add", "--section", "Constraints", SHORT];
    origin.run_at("2026-02-20T00:00:00Z", &older).ok();
    origin.commit_all("2026-02-21T00:00:00Z");
    let base = id_of(&store(&origin, LONG));
    let id = open(&origin)[0]["id"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(origin.path().join(".heirloom/memory/contradiction")).unwrap();
    origin.commit_all("2026-02-21T00:00:00Z");
    let found = |workspace: &Workspace| {
        let scanned = workspace.json("contradictions scan");
        assert_eq!(scanned["new"][0]["id"], json!(id), "the id is that of the pair");
    };
    let [a, b] = merge_both_ways(&origin, found, |right| {
        found(right);
        resolve(right, &id, &["b_wins"]);
    });
    for workspace in [&a, &b] {
        assert!(open(workspace).is_empty());
        let all = workspace.json("contradictions list --all");
        assert_eq!(all["contradictions"].as_array().unwrap().len(), 1, "{all:#}");
        assert_eq!(all["problems"].as_array().map_or(0, Vec::len), 0, "{all:#}");
        assert_eq!(facts(workspace), [LONG]);
        assert!(!base.is_empty());
    }
}

#[test]
fn a_killed_scan_leaves_the_log_whole() {
    let team = Workspace::with(HEIR, TEAM);
    let word = |number: usize| -> String {
        (0..4).map(|at| char::from(b'a' + (number / 26_usize.pow(at) * 7 % 26) as u8)).collect()
    };
    let mut texts: Vec<String> = (0..2)
        .map(|number| {
            format!("The {} job runs in the region {}", word(number), word(number + 9_000))
        })
        .collect();
    for number in 0..3 {
        let name = word(20_000 + number);
        texts.push(format!("Requests of the {name} service time out after 30 seconds"));
        texts.push(format!("Requests of the {name} service time out after 60 seconds"));
    }
    write_facts(&team, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let undisturbed = Workspace::with(HEIR, TEAM);
    write_facts(&undisturbed, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let started = Instant::now();
    undisturbed.json("contradictions scan");
    let whole = started.elapsed();
    for part in 1..4 {
        let mut command = team.command();
        command.args(["contradictions", "scan"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        std::thread::sleep(whole * part / 4);
        drop(process.kill());
        process.wait().unwrap();
        assert_eq!(team.json("contradictions list").get("problems"), None);
    }
    let scanned = team.json("contradictions scan");
    let listed = team.json("contradictions list --limit 10000");
    assert_eq!(scanned["open"], listed["open"]);
    assert!(scanned["open"].as_u64().unwrap() >= 3, "{scanned:#}");
    let ids = |workspace: &Workspace| -> BTreeSet<String> {
        let listed = workspace.json("contradictions list --limit 10000");
        let listed = listed["contradictions"].as_array().unwrap().clone();
        listed.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&team), ids(&undisturbed), "as if it had never been interrupted");
    assert_eq!(recorded(&team), ids(&team).len(), "each is recorded once");
    assert_eq!(listed.get("problems"), None, "{listed:#}");
    assert_eq!(
        team.json("contradictions scan")["new"],
        json!([]),
        "a second scan finds nothing new"
    );
}

#[test]
fn the_path_of_the_seed_resolves_over_http() {
    let team = Workspace::with(HEIR, TEAM);
    let [a, b, id] = contradict(&team);
    let server = crate::rest::Server::start(team, &["serve", "--port", "0"]);
    let post = |id: &str, body: Value| {
        let path = format!("/contradictions/{id}/resolve");
        let headers = [("content-type", "application/json")];
        server.send("POST", &path, &headers, body.to_string()).json()
    };
    let body = json!({"resolution": "b_wins", "note": "Migration completed, A is outdated"});
    let other = json!({"id": "00000000", "resolution": "b_wins"});
    assert!(post(&id, other)["error"]["message"].as_str().unwrap().contains("`id`"));
    assert_eq!(post("00000000", body.clone())["error"]["kind"], "not_found");
    let resolved = post(&id, body);
    assert_eq!(resolved["resolution"], "b_wins", "{resolved:#}");
    assert_eq!((&resolved["holds"], &resolved["replaced"]), (&json!([b]), &json!([a])));
}

#[test]
fn agents_find_and_resolve_contradictions_with_tools() {
    let team = Workspace::with(HEIR, TEAM);
    let [_, _, id] = contradict(&team);
    let mut client = McpClient::open(team.command().args(["mcp", "--tools", "memory"]));
    let listed = client.call_for_text("contradictions_list", &json!({}));
    assert!(listed.contains(&id[28..]), "{listed}");
    let arguments = json!({"id": &id[28..], "resolution": "both_valid"});
    let resolved = client.call_for_text("contradictions_resolve", &arguments);
    assert!(resolved.contains("both_valid"), "{resolved}");
    let listed = client.call_for_text("contradictions_list", &json!({}));
    assert!(listed.contains("no open contradictions"), "{listed}");
}

/// Writes facts to the log, as a merge or another program would.
fn write_facts(team: &Workspace, texts: &[&str]) {
    let line = |(number, text): (usize, &&str)| {
        let id = format!("019c0000-0000-7000-8000-{number:012}");
        json!({"v": 1, "id": id, "kind": "fact", "section": "Specs", "content": text, "at": "2026-02-20T00:00:00Z"})
            .to_string()
    };
    let lines: Vec<String> = texts.iter().enumerate().map(line).collect();
    team.write(".heirloom/memory/fact/2026-02-abc.jsonl", lines.join("\n") + "\n");
}

/// Starts a language model that gives one answer to every request. Returns its port and the number of requests.
fn language_model(answer: &'static str) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(stated) = line.to_lowercase().strip_prefix("content-length: ") {
                    length = stated.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            assert!(String::from_utf8_lossy(&body).contains("A: "));
            counted.fetch_add(1, Ordering::SeqCst);
            let body = json!({"choices": [{"message": {"content": answer}}]}).to_string();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
            write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    (port, requests)
}

/// Scans with a language model at a port as judge.
fn scan_with_model(team: &Workspace, port: u16) -> Value {
    let settings = format!(
        "[contradictions]\njudge = \"llm\"\n[llm]\nendpoint = \"http://127.0.0.1:{port}/v1\"\nmodel = \"small\"\n"
    );
    team.write(".heirloom/config.toml", settings);
    let mut command = team.command();
    command.env("HEIRLOOM_LLM_ENDPOINT", format!("http://127.0.0.1:{port}/v1"));
    let output = command.args(["contradictions", "scan", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_configured_language_model_has_the_last_word_and_is_asked_once() {
    let team = Workspace::with(HEIR, TEAM);
    write_facts(&team, &[SHORT, LONG]);
    let (port, requests) = language_model(
        "{\"contradicts\": false, \"confidence\": 0.9, \"reason\": \"two gateways\"}",
    );
    for _ in 0..2 {
        let scanned = scan_with_model(&team, port);
        assert_eq!(scanned["new"], json!([]), "{scanned:#}");
    }
    assert_eq!(requests.load(Ordering::SeqCst), 1, "its verdict is kept");
    let (port, _) = language_model(
        "```json\n{\"contradicts\": true, \"confidence\": 0.99, \"reason\": \"30 is not 60\"}\n```",
    );
    let scanned = scan_with_model(&team, port);
    assert_eq!(scanned["new"][0]["reason"], "30 is not 60", "{scanned:#}");
    assert_eq!(scanned["new"][0]["certainty"], "certain");
}

#[test]
fn a_private_memory_is_not_sent_to_a_language_model() {
    let team = Workspace::with(HEIR, TEAM);
    team.run(&["fact", "add", "--section", "Specs", SHORT, "--private"]).ok();
    write_facts(&team, &[LONG]);
    let (port, requests) = language_model("{\"contradicts\": false, \"confidence\": 0.9}");
    scan_with_model(&team, port);
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    assert_eq!(open(&team).len(), 1, "the built-in judge decided");
}

#[test]
fn without_an_answer_of_the_language_model_the_built_in_judge_decides() {
    let team = Workspace::with(HEIR, TEAM);
    write_facts(&team, &[SHORT, LONG]);
    let scanned = scan_with_model(&team, 1);
    assert_eq!(scanned["new"].as_array().unwrap().len(), 1, "{scanned:#}");
    assert!(scanned["notes"][0].as_str().unwrap().contains("built-in judge"), "{scanned:#}");
    // The settings come with the repository, and send nothing without consent.
    let unconfirmed = team.json("contradictions scan");
    assert!(unconfirmed["notes"][0].as_str().unwrap().contains("consent"), "{unconfirmed:#}");
}

#[test]
fn the_model_of_a_client_may_be_the_judge() {
    let team = Workspace::with(HEIR, TEAM);
    team.write(".heirloom/config.toml", "[contradictions]\njudge = \"sampling\"\n");
    let mut server = StdioServer::start(team.command().args(["mcp", "--structured"])).unwrap();
    let mut introduction = mcp::initialize_params("test");
    introduction["capabilities"] = json!({"sampling": {}});
    server.send(&mcp::request(1, "initialize", &introduction)).unwrap();
    server.read_line().unwrap();
    server.send(&mcp::initialized_notification()).unwrap();
    let check = mcp::call_params("contradictions_check", &json!({"a": SHORT, "b": LONG}));
    server.send(&mcp::request(2, "tools/call", &check)).unwrap();
    let asked: Value = serde_json::from_str(&server.read_line().unwrap()).unwrap();
    assert_eq!(asked["method"], "sampling/createMessage", "{asked:#}");
    assert!(asked["params"]["messages"].to_string().contains("30 seconds"), "{asked:#}");
    let text = "{\"contradicts\": false, \"confidence\": 0.8, \"reason\": \"\"}";
    let answer = json!({
        "jsonrpc": "2.0", "id": asked["id"],
        "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}
    });
    server.send(&answer).unwrap();
    let judged: Value = serde_json::from_str(&server.read_line().unwrap()).unwrap();
    assert_eq!(judged["result"]["structuredContent"]["certainty"], "none", "{judged:#}");
}
