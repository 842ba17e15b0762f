//! Conflicts, validation for CI, and the graph.
#![allow(clippy::unwrap_used, reason = "tests")]

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

const FIXTURE: &str = "\
//- .heirloom/workspace.md
---
updated: 2026-01-01
defaults: {database: PostgreSQL, cache: redis}
---
See ADR-0001 and ADR-0009.
//- .heirloom/adrs/ADR-0001-a.md
---
status: deprecated
updated: 2026-02-20
---
//- .heirloom/adrs/ADR-0002-b.md
---
status: accepted
supersedes: [ADR-0003]
updated: 2026-02-20
---
//- .heirloom/adrs/ADR-0003-c.md
---
status: accepted
supersedes: [ADR-0002]
updated: 2026-02-20
---
//- plans/0001-a/plan.md
---
updated: 2026-02-20
depends_on: [0002-b]
defaults: {database: SQLite}
---
//- plans/0001-a/agents/000-x.md
---
updated: 2026-02-20
---
//- plans/0001-a/agents/001-y.md
---
updated: 2026-02-20
depends_on: [000-x]
---
//- plans/0001-a/agents/001-y.memory.md
---
updated: 2026-02-20
---
//- plans/0002-b/plan.md
---
updated: 2026-02-20
depends_on: [0001]
overrides: [defaults.cache]
defaults: {cache: none}
---
";

fn kinds(conflicts: &Value) -> Vec<(String, String, String)> {
    let text = |conflict: &Value, key: &str| conflict[key].as_str().unwrap().to_owned();
    let all = conflicts["conflicts"].as_array().unwrap();
    all.iter()
        .map(|conflict| {
            (
                text(conflict, "kind"),
                text(conflict, "severity"),
                format!("{}:{}", text(conflict, "path"), conflict["line"]),
            )
        })
        .collect()
}

#[test]
fn the_four_kinds_each_once() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    let expected = [
        ("circular_supersession", "critical", ".heirloom/adrs/ADR-0002-b.md:2"),
        ("orphan_reference", "critical", ".heirloom/workspace.md:5"),
        ("orphan_reference", "critical", ".heirloom/workspace.md:5"),
        ("direct_contradiction", "critical", "plans/0001-a/plan.md:4"),
        ("stale_override", "warning", "plans/0001-a/plan.md:4"),
        ("stale_override", "warning", "plans/0002-b/plan.md:5"),
        ("direct_contradiction", "information", "plans/0002-b/plan.md:5"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, severity, place)| (kind.to_string(), severity.to_string(), place.to_string()))
        .collect();
    assert_eq!(kinds(&workspace.json("context conflicts")), expected);
    let of_plan = kinds(&workspace.json("context conflicts 2"));
    assert!(of_plan.iter().all(|(_, _, place)| !place.starts_with("plans/0001")), "{of_plan:?}");
}

#[test]
fn validate_fails_on_critical_ones_only() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    assert_eq!(workspace.heir("context validate").code, 1);
    assert_eq!(workspace.heir("context conflicts").code, 0);
    let calm = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nk: 1\n---\n//- plans/1-a/plan.md\n---\nk: 2\noverrides: k\n---\n",
    );
    assert_eq!(calm.heir("context validate").code, 0);
}

#[test]
fn formats_for_ci() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    let github = workspace.heir("context validate --format github").stdout;
    assert!(github.contains("::error file=plans/0001-a/plan.md,line=4,title=direct_contradiction::defaults.database is SQLite here and PostgreSQL in .heirloom/workspace.md\n"), "{github}");
    assert!(github.contains("::warning file=") && github.contains("::notice file="), "{github}");
    let sarif: Value =
        serde_json::from_str(&workspace.heir("context validate --format sarif").stdout).unwrap();
    assert_eq!(
        (&sarif["version"], sarif["runs"][0]["results"].as_array().unwrap().len()),
        (&json!("2.1.0"), 7)
    );
    assert_eq!(
        sarif["runs"][0]["results"][3]["locations"][0]["physicalLocation"],
        json!({"artifactLocation": {"uri": "plans/0001-a/plan.md"}, "region": {"startLine": 4}})
    );
    let plain: Value =
        serde_json::from_str(&workspace.heir("context validate --format json").stdout).unwrap();
    assert_eq!(plain, workspace.json("context validate"));
}

#[test]
fn the_graph_has_every_kind_of_edge() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    let graph = workspace.json("graph export");
    let has = |from: &str, kind: &str, to: &str| {
        graph["edges"]
            .as_array()
            .unwrap()
            .iter()
            .any(|edge| edge["from"] == from && edge["type"] == kind && edge["to"] == to)
    };
    assert!(has("agent/0001-a/001-y", "INHERITS_FROM", "plan/0001-a"), "{graph:#}");
    assert!(has("plan/0001-a", "INHERITS_FROM", "workspace"));
    assert!(has("plan/0001-a", "OVERRIDES", "workspace"));
    assert!(has("adr/ADR-0002", "SUPERSEDES", "adr/ADR-0003"));
    assert!(has("agent/0001-a/001-y", "REMEMBERS", "memory/0001-a/001-y"));
    assert!(has("agent/0001-a/001-y", "REFERENCES", "agent/0001-a/000-x"));
    assert!(has("workspace", "REFERENCES", "adr/ADR-0001"));
    let kinds: std::collections::BTreeSet<&str> = graph["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["adr", "agent", "context", "memory", "plan"]
    );
    assert!(workspace.heir("graph export --format dot").ok().starts_with("digraph heirloom {"));
    assert!(
        workspace
            .heir("graph export --format mermaid --node 0001-a")
            .ok()
            .starts_with("graph BT\n")
    );
}

#[test]
fn graph_health_names_what_is_wrong() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    let shown = workspace.heir("graph health").ok();
    for line in [
        "⚠️ STALE [critical]: workspace.md (52 days old, refers to ADR-0001, which is deprecated, refers to ADR-0009, which is not there)",
        "⚠️ CYCLE: adr/ADR-0002 → adr/ADR-0003 → adr/ADR-0002",
        "⚠️ CYCLE: plan/0001-a → plan/0002-b → plan/0001-a",
        "⚠️ BROKEN: .heirloom/workspace.md:5 refers to ADR-0009, which is not there",
    ] {
        assert!(shown.contains(line), "{line}\n---\n{shown}");
    }
    workspace.write(".heirloom/projects/alone/project.md", "---\nupdated: 2026-02-20\n---\n");
    let lonely = Workspace::with(
        HEIR,
        "//- .heirloom/adrs/ADR-0001-a.md\n---\nstatus: accepted\nupdated: 2026-02-20\n---\n",
    );
    assert!(lonely.heir("graph health").ok().contains("⚠️ ORPHAN: adr/ADR-0001"));
}

#[test]
fn a_key_that_an_agent_drops_is_no_conflict_of_the_agent() {
    let dropped = "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
defaults: {database: PostgreSQL}
---
//- plans/0001-a/plan.md
---
updated: 2026-02-20
defaults: {database: SQLite}
---
//- plans/0001-a/agents/000-x.md
---
updated: 2026-02-20
defaults: {MARKER}
---
";
    for marker in ["inherit: false", "override: true, cache: redis"] {
        let workspace = Workspace::with(HEIR, &dropped.replace("MARKER", marker));
        let of_agent = workspace.heir("context resolve 1 0").ok();
        assert!(!of_agent.contains("database"), "{of_agent}");
        let of_plan = workspace.heir("context resolve 1").ok();
        assert!(of_plan.contains("CONFLICT: defaults.database"), "{of_plan}");
        let validated = workspace.heir("context validate").stdout;
        assert!(validated.contains("CONFLICT: defaults.database"), "{validated}");
    }
}

/// A wiki link and a name in passing tie documents together as a link does.
#[test]
fn wiki_links_and_names_in_passing_are_references() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/config.toml\n");
    let fresh = "---\nupdated: 2026-02-20\n---\n";
    for (path, body) in [
        ("plans/0043-auth/0043-auth-plan.md", ""),
        ("plans/0044-graph/0044-graph-plan.md", ""),
        ("plans/0045-linked/plan.md", "[[0043-auth]] and [[0044-graph-plan#Goals|that]]"),
        ("plans/0046-named/plan.md", "see plan 0043-auth"),
        ("plans/0047-code/plan.md", "see `0043-auth`"),
        ("plans/0048-adr/plan.md", "see [[ADR-0007-use-sqlite]]"),
        ("plans/0049-elsewhere/plan.md", "[[My notes]], 0099-nothing, `ADR-0099` and 2026-02-20"),
    ] {
        workspace.write(path, format!("{fresh}{body}\n"));
    }
    workspace.write(
        ".heirloom/adrs/ADR-0007-use-sqlite.md",
        "---\nstatus: accepted\nupdated: 2026-02-20\n---\n# ADR-0007: Use SQLite\n",
    );
    let graph = workspace.json("graph export");
    let references: Vec<String> = graph["edges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["type"] == "REFERENCES")
        .map(|edge| format!("{} {}", edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()))
        .collect();
    assert_eq!(
        references,
        [
            "plan/0045-linked plan/0043-auth",
            "plan/0045-linked plan/0044-graph",
            "plan/0046-named plan/0043-auth",
            "plan/0047-code plan/0043-auth",
            "plan/0048-adr adr/ADR-0007",
        ]
    );
    let health = workspace.json("graph health");
    assert_eq!(health["orphans"], json!(["plan/0049-elsewhere"]));
    assert_eq!(health["broken_references"], json!([]));
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
    for number in 45..50 {
        let resolved = workspace.json(&format!("context resolve {number}"));
        assert_eq!(resolved["conflicts"], json!([]), "{number}");
    }
}

#[test]
fn a_wiki_link_to_a_plan_or_a_decision_that_is_not_there_is_broken() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n//- plans/0001-a/plan.md\n---\nupdated: 2026-02-20\n---\n[[0043-other]], [[ADR-0009]] and [[A note]]\n",
    );
    let expected =
        ["refers to 0043-other, which is not there", "refers to ADR-0009, which is not there"];
    for command in ["context conflicts", "context resolve 1"] {
        let found = workspace.json(command);
        let messages: Vec<&str> = found["conflicts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|conflict| conflict["message"].as_str().unwrap())
            .collect();
        assert_eq!(messages, expected, "{command}");
    }
}

#[test]
fn resolve_and_validate_agree() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
k: 1
---
//- .heirloom/projects/Billing/project.md
---
updated: 2026-02-20
k: 2
---
//- .heirloom/projects/lonely/project.md
---
updated: 2026-02-20
k: 3
---
//- .heirloom/projects/2024/project.md
---
updated: 2026-02-20
---
//- .heirloom/projects/2024/adrs/ADR-0007-x.md
---
updated: 2026-02-20
status: accepted
---
//- plans/0001-a/plan.md
---
updated: 2026-02-20
project: billing
---
See ADR-0007.
//- plans/0002-b/plan.md
---
updated: 2026-02-20
project: nonesuch
---
//- plans/0003-c/plan.md
---
updated: 2026-02-20
project: 2024
depends_on: [4]
---
//- plans/0004-d/plan.md
---
updated: 2026-02-20
status: deprecated
---
",
    );
    let validated = workspace.heir("context validate").stdout;
    for finding in [
        ".heirloom/projects/Billing/project.md:3  critical",
        ".heirloom/projects/lonely/project.md:3  critical",
        "plans/0002-b/plan.md:3: there is no project `nonesuch`",
        "refers to 4, which is deprecated",
    ] {
        assert!(validated.contains(finding), "{finding}\n---\n{validated}");
    }
    assert!(!validated.contains("ADR-0007"), "{validated}");
    assert_eq!(workspace.json("context resolve 3")["selectors"]["project"], "2024");
    assert!(workspace.heir("context resolve 1").ok().contains("Billing/project.md:3  critical"));
    assert!(!workspace.heir("context resolve 1").ok().contains("ADR-0007, which"));
    assert!(workspace.heir("context resolve 3").ok().contains("refers to 4, which is deprecated"));
}

#[test]
fn a_format_is_in_the_answer_of_every_door() {
    let workspace = Workspace::with(HEIR, FIXTURE);
    assert!(
        workspace.json("graph export --format dot")["text"]
            .as_str()
            .unwrap()
            .starts_with("digraph")
    );
    assert!(
        workspace.json("context validate --format github")["text"]
            .as_str()
            .unwrap()
            .contains("::error ")
    );
}

#[test]
fn a_workspace_and_its_project_may_use_one_number() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/adrs/ADR-0001-w.md\n---\nstatus: accepted\n---\n# ADR-0001: W\n//- .heirloom/projects/p/adrs/ADR-0001-p.md\n---\nstatus: accepted\n---\n# ADR-0001: P\n//- .heirloom/projects/p/project.md\nADR-0001\n",
    );
    let graph = workspace.json("graph export");
    let edges: Vec<(&str, &str)> = graph["edges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["type"] == "REFERENCES")
        .map(|edge| (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()))
        .collect();
    assert_eq!(edges, [("project/p", "adr/p/ADR-0001")]);
}

#[test]
fn two_documents_of_one_level_are_named_in_a_conflict() {
    let decided = |choice: &str| {
        format!("## Decisions\n| Decision | Choice |\n|---|---|\n| Queue | {choice} |\n")
    };
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/context/a.md\n---\nvoice: calm\n---\n//- .heirloom/context/b.md\n---\nvoice: loud\n---\n//- plans/0001-p/plan.md\n# P\n//- plans/0001-p/agents/001-api.md\n# A\n//- plans/0001-p/agents/002-web.md\n# B\n",
    );
    workspace.write("plans/0001-p/agents/001-api.memory.md", decided("Redis"));
    workspace.write("plans/0001-p/agents/002-web.memory.md", decided("NATS"));
    let shown = workspace.heir("context conflicts").ok();
    for line in [
        "   Agent 001-api says: Redis\n",
        "   Agent 002-web says: NATS (override)\n",
        "   Workspace (.heirloom/context/a.md) says: calm\n",
        "   Workspace (.heirloom/context/b.md) says: loud (override)\n",
    ] {
        assert!(shown.contains(line), "{line}---\n{shown}");
    }
    let conflicts = workspace.json("context conflicts");
    let sides = conflicts["conflicts"].as_array().unwrap().iter().map(|one| &one["sides"]);
    let names: Vec<&Value> =
        sides.flat_map(|sides| [&sides[0]["name"], &sides[1]["name"]]).collect();
    assert!(
        names.contains(&&json!("001-api")) && names.contains(&&json!("002-web")),
        "{conflicts:#}"
    );
}
