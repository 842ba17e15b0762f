//! Recall as a user meets it: any text is a question, and the index is nobody's business.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test changes files behind the program's back"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

fn team() -> Workspace {
    let team = Workspace::empty(env!("CARGO_BIN_EXE_heir"));
    team.run(&["init", "--name", "shop"]).ok();
    for (section, text) in [
        ("Decisions", "The index is kept in SQLite because it must change whole or not at all"),
        ("Architecture", "parseFrontMatter in src/auth/login.ts reads the header of a document"),
        ("Constraints", "Refunds are possible for thirty days after the payment"),
    ] {
        team.run(&["fact", "add", "--section", section, text]).ok();
    }
    team
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["text"].as_str().unwrap()).collect()
}

fn first(answer: &Value) -> &str {
    texts(answer).first().copied().unwrap_or_default()
}

fn ask(team: &Workspace, query: &str) -> Value {
    serde_json::from_str(&team.run(&["recall", query, "--json"]).ok()).unwrap()
}

#[test]
fn names_are_found_whole_in_parts_and_misspelt() {
    let team = team();
    for query in
        ["parseFrontMatter", "front matter", "frontmatter", "src/auth/login.ts", "parsefrontmater"]
    {
        assert!(first(&ask(&team, query)).starts_with("parseFrontMatter"), "{query}");
    }
    assert!(first(&ask(&team, "how long can I get my money back?")).starts_with("Refunds"));
    // A slip in the ending of a word makes another stem of it.
    let store = |text: &str| team.run(&["fact", "add", "--section", "specs", text]).ok();
    store("The latency of checkout is watched");
    store("Migrations run at night");
    store("Shipped 🚀 with the new printer");
    for (query, expected) in [
        ("laency", "The latency"),
        ("latnecy", "The latency"),
        ("migratinos", "Migrations"),
        ("refudns", "Refunds"),
        ("igrations", "Migrations"),
        ("🚀", "Shipped"),
    ] {
        let answer = ask(&team, query);
        assert!(first(&answer).starts_with(expected), "{query}: {answer:#}");
    }
    assert_eq!(texts(&ask(&team, "notification")), Vec::<&str>::new(), "a word is no slip");
}

#[test]
fn any_text_is_a_question() {
    let team = team();
    let long = "index ".repeat(10_000);
    for query in [
        "\"",
        "C++",
        "what's",
        "schema.ts",
        "(a OR",
        "*",
        "AND NOT",
        "-",
        "🎉🎉",
        "مرحبا",
        "a:b^2~",
        "\\",
        "   ",
        "'; DROP TABLE line; --",
        "\u{200f}\u{202e}index",
        &long,
    ] {
        team.run(&["recall", "--json", "--", query]).ok();
    }
}

#[test]
fn nothing_is_said_plainly_with_what_comes_nearest() {
    let team = team();
    let answer = ask(&team, "zebra crossings");
    assert_eq!(texts(&answer), Vec::<&str>::new());
    assert_eq!(answer["near_misses"].as_array().unwrap().len(), 3);
    for query in ["zebra crossings", "in March 2021"] {
        let shown = team.run(&["recall", query]).ok();
        let said = "nothing is remembered of that\nwhat comes nearest:\n";
        assert!(shown.starts_with(said), "{query}: {shown}");
    }
}

#[test]
fn a_score_is_the_sum_of_what_it_is_made_of() {
    let team = team();
    let answer: Value =
        serde_json::from_str(&team.run(&["recall", "sqlite index", "--explain", "--json"]).ok())
            .unwrap();
    let hit = &answer["hits"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    let explain = &hit["explain"];
    let parts = ["words", "meaning", "time", "standing"];
    let sum: f64 = parts.iter().map(|part| number(&explain[part])).sum();
    assert!((number(&hit["score"]) - sum).abs() < 0.001, "{hit}");
    let terms: Vec<&str> =
        explain["terms"].as_array().unwrap().iter().map(|t| t["term"].as_str().unwrap()).collect();
    assert!(terms.contains(&"sqlite") && terms.contains(&"index"), "{terms:?}");
    assert_eq!(hit["_meta"]["line"], 1);
    assert!(hit["_meta"]["path"].as_str().unwrap().starts_with(".heirloom/memory/fact/"));
    assert_eq!(hit["freshness"], "fresh");
}

#[test]
fn what_is_written_is_found_at_once_and_what_is_archived_no_more() {
    let team = team();
    assert!(texts(&ask(&team, "webhooks retry")).is_empty());
    let stored: Value = serde_json::from_str(
        &team
            .run(&["fact", "add", "--section", "Specs", "Webhooks retry five times", "--json"])
            .ok(),
    )
    .unwrap();
    assert_eq!(first(&ask(&team, "webhooks retry")), "Webhooks retry five times");
    team.run(&["memory", "archive", stored["id"].as_str().unwrap()]).ok();
    assert!(texts(&ask(&team, "webhooks retry")).is_empty());
    let beyond = ask(&team, "webhooks retry");
    assert_eq!(beyond["near_misses"][0]["standing"], "archived", "{beyond:#}");
    let archived = team.json("memory search-archive webhooks");
    assert_eq!(archived["hits"][0]["text"], "Webhooks retry five times");
}

#[test]
fn the_index_mends_itself() {
    let team = team();
    let good = ask(&team, "sqlite");
    let folder = team.path().join(".heirloom/cache/index");
    for damage in ["remove", "truncate", "scribble", "other"] {
        let entries = fs::read_dir(&folder).unwrap().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| !path.ends_with("lock")) {
            match damage {
                "remove" => fs::remove_file(&path).unwrap(),
                "truncate" => {
                    let size = fs::metadata(&path).unwrap().len();
                    fs::File::options().write(true).open(&path).unwrap().set_len(size / 2).unwrap();
                }
                "scribble" => fs::write(&path, "not an index").unwrap(),
                _ if path.extension().is_some_and(|ending| ending == "seg") => {
                    fs::remove_file(&path).unwrap();
                }
                _ => {}
            }
        }
        assert_eq!(ask(&team, "sqlite"), good, "{damage}");
    }
    let status = team.json("index status");
    assert_eq!(status["state"], "up to date");
    assert_eq!(status["active"], 3, "three facts, and documents that nobody has written yet");
    assert_eq!(team.json("index rebuild")["state"], "made anew");
    assert_eq!(ask(&team, "sqlite"), good);
}

#[test]
fn a_page_of_the_index_that_is_lost_is_made_anew() {
    let team = team();
    let right = ask(&team, "refunds after payment");
    let tables = || {
        let files = team.files(".heirloom/cache/index");
        team.path().join(files.iter().find(|file| file.ends_with(".db")).unwrap())
    };
    let pages = fs::read(tables()).unwrap().len() / 4096;
    for page in 1..pages {
        for lost in [0x00, 0xa5] {
            let mut bytes = fs::read(tables()).unwrap();
            bytes[page * 4096..][..4096].fill(lost);
            fs::write(tables(), bytes).unwrap();
            assert_eq!(ask(&team, "refunds after payment"), right, "page {page}, {lost}");
            team.run(&["index", "rebuild"]).ok();
        }
    }
    let segment = || {
        let files = team.files(".heirloom/cache/index");
        team.path().join(files.iter().find(|file| file.ends_with(".seg")).unwrap())
    };
    let length = fs::read(segment()).unwrap().len();
    for at in (0..length).step_by(length / 30) {
        let mut bytes = fs::read(segment()).unwrap();
        bytes[at] ^= 0x55;
        fs::write(segment(), bytes).unwrap();
        let texts_of = |answer: &Value| texts(answer).join("\n");
        assert_eq!(texts_of(&ask(&team, "refunds after payment")), texts_of(&right), "byte {at}");
        team.run(&["index", "rebuild"]).ok();
    }
}

#[test]
fn a_title_is_found_before_anything_else_is_written() {
    let team = team();
    team.run(&["adr", "new", "Use PostgreSQL for the ledger"]).ok();
    team.run(&["plan", "new", "Refund flow"]).ok();
    let found = |query: &str, kind: &str| {
        texts(&ask_for(&team, query, "--kind", kind)).first().map(|text| (*text).to_owned())
    };
    let adr = Some("ADR-0001: Use PostgreSQL for the ledger".to_owned());
    assert_eq!(found("which database? PostgreSQL?", "adr"), adr);
    assert_eq!(found("ADR-0001", "adr"), adr);
    assert!(found("refund flow", "plan").unwrap().contains("Refund flow"));
}

#[test]
fn who_asks_for_a_time_alone_gets_what_is_of_it() {
    let team = team();
    team.write(
        ".heirloom/memory/fact/2023-05-old.jsonl",
        "{\"v\":1,\"id\":\"0198c0de-0000-7000-8000-00000000000a\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"The ferry was painted\",\"at\":\"2023-05-03T00:00:00Z\",\"by\":\"ada\"}\n",
    );
    // More than are looked at closely for their words or their meaning.
    let later = (0..300).map(|at| {
        format!("{{\"v\":1,\"id\":\"0198c0de-0001-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"What happened to boat {at} was decided in port\",\"at\":\"2026-01-03T00:00:00Z\",\"by\":\"ada\"}}\n")
    });
    team.write(".heirloom/memory/fact/2026-01-later.jsonl", later.collect::<String>());
    // As one types it, without quotes.
    let answer = team.json("recall painted in May 2023");
    assert!(answer["hits"][0].as_object().unwrap().contains_key("confidence"));
    for question in
        ["what happened in May 2023", "in May of 2023", "what was decided on 3 May 2023"]
    {
        let answer = team.json(&format!("recall {question}"));
        assert_eq!(first(&answer), "The ferry was painted", "{question}: {answer:#}");
    }
}

#[test]
fn one_sort_only() {
    let team = team();
    team.run(&["note", "the index needs care"]).ok();
    let kinds = |arguments: &str| {
        let answer = team.json(&format!("recall index {arguments}"));
        let hits = answer["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("--kind note"), ["note"]);
    assert_eq!(kinds("--section Decisions"), ["fact"]);
    assert!(kinds("").len() >= 2);
    for filter in ["--tag nowhere", "--scope api", "--as-of 2020-01-01"] {
        assert_eq!(kinds(filter), Vec::<String>::new(), "{filter}");
        let answer = team.json(&format!("recall index {filter}"));
        assert_eq!(answer["filtered"], true, "{filter}: {answer:#}");
        let left_out = answer["near_misses"][0]["text"].as_str().unwrap();
        assert!(left_out.contains("index"), "{filter}: {answer:#}");
    }
    let shown = team.run(&["recall", "index", "--tag", "nowhere"]).ok();
    assert!(shown.contains("among what was asked for; beyond it:"), "{shown}");
}

#[test]
fn whatever_is_asked_of_memory_tells_where_it_is_written_and_how_fresh_it_is() {
    let team = team();
    team.run(&["episode", "add", "Index moved", "--content", "The index moved to SQLite"]).ok();
    let stored = team.run(&["fact", "add", "--section", "specs", "Walruses swim", "--json"]).ok();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    team.run(&["memory", "archive", stored["id"].as_str().unwrap()]).ok();
    for command in [
        "recall index",
        "fact list",
        "fact list index",
        "episode list",
        "episode list index",
        "memory search-archive",
        "memory search-archive walruses",
    ] {
        let answer = team.json(command);
        let hit = &answer["hits"][0];
        for field in ["id", "kind", "text", "at", "source", "freshness"] {
            assert!(hit[field].is_string(), "{command}: {field}: {answer:#}");
        }
        assert!(hit["_meta"]["path"].is_string(), "{command}: {answer:#}");
        assert_eq!(hit["_meta"]["id"], hit["id"], "{command}");
        assert!(hit.get("confidence").is_some(), "{command}: {answer:#}");
    }
    let near = team.json("memory search-archive zebras");
    assert_eq!(near["near_misses"][0]["text"], "Walruses swim", "{near:#}");
}

#[test]
fn a_sort_that_there_is_not_is_said_to_be_none() {
    let team = team();
    assert_eq!(texts(&ask_for(&team, "what is there", "--kind", "lesson")), Vec::<&str>::new());
    let typo = team.run(&["recall", "what is there", "--kind", "fcat"]);
    assert_eq!(typo.code, 2, "{typo:?}");
    assert!(typo.stderr.contains("there is no kind `fcat`"), "{typo:?}");
    assert!(typo.stderr.contains("fact"), "{typo:?}");
}

fn ask_for(team: &Workspace, query: &str, flag: &str, word: &str) -> Value {
    serde_json::from_str(&team.run(&["recall", query, flag, word, "--json"]).ok()).unwrap()
}

#[test]
fn where_an_embedder_does_not_answer_words_do() {
    let team = team();
    assert!(first(&ask(&team, "refunds after payment")).contains("thirty days"));
    let index = team.read(".heirloom/cache/index/current");
    // This one takes a question and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/v1", silent.local_addr().unwrap());
    let settings = team.read(".heirloom/config.toml");
    for (endpoint, why) in [
        ("http://127.0.0.1:9/v1", "does not answer"),
        (silent.as_str(), "does not answer"),
        ("https://example.com/v1", "not on this machine"),
        ("not a url", "no address"),
    ] {
        let other =
            format!("[embedder]\nkind = \"endpoint\"\nendpoint = \"{endpoint}\"\nmodel = \"m\"\n");
        team.write(".heirloom/config.toml", format!("{settings}\n{other}"));
        let answer = ask(&team, "refunds after payment");
        assert!(first(&answer).contains("thirty days"), "{answer:#}");
        let problem = answer["problems"][0]["message"].as_str().unwrap();
        assert!(problem.contains("words alone") && problem.contains(why), "{answer:#}");
    }
    let status = team.json("index status");
    assert_eq!(
        (&status["folder"], &status["active"]),
        (&json!(".heirloom/cache/words"), &json!(3))
    );
    assert!(status["problems"][0]["message"].as_str().unwrap().contains("words alone"));
    assert_eq!(team.read(".heirloom/cache/index/current"), index, "its vectors are kept");
    // A test of memory that cannot be made has not passed.
    team.write("expected.yaml", "- query: refunds after payment\n  must: thirty days\n");
    assert_eq!(team.run(&["eval", "expected.yaml"]).code, 4);
}

#[test]
fn an_entry_that_was_copied_with_its_id_breaks_nothing() {
    let team = team();
    team.run(&["plan", "new", "Refund flow"]).ok();
    let path = "plans/0001-refund-flow/plan.memory.md";
    let entry = "- Walruses sleep on the ice <!-- id:0123456789ab -->\n";
    let other = "- Walruses swim <!-- id:0123456789ab -->\n";
    team.write(
        path,
        format!("---\nname: m\n---\n\n## Shared Discoveries\n\n{entry}{other}{entry}"),
    );
    assert!(first(&ask(&team, "walruses on the ice")).starts_with("Walruses sleep"));
}

#[test]
fn a_question_may_name_a_time() {
    let team = Workspace::empty(env!("CARGO_BIN_EXE_heir"));
    team.run(&["init"]).ok();
    for (day, text) in [
        ("2026-01-10", "The deploy failed because the token had expired"),
        ("2026-02-18", "The deploy failed because the disk was full"),
    ] {
        let now = format!("{day}T10:00:00Z");
        team.run_at(&now, &["fact", "add", "--section", "known-issues", text]).ok();
    }
    for (query, expected) in [
        ("why did the deploy fail last week?", "disk"),
        ("why did the deploy fail in January 2026?", "token"),
        ("why did the deploy fail in January?", "token"),
        ("why did the deploy fail on 2026-02-18", "disk"),
    ] {
        let ran = team.run_at("2026-02-24T10:00:00Z", &["recall", query, "--json"]);
        let answer: Value = serde_json::from_str(&ran.ok()).unwrap();
        assert!(first(&answer).contains(expected), "{query}: {answer:#}");
    }
}

#[test]
fn a_document_that_states_no_date_has_that_of_its_last_commit() {
    let team = team();
    team.git(&["init", "-q"]);
    let path = ".heirloom/context/herds.md";
    team.write(path, "# Herds\n\nThe wildebeest migrates.\n");
    let dated = |server: &mut Mcp| {
        let call = json!({"name": "memory_recall", "arguments": {"query": "wildebeest", "k": 1}});
        let warm = server.ask("tools/call", &call)["structuredContent"]["hits"][0]["at"].take();
        let fresh = ask(&team, "wildebeest")["hits"][0]["at"].take();
        assert_eq!(warm, fresh);
        fs::remove_dir_all(team.path().join(".heirloom/cache")).unwrap();
        let anew = ask(&team, "wildebeest")["hits"][0]["at"].take();
        assert_eq!(anew, fresh);
        anew.as_str().unwrap_or_default().to_owned()
    };
    let mut server = Mcp::start(&team);
    // Until then it is the file's own.
    assert_ne!(dated(&mut server), "");
    for day in ["2025-05-05", "2025-06-06"] {
        team.commit_all(&format!("{day}T10:00:00Z"));
        assert_eq!(dated(&mut server), day);
        team.write(path, format!("# Herds\n\nThe wildebeest migrates since {day}.\n"));
        assert_eq!(dated(&mut server), day);
    }
    let asked = team.run(&["recall", "what was written in June 2025"]).ok();
    assert!(asked.contains("wildebeest"), "{asked}");
    let stated = "---\nupdated: 2025-01-01\n---\n\n# Herds\n\nThe wildebeest migrates.\n";
    team.write(path, stated);
    assert_eq!(dated(&mut server), "2025-01-01");
}

#[test]
fn what_is_tied_by_a_relation_speaks_for_a_memory() {
    let team = team();
    let store = |text: &str| {
        let ran = team.run(&["fact", "add", "--section", "specs", text, "--json"]);
        let stored: Value = serde_json::from_str(&ran.ok()).unwrap();
        stored["id"].as_str().unwrap().to_owned()
    };
    let cause = store("Zebra mode was added by the finance people");
    let effect = store("Exports take twice as long since then");
    let has_effect = || texts(&ask(&team, "zebra")).iter().any(|text| text.starts_with("Exports"));
    assert!(!has_effect());
    team.run(&["memory", "connect", &effect, &cause, "motivated_by"]).ok();
    assert!(has_effect());
    team.run(&["memory", "connect", &effect, &cause, "motivated_by", "--remove"]).ok();
    assert!(!has_effect());
    let vision = "---\nname: vision\n---\n\n# Vision\n\nEvery emu shall have a fence.\n";
    team.write(".heirloom/context/vision.md", vision);
    let has_effect = || texts(&ask(&team, "emu")).iter().any(|text| text.starts_with("Exports"));
    assert!(!has_effect());
    // As recall calls it.
    let part = ".heirloom/context/vision.md#1";
    team.run(&["memory", "connect", &effect, part, "depends_on"]).ok();
    assert!(has_effect());
}

#[test]
fn what_git_ignores_is_not_found_and_what_was_put_away_is_in_the_archive() {
    let team = team();
    team.run(&["plan", "new", "Wombat rollout", "--description", "Wombats reach every shop"]).ok();
    let plan = team.files("plans").into_iter().find(|path| path.ends_with("plan.md")).unwrap();
    let found = |query: &str| {
        let paths = ask(&team, query)["hits"].as_array().unwrap().clone();
        paths.iter().any(|hit| hit["_meta"]["path"] == plan.as_str())
    };
    assert!(found("wombats"));
    let ignored = team.read(".gitignore");
    team.write(".gitignore", format!("{ignored}plans/\n"));
    assert!(!found("wombats"));
    team.write(".gitignore", format!("{ignored}.heirloom/\n"));
    assert!(found("wombats"));
    // Who keeps all that is remembered out of git still remembers; a document by its name is meant.
    let notes = ".heirloom/context/vision.md";
    team.write(notes, "---\nname: vision\n---\n\n# Vision\n\nEvery emu shall have a fence.\n");
    assert!(first(&ask(&team, "emu")).contains("fence"));
    team.write(".gitignore", format!("{ignored}{notes}\n"));
    assert_eq!(texts(&ask(&team, "emu")), Vec::<&str>::new());
    team.write(".gitignore", ignored);
    assert!(found("wombats"));
    team.run(&["context", "archive", &plan]).ok();
    assert!(!found("wombats"));
    let ran = team.run(&["memory", "search-archive", "wombats", "--json"]);
    assert!(ran.ok().contains("Wombats reach every shop"));
}

#[test]
fn what_nobody_has_written_yet_is_not_found() {
    let team = team();
    let answer = ask(&team, "code style, reviews and how changes land");
    assert!(texts(&answer).iter().all(|text| !text.contains("Code style")), "{answer:#}");
    team.write(
        ".heirloom/context/conventions.md",
        "---\nname: conventions\n---\n\n# Conventions\n\nReviews are done by two people.\n",
    );
    assert!(first(&ask(&team, "who reviews?")).contains("two people"));
}

const LONG: &str = ".heirloom/memory/fact/2026-01-long.jsonl";

fn team_with_a_long_log() -> Workspace {
    let team = team();
    let line = |at: usize| {
        let port = 10_000 + at;
        format!(
            "{{\"v\":1,\"id\":\"0198c0de-0000-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"service {at} listens on port {port}\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"ada\"}}\n"
        )
    };
    team.write(LONG, (0..4000).map(line).collect::<String>());
    team
}

#[test]
fn a_long_log_that_has_not_changed_is_not_read() {
    let team = team_with_a_long_log();
    team.run(&["note", "look at the ports"]).ok();
    let answer = |words: &[&str]| {
        let mut words = words.to_vec();
        words.push("--json");
        serde_json::from_str::<Value>(&team.run(&words).ok()).unwrap()
    };
    const TAKEN: &str = ".heirloom/memory/fact/2026-01-taken.jsonl";
    let taken = |at: usize| {
        format!(
            "{{\"v\":1,\"id\":\"0198c0dd-0000-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Decisions\",\"content\":\"decision {at}\",\"origin\":\"adr:ADR-090{at}#accepted\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"ada\"}}\n"
        )
    };
    team.write(TAKEN, (1..4).map(taken).collect::<String>());
    answer(&["recall", "ports"]);
    // Whoever reads the log now reads something else, and nothing tells them that it changed.
    for (file, before, after) in [(LONG, "listens on", "is open at"), (TAKEN, "-090", "-000")] {
        let path = team.path().join(file);
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let text = fs::read_to_string(&path).unwrap().replace(before, after);
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    }

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
    // To one who reads all of it, the facts of these decisions are there already.
    answer(&["adr", "new", "Use Redis", "--status", "accepted"]);
    team.write(".heirloom/adrs/ADR-0002-valkey.md", "# Use Valkey\n\nStatus: accepted\n");
    answer(&["session", "start"]);
    answer(&["adr", "new", "Use Garnet"]);
    let moved = answer(&["adr", "status", "ADR-0003", "accepted"]);
    assert!(moved["fact"].is_string(), "{moved:#}");
    let ended = answer(&["session", "end"]);
    let ended = answer(&["episode", "show", ended["id"].as_str().unwrap()]);
    assert_eq!(ended["record"]["stored"].as_array().map(Vec::len), Some(8), "{ended:#}");
    let facts = answer(&["recall", "which ADR says what to use?", "--kind", "fact"]);
    for name in ["Redis", "Valkey", "Garnet"] {
        assert!(texts(&facts).iter().any(|text| text.contains(name)), "{facts:#}");
    }
    // What does read all of it says what stands there.
    assert!(team.run(&["export"]).ok().contains("service 77 is open at port 10077"));
}

/// Facts that replace others, one that says what another says, and relations between them.
const TIED: &str = r#"{"v":1,"id":"0198c0df-0000-7000-8000-0000aaaa0001","kind":"fact","section":"Specs","content":"alpha one","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000aaaa0002","kind":"fact","section":"Specs","content":"alpha two","at":"2026-01-02T00:00:00Z","by":"ada","supersedes":["0198c0df-0000-7000-8000-0000aaaa0001"]}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0001","kind":"fact","section":"Specs","content":"beta one","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0002","kind":"fact","section":"Specs","content":"beta two","at":"2026-01-02T00:00:00Z","by":"ada","supersedes":["0198c0df-0000-7000-8000-0000bbbb0001"]}
{"v":1,"id":"0198c0df-0000-7000-8000-0000bbbb0003","kind":"fact","section":"Specs","content":"Beta two.","at":"2026-01-03T00:00:00Z","by":"bob"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000cccc0001","kind":"fact","section":"Specs","content":"gamma","at":"2026-01-01T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000eeee0001","kind":"edge","from":"0198c0df-0000-7000-8000-0000aaaa0002","to":"0198c0df-0000-7000-8000-0000bbbb0002","relation":"depends_on","at":"2026-01-03T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000dddd0001","kind":"event","action":"pin","targets":["0198c0df-0000-7000-8000-0000aaaa0002"],"at":"2026-01-03T00:00:00Z","by":"bob"}
this is no line of a log
"#;

/// A relation that held for a month.
const ENDED: &str = r#"{"v":1,"id":"0198c0df-0000-7000-8000-0000eeee0002","kind":"edge","from":"0198c0df-0000-7000-8000-0000cccc0001","to":"0198c0df-0000-7000-8000-0000bbbb0002","relation":"enables","at":"2026-01-03T00:00:00Z","by":"ada"}
{"v":1,"id":"0198c0df-0000-7000-8000-0000dddd0002","kind":"event","action":"archive","targets":["0198c0df-0000-7000-8000-0000eeee0002"],"at":"2026-02-01T00:00:00Z","by":"bob"}
"#;

/// A line of the log that was just written has an id of its own, and a place that tells nothing.
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

#[test]
fn a_long_log_answers_as_a_short_one() {
    let answers = |team: &Workspace| {
        team.write(".heirloom/memory/fact/2026-01-tied.jsonl", TIED);
        team.run(&["plan", "new", "caches"]).ok();
        team.run(&["agent", "new", "0001", "coder"]).ok();
        team.write(".heirloom/context/damaged.md", "---\ntags: [\n---\n# Damaged\n");
        team.run(&["recall", "alpha"]).ok();
        let mut answers = Vec::new();
        for words in [
            ["memory", "connect", "aaaa0001", "bbbb0001", "depends_on"].as_slice(),
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
            // What was said before is said again.
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
            &["adr", "new", "Use Valkey", "--status", "accepted"],
            &["adr", "supersede", "ADR-0001", "ADR-0002"],
            &["memory", "search-archive"],
            &["session", "end", "--turns", "3"],
            &["episode", "list"],
            &["context", "resolve", "0001"],
            &["memory", "ingest"],
            &["compact"],
            &["adr", "status", "ADR-0002", "deprecated"],
        ] {
            let ran = team.run(&[words, &["--json"]].concat());
            let is_meant_to_fail = words == ["fact", "show", "2"];
            assert_eq!(ran.code != 0, is_meant_to_fail, "{words:?}: {}", ran.stderr);
            let answer = without_ids(serde_json::from_str(&ran.stdout).unwrap_or_default());
            answers.push((words.join(" "), ran.code, ran.stderr, answer));
        }
        let episodes: Value =
            serde_json::from_str(&team.run(&["episode", "list", "--json"]).ok()).unwrap();
        let last = episodes["hits"][0]["id"].as_str().unwrap();
        let shown: Value =
            serde_json::from_str(&team.run(&["episode", "show", last, "--json"]).ok()).unwrap();
        let stored = shown["record"]["stored"].as_array().unwrap().len();
        answers.push(("stored".to_owned(), 0, String::new(), stored.into()));
        answers
    };
    let (short, long) = (answers(&team()), answers(&team_with_a_long_log()));
    for (short, long) in short.into_iter().zip(long) {
        assert_eq!(short, long);
    }
}

#[test]
fn what_is_told_of_a_long_log_is_the_same_without_an_index() {
    let team = team_with_a_long_log();
    team.write(".heirloom/memory/fact/2026-01-tied.jsonl", format!("{TIED}{ENDED}"));
    team.run(&["plan", "new", "caches"]).ok();
    let note = |text: &str| {
        let noted: Value = serde_json::from_str(&team.run(&["note", text, "--json"]).ok()).unwrap();
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
    // Importing twice adds nothing, whoever tells what is there.
    let lists = "# Rules\n\n## Ports\n\n- Ports are numbers\n- Caches are small\n";
    team.write("CLAUDE.md", lists);
    let imported = |name: &str| {
        let ran = team.run(&["import", name, "--dry-run", "--json"]);
        (ran.code, ran.stdout, ran.stderr)
    };
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
    // Also where an export begins with a byte order mark.
    team.write("some.jsonl", format!("\u{feff}{}\n", TIED.lines().next().unwrap()));
    team.run(&["recall", "ports"]).ok();
    let answers = || {
        let asked = [
            ["stats"].as_slice(),
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
        let ask = |words: &&[&str]| {
            let ran = team.run(&[words, &["--json"][..]].concat());
            (words.join(" "), ran.code, ran.stdout, ran.stderr)
        };
        asked.iter().map(ask).collect::<Vec<_>>()
    };
    let importing = || ["CLAUDE.md", "some.jsonl", "facts.jsonl"].map(imported);
    let with_index = (answers(), importing());
    for ((_, answer, _), already) in with_index.1.iter().zip([2, 1, 1]) {
        assert!(answer.contains(&format!("\"already\": {already}")), "{answer}");
    }
    let cache = team.path().join(".heirloom/cache");
    assert!(cache.join("index").exists());
    fs::remove_dir_all(&cache).unwrap();
    assert_eq!(with_index.1, importing());
    for (with, without) in with_index.0.into_iter().zip(answers()) {
        assert_eq!(with, without);
    }
    assert!(!cache.join("index/current").exists(), "somebody made an index");
    let stats: Value = serde_json::from_str(&team.run(&["stats", "--json"]).ok()).unwrap();
    let facts = &stats["records"]["fact"];
    assert_eq!((&facts["archived"], &facts["private"]), (&1.into(), &1.into()), "{stats:#}");
    assert_eq!(stats["records"]["note"]["done"], 1, "{stats:#}");
    assert_eq!(stats["forks"].as_array().map(Vec::len), Some(1), "{stats:#}");
}

#[test]
fn adding_to_a_long_log_knows_what_is_there() {
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
    // As a person types it: the end of the id.
    add("service 79 is gone", &["--supersedes", "0000004f"]);
    let shown = team.run(&["fact", "show", "0198c0de-0000-7000-8000-00000000004f"]).ok();
    assert!(shown.contains("superseded"), "{shown}");
    team.run(&["fact", "edit", "00000050", "service 80 listens on port 9"]).ok();
    team.run(&["memory", "archive", "00000051"]).ok();
    assert_ne!(team.run(&["fact", "edit", "00000050", "again"]).code, 0, "it was replaced already");
    assert!(!team.run(&["recall", "service 81 port 10081", "-k", "1"]).ok().contains("10081"));
    team.run(&["memory", "restore", "00000051"]).ok();
    assert!(team.run(&["recall", "service 81 port 10081", "-k", "1"]).ok().contains("10081"));
    let unknown = team.run(&["fact", "add", "--section", "specs", "x", "--supersedes", "ffffffff"]);
    assert_ne!(unknown.code, 0);
}

#[test]
fn a_server_does_not_touch_an_index_that_was_made_anew_beside_it() {
    let team = team();
    let mut server = Mcp::start(&team);
    assert_eq!(server.first("refunds"), "Refunds are possible for thirty days after the payment");
    for text in ["Xylophones are loud", "Yachts are slow"] {
        team.run(&["fact", "add", "--section", "specs", text]).ok();
    }
    team.run(&["index", "rebuild"]).ok();
    team.run(&["fact", "add", "--section", "specs", "Aardvarks dig tunnels"]).ok();
    assert_eq!(first(&ask(&team, "aardvarks")), "Aardvarks dig tunnels");
    assert_eq!(server.first("aardvarks"), "Aardvarks dig tunnels");
    for (query, text) in [("aardvarks", "Aardvarks dig tunnels"), ("yachts", "Yachts are slow")] {
        assert_eq!(first(&ask(&team, query)), text);
        assert_eq!(server.first(query), text);
    }
    fs::remove_dir_all(team.path().join(".heirloom/cache")).unwrap();
    assert_eq!(server.first("yachts"), "Yachts are slow");
    assert_eq!(first(&ask(&team, "yachts")), "Yachts are slow");
}

#[cfg(unix)]
#[test]
fn a_server_survives_whatever_is_done_to_the_files_of_its_index() {
    let team = team();
    let mut server = Mcp::start(&team);
    let index = team.path().join(".heirloom/cache/index");
    // Each file by itself, as it is then, and at last all of them.
    for round in 0..8 {
        assert!(server.first("refunds").starts_with("Refunds"), "{round}");
        // What was opened in the very moment of a change is looked at again.
        std::thread::sleep(std::time::Duration::from_millis(60));
        assert!(server.first("refunds").starts_with("Refunds"), "{round}");
        let mut files: Vec<_> =
            fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let one = files.get(round).cloned().into_iter().collect();
        for path in if round == 7 { files } else { one } {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(if round % 2 == 0 { 0 } else { 4097 }).unwrap();
        }
    }
    assert!(server.first("refunds").starts_with("Refunds"));
}

#[test]
fn a_server_sees_settings_that_were_changed() {
    let team = team_with_a_long_log();
    let mut server = Mcp::start(&team);
    let call = json!({"name": "memory_recall", "arguments": {"query": "service 77"}});
    let mut freshness = || {
        let mut answer = server.ask("tools/call", &call);
        answer["structuredContent"]["hits"][0]["freshness"].take()
    };
    assert_eq!(freshness(), "critical");
    assert_eq!(freshness(), "critical");
    let settings = "[staleness]\nwarning = 100\ncritical = 200\narchive = 300\n";
    team.write(".heirloom/config.toml", settings);
    assert_eq!(freshness(), "fresh");
}

/// `heir mcp`, which ends with this.
struct Mcp {
    child: Child,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Mcp {
    fn start(team: &Workspace) -> Self {
        let mut command = team.command();
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Mcp { child, output, number: 0 };
        server.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}
            }),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn first(&mut self, query: &str) -> String {
        let call = json!({"name": "memory_recall", "arguments": {"query": query}});
        let answer = self.ask("tools/call", &call);
        first(&answer["structuredContent"]).to_owned()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}),
        );
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["result"].take()
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
