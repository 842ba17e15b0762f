//! Decision records: the status machine, supersession on both sides, history.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "tests set up real files")]

use heirloom_testkit::Workspace;
use serde_json::json;
use snapbox::{assert_data_eq, str};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

fn chain() -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\n---\n# W\n\n- ADR-0003: the old way\n",
    );
    for (id, status) in
        [("0001", "superseded"), ("0003", "superseded"), ("0005", "accepted"), ("0010", "accepted")]
    {
        workspace.write(&format!(".heirloom/adrs/ADR-{id}-x.md"), format!("---\ntitle: T{id}\nstatus: {status} # s\nsupersedes: []\nsuperseded_by: null\nupdated: 2026-02-20\n---\n# T\n"));
    }
    workspace.write(
        ".heirloom/adrs/ADR-0001-x.md",
        "---\nstatus: superseded\nsuperseded_by: ADR-0003\n---\n",
    );
    workspace.write(
        ".heirloom/adrs/ADR-0003-x.md",
        "---\nstatus: superseded\nsuperseded_by: ADR-0005\n---\n",
    );
    workspace
}

#[test]
fn superseding_has_its_five_effects() {
    let workspace = chain();
    let shown = workspace.heir("adr supersede ADR-0005 ADR-0010").ok();
    assert_data_eq!(
        shown,
        str![[r#"
ADR-0010 supersedes ADR-0005
  edited .heirloom/adrs/ADR-0005-x.md
  edited .heirloom/adrs/ADR-0010-x.md

"#]]
    );
    assert_eq!(
        workspace.read(".heirloom/adrs/ADR-0005-x.md"),
        "---\ntitle: T0005\nstatus: superseded # s\nsupersedes: []\nsuperseded_by: ADR-0010\nupdated: 2026-02-20\n---\n# T\n"
    );
    assert_eq!(
        workspace.read(".heirloom/adrs/ADR-0010-x.md"),
        "---\ntitle: T0010\nstatus: accepted # s\nsupersedes: [ADR-0005]\nsuperseded_by: null\nupdated: 2026-02-20\n---\n# T\n"
    );
    let graph = workspace.json("graph show ADR-0010");
    assert!(
        graph["edges"]
            .as_array()
            .unwrap()
            .contains(&json!({"from": "adr/ADR-0010", "to": "adr/ADR-0005", "type": "SUPERSEDES"})),
        "{graph:#}"
    );
}

#[test]
fn what_still_refers_to_the_old_one_is_listed() {
    let workspace = chain();
    workspace.write("plans/0001-a/plan.md", "---\nupdated: 2026-02-20\n---\nAs [decided](../../.heirloom/adrs/ADR-0005-x.md), and ADR-5 again.\n");
    let superseded = workspace.json("adr supersede 5 10");
    assert_eq!(
        superseded["still_referred_to_by"],
        json!([{"path": "plans/0001-a/plan.md", "line": 4}])
    );
}

#[test]
fn history_is_a_chain() {
    let workspace = chain();
    workspace.heir("adr supersede ADR-0005 ADR-0010").ok();
    let expected = "ADR-0010 (current)\n  ↑ supersedes ADR-0005\n      ↑ supersedes ADR-0003\n          ↑ supersedes ADR-0001\n";
    assert_eq!(workspace.heir("adr history ADR-0010").ok(), expected);
    assert_eq!(workspace.heir("adr history ADR-0001").ok(), expected);
    workspace.write(
        ".heirloom/adrs/ADR-0011-y.md",
        "---\nstatus: accepted\nsupersedes: [ADR-0005, ADR-0012]\n---\n",
    );
    workspace.write(".heirloom/adrs/ADR-0012-z.md", "---\nstatus: superseded\n---\n");
    assert_data_eq!(
        workspace.heir("adr history 5").ok(),
        str![[r#"
ADR-0010 (current)
  ↑ supersedes ADR-0005
      ↑ supersedes ADR-0003
          ↑ supersedes ADR-0001
ADR-0011 (current)
  ↑ supersedes ADR-0005
      ↑ supersedes ADR-0003
          ↑ supersedes ADR-0001
  ↑ supersedes ADR-0012

"#]]
    );
}

#[test]
fn a_circle_and_a_missing_record_are_refused() {
    let workspace = chain();
    workspace.heir("adr supersede ADR-0005 ADR-0010").ok();
    assert!(workspace.heir("adr supersede ADR-0010 ADR-0001").failed(2).contains("circle"));
    assert!(workspace.heir("adr supersede ADR-0010 ADR-0010").failed(2).contains("itself"));
    assert!(workspace.heir("adr supersede ADR-0010 ADR-0099").failed(2).contains("candidates"));
    let before = (
        workspace.read(".heirloom/adrs/ADR-0005-x.md"),
        workspace.read(".heirloom/adrs/ADR-0010-x.md"),
    );
    assert!(workspace.heir("adr supersede ADR-0005 ADR-0010").ok().contains("nothing was edited"));
    assert_eq!(
        before,
        (
            workspace.read(".heirloom/adrs/ADR-0005-x.md"),
            workspace.read(".heirloom/adrs/ADR-0010-x.md")
        )
    );
}

#[test]
fn the_status_machine() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.run(&["adr", "new", "A thing"]).ok();
    assert!(
        workspace
            .heir("adr status 1 deprecated")
            .failed(2)
            .contains("it may become accepted or rejected")
    );
    for status in ["accepted", "deprecated", "superseded"] {
        workspace.heir(&format!("adr status ADR-0001 {status}")).ok();
    }
    assert!(
        workspace
            .heir("adr status 1 accepted")
            .failed(2)
            .contains("superseded and cannot become accepted")
    );
    assert_eq!(workspace.json("adr status 1")["status"], "superseded");
    assert_eq!(workspace.heir("adr status 1 bogus").code, 2);
}

#[test]
fn both_files_change_or_neither() {
    let workspace = chain();
    workspace.write(
        ".heirloom/adrs/ADR-0010-x.md",
        "---\nstatus: accepted\nsupersedes: &a [ADR-0007]\nother: *a\n---\n",
    );
    let before = (
        workspace.read(".heirloom/adrs/ADR-0005-x.md"),
        workspace.read(".heirloom/adrs/ADR-0010-x.md"),
    );
    let refused = workspace.heir("adr supersede ADR-0005 ADR-0010").failed(2);
    assert!(refused.contains("ADR-0010-x.md:3") && refused.contains("anchor"), "{refused}");
    assert_eq!(
        before,
        (
            workspace.read(".heirloom/adrs/ADR-0005-x.md"),
            workspace.read(".heirloom/adrs/ADR-0010-x.md")
        )
    );
}

/// A process that dies after the journal is written and before the files are renamed is finished
/// by the next command.
#[test]
fn an_unfinished_change_is_finished() {
    let workspace = chain();
    let (old, new) = (".heirloom/adrs/ADR-0005-x.md", ".heirloom/adrs/ADR-0010-x.md");
    let draft = |path: &str| path.replace("ADR-", "draft-ADR-");
    let moves: Vec<_> = [old, new]
        .iter()
        .map(|path| {
            let text = workspace.read(path).replace("title: T", "title: N");
            workspace.write(&draft(path), text);
            std::fs::remove_file(workspace.path().join(path)).unwrap();
            json!({"from": draft(path), "to": path, "before": "absent"})
        })
        .collect();
    let root = workspace.path().canonicalize().unwrap();
    let journal = json!({"root": root, "moves": moves, "appends": []});
    workspace.write(".heirloom/local/journal.json", journal.to_string());
    workspace.heir("adr list").ok();
    assert!(
        workspace.read(old).contains("title: N0005")
            && workspace.read(new).contains("title: N0010")
    );
    assert!(!workspace.has(".heirloom/local/journal.json"));
}

#[test]
fn a_record_of_another_folder_is_superseded_and_no_other() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    workspace.heir("project new p").ok();
    for (title, project) in [("W1", ""), ("W2", ""), ("P1", "--project p"), ("P2", "--project p")] {
        workspace.heir(&format!("adr new {title} --status accepted {project}")).ok();
    }
    workspace.heir("adr supersede adr/ADR-0001 adr/p/ADR-0002").ok();
    let listed = workspace.json("adr list");
    let by_title = |title: &str| {
        listed["adrs"].as_array().unwrap().iter().find(|adr| adr["title"] == title).unwrap().clone()
    };
    assert_eq!(
        (&by_title("W1")["status"], &by_title("P1")["status"], &by_title("W2")["superseded_by"]),
        (&json!("superseded"), &json!("accepted"), &json!([]))
    );
    assert_eq!(by_title("P2")["supersedes"], json!(["ADR-0001"]));
    let graph = workspace.json("graph show adr/p/ADR-0002");
    assert!(
        graph["edges"].as_array().unwrap().contains(
            &json!({"from": "adr/p/ADR-0002", "to": "adr/ADR-0001", "type": "SUPERSEDES"})
        ),
        "{graph:#}"
    );
    workspace.heir("adr supersede adr/ADR-0002 adr/p/ADR-0001").ok();
    workspace.heir("context validate").ok();
}

#[test]
fn records_with_odd_titles_are_records() {
    let workspace = Workspace::empty(HEIR);
    workspace.heir("init").ok();
    for title in ["Use the new template", "XXX marks", "2026 goals"] {
        workspace.run(&["adr", "new", title]).ok();
    }
    assert_eq!(workspace.json("adr list")["adrs"].as_array().unwrap().len(), 3);
}

#[test]
fn overlapping_folders_count_a_record_once() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs\", \"docs/adr\"]\n//- docs/adr/0001-a.md\n# A\n\nStatus: Accepted\n",
    );
    assert_eq!(workspace.json("adr list")["adrs"].as_array().unwrap().len(), 1);
    assert!(workspace.heir("adr new B").ok().contains("ADR-0002"));
}

fn stated_on_one_side(old: &str, new: &str) -> Workspace {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/workspace.md\n---\nupdated: 2026-02-20\n---\nAs ADR-0001 says.\n",
    );
    for (number, front) in [("0001", old), ("0002", new)] {
        workspace.write(
            &format!(".heirloom/adrs/ADR-{number}-x.md"),
            format!("---\n{front}updated: 2026-02-20\n---\n# T\n"),
        );
    }
    workspace
}

/// The old record reads "accepted" and is not in force, which its own text does not show.
#[test]
fn a_supersession_that_only_the_new_record_states_is_reported_and_mended() {
    let workspace = stated_on_one_side(
        "status: accepted\nsuperseded_by: null\n",
        "status: accepted\nsupersedes: [ADR-0001]\n",
    );
    let ran = workspace.heir("context validate");
    let (code, validated) = (ran.code, ran.stdout);
    assert_eq!(code, 1, "a reference to a superseded decision is critical: {validated}");
    for line in [
        "⚠️ ONE SIDED SUPERSESSION: ADR-0002 supersedes ADR-0001, which still says that it is accepted",
        "   .heirloom/adrs/ADR-0001-x.md:2  warning · run `heir adr supersede ADR-0001 ADR-0002`",
        "ORPHAN REFERENCE: refers to ADR-0001, which is superseded by ADR-0002",
    ] {
        assert!(validated.contains(line), "{line}\n---\n{validated}");
    }
    assert!(workspace.heir("context resolve").ok().contains("ONE SIDED SUPERSESSION"));
    let shown = workspace.heir("adr supersede ADR-0001 ADR-0002").ok();
    assert!(shown.contains("edited .heirloom/adrs/ADR-0001-x.md"), "{shown}");
    assert!(!shown.contains("edited .heirloom/adrs/ADR-0002-x.md"), "{shown}");
    assert_eq!(
        workspace.read(".heirloom/adrs/ADR-0001-x.md"),
        "---\nstatus: superseded\nsuperseded_by: ADR-0002\nupdated: 2026-02-20\n---\n# T\n"
    );
    workspace.write(".heirloom/workspace.md", "---\nupdated: 2026-02-20\n---\n");
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
}

#[test]
fn a_supersession_that_only_the_old_record_states_is_information() {
    let workspace =
        stated_on_one_side("status: superseded\nsuperseded_by: ADR-0002\n", "status: accepted\n");
    workspace.write(".heirloom/workspace.md", "---\nupdated: 2026-02-20\n---\n");
    let validated = workspace.heir("context validate").ok();
    assert!(
        validated.contains(".heirloom/adrs/ADR-0002-x.md:2  information")
            && validated.contains("1 conflict, 0 critical"),
        "{validated}"
    );
    assert!(!workspace.heir("context resolve").ok().contains("ONE SIDED"));
    let shown = workspace.heir("adr supersede 1 2").ok();
    assert!(shown.contains("edited .heirloom/adrs/ADR-0002-x.md"), "{shown}");
    assert!(workspace.read(".heirloom/adrs/ADR-0002-x.md").contains("supersedes: [ADR-0001]"));
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
}

/// `superseded_by` alone does not change what the status says.
#[test]
fn a_successor_beside_an_accepted_status_is_reported_and_mended() {
    let workspace = stated_on_one_side(
        "status: accepted\nsuperseded_by: ADR-0002\n",
        "status: accepted\nsupersedes: [ADR-0001]\n",
    );
    let conflicts = workspace.heir("context conflicts").ok();
    assert!(conflicts.contains("which names it and still says that it is accepted"), "{conflicts}");
    workspace.heir("adr supersede 1 2").ok();
    assert!(workspace.read(".heirloom/adrs/ADR-0001-x.md").contains("status: superseded\n"));
}

#[test]
fn a_proposal_supersedes_nothing_yet() {
    let workspace =
        stated_on_one_side("status: accepted\n", "status: proposed\nsupersedes: [ADR-0001]\n");
    assert_eq!(workspace.heir("context validate").ok(), "no conflicts\n");
}

/// A chain longer than a thread's stack would hold.
#[test]
fn a_very_long_chain_has_a_history() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/config.toml\n");
    for number in 1..=3000 {
        let by = if number < 3000 {
            format!("superseded_by: ADR-{:04}\nstatus: superseded", number + 1)
        } else {
            "status: accepted".to_owned()
        };
        workspace.write(
            &format!(".heirloom/adrs/ADR-{number:04}-x.md"),
            format!("---\nupdated: 2026-02-20\n{by}\n---\n"),
        );
    }
    assert_eq!(workspace.heir("adr history 1").ok().lines().count(), 3000);
}

fn adopted(records: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::empty(HEIR);
    for (path, text) in records {
        workspace.write(path, text);
    }
    workspace.heir("adopt").ok();
    workspace
}

const ADR_TOOLS: &str = "# 18. Old way\n\nDate: 2020-05-04\n\n## Status\n\nAccepted\n\n## Context\n\nLong.\n\n## Decision\n\nDone.\n\n## Consequences\n\nMany.\n";

#[test]
fn a_new_record_looks_like_its_adopted_neighbours() {
    let workspace = adopted(&[
        ("docs/decisions/0017-older.md", &ADR_TOOLS.replace("18", "17")),
        ("docs/decisions/0018-old-way.md", ADR_TOOLS),
    ]);
    let created = workspace.json("adr new Rust");
    assert_eq!(created["path"], "docs/decisions/0019-rust.md");
    assert_eq!(created["name"], "ADR-0019");
    assert_eq!(
        workspace.read("docs/decisions/0019-rust.md"),
        "# 19. Rust\n\nDate: 2026-02-22\n\n## Status\n\nProposed\n\n## Context\n\nWhat made a decision necessary.\n\n## Decision\n\nWhat was decided.\n\n## Consequences\n\nWhat becomes easier, and what harder.\n"
    );
    workspace.heir("adr status 19 accepted").ok();
    assert!(workspace.read("docs/decisions/0019-rust.md").contains("\nAccepted\n"));
    let created = workspace.json("adr new Again --folder .heirloom/adrs");
    assert_eq!(created["path"], ".heirloom/adrs/ADR-0020-again.md");
    // The workspace has records of its own now.
    assert_eq!(workspace.json("adr new More")["path"], ".heirloom/adrs/ADR-0021-more.md");
    let created = workspace.json("adr new Last --folder docs/decisions/");
    assert_eq!(created["path"], "docs/decisions/0022-last.md");
    let refused = workspace.heir("adr new Elsewhere --folder src").failed(2);
    assert!(refused.contains("heir adopt src"), "{refused}");
}

#[test]
fn a_template_beside_the_records_is_used() {
    let workspace = adopted(&[
        (
            "docs/adr/ADR-001_first_one.md",
            "---\nstatus: Accepted\ndate: 04.05.2020\n---\n# ADR-001: First one\n",
        ),
        (
            "docs/adr/templates/adr-template.md",
            "---\nstatus: \"{proposed | accepted}\"\ndate: {when}\n---\n\n# {title}\n\n## Why\n\n{Say why.}\n",
        ),
    ]);
    let created = workspace.json("adr new Rust --status accepted");
    assert_eq!(created["path"], "docs/adr/ADR-002_rust.md");
    assert_eq!(
        workspace.read("docs/adr/ADR-002_rust.md"),
        "---\nstatus: \"accepted\"\ndate: 2026-02-22\n---\n\n# ADR-002: Rust\n\n## Why\n\n{Say why.}\n"
    );
    assert_eq!(workspace.json("adr list --in-force")["adrs"].as_array().unwrap().len(), 2);
}

#[test]
fn folders_that_number_for_themselves_go_on_doing_so() {
    let workspace = adopted(&[
        ("docs/adr/0001-a.md", ADR_TOOLS),
        ("docs/adr/0002-b.md", ADR_TOOLS),
        ("docs/adr/0003-c.md", ADR_TOOLS),
        ("doc/adr/0001-d.md", ADR_TOOLS),
    ]);
    assert_eq!(workspace.json("adr new X --folder doc/adr")["path"], "doc/adr/0002-x.md");
    assert_eq!(workspace.json("adr new Y")["path"], "docs/adr/0004-y.md");
}

#[test]
fn records_that_state_no_status_are_named() {
    let workspace = adopted(&[
        ("docs/adr/0001-a.md", "# A\n\nWe do a.\n"),
        ("docs/adr/0002-b.md", "# B\n\nWe do b.\n"),
        ("docs/adr/0003-c.md", "# C\n\n## Status\n\nAccepted\n"),
    ]);
    let sentence = "2 decision records state no status that is known, so they are not counted as in force: ADR-0001, ADR-0002";
    for command in ["adr list", "context resolve"] {
        let shown = workspace.heir(command).ok();
        assert!(shown.contains(sentence), "{shown}");
    }
    let ids = json!(["ADR-0001", "ADR-0002"]);
    assert_eq!(workspace.json("adr list")["without_status"], ids);
    assert_eq!(workspace.json("context resolve")["decisions_without_status"], ids);
}

/// The enhancement proposals of Kubernetes: `keps/sig-node/1729-images/README.md` and `kep.yaml`.
#[test]
fn a_record_may_be_a_folder_with_its_fields_beside_it() {
    let workspace = Workspace::with(
        HEIR,
        "//- keps/sig-node/1729-images/README.md\n# KEP-1729: Rebase images\n\nQuokkas need less.\n\n## Status\n\nMet in v1.33\n\
         //- keps/sig-node/1729-images/kep.yaml\ntitle: Rebase images\nstatus: implementable\ncreation-date: 2019-03-16\nreplaces:\n  - /keps/sig-node/583-pods\n\
         //- keps/sig-node/583-pods/README.md\n# KEP-583: Pods\n\nText.\n\
         //- keps/sig-node/583-pods/kep.yaml\ntitle: Pods\nstatus: implemented\n\
         //- keps/sig-node/583-pods/FAQ.md\n# Questions\n\
         //- pkg/testdata/keps/1-x/README.md\n# KEP-1: X\n",
    );
    let adopted = workspace.heir("adopt").ok();
    assert!(adopted.contains("called `keps`; 2 numbered records"), "{adopted}");
    assert!(!adopted.contains("testdata"), "{adopted}");
    let listed = workspace.json("adr list");
    let listed = |at: usize, key: &str| listed["adrs"][at][key].clone();
    assert_eq!((listed(0, "id"), listed(0, "status")), ("KEP-1729".into(), "accepted".into()));
    assert_eq!((listed(0, "in_force"), listed(1, "in_force")), (true.into(), false.into()));
    assert_eq!(listed(1, "superseded_by"), serde_json::json!(["KEP-1729"]));
    assert_eq!(listed(2, "id"), serde_json::Value::Null, "a file of a record is no record");
    let recalled = |query: &str| workspace.json(&format!("recall {query}"))["hits"].to_string();
    assert!(recalled("quokkas").contains("KEP-1729"));
    // What changes beside the text changes what is known of the record.
    let beside = "keps/sig-node/1729-images/kep.yaml";
    workspace.write(beside, "title: Rebase images\nstatus: withdrawn (again)\n");
    assert_eq!(workspace.json("adr list")["adrs"][0]["status"], "withdrawn");
    for command in ["adr status KEP-1729 proposed", "adr renumber 1729", "adr supersede 583 1729"] {
        let ran = workspace.heir(command);
        assert!(ran.code != 0 && ran.stderr.contains("kep.yaml states its status"), "{command}");
    }
    assert_eq!(workspace.run(&["adr", "new", "Another thing"]).code, 0);
    assert_eq!(workspace.files(".heirloom/adrs").len(), 1);
    workspace.write(beside, "title: x\nstatus: [unclosed\n");
    assert!(workspace.heir("adr list").stdout.contains("1729-images/kep.yaml:"));
}

#[test]
fn a_decision_that_was_replaced_by_hand_takes_its_fact_along() {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# W\n");
    workspace.run(&["adr", "new", "Use quokkas", "--status", "accepted"]).ok();
    workspace.run(&["adr", "new", "Use numbats", "--status", "accepted"]).ok();
    let found = || workspace.json("recall quokkas")["hits"].to_string();
    assert!(found().contains("\"kind\":\"fact\""), "{}", found());
    let path = ".heirloom/adrs/ADR-0002-use-numbats.md";
    let text = workspace.read(path);
    let supersedes = text.lines().find(|line| line.starts_with("supersedes:")).unwrap();
    workspace.write(path, text.replace(supersedes, "supersedes: [ADR-0001]"));
    let ingested = workspace.heir("memory ingest").ok();
    let said = "the fact of ADR-0001 is archived: superseded by ADR-0002";
    assert!(ingested.contains(said), "{ingested}");
    assert!(!found().contains("ADR-0001"), "{}", found());
    assert!(!workspace.heir("memory ingest").ok().contains("archived"));
}

#[test]
fn recall_tells_the_status_of_a_decision() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/adrs/ADR-0001-x.md\n# Try quokkas\n\nDate: 2022-05-27\n\n## Status\n\nRejected\n\n## Context\n\nQuokkas are small.\n",
    );
    let recalled = workspace.heir("recall quokkas").ok();
    assert!(recalled.contains("adr, rejected · "), "{recalled}");
    let hits = workspace.json("recall quokkas")["hits"].clone();
    assert_eq!(
        hits.as_array().map(Vec::len),
        Some(1),
        "status and date alone are no hits: {hits:#}"
    );
    assert_eq!(hits[0]["status"], "rejected");
}

/// A folder by year or by version is no record, and neither is what lies beside records that are
/// folders.
#[test]
fn a_numbered_folder_is_a_record_only_with_its_fields_beside_it() {
    let workspace = Workspace::with(
        HEIR,
        "//- .heirloom/config.toml\n[adrs]\nfolders = [\"docs/adr\", \"keps\"]\n\
         //- docs/adr/2024/README.md\n# The year\n//- docs/adr/2024/0001-x.md\n---\nstatus: accepted\n---\n# X\n\
         //- docs/adr/v2/README.md\n# Two\n//- docs/adr/v2/0007-y.md\n---\nstatus: accepted\n---\n# Y\n\
         //- docs/adr/20201016-z.md\n---\nstatus: accepted\n---\n# Z\n\
         //- keps/1-a/README.md\n# A\n\nAs [the index](../../README.md) says.\n//- keps/1-a/kep.yaml\nstatus: implemented\n\
         //- keps/1-b/README.md\n# B\n//- keps/1-b/kep.yaml\nstatus: implemented\nsuperseded-by:\n  - /keps/2-c\n\
         //- keps/2-c/README.md\n# C\n//- keps/2-c/kep.yaml\nstatus: implemented\n//- keps/FAQ.md\n# Questions\n",
    );
    let listed = workspace.json("adr list");
    let ids: Vec<&str> =
        listed["adrs"].as_array().unwrap().iter().filter_map(|adr| adr["id"].as_str()).collect();
    assert_eq!(ids, ["20201016-z", "ADR-0001", "ADR-0007", "KEP-1", "KEP-1", "KEP-2"]);
    let validated = workspace.heir("context validate");
    for line in [
        "it has the number KEP-1, and so has keps/1-a/README.md",
        "keps/1-b/kep.yaml:1  warning · write `status: replaced` and `superseded-by` into keps/1-b/kep.yaml",
    ] {
        assert!(validated.stdout.contains(line), "{line}\n---\n{}", validated.stdout);
    }
    let refused = workspace.heir("context archive KEP-2").failed(2);
    assert!(refused.contains("KEP-2 is a folder"), "{refused}");
    workspace.run(&["adr", "new", "Thing", "--folder", "keps"]).ok();
    assert_eq!(workspace.json("adr list")["adrs"].as_array().unwrap().len(), 7);
}
