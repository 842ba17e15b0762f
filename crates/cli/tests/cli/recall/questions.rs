//! Hits, near misses, filters and scores.

use heirloom_testkit::Workspace;
use serde_json::Value;

use super::{ask, first, team, texts};

use crate::HEIR;

#[test]
fn identifiers_are_found_whole_in_parts_and_misspelt() {
    let team = team();
    for query in
        ["parseFrontMatter", "front matter", "frontmatter", "src/auth/login.ts", "parsefrontmater"]
    {
        assert!(first(&ask(&team, query)).starts_with("parseFrontMatter"), "{query}");
    }
    assert!(first(&ask(&team, "how long can I get my money back?")).starts_with("Refunds"));
    // A typo in the ending of a word changes its stem.
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
    assert_eq!(
        texts(&ask(&team, "notification")),
        Vec::<&str>::new(),
        "a known word is not a typo"
    );
}

#[test]
fn any_text_is_accepted_as_a_question() {
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
fn a_question_without_hits_gets_near_misses() {
    let team = team();
    let answer = ask(&team, "zebra crossings");
    assert_eq!(texts(&answer), Vec::<&str>::new());
    assert_eq!(answer["near_misses"].as_array().unwrap().len(), 3);
}

#[test]
fn a_score_is_the_sum_of_its_parts() {
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
fn a_document_is_found_by_its_title_alone() {
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
fn a_question_that_names_only_a_time_finds_memories_of_that_time() {
    let team = team();
    team.write(
        ".heirloom/memory/fact/2023-05-old.jsonl",
        "{\"v\":1,\"id\":\"0198c0de-0000-7000-8000-00000000000a\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"The ferry was painted\",\"at\":\"2023-05-03T00:00:00Z\",\"by\":\"ada\"}\n",
    );
    // More memories than are ranked by words or by meaning.
    let later = (0..300).map(|at| {
        format!("{{\"v\":1,\"id\":\"0198c0de-0001-7000-8000-{at:012x}\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"What happened to boat {at} was decided in port\",\"at\":\"2026-01-03T00:00:00Z\",\"by\":\"ada\"}}\n")
    });
    team.write(".heirloom/memory/fact/2026-01-later.jsonl", later.collect::<String>());
    // The words of a question need no quotes.
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
fn filters_leave_out_other_memories() {
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
        assert!(left_out.to_lowercase().starts_with("the index "), "{filter}: {answer:#}");
    }
}

#[test]
fn every_hit_has_a_location_and_a_freshness() {
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

fn ask_for(team: &Workspace, query: &str, flag: &str, word: &str) -> Value {
    serde_json::from_str(&team.run(&["recall", query, flag, word, "--json"]).ok()).unwrap()
}

#[test]
fn a_question_may_name_a_time() {
    let team = Workspace::empty(HEIR);
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
fn a_memory_that_is_related_to_a_match_is_found() {
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
    // The name of the passage in recall.
    let part = ".heirloom/context/vision.md#1";
    team.run(&["memory", "connect", &effect, part, "depends_on"]).ok();
    assert!(has_effect());
}

#[test]
fn template_text_is_not_found() {
    let team = team();
    let answer = ask(&team, "code style, reviews and how changes land");
    assert!(texts(&answer).iter().all(|text| !text.contains("Code style")), "{answer:#}");
    team.write(
        ".heirloom/context/conventions.md",
        "---\nname: conventions\n---\n\n# Conventions\n\nReviews are done by two people.\n",
    );
    assert!(first(&ask(&team, "who reviews?")).contains("two people"));
}

#[test]
fn an_episode_is_shown_with_the_sentence_that_matches() {
    let team = team();
    let content = "We began with the parser. Then the cache was slow. The cause was a lock that every reader took.";
    let words = [
        "episode",
        "add",
        "A long day",
        "--content",
        content,
        "--decision",
        "Drop the global lock in favour of shards",
    ];
    team.run(&words).ok();
    let passage = |query: &str| ask(&team, query)["hits"][0]["passage"].clone();
    assert_eq!(passage("what was slow in the cache?"), "A long day: … Then the cache was slow. …");
    assert_eq!(
        passage("global lock shards"),
        "A long day: … Drop the global lock in favour of shards …"
    );
    let hit = &ask(&team, "a long day")["hits"][0];
    assert_eq!(hit["text"], format!("A long day: {content}"));
}

#[test]
fn other_sections_of_a_document_count_a_little() {
    let team = team();
    let record = |decision: &str| {
        format!(
            "# Feeding\n\nStatus: accepted\n\n## Context\n\nA quokka at the gate is hungry in the morning.\n\n## Decision\n\n{decision}\n"
        )
    };
    team.write(".heirloom/adrs/ADR-0091-a.md", record("Apples are bought once a week, in bulk."));
    team.write(".heirloom/adrs/ADR-0092-b.md", record("A wombat gets the rest of the apples."));
    let arguments = ["recall", "quokka at the gate or wombat", "--json", "--explain"];
    let answer: Value = serde_json::from_str(&team.run(&arguments).ok()).unwrap();
    let hits = answer["hits"].as_array().unwrap();
    let hit = |path: &str| hits.iter().find(|hit| hit["_meta"]["path"] == path).unwrap();
    assert_eq!(hits[0]["_meta"]["path"], ".heirloom/adrs/ADR-0092-b.md", "{answer:#}");
    assert!(
        hits[0]["passage"].as_str().unwrap_or(hits[0]["text"].as_str().unwrap()).contains("quokka")
    );
    let other = hit(".heirloom/adrs/ADR-0091-a.md");
    assert!(hits[0]["explain"]["document"].as_f64() > other["explain"]["document"].as_f64());
}
