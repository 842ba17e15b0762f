//! Freshness: thresholds, dates from git, refresh, archive and restore.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

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
fn a_fresh_clone_does_not_look_fresh() {
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
    assert!(workspace.heir("context refresh archtecture").failed(2).contains("architecture"));
}

#[test]
fn archive_and_restore() {
    let workspace = Workspace::with(
        HEIR,
        "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
See [old](context/old.md).
//- .heirloom/context/old.md
---
updated: 2025-01-01
tone: dusty
---
# Old
//- .heirloom/context/new.md
---
updated: 2026-02-20
---
# New
",
    );
    let shown = workspace.heir("context archive old").ok();
    assert!(
        shown.contains(".heirloom/archive/context/old.md")
            && shown.contains("still referred to by 1 document"),
        "{shown}"
    );
    assert_eq!(workspace.json("context resolve")["values"], json!({}));
    assert_eq!(workspace.heir("context validate").code, 1);
    workspace.heir("context restore old").ok();
    assert_eq!(workspace.json("context resolve")["values"], json!({"tone": "dusty"}));
    let dry = workspace.json("context archive --stale --dry-run");
    assert_eq!(dry["archived"][0]["source"], ".heirloom/context/old.md");
    assert!(workspace.has(".heirloom/context/old.md"));
    workspace.heir("context archive --stale").ok();
    assert!(
        !workspace.has(".heirloom/context/old.md") && workspace.has(".heirloom/context/new.md")
    );
    assert_eq!(workspace.heir("context archive").code, 2);
    workspace.write(".heirloom/context/old.md", "# In the way\n");
    assert!(workspace.heir("context restore old").failed(2).contains("already there"));
}

/// A decision holds until another one replaces it; only a document grows out of use with its age.
#[test]
fn a_decision_in_force_is_reviewed_and_never_archived_for_its_age() {
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

/// The dates are remembered per commit; what is remembered must never be seen in an answer.
#[test]
fn remembered_dates_follow_the_history() {
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n//- .heirloom/context/a.md\n# A\n");
    workspace.commit_all("2025-12-01T00:00:00Z");
    let check = |path: &str, updated: &str| {
        let remembered = health(&workspace, path)["updated"].clone();
        assert_eq!(remembered, updated);
        drop(std::fs::remove_dir_all(workspace.path().join(".heirloom/cache")));
        assert_eq!(
            health(&workspace, path)["updated"],
            remembered,
            "with the cache and without it"
        );
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

/// Git refuses a repository of another owner, as in many CI containers: nothing may look fresh.
#[test]
fn a_history_that_cannot_be_read_makes_dates_unknown() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n");
    workspace.commit_all("2025-01-01T00:00:00Z");
    std::fs::remove_dir_all(workspace.path().join(".git/objects")).unwrap();
    std::fs::create_dir(workspace.path().join(".git/objects")).unwrap();
    let broken = workspace.heir("context health").ok();
    assert!(
        broken.contains("0 fresh") && broken.contains("the history could not be read"),
        "{broken}"
    );
    assert_eq!(health(&workspace, ".heirloom/workspace.md")["staleness"], "unknown");
}

#[test]
fn only_markdown_can_be_refreshed() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\nhierarchy = \"sprints\"\n//- .memory/sprint/s1/progress.json\n{}\n",
    );
    let refused = workspace.heir("context refresh .memory/sprint/s1/progress.json").failed(2);
    assert!(refused.contains("is not markdown"), "{refused}");
    assert_eq!(workspace.read(".memory/sprint/s1/progress.json"), "{}\n");
}

#[test]
fn restore_takes_the_names_that_archive_takes() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/adrs/ADR-0001-x.md\n---\nstatus: accepted\n---\n//- plans/0001-dep/plan.md\n# D\n//- plans/0002-b/plan.md\n---\ndepends_on: [0001-dep]\n---\nADR-0001\n",
    );
    for name in ["ADR-0001", "0001-dep", "plan/0002-b"] {
        workspace.heir(&format!("context archive {name}")).ok();
        workspace.heir(&format!("context restore {name}")).ok();
    }
    workspace.heir("context archive ADR-0001").ok();
    let conflicts = workspace.heir("context conflicts").ok();
    assert!(conflicts.contains("refers to ADR-0001, which is archived"), "{conflicts}");
    let created = workspace.heir("adr new another").ok();
    assert!(created.contains("ADR-0002"), "a number that was given stays given: {created}");
}

#[test]
fn a_date_in_the_future_is_a_problem_only_when_it_is_stated() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-23\n---\n//- .heirloom/context/a.md\n---\nupdated: soon\n---\n",
    );
    let validated = workspace.heir("context validate").stdout;
    assert!(
        validated.contains("`updated: soon` is not a date") && !validated.contains("future"),
        "{validated}"
    );
    workspace.write(".heirloom/workspace.md", "---\nupdated: 2026-03-23\n---\n");
    assert!(
        workspace
            .heir("context validate")
            .stdout
            .contains(".heirloom/workspace.md:2: it is dated in the future")
    );
}

/// What `init` wrote for people to replace says nothing to an agent until they do.
#[test]
fn template_text_is_left_out_until_it_is_edited() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init --name Larkspur").ok();
    let new = workspace.json("context resolve");
    assert_eq!((&new["tokens"], &new["values"]), (&json!(0), &json!({})), "{new:#}");
    assert_eq!((&new["layers"], &new["provenance"]), (&json!([]), &json!({})));
    assert_eq!(new["not_edited"].as_array().unwrap().len(), 6);
    let shown = workspace.heir("context resolve").ok();
    assert!(!shown.contains("What this workspace is for"), "{shown}");
    assert!(shown.contains("not edited yet, so left out: .heirloom/workspace.md"), "{shown}");
    let health = workspace.json("context health");
    assert_eq!(
        (&health["counts"]["not_edited"], &health["counts"]["fresh"]),
        (&json!(6), &json!(0))
    );
    let shown = workspace.heir("context health").ok();
    assert!(shown.contains("template") && shown.contains("6 documents not edited yet"), "{shown}");

    let path = ".heirloom/workspace.md";
    let text = workspace
        .read(path)
        .replace("What this workspace is for, in a sentence or two.", "Refunds.");
    workspace.write(path, text);
    let edited = workspace.json("context resolve");
    assert_eq!(edited["not_edited"].as_array().unwrap().len(), 5);
    let prose = edited["layers"][0]["prose"].as_str().unwrap();
    assert!(prose.contains("# Workspace: Larkspur") && prose.contains("Refunds."), "{prose}");
    assert!(!prose.contains("Principles") && !prose.contains("Defaults"), "{prose}");
    assert_eq!(edited["values"], json!({}));

    workspace.run(&["plan", "new", "Refund flow"]).ok();
    let plan = workspace.json("context resolve 0001");
    let prose = plan["layers"][1]["prose"].as_str().unwrap();
    assert_eq!(prose.trim(), "# Refund flow");
    workspace.run(&["memory", "add", "0001", "--plan", "finding", "Cents"]).ok();
    let plan = workspace.json("context resolve 0001");
    let memory = plan["layers"][2]["prose"].as_str().unwrap();
    assert!(memory.contains("- Cents") && !memory.contains("Lessons"), "{memory}");
}
