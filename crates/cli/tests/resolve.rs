//! `heir context resolve`: the cascade as a user sees it.
#![allow(clippy::unwrap_used, reason = "tests")]

use heirloom_testkit::Workspace;
use serde_json::json;
use snapbox::{assert_data_eq, str};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

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
fn the_worked_examples_of_the_seed() {
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
fn the_database_conflict_is_printed_as_the_seed_prints_it() {
    let shown = workspace().heir("context conflicts 0043").ok();
    let expected = "⚠️ CONFLICT: defaults.database\n   Workspace says: PostgreSQL\n   Plan says: SQLite (override)\n   Resolution: Using plan value (higher priority)\n";
    assert!(shown.contains(expected), "{shown}");
    assert!(workspace().heir("context resolve 0043").ok().contains(expected));
}

#[test]
fn the_human_form_names_values_sources_and_warnings() {
    assert_data_eq!(
        workspace().heir("context resolve 42 1").ok(),
        str![[r#"
What agent 001-schema in plan 0042-graph in project web inherits, from 6 documents

Values
brand_voice        casual       project             .heirloom/projects/web/project.md                          over professional (workspace)
defaults.language  Python       plan                plans/0042-graph/0042-graph-plan.md                        over TypeScript (workspace)
stack              [rust, sql]  workspace, project  .heirloom/workspace.md, .heirloom/projects/web/project.md

── workspace .heirloom/workspace.md · fresh, 5 days
# Acme

Build the thing.

── workspace .heirloom/context/architecture.md · warning, 20 days
# Architecture

── project .heirloom/projects/web/project.md · fresh, 2 days
# Web

── plan plans/0042-graph/0042-graph-plan.md · fresh, 2 days
# Graph

── agent plans/0042-graph/agents/001-schema.md · fresh, 1 day
# Schema

── agent plans/0042-graph/agents/001-schema.memory.md · fresh, 1 day
## Findings
- It works

Warnings
⚠️ CONFLICT: brand_voice
   Workspace says: professional
   Project says: casual (override)
   Resolution: Using project value (higher priority)
   .heirloom/projects/web/project.md:3  critical · if it is meant, add `overrides: [brand_voice]` to the front matter; else remove the key here
ℹ️ CONFLICT: defaults.language
   Workspace says: TypeScript
   Plan says: Python (override)
   Resolution: Using plan value (higher priority)
   plans/0042-graph/0042-graph-plan.md:6  information · its author says that it is meant
⚠️ .heirloom/context/architecture.md is 20 days old (threshold: 14)

"#]]
    );
}

#[test]
fn the_diff_shows_what_each_layer_did() {
    assert_data_eq!(
        workspace().heir("context resolve 0042 --diff").ok().split("\nWarnings").next().unwrap(),
        str![[r#"
What plan 0042-graph in project web inherits, from 4 documents

── workspace .heirloom/workspace.md
 + brand_voice: professional
 + defaults.language: TypeScript
 + defaults.test_coverage: 80%
 + defaults.database: PostgreSQL
 + stack: [rust]

── workspace .heirloom/context/architecture.md
   sets nothing new

── project .heirloom/projects/web/project.md
 ~ brand_voice: professional → casual
 ~ defaults.test_coverage: 80% → 90%
 ~ stack: [rust] → [rust, sql]

── plan plans/0042-graph/0042-graph-plan.md
 ~ defaults.language: TypeScript → Python
 - defaults.test_coverage: 90%
 - defaults.database: PostgreSQL

"#]]
    );
}

#[test]
fn token_counts_are_exact_and_cached() {
    let workspace = workspace();
    let first = workspace.json("context resolve 0042 001");
    let text = workspace.read("plans/0042-graph/agents/001-schema.md");
    assert_eq!(first["layers"][4]["tokens"], json!(bpe_openai::o200k_base().count(&text)));
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
fn unknown_and_ambiguous_names_list_candidates() {
    let workspace = workspace();
    workspace.write("plans/0042-other/plan.md", "# Other\n");
    assert_data_eq!(
        workspace.heir("context resolve 0042").failed(2),
        str![[r#"
error: `0042` could be any of several plans
  candidates: 0042-graph, 0042-other
  hint: type more of the name

"#]]
    );
    assert_data_eq!(
        workspace.heir("context resolve 0042-grph").failed(2),
        str![[r#"
error: there is no plan `0042-grph`
  candidates: 0042-graph

"#]]
    );
    assert!(
        workspace.heir("context resolve 0043 007").failed(2).contains("there is no agent `007`")
    );
    assert!(workspace.heir("context resolve 0042-graph 001").ok().contains("0042-graph"));
}

#[test]
fn a_plan_in_a_missing_project_still_resolves() {
    let workspace = workspace();
    workspace
        .write("plans/0044-lost/plan.md", "---\nproject: wbe\nupdated: 2026-02-20\n---\n# Lost\n");
    let shown = workspace.heir("context resolve 0044").ok();
    assert!(
        shown.contains("plans/0044-lost/plan.md:2: there is no project `wbe` (there are web)"),
        "{shown}"
    );
}

#[test]
fn two_plan_documents_are_a_problem() {
    let workspace = workspace();
    workspace.write("plans/0042-graph/plan.md", "# Another\n");
    let shown = workspace.heir("context resolve 0042").ok();
    assert!(
        shown.contains(
            "plans/0042-graph/plan.md:1: plans/0042-graph/0042-graph-plan.md is there too"
        ),
        "{shown}"
    );
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

#[test]
fn a_merged_list_names_every_document_that_it_is_made_of() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\nstack: [rust]\nchecks: [lint]\n---\n//- .heirloom/context/a.md\n---\nupdated: 2026-02-20\nstack: [sql]\nchecks: {override: true, value: [test]}\n---\n//- plans/0001-p/plan.md\n---\nupdated: 2026-02-20\nstack: [web]\nchecks: [bench]\n---\n",
    );
    let shown = workspace.heir("context resolve 0001").ok();
    let line = |key: &str| {
        let line = shown.lines().find(|line| line.starts_with(key)).unwrap();
        line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect::<Vec<_>>()
    };
    let sources = ".heirloom/workspace.md, .heirloom/context/a.md, plans/0001-p/plan.md";
    assert_eq!(line("stack"), ["stack", "[rust, sql, web]", "workspace, plan", sources]);
    let sources = ".heirloom/context/a.md, plans/0001-p/plan.md";
    assert_eq!(
        line("checks"),
        ["checks", "[test, bench]", "workspace, plan", sources, "over [lint] (workspace)"]
    );
}

#[test]
fn workspace_show_prints_the_resolved_values_with_their_sources() {
    let workspace = workspace();
    let shown = workspace.heir("workspace show").ok();
    for part in ["\nValues\n", "brand_voice", "professional", ".heirloom/workspace.md"] {
        assert!(shown.contains(part), "{part}\n---\n{shown}");
    }
    let row = shown.lines().find(|line| line.starts_with("defaults.language")).unwrap();
    assert!(row.contains("TypeScript") && row.contains("workspace"), "{row}");
    let data = workspace.json("workspace show");
    assert_eq!(data["provenance"]["brand_voice"][0]["source"], ".heirloom/workspace.md");
}

/// The roadmap beside the plans is a document like any other, and no plan.
#[test]
fn the_roadmap_is_inherited_found_and_referred_to() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
# W
//- plans/Roadmap.md
---
updated: 2026-02-20
---
# Roadmap

Wombats come first, then emus.
//- plans/0001-wombats/plan.md
---
updated: 2026-02-20
depends_on: [Roadmap]
---
See [the roadmap](../Roadmap.md).
",
    );
    let resolved = workspace.json("context resolve 0001");
    let layer = &resolved["layers"][1];
    assert_eq!(
        (&layer["source"], &layer["level"]),
        (&json!("plans/Roadmap.md"), &json!("workspace"))
    );
    assert_eq!(resolved["conflicts"], json!([]), "{resolved:#}");
    assert_eq!(workspace.heir("context validate").code, 0);
    assert_eq!(workspace.json("plan list")["items"].as_array().unwrap().len(), 1);
    assert!(workspace.heir("context health").ok().contains("plans/Roadmap.md"));
    let graph = workspace.heir("graph show roadmap").ok();
    assert!(graph.contains("0001-wombats"), "{graph}");
    assert!(workspace.heir("recall emus").ok().contains("Wombats come first"));
    workspace.heir("context refresh roadmap").ok();
    workspace.heir("context archive roadmap").ok();
    assert!(!workspace.heir("context resolve").ok().contains("Wombats come first"));
    workspace.heir("context restore roadmap").ok();
    assert!(workspace.has("plans/Roadmap.md"));
    workspace.write("plans/roadmap.md", "# Another\n");
    let shown = workspace.heir("context validate").stdout;
    assert!(shown.contains("plans/Roadmap.md is there too"), "{shown}");
}
