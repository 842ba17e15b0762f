//! An index that is updated step by step gives the same answers as one that is rebuilt.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test changes files behind the program's back"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heirloom_engine::setup::init;
use heirloom_engine::{OPS, ProcessCache, Reply, Session, ops};
use heirloom_testkit::{SeededRng, is_long_run};
use jiff::Timestamp;
use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "cache",
    "index",
    "refund",
    "token",
    "schema.ts",
    "parseFrontMatter",
    "postgres",
    "retry",
    "queue",
    "outbox",
    "latency",
    "why",
    "login",
    "deploy",
    "branch",
    "merge",
    "café",
    "数据库",
];

const QUERIES: &[&str] = &[
    "cache",
    "why is the index slow",
    "schema.ts",
    "retry queue latency",
    "postgers",
    "数据库",
    "what about refunds?",
    "parse front matter",
    "nothing of the sort",
    "the",
];

/// Folders that a change of branch replaces.
const BRANCHED: &[&str] = &[".heirloom/memory", "plans", ".heirloom/adrs"];

/// A change of a workspace between two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    StoreFact,
    StorePrivateFact,
    Supersede,
    Undo,
    Purge,
    Archive,
    Restore,
    AddEntry,
    NewDecision,
    EditDocument,
    EditInSameTick,
    RemoveLogLine,
    Connect,
    SwitchBranch,
}

/// The steps to choose from; repeated ones are more likely.
const STEPS: &[Step] = &[
    Step::StoreFact,
    Step::StoreFact,
    Step::StoreFact,
    Step::StorePrivateFact,
    Step::Supersede,
    Step::Supersede,
    Step::Undo,
    Step::Purge,
    Step::Archive,
    Step::Restore,
    Step::AddEntry,
    Step::AddEntry,
    Step::NewDecision,
    Step::EditDocument,
    Step::EditDocument,
    Step::EditInSameTick,
    Step::RemoveLogLine,
    Step::Connect,
    Step::Connect,
    Step::SwitchBranch,
];

/// How the index is used between two steps.
#[derive(Debug, Clone, Copy)]
enum Process {
    /// A new process opens the index for each request.
    New,
    /// One process, such as a server, keeps the index open.
    LongLived,
}

/// A workspace that is changed at random.
struct Team {
    folder: tempfile::TempDir,
    chance: SeededRng,
    clock: Timestamp,
    branches: Vec<PathBuf>,
    /// The cache of a long-lived process.
    cache: Option<ProcessCache>,
}

impl Team {
    fn new(seed: u64, process: Process) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let today = jiff::civil::date(2026, 3, 1);
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let request = init::Request { folder: &root, hierarchy: "plans", name: Some("t"), today };
        init::run(&request).unwrap();
        let clock = "2026-03-01T09:00:00Z".parse().unwrap();
        let cache = match process {
            Process::New => None,
            Process::LongLived => Some(ProcessCache::default()),
        };
        cache.iter().for_each(ProcessCache::make_long_lived);
        let team = Team { folder, chance: SeededRng::new(seed), clock, branches: vec![], cache };
        team.ask("plan_new", json!({"name": "Refund flow"})).unwrap();
        team.ask("agent_new", json!({"plan": "0001", "name": "api"})).unwrap();
        team
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn ask(&self, name: &str, request: Value) -> Result<Value, String> {
        self.ask_with(self.cache.clone().unwrap_or_default(), name, request)
    }

    fn ask_with(&self, cache: ProcessCache, name: &str, request: Value) -> Result<Value, String> {
        let op = OPS.iter().find(|op| op.spec.name == name).unwrap();
        let session = Session::open(&self.root(), self.clock).map_err(|error| error.message)?;
        let session = session
            .without_token_counts()
            .with_author(Some("ada".to_owned()))
            .with_process_cache(cache);
        let data = |reply: Reply| reply.data(&|hint| format!("{hint:?}"));
        ops::run(op, &session, request).map(data).map_err(|error| error.message)
    }

    fn sentence(&mut self) -> String {
        let count = 2 + self.chance.below(6);
        let words: Vec<&str> = (0..count).map(|_| *self.chance.pick(WORDS).unwrap()).collect();
        let end = if self.chance.below(4) == 0 { "?" } else { "" };
        format!("{}{end}", words.join(" "))
    }

    /// Returns the text of a fact, sometimes one that is split into chunks.
    fn fact_text(&mut self) -> String {
        let sentences = if self.chance.below(4) == 0 { 30 } else { 1 };
        let sentences: Vec<String> = (0..sentences).map(|_| self.sentence()).collect();
        sentences.join(". ")
    }

    /// Returns the ids of active facts, or of all facts.
    fn fact_ids(&self, all: bool) -> Vec<String> {
        let listed = self.ask("memory_query", json!({"all": all})).unwrap();
        let items = listed["hits"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Takes a step. Returns an error if there was nothing to change.
    fn take(&mut self, step: Step) -> Result<(), String> {
        self.clock = self.clock.checked_add(jiff::Span::new().seconds(7)).unwrap();
        let text = self.sentence();
        let fact_text = self.fact_text();
        let ids = self.fact_ids(false);
        let id = self.chance.pick(&ids).cloned();
        match step {
            Step::StoreFact => {
                self.ask("memory_store", json!({"content": fact_text, "section": "Decisions"}))
            }
            Step::StorePrivateFact => self.ask(
                "memory_store",
                json!({"content": fact_text, "section": "Specs", "private": true, "tags": ["t"]}),
            ),
            Step::Supersede => {
                self.ask("memory_supersede", json!({"fact_id": id, "content": fact_text}))
            }
            Step::Undo => {
                let undo = |id: &String| self.ask("memory_undo", json!({"fact_id": id})).ok();
                ids.iter().find_map(undo).ok_or_else(|| "no supersession to undo".to_owned())
            }
            Step::Purge => self.ask("memory_purge", json!({"fact_id": id, "yes": true})),
            Step::Archive => self.ask("memory_archive", json!({"fact_ids": [id]})),
            Step::Restore => {
                let archived: Vec<String> =
                    self.fact_ids(true).into_iter().filter(|id| !ids.contains(id)).collect();
                let restore =
                    |id: &String| self.ask("memory_restore", json!({"fact_ids": [id]})).ok();
                archived.iter().find_map(restore).ok_or_else(|| "nothing is archived".to_owned())
            }
            Step::AddEntry => {
                let kind =
                    *self.chance.pick(&["finding", "decision", "lesson", "question"]).unwrap();
                let entry =
                    json!({"planId": "0001", "agentId": "000", "type": kind, "content": text});
                self.ask("add_memory", entry)
            }
            Step::NewDecision => self.ask("adr_new", json!({"title": text, "status": "accepted"})),
            Step::EditDocument => return self.edit_document(),
            Step::EditInSameTick => return self.edit_in_same_tick(),
            Step::RemoveLogLine => return self.remove_log_line(),
            Step::Connect => {
                let others: Vec<String> =
                    ids.iter().filter(|other| Some(*other) != id.as_ref()).cloned().collect();
                let other = self.chance.pick(&others).cloned();
                let edge = json!({"source": id, "target": other, "relation": "depends_on"});
                self.ask("memory_connect", edge)
            }
            Step::SwitchBranch => return self.switch_branch(),
        }
        .map(drop)
    }

    /// Returns all files with an ending in the folders that a branch replaces.
    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders: Vec<PathBuf> =
            BRANCHED.iter().map(|path| self.root().join(path)).collect();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().ends_with(ending) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Replaces one word in a document, as a person with an editor does.
    fn edit_document(&mut self) -> Result<(), String> {
        let files = self.files(".md");
        let file = self.chance.pick(&files).ok_or("no document")?;
        let text = fs::read_to_string(file).unwrap();
        let words: Vec<&str> = WORDS.iter().copied().filter(|word| text.contains(word)).collect();
        let from = *self.chance.pick(&words).ok_or("no word to replace")?;
        let to = *self.chance.pick(WORDS).unwrap();
        if from == to {
            return Err("the same word".to_owned());
        }
        fs::write(file, text.replacen(from, to, 1)).unwrap();
        Ok(())
    }

    /// Writes a document twice with the same size and modification time, as on a file system that stores
    /// whole seconds, and recalls in between.
    fn edit_in_same_tick(&mut self) -> Result<(), String> {
        let file = self.root().join("plans/0001-refund-flow/0001-refund-flow-plan.md");
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let second = UNIX_EPOCH + Duration::from_secs(since);
        let words = ["cache", "index", "token", "retry", "queue"];
        let text = match text.rfind("\n## Edited\n") {
            Some(at) => text[..at].to_owned(),
            None => text,
        };
        for word in [self.chance.pick(&words), self.chance.pick(&words)].into_iter().flatten() {
            fs::write(&file, format!("{text}\n## Edited\n\nThe {word} is what counts.\n")).unwrap();
            fs::File::options().append(true).open(&file).unwrap().set_modified(second).unwrap();
            self.ask("memory_recall", json!({"query": word})).unwrap();
        }
        Ok(())
    }

    /// Removes a line from the middle or the end of a log, as a reset does.
    fn remove_log_line(&mut self) -> Result<(), String> {
        let files = self.files(".jsonl");
        let file = self.chance.pick(&files).cloned().ok_or("no log")?;
        let text = fs::read_to_string(&file).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return Err("an empty log".to_owned());
        }
        lines.remove(self.chance.below(lines.len()));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if text.is_empty() {
            fs::remove_file(file).unwrap();
        } else {
            fs::write(file, text).unwrap();
        }
        Ok(())
    }

    /// Saves the files as a new branch and checks out a random branch.
    fn switch_branch(&mut self) -> Result<(), String> {
        let saved = self.folder.path().join(format!("branch-{}", self.branches.len()));
        for path in BRANCHED {
            copy(&self.root().join(path), &saved.join(path));
        }
        self.branches.push(saved);
        let branch = self.chance.pick(&self.branches).unwrap().clone();
        for path in BRANCHED {
            let target = self.root().join(path);
            if target.exists() {
                fs::remove_dir_all(&target).unwrap();
            }
            copy(&branch.join(path), &target);
        }
        Ok(())
    }

    /// Returns the answers of the updated index.
    fn answers(&self) -> Vec<Value> {
        self.answers_with(&self.cache.clone().unwrap_or_default())
    }

    fn answers_with(&self, cache: &ProcessCache) -> Vec<Value> {
        let ask = |name: &str, request: Value| self.ask_with(cache.clone(), name, request).unwrap();
        let asked = QUERIES.iter().map(|query| {
            let found = ask("memory_recall", json!({"query": query, "explain": true}));
            let archived = ask("memory_search_archive", json!({"query": query}));
            json!([query, found, archived])
        });
        asked.collect()
    }

    /// Returns the answers of a new index, and restores the updated one afterwards.
    fn answers_of_a_rebuilt_index(&self) -> Vec<Value> {
        let cache = self.root().join(".heirloom/cache");
        let aside = self.folder.path().join("cache");
        fs::rename(&cache, &aside).unwrap();
        let answers = self.answers_with(&ProcessCache::default());
        fs::remove_dir_all(&cache).unwrap();
        fs::rename(&aside, &cache).unwrap();
        answers
    }
}

/// Copies a folder, if it exists.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Takes random steps and compares the answers every few steps. Returns how often each step
/// changed something.
fn compare(process: Process, cases: u64, steps: usize) -> BTreeMap<Step, usize> {
    let mut taken = BTreeMap::new();
    for seed in 0..cases {
        let mut team = Team::new(seed, process);
        for number in 0..steps {
            let step = *team.chance.pick(STEPS).unwrap();
            *taken.entry(step).or_default() += usize::from(team.take(step).is_ok());
            let updated = team.answers();
            if number % 5 == 4 {
                let rebuilt = team.answers_of_a_rebuilt_index();
                for (updated, rebuilt) in updated.iter().zip(&rebuilt) {
                    assert_eq!(updated, rebuilt, "{process:?}, seed {seed}, {number}: {step:?}");
                }
            }
        }
    }
    taken
}

fn check(process: Process) {
    let (cases, steps) = if is_long_run() { (60, 60) } else { (2, 60) };
    let taken = compare(process, cases, steps);
    let min_count = if is_long_run() { 60 } else { 2 };
    for step in STEPS {
        let count = taken.get(step).copied().unwrap_or_default();
        assert!(count >= min_count, "{step:?} succeeded {count} times only: {taken:?}");
    }
}

#[test]
fn an_updated_index_answers_as_a_rebuilt_one_in_new_processes() {
    check(Process::New);
}

#[test]
fn an_updated_index_answers_as_a_rebuilt_one_in_a_process_that_keeps_it_open() {
    check(Process::LongLived);
}

#[test]
fn a_relation_follows_the_successors_of_a_record_whose_line_is_gone() {
    let team = Team::new(0, Process::New);
    let store = |request: Value| {
        let stored = team.ask("memory_store", request).unwrap();
        stored["id"].as_str().unwrap().to_owned()
    };
    let supersede = |id: &str, content: &str| {
        team.ask("memory_supersede", json!({"fact_id": id, "content": content})).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = store(json!({"content": "cache in postgres", "section": "Decisions"}));
    let other = store(json!({"content": "retry queue latency", "section": "Decisions"}));
    let edge = json!({"source": first, "target": other, "relation": "depends_on"});
    team.ask("memory_connect", edge).unwrap();
    let second = supersede(&first, "cache in an outbox");
    for file in team.files(".jsonl") {
        let text = fs::read_to_string(&file).unwrap();
        let is_kept = |line: &&str| !line.contains(&format!("\"id\":\"{first}\""));
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        fs::write(&file, kept).unwrap();
    }
    team.answers();
    supersede(&second, "cache in the index");
    assert_eq!(team.answers(), team.answers_of_a_rebuilt_index());
}
