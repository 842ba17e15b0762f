//! Acknowledged writes are durable: many processes write the same files while some are killed, and
//! every write of a process that exited with 0 is stored exactly once.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use heirloom_testkit::{SeededRng, TEAM, Workspace, is_long_run};
use serde_json::Value;

use crate::HEIR;

const WRITERS: usize = 16;

const SIGKILL: i32 = 9;

/// The size of a run.
struct Scale {
    /// Number of entries of each writer, and of facts.
    entries: usize,
    /// Number of processes to kill.
    kills: usize,
}

/// Every write reads all earlier ones, so the time of a run grows with the square of its entries.
const NORMAL: Scale = Scale { entries: 30, kills: 30 };
const LONG: Scale = Scale { entries: 200, kills: 1_000 };

/// Number of entries per decision of the plan, which changes a document and the log together.
const ENTRIES_PER_DECISION: usize = 10;

/// The kind of memory that a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum WriteKind {
    /// An entry of the agent's memory document.
    Entry,
    /// A fact of the log.
    Fact,
    /// A decision in the plan's memory document, which is also stored as a fact.
    Decision,
}

/// The result of a write.
#[derive(Debug)]
struct Attempt {
    kind: WriteKind,
    text: String,
    acknowledged: bool,
}

/// The running processes. A child stays in the list until it was waited for, so that its process id
/// cannot be reused and no other process is killed.
#[derive(Default)]
struct ProcessTable {
    children: Mutex<Vec<Arc<Mutex<Child>>>>,
    killed: AtomicUsize,
}

impl ProcessTable {
    /// Runs a process until it exits or is killed.
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
        // The receiver is gone once enough processes were killed.
        started.send(()).ok();
        let mut error = String::new();
        // Reading until the process closes stderr waits for its end without locking the child, which
        // would prevent a kill.
        errors.read_to_string(&mut error).unwrap();
        let status = child.lock().unwrap().wait().unwrap();
        self.children.lock().unwrap().retain(|other| !Arc::ptr_eq(other, &child));
        match status.signal() {
            Some(SIGKILL) => drop(self.killed.fetch_add(1, Ordering::SeqCst)),
            _ => assert!(status.success(), "{arguments:?}: {status}\n{error}"),
        }
        status
    }

    /// Kills a process after every `interval` starts until enough were killed, and then only drains the
    /// channel.
    fn kill_some(&self, started: &Receiver<()>, scale: &Scale, interval: usize) {
        let mut chance = SeededRng::new(7);
        while (0..interval).all(|_| started.recv().is_ok()) {
            if self.killed.load(Ordering::SeqCst) >= scale.kills {
                continue;
            }
            let victim = {
                let children = self.children.lock().unwrap();
                // The oldest process likely holds the lock, while the others wait for it.
                match chance.below(2) {
                    0 => children.first().cloned(),
                    _ => chance.pick(&children).cloned(),
                }
            };
            // A random delay, so that processes are killed at any point of their run.
            thread::sleep(Duration::from_micros(chance.below(30_000) as u64));
            if let Some(victim) = victim {
                drop(victim.lock().unwrap().kill());
            }
        }
    }
}

/// Writes all entries, and more until enough processes were killed.
fn write_all(
    writer: usize,
    workspace: &Workspace,
    processes: &ProcessTable,
    scale: &Scale,
    started: &Sender<()>,
) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    let mut number = 0;
    while number < scale.entries || processes.killed.load(Ordering::SeqCst) < scale.kills {
        let is_decision = number % ENTRIES_PER_DECISION == ENTRIES_PER_DECISION - 1;
        let decision = is_decision.then_some(WriteKind::Decision);
        for kind in [Some(WriteKind::Entry), Some(WriteKind::Fact), decision].into_iter().flatten()
        {
            let text = format!("{kind:?} {number} of writer {writer}.");
            let status = processes.run(workspace, &kind.arguments(&text), started);
            attempts.push(Attempt { kind, text, acknowledged: status.success() });
        }
        number += 1;
    }
    attempts
}

impl WriteKind {
    fn arguments(self, text: &str) -> Vec<&str> {
        match self {
            WriteKind::Entry => vec!["memory", "add", "0042", "001", "finding", text],
            WriteKind::Fact => vec!["fact", "add", "--section", "Decisions", text],
            WriteKind::Decision => vec!["memory", "add", "0042", "--plan", "decision", text],
        }
    }
}

/// How often each text is stored.
#[derive(Default)]
struct TextCounts(HashMap<String, usize>);

impl TextCounts {
    fn add(&mut self, text: &str) {
        *self.0.entry(text.to_owned()).or_default() += 1;
    }

    fn count(&self, text: &str) -> usize {
        self.0.get(text).copied().unwrap_or_default()
    }
}

/// Counts the texts of a memory document: its bullets, and the first cells of its tables.
fn in_document(workspace: &Workspace, path: &str) -> TextCounts {
    let mut counts = TextCounts::default();
    for line in workspace.read(path).lines() {
        let bullet = line.strip_prefix("- ");
        let cell = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        if let Some(text) = bullet.or(cell) {
            counts.add(text.split(" <!--").next().unwrap());
        }
    }
    counts
}

/// Counts the texts of the log. A line that is not JSON must be torn and reported.
fn in_log(workspace: &Workspace, problems: &[Value]) -> TextCounts {
    let mut counts = TextCounts::default();
    let mut torn = 0;
    for shard in workspace.shards("fact") {
        for (at, line) in workspace.read(&shard).lines().enumerate() {
            match serde_json::from_str::<Value>(line) {
                Ok(record) => counts.add(record["content"].as_str().unwrap()),
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
    counts
}

/// Returns the temporary files of writes.
fn leftovers(workspace: &Workspace) -> Vec<String> {
    let endings = [".heir-new", "journal.json", "journal.drafts", ".draft"];
    let mut files = workspace.files("");
    files.retain(|file| endings.iter().any(|ending| file.ends_with(ending)));
    files
}

#[test]
fn acknowledged_writes_are_stored_once_while_processes_are_killed() {
    let scale = if is_long_run() { LONG } else { NORMAL };
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    let processes = ProcessTable::default();
    let (start, started) = channel();
    let writes = WRITERS * (2 * scale.entries + scale.entries / ENTRIES_PER_DECISION);
    let attempts: Vec<Attempt> = thread::scope(|scope| {
        let (workspace, processes, scale) = (&workspace, &processes, &scale);
        let killer = scope.spawn(move || {
            processes.kill_some(&started, scale, (writes / scale.kills / 2).max(1));
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let start = start.clone();
                scope.spawn(move || write_all(writer, workspace, processes, scale, &start))
            })
            .collect();
        drop(start);
        let attempts = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        killer.join().unwrap();
        attempts
    });
    assert!(processes.killed.load(Ordering::SeqCst) >= scale.kills);

    workspace.run(&WriteKind::Entry.arguments("The last word.")).ok();
    assert_eq!(leftovers(&workspace), [""; 0]);
    let shown = workspace.json("memory show 0042 001");
    let problems = workspace.json("stats")["problems"].as_array().unwrap().clone();
    let agent = in_document(&workspace, "plans/0042-graph/agents/001-schema.memory.md");
    let plan = in_document(&workspace, "plans/0042-graph/plan.memory.md");
    let log = in_log(&workspace, &problems);
    for write in &attempts {
        let copies = match write.kind {
            WriteKind::Entry => agent.count(&write.text),
            WriteKind::Fact => log.count(&write.text),
            WriteKind::Decision => plan.count(&write.text),
        };
        let min_copies = usize::from(write.acknowledged);
        assert!((min_copies..=1).contains(&copies), "{copies} copies of {write:?}");
        if write.kind == WriteKind::Decision {
            assert_eq!(
                log.count(&write.text),
                copies,
                "only one of document and log has {write:?}"
            );
        }
    }
    let stored = attempts.iter().filter(|write| agent.count(&write.text) == 1).count();
    assert_eq!(shown["findings"].as_array().unwrap().len(), stored + 1);
    assert_eq!(shown["problems"], serde_json::json!([]));
}
