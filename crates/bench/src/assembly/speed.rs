//! The time in which a context is assembled among many memories, beside recall on the same memories.

use std::fmt;

use serde::Serialize;

use crate::args::AssembleArgs;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::numbers::count;
use crate::programs;
use crate::report::{Bar, Report, write_bars};
use crate::scale::{FreshTimes, GeneratedMemories, MemoryServer};
use crate::timing::Latency;

/// How many contexts of each kind a running server assembles.
const TASKS: usize = 150;

/// How many calls of one kind a server gets before those of the other kind.
const CALLS_PER_TURN: usize = 15;

/// How many times as long as recall a context may take in a running server.
const MAX_WARM_RATIO: f64 = 5.0;

/// How many times as long as `heir --version` and `git status` together a fresh process may take.
const MAX_FRESH_RATIO: f64 = 10.0;

/// The report of the measurement; times in milliseconds.
#[derive(Serialize)]
pub(crate) struct SpeedReport {
    memories: usize,
    budget: usize,
    /// Contexts of a running server for pieces of work.
    warm: Latency,
    /// Contexts of a running server for questions, which show everything that may hold the answer.
    warm_question: Latency,
    /// Questions to the same server.
    warm_recall: Latency,
    /// `heir assemble` as a fresh process.
    fresh: Latency,
    /// `heir --version`.
    version: Latency,
    /// `git status` of the same tree.
    git_status: Latency,
    bars: Vec<Bar>,
}

impl Report for SpeedReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

/// Measures contexts among so many generated memories.
pub(crate) fn measure_speed(args: &AssembleArgs, total: usize) -> Result<SpeedReport, Failure> {
    let heir = programs::heir(args.heir.as_deref())?;
    let generated = GeneratedMemories::generate(total, TASKS)?;
    let GeneratedMemories { root, questions, .. } = &generated;
    let tasks: Vec<String> = questions.iter().map(|question| piece_of_work(question)).collect();
    Invocation::new(&heir, &["index", "rebuild", "--json"], root).run_timed()?;
    let mut server = MemoryServer::start(&heir, root)?;
    server.recall(&tasks[0])?;
    server.assemble(&tasks[0], args.budget)?;
    let (mut recalls, mut contexts, mut answers) = (vec![], vec![], vec![]);
    for (questions, tasks) in questions.chunks(CALLS_PER_TURN).zip(tasks.chunks(CALLS_PER_TURN)) {
        for question in questions {
            recalls.push(server.recall(question)?);
        }
        for task in tasks {
            contexts.push(server.assemble(task, args.budget)?);
        }
        for question in questions {
            answers.push(server.assemble(question, args.budget)?);
        }
    }
    drop(server);
    let budget = args.budget.to_string();
    let FreshTimes { command: fresh, version, git_status } =
        FreshTimes::measure(&heir, root, |run| {
            let task = &tasks[run * 31 % tasks.len()];
            let arguments = ["assemble", "--task", task, "--budget", &budget, "--json"];
            Invocation::new(&heir, &arguments, root)
        })?;
    let [warm, warm_question, warm_recall] = [contexts, answers, recalls].map(Latency::of);
    let warm_bar =
        |name, warm: Latency| Bar::at_most(name, warm.p50 / warm_recall.p50, MAX_WARM_RATIO);
    let bars = vec![
        warm_bar("warm context for work / warm recall", warm),
        warm_bar("warm context for a question / warm recall", warm_question),
        Bar::at_most(
            "fresh context / (--version + git status)",
            fresh.p50 / (version.p50 + git_status.p50),
            MAX_FRESH_RATIO,
        ),
    ];
    let budget = args.budget;
    let memories = total;
    Ok(SpeedReport {
        memories,
        budget,
        warm,
        warm_question,
        warm_recall,
        fresh,
        version,
        git_status,
        bars,
    })
}

/// Returns a piece of work with the words of a question.
fn piece_of_work(question: &str) -> String {
    let words = question.trim_start_matches("what of ").trim_end_matches('?');
    format!("Add {words}")
}

impl fmt::Display for SpeedReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} memories, budget {}", count(self.memories), count(self.budget))?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        for (name, Latency { p50, p99 }) in [
            ("a context for work, a running server", self.warm),
            ("a context for a question, the same server", self.warm_question),
            ("recall, the same server", self.warm_recall),
            ("heir assemble, a fresh process", self.fresh),
            ("heir --version", self.version),
            ("git status", self.git_status),
        ] {
            writeln!(out, "{name:<44}{p50:>9.2} ms{p99:>9.2} ms")?;
        }
        writeln!(out)?;
        write_bars(out, &self.bars)
    }
}
