//! `memory purge`: the text of a purged record is in no file of the workspace, and no merge brings it back.

use std::thread;

use heirloom_testkit::{TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;
use crate::merges::{merge_both_ways, team};

/// A word that is in no other text.
const SECRET: &str = "zanzibar";

fn store(workspace: &Workspace, arguments: &[&str]) -> String {
    let ran =
        workspace.run(&[&["fact", "add", "--section", "Specs", "--json"], arguments].concat());
    let answer: Value = serde_json::from_str(&ran.ok()).unwrap();
    answer["id"].as_str().unwrap().to_owned()
}

fn purge(workspace: &Workspace, id: &str) -> Value {
    let ran = workspace.run(&["memory", "purge", id, "--yes", "--json"]);
    serde_json::from_str(&ran.ok()).unwrap()
}

fn texts(answer: &Value) -> Vec<&str> {
    let items = answer.get("hits").unwrap_or(&answer["items"]).as_array().unwrap().iter();
    let mut texts: Vec<&str> = items.map(|item| item["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    texts
}

/// Returns the files that contain the secret, in the workspace and in its git directory.
fn files_with_secret(workspace: &Workspace) -> Vec<String> {
    let contains = |file: &String| {
        workspace.bytes(file).windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
    };
    workspace.files("").into_iter().filter(contains).collect()
}

/// Adds a field to a line of the log, as a person with an editor does.
fn add_field(line: &str) -> String {
    line.replace("\"by\":", "\"colour\":\"blue\",\"by\":")
}

#[test]
fn a_purged_record_is_in_no_file() {
    let team = team();
    let kept = store(&team, &["The door is green"]);
    let secret = store(&team, &["The door code is zanzibar"]);
    let equal = store(&team, &["the door code is  zanzibar", "--tag", "door"]);
    assert_eq!(equal, secret, "equal facts are one");
    team.json("recall door");
    assert!(files_with_secret(&team).iter().any(|file| file.contains("cache/index")));
    team.run(&["memory", "purge", &secret]).failed(2);
    assert_eq!(texts(&team.json("fact list")).len(), 2, "nothing happens without a confirmation");
    let report = purge(&team, &secret);
    assert_eq!(files_with_secret(&team), [""; 0]);
    assert_eq!((&report["purged"], &report["commits"]), (&json!([secret]), &json!([])));
    assert_eq!(texts(&team.json("fact list --all")), ["The door is green"]);
    assert_eq!(texts(&team.json("recall door code")), ["The door is green"]);
    assert_eq!(files_with_secret(&team), [""; 0], "nor in the new index");
    assert_eq!(team.json("stats")["problems"], json!([]));
    assert!(team.run(&["memory", "purge", &secret, "--yes"]).failed(2).contains("already purged"));
    team.run(&["fact", "show", &secret]).failed(2);
    team.run(&["memory", "archive", &kept]).ok();
}

#[test]
fn a_purged_record_is_in_nothing_that_is_kept_of_contexts() {
    let team = team();
    store(&team, &["The door is green"]);
    let secret = store(&team, &["The door code is zanzibar"]);
    team.run(&["session", "start", "Doors"]).ok();
    team.run(&["assemble", "--task", "What is the door code?"]).ok();
    let kept = files_with_secret(&team);
    for folder in ["session-injected", "heirloom/assembly"] {
        assert!(kept.iter().any(|file| file.contains(folder)), "{folder}: {kept:?}");
    }
    purge(&team, &secret);
    assert_eq!(files_with_secret(&team), [""; 0]);
}

#[test]
fn the_answer_says_what_git_holds() {
    let team = team();
    let secret = store(&team, &["The door code is zanzibar"]);
    team.git(&["add", "--all"]);
    team.commit_all("2026-02-21T00:00:00Z");
    let other = store(&team, &["The other code is zanzibar"]);
    let report = purge(&team, &secret);
    assert_eq!((report["commits"].as_array().unwrap().len(), &report["staged"]), (1, &json!(true)));
    let report = purge(&team, &other);
    assert_eq!((&report["commits"], &report["staged"]), (&json!([]), &json!(false)));
    let private = store(&team, &["My code is zanzibar", "--private"]);
    let report = purge(&team, &private);
    assert_eq!(report["commits"], json!([]));
    let shared = team.files(".heirloom/memory/tombstone");
    assert!(
        !shared.iter().any(|file| team.read(file).contains(&private)),
        "private ids are not shared"
    );
}

#[test]
fn what_a_purged_record_superseded_stays_superseded() {
    let team = team();
    let old = store(&team, &["The code is on paper"]);
    let edit = team.run(&["fact", "edit", &old, "The code is zanzibar", "--json"]).ok();
    let new: Value = serde_json::from_str(&edit).unwrap();
    let report = purge(&team, new["id"].as_str().unwrap());
    assert!(report["notes"][0].as_str().unwrap().contains("other versions"), "{report}");
    assert_eq!(texts(&team.json("fact list")), [""; 0]);
    assert_eq!(team.json("fact list --all")["hits"][0]["standing"], "superseded");
    let tombstone = &team.json("fact list --all")["hits"][0]["replaced_by"][0];
    let tombstone = tombstone.as_str().unwrap();
    let note = report["notes"][1].as_str().unwrap();
    assert!(note.contains(&format!("undo {}", &tombstone[28..])), "{note}");
    let refused = team.run(&["memory", "restore", &old]).failed(2);
    assert!(refused.contains(&format!("superseded by {}", &tombstone[28..])), "{refused}");
    let missing = team.run(&["fact", "show", new["id"].as_str().unwrap()]).failed(2);
    assert!(missing.contains("was purged"), "{missing}");
    team.run(&["memory", "undo", tombstone]).ok();
    assert_eq!(texts(&team.json("fact list")), ["The code is on paper"]);
    assert_eq!(files_with_secret(&team), [""; 0]);
}

#[test]
fn a_merge_does_not_bring_a_purged_record_back() {
    let origin = team();
    let first = store(&origin, &["Before"]);
    let secret = store(&origin, &["The door code is zanzibar"]);
    store(&origin, &["After"]);
    origin.commit_all("2026-02-21T00:00:00Z");
    let purge_it = |workspace: &Workspace| {
        workspace.json("recall code");
        purge(workspace, &secret);
    };
    let use_it = |workspace: &Workspace| {
        workspace.run(&["memory", "archive", &first]).ok();
        // Changes the line before and the line after the purged one, so that the merge keeps both versions of all three.
        let [shard] = workspace.shards("fact").try_into().unwrap();
        let text = workspace.read(&shard);
        let edit = |line: &str| match line.contains(SECRET) {
            true => format!("{line}\n"),
            false => format!("{}\n", add_field(line)),
        };
        workspace.write(&shard, text.lines().map(edit).collect::<String>());
        store(workspace, &["Elsewhere"]);
        workspace.json("recall code");
    };
    for workspace in merge_both_ways(&origin, purge_it, use_it) {
        assert_eq!(texts(&workspace.json("recall code zanzibar")), [""; 0]);
        assert!(!workspace.heir("fact list --all").ok().contains(SECRET));
        assert!(!workspace.heir("export").ok().contains(SECRET));
        workspace.run(&["note", "The next write removes the line"]).ok();
        let left = files_with_secret(&workspace);
        assert!(left.is_empty(), "{left:?}");
        let problems = workspace.json("stats")["problems"].to_string();
        assert!(!problems.contains("purged"), "{problems}");
    }
}

#[test]
fn another_line_with_the_id_of_a_purged_record_is_ignored_until_it_is_purged_too() {
    let team = team();
    let secret = store(&team, &["The door code is zanzibar"]);
    let [shard] = team.shards("fact").try_into().unwrap();
    let line = team.read(&shard);
    purge(&team, &secret);
    team.write(&shard, add_field(&line));
    assert_eq!(texts(&team.json("fact list --all")), [""; 0]);
    team.run(&["note", "A write"]).ok();
    assert!(
        team.read(&shard).contains(SECRET),
        "only lines whose hash the tombstone names are deleted"
    );
    let problem = &team.json("stats")["problems"][0];
    assert!(problem["message"].as_str().unwrap().contains("was purged"), "{problem}");
    purge(&team, &secret);
    assert_eq!(files_with_secret(&team), [""; 0]);
    assert_eq!(team.json("stats")["problems"], json!([]));
}

#[test]
fn a_private_record_is_purged_from_a_linked_work_tree() {
    let main = team();
    let secret = store(&main, &["My code is zanzibar", "--private"]);
    main.json("recall code");
    let linked = Workspace::empty(HEIR);
    main.git(&["worktree", "add", "--quiet", &linked.path().join("w").to_string_lossy()]);
    let run = |arguments: &[&str]| {
        let mut command = linked.command();
        command.current_dir(linked.path().join("w")).args(arguments);
        heirloom_testkit::CommandOutput::of(&command.output().unwrap()).ok()
    };
    assert!(run(&["recall", "code"]).contains(SECRET));
    run(&["memory", "purge", &secret, "--yes"]);
    assert_eq!(files_with_secret(&linked), [""; 0]);
    assert_eq!(texts(&main.json("recall code")), [""; 0]);
    assert_eq!(files_with_secret(&main), [""; 0], "the next command clears the other work tree");
}

#[test]
fn an_export_does_not_bring_a_purged_record_back() {
    let team = Workspace::with(HEIR, TEAM);
    let secret = store(&team, &["The door code is zanzibar"]);
    let exported = team.heir("export").ok();
    purge(&team, &secret);
    team.write("old.jsonl", &exported);
    assert!(team.heir("import old.jsonl").failed(1).is_empty());
    assert_eq!(texts(&team.json("fact list --all")), [""; 0]);
    let other = Workspace::with(HEIR, TEAM);
    other.write("old.jsonl", &exported);
    other.heir("import old.jsonl").ok();
    other.write("new.jsonl", team.heir("export").ok());
    other.heir("import new.jsonl").ok();
    assert_eq!(
        texts(&other.json("fact list --all")),
        [""; 0],
        "a tombstone holds where it is imported"
    );
}

/// The next command completes the purge of a process that died between writing the journal and removing the lines.
#[test]
fn an_interrupted_purge_is_completed() {
    let team = Workspace::with(HEIR, TEAM);
    store(&team, &["The door is green"]);
    let secret = store(&team, &["The door code is zanzibar"]);
    let [shard] = team.shards("fact").try_into().unwrap();
    let before = team.read(&shard);
    purge(&team, &secret);
    let after = team.read(&shard);
    let [tombstones] = team.shards("tombstone").try_into().unwrap();
    let tombstone: Value = serde_json::from_str(&team.read(&tombstones)).unwrap();
    team.write(&shard, &before);
    std::fs::remove_file(team.path().join(&tombstones)).unwrap();
    let root = team.path().canonicalize().unwrap();
    let line = format!("{tombstone}\n");
    let append =
        json!({"base": "root", "path": tombstones, "at": 0, "text": line, "existed": false});
    let removal = json!({"base": "root", "path": shard, "line_hashes": tombstone["line_hashes"]});
    let journal = json!({"root": root, "moves": [], "appends": [append], "removals": [removal]});
    team.write(".heirloom/local/journal.json", journal.to_string());
    assert_eq!(texts(&team.json("fact list")), ["The door is green"]);
    assert_eq!(team.read(&shard), after);
    assert!(!team.has(".heirloom/local/journal.json"));
    assert_eq!(files_with_secret(&team), [""; 0]);
}

#[test]
fn writers_and_purges_at_the_same_time_lose_nothing_else() {
    let team = Workspace::with(HEIR, TEAM);
    let secrets: Vec<String> =
        (0..4).map(|n| store(&team, &[&format!("Code {n} is zanzibar {n}")])).collect();
    thread::scope(|scope| {
        for (writer, secret) in secrets.iter().enumerate() {
            let team = &team;
            scope.spawn(move || {
                for number in 0..5 {
                    store(team, &[&format!("Fact {number} of writer {writer}")]);
                }
            });
            scope.spawn(move || purge(team, secret));
        }
    });
    assert_eq!(texts(&team.json("fact list")).len(), 4 * 5);
    team.json("recall code");
    assert_eq!(files_with_secret(&team), [""; 0]);
    assert_eq!(team.json("stats")["problems"], json!([]));
}

#[test]
fn a_record_is_purged_from_a_long_log() {
    let team = Workspace::with(HEIR, TEAM);
    let secret = store(&team, &["The door code is zanzibar"]);
    let [shard] = team.shards("fact").try_into().unwrap();
    let line = team.read(&shard);
    let filler: String = (0..3000)
        .map(|n| {
            let id = format!("019c82a5-5800-7000-8000-{n:012x}");
            line.replace(&secret, &id).replace("door code is zanzibar", &format!("fact {n}"))
        })
        .collect();
    team.write(&shard, format!("{line}{filler}"));
    assert_eq!(texts(&team.json("recall zanzibar --limit 1")), ["The door code is zanzibar"]);
    purge(&team, &secret);
    assert_eq!(files_with_secret(&team), [""; 0]);
    team.json("recall door");
    team.run(&["memory", "archive", "019c82a5-5800-7000-8000-000000000001"]).ok();
    team.json("recall door");
    assert_eq!(files_with_secret(&team), [""; 0]);
    assert_eq!(team.read(&shard), filler);
}

#[test]
fn an_entry_of_a_document_is_not_purged() {
    let team = Workspace::with(HEIR, TEAM);
    team.run(&["memory", "add", "0042", "001", "finding", "The code is zanzibar"]).ok();
    let error = team.run(&["memory", "purge", "0042/001/finding-1", "--yes"]).failed(2);
    assert!(error.contains("text of a document"), "{error}");
}
