//! Conflicts, validation for CI, and the graph.

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

use crate::HEIR;

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

/// Returns the kind, severity and place of each conflict.
fn summarize(conflicts: &Value) -> Vec<(String, String, String)> {
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
fn each_kind_of_conflict_is_found_once() {
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
    assert_eq!(summarize(&workspace.json("context conflicts")), expected);
    let of_plan = summarize(&workspace.json("context conflicts 2"));
    assert!(of_plan.iter().all(|(_, _, place)| !place.starts_with("plans/0001")), "{of_plan:?}");
}

#[test]
fn sarif_contains_the_conflicts_with_their_locations() {
    let workspace = Workspace::with(HEIR, FIXTURE);
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
}

#[test]
fn wiki_links_and_mentioned_names_are_references() {
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
fn a_wiki_link_to_a_missing_plan_or_decision_is_broken() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n//- plans/0001-a/plan.md\n---\nupdated: 2026-02-20\n---\n[[0043-other]], [[ADR-0009]] and [[A note]]\n",
    );
    let expected =
        ["refers to 0043-other, which does not exist", "refers to ADR-0009, which does not exist"];
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
fn a_workspace_and_its_project_may_use_the_same_number() {
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
