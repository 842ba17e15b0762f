//! `consolidate` and `undo`: a plan is made, reviewed, edited, carried out and taken back.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use heirloom_testkit::{SeededRng, Workspace};
use serde_json::{Value, json};

use crate::HEIR;
use crate::rest::Server;

/// A workspace with an old log: repetitions, statements that differ in a detail, small talk, and an episode.
const OLD_LOG: &str = r#"//- .heirloom/workspace.md
# Shop
//- .heirloom/memory/fact/2025-06-ada.jsonl
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0001", "kind": "fact", "section": "Specs", "content": "All the requests time out after 30 seconds", "at": "2025-06-01T10:00:00Z", "by": "Ada", "tags": ["http"]}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0002", "kind": "fact", "section": "Specs", "content": "All requests time out after 30s", "at": "2025-06-02T10:00:00Z", "by": "Bob", "tags": ["limits"]}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0003", "kind": "fact", "section": "Specs", "content": "Requests time out after 60 seconds", "at": "2025-06-03T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0004", "kind": "fact", "section": "Specs", "content": "The nightly job cleans old sessions", "at": "2025-06-03T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0005", "kind": "fact", "section": "Specs", "content": "The nightly job also cleans up old sessions", "at": "2025-06-04T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0006", "kind": "fact", "section": "Specs", "content": "Refunds are stored as rows", "at": "2025-06-04T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000aaaa0007", "kind": "fact", "section": "Specs", "content": "Refunds are stored as events", "supersedes": ["0198c0de-0000-7000-8000-0000aaaa0006"], "at": "2025-06-05T10:00:00Z", "by": "Ada"}
//- .heirloom/memory/note/2025-06-ada.jsonl
{"v": 1, "id": "0198c0de-0000-7000-8000-0000bbbb0001", "kind": "note", "content": "Ann: Thanks, Bob! You're the best.", "at": "2025-06-01T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000bbbb0002", "kind": "note", "content": "Ann: Wow, that's amazing! Keep it up.", "at": "2025-06-01T10:00:00Z", "by": "Ada"}
{"v": 1, "id": "0198c0de-0000-7000-8000-0000bbbb0003", "kind": "note", "content": "Bob: The lease of the office ends in May.", "at": "2025-06-01T10:00:00Z", "by": "Ada"}
//- .heirloom/memory/episode/2025-06-ada.jsonl
{"v": 1, "id": "0198c0de-0000-7000-8000-0000cccc0001", "kind": "episode", "title": "Auth refactor", "content": "We moved the sessions out of the process into Redis 7. It went really well. The old cookies were kept for the mobile app, which cannot be updated before the summer.", "goals": ["shorter tokens"], "decisions": ["store tokens in Redis"], "sequence": ["read src/auth.rs"], "at": "2025-06-01T10:00:00Z", "by": "Ada"}
"#;

const THANKS: &str = "bbbb0001";

fn workspace() -> Workspace {
    Workspace::with(HEIR, OLD_LOG)
}

fn number(answer: &Value, name: &str) -> u64 {
    answer[name].as_u64().unwrap_or_else(|| panic!("{name}: {answer:#}"))
}

fn counts(answer: &Value) -> [u64; 3] {
    ["deduped", "compressed", "forgotten"].map(|name| number(answer, name))
}

/// Returns the texts of the active memories of some kinds.
fn active(workspace: &Workspace) -> BTreeSet<String> {
    let of = |command: &str| {
        let list = workspace.json(command);
        let items = list.get("hits").unwrap_or(&list["items"]).as_array().unwrap().clone();
        items.into_iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    ["fact list", "note list", "episode list"].into_iter().flat_map(of).collect()
}

/// Returns all lines of the logs in git, and of this machine.
fn log_lines(workspace: &Workspace) -> Vec<String> {
    let folders = [".heirloom/memory", ".heirloom/local/memory"];
    let files = folders.into_iter().filter(|folder| workspace.has(folder));
    let files: Vec<String> = files.flat_map(|folder| workspace.files(folder)).collect();
    let logs = files.iter().filter(|path| path.ends_with(".jsonl"));
    logs.flat_map(|path| workspace.read(path).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_plan_is_made_edited_and_carried_out() {
    let workspace = workspace();
    let before = log_lines(&workspace);
    let dry = workspace.json("consolidate --dry-run");
    assert_eq!((dry["dry_run"].as_bool(), counts(&dry)), (Some(true), [2, 1, 3]), "{dry:#}");
    assert_eq!(log_lines(&workspace), before, "a dry run writes nothing");
    let reasons: Vec<&str> = dry["plan"]["forget"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons.iter().filter(|reason| **reason == "small_talk").count(), 2, "{reasons:?}");

    // The review removes a merge and rewords the other one, and keeps one of the notes.
    let mut plan = dry["plan"].clone();
    let merges = plan["merge"].as_array_mut().unwrap();
    merges.retain(|merge| {
        merge["text"].as_str().unwrap().contains("timeout")
            || merge["text"].as_str().unwrap().contains("time out")
    });
    assert_eq!(merges.len(), 1);
    merges[0]["text"] = json!("Requests time out after 30 seconds everywhere");
    let forget = plan["forget"].as_array_mut().unwrap();
    forget.retain(|memory| !memory["id"].as_str().unwrap().ends_with(THANKS));
    workspace.write("plan.json", plan.to_string());
    let done = workspace.json("consolidate --plan plan.json");
    assert_eq!(counts(&done)[0..2], [1, 1], "{done:#}");
    let active = active(&workspace);
    for text in [
        "Requests time out after 30 seconds everywhere",
        "Requests time out after 60 seconds",
        "The nightly job cleans old sessions",
        "The nightly job also cleans up old sessions",
        "Ann: Thanks, Bob! You're the best.",
        "Bob: The lease of the office ends in May.",
    ] {
        assert!(active.contains(text), "{text}: {active:#?}");
    }
    assert!(!active.contains("Ann: Wow, that's amazing! Keep it up."));
    let merged = workspace.json("recall requests time out everywhere");
    let merged = &merged["hits"][0];
    assert_eq!(merged["text"], "Requests time out after 30 seconds everywhere");
    let shown = workspace.json(&format!("fact show {}", merged["id"].as_str().unwrap()));
    let history = shown.to_string();
    assert!(history.contains("aaaa0001") && history.contains("aaaa0002"), "{shown:#}");
    assert!(history.contains("http") && history.contains("limits"), "{shown:#}");
}

#[test]
fn a_second_run_with_nothing_new_does_nothing() {
    let workspace = workspace();
    let first = workspace.json("consolidate");
    assert_eq!(counts(&first), [2, 1, 3], "{first:#}");
    let lines = log_lines(&workspace);
    for _ in 0..2 {
        let again = workspace.json("consolidate");
        assert_eq!(counts(&again), [0, 0, 0], "{again:#}");
        assert_eq!((number(&again, "ranked"), again.get("run")), (0, None), "{again:#}");
        assert_eq!(log_lines(&workspace), lines);
    }
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    for list in ["merge", "compress", "rank", "forget"] {
        assert_eq!(plan[list], json!([]), "{list}");
    }
}

#[test]
fn a_run_is_undone_as_a_whole() {
    let workspace = workspace();
    workspace.run(&["used", "aaaa0001"]).ok();
    let plan = |workspace: &Workspace, flag: &str| {
        let mut plan = workspace.json(&format!("consolidate --dry-run {flag}"))["plan"].clone();
        plan["made_at"] = Value::Null;
        plan
    };
    let (memories, planned) = (active(&workspace), plan(&workspace, ""));
    let run = number(&workspace.json("consolidate"), "run");
    assert_ne!(active(&workspace), memories);
    let listed = workspace.json("undo --list");
    assert_eq!(listed["runs"][0]["kind"], "consolidation", "{listed:#}");
    let undone = workspace.json(&format!("undo {run}"));
    assert_eq!((&undone["undone"]["run"], number(&undone, "restored") > 0), (&json!(run), true));
    assert_eq!(active(&workspace), memories);
    assert_eq!(plan(&workspace, "--again"), planned, "everything is as it was before the run");
    let usage = workspace.json("usage");
    assert!(usage["memories"][0]["id"].as_str().unwrap().ends_with("aaaa0001"), "{usage:#}");
    let refused = workspace.run(&["undo", &run.to_string()]).failed(2);
    assert!(refused.contains("was undone already"), "{refused}");
    assert!(workspace.run(&["undo"]).failed(2).contains("no run can be undone"));
}

#[test]
fn what_was_undone_is_not_proposed_again_until_it_changes() {
    let workspace = workspace();
    // Contradictions are found again: restored facts contradict what they contradicted.
    let log_lines = |workspace: &Workspace| -> Vec<String> {
        let is_finding = |line: &String| line.contains("\"kind\":\"contradiction\"");
        log_lines(workspace).into_iter().filter(|line| !is_finding(line)).collect()
    };
    let first = workspace.json("consolidate");
    workspace.run(&["undo"]).ok();
    let (memories, lines) = (active(&workspace), log_lines(&workspace));
    for _ in 0..2 {
        let next = workspace.json("consolidate");
        assert_eq!((counts(&next), next.get("run")), ([0, 0, 0], None), "{next:#}");
        // Two merges, an episode, a replaced memory and two memories that are small talk.
        assert_eq!(number(&next, "undone_before"), 6, "{next:#}");
        assert!(active(&workspace) == memories && log_lines(&workspace) == lines);
    }
    let shown = workspace.run(&["consolidate", "--dry-run"]).ok();
    assert!(
        shown.contains("6 changes left out, undone before; `heir consolidate --again`"),
        "{shown}"
    );

    // Disuse is this machine's, and so is that it was undone. The rest is in the log that others read.
    let other = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    for path in workspace.files(".heirloom/memory") {
        other.write(&path, workspace.read(&path));
    }
    assert_eq!(counts(&other.json("consolidate --dry-run")), [0, 0, 2]);

    // A new memory may be merged with one that was not, and what was reworded is another memory.
    let edited = "The nightly job cleans up all old sessions";
    workspace.run(&["fact", "edit", "aaaa0004", edited]).ok();
    workspace
        .run(&["fact", "edit", "aaaa0005", "The nightly job also cleans up all old sessions"])
        .ok();
    assert_eq!(counts(&workspace.json("consolidate --dry-run")), [1, 0, 2]);
    workspace
        .run(&["fact", "add", "--section", "Specs", "All requests do time out after 30s"])
        .ok();
    assert_eq!(counts(&workspace.json("consolidate --dry-run"))[0], 1, "the three would be one");

    let again = workspace.json("consolidate --again");
    assert_eq!(number(&again, "undone_before"), 0);
    assert!(counts(&again)[0] > counts(&first)[0] && counts(&again)[1] == 1, "{again:#}");
    assert_eq!(counts(&workspace.json("consolidate")), [0, 0, 0]);
    let refused = workspace.run(&["consolidate", "--again", "--plan", "plan.json"]).failed(2);
    assert!(!refused.is_empty());
}

#[test]
fn imports_ingests_and_migrations_are_undone_as_a_whole() {
    let workspace = workspace();
    let memories = active(&workspace);
    let facts = r#"{"v": 1, "id": "0198c0de-0000-7000-8000-0000dddd0001", "kind": "fact", "section": "Specs", "content": "Invoices never restart", "at": "2026-01-01T10:00:00Z", "by": "Eve"}"#;
    workspace.write("facts.jsonl", format!("{facts}\n"));
    workspace.run(&["import", "facts.jsonl"]).ok();
    let record = ".heirloom/adrs/ADR-0001-use-sqlite.md";
    workspace.write(
        record,
        "---\ntitle: Use SQLite\nstatus: accepted\n---\n\n## Decision\n\nFor all.\n",
    );
    workspace.run(&["memory", "ingest"]).ok();
    let plan = "plans/0001-search/0001-search-plan.md";
    workspace.write(plan, "# Search\n");
    workspace.run(&["migrate"]).ok();
    assert_ne!(workspace.read(plan), "# Search\n");
    let kinds: Vec<Value> = workspace.json("undo --list")["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["kind"].clone())
        .collect();
    assert_eq!(kinds, ["migration", "ingest", "import"]);
    workspace.run(&["undo"]).ok();
    assert_eq!(workspace.read(plan), "# Search\n");
    assert_eq!(active(&workspace).len(), memories.len() + 2);
    workspace.run(&["undo"]).ok();
    assert_eq!(active(&workspace).len(), memories.len() + 1);
    workspace.run(&["undo"]).ok();
    assert_eq!(active(&workspace), memories);
}

#[test]
fn what_is_unused_is_archived_on_this_machine_found_with_a_label_and_restored() {
    let workspace = workspace();
    let shared = workspace.files(".heirloom/memory");
    workspace.run(&["consolidate", "--step", "forget"]).ok();
    let in_git = workspace.files(".heirloom/memory");
    let events = |files: &[String]| files.iter().filter(|path| path.contains("/event/")).count();
    assert_eq!(
        (events(&shared), events(&in_git)),
        (0, 1),
        "only what was replaced is archived for all"
    );
    let archive = workspace.json("memory search-archive");
    assert!(archive.to_string().contains("You're the best"), "{archive:#}");

    // Another memory answers as well, and the archived one is there with its label.
    workspace.run(&["note", "Ann thanks Bob for the lease"]).ok();
    let found = workspace.json("recall Ann thanks Bob best");
    assert_eq!(found["hits"][0]["text"], "Ann thanks Bob for the lease", "{found:#}");
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["standing"] == "active"), "{found:#}");
    let near = &found["near_misses"][0];
    assert_eq!(near["standing"], "archived", "{found:#}");
    assert!(near["id"].as_str().unwrap().ends_with(THANKS), "{found:#}");
    let shown = workspace.run(&["recall", "Ann thanks Bob best"]).ok();
    assert!(shown.contains("archived:"), "{shown}");
    let context = workspace.run(&["assemble", "--task", "Ann thanks Bob best"]).ok();
    assert!(!context.contains("You're the best"), "{context}");

    workspace.run(&["memory", "restore", THANKS]).ok();
    let found = workspace.json("recall thanks Bob you're the best");
    assert!(found["hits"].to_string().contains("You're the best"), "{found:#}");
    assert!(!found["near_misses"].to_string().contains("You're the best"), "{found:#}");
    // Somebody wanted it: it is not forgotten again.
    workspace.run(&["consolidate"]).ok();
    assert!(active(&workspace).contains("Ann: Thanks, Bob! You're the best."));
}

#[test]
fn an_original_of_a_merged_fact_comes_back_by_undoing_the_merge() {
    let workspace = workspace();
    workspace.run(&["consolidate"]).ok();
    let refused = workspace.run(&["memory", "restore", "aaaa0002"]).failed(2);
    assert!(refused.contains("it was superseded by"), "{refused}");
    let merged = workspace.json("recall all requests time out after 30 seconds");
    let merged = merged["hits"][0]["id"].as_str().unwrap().to_owned();
    workspace.run(&["memory", "undo", &merged]).ok();
    let active = active(&workspace);
    for text in ["All the requests time out after 30 seconds", "All requests time out after 30s"] {
        assert!(active.contains(text), "{text}: {active:#?}");
    }
    // They are not merged again: that merge was undone.
    let next = workspace.json("consolidate");
    assert_eq!((counts(&next), number(&next, "undone_before")), ([0, 0, 0], 1), "{next:#}");
}

#[test]
fn what_somebody_depends_on_is_never_forgotten() {
    let talk = "Ann: Thanks, Bob! You're the best.";
    let tagged = |n: u32, section: &str, text: &str, tags: &[&str]| {
        let fact = json!({
            "v": 1, "id": format!("0198c0de-0000-7000-8000-0000eeee{n:04}"), "kind": "fact",
            "section": section, "content": text, "at": "2025-06-01T10:00:00Z", "by": "Ada",
            "tags": tags,
        });
        format!("{fact}\n")
    };
    let fact = |n: u32, section: &str, text: &str| tagged(n, section, text, &["extracted"]);
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    let lines = [
        fact(1, "Decisions", &format!("{talk} One")),
        fact(2, "Constraints", &format!("{talk} Two")),
        fact(3, "Specs", "Always answer in French!"),
        fact(4, "Specs", "Wow, pinned!"),
        fact(5, "Specs", "Wow, great! Thanks!"),
        fact(6, "Specs", "Great! Thanks a lot!"),
        fact(7, "Specs", "Yes, thank you so much!"),
        fact(8, "Specs", "Cool, thanks!"),
        tagged(9, "Specs", "Let me know before you start!", &[]),
        tagged(10, "Specs", "Great to see you, take care!", &["extracted", "preference"]),
    ];
    workspace.write(".heirloom/memory/fact/2025-06-ada.jsonl", lines.concat());
    workspace.run(&["memory", "focus", "eeee0004"]).ok();
    workspace.run(&["memory", "connect", "eeee0005", "eeee0006", "depends_on"]).ok();
    workspace.run(&["used", "eeee0007"]).ok();
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    let forgotten: Vec<&str> =
        plan["forget"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(forgotten, ["Cool, thanks!"], "{plan:#}");

    // What came into force since the plan was made is kept, too.
    workspace.write("plan.json", plan.to_string());
    workspace.run(&["memory", "focus", "eeee0008"]).ok();
    let done = workspace.json("consolidate --plan plan.json");
    assert_eq!(number(&done, "forgotten"), 0, "{done:#}");
    assert!(done["notes"][0].as_str().unwrap().contains("pinned"), "{done:#}");

    // A plan that names them all the same forgets none of them.
    let mut plan = plan;
    plan["forget"] = (1..=10)
        .map(|n| {
            let id = format!("0198c0de-0000-7000-8000-0000eeee{n:04}");
            json!({"id": id, "text": "", "reason": "small_talk"})
        })
        .collect();
    plan["rank"] = json!([{
        "from": "0198c0de-0000-7000-8000-0000eeee0001",
        "to": "0198c0de-0000-7000-8000-0000eeee0002",
    }]);
    workspace.write("plan.json", plan.to_string());
    let done = workspace.json("consolidate --plan plan.json");
    assert_eq!((number(&done, "forgotten"), number(&done, "ranked")), (0, 0), "{done:#}");
    assert_eq!(done["notes"].as_array().unwrap().len(), 11, "{done:#}");
}

#[test]
fn a_private_successor_archives_a_shared_fact_on_this_machine_only() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    let text = "Refunds are stored as rows of the ledger";
    let answer = workspace.run(&["fact", "add", "--section", "Specs", text, "--json"]).ok();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let id = answer["id"].as_str().unwrap();
    let private = ["--private", "--supersedes", id, "I keep refunds as events"];
    workspace.run(&[&["fact", "add", "--section", "Specs"], private.as_slice()].concat()).ok();
    assert_eq!(counts(&workspace.json("consolidate"))[2], 1);
    assert_eq!(counts(&workspace.json("consolidate"))[2], 0);
    let other = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    copy_log(&workspace, &other);
    assert!(active(&other).contains(text), "{:#?}", active(&other));
}

/// Copies the shared log of a workspace to another one.
fn copy_log(from: &Workspace, to: &Workspace) {
    for path in from.files(".heirloom/memory") {
        let old = if to.has(&path) { to.read(&path) } else { String::new() };
        let new = from.read(&path);
        let added = new.lines().filter(|line| !old.contains(line));
        to.write(&path, added.fold(old.clone(), |text, line| text + line + "\n"));
    }
}

#[test]
fn two_clones_that_shorten_one_episode_make_one_record() {
    let (one, other) = (workspace(), workspace());
    for clone in [&one, &other] {
        assert_eq!(counts(&clone.json("consolidate --step compress"))[1], 1);
    }
    copy_log(&other, &one);
    let episodes = one.json("episode list");
    let items = episodes.get("hits").unwrap_or(&episodes["items"]).as_array().unwrap();
    assert_eq!(items.len(), 1, "{episodes:#}");
    assert_eq!(counts(&one.json("consolidate --step compress"))[1], 0);
}

#[test]
fn what_looks_like_a_secret_in_the_log_does_not_stop_a_run() {
    let workspace = workspace();
    let fact = |n: u32, text: &str| {
        json!({
            "v": 1, "id": format!("0198c0de-0000-7000-8000-0000dddd{n:04}"), "kind": "fact",
            "section": "Specs", "content": text, "at": "2025-06-01T10:00:00Z", "by": "Ada",
        })
    };
    let key = "AKIAIOSFODNN7EXAMPLE";
    let lines = [
        fact(1, &format!("The key of the old bucket is {key}")),
        fact(2, &format!("The key of the old bucket is also {key}")),
    ];
    let lines = lines.map(|line| format!("{line}\n"));
    workspace.write(".heirloom/memory/fact/2025-07-ada.jsonl", lines.concat());
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    // An edited text is checked, and left out alone.
    let mut edited = plan.clone();
    for merge in edited["merge"].as_array_mut().unwrap() {
        if merge["text"].as_str().unwrap().contains("time out") {
            merge["text"] = json!(format!("All requests with {key} time out after 30 s"));
        }
    }
    workspace.write("plan.json", edited.to_string());
    let done = workspace.json("consolidate --plan plan.json");
    assert_eq!(counts(&done)[..2], [2, 1], "{done:#}");
    assert!(done["notes"].to_string().contains("looks like"), "{done:#}");
    let log = log_lines(&workspace).concat();
    assert!(!log.contains(&format!("All requests with {key}")), "{log}");
}

/// Returns how often a memory was cited.
fn cited(workspace: &Workspace, end: &str) -> u64 {
    let usage = workspace.json("usage");
    let memories = usage["memories"].as_array().unwrap().iter();
    let of_memory = memories.filter(|memory| memory["id"].as_str().unwrap().ends_with(end));
    of_memory.map(|memory| number(memory, "cited")).sum()
}

#[test]
fn usage_survives_a_merge_and_returns_when_it_is_undone() {
    let workspace = workspace();
    for id in ["aaaa0001", "aaaa0002", "aaaa0002"] {
        workspace.run(&["used", id]).ok();
    }
    workspace.run(&["consolidate"]).ok();
    // The merged fact says what the first one says, and is the same item.
    assert_eq!((cited(&workspace, "aaaa0001"), cited(&workspace, "aaaa0002")), (3, 0));
    workspace.run(&["used", "aaaa0001"]).ok();
    workspace.run(&["undo"]).ok();
    assert_eq!((cited(&workspace, "aaaa0001"), cited(&workspace, "aaaa0002")), (2, 2));
}

#[test]
fn a_run_that_moves_usage_alone_can_be_undone() {
    let workspace = workspace();
    workspace.run(&["used", "aaaa0003"]).ok();
    let edited = workspace
        .run(&["fact", "edit", "aaaa0003", "Requests time out after 70 seconds", "--json"])
        .ok();
    let edited: Value = serde_json::from_str(&edited).unwrap();
    let new = edited["id"].as_str().unwrap();
    let new = &new[new.len() - 8..];
    let done = workspace.json("consolidate --step rank");
    assert_eq!(number(&done, "ranked"), 1, "{done:#}");
    assert!(!workspace.has(".heirloom/local/consolidation/last"), "a step is no whole run");
    assert_eq!(cited(&workspace, new), 1);
    workspace.run(&["undo", &number(&done, "run").to_string()]).ok();
    assert_eq!((cited(&workspace, new), cited(&workspace, "aaaa0003")), (0, 1));
}

#[test]
fn merged_small_talk_is_archived_once() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    let talk = |n: u32, text: &str| {
        let fact = json!({
            "v": 1, "id": format!("0198c0de-0000-7000-8000-0000dddd{n:04}"), "kind": "fact",
            "section": "Specs", "content": text, "at": "2025-06-01T10:00:00Z", "by": "Ada",
            "tags": ["extracted"],
        });
        format!("{fact}\n")
    };
    let lines = [
        talk(1, "Ann: Wow, that's amazing! Keep it up."),
        talk(2, "Ann: Wow, that's really amazing! Keep it up."),
    ];
    workspace.write(".heirloom/memory/fact/2025-06-ada.jsonl", lines.concat());
    assert_eq!(counts(&workspace.json("consolidate")), [1, 0, 0]);
    assert_eq!(counts(&workspace.json("consolidate")), [0, 0, 1]);
    assert_eq!(counts(&workspace.json("consolidate")), [0, 0, 0]);
    assert!(active(&workspace).is_empty());
}

#[test]
fn a_dry_run_of_a_plan_counts_what_it_can_do() {
    let workspace = workspace();
    let mut plan = workspace.json("consolidate --dry-run")["plan"].clone();
    plan["merge"][0]["memories"][0]["id"] = json!("0198c0de-0000-7000-8000-000000000000");
    workspace.write("plan.json", plan.to_string());
    let dry = workspace.json("consolidate --dry-run --plan plan.json");
    assert_eq!(number(&dry, "deduped"), 1, "{dry:#}");
    assert!(dry["notes"].to_string().contains("it does not exist"), "{dry:#}");
    plan["version"] = json!(9);
    for list in ["merge", "compress", "rank", "forget"] {
        plan[list] = json!([]);
    }
    workspace.write("plan.json", plan.to_string());
    for command in ["consolidate --plan plan.json", "consolidate --dry-run --plan plan.json"] {
        let refused = workspace.heir(command).failed(2);
        assert!(refused.contains("a plan of version 9"), "{refused}");
    }
}

#[test]
fn an_undone_import_can_be_imported_again() {
    let workspace = workspace();
    let fact = r#"{"v": 1, "id": "0198c0de-0000-7000-8000-0000dddd0001", "kind": "fact", "section": "Specs", "content": "Invoices never restart", "at": "2026-01-01T10:00:00Z", "by": "Eve"}"#;
    workspace.write("facts.jsonl", format!("{fact}\n"));
    workspace.write("CLAUDE.md", "# Rules\n\n- Never restart the numbers of invoices\n");
    for file in ["facts.jsonl", "CLAUDE.md"] {
        workspace.run(&["import", file]).ok();
        let imported = active(&workspace);
        workspace.run(&["undo"]).ok();
        assert_ne!(active(&workspace), imported);
        workspace.run(&["import", file]).ok();
        assert_eq!(active(&workspace), imported, "{file}");
        let again = workspace.json(&format!("import {file}"));
        assert_eq!((number(&again, "already"), &again["taken"]), (1, &json!({})), "{again:#}");
    }
}

#[test]
fn a_purge_removes_quotations_in_relations() {
    let workspace = workspace();
    let relation = json!({
        "v": 1, "id": "0198c0de-0000-7000-8000-0000dddd0009", "kind": "edge",
        "from": "0198c0de-0000-7000-8000-0000aaaa0004", "relation": "depends_on",
        "to": "0198c0de-0000-7000-8000-0000aaaa0007", "at": "2025-06-05T10:00:00Z", "by": "Ada",
        "content": "says: The nightly job cleans old sessions",
    });
    workspace.write(".heirloom/memory/edge/2025-06-ada.jsonl", format!("{relation}\n"));
    workspace.run(&["memory", "purge", "aaaa0004", "--yes"]).ok();
    let left: Vec<String> = log_lines(&workspace)
        .into_iter()
        .filter(|line| line.contains("job cleans old sessions"))
        .collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn memories_that_changed_since_a_plan_are_left_out() {
    let workspace = workspace();
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    workspace.write("plan.json", plan.to_string());
    workspace.run(&["fact", "edit", "aaaa0001", "Requests time out after 20 seconds"]).ok();
    workspace.run(&["memory", "archive", "aaaa0005"]).ok();
    let done = workspace.json("consolidate --plan plan.json");
    assert_eq!(number(&done, "deduped"), 0, "{done:#}");
    assert!(done["notes"].as_array().unwrap().len() >= 2, "{done:#}");
    assert!(active(&workspace).contains("Requests time out after 20 seconds"));
    // The same plan again changes nothing.
    let lines = log_lines(&workspace);
    workspace.run(&["consolidate", "--plan", "plan.json"]).ok();
    assert_eq!(log_lines(&workspace), lines);
}

#[test]
fn what_was_said_to_hold_both_is_not_merged() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    let store = |text: &str| {
        let arguments = ["fact", "add", "--section", "Specs", text, "--json"];
        let answer: Value = serde_json::from_str(&workspace.run(&arguments).ok()).unwrap();
        answer["id"].as_str().unwrap().to_owned()
    };
    let one = store("The nightly job cleans old sessions of the gateway");
    let other = store("The nightly job also cleans up the old sessions of the gateway");
    assert_eq!(counts(&workspace.json("consolidate --dry-run"))[0], 1);
    let line = json!({
        "v": 1, "id": "0198c0de-0000-7000-8000-0000ffff0001", "kind": "contradiction",
        "a": one, "b": other, "score": 0.9, "certainty": "possible", "aspect": "value",
        "reason": "cleans / cleans up", "at": "2026-02-01T10:00:00Z", "by": "Ada",
    });
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    workspace.write("plan.json", plan.to_string());
    workspace.write(".heirloom/memory/contradiction/2026-02-ada.jsonl", format!("{line}\n"));
    assert_eq!(counts(&workspace.json("consolidate --dry-run"))[0], 0);
    let done = workspace.json("consolidate --plan plan.json");
    assert!(done["notes"].to_string().contains("contradict each other"), "{done:#}");
    let list = workspace.json("contradictions list");
    let id = list["contradictions"][0]["id"].as_str().unwrap_or_else(|| panic!("{list:#}"));
    let resolution = ["--resolution", "both_valid", "--note", "two gateways"];
    workspace.run(&[&["contradictions", "resolve", id], resolution.as_slice()].concat()).ok();
    assert_eq!(workspace.json("contradictions list")["contradictions"], json!([]));
    assert_eq!(counts(&workspace.json("consolidate --dry-run"))[0], 0);
}

#[test]
fn a_bad_plan_is_refused_with_file_and_line() {
    let workspace = workspace();
    let before = log_lines(&workspace);
    let plan = workspace.json("consolidate --dry-run")["plan"].clone();
    let pretty = serde_json::to_string_pretty(&plan).unwrap();
    let cases = [
        ("{\n  \"version\": 1,\n  oops\n}\n".to_owned(), "plan.json:3: this is not JSON"),
        (
            pretty.replacen("\"merge\"", "\"merges\"", 1),
            "plan.json:4: the plan cannot be used: unknown field `merges`",
        ),
        (pretty.replacen("small_talk", "boring", 1), "unknown variant `boring`"),
        (pretty.replacen("\"version\": 1", "\"version\": 9", 1), "a plan of version 9"),
        (String::new(), "plan.json:1: this is not JSON"),
        ("[]".to_owned(), "plan.json:1"),
    ];
    for (text, reason) in cases {
        workspace.write("plan.json", &text);
        let refused = workspace.run(&["consolidate", "--plan", "plan.json"]).failed(2);
        assert!(refused.contains(reason), "{reason} is not in {refused}");
        assert!(refused.contains("hint:"), "{refused}");
    }
    workspace.run(&["consolidate", "--plan", "missing.json"]).failed(2);
    workspace.write("plan.json", &pretty);
    workspace.run(&["consolidate", "--plan", "plan.json", "--step", "forget"]).failed(2);
    assert_eq!(log_lines(&workspace), before);
}

#[test]
fn a_killed_run_leaves_the_log_whole_and_the_next_one_finishes() {
    let expected = workspace();
    expected.run(&["consolidate"]).ok();
    let expected = active(&expected);
    let mut chance = SeededRng::new(11);
    for _ in 0..6 {
        let workspace = workspace();
        for _ in 0..3 {
            let mut run = workspace
                .command()
                .arg("consolidate")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_micros(chance.below(150_000) as u64));
            run.kill().unwrap();
            run.wait().unwrap();
        }
        workspace.run(&["consolidate"]).ok();
        assert_eq!(active(&workspace), expected);
        assert_eq!(workspace.json("stats")["problems"], json!([]));
        for line in log_lines(&workspace) {
            serde_json::from_str::<Value>(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
        // Runs that were killed before they wrote are no obstacle to undoing those that did.
        workspace.run(&["undo"]).ok();
    }
}

#[test]
fn a_server_consolidates_on_request_and_every_day() {
    let server = Server::start(workspace(), &["serve", "--port", "0"]);
    let json = [("content-type", "application/json")];
    let planned = server.send("POST", "/consolidate", &json, r#"{"dry_run": true}"#);
    assert_eq!(planned.status, 200, "{}", planned.body);
    let planned = planned.json();
    assert_eq!(counts(&planned), [2, 1, 3]);
    assert!(number(&planned, "contradictions_found") > 0, "30 and 60 seconds: {planned:#}");
    assert_eq!(counts(&server.send("POST", "/consolidate", &json, "{}").json()), [2, 1, 3]);
    assert_eq!(counts(&server.send("POST", "/consolidate", &json, "{}").json()), [0, 0, 0]);
    server.workspace.run(&["undo"]).ok();
    assert_eq!(counts(&server.send("POST", "/consolidate", &json, "{}").json()), [0, 0, 0]);
    let again = server.send("POST", "/consolidate", &json, r#"{"again": true}"#);
    assert_eq!(counts(&again.json()), [2, 1, 3]);
    drop(server);

    let server = Server::start(workspace(), &["serve", "--port", "0", "--consolidate", "04:30"]);
    let started = Instant::now();
    while server.workspace.json("undo --list")["runs"].as_array().is_none_or(Vec::is_empty) {
        assert!(started.elapsed() < Duration::from_secs(60), "the server did not consolidate");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(!active(&server.workspace).contains("Ann: Thanks, Bob! You're the best."));
    drop(server);
    let bad = workspace().run(&["serve", "--port", "0", "--consolidate", "late"]).failed(2);
    assert!(bad.contains("no time of day"), "{bad}");
}

#[test]
fn the_schedule_is_printed_and_nothing_is_done() {
    let workspace = workspace();
    let before = log_lines(&workspace);
    let cron = workspace.run(&["consolidate", "--schedule", "cron"]).ok();
    assert!(cron.starts_with(&format!("0 3 * * * '{HEIR}' --root '")), "{cron}");
    let timer = workspace.run(&["consolidate", "--schedule", "systemd"]).ok();
    assert!(timer.contains("OnCalendar=*-*-* 03:00:00"), "{timer}");
    assert_eq!(log_lines(&workspace), before);
}
