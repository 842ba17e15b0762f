//! Merges converge: whatever two branches did to memory, git merges it without a conflict, in either
//! direction to the same state, and nothing that one of them stored, settled or put away is lost.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use heirloom_testkit::{Chance, Ran, TEAM, Workspace, is_long};
use serde_json::{Value, json};

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";
const PLAN: &str = "plans/0042-graph/plan.memory.md";

/// A repository with a team's workspace and git's files as `heir init` writes them.
fn team() -> Workspace {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.heir("init").ok();
    workspace.commit_all("2026-02-21T00:00:00Z");
    workspace
}

/// A clone with a branch of its own.
fn branch(origin: &Workspace, name: &str) -> Workspace {
    let clone = origin.cloned();
    clone.git(&["checkout", "--quiet", "-b", name]);
    clone
}

/// Merges the branch of one clone into that of another; it must be without a conflict.
fn merge(into: &Workspace, from: &Workspace) {
    into.git(&["fetch", "--quiet", &from.path().to_string_lossy(), "HEAD"]);
    into.git(&["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
}

/// Lets two clones of a workspace work on branches, and merges each into a clone of the other.
fn merged_both_ways(
    origin: &Workspace,
    left: impl FnOnce(&Workspace),
    right: impl FnOnce(&Workspace),
) -> [Workspace; 2] {
    let (a, b) = (branch(origin, "left"), branch(origin, "right"));
    left(&a);
    right(&b);
    a.commit_all("2026-02-22T00:00:00Z");
    b.commit_all("2026-02-22T00:00:00Z");
    let before = b.cloned();
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

/// A set of what a memory document says: each entry's kind, its words without how it was settled,
/// whether it is settled, and how things stand with it.
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
    assert_eq!(set.len(), all.len(), "an entry is there twice: {all:#?}");
    set
}

/// All that is remembered, without where it is written and without what only one machine knows.
fn state(workspace: &Workspace) -> Value {
    let facts: BTreeMap<String, Value> = list(&workspace.json("fact list --all")["hits"])
        .map(|fact| {
            let keys = ["text", "section", "standing", "replaced_by", "tags", "reinforced"];
            let kept: Vec<&Value> = keys.iter().map(|key| &fact[key]).collect();
            (string(&fact["id"]), json!(kept))
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

/// The memory documents as they are written, for a failure to show.
fn documents(workspace: &Workspace) -> String {
    let there = [AGENT, PLAN].into_iter().filter(|path| workspace.has(path));
    there.map(|path| workspace.read(path)).collect()
}

/// The standing of every fact that only one branch can have stored, by id: what both store is one
/// fact, and stands as long as one of them lets it.
fn standings(workspace: &Workspace) -> BTreeMap<String, String> {
    list(&workspace.json("fact list --all")["hits"])
        .filter(|fact| !string(&fact["text"]).starts_with(COMMON))
        .map(|fact| (string(&fact["id"]), string(&fact["standing"])))
        .collect()
}

/// Repeats some lines of every shard and puts all of them in another order.
fn disturb(workspace: &Workspace, chance: &mut Chance) {
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

/// How texts begin that both branches may store.
const COMMON: &str = "Common knowledge";

/// Somebody who does this and that on a branch.
struct Worker<'w> {
    workspace: &'w Workspace,
    chance: Chance,
    name: &'static str,
    done: usize,
}

impl Worker<'_> {
    fn work(&mut self, times: usize) {
        for _ in 0..times {
            self.done += 1;
            self.act();
        }
    }

    /// Texts are mostly a branch's own, and sometimes what the other may say too.
    fn text(&mut self) -> String {
        match self.chance.below(5) {
            0 => format!("{COMMON} {}.", self.chance.below(3)),
            _ => format!("Number {} of the {} branch.", self.done, self.name),
        }
    }

    /// Runs a command on some day. What cannot be done to the thing that chance picked is refused.
    fn run(&mut self, arguments: &[&str]) {
        let day = format!("2026-02-{}T00:00:00Z", 16 + self.chance.below(6));
        let Ran { code, stderr, .. } = self.workspace.run_at(&day, arguments);
        assert!(code == 0 || code == 2, "{arguments:?}: {code}\n{stderr}");
    }

    /// Lists ids in the order of what they stand for: an id itself is new in every run.
    fn ids(&self, command: &str) -> Vec<String> {
        let answer = self.workspace.json(command);
        let mut items: Vec<(String, String)> = list(&answer["hits"])
            .map(|item| (string(&item["text"]), string(&item["id"])))
            .collect();
        items.sort();
        items.into_iter().map(|(_, id)| id).collect()
    }

    fn act(&mut self) {
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
                let all: Vec<String> =
                    list(&shown["entries"]).map(|entry| string(&entry["id"])).collect();
                let Some(entry) = self.chance.pick(&all).cloned() else { return };
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

fn random_case(seed: u64) {
    let origin = team();
    let mut chance = Chance::new(seed);
    let mut work = |workspace: &Workspace, name, times| {
        let chance = Chance::new(chance.below(usize::MAX) as u64);
        Worker { workspace, chance, name, done: 0 }.work(times);
    };
    for text in ["The first fact.", "The second fact.", "The third fact."] {
        origin.run(&["fact", "add", "--section", "Decisions", text]).ok();
    }
    work(&origin, "common", 6);
    origin.commit_all("2026-02-22T00:00:00Z");
    let (left, right) = (branch(&origin, "left"), branch(&origin, "right"));
    work(&left, "left", 8);
    work(&right, "right", 8);
    let sides = [&left, &right].map(|side| {
        side.commit_all("2026-02-22T00:00:00Z");
        (standings(side), [entries(side, "0042 001"), entries(side, "0042 --plan")])
    });
    let before = right.cloned();
    merge(&right, &left);
    merge(&left, &before);

    let merged = state(&left);
    let texts = [&before, &left, &right].map(documents).join("\n=== merged ===\n");
    assert_same(&merged, &state(&right), &format!("the direction of the merge\n{texts}"));
    assert_eq!(merged["stats"]["problems"], json!([]));
    let now = (standings(&left), [entries(&left, "0042 001"), entries(&left, "0042 --plan")]);
    nothing_is_lost(&standings(&origin), &sides, &now);
    disturb(&left, &mut Chance::new(seed));
    assert_same(&merged, &state(&left), "the order and repetition of lines");
}

type Side = (BTreeMap<String, String>, [Entries; 2]);

/// Checks that what a branch has is there after the merge, and that what it put away stays so,
/// unless the other branch brought back what both had put away.
fn nothing_is_lost(base: &BTreeMap<String, String>, sides: &[Side; 2], now: &Side) {
    for (side, documents) in sides {
        for (id, standing) in side {
            // Facts that say the same are one, and the smallest id names it.
            let Some(after) = now.0.get(id) else { continue };
            if standing != "active" && base.get(id) != Some(&"archived".to_owned()) {
                assert_ne!(after, "active", "{id} was {standing} on one side");
            }
        }
        for (own, merged) in documents.iter().zip(&now.1) {
            for (kind, text, resolved, standing) in own {
                let twins: Vec<_> =
                    merged.iter().filter(|entry| (&entry.0, &entry.1) == (kind, text)).collect();
                assert!(!twins.is_empty(), "{kind} {text} is lost: {merged:#?}");
                if kind != "decision" {
                    let [twin] = twins.as_slice() else { panic!("{kind} {text}: {twins:#?}") };
                    assert!(twin.2 >= *resolved, "{kind} {text} was settled on one side");
                    let is_back = standing == "archived" && twin.3 == "active";
                    assert!(!is_back, "{kind} {text} was archived on one side");
                }
            }
        }
    }
}

#[test]
fn whatever_two_branches_did_merges_to_the_same_state() {
    let cases = if is_long() { 200 } else { 12 };
    let fails = |seed: &u64| std::panic::catch_unwind(|| random_case(*seed)).is_err();
    let failed: Vec<u64> = (0..cases).filter(fails).collect();
    assert!(failed.is_empty(), "the cases of the seeds {failed:?}");
}

#[test]
fn two_branches_that_each_add_to_one_memory_file() {
    let origin = team();
    for (kind, text) in [("finding", "Old."), ("blocker", "Old blocker."), ("decision", "Old way.")]
    {
        origin.run(&["memory", "add", "0042", "001", kind, text]).ok();
    }
    origin.commit_all("2026-02-21T00:00:00Z");
    each_adds(&origin, 3);
}

#[test]
fn two_branches_that_each_create_one_memory_file() {
    each_adds(&team(), 0);
}

/// Adds an entry of every kind, on different days, on both branches.
fn each_adds(origin: &Workspace, before: usize) {
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
    let [a, b] = merged_both_ways(origin, add("left", "2026-02-20"), add("right", "2026-02-21"));
    for workspace in [&a, &b] {
        let there = entries(workspace, "0042 001");
        assert_eq!(there.len(), before + 2 * kinds.len(), "{there:#?}");
        for side in ["left", "right"] {
            for kind in kinds {
                let text = format!("A {kind} of the {side}.");
                assert!(there.iter().any(|entry| entry.0 == kind && entry.1 == text), "{text}");
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
fn two_branches_that_each_store_facts_touch_no_common_file() {
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
fn worktrees_on_two_branches_touch_no_common_file() {
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
fn what_one_branch_settled_stays_settled_though_the_other_added_to_the_list() {
    let origin = team();
    for text in ["One.", "Two."] {
        origin.run(&["memory", "add", "0042", "001", "blocker", text]).ok();
        origin.run(&["memory", "add", "0042", "001", "question", text]).ok();
    }
    origin.commit_all("2026-02-21T00:00:00Z");
    let settle = |workspace: &Workspace| {
        for entry in ["blocker-1", "blocker-2", "question-1", "question-2"] {
            workspace.run(&["memory", "resolve", "0042", "001", entry, "Settled."]).ok();
        }
    };
    let add = |workspace: &Workspace| {
        workspace.run(&["memory", "add", "0042", "001", "blocker", "Three."]).ok();
        workspace.run(&["memory", "add", "0042", "001", "question", "Three."]).ok();
    };
    for workspace in merged_both_ways(&origin, settle, add) {
        let there = entries(&workspace, "0042 001");
        let settled: Vec<bool> = there.iter().map(|entry| entry.2).collect();
        assert_eq!(there.len(), 6, "{there:#?}");
        assert_eq!(settled.iter().filter(|settled| !**settled).count(), 2, "{there:#?}");
    }
}

#[test]
fn an_entry_stays_what_it_is_though_the_other_branch_wrote_below_it() {
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
    for workspace in merged_both_ways(&origin, ask, learn) {
        let shown = workspace.json("memory show 0042 001");
        let questions: BTreeSet<String> =
            list(&shown["questions"]).map(|question| string(&question["text"])).collect();
        assert_eq!(questions, ["One.", "Two.", "Three."].map(str::to_owned).into());
        assert_eq!(shown["lessons"], json!(["Four."]));
    }
}

#[test]
fn what_one_branch_archived_stays_archived_though_the_other_added_to_the_list() {
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
    for workspace in merged_both_ways(&origin, archive, add) {
        let there = entries(&workspace, "0042 001");
        let active: Vec<&str> = there
            .iter()
            .filter(|entry| entry.3 == "active")
            .map(|entry| entry.1.as_str())
            .collect();
        assert_eq!((there.len(), active), (3, vec!["Three."]), "{there:#?}");
    }
}

#[test]
fn a_fact_that_one_branch_archived_and_the_other_replaced_does_not_come_back() {
    let origin = team();
    origin.run(&["fact", "add", "--section", "Decisions", "Old."]).ok();
    let id = string(&origin.json("fact list")["hits"][0]["id"]);
    origin.commit_all("2026-02-21T00:00:00Z");
    let archive = |workspace: &Workspace| drop(workspace.run(&["memory", "archive", &id]).ok());
    let edit = |workspace: &Workspace| drop(workspace.run(&["fact", "edit", &id, "New."]).ok());
    for workspace in merged_both_ways(&origin, archive, edit) {
        assert_eq!(standings(&workspace)[&id], "superseded");
        let texts: Vec<Value> =
            list(&workspace.json("fact list")["hits"]).map(|fact| fact["text"].clone()).collect();
        assert_eq!(texts, ["New."]);
    }
}

const TORN_APART: &str = "\
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
fn a_memory_file_in_the_middle_of_a_merge_is_not_read_by_halves() {
    let workspace = team();
    for path in [AGENT, PLAN] {
        workspace.write(path, TORN_APART);
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
        for writing in [
            &["memory", "add", "0042", owner, "finding", "More."][..],
            &["memory", "add", "0042", owner, "decision", "More."],
            &["memory", "session", "0042", owner, "More."],
            &["memory", "resolve", "0042", owner, "blocker-1"],
        ] {
            if writing[1] == "session" && owner == "--plan" {
                continue;
            }
            let said = workspace.run(writing).failed(2);
            assert!(writing[1] == "resolve" || said.contains(&format!("{path}:8: ")), "{said}");
            assert_eq!(workspace.read(path), TORN_APART, "{writing:?}");
        }
    }
    assert_eq!(workspace.shards("fact"), [""; 0], "no fact of what was refused");
}

#[test]
fn a_shard_in_the_middle_of_a_merge_is_read_on_both_sides() {
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
