//! An index that was brought up to date step by step answers as one that is made anew.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test changes files behind the program's back"
)]

use std::fs;
use std::path::{Path, PathBuf};

use heirloom_engine::setup::init;
use heirloom_engine::{OPS, Session};
use heirloom_testkit::{Chance, is_long};
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

struct Team {
    folder: tempfile::TempDir,
    chance: Chance,
    clock: Timestamp,
    branches: Vec<PathBuf>,
}

impl Team {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let today = jiff::civil::date(2026, 3, 1);
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let request = init::Request { folder: &root, hierarchy: "plans", name: Some("t"), today };
        init::run(&request).unwrap();
        let clock = "2026-03-01T09:00:00Z".parse().unwrap();
        let team = Team { folder, chance: Chance::new(seed), clock, branches: vec![] };
        team.ask("plan_new", json!({"name": "Refund flow"})).unwrap();
        team.ask("agent_new", json!({"plan": "0001", "name": "api"})).unwrap();
        team
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn ask(&self, name: &str, request: Value) -> Result<Value, String> {
        let op = OPS.iter().find(|op| op.spec.name == name).unwrap();
        let session = Session::at(&self.root(), self.clock).map_err(|error| error.message)?;
        let session = session.without_token_counts().by(Some("ada".to_owned()));
        op.call(&session, request).map(|reply| reply.data()).map_err(|error| error.message)
    }

    fn sentence(&mut self) -> String {
        let count = 2 + self.chance.below(6);
        let words: Vec<&str> = (0..count).map(|_| *self.chance.pick(WORDS).unwrap()).collect();
        let end = if self.chance.below(4) == 0 { "?" } else { "" };
        format!("{}{end}", words.join(" "))
    }

    /// The ids of what is remembered.
    fn known(&self, all: bool) -> Vec<String> {
        let listed = self.ask("memory_query", json!({"all": all})).unwrap();
        let items = listed["hits"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Does one thing; which things were really done is counted by the caller.
    fn step(&mut self) -> Result<(), String> {
        self.clock = self.clock.checked_add(jiff::Span::new().seconds(7)).unwrap();
        let text = self.sentence();
        let ids = self.known(false);
        let id = self.chance.pick(&ids).cloned();
        let kind = *self.chance.pick(&["finding", "decision", "lesson", "question"]).unwrap();
        let fact = json!({"content": text, "section": "Decisions"});
        let private = json!({
            "content": text, "section": "Specs", "visibility": "private", "tags": ["t"]
        });
        let entry = json!({"planId": "0001", "agentId": "001", "type": kind, "content": text});
        let others: Vec<String> =
            ids.iter().filter(|other| Some(*other) != id.as_ref()).cloned().collect();
        let other = self.chance.pick(&others).cloned();
        match self.chance.below(16) {
            0..=3 => self.ask("memory_store", fact),
            4 => self.ask("memory_store", private),
            5 => self.ask("memory_supersede", json!({"fact_id": id, "content": text})),
            6 => self.ask("memory_archive", json!({"fact_ids": [id]})),
            7 => {
                let all = self.known(true);
                let id = self.chance.pick(&all).cloned();
                self.ask("memory_restore", json!({"fact_ids": [id]}))
            }
            8 | 9 => self.ask("add_memory", entry),
            10 => self.ask("adr_new", json!({"title": text, "status": "accepted"})),
            11 => Ok(self.reword()),
            12 => Ok(self.take_lines_away()),
            13 | 14 => {
                let edge = json!({"source": id, "target": other, "relation": "depends_on"});
                self.ask("memory_connect", edge)
            }
            _ => Ok(self.change_branch()),
        }
        .map(drop)
    }

    /// Every file of a sort below the folders that people edit.
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

    /// A person puts one word for another in a document.
    fn reword(&mut self) -> Value {
        let files = self.files(".md");
        let (from, to) = (*self.chance.pick(WORDS).unwrap(), *self.chance.pick(WORDS).unwrap());
        if let Some(file) = self.chance.pick(&files) {
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, text.replacen(from, to, 1)).unwrap();
        }
        Value::Null
    }

    /// A line vanishes from the middle or the end of a log, as after a reset.
    fn take_lines_away(&mut self) -> Value {
        let files = self.files(".jsonl");
        if let Some(file) = self.chance.pick(&files).cloned() {
            let text = fs::read_to_string(&file).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                lines.remove(self.chance.below(lines.len()));
            }
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if text.is_empty() {
                fs::remove_file(file).unwrap();
            } else {
                fs::write(file, text).unwrap();
            }
        }
        Value::Null
    }

    /// What is here is put aside, and what was put aside before may come back.
    fn change_branch(&mut self) -> Value {
        let aside = self.folder.path().join(format!("branch-{}", self.branches.len()));
        for path in BRANCHED {
            copy(&self.root().join(path), &aside.join(path));
        }
        self.branches.push(aside);
        let branch = self.chance.pick(&self.branches).unwrap().clone();
        for path in BRANCHED {
            let target = self.root().join(path);
            if target.exists() {
                fs::remove_dir_all(&target).unwrap();
            }
            copy(&branch.join(path), &target);
        }
        Value::Null
    }

    fn answers(&self) -> Vec<Value> {
        let asked = QUERIES.iter().map(|query| {
            let found = self.ask("memory_recall", json!({"query": query, "explain": true}));
            let archived = self.ask("memory_search_archive", json!({"query": query}));
            json!([query, found.unwrap(), archived.unwrap()])
        });
        asked.collect()
    }

    /// The answers of an index that is made anew; the one that was there stays.
    fn answers_made_anew(&self) -> Vec<Value> {
        let cache = self.root().join(".heirloom/cache");
        let aside = self.folder.path().join("cache");
        fs::rename(&cache, &aside).unwrap();
        let answers = self.answers();
        fs::remove_dir_all(&cache).unwrap();
        fs::rename(&aside, &cache).unwrap();
        answers
    }
}

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

#[test]
fn step_by_step_is_as_made_anew() {
    let (cases, steps) = if is_long() { (60, 60) } else { (6, 40) };
    let mut done = 0;
    for seed in 0..cases {
        let mut team = Team::new(seed);
        for step in 0..steps {
            done += usize::from(team.step().is_ok());
            let by_step = team.answers();
            if step % 5 == 4 {
                let anew = team.answers_made_anew();
                for (by_step, anew) in by_step.iter().zip(&anew) {
                    assert_eq!(by_step, anew, "seed {seed}, step {step}");
                }
            }
        }
    }
    let most = usize::try_from(cases * steps).unwrap();
    assert!(done * 10 > most * 6, "{done} of {most} steps did something");
}
