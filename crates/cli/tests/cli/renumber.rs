//! Duplicate numbers of plans and decision records: reporting and renumbering.

use heirloom_testkit::Workspace;
use serde_json::{Value, json};

use crate::HEIR;

const TWO_BRANCHES: &str = "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
See [Z](adrs/ADR-0001-z.md#why), [[ADR-0001-z|it]] and [ADR-0001](adrs/ADR-0001-a.md).
By number it is unclear: ADR-0001.
//- .heirloom/adrs/ADR-0001-a.md
---
title: A
status: accepted
updated: 2026-02-20
---
# ADR-0001: A
//- .heirloom/adrs/ADR-0001-z.md
---
id: ADR-0001
title: Z
status: accepted
supersedes: [ADR-0002]
updated: 2026-02-20
---
# ADR-0001: Z
//- .heirloom/adrs/ADR-0002-b.md
---
title: B
status: superseded
superseded_by: ADR-0001-z.md
updated: 2026-02-20
---
# ADR-0002: B
//- .heirloom/archive/.heirloom/adrs/ADR-0007-gone.md
# ADR-0007: Gone
";

const TWO_PLANS: &str = "\
//- .heirloom/workspace.md
---
updated: 2026-02-20
---
The next is [Y](../plans/0007-y/0007-y-plan.md); plan 7 is unclear.
//- plans/0007-x/plan.md
---
title: X
updated: 2026-02-20
depends_on: [0007-y]
---
//- plans/0007-y/0007-y-plan.md
---
title: Y
updated: 2026-02-20
---
# Plan 0007: Y

![picture](picture.png), [task](agents/000-t.md) and [itself](../0007-y/0007-y-plan.md)
//- plans/0007-y/agents/000-t.md
---
title: T
plan: 0007-y
updated: 2026-02-20
---
//- plans/0007-y/plan.memory.md
---
updated: 2026-02-20
---
//- plans/0008-z/plan.md
---
title: Z
updated: 2026-02-20
depends_on: [7, 0007-y]
---
After `0007-y` and [[0007-y#goals]], not 0007-yes.
";

fn of_kind<'v>(found: &'v Value, kind: &str) -> Vec<&'v Value> {
    let all = found["conflicts"].as_array().unwrap();
    all.iter().filter(|conflict| conflict["kind"] == kind).collect()
}

#[test]
fn two_records_with_one_number_are_reported_with_the_command_to_renumber_one() {
    let workspace = Workspace::with(HEIR, TWO_BRANCHES);
    let found = workspace.json("context conflicts");
    let duplicates = of_kind(&found, "duplicate_number");
    assert_eq!(duplicates.len(), 1, "{found:#}");
    assert_eq!(
        (&duplicates[0]["severity"], &duplicates[0]["path"], &duplicates[0]["hint"]),
        (
            &json!("critical"),
            &json!(".heirloom/adrs/ADR-0001-z.md"),
            &json!(
                "run `heir adr renumber .heirloom/adrs/ADR-0001-z.md`, which renames it to ADR-0008-z and updates all references"
            )
        )
    );
}

/// Numbers are unique per folder: each project and each folder in the settings has its own.
#[test]
fn the_same_number_in_two_folders_is_not_a_duplicate() {
    let record = "---\nstatus: accepted\nupdated: 2026-02-20\n---\n# T\n";
    let workspace =
        Workspace::with(HEIR, "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs/adr\"]\n");
    for path in [
        ".heirloom/adrs/ADR-0001-a.md",
        ".heirloom/projects/p/adrs/ADR-0001-b.md",
        "docs/adr/0001-c.md",
        "docs/adr/0001-c.fr.md",
        "docs/adr/sub/0001-d.md",
        "docs/adr/RFC-0001-e.md",
    ] {
        workspace.write(path, record);
    }
    workspace.write("plans/0001-a/plan.md", "---\nupdated: 2026-02-20\n---\n");
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
    workspace.write("docs/adr/0001-other.md", record);
    assert_eq!(of_kind(&workspace.json("context conflicts"), "duplicate_number").len(), 1);
}

#[test]
fn renumbering_a_record_rewrites_unambiguous_references() {
    let workspace = Workspace::with(HEIR, TWO_BRANCHES);
    let files = || {
        workspace
            .files(".heirloom")
            .into_iter()
            .filter(|path| !path.contains("/local/") && !path.contains("/cache/"))
            .map(|path| (path.clone(), workspace.read(&path)))
            .collect::<Vec<_>>()
    };
    let before = files();
    let dry = workspace.json("adr renumber ADR-0001-z --dry-run");
    assert_eq!(files(), before, "a dry run changes nothing");
    let done = workspace.json("adr renumber ADR-0001-z");
    assert_eq!(done["edited"], dry["edited"]);
    assert_eq!(
        done["edited"],
        json!([
            {"path": ".heirloom/workspace.md", "replaced": 2},
            {"path": ".heirloom/adrs/ADR-0001-z.md", "replaced": 2},
            {"path": ".heirloom/adrs/ADR-0002-b.md", "replaced": 1},
        ])
    );
    assert_eq!(
        done["left_alone"],
        json!([{"path": ".heirloom/workspace.md", "line": 5, "written": "ADR-0001"}])
    );
    assert!(!workspace.has(".heirloom/adrs/ADR-0001-z.md"));
    assert_eq!(
        workspace.read(".heirloom/adrs/ADR-0008-z.md"),
        "---\nid: ADR-0008\ntitle: Z\nstatus: accepted\nsupersedes: [ADR-0002]\nupdated: 2026-02-20\n---\n# ADR-0008: Z\n"
    );
    assert_eq!(
        workspace.read(".heirloom/workspace.md"),
        "---\nupdated: 2026-02-20\n---\nSee [Z](adrs/ADR-0008-z.md#why), [[ADR-0008-z|it]] and [ADR-0001](adrs/ADR-0001-a.md).\nBy number it is unclear: ADR-0001.\n"
    );
    assert_eq!(
        workspace.read(".heirloom/adrs/ADR-0002-b.md"),
        "---\ntitle: B\nstatus: superseded\nsuperseded_by: ADR-0008-z.md\nupdated: 2026-02-20\n---\n# ADR-0002: B\n"
    );
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
}

#[test]
fn relations_follow_a_renumbered_record() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.heir("adr new First --status accepted").ok();
    workspace.heir("plan new Some").ok();
    workspace.heir("memory connect ADR-0001 0001-some enables").ok();
    let done = workspace.json("adr renumber 1 5");
    assert_eq!(done["relations"], json!(1));
    let graph = workspace.json("graph show ADR-0005");
    assert!(
        graph["edges"]
            .as_array()
            .unwrap()
            .contains(&json!({"from": "adr/ADR-0005", "to": "plan/0001-some", "type": "ENABLES"})),
        "{graph:#}"
    );
}

#[test]
fn two_plans_with_one_number_are_reported_and_renumbered() {
    let workspace = Workspace::with(HEIR, TWO_PLANS);
    workspace.write("plans/0007-y/picture.png", [0xff_u8, 0, 1]);
    let found = workspace.json("context conflicts");
    assert_eq!(
        of_kind(&found, "duplicate_number")[0]["hint"],
        "run `heir plan renumber 0007-y`, which renames it to 0009-y and updates all references"
    );
    let done = workspace.json("plan renumber 0007-y");
    assert_eq!(
        done["left_alone"],
        json!([
            {"path": ".heirloom/workspace.md", "line": 4, "written": "plan 7"},
            {"path": "plans/0008-z/plan.md", "line": 4, "written": "7"},
        ])
    );
    assert!(!workspace.has("plans/0007-y"));
    assert_eq!(workspace.bytes("plans/0009-y/picture.png"), [0xff, 0, 1]);
    assert_eq!(
        workspace.read("plans/0009-y/0009-y-plan.md"),
        "---\ntitle: Y\nupdated: 2026-02-20\n---\n# Plan 0009: Y\n\n![picture](picture.png), [task](agents/000-t.md) and [itself](../0009-y/0009-y-plan.md)\n"
    );
    assert!(workspace.read("plans/0008-z/plan.md").ends_with(
        "depends_on: [7, 0009-y]\n---\nAfter `0009-y` and [[0009-y#goals]], not 0007-yes.\n"
    ));
    assert_eq!(workspace.json("context resolve 9 0")["selectors"]["plan"], "0009-y");
    assert_eq!(
        of_kind(&workspace.json("context conflicts"), "duplicate_number"),
        [] as [&Value; 0]
    );
}

/// The next command completes the change of a process that died at any time after it wrote the journal.
#[test]
fn an_interrupted_renumbering_is_completed() {
    for renames_made in 0..=2 {
        let workspace = Workspace::with(HEIR, TWO_PLANS);
        let root = workspace.path().canonicalize().unwrap();
        let before = blake3::hash(&workspace.bytes("plans/0007-y/0007-y-plan.md")).to_hex();
        let steps = [
            ("plans/0007-y/0007-y-plan.md", "plans/0007-y/0009-y-plan.md"),
            ("plans/0007-y", "plans/0009-y"),
        ];
        workspace.write("plans/0007-y/.0007-y-plan.md.heir-new", "# Renumbered\n");
        for (from, to) in &steps[..renames_made] {
            std::fs::rename(root.join(from), root.join(to)).unwrap();
        }
        let renames: Vec<Value> =
            steps.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
        let moves = json!([{
            "from": "plans/0009-y/.0007-y-plan.md.heir-new",
            "to": "plans/0009-y/0009-y-plan.md",
            "before": before.as_str(),
        }]);
        let journal = json!({"root": root, "renames": renames, "moves": moves, "appends": []});
        workspace.write(".heirloom/local/journal.json", journal.to_string());
        workspace.heir("plan list").ok();
        assert_eq!(workspace.read("plans/0009-y/0009-y-plan.md"), "# Renumbered\n");
        assert!(workspace.has("plans/0009-y/agents/000-t.md") && !workspace.has("plans/0007-y"));
        assert!(!workspace.has(".heirloom/local/journal.json"), "{renames_made}");
    }
}
