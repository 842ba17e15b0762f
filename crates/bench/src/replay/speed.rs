//! The time of a prediction: of a running server beside recall, and of a fresh process beside `git status`.

use std::path::Path;

use heirloom_core::prediction::CommitMemory;
use serde::Serialize;

use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::scale::{FreshTimes, MemoryServer, write_facts};
use crate::timing::Latency;

/// The number of files that are predicted for, and of questions to recall.
const MAX_CALLS: usize = 200;

/// How many calls of one kind follow each other.
const CALLS_PER_TURN: usize = 20;

/// Times in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct PredictionTimes {
    /// The first prediction, which reads the whole history.
    pub(super) first: f64,
    /// Predictions of a running server.
    pub(super) warm: Latency,
    /// Questions to the same server, which has a memory for each commit.
    pub(super) warm_recall: Latency,
    /// `heir predict` as a fresh process.
    pub(super) fresh: Latency,
    /// `heir --version`.
    pub(super) version: Latency,
    /// `git status` of the same tree.
    pub(super) git_status: Latency,
}

/// Measures predictions for files in a clone. The message of each commit becomes a fact, so that recall has as many
/// memories as prediction.
pub(super) fn measure(
    heir: &Path,
    root: &Path,
    memories: &[CommitMemory],
    paths: &[String],
) -> Result<PredictionTimes, Failure> {
    files::write(&root.join(".heirloom/workspace.md"), "# Replay\n")?;
    let messages: Vec<String> = memories.iter().map(|memory| memory.message.clone()).collect();
    let facts: Vec<(usize, &String)> =
        messages.iter().enumerate().filter(|(_, message)| !message.is_empty()).collect();
    write_facts(root, &facts)?;
    let mut existing: Vec<&str> =
        paths.iter().map(String::as_str).filter(|path| root.join(path).is_file()).collect();
    existing.sort_unstable();
    existing.dedup();
    existing.truncate(MAX_CALLS);
    let Some(first_path) = existing.first() else {
        return Err(Failure::new("no given file exists in the latest commit"));
    };
    Invocation::new(heir, &["index", "rebuild", "--json"], root).run_timed()?;
    let predict = |path: &str| Invocation::new(heir, &["predict", "--file", path, "--json"], root);
    let first = predict(first_path).run_timed()?.as_secs_f64() * 1e3;
    let questions: Vec<&str> =
        memories.iter().rev().map(CommitMemory::subject).take(existing.len()).collect();
    let mut server = MemoryServer::start(heir, root)?;
    server.recall(questions[0])?;
    server.predict(first_path)?;
    let (mut predictions, mut recalls) = (vec![], vec![]);
    for (paths, questions) in existing.chunks(CALLS_PER_TURN).zip(questions.chunks(CALLS_PER_TURN))
    {
        for question in questions {
            recalls.push(server.recall(question)?);
        }
        for path in paths {
            predictions.push(server.predict(path)?);
        }
    }
    drop(server);
    let FreshTimes { command: fresh, version, git_status } =
        FreshTimes::measure(heir, root, |run| predict(existing[run * 31 % existing.len()]))?;
    let (warm, warm_recall) = (Latency::of(predictions), Latency::of(recalls));
    Ok(PredictionTimes { first, warm, warm_recall, fresh, version, git_status })
}
