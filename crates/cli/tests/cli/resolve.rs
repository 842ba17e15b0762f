//! `heir context resolve --json`: values, sources, decisions and tokens.

use heirloom_testkit::Workspace;
use serde_json::json;

use crate::HEIR;

const FIXTURE: &str = "\
//- .heirloom/workspace.md
---
name: acme
updated: 2026-02-17
brand_voice: professional
defaults:
  language: TypeScript
  test_coverage: 80%
  database: PostgreSQL
stack: [rust]
---
# Acme

Build the thing.
//- .heirloom/context/architecture.md
---
updated: 2026-02-02
---
# Architecture
//- .heirloom/projects/web/project.md
---
updated: 2026-02-20
brand_voice: casual
defaults:
  test_coverage: 90%
stack: [sql, rust]
---
# Web
//- plans/0042-graph/0042-graph-plan.md
---
title: Graph
updated: 2026-02-20
project: web
defaults:
  language: Python
  override: true
---
# Graph
//- plans/0042-graph/agents/001-schema.md
---
updated: 2026-02-21
---
# Schema
//- plans/0042-graph/agents/001-schema.memory.md
---
agent: 001-schema
updated: 2026-02-21
sessions: 3
---
## Findings
- It works
//- plans/0043-store/0043-plan.md
---
updated: 2026-02-20
defaults:
  database: SQLite
---
# Store
";

fn workspace() -> Workspace {
    Workspace::with(HEIR, FIXTURE)
}

#[test]
fn an_agent_inherits_values_with_their_provenance() {
    let resolved = workspace().json("context resolve 0042 001");
    assert_eq!(
        resolved["values"],
        json!({"brand_voice": "casual", "defaults": {"language": "Python"}, "stack": ["rust", "sql"]})
    );
    assert_eq!(
        resolved["provenance"]["brand_voice"],
        json!([
            {"source": ".heirloom/workspace.md", "level": "workspace", "value": "professional"},
            {"source": ".heirloom/projects/web/project.md", "level": "project", "value": "casual"},
        ])
    );
    assert_eq!(
        resolved["selectors"],
        json!({"project": "web", "plan": "0042-graph", "agent": "001-schema"})
    );
    let sources: Vec<&str> = resolved["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["source"].as_str().unwrap())
        .collect();
    assert_eq!(
        sources,
        [
            ".heirloom/workspace.md",
            ".heirloom/context/architecture.md",
            ".heirloom/projects/web/project.md",
            "plans/0042-graph/0042-graph-plan.md",
            "plans/0042-graph/agents/001-schema.md",
            "plans/0042-graph/agents/001-schema.memory.md",
        ]
    );
    assert_eq!(
        resolved["warnings"],
        json!(["⚠️ .heirloom/context/architecture.md is 20 days old (threshold: 14)"])
    );
}

#[test]
fn token_counts_are_exact_and_cached() {
    let workspace = workspace();
    let first = workspace.json("context resolve 0042 001");
    let text = workspace.read("plans/0042-graph/agents/001-schema.md");
    assert_eq!(first["layers"][4]["tokens"], json!(heirloom_store::tokens::count(&text)));
    let sum: u64 = first["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(first["tokens"], json!(sum));
    assert!(workspace.has(".heirloom/cache/tokens-o200k"));
    workspace.write(".heirloom/cache/tokens-o200k", "garbage\n\u{0}\u{0} not a number\n");
    assert_eq!(workspace.json("context resolve 0042 001"), first);
}

#[test]
fn resolving_twice_gives_the_same_bytes() {
    let workspace = workspace();
    for arguments in [
        "context resolve 0042 001",
        "context resolve 0042 001 --json",
        "context resolve --diff",
        "graph export",
        "context conflicts --format sarif",
    ] {
        assert_eq!(workspace.heir(arguments), workspace.heir(arguments), "{arguments}");
    }
}

#[test]
fn accepted_decisions_are_listed_and_retired_ones_are_not() {
    let workspace = workspace();
    workspace
        .write(
            ".heirloom/adrs/ADR-0001-a.md",
            "---\nstatus: superseded\nsuperseded_by: ADR-0002\n---\n# A\n",
        )
        .write(
            ".heirloom/adrs/ADR-0002-b.md",
            "---\nstatus: accepted\ndate: 2026-01-03\n---\n# B\n",
        )
        .write(".heirloom/adrs/ADR-0003-c.md", "---\nstatus: proposed\n---\n# C\n")
        .write(".heirloom/projects/web/adrs/ADR-0001-d.md", "# D\n\n## Status\n\nAccepted\n")
        .write(".heirloom/projects/other/adrs/ADR-0001-e.md", "# E\n\n## Status\n\nAccepted\n");
    let decisions = workspace.json("context resolve 0042")["decisions"].clone();
    assert_eq!(
        decisions,
        json!([
            {"id": "ADR-0002", "title": "B", "date": "2026-01-03", "source": ".heirloom/adrs/ADR-0002-b.md"},
            {"id": "ADR-0001", "title": "D", "date": null, "source": ".heirloom/projects/web/adrs/ADR-0001-d.md"},
        ])
    );
}

/// On a case-sensitive file system, two names that differ in case are two roadmaps.
#[test]
fn two_roadmaps_are_reported() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n");
    workspace.write("plans/Roadmap.md", "---\nupdated: 2026-02-20\n---\n# Roadmap\n");
    workspace.write("plans/roadmap.md", "---\nupdated: 2026-02-20\n---\n# Another\n");
    let problems = workspace.json("context validate")["problems"].clone();
    assert_eq!(problems[0]["message"], "this is ignored, because plans/Roadmap.md takes its place");
}
