//! Nothing that was acknowledged is lost: many processes write the same files while some of them
//! are killed, and what exited with 0 is there once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use heirloom_testkit::{Chance, TEAM, Workspace, is_long};
use serde_json::Value;

const HEIR: &str = env!("CARGO_BIN_EXE_heir");

const WRITERS: usize = 16;

/// The signal that no process can catch.
const SIGKILL: i32 = 9;

/// How hard a run tries.
struct Effort {
    /// Entries of each writer, and as many facts.
    entries: usize,
    /// Processes to be killed.
    kills: usize,
}

/// Every write reads all that was written before it, so that the whole run grows with the square of
/// its length.
const NORMAL: Effort = Effort { entries: 200, kills: 50 };
const LONG: Effort = Effort { entries: 200, kills: 1_000 };

/// One in so many writes is a plan's decision, which changes a document and the log together.
const DECISION_EACH: usize = 10;

/// What a process is to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    /// An entry of the agent's memory document.
    Entry,
    /// A fact of the log.
    Fact,
    /// A decision in the plan's memory document, which becomes a fact of the log too.
    Decision,
}

/// A write that was tried.
#[derive(Debug)]
struct Tried {
    what: What,
    text: String,
    acknowledged: bool,
}

/// The processes that run, so that each can be killed by the one who started it and no other can:
/// a child stays in the list until it is waited for, and until then its id is its own.
#[derive(Default)]
struct Running {
    children: Mutex<Vec<Arc<Mutex<Child>>>>,
    killed: AtomicUsize,
}

impl Running {
    /// Runs a process to its end, whatever that is.
    fn run(&self, workspace: &Workspace, arguments: &[&str], started: &Sender<()>) -> ExitStatus {
        let mut child = workspace
            .command()
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = child.stderr.take().unwrap();
        let child = Arc::new(Mutex::new(child));
        self.children.lock().unwrap().push(child.clone());
        // Nobody listens any more when enough were killed.
        started.send(()).ok();
        let mut said = String::new();
        // The end of its errors is its own end; only then is it taken, so that it can be killed.
        errors.read_to_string(&mut said).unwrap();
        let status = child.lock().unwrap().wait().unwrap();
        self.children.lock().unwrap().retain(|other| !Arc::ptr_eq(other, &child));
        match status.signal() {
            Some(SIGKILL) => drop(self.killed.fetch_add(1, Ordering::SeqCst)),
            _ => assert!(status.success(), "{arguments:?}: {status}\n{said}"),
        }
        status
    }

    /// Kills one after every `each` starts until enough are dead, and then only counts.
    fn kill_some(&self, started: &Receiver<()>, effort: &Effort, each: usize) {
        let mut chance = Chance::new(7);
        while (0..each).all(|_| started.recv().is_ok()) {
            if self.killed.load(Ordering::SeqCst) >= effort.kills {
                continue;
            }
            let victim = {
                let children = self.children.lock().unwrap();
                // The oldest is likely the one that holds the lock, the others wait for it.
                match chance.below(2) {
                    0 => children.first().cloned(),
                    _ => chance.pick(&children).cloned(),
                }
            };
            // Not to wait for anything: so that the end comes anywhere in a process's life.
            thread::sleep(Duration::from_micros(chance.below(30_000) as u64));
            if let Some(victim) = victim {
                drop(victim.lock().unwrap().kill());
            }
        }
    }
}

/// Writes until all is tried and enough are killed.
fn write_all(
    writer: usize,
    workspace: &Workspace,
    running: &Running,
    effort: &Effort,
    started: &Sender<()>,
) -> Vec<Tried> {
    let mut tried = Vec::new();
    let mut number = 0;
    while number < effort.entries || running.killed.load(Ordering::SeqCst) < effort.kills {
        let is_decision = number % DECISION_EACH == DECISION_EACH - 1;
        let decision = is_decision.then_some(What::Decision);
        for what in [Some(What::Entry), Some(What::Fact), decision].into_iter().flatten() {
            let text = format!("{what:?} {number} of writer {writer}.");
            let status = running.run(workspace, &what.arguments(&text), started);
            tried.push(Tried { what, text, acknowledged: status.success() });
        }
        number += 1;
    }
    tried
}

impl What {
    fn arguments(self, text: &str) -> Vec<&str> {
        match self {
            What::Entry => vec!["memory", "add", "0042", "001", "finding", text],
            What::Fact => vec!["fact", "add", "--section", "Decisions", text],
            What::Decision => vec!["memory", "add", "0042", "--plan", "decision", text],
        }
    }
}

/// How often each text is written.
#[derive(Default)]
struct Written(HashMap<String, usize>);

impl Written {
    fn add(&mut self, text: &str) {
        *self.0.entry(text.to_owned()).or_default() += 1;
    }

    fn count(&self, text: &str) -> usize {
        self.0.get(text).copied().unwrap_or_default()
    }
}

/// Counts the texts of a memory document: its bullets, and the first cells of its tables.
fn in_document(workspace: &Workspace, path: &str) -> Written {
    let mut written = Written::default();
    for line in workspace.read(path).lines() {
        let bullet = line.strip_prefix("- ");
        let cell = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        if let Some(text) = bullet.or(cell) {
            written.add(text.split(" <!--").next().unwrap());
        }
    }
    written
}

/// Counts the texts of the log. A line that is no JSON must be torn, and be reported as that.
fn in_log(workspace: &Workspace, problems: &[Value]) -> Written {
    let mut written = Written::default();
    let mut torn = 0;
    for shard in workspace.shards("fact") {
        for (at, line) in workspace.read(&shard).lines().enumerate() {
            match serde_json::from_str::<Value>(line) {
                Ok(record) => written.add(record["content"].as_str().unwrap()),
                Err(error) => {
                    assert!(error.is_eof(), "{shard}:{}: {error}", at + 1);
                    assert_eq!(line.matches("{\"v\":").count(), 1, "glued: {line}");
                    let is_reported =
                        |problem: &Value| problem["path"] == *shard && problem["line"] == at + 1;
                    assert!(problems.iter().any(is_reported), "{shard}:{}: {problems:?}", at + 1);
                    torn += 1;
                }
            }
        }
    }
    assert_eq!(problems.len(), torn, "{problems:#?}");
    written
}

/// Files that are there only while somebody writes.
fn leftovers(workspace: &Workspace) -> Vec<String> {
    let endings = [".heir-new", "journal.json", "journal.drafts", ".draft"];
    let mut files = workspace.files("");
    files.retain(|file| endings.iter().any(|ending| file.ends_with(ending)));
    files
}

#[test]
fn what_was_acknowledged_is_there_once_though_processes_are_killed() {
    let effort = if is_long() { LONG } else { NORMAL };
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    let running = Running::default();
    let (start, started) = channel();
    let writes = WRITERS * (2 * effort.entries + effort.entries / DECISION_EACH);
    let tried: Vec<Tried> = thread::scope(|scope| {
        let (workspace, running, effort) = (&workspace, &running, &effort);
        let killer = scope.spawn(move || {
            running.kill_some(&started, effort, (writes / effort.kills / 2).max(1));
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let start = start.clone();
                scope.spawn(move || write_all(writer, workspace, running, effort, &start))
            })
            .collect();
        drop(start);
        let tried = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        killer.join().unwrap();
        tried
    });
    assert!(running.killed.load(Ordering::SeqCst) >= effort.kills);

    workspace.run(&What::Entry.arguments("The last word.")).ok();
    assert_eq!(leftovers(&workspace), [""; 0]);
    let shown = workspace.json("memory show 0042 001");
    let problems = workspace.json("stats")["problems"].as_array().unwrap().clone();
    let agent = in_document(&workspace, "plans/0042-graph/agents/001-schema.memory.md");
    let plan = in_document(&workspace, "plans/0042-graph/plan.memory.md");
    let log = in_log(&workspace, &problems);
    for write in &tried {
        let copies = match write.what {
            What::Entry => agent.count(&write.text),
            What::Fact => log.count(&write.text),
            What::Decision => plan.count(&write.text),
        };
        let least = usize::from(write.acknowledged);
        assert!((least..=1).contains(&copies), "{copies} copies of {write:?}");
        if write.what == What::Decision {
            assert_eq!(log.count(&write.text), copies, "a half of {write:?}");
        }
    }
    let there = tried.iter().filter(|write| agent.count(&write.text) == 1).count();
    assert_eq!(shown["findings"].as_array().unwrap().len(), there + 1);
    assert_eq!(shown["problems"], serde_json::json!([]));
}
