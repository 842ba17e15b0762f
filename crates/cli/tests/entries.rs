//! How the entries of memory documents are named, shown and kept.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heirloom_testkit::{TEAM, Workspace};

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM)
}

#[test]
fn resolved_prose_holds_no_marker_comments() {
    let team = team();
    team.run(&["memory", "session", "0042", "001", "Drew the tables"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "FTS5 is slow"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    let text = team.read(AGENT);
    assert!(text.contains("<!-- session:") && text.contains("promoted:"), "{text}");
    let own = "\n<!-- a person's own comment -->\n\n```html\n<!-- id:0123456789ab -->\n```\n\n  <!-- id:0123456789ab -->\n";
    team.write(AGENT, format!("{text}{own}"));
    let resolved = team.json("context resolve 0042 001");
    let layers = resolved["layers"].as_array().unwrap();
    let prose: String = layers.iter().map(|layer| layer["prose"].as_str().unwrap()).collect();
    for kept in [
        "- Drew the tables\n",
        "### Session 1 — 2026-02-22\n",
        "- FTS5 is slow\n",
        "- FTS5 is slow (found by: 001-schema)\n",
        "<!-- a person's own comment -->",
        "```html\n<!-- id:0123456789ab -->\n```\n",
    ] {
        assert!(prose.contains(kept), "{kept:?} is not in\n{prose}");
    }
    assert_eq!(prose.matches("<!-- ").count(), 2, "{prose}");
}

#[test]
fn entries_that_end_alike_are_shown_with_ids_that_differ() {
    let team = team();
    team.write(
        AGENT,
        "## Findings\n- One <!-- id:aaaa00000001 -->\n- Two <!-- id:bbbb00000001 -->\n- Three <!-- id:cccc00000002 -->\n",
    );
    let shown = team.heir("memory show 0042 001").ok();
    for id in ["a00000001 ", "b00000001 ", " 00000002 "] {
        assert!(shown.contains(id), "{id}---\n{shown}");
    }
    let line = |id: &str, content: &str| {
        format!(
            "{{\"v\":1,\"id\":\"{id}\",\"kind\":\"fact\",\"section\":\"Specs\",\"content\":\"{content}\",\"at\":\"2026-02-20T00:00:00Z\"}}\n"
        )
    };
    let first = line("0198c0de-0000-7000-8000-00000000002a", "the first of two");
    let second = line("0198c0de-0000-7000-8000-0000ffff002a", "the second of two");
    let third = line("0198c0de-0000-7000-8000-000f0000002a", "the third");
    team.write(".heirloom/memory/fact/2026-02-a.jsonl", format!("{first}{second}{third}"));
    let shown = team.heir("fact list").ok();
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains("  the ")).collect();
    assert_eq!(lines.len(), 3, "{shown}");
    for line in lines {
        let (id, content) = line.split_once("  ").unwrap();
        assert!(team.run(&["fact", "show", id]).ok().contains(content), "{id}");
    }
    let shown = team.heir("recall the first third").ok();
    assert!(shown.contains("00000002a  the first of two\n"), "{shown}");
    assert!(shown.contains("f0000002a  the third\n"), "{shown}");
}

#[test]
fn a_missing_agent_is_named() {
    let team = team();
    for typed in [
        vec!["memory", "add", "0042", "finding", "two words"],
        vec!["memory", "add", "0042", "finding", "two", "words"],
    ] {
        let error = team.run(&typed).failed(2);
        assert!(error.contains("AGENT is missing before `finding`"), "{error}");
        assert!(!error.contains("CONTENT"), "{error}");
        assert!(error.contains("`heir memory add 0042 AGENT finding"), "{error}");
        assert!(error.contains("`heir memory add 0042 --plan finding"), "{error}");
    }
    // An agent may be called like a type of entry.
    team.write("plans/0042-graph/agents/finding.md", "# Finding\n");
    team.run(&["memory", "add", "0042", "finding", "finding", "x"]).ok();
}

#[test]
fn entries_are_shown_with_their_dates() {
    let team = team();
    team.write(
        AGENT,
        "## Findings\n- Old\n\n## Decisions\n| Decision | Date |\n|---|---|\n| Hash | 2026-01-15 |\n",
    );
    team.commit_all("2026-02-03T12:00:00Z");
    team.run(&["memory", "add", "0042", "001", "finding", "New"]).ok();
    let shown = team.json("memory show 0042 001");
    let dates: Vec<_> = shown["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["name"].as_str().unwrap(), entry["date"].as_str()))
        .collect();
    assert_eq!(
        dates,
        [
            ("finding-1", Some("2026-02-03")),
            ("finding-2", Some("2026-02-22")),
            ("decision-1", Some("2026-01-15"))
        ]
    );
    let shown = team.heir("memory show 0042 001").ok();
    assert!(shown.contains("2026-02-03  Old\n") && shown.contains("2026-01-15  Hash\n"), "{shown}");
}

#[cfg(unix)]
#[test]
fn dating_entries_runs_no_program_of_the_repository() {
    let team = team();
    team.write(AGENT, "## Findings\n- Old\n");
    team.write(".gitattributes", "*.md filter=evil diff=evil\n");
    team.commit_all("2026-02-03T12:00:00Z");
    team.write(AGENT, "## Findings\n- Old\n- New\n");
    let touch = format!("touch {}", team.path().join("ran").display());
    for key in ["filter.evil.clean", "diff.evil.textconv", "core.fsmonitor"] {
        team.git(&["config", key, &touch]);
    }
    assert!(team.heir("memory show 0042 001").ok().contains("2026-02-03  Old"));
    assert!(!team.has("ran"));
}

#[test]
fn an_agent_contributes_to_its_plan_under_one_name() {
    let team = team();
    let plan = "plans/0042-graph/plan.memory.md";
    let add = |agent: &str, text: &str| {
        let mut heir = team.command();
        heir.env("HEIRLOOM_AGENT", agent);
        heir.args(["memory", "add", "0042", "--plan", "finding", text]);
        heirloom_testkit::Ran::of(&heir.output().unwrap()).ok();
    };
    add("001", "One");
    add("001-schema", "Two");
    add("ada", "Three");
    assert!(team.read(plan).contains("\ncontributors: [001-schema, ada]\n"), "{}", team.read(plan));
    team.write(plan, team.read(plan).replace("[001-schema, ada]", "[001, ada, 001-schema]"));
    team.run(&["memory", "add", "0042", "001", "finding", "Four"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    assert!(team.read(plan).contains("\ncontributors: [001-schema, ada]\n"), "{}", team.read(plan));
}

#[test]
fn metadata_of_any_name_survives_whatever_is_done_to_an_entry() {
    let team = team();
    let metadata = serde_json::json!({
        "severity": "high", "ticket": 42, "seen (by)": ["a|b", "c · d"], "nested": {"x": null},
        "odd": "-->\n`x` ~~y~~ <br> &amp; \\|"
    });
    let mut wire = heirloom_testkit::Wire::open(team.command().args(["mcp"]));
    for kind in ["finding", "decision", "blocker"] {
        let mut given = metadata.clone();
        given["rationale"] = "because".into();
        let request = serde_json::json!({
            "planId": "0042", "agentId": "001", "type": kind, "content": format!("a {kind}"),
            "metadata": given
        });
        let added = wire.call("add_memory", &request);
        assert_eq!(added["done"], "added", "{added:#}");
    }
    wire.close();
    let check = |owner: &str, name: &str| {
        let shown = team.json(&format!("memory show 0042 {owner}"));
        let entries = shown["entries"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["name"] == name).unwrap();
        assert_eq!(entry["metadata"], metadata, "{owner} {name}: {shown:#}");
        assert!(!entry["text"].as_str().unwrap().contains("severity"), "{shown:#}");
    };
    let all = ["finding-1", "decision-1", "blocker-1"];
    all.iter().for_each(|name| check("001", name));
    assert!(team.read(AGENT).contains("severity"), "a person sees it");
    assert!(team.heir("memory show 0042 001").ok().contains("severity: high"));
    assert_eq!(team.json("memory show 0042 001")["decisions"][0]["rationale"], "because");
    // An edit of the entry, of its neighbours and of its id.
    team.run(&["memory", "resolve", "0042", "001", "blocker-1", "by hand"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    team.run(&["memory", "promote", "0042", "001", "decision-1"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "another"]).ok();
    all.iter().for_each(|name| check("001", name));
    check("--plan", "finding-1");
    check("--plan", "decision-1");
    // A merge of two branches that each add one.
    let team = &team;
    team.git(&["init", "--quiet", "--initial-branch=main"]);
    team.write(".gitattributes", "*.memory.md merge=union\n");
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["switch", "--quiet", "--create", "other"]);
    team.run(&["memory", "add", "0042", "001", "finding", "theirs", "--metadata", "by=them"]).ok();
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["switch", "--quiet", "main"]);
    team.run(&["memory", "add", "0042", "001", "finding", "ours", "--metadata", "by=us"]).ok();
    team.commit_all("2026-02-21T00:00:00Z");
    team.git(&["merge", "--quiet", "--no-edit", "other"]);
    let shown = team.json("memory show 0042 001");
    let by: Vec<&str> = shown["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["metadata"]["by"].as_str())
        .collect();
    assert_eq!(by.len(), 2, "{shown:#}");
    all.iter().for_each(|name| check("001", name));
}
