//! Freshness: thresholds, dates from git, refresh, archive and restore.

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

use crate::HEIR;

fn health(workspace: &Workspace, source: &str) -> Value {
    let all = workspace.json("context health");
    all["documents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|document| document["source"] == source)
        .cloned()
        .unwrap_or_else(|| panic!("{source}: {all:#}"))
}

#[test]
fn thresholds_scale_with_the_interval_and_come_from_the_settings() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/config.toml
//- .heirloom/context/a.md
---
updated: 2026-01-08
---
//- .heirloom/context/b.md
---
updated: 2026-01-08
refresh_interval: 90
---
//- .heirloom/context/c.md
---
updated: 2025-11-01
---
",
    );
    assert_eq!(health(&workspace, ".heirloom/context/a.md")["staleness"], "critical");
    assert_eq!(health(&workspace, ".heirloom/context/a.md")["score"], json!(1.5));
    assert_eq!(health(&workspace, ".heirloom/context/a.md")["recommended_action"], "review");
    assert_eq!(health(&workspace, ".heirloom/context/b.md")["staleness"], "warning");
    assert_eq!(health(&workspace, ".heirloom/context/b.md")["score"], json!(0.5));
    assert_eq!(health(&workspace, ".heirloom/context/c.md")["recommended_action"], "archive");
    workspace.write(
        ".heirloom/config.toml",
        "[staleness]\nwarning = 50\ncritical = 60\narchive = 200\n",
    );
    assert_eq!(health(&workspace, ".heirloom/context/a.md")["staleness"], "fresh");
    assert_eq!(workspace.json("context health --stale")["documents"].as_array().unwrap().len(), 1);
}

#[test]
fn documents_of_a_new_clone_have_the_dates_of_their_commits() {
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n//- .heirloom/context/a.md\n# A\n");
    workspace.commit_all("2025-12-01T00:00:00Z");
    workspace.write(".heirloom/context/a.md", "# A, again\n");
    workspace.commit_all("2026-02-12T00:00:00Z");
    workspace.write(".heirloom/context/new.md", "# Not committed\n");
    assert_eq!(health(&workspace, ".heirloom/workspace.md")["updated"], "2025-12-01");
    assert_eq!(health(&workspace, ".heirloom/context/a.md")["days_old"], 10);
    assert_eq!(health(&workspace, ".heirloom/context/new.md")["staleness"], "fresh");
}

#[test]
fn at_the_boundary_of_a_shallow_clone_the_date_is_unknown() {
    let origin =
        Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n//- .heirloom/context/a.md\n# A\n");
    origin.commit_all("2026-02-01T00:00:00Z");
    origin.write(".heirloom/context/a.md", "# A, again\n");
    origin.commit_all("2026-02-10T00:00:00Z");
    origin.write(".heirloom/context/b.md", "# B\n");
    origin.commit_all("2026-02-20T00:00:00Z");
    let clone = Workspace::empty(HEIR);
    clone.git(&[
        "clone",
        "--quiet",
        "--depth",
        "2",
        &format!("file://{}", origin.path().display()),
        ".",
    ]);
    assert_eq!(health(&clone, ".heirloom/workspace.md")["staleness"], "unknown");
    assert_eq!(health(&clone, ".heirloom/context/a.md")["staleness"], "unknown");
    assert_eq!(health(&clone, ".heirloom/context/b.md")["updated"], "2026-02-20");
}

#[test]
fn refresh_edits_only_the_date() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/config.toml\n");
    let text =
        "---\r\n# about\r\nname: x # n\r\nupdated: '2026-01-01' # when\r\n---\r\nbody\r\n\r\nlast";
    workspace.write(".heirloom/context/architecture.md", text);
    workspace.heir("context refresh architecture").ok();
    assert_eq!(
        workspace.read(".heirloom/context/architecture.md"),
        text.replace("2026-01-01", "2026-02-22")
    );
}

/// A decision is in force until another one replaces it, whatever its age.
#[test]
fn an_old_decision_in_force_is_to_be_reviewed_and_not_archived() {
    let old = "updated: 2025-01-01\n---\n# T\n";
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[hierarchies.flat]\nlevels = [{name = \"all\", priority = 0, always = [\".heirloom/adrs/*.md\"]}]\n",
    );
    for (file, status) in [
        ("ADR-0001-accepted", "accepted"),
        ("ADR-0002-odd", "in the works"),
        ("ADR-0003-proposed", "proposed"),
        ("ADR-0004-replaced", "accepted"),
        ("ADR-0005-new", "accepted\nsupersedes: [ADR-0004]"),
    ] {
        workspace.write(
            &format!(".heirloom/adrs/{file}.md"),
            format!("---\ntitle: T\nstatus: {status}\n{old}"),
        );
    }
    let action = |file: &str| {
        let document = health(&workspace, &format!(".heirloom/adrs/{file}.md"));
        (document["staleness"].clone(), document["recommended_action"].clone())
    };
    assert_eq!(action("ADR-0001-accepted"), (json!("critical"), json!("review")));
    assert_eq!(action("ADR-0002-odd"), (json!("critical"), json!("review")));
    assert_eq!(action("ADR-0003-proposed"), (json!("critical"), json!("archive")));
    assert_eq!(health(&workspace, ".heirloom/adrs/ADR-0004-replaced.md")["closed"], json!(true));
    assert_eq!(workspace.json("adr show ADR-0001")["staleness"]["recommended_action"], "review");
    let dry = workspace.json("context archive --stale --dry-run");
    let sources: Vec<&Value> =
        dry["archived"].as_array().unwrap().iter().map(|moved| &moved["source"]).collect();
    assert_eq!(sources, [".heirloom/adrs/ADR-0003-proposed.md"]);
    let resolved = workspace.json("context resolve --hierarchy flat");
    let of_accepted = resolved["layers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|layer| layer["source"] == ".heirloom/adrs/ADR-0001-accepted.md");
    assert_eq!(of_accepted.unwrap()["recommended_action"], "review");
}

/// Answers are the same with and without the cache of dates.
#[test]
fn cached_dates_follow_the_history() {
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n//- .heirloom/context/a.md\n# A\n");
    workspace.commit_all("2025-12-01T00:00:00Z");
    let check = |path: &str, updated: &str| {
        let cached = health(&workspace, path)["updated"].clone();
        assert_eq!(cached, updated);
        drop(std::fs::remove_dir_all(workspace.path().join(".heirloom/cache")));
        assert_eq!(health(&workspace, path)["updated"], cached, "with and without the cache");
    };
    check(".heirloom/workspace.md", "2025-12-01");
    workspace.git(&["checkout", "--quiet", "-b", "side"]);
    workspace.write(".heirloom/context/a.md", "# A, again\n");
    workspace.commit_all("2026-02-12T00:00:00Z");
    check(".heirloom/context/a.md", "2026-02-12");
    workspace.git(&["checkout", "--quiet", "main"]);
    check(".heirloom/context/a.md", "2025-12-01");
    workspace.git(&["merge", "--quiet", "side"]);
    workspace.write(".heirloom/workspace.md", "# W, again\n");
    workspace.commit_all("2026-02-14T00:00:00Z");
    check(".heirloom/context/a.md", "2026-02-12");
    check(".heirloom/workspace.md", "2026-02-14");
    workspace.git(&["pack-refs", "--all"]);
    workspace.write(".heirloom/cache/history", "damaged\u{0}\n? .heirloom/workspace.md\n");
    check(".heirloom/workspace.md", "2026-02-14");
}

/// Git may refuse to read a repository of another owner, as in many CI containers.
#[test]
fn without_a_readable_history_dates_are_unknown() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n");
    workspace.commit_all("2025-01-01T00:00:00Z");
    std::fs::remove_dir_all(workspace.path().join(".git/objects")).unwrap();
    std::fs::create_dir(workspace.path().join(".git/objects")).unwrap();
    assert_eq!(health(&workspace, ".heirloom/workspace.md")["staleness"], "unknown");
    let broken = workspace.json("context health");
    assert_eq!(broken["counts"]["fresh"], 0);
    let message = broken["problems"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the history could not be read, so some dates are unknown"),
        "{message}"
    );
}

#[test]
fn restore_accepts_the_names_that_archive_accepts() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/adrs/ADR-0001-x.md\n---\nstatus: accepted\n---\n//- plans/0001-dep/plan.md\n# D\n//- plans/0002-b/plan.md\n---\ndepends_on: [0001-dep]\n---\nADR-0001\n",
    );
    for name in ["ADR-0001", "0001-dep", "plan/0002-b"] {
        workspace.heir(&format!("context archive {name}")).ok();
        workspace.heir(&format!("context restore {name}")).ok();
    }
}

#[test]
fn template_text_is_left_out_until_it_is_edited() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init --name Larkspur").ok();
    let new = workspace.json("context resolve");
    assert_eq!((&new["tokens"], &new["values"]), (&json!(0), &json!({})), "{new:#}");
    assert_eq!((&new["layers"], &new["provenance"]), (&json!([]), &json!({})));
    assert_eq!(new["not_edited"].as_array().unwrap().len(), 6);
    let health = workspace.json("context health");
    assert_eq!(
        (&health["counts"]["not_edited"], &health["counts"]["fresh"]),
        (&json!(6), &json!(0))
    );

    let path = ".heirloom/workspace.md";
    let text = workspace
        .read(path)
        .replace("What this workspace is for, in a sentence or two.", "Refunds.");
    workspace.write(path, text);
    let edited = workspace.json("context resolve");
    assert_eq!(edited["not_edited"].as_array().unwrap().len(), 5);
    assert_eq!(edited["values"], json!({}));
    workspace.run(&["plan", "new", "Refund flow"]).ok();
    let plan = workspace.json("context resolve 0001");
    assert_eq!(plan["layers"][1]["prose"].as_str().unwrap().trim(), "# Refund flow");
}
