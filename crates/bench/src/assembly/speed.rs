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

/// How many contexts a running server assembles.
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
    /// Contexts of a running server.
    warm: Latency,
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
    let GeneratedMemories { root, questions: tasks, .. } = &generated;
    Invocation::new(&heir, &["index", "rebuild", "--json"], root).run_timed()?;
    let mut server = MemoryServer::start(&heir, root)?;
    server.recall(&tasks[0])?;
    server.assemble(&tasks[0], args.budget)?;
    let (mut contexts, mut recalls) = (vec![], vec![]);
    for turn in tasks.chunks(CALLS_PER_TURN) {
        for task in turn {
            recalls.push(server.recall(task)?);
        }
        for task in turn {
            contexts.push(server.assemble(task, args.budget)?);
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
    let (warm, warm_recall) = (Latency::of(contexts), Latency::of(recalls));
    let bars = vec![
        Bar::at_most("warm context / warm recall", warm.p50 / warm_recall.p50, MAX_WARM_RATIO),
        Bar::at_most(
            "fresh context / (--version + git status)",
            fresh.p50 / (version.p50 + git_status.p50),
            MAX_FRESH_RATIO,
        ),
    ];
    let budget = args.budget;
    Ok(SpeedReport { memories: total, budget, warm, warm_recall, fresh, version, git_status, bars })
}

impl fmt::Display for SpeedReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} memories, budget {}", count(self.memories), count(self.budget))?;
        writeln!(out, "{:<44}{:>12}{:>12}", "", "p50", "p99")?;
        for (name, Latency { p50, p99 }) in [
            ("a context, a running server", self.warm),
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
