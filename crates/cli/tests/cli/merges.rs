//! Merges converge: git merges any changes of memory without a conflict, in either direction to the
//! same state, and no record, resolution or archival of either branch is lost.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_testkit::{CommandOutput, SeededRng, TEAM, Workspace, is_long_run};
use serde_json::{Value, json};

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";
const PLAN: &str = "plans/0042-graph/plan.memory.md";

/// Creates a repository with a team's workspace, set up by `heir init`.
pub(crate) fn team() -> Workspace {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.heir("init").ok();
    workspace.commit_all("2026-02-21T00:00:00Z");
    workspace
}

/// Clones a workspace and creates a branch in the clone.
fn branch(origin: &Workspace, name: &str) -> Workspace {
    let clone = origin.clone_repository();
    clone.git(&["checkout", "--quiet", "-b", name]);
    clone
}

/// Merges the branch of one clone into that of another. Panics on a conflict.
fn merge(into: &Workspace, from: &Workspace) {
    into.git(&["fetch", "--quiet", &from.path().to_string_lossy(), "HEAD"]);
    into.git(&["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
}

/// Runs each function on a branch of its own, and returns both merges of the branches.
pub(crate) fn merge_both_ways(
    origin: &Workspace,
    left: impl FnOnce(&Workspace),
    right: impl FnOnce(&Workspace),
) -> [Workspace; 2] {
    let (a, b) = (branch(origin, "left"), branch(origin, "right"));
    left(&a);
    right(&b);
    a.commit_all("2026-02-22T00:00:00Z");
    b.commit_all("2026-02-22T00:00:00Z");
    let before = b.clone_repository();
    merge(&b, &a);
    merge(&a, &before);
    [a, b]
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The entries of a memory document: kind, text without the resolution, whether it is resolved, and
/// standing.
type Entries = BTreeSet<(String, String, bool, String)>;

fn entries(workspace: &Workspace, owner: &str) -> Entries {
    let shown = workspace.json(&format!("memory show {owner}"));
    assert_eq!(list(&shown["problems"]).count(), 0, "{:#}", shown["problems"]);
    let all: Vec<_> = list(&shown["entries"])
        .map(|entry| {
            let text = string(&entry["text"]);
            let words = text.split(" — ").next().unwrap().to_owned();
            let resolved = entry["resolved"].as_bool().unwrap();
            (string(&entry["type"]), words, resolved, string(&entry["standing"]))
        })
        .collect();
    let set: Entries = all.iter().cloned().collect();
    assert_eq!(set.len(), all.len(), "a duplicate entry: {all:#?}");
    set
}

/// Returns the contents of memory without locations and without pins, which belong to one machine.
fn state(workspace: &Workspace) -> Value {
    let facts: BTreeMap<String, Value> = list(&workspace.json("fact list --all")["hits"])
        .map(|fact| {
            let keys = ["text", "section", "standing", "replaced_by", "tags", "reinforced"];
            let values: Vec<&Value> = keys.iter().map(|key| &fact[key]).collect();
            (string(&fact["id"]), json!(values))
        })
        .collect();
    let notes: BTreeMap<String, Value> = list(&workspace.json("notes --all")["hits"])
        .map(|note| (string(&note["id"]), json!([note["text"], note["resolved"]])))
        .collect();
    let mut stats = workspace.json("stats");
    stats.as_object_mut().unwrap().remove("pins");
    json!({
        "facts": facts,
        "notes": notes,
        "agent": entries(workspace, "0042 001"),
        "plan": entries(workspace, "0042 --plan"),
        "stats": stats,
    })
}

/// Returns the texts of the memory documents, for failure messages.
fn documents(workspace: &Workspace) -> String {
    let existing = [AGENT, PLAN].into_iter().filter(|path| workspace.has(path));
    existing.map(|path| workspace.read(path)).collect()
}

/// Returns the standing, by id, of each fact that only one branch can have stored. Facts with common
/// texts are left out, since they stay active until both branches archive them.
fn standings(workspace: &Workspace) -> BTreeMap<String, String> {
    list(&workspace.json("fact list --all")["hits"])
        .filter(|fact| !string(&fact["text"]).starts_with(COMMON_PREFIX))
        .map(|fact| (string(&fact["id"]), string(&fact["standing"])))
        .collect()
}

/// Duplicates some lines of every shard and shuffles all lines.
fn shuffle_lines(workspace: &Workspace, chance: &mut SeededRng) {
    for shard in workspace.files(".heirloom/memory") {
        let text = workspace.read(&shard);
        let mut lines: Vec<&str> = text.lines().collect();
        for _ in 0..chance.below(lines.len() + 1) {
            lines.push(lines[chance.below(lines.len())]);
        }
        chance.shuffle(&mut lines);
        workspace.write(&shard, format!("{}\n", lines.join("\n")));
    }
}

/// Prefix of the texts that both branches may store.
const COMMON_PREFIX: &str = "Common knowledge";

/// Runs random commands on a branch.
struct RandomWriter<'w> {
    workspace: &'w Workspace,
    chance: SeededRng,
    name: &'static str,
    commands: usize,
}

impl RandomWriter<'_> {
    fn run_random(&mut self, times: usize) {
        for _ in 0..times {
            self.commands += 1;
            self.run_random_command();
        }
    }

    /// Returns a text that is mostly unique to the branch, and sometimes common to both.
    fn text(&mut self) -> String {
        match self.chance.below(5) {
            0 => format!("{COMMON_PREFIX} {}.", self.chance.below(3)),
            _ => format!("Number {} of the {} branch.", self.commands, self.name),
        }
    }

    /// Runs a command on a random day. The command may reject the random target.
    fn run(&mut self, arguments: &[&str]) {
        let day = format!("2026-02-{}T00:00:00Z", 16 + self.chance.below(6));
        let CommandOutput { code, stderr, .. } = self.workspace.run_at(&day, arguments);
        assert!(code == 0 || code == 2, "{arguments:?}: {code}\n{stderr}");
    }

    /// Lists ids in the order of their texts, since ids differ from run to run.
    fn ids(&self, command: &str) -> Vec<String> {
        let answer = self.workspace.json(command);
        let mut items: Vec<(String, String)> = list(&answer["hits"])
            .map(|item| (string(&item["text"]), string(&item["id"])))
            .collect();
        items.sort();
        items.into_iter().map(|(_, id)| id).collect()
    }

    fn run_random_command(&mut self) {
        let text = self.text();
        let facts = self.ids("fact list --all");
        let fact = self.chance.pick(&facts).unwrap().clone();
        match self.chance.below(14) {
            0 | 1 => {
                self.run(&["fact", "add", "--section", "Decisions", "--tags", self.name, &text]);
            }
            2 | 3 => self.run(&["fact", "edit", &fact, &text]),
            4 => self.run(&["memory", "archive", &fact]),
            5 => self.run(&["memory", "restore", &fact]),
            6 => self.run(&["memory", "focus", &fact]),
            7 => self.run(&["note", &text]),
            8 => {
                let notes = self.ids("notes");
                if let Some(note) = self.chance.pick(&notes).cloned() {
                    self.run(&["note", "done", &note]);
                }
            }
            9 => {
                let other = self.chance.pick(&facts).unwrap().clone();
                self.run(&["memory", "connect", &fact, &other, "depends_on"]);
            }
            10 => {
                let owner = *self.chance.pick(&["001", "--plan"]).unwrap();
                let shown = self.workspace.json(&format!("memory show 0042 {owner}"));
                let ids: Vec<String> =
                    list(&shown["entries"]).map(|entry| string(&entry["id"])).collect();
                let Some(entry) = self.chance.pick(&ids).cloned() else { return };
                match self.chance.below(2) {
                    0 => self.run(&["memory", "archive", &entry]),
                    _ => self.run(&["memory", "resolve", "0042", owner, &entry, "Settled."]),
                }
            }
            _ => {
                let owner = *self.chance.pick(&["001", "--plan"]).unwrap();
                let kinds = ["finding", "decision", "blocker", "question", "lesson"];
                let kind = *self.chance.pick(&kinds).unwrap();
                self.run(&["memory", "add", "0042", owner, kind, &text]);
            }
        }
    }
}

#[track_caller]
fn assert_same(one: &Value, other: &Value, what: &str) {
    for (key, value) in one.as_object().unwrap() {
        assert!(value == &other[key], "{what}: {key}\n{value:#}\n---\n{:#}", other[key]);
    }
}

/// Changes memory at random on two branches and checks both merges.
fn check_random_merge(seed: u64) {
    let origin = team();
    let mut chance = SeededRng::new(seed);
    let mut write = |workspace: &Workspace, name, times| {
        let chance = SeededRng::new(chance.below(usize::MAX) as u64);
        RandomWriter { workspace, chance, name, commands: 0 }.run_random(times);
    };
    for text in ["The first fact.", "The second fact.", "The third fact."] {
        origin.run(&["fact", "add", "--section", "Decisions", text]).ok();
    }
    write(&origin, "common", 6);
    origin.commit_all("2026-02-22T00:00:00Z");
    let (left, right) = (branch(&origin, "left"), branch(&origin, "right"));
    write(&left, "left", 8);
    write(&right, "right", 8);
    let sides = [&left, &right].map(|side| {
        side.commit_all("2026-02-22T00:00:00Z");
        (standings(side), [entries(side, "0042 001"), entries(side, "0042 --plan")])
    });
    let before = right.clone_repository();
    merge(&right, &left);
    merge(&left, &before);

    let merged = state(&left);
    let texts = [&before, &left, &right].map(documents).join("\n=== merged ===\n");
    assert_same(&merged, &state(&right), &format!("the direction of the merge\n{texts}"));
    assert_eq!(merged["stats"]["problems"], json!([]));
    let after = (standings(&left), [entries(&left, "0042 001"), entries(&left, "0042 --plan")]);
    check_nothing_lost(&standings(&origin), &sides, &after);
    shuffle_lines(&left, &mut SeededRng::new(seed));
    assert_same(&merged, &state(&left), "the order and repetition of lines");
}

/// The standings of facts, and the entries of the agent's and the plan's memory document.
type Side = (BTreeMap<String, String>, [Entries; 2]);

/// Checks that the merge contains all facts and entries of a branch, and that what a branch archived
/// stays archived, unless it was archived before and the other branch restored it.
fn check_nothing_lost(base: &BTreeMap<String, String>, sides: &[Side; 2], after: &Side) {
    for (side, documents) in sides {
        for (id, standing) in side {
            // Facts with the same text are one fact under the smallest id.
            let Some(merged) = after.0.get(id) else { continue };
            if standing != "active" && base.get(id) != Some(&"archived".to_owned()) {
                assert_ne!(merged, "active", "{id} was {standing} on one side");
            }
        }
        for (before, merged) in documents.iter().zip(&after.1) {
            for (kind, text, resolved, standing) in before {
                let twins: Vec<_> =
                    merged.iter().filter(|entry| (&entry.0, &entry.1) == (kind, text)).collect();
                assert!(!twins.is_empty(), "{kind} {text} is lost: {merged:#?}");
                if kind != "decision" {
                    let [twin] = twins.as_slice() else { panic!("{kind} {text}: {twins:#?}") };
                    assert!(twin.2 >= *resolved, "{kind} {text} was resolved on one side");
                    let is_back = standing == "archived" && twin.3 == "active";
                    assert!(!is_back, "{kind} {text} was archived on one side");
                }
            }
        }
    }
}

#[test]
fn random_changes_of_two_branches_merge_to_the_same_state() {
    let cases = if is_long_run() { 200 } else { 12 };
    let fails = |seed: &u64| std::panic::catch_unwind(|| check_random_merge(*seed)).is_err();
    let failed: Vec<u64> = (0..cases).filter(fails).collect();
    assert!(failed.is_empty(), "the cases of the seeds {failed:?}");
}

#[test]
fn two_branches_may_add_to_the_same_memory_document() {
    let origin = team();
    for (kind, text) in [("finding", "Old."), ("blocker", "Old blocker."), ("decision", "Old way.")]
    {
        origin.run(&["memory", "add", "0042", "001", kind, text]).ok();
    }
    origin.commit_all("2026-02-21T00:00:00Z");
    check_added_entries(&origin, 3);
}

#[test]
fn two_branches_may_create_the_same_memory_document() {
    check_added_entries(&team(), 0);
}

/// Adds an entry of every kind, on different days, on both branches, and checks both merges.
fn check_added_entries(origin: &Workspace, before: usize) {
    let kinds = ["finding", "decision", "blocker", "question", "lesson"];
    let add = |side: &'static str, day: &'static str| {
        move |workspace: &Workspace| {
            for owner in ["001", "--plan"] {
                for kind in kinds {
                    let text = format!("A {kind} of the {side}.");
                    let words = ["memory", "add", "0042", owner, kind, &text];
                    workspace.run_at(&format!("{day}T00:00:00Z"), &words).ok();
                }
            }
        }
    };
    let [a, b] = merge_both_ways(origin, add("left", "2026-02-20"), add("right", "2026-02-21"));
    for workspace in [&a, &b] {
        let merged = entries(workspace, "0042 001");
        assert_eq!(merged.len(), before + 2 * kinds.len(), "{merged:#?}");
        for side in ["left", "right"] {
            for kind in kinds {
                let text = format!("A {kind} of the {side}.");
                assert!(merged.iter().any(|entry| entry.0 == kind && entry.1 == text), "{text}");
            }
        }
        assert_eq!(entries(workspace, "0042 --plan").len(), 2 * kinds.len());
        assert_eq!(workspace.json("stats")["problems"], json!([]));
        let resolved = workspace.json("context resolve 0042 001");
        assert_eq!(list(&resolved["problems"]).count(), 0, "{:#}", resolved["problems"]);
        workspace.run(&["memory", "add", "0042", "001", "finding", "After the merge."]).ok();
        let text = workspace.read(AGENT);
        for key in ["created:", "updated:", "sessions:"] {
            let lines = text.lines().filter(|line| line.starts_with(key));
            assert_eq!(lines.count(), 1, "the next write tidies {key}\n{text}");
        }
    }
    assert_same(&state(&a), &state(&b), "the direction of the merge");
}

#[test]
fn two_branches_that_store_facts_change_different_files() {
    let origin = team();
    origin.run(&["fact", "add", "--section", "Decisions", "Old."]).ok();
    origin.commit_all("2026-02-21T00:00:00Z");
    let changed = ["left", "right"].map(|side| {
        let clone = branch(&origin, side);
        clone.run(&["fact", "add", "--section", "Decisions", &format!("Of the {side}.")]).ok();
        clone.run(&["note", side]).ok();
        let old = clone.json("fact list")["hits"][0]["id"].clone();
        clone.run(&["memory", "archive", old.as_str().unwrap()]).ok();
        clone.git(&["add", "--all"]);
        let names = clone.git(&["diff", "--cached", "--name-only"]);
        names.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    });
    assert!(changed.iter().all(|files| files.len() == 3), "{changed:#?}");
    assert!(changed[0].is_disjoint(&changed[1]), "{changed:#?}");
}

#[test]
fn worktrees_on_two_branches_change_different_files() {
    let origin = team();
    origin.git(&["branch", "other"]);
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    origin.git(&["worktree", "add", "--quiet", &tree.to_string_lossy(), "other"]);
    let root = tree.to_string_lossy();
    origin.run(&["fact", "add", "--section", "Decisions", "Here."]).ok();
    origin.run(&["--root", &root, "fact", "add", "--section", "Decisions", "There."]).ok();
    let [here] = origin.shards("fact").try_into().unwrap();
    assert!(!tree.join(&here).exists(), "{here}");
    assert!(std::fs::read_dir(tree.join(".heirloom/memory/fact")).unwrap().count() == 1);
}

#[test]
fn entries_that_one_branch_resolved_stay_resolved_if_the_other_adds_entries() {
    let origin = team();
    for text in ["One.", "Two."] {
        origin.run(&["memory", "add", "0042", "001", "blocker", text]).ok();
        origin.run(&["memory", "add", "0042", "001", "question", text]).ok();
    }
    origin.commit_all("2026-02-21T00:00:00Z");
    let resolve = |workspace: &Workspace| {
        for entry in ["blocker-1", "blocker-2", "question-1", "question-2"] {
            workspace.run(&["memory", "resolve", "0042", "001", entry, "Settled."]).ok();
        }
    };
    let add = |workspace: &Workspace| {
        workspace.run(&["memory", "add", "0042", "001", "blocker", "Three."]).ok();
        workspace.run(&["memory", "add", "0042", "001", "question", "Three."]).ok();
    };
    for workspace in merge_both_ways(&origin, resolve, add) {
        let merged = entries(&workspace, "0042 001");
        assert_eq!(merged.len(), 6, "{merged:#?}");
        assert_eq!(merged.iter().filter(|entry| !entry.2).count(), 2, "{merged:#?}");
    }
}

#[test]
fn an_entry_keeps_its_kind_if_the_other_branch_adds_a_section_below_it() {
    let origin = team();
    origin.run(&["memory", "add", "0042", "001", "question", "One."]).ok();
    origin.commit_all("2026-02-21T00:00:00Z");
    let ask = |workspace: &Workspace| {
        workspace.run(&["memory", "add", "0042", "001", "question", "Two."]).ok();
    };
    let learn = |workspace: &Workspace| {
        workspace.run(&["memory", "add", "0042", "001", "question", "Three."]).ok();
        workspace.run(&["memory", "add", "0042", "001", "lesson", "Four."]).ok();
    };
    for workspace in merge_both_ways(&origin, ask, learn) {
        let shown = workspace.json("memory show 0042 001");
        let questions: BTreeSet<String> =
            list(&shown["questions"]).map(|question| string(&question["text"])).collect();
        assert_eq!(questions, ["One.", "Two.", "Three."].map(str::to_owned).into());
        assert_eq!(shown["lessons"], json!(["Four."]));
    }
}

#[test]
fn entries_that_one_branch_archived_stay_archived_if_the_other_adds_entries() {
    let origin = team();
    for text in ["One.", "Two."] {
        origin.run(&["memory", "add", "0042", "001", "finding", text]).ok();
    }
    origin.commit_all("2026-02-21T00:00:00Z");
    let archive = |workspace: &Workspace| {
        workspace.run(&["memory", "archive", "0042/001/finding-1"]).ok();
        workspace.run(&["memory", "archive", "0042/001/finding-2"]).ok();
    };
    let add = |workspace: &Workspace| {
        workspace.run(&["memory", "add", "0042", "001", "finding", "Three."]).ok();
    };
    for workspace in merge_both_ways(&origin, archive, add) {
        let merged = entries(&workspace, "0042 001");
        let active: Vec<&str> = merged
            .iter()
            .filter(|entry| entry.3 == "active")
            .map(|entry| entry.1.as_str())
            .collect();
        assert_eq!((merged.len(), active), (3, vec!["Three."]), "{merged:#?}");
    }
}

#[test]
fn a_fact_that_one_branch_archived_and_the_other_superseded_stays_superseded() {
    let origin = team();
    origin.run(&["fact", "add", "--section", "Decisions", "Old."]).ok();
    let id = string(&origin.json("fact list")["hits"][0]["id"]);
    origin.commit_all("2026-02-21T00:00:00Z");
    let archive = |workspace: &Workspace| drop(workspace.run(&["memory", "archive", &id]).ok());
    let edit = |workspace: &Workspace| drop(workspace.run(&["fact", "edit", &id, "New."]).ok());
    for workspace in merge_both_ways(&origin, archive, edit) {
        assert_eq!(standings(&workspace)[&id], "superseded");
        let texts: Vec<Value> =
            list(&workspace.json("fact list")["hits"]).map(|fact| fact["text"].clone()).collect();
        assert_eq!(texts, ["New."]);
    }
}

#[test]
fn an_entry_that_both_branches_promoted_is_one_entry() {
    let origin = team();
    for text in ["Flags matter.", "Sizes matter."] {
        origin.run(&["memory", "add", "0042", "001", "finding", text]).ok();
    }
    origin.run(&["memory", "add", "0042", "--plan", "finding", "Of the plan."]).ok();
    origin.commit_all("2026-02-21T00:00:00Z");
    let promote = |first: &'static str, second: &'static str| {
        move |workspace: &Workspace| {
            for entry in [first, second] {
                workspace.run(&["memory", "promote", "0042", "001", entry]).ok();
            }
        }
    };
    let [a, b] = merge_both_ways(
        &origin,
        promote("finding-1", "finding-2"),
        promote("finding-2", "finding-1"),
    );
    assert_same(&state(&a), &state(&b), "the direction of the merge");
    for workspace in [&a, &b] {
        assert_eq!(entries(workspace, "0042 --plan").len(), 3);
        let copies = workspace.read(PLAN).matches(" matter.").count();
        assert!(copies > 2, "the merge repeats an entry: {copies}");
        workspace.run(&["memory", "add", "0042", "--plan", "finding", "After the merge."]).ok();
        let tidied = workspace.read(PLAN);
        for text in ["Flags matter.", "Sizes matter."] {
            assert_eq!(tidied.matches(text).count(), 1, "the next write removes copies\n{tidied}");
        }
    }
}

const CONFLICTED_DOCUMENT: &str = "\
---
agent: 001-schema
---

## Findings

- Before.
<<<<<<< HEAD
- Ours.
=======
- Theirs.
>>>>>>> theirs
- After.
";

#[test]
fn a_memory_document_with_conflict_markers_is_neither_read_nor_written() {
    let workspace = team();
    for path in [AGENT, PLAN] {
        workspace.write(path, CONFLICTED_DOCUMENT);
    }
    for (owner, path) in [("001", AGENT), ("--plan", PLAN)] {
        let shown = workspace.json(&format!("memory show 0042 {owner}"));
        assert_eq!(shown["entries"], json!([]));
        assert_eq!(
            (&shown["problems"][0]["path"], &shown["problems"][0]["line"]),
            (&json!(path), &json!(8))
        );
        let stats = workspace.json("stats");
        let is_named = |problem: &&Value| problem["path"] == path && problem["line"] == json!(8);
        assert_eq!(list(&stats["problems"]).filter(is_named).count(), 1, "{stats:#}");
        assert_eq!(stats["entries"]["finding"], 0);
        for write in [
            &["memory", "add", "0042", owner, "finding", "More."][..],
            &["memory", "add", "0042", owner, "decision", "More."],
            &["memory", "session", "0042", owner, "More."],
            &["memory", "resolve", "0042", owner, "blocker-1"],
        ] {
            if write[1] == "session" && owner == "--plan" {
                continue;
            }
            let error = workspace.run(write).failed(2);
            assert!(write[1] == "resolve" || error.contains(&format!("{path}:8: ")), "{error}");
            assert_eq!(workspace.read(path), CONFLICTED_DOCUMENT, "{write:?}");
        }
    }
    assert_eq!(workspace.shards("fact"), [""; 0], "a rejected decision must not become a fact");
}

#[test]
fn the_records_of_a_shard_with_conflict_markers_are_read() {
    let workspace = team();
    for text in ["One.", "Two.", "Three."] {
        workspace.run(&["fact", "add", "--section", "Decisions", text]).ok();
    }
    let before = state(&workspace);
    let [shard] = workspace.shards("fact").try_into().unwrap();
    let text = workspace.read(&shard);
    let lines: Vec<&str> = text.lines().collect();
    let [one, two, three] = lines.try_into().unwrap();
    workspace.write(
        &shard,
        format!("{one}\n<<<<<<< HEAD\n{two}\n||||||| base\n=======\n{three}\n>>>>>>> theirs\n"),
    );
    let after = state(&workspace);
    assert_eq!(after["facts"], before["facts"]);
    let places: Vec<(&Value, &Value)> = list(&after["stats"]["problems"])
        .map(|problem| (&problem["path"], &problem["line"]))
        .collect();
    let expected = [2, 4, 5, 7].map(|line| (json!(shard), json!(line)));
    assert_eq!(places, expected.iter().map(|(path, line)| (path, line)).collect::<Vec<_>>());
    workspace.run(&["fact", "add", "--section", "Decisions", "Four."]).ok();
    assert!(workspace.read(&shard).contains(">>>>>>> theirs\n{"), "nothing is rewritten");
}
