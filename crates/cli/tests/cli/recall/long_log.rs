//! From a long log only the needed lines are read, and the answers are the same.

use std::fs;

use heirloom_testkit::Workspace;
use serde_json::Value;

use super::{ask, team, texts};

/// A shard that is long enough to be read by the index.
const LONG_SHARD: &str = ".heirloom/memory/fact/2026-01-long.jsonl";

pub(super) fn team_with_a_long_log() -> Workspace {
    let team = team();
    let line = |at: usize| {
        let port = 10_000 + at;
        format!(
            "{{\"v\":1,\"id\":\"0198c0de-0000-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"service {at} listens on port {port}\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"ada\"}}\n"
        )
    };
    team.write(LONG_SHARD, (0..4000).map(line).collect::<String>());
    team
}

/// Runs a command and returns its answer.
fn answer(team: &Workspace, words: &[&str]) -> Value {
    serde_json::from_str(&team.run(&[words, &["--json"]].concat()).ok()).unwrap()
}

/// Creates a team whose long log was changed without changing its size and modification time, so that
/// answers show whether the log or the index was read.
fn team_with_an_unseen_change() -> Workspace {
    const FACTS_OF_ADRS: &str = ".heirloom/memory/fact/2026-01-taken.jsonl";
    let team = team_with_a_long_log();
    team.run(&["note", "look at the ports"]).ok();
    let fact_of_adr = |at: usize| {
        format!(
            "{{\"v\":1,\"id\":\"0198c0dd-0000-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Decisions\",\"content\":\"decision {at}\",\"origin\":\"adr:ADR-090{at}#accepted\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"ada\"}}\n"
        )
    };
    team.write(FACTS_OF_ADRS, (1..4).map(fact_of_adr).collect::<String>());
    answer(&team, &["recall", "ports"]);
    for (file, before, after) in
        [(LONG_SHARD, "listens on", "is open at"), (FACTS_OF_ADRS, "-090", "-000")]
    {
        let path = team.path().join(file);
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let text = fs::read_to_string(&path).unwrap().replace(before, after);
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    }
    team
}

#[test]
fn single_records_are_shown_without_reading_a_long_log() {
    let team = team_with_an_unseen_change();
    let answer = |words: &[&str]| answer(&team, words);
    let shown = answer(&["fact", "show", "0000004d"]);
    assert_eq!(shown["text"], "service 77 listens on port 10077", "{shown:#}");
    let shown = answer(&["fact", "show", "0000004d", "--as-of", "2026-02-01"]);
    assert_eq!(shown["text"], "service 77 listens on port 10077", "{shown:#}");
    let listed = answer(&["fact", "list", "--limit", "50"]);
    let facts = listed["hits"].as_array().unwrap();
    let is_fact = |text: &str| facts.iter().any(|fact| fact["text"] == text);
    assert!(is_fact("service 1 listens on port 10001"), "{listed:#}");
    let active = &answer(&["stats"])["records"]["fact"]["active"];
    assert_eq!(active.as_u64(), listed["more"].as_u64().map(|more| more + 50), "{listed:#}");
    let chosen = answer(&["fact", "list", "--section", "specs"]);
    assert_eq!(chosen["hits"][77]["text"], "service 77 listens on port 10077");
    // An export reads the whole log.
    assert!(team.run(&["export"]).ok().contains("service 77 is open at port 10077"));
}

#[test]
fn records_are_related_pinned_and_promoted_without_reading_a_long_log() {
    let team = team_with_an_unseen_change();
    let answer = |words: &[&str]| answer(&team, words);
    let connect = || answer(&["memory", "connect", "0000004d", "0000004e", "depends_on"]);
    assert_eq!(connect()["done"], "connected");
    assert_eq!(connect()["done"], "already connected");
    let shown = answer(&["fact", "show", "0000004e"]);
    assert_eq!(shown["relations"].as_array().unwrap().len(), 1, "{shown:#}");
    let pinned = answer(&["memory", "focus", "0000004d"]);
    assert_eq!(pinned["items"][0]["text"], "service 77 listens on port 10077", "{pinned:#}");
    let pinned = answer(&["memory", "focus", "0000004f"]);
    assert_eq!(pinned["items"].as_array().unwrap().len(), 2, "{pinned:#}");
    let released = answer(&["memory", "release", "0000004d"]);
    assert_eq!(released["items"].as_array().unwrap().len(), 1, "{released:#}");
    let notes = answer(&["notes"]);
    let note = notes["hits"][0]["id"].as_str().unwrap();
    assert_eq!(notes["hits"].as_array().unwrap().len(), 1, "{notes:#}");
    answer(&["note", "promote", note, "--section", "specs", "--content", "ports are looked at"]);
    assert_eq!(answer(&["notes"])["hits"].as_array().unwrap().len(), 0);
    let found = ask(&team, "who looks at ports?");
    assert!(texts(&found).contains(&"ports are looked at"), "{found:#}");
}

/// A command that read the whole log would find the facts of these decisions in it.
#[test]
fn decisions_become_facts_without_reading_a_long_log() {
    let team = team_with_an_unseen_change();
    let answer = |words: &[&str]| answer(&team, words);
    answer(&["adr", "new", "Use Redis", "--status", "accepted"]);
    team.write(".heirloom/adrs/ADR-0002-valkey.md", "# Use Valkey\n\nStatus: accepted\n");
    answer(&["session", "start"]);
    answer(&["adr", "new", "Use Garnet"]);
    let moved = answer(&["adr", "status", "ADR-0003", "accepted"]);
    assert!(moved["fact"].is_string(), "{moved:#}");
    let ended = answer(&["session", "end"]);
    let ended = answer(&["episode", "show", ended["id"].as_str().unwrap()]);
    assert_eq!(ended["record"]["stored"].as_array().map(Vec::len), Some(7), "{ended:#}");
    let facts = answer(&["recall", "which ADR says what to use?", "--kind", "fact"]);
    for name in ["Redis", "Valkey", "Garnet"] {
        assert!(texts(&facts).iter().any(|text| text.ends_with(name)), "{facts:#}");
    }
}

/// Superseded facts, facts with the same text, relations between them, and a damaged line.
const RELATED_RECORDS: &str = r#"{"v":1,"id":"0198c0df-0000-7000-8000-0000aaaa0001","kind":"fact","section":"Specs","content":"alpha one","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000aaaa0002","kind":"fact","section":"Specs","content":"alpha two","at":"2026-01-02T00:00:00Z","by":"ada","supersedes":["0198c0df-0000-7000-8000-0000aaaa0001"]}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0001","kind":"fact","section":"Specs","content":"beta one","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0002","kind":"fact","section":"Specs","content":"beta two","at":"2026-01-02T00:00:00Z","by":"ada","supersedes":["0198c0df-0000-7000-8000-0000bbbb0001"]}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0003","kind":"fact","section":"Specs","content":"Beta two.","at":"2026-01-03T00:00:00Z","by":"bob"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000cccc0001","kind":"fact","section":"Specs","content":"gamma","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000eeee0001","kind":"edge","from":"0198c0df-0000-7000-8000-0000aaaa0002","to":"0198c0df-0000-7000-8000-0000bbbb0002","relation":"depends_on","at":"2026-01-03T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000dddd0001","kind":"event","action":"pin","targets":["0198c0df-0000-7000-8000-0000aaaa0002"],"at":"2026-01-03T00:00:00Z","by":"bob"}
this is no line of a log
"#;

/// A relation that was archived after a month.
const ARCHIVED_RELATION: &str = r#"{"v":1,"id":"0198c0df-0000-7000-8000-0000eeee0002","kind":"edge","from":"0198c0df-0000-7000-8000-0000cccc0001","to":"0198c0df-0000-7000-8000-0000bbbb0002","relation":"enables","at":"2026-01-03T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000dddd0002","kind":"event","action":"archive","targets":["0198c0df-0000-7000-8000-0000eeee0002"],"at":"2026-02-01T00:00:00Z","by":"bob"}
"#;

/// Replaces new ids and locations in the log, which differ from run to run.
fn without_ids(answer: Value) -> Value {
    match answer {
        Value::String(text) if text.contains("0198c0df") => Value::String(text),
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => "an id".into(),
        Value::String(text) if text.contains(".jsonl") => "a place".into(),
        Value::Array(items) => items.into_iter().map(without_ids).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (key, without_ids(value))).collect()
        }
        other => other,
    }
}

/// Commands of every kind, including writes.
const COMMANDS: &[&[&str]] = &[
    &["memory", "connect", "aaaa0001", "bbbb0001", "depends_on"],
    &["fact", "show", "bbbb0003"],
    &["fact", "show", "0198c0df0000700080000000bbbb0002"],
    &["fact", "show", "{0198c0df-0000-7000-8000-0000aaaa0001}"],
    &["memory", "focus"],
    &["memory", "focus", "bbbb0002"],
    &["memory", "release"],
    &["memory", "connect", "aaaa0001", "bbbb0001", "depends_on", "--remove"],
    &["fact", "show", "bbbb0002"],
    &["fact", "show", "2"],
    &["notes"],
    &["adr", "new", "Use Redis"],
    &["adr", "status", "ADR-0001", "accepted"],
    &["session", "start", "Caches"],
    &["memory", "ingest"],
    // The text of an existing fact.
    &["fact", "add", "--section", "Specs", "Alpha two", "--supersedes", "cccc0001"],
    &["fact", "add", "--section", "Specs", "Nobody else knows", "--private"],
    &["memory", "add", "0001", "--plan", "decision", "Cache for a minute"],
    &["memory", "add", "0001", "--plan", "decision", "Cache for a minute"],
    &["memory", "add", "caches", "coder", "decision", "Ports are fixed"],
    &["memory", "promote", "0001", "000", "decision-1"],
    &["memory", "add", "0001", "--plan", "question", "Which cache?"],
    &["memory", "resolve", "0001", "--plan", "question-1", "Redis"],
    &["memory", "archive", "entry:c9efeb43fadd"],
    &["memory", "show", "0001", "--plan"],
    &["adr", "new", "Name branches after issues", "--status", "accepted"],
    &["adr", "supersede", "ADR-0001", "ADR-0002"],
    &["memory", "search-archive"],
    &["session", "end", "--turns", "3"],
    &["episode", "list"],
    &["context", "resolve", "0001"],
    &["memory", "ingest"],
    &["compact"],
    &["adr", "status", "ADR-0002", "deprecated"],
];

/// Runs all commands and returns their answers, without what differs from run to run.
fn answers_to_commands(team: &Workspace) -> Vec<(String, i32, String, Value)> {
    team.write(".heirloom/memory/fact/2026-01-tied.jsonl", RELATED_RECORDS);
    team.run(&["plan", "new", "caches"]).ok();
    team.run(&["agent", "new", "0001", "coder"]).ok();
    team.write(".heirloom/context/damaged.md", "---\ntags: [\n---\n# Damaged\n");
    team.run(&["recall", "alpha"]).ok();
    let mut answers = Vec::new();
    for words in COMMANDS {
        let ran = team.run(&[words, &["--json"][..]].concat());
        let is_meant_to_fail = *words == ["fact", "show", "2"];
        assert_eq!(ran.code != 0, is_meant_to_fail, "{words:?}: {}", ran.stderr);
        let answer = without_ids(serde_json::from_str(&ran.stdout).unwrap_or_default());
        answers.push((words.join(" "), ran.code, ran.stderr, answer));
    }
    let episodes = answer(team, &["episode", "list"]);
    let shown = answer(team, &["episode", "show", episodes["hits"][0]["id"].as_str().unwrap()]);
    let stored = shown["record"]["stored"].as_array().unwrap().len();
    answers.push(("stored".to_owned(), 0, String::new(), stored.into()));
    answers
}

#[test]
fn answers_are_the_same_for_a_long_and_a_short_log() {
    let short = answers_to_commands(&team());
    let long = answers_to_commands(&team_with_a_long_log());
    for (short, long) in short.into_iter().zip(long) {
        assert_eq!(short, long);
    }
}

/// Commands of every kind that only read.
const READ_COMMANDS: &[&[&str]] = &[
    &["stats"],
    &["context", "health"],
    &["context", "conflicts"],
    &["context", "validate"],
    &["graph", "health"],
    &["graph", "export", "--format", "json"],
    &["graph", "show", "fact/0198c0df-0000-7000-8000-0000cccc0001"],
    &["graph", "show", "aaaa0002"],
    &["graph", "show", "0000004e", "--depth", "3"],
    &["graph", "export", "--node", "bbbb0002"],
    &["fact", "list"],
    &["fact", "list", "--all", "--limit", "4100"],
    &["fact", "list", "--limit", "3"],
    &["fact", "list", "--limit", "0"],
    &["fact", "list", "--limit", "4006"],
    &["fact", "list", "--section", "Specs", "--all"],
    &["fact", "list", "--tag", "own"],
    &["fact", "list", "--scope", "nowhere"],
    &["fact", "list", "--as-of", "2026-01-01"],
    &["fact", "list", "--valid-at", "2026-01-02", "--section", "Specs"],
    &["fact", "show", "aaaa0001", "--as-of", "2026-01-01"],
    &["fact", "show", "bbbb0002", "--as-of", "2026-01-03"],
    &["fact", "show", "bbbb0002", "--as-of", "2025-01-03"],
    &["fact", "show", "cccc0001", "--as-of", "2026-01-15"],
    &["fact", "show", "cccc0001"],
    &["episode", "list"],
    &["episode", "list", "--as-of", "2026-01-03"],
    &["episode", "list", "--all"],
    &["export"],
    &["export", "--format", "markdown"],
    &["memory", "search-archive"],
];

/// Creates a team with a long log, in which records of every kind were stored, superseded and archived.
fn team_with_a_history() -> Workspace {
    let team = team_with_a_long_log();
    team.write(
        ".heirloom/memory/fact/2026-01-tied.jsonl",
        format!("{RELATED_RECORDS}{ARCHIVED_RELATION}"),
    );
    team.run(&["plan", "new", "caches"]).ok();
    let note = |text: &str| {
        let noted = answer(&team, &["note", text]);
        noted["id"].as_str().unwrap().to_owned()
    };
    note("look at the ports");
    let done = note("look at the caches");
    for words in [
        ["memory", "add", "0001", "--plan", "decision", "Cache for a minute"].as_slice(),
        &["memory", "add", "0001", "--plan", "question", "Which cache?"],
        &["fact", "add", "--section", "Specs", "Nobody else knows", "--private", "--tag", "own"],
        &["fact", "add", "--section", "Specs", "alpha three", "--supersedes", "aaaa0001"],
        &["memory", "archive", "0000004d", "--reason", "it moved"],
        &["memory", "connect", "0000004e", "cccc0001", "contradicts"],
        &["note", "promote", &done, "--section", "specs", "--content", "caches are looked at"],
        &["memory", "focus", "0000004f"],
        &["episode", "add", "The great move", "--content", "Ports were moved."],
        &["recall", "ports"],
    ] {
        team.run(words).ok();
    }
    team
}

/// Writes three files to import, which contain rows that were imported before.
fn prepare_imports(team: &Workspace) {
    let lists = "# Rules\n\n## Ports\n\n- Ports are numbers\n- Caches are small\n";
    team.write("CLAUDE.md", lists);
    let edge = r#"{"_type":"edge","id":"e1","source_fact_id":"f1","target_fact_id":"f2","relation":"runs_on"}"#;
    let fact = |id: &str| {
        format!(
            r#"{{"_type":"fact","id":"{id}","section":"Decisions","content":"fact {id}","status":"active","created_at":"2026-01-02"}}"#
        )
    };
    team.write("facts.jsonl", format!("{}\n{}\n{edge}\n", fact("f1"), fact("f2")));
    team.run(&["import", "facts.jsonl"]).ok();
    team.write("facts.jsonl", format!("{edge}\n"));
    team.run(&["import", "CLAUDE.md"]).ok();
    team.write("CLAUDE.md", format!("{lists}- Walls are high\n"));
    // An export may begin with a byte order mark.
    team.write("some.jsonl", format!("\u{feff}{}\n", RELATED_RECORDS.lines().next().unwrap()));
    team.run(&["recall", "ports"]).ok();
}

#[test]
fn answers_from_a_long_log_are_the_same_with_and_without_the_index() {
    let team = team_with_a_history();
    prepare_imports(&team);
    let run = |words: &[&str]| {
        let ran = team.run(&[words, &["--json"]].concat());
        (words.join(" "), ran.code, ran.stdout, ran.stderr)
    };
    let answers = || READ_COMMANDS.iter().map(|words| run(words)).collect::<Vec<_>>();
    // A second import adds nothing, with and without the index.
    let import = |name: &str| run(&["import", name, "--dry-run"]);
    let imports = || ["CLAUDE.md", "some.jsonl", "facts.jsonl"].map(import);
    let with_index = (answers(), imports());
    for ((_, _, answer, _), already) in with_index.1.iter().zip([2, 1, 1]) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["already"], already, "{answer:#}");
    }
    let cache = team.path().join(".heirloom/cache");
    assert!(cache.join("index").exists());
    fs::remove_dir_all(&cache).unwrap();
    assert_eq!(with_index.1, imports());
    for (with, without) in with_index.0.into_iter().zip(answers()) {
        assert_eq!(with, without);
    }
    assert!(!cache.join("index/current").exists(), "reading must not build an index");
    let stats = answer(&team, &["stats"]);
    let facts = &stats["records"]["fact"];
    assert_eq!((&facts["archived"], &facts["private"]), (&1.into(), &1.into()), "{stats:#}");
    assert_eq!(stats["records"]["note"]["done"], 1, "{stats:#}");
    assert_eq!(stats["forks"].as_array().map(Vec::len), Some(1), "{stats:#}");
}

#[test]
fn writes_to_a_long_log_find_existing_records() {
    const SERVICE_81: &str = "service 81 listens on port 10081";
    let team = team_with_a_long_log();
    let add = |text: &str, more: &[&str]| {
        let mut words = vec!["fact", "add", "--section", "specs", text, "--json"];
        words.extend(more);
        serde_json::from_str::<Value>(&team.run(&words).ok()).unwrap()
    };
    let again = add("Service 77 listens on port 10077.", &[]);
    assert_eq!(again["id"], "0198c0de-0000-7000-8000-00000000004d", "{again:#}");
    let near = add("service 78 listens on port 10078 now", &[]);
    let listed = near["near"].as_array().unwrap();
    assert!(
        listed.iter().any(|near| near["text"] == "service 78 listens on port 10078"),
        "{near:#}"
    );
    // The last characters of the id are enough.
    add("service 79 is gone", &["--supersedes", "0000004f"]);
    let shown = team.json("fact show 0198c0de-0000-7000-8000-00000000004f");
    assert_eq!(shown["standing"], "superseded", "{shown:#}");
    team.run(&["fact", "edit", "00000050", "service 80 listens on port 9"]).ok();
    team.run(&["memory", "archive", "00000051"]).ok();
    assert_ne!(team.run(&["fact", "edit", "00000050", "again"]).code, 0, "it was replaced already");
    let is_recalled = || texts(&ask(&team, "service 81 port 10081")).contains(&SERVICE_81);
    assert!(!is_recalled());
    team.run(&["memory", "restore", "00000051"]).ok();
    assert!(is_recalled());
    let unknown = team.run(&["fact", "add", "--section", "specs", "x", "--supersedes", "ffffffff"]);
    assert_ne!(unknown.code, 0);
}
