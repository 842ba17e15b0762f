//! Archiving and restoring of documents: plans move whole, and every archived version is kept.

use heirloom_testkit::Workspace;
use serde_json::json;

use crate::HEIR;

const PLAN: &str = "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
# W
//- plans/0001-wombats/0001-wombats-plan.md
---
updated: 2025-01-01
---
# Wombats
//- plans/0001-wombats/context.md
---
updated: 2025-01-01
---
# Particulars
//- plans/0001-wombats/plan.memory.md
---
updated: 2025-01-01
---
## Findings
- Wombats dig
//- plans/0001-wombats/agents/001-burrow.md
---
updated: 2025-01-01
---
# Burrow
//- plans/0001-wombats/agents/001-burrow.memory.md
---
updated: 2025-01-01
---
## Findings
- The burrow is deep
//- plans/0002-emus/plan.md
---
updated: 2026-02-20
depends_on: [0001-wombats]
---
As in [the burrow](../0001-wombats/agents/001-burrow.md).
";

const FILES: [&str; 5] = [
    "0001-wombats-plan.md",
    "agents/001-burrow.md",
    "agents/001-burrow.memory.md",
    "context.md",
    "plan.memory.md",
];

#[test]
fn a_plan_is_archived_and_restored_whole() {
    let workspace = Workspace::with(HEIR, PLAN);
    let before: Vec<String> = workspace.files("plans/0001-wombats");
    let texts: Vec<String> = before.iter().map(|path| workspace.read(path)).collect();
    let archived = workspace.json("context archive 0001-wombats");
    assert_eq!(archived["archived"][0]["source"], "plans/0001-wombats");
    let files: Vec<String> =
        FILES.iter().map(|file| format!("plans/0001-wombats/{file}")).collect();
    assert_eq!(archived["archived"][0]["files"], json!(files));
    assert_eq!(archived["archived"][0]["referred_to_by"], json!(["plans/0002-emus/plan.md"]));
    assert!(!workspace.has("plans/0001-wombats"));
    workspace.heir("context restore 0001-wombats").ok();
    assert_eq!(workspace.files("plans/0001-wombats"), before);
    let after: Vec<String> = before.iter().map(|path| workspace.read(path)).collect();
    assert_eq!(after, texts);
    assert_eq!(workspace.files(".heirloom/archive"), Vec::<String>::new());
}

#[test]
fn every_archived_version_of_a_document_is_kept() {
    let workspace = Workspace::with(HEIR, PLAN);
    for text in ["# One\n", "# Two\n", "# Three\n"] {
        workspace.write(".heirloom/context/old.md", text);
        workspace.heir("context archive old").ok();
    }
    assert_eq!(
        workspace.files(".heirloom/archive"),
        [
            ".heirloom/archive/context/old.md",
            ".heirloom/archive/v2/context/old.md",
            ".heirloom/archive/v3/context/old.md"
        ]
    );
    let restored = workspace.json("context restore old");
    assert_eq!(workspace.read(".heirloom/context/old.md"), "# Three\n");
    assert_eq!(
        restored["other_versions"],
        json!([".heirloom/archive/v2/context/old.md", ".heirloom/archive/context/old.md"])
    );
    workspace.heir("context restore old").failed(2);
    std::fs::remove_file(workspace.path().join(".heirloom/context/old.md")).unwrap();
    workspace.heir("context restore .heirloom/archive/context/old.md").ok();
    assert_eq!(workspace.read(".heirloom/context/old.md"), "# One\n");
}

#[test]
fn archived_versions_of_a_plan_stay_apart() {
    let workspace = Workspace::with(HEIR, PLAN);
    workspace.heir("context archive 0001-wombats").ok();
    workspace.write("plans/0001-wombats/plan.md", "# Again\n");
    workspace.write("plans/0001-wombats/agents/002-tunnel.md", "# Tunnel\n");
    workspace.heir("context archive 002-tunnel").ok();
    workspace.heir("context archive 0001-wombats").ok();
    let restored = workspace.json("context restore 0001-wombats");
    assert_eq!(restored["archived_at"], ".heirloom/archive/v3/plans/0001-wombats");
    assert_eq!(workspace.files("plans/0001-wombats"), ["plans/0001-wombats/plan.md"]);
    workspace.heir("context restore 002-tunnel").ok();
    assert_eq!(workspace.read("plans/0001-wombats/agents/002-tunnel.md"), "# Tunnel\n");
    // An earlier version is restored beside the current one, whose files are kept.
    workspace.heir("context restore .heirloom/archive/plans/0001-wombats").ok();
    assert_eq!(workspace.files("plans/0001-wombats").len(), 7);
}

#[test]
fn archive_stale_moves_a_plan_only_if_all_its_documents_are_stale() {
    let workspace = Workspace::with(HEIR, PLAN);
    let memory = "plans/0001-wombats/plan.memory.md";
    let old = workspace.read(memory);
    workspace.write(memory, old.replace("2025-01-01", "2026-02-21"));
    let stale = workspace.json("context archive --stale --dry-run");
    assert_eq!(stale["left"][0]["source"], "plans/0001-wombats/0001-wombats-plan.md");
    assert_eq!(stale["left"][0]["reason"], format!("{memory} is still current"));
    workspace.write(memory, old);
    let stale = workspace.json("context archive --stale");
    assert_eq!(stale["archived"].as_array().unwrap().len(), 1, "{stale:#}");
    assert_eq!(stale["archived"][0]["source"], "plans/0001-wombats");
}

#[test]
fn archives_of_earlier_releases_are_restored() {
    let workspace = Workspace::with(HEIR, PLAN);
    workspace.write(".heirloom/archive/.heirloom/context/old.md", "# Old\n");
    workspace.write(".heirloom/archive/plans/0002-emus/agents/001-egg.memory.md.1", "# Egg\n");
    workspace.heir("context restore old").ok();
    assert_eq!(workspace.read(".heirloom/context/old.md"), "# Old\n");
    workspace.heir("context restore plans/0002-emus/agents/001-egg.memory.md").ok();
    assert_eq!(workspace.read("plans/0002-emus/agents/001-egg.memory.md"), "# Egg\n");
    // Only the document of the plan was archived; its agents were not.
    let plan = "plans/0001-wombats/0001-wombats-plan.md";
    let text = workspace.read(plan);
    std::fs::remove_file(workspace.path().join(plan)).unwrap();
    workspace.write(&format!(".heirloom/archive/{plan}"), &text);
    workspace.heir("context restore 0001-wombats").ok();
    assert_eq!(workspace.read(plan), text);
}

#[cfg(unix)]
#[test]
fn links_in_the_archive_are_not_followed() {
    let workspace = Workspace::with(HEIR, PLAN);
    let archive = workspace.path().join(".heirloom/archive");
    std::fs::create_dir_all(archive.join("plans")).unwrap();
    for name in ["loop", "again", "plans/up"] {
        std::os::unix::fs::symlink(&archive, archive.join(name)).unwrap();
    }
    workspace.heir("context archive 0001-wombats").ok();
    workspace.heir("memory search-archive burrow").ok();
    workspace.heir("context restore 0001-wombats").ok();
    assert!(workspace.has("plans/0001-wombats/0001-wombats-plan.md"));
}

/// The next command finishes the moves of a killed process.
#[test]
fn an_interrupted_move_is_finished_by_the_next_command() {
    let workspace = Workspace::with(HEIR, PLAN);
    let rename = |path: &str| json!({"from": path, "to": format!(".heirloom/archive/{path}")});
    let agent = "plans/0001-wombats/agents/001-burrow";
    let (document, memory) = (format!("{agent}.md"), format!("{agent}.memory.md"));
    let text = workspace.read(&document);
    std::fs::remove_file(workspace.path().join(&document)).unwrap();
    workspace.write(&format!(".heirloom/archive/{document}"), &text);
    let journal = json!({
        "root": workspace.path().canonicalize().unwrap(), "moves": [], "appends": [],
        "renames": [rename(&document), rename(&memory)],
    });
    workspace.write(".heirloom/local/journal.json", journal.to_string());
    workspace.heir("plan list").ok();
    assert!(!workspace.has(&memory) && workspace.has(&format!(".heirloom/archive/{memory}")));
    assert!(!workspace.has(".heirloom/local/journal.json"));
    workspace.heir("context restore 001-burrow").ok();
    assert_eq!(workspace.read(&document), text);
    assert!(workspace.has(&memory));
}

#[test]
fn a_failed_move_is_rolled_back() {
    let workspace = Workspace::with(HEIR, PLAN);
    workspace.write(".heirloom/context/a.md", "---\nupdated: 2025-01-01\n---\n# A\n");
    workspace.write(".heirloom/archive/plans", "a file where a folder is needed\n");
    assert_ne!(workspace.heir("context archive --stale").code, 0);
    assert!(workspace.has(".heirloom/context/a.md"));
    assert!(workspace.has("plans/0001-wombats/plan.memory.md"));
    assert_eq!(workspace.files(".heirloom/archive"), [".heirloom/archive/plans"]);
}
