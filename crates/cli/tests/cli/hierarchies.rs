//! The builtin hierarchies, hierarchies of the settings, `heir init` and `heir adopt`.

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

use crate::HEIR;

fn sources(resolved: &Value) -> Vec<&str> {
    resolved["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["source"].as_str().unwrap())
        .collect()
}

#[test]
fn sprints_stages_and_agents_cascade() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
hierarchy = \"sprints\"
//- CLAUDE.md
# Project
//- .memory/project/conventions/python.md
---
style: black
---
//- .memory/project/decisions/001.md
# One
//- .memory/sprint/sprint-01/goals.md
---
style: ruff
---
//- .memory/sprint/sprint-01/progress.json
{\"style\": \"json does not cascade\"}
//- .memory/stage/coding/current_artifacts/design.yaml
style: yaml does not cascade
//- .memory/agent/coder/prompt_template.md
# You code
//- .memory/agent/coder/tools_config.yaml
tools: []
",
    );
    let resolved = workspace.json(
        "context resolve --select sprint=sprint-01 --select stage=coding --select agent=coder",
    );
    assert_eq!(resolved["hierarchy"], "sprints");
    assert_eq!(resolved["values"], json!({"style": "ruff"}));
    assert_eq!(
        sources(&resolved),
        [
            "CLAUDE.md",
            ".memory/project/conventions/python.md",
            ".memory/project/decisions/001.md",
            ".memory/sprint/sprint-01/goals.md",
            ".memory/sprint/sprint-01/progress.json",
            ".memory/stage/coding/current_artifacts/design.yaml",
            ".memory/agent/coder/prompt_template.md",
            ".memory/agent/coder/tools_config.yaml",
        ]
    );
}

#[test]
fn workspaces_domains_and_repositories_cascade() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
//- agent/rules/common/global.md
---
tone: plain
---
//- resources/workspaces/devtools/OVERVIEW.md
---
name: DevTools
package_manager: pnpm
---
# DevTools
//- resources/workspaces/devtools/common/OVERVIEW.md
---
package_manager: npm
overrides: [package_manager]
---
//- resources/workspaces/devtools/common/metan/OVERVIEW.md
# Metan
//- user/memory/workspaces/devtools/lessons.md
### [2026-02-23] pnpm isolates strictly
//- user/memory/workspaces/devtools/common/decisions.md
### [2026-02-08] xstate
",
    );
    let resolved = workspace.json("context resolve --hierarchy domains --select workspace=devtools --select domain=common --select repository=metan");
    assert_eq!(resolved["values"], json!({"tone": "plain", "package_manager": "npm"}));
    assert_eq!(
        sources(&resolved),
        [
            "agent/rules/common/global.md",
            "resources/workspaces/devtools/OVERVIEW.md",
            "user/memory/workspaces/devtools/lessons.md",
            "resources/workspaces/devtools/common/OVERVIEW.md",
            "user/memory/workspaces/devtools/common/decisions.md",
            "resources/workspaces/devtools/common/metan/OVERVIEW.md",
        ]
    );
}

#[test]
fn the_levels_of_a_custom_hierarchy_cascade() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
hierarchy = \"teams\"

[[hierarchies.teams.levels]]
name = \"company\"
priority = 0
always = [\"company.md\"]

[[hierarchies.teams.levels]]
name = \"team\"
priority = 10
always = [\"teams/{team}/*.md\"]
memory = \"teams/{team}/memory/notes.md\"
//- company.md
---
tabs: 4
---
//- teams/red/style.md
---
tabs: 2
---
//- teams/red/memory/notes.md
A note.
",
    );
    let resolved = workspace.json("context resolve --select team=red");
    assert_eq!(resolved["values"], json!({"tabs": 2}));
    assert_eq!(
        sources(&resolved),
        ["company.md", "teams/red/style.md", "teams/red/memory/notes.md"]
    );
    assert_eq!(workspace.heir("context validate").code, 1);
}

#[test]
fn init_sets_up_each_hierarchy_and_overwrites_nothing() {
    for hierarchy in ["plans", "sprints", "domains"] {
        let workspace = Workspace::empty(HEIR);
        workspace.write(".gitignore", "node_modules");
        workspace.write("CLAUDE.md", "mine");
        workspace.heir(&format!("init --hierarchy {hierarchy}")).ok();
        assert_eq!(workspace.read("CLAUDE.md"), "mine");
        assert!(
            workspace.read(".gitignore").starts_with("node_modules\n"),
            "{}",
            workspace.read(".gitignore")
        );
        workspace.heir("context validate").ok();
        let before = workspace.read(".gitignore");
        let again = workspace.json(&format!("workspace init --hierarchy {hierarchy}"));
        assert_eq!(
            (
                again["created"].as_array().unwrap().len(),
                again["extended"].as_array().unwrap().len()
            ),
            (0, 0)
        );
        assert_eq!(workspace.read(".gitignore"), before);
    }
}

#[test]
fn documents_of_new_commands_are_valid() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.heir("project new billing --description Invoices").ok();
    workspace.run(&["plan", "new", "Knowledge \"graph\": now", "--project", "billing"]).ok();
    workspace.run(&["agent", "new", "1", "Entity schema"]).ok();
    workspace.run(&["agent", "new", "0001", "007-resolution"]).ok();
    workspace.run(&["adr", "new", "Use SQLite (not Postgres)", "--project", "billing"]).ok();
    workspace.run(&["adr", "new", "CLI first", "--status", "accepted"]).ok();
    for path in [
        "plans/0001-knowledge-graph-now/0001-knowledge-graph-now-plan.md",
        "plans/0001-knowledge-graph-now/agents/000-entity-schema.md",
        "plans/0001-knowledge-graph-now/agents/007-resolution.md",
        ".heirloom/projects/billing/adrs/ADR-0001-use-sqlite-not-postgres.md",
        ".heirloom/adrs/ADR-0001-cli-first.md",
    ] {
        assert!(workspace.has(path), "{path}");
    }
    let resolved = workspace.json("context resolve 1 000");
    assert_eq!(
        resolved["selectors"],
        json!({"project": "billing", "plan": "0001-knowledge-graph-now", "agent": "000-entity-schema"})
    );
    assert_eq!(resolved["problems"], json!([]));
    workspace.heir("context validate").ok();
    for nothing in ["", " ", "\u{7}\n"] {
        assert_eq!(workspace.run(&["project", "new", nothing]).code, 2, "{nothing:?}");
        assert_eq!(workspace.run(&["plan", "new", nothing]).code, 2, "{nothing:?}");
        assert_eq!(workspace.run(&["adr", "new", nothing]).code, 2, "{nothing:?}");
    }
}

const TITLES: [&str; 19] = [
    "CI/CD pipeline",
    "Use TCP/IP",
    "🚀🔥",
    "🙂",
    "?!",
    "con",
    "../../evil",
    "..",
    "日本語のタイトル",
    "it's \"quoted\": yes # no [x] {y}",
    "--verbose is the default",
    "- a dash",
    "@home `code` %TEMP% *all*",
    "<!-- no comment",
    "---",
    "true",
    "2026 goals",
    "3-tier architecture",
    "a\\b",
];

/// Only the file name that is derived from a title is restricted.
#[test]
fn any_text_is_accepted_as_a_title() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.run(&["plan", "new", "first"]).ok();
    let long = "word ".repeat(40).trim().to_owned();
    let titles = [&TITLES[..], &[&long]].concat();
    for title in &titles {
        for command in
            [&["plan", "new"][..], &["agent", "new", "1"], &["adr", "new"], &["project", "new"]]
        {
            let ran = workspace.run(&[&["--json"], command, &["--", title]].concat());
            assert_eq!(ran.code, 0, "{command:?} {title}: {}", ran.stderr);
            let made: Value = serde_json::from_str(&ran.stdout).unwrap();
            let path = made["path"].as_str().unwrap();
            let name = path.rsplit('/').next().unwrap();
            assert!(name.len() < 100 && workspace.has(path), "{path}");
        }
    }
    for (command, list) in [("adr list", "adrs"), ("plan list", "items"), ("agent list 1", "items")]
    {
        let listed = workspace.json(command);
        let items = listed[list].as_array().unwrap().iter();
        let read: Vec<&str> = items
            .map(|item| item["title"].as_str().unwrap())
            .filter(|title| *title != "first")
            .collect();
        assert_eq!(read, titles, "{command}");
    }
    let listed = workspace.json("adr list --status proposed");
    assert_eq!(listed["adrs"].as_array().unwrap().len(), titles.len());
    let parent = workspace.path().parent().unwrap();
    assert!(!parent.join("evil").exists() && !parent.parent().unwrap().join("evil").exists());
    workspace.heir("context validate").ok();
}

#[test]
fn a_title_of_two_lines_becomes_one_line() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.run(&["plan", "new", "two\nlines"]).ok();
    let text = workspace.read("plans/0001-two-lines/0001-two-lines-plan.md");
    assert!(text.lines().any(|line| line == "# two lines"), "{text}");
}

#[test]
fn additional_files_of_a_level_are_not_its_main_document() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[levels.plan]\nfiles = [\"plans/{plan}/notes.md\"]\n//- plans/0001-a/plan.md\n---\ntitle: The plan\n---\n//- plans/0001-a/notes.md\n---\ntitle: Notes\n---\n",
    );
    assert_eq!(workspace.json("plan list")["items"][0]["title"], "The plan");
    assert_eq!(
        sources(&workspace.json("context resolve 1")),
        ["plans/0001-a/notes.md", "plans/0001-a/plan.md"]
    );
}

#[test]
fn rules_that_workspaces_share_are_one_document() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\nhierarchy = \"domains\"\n//- agent/rules/common/global.md\n# G\n//- resources/workspaces/a/OVERVIEW.md\n# A\n//- resources/workspaces/a/_plans/260101-x.md\n# X\n//- resources/workspaces/b/OVERVIEW.md\n# B\n",
    );
    let documents = workspace.json("context health")["documents"].as_array().unwrap().len();
    assert_eq!(documents, 4);
    workspace.heir("context refresh global").ok();
    assert_eq!(
        sources(&workspace.json("context resolve --select workspace=b")),
        ["agent/rules/common/global.md", "resources/workspaces/b/OVERVIEW.md"]
    );
    assert!(
        workspace.heir("context resolve --select workspace=a --select domain=_plans").code == 2
    );
}

const RECORD: &str =
    "# 1. Record\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n";

#[test]
fn adopt_finds_the_usual_folders_and_gives_reasons() {
    for folder in [
        "adr",
        "adrs",
        "docs/adr",
        "docs/ADR",
        "docs/decisions",
        "doc/architecture/decisions",
        "architecture-decision-records",
        "docs/architecture_decision_records",
        "packages/api/docs/adr",
    ] {
        let workspace = Workspace::empty(HEIR);
        workspace.write(&format!("{folder}/0001-record.md"), RECORD);
        let adopted = workspace.json("adopt");
        assert_eq!(adopted["found"][0]["path"], folder, "{adopted:#}");
        let name = folder.rsplit('/').next().unwrap();
        let reason = format!("called `{name}`; 1 numbered record");
        assert_eq!(adopted["found"][0]["reason"], reason);
        assert_eq!(
            workspace.json("adr list")["adrs"][0]["source"],
            format!("{folder}/0001-record.md")
        );
    }
}

#[test]
fn adopt_finds_decision_records_by_their_content() {
    let workspace = Workspace::empty(HEIR);
    for (path, text) in [
        ("docs/design/log/001-a.md", RECORD),
        ("docs/design/log/002-b.md", RECORD),
        ("docs/tutorial/01-start.md", "# Start\n\n## Context\n"),
        ("docs/tutorial/02-more.md", "# More\n"),
        ("node_modules/x/adr/0001-x.md", RECORD),
        ("drafts/adr/0001-x.md", RECORD),
        ("other/.git/config", ""),
        ("other/adr/0001-x.md", RECORD),
        (".gitignore", "drafts/\n"),
    ] {
        workspace.write(path, text);
    }
    let adopted = workspace.json("adopt");
    assert_eq!(adopted["found"].as_array().unwrap().len(), 2, "{adopted:#}");
    assert_eq!(adopted["found"][0]["path"], "docs/design/log");
    assert_eq!(adopted["found"][1]["reason"], "2 documents");
    assert_eq!(
        adopted["found"][0]["reason"],
        "2 of 2 numbered files have the sections of a decision record"
    );
    for number in 3..=10 {
        workspace.write(&format!("docs/design/log/{number:03}-c.md"), RECORD);
    }
    assert_eq!(
        workspace.json("adopt --dry-run")["found"][0]["reason"],
        "10 numbered files; 8 of the first 8 have the sections of a decision record"
    );
}

#[cfg(unix)]
#[test]
fn adopt_does_not_follow_links() {
    let outside = Workspace::empty(HEIR);
    outside.write("adr/0001-x.md", RECORD);
    let workspace = Workspace::empty(HEIR);
    workspace.write("AGENTS.md", "Be brief.\n");
    std::os::unix::fs::symlink("AGENTS.md", workspace.path().join("CLAUDE.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), workspace.path().join("docs")).unwrap();
    std::os::unix::fs::symlink(".", workspace.path().join("loop")).unwrap();
    let adopted = workspace.json("adopt");
    assert_eq!(adopted["found"].as_array().unwrap().len(), 1, "{adopted:#}");
    assert_eq!(adopted["found"][0]["path"], "AGENTS.md");
    assert_eq!(workspace.run(&["adopt", "docs/adr"]).code, 2);
}

#[test]
fn adopt_below_a_workspace_adds_to_that_workspace() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n# W\n//- docs/notes/a.md\n# A\n//- docs/notes/b.md\n# B\n",
    );
    let below = workspace.path().join("docs");
    let ran = workspace.command().current_dir(&below).args(["adopt", "notes"]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let config = workspace.read(".heirloom/config.toml");
    assert!(config.ends_with("files = [\"docs/notes/*.md\"]\n"), "{config}");
    assert!(!below.join(".heirloom").exists());
    let ran = workspace.command().current_dir(&below).args(["adopt", "../.."]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn adopt_rejects_a_folder_outside_of_the_repository() {
    let workspace = Workspace::with(HEIR, "//- AGENTS.md\nBe brief.\n");
    workspace.heir("adopt").ok();
    let config = workspace.read(".heirloom/config.toml");
    let outside = workspace.path().parent().unwrap().display().to_string();
    for bad in ["missing", "..", outside.as_str(), ".heirloom/cache"] {
        assert_eq!(workspace.run(&["adopt", bad]).code, 2, "{bad}");
    }
    assert_eq!(workspace.read(".heirloom/config.toml"), config);
}
