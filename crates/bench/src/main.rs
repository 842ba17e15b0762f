//! `heirloom-bench` measures the `heir` binary against bars and against its peers.
//!
//! The parts, in the order in which a run passes through them: `generate` writes a workspace (of `documents`,
//! whose words are `prose`), `peers` and `programs` find what else takes part, `timing` runs all of it interleaved,
//! `trace` compares the files that `heir` opens, `report` judges and prints. `start` strings them together. `fold` does
//! the same for logs of two lengths, which `records` writes. `recall` asks questions whose answers are known, `scale`
//! asks among many memories, `workspace` times the commands that look at every document, and `peers` lets other tools answer the same.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a terminal tool that measures the store from outside, so it cannot go through it"
)]

mod documents;
mod failure;
mod fold;
mod generate;
mod numbers;
mod page;
mod peers;
mod programs;
mod prose;
mod recall;
mod records;
mod report;
mod scale;
mod scratch;
mod start;
mod timing;
mod trace;
mod workspace;

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde::Serialize;

use crate::failure::Failure;

/// Measures the heir binary on generated workspaces.
///
/// Nothing here needs the network except `peers install`. Results are wall times of whole processes on this
/// machine: compare rows of one run, not numbers of two machines.
#[derive(Parser)]
#[command(name = "heirloom-bench", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// How a measurement is told.
#[derive(Args)]
struct Output {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    /// Keep the result in this file too, for `page`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

/// What every measurement of generated workspaces takes.
#[derive(Args)]
struct Common {
    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    heir: Option<PathBuf>,

    #[command(flatten)]
    output: Output,

    /// Exit with 1 when a bar fails; a skipped bar does not fail
    #[arg(long)]
    check: bool,

    /// Write the workspaces into this new or empty folder and leave them there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    Start(StartArgs),
    Fold(FoldArgs),
    Questions(QuestionsArgs),
    Scale(ScaleArgs),
    Workspace(WorkspaceArgs),
    #[command(hide = true)]
    BareTantivy(BareTantivyArgs),
    Similarity(SimilarityArgs),
    Page(PageArgs),
    Peers(PeersArgs),
}

/// Times a fresh `heir context resolve` process, and traces which files it opens.
///
/// Generates a workspace in a git repository, then runs /bin/true, heir, node and limps in turn, so that a
/// slow moment of the machine falls on all of them alike. A program that is not installed is a skipped row; a
/// command that fails ends the run.
///
/// Three bars are judged at the end: a resolve takes at most a tenth of `node -e 0`; it opens the same files
/// at 10 plans as at all of them, one listing of plans/ aside; limps takes at least 100 times as long. A bar
/// that could not be measured is skipped, with its reason.
#[derive(Args)]
struct StartArgs {
    #[command(flatten)]
    common: Common,

    /// Plans in the generated workspace
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=9999))]
    plans: u32,

    /// Agents of each plan
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    agents: u32,

    /// Timed runs of each command; limps gets a twentieth, at least 5
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,

    /// The folder that `peers install` filled
    #[arg(long, value_name = "DIR", default_value = peers::DEFAULT_FOLDER)]
    peers: PathBuf,
}

/// Times `heir stats` on a memory log and on one that is twice as long.
///
/// Generates both logs (seven in ten records are facts, of which one in ten replaces an older one and one in
/// twenty says what another one says; the rest are episodes, patterns, workflows, edges, notes and events), then
/// runs heir on both in turn. What heir answers is checked against what was generated.
///
/// One bar is judged: twice the records take at most 2.3 times as long.
#[derive(Args)]
struct FoldArgs {
    #[command(flatten)]
    common: Common,

    /// Records in the shorter log
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    records: u32,

    /// Timed runs of each
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
}

/// Asks questions whose answers are known, and says how well they are found.
///
/// Each file is JSON Lines and a memory of its own: documents `{"doc", "group", "at", "text"}` and questions
/// `{"question", "text", "gold", "category"}`, with `gold_groups` where only the group of an answer is known.
/// Documents become lines of a memory log and are asked for as a user asks.
#[derive(Args)]
struct QuestionsArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    output: Output,
}

/// Indexes lines with bare tantivy, as a process of its own that `scale` sets beside `heir index rebuild`.
#[derive(Args)]
struct BareTantivyArgs {
    /// The memories, one a line
    memories: PathBuf,
    /// An empty folder for the index
    folder: PathBuf,
}

/// Measures recall among many memories, beside bare tantivy and a bare scan of vectors of the same data.
///
/// Memories have about thirty words; one in twenty is a finding in a markdown file, the others are facts of the log.
/// `heir mcp` answers the questions of the warm rows, fresh processes those of the others.
#[derive(Args)]
struct ScaleArgs {
    /// How many memories; several numbers are measured one after the other
    #[arg(value_name = "N", default_values_t = [100_000], value_parser = clap::value_parser!(u32).range(1_000..=5_000_000))]
    memories: Vec<u32>,

    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    heir: Option<PathBuf>,

    /// How many questions
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    questions: u32,

    #[command(flatten)]
    output: Output,

    /// Exit with 1 when a bar fails
    #[arg(long)]
    check: bool,
}

/// Times the commands that look at a whole workspace, beside `git status` of the same tree.
///
/// Generates a workspace in a git repository, runs each command once, so that what it keeps is kept and its
/// answer is checked, and then all of them in turn: nothing has changed since the last command, and files are
/// in the system's cache.
///
/// Bars: `agent list PLAN` takes at most 2 times `heir --version`; `recall`, `plan list` and `graph show NODE`
/// at most 3 times `git status`; `context conflicts`, `context health` and `graph health` at most 8 times.
#[derive(Args)]
struct WorkspaceArgs {
    #[command(flatten)]
    common: Common,

    /// Plans in the generated workspace
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..=99_999))]
    plans: u32,

    /// Agents of each plan
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    agents: u32,

    /// Timed runs of each command
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
}

/// Compares how near the embedder finds texts with how alike people find them.
#[derive(Args)]
struct SimilarityArgs {
    /// Rows of two texts and a score, as CSV or with tabs
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    output: Output,
}

/// Writes the page of results that were saved with `--save`: docs/benchmarks.md.
#[derive(Args)]
struct PageArgs {
    /// The folder of saved results
    #[arg(value_name = "DIR", default_value = "docs/benchmarks")]
    results: PathBuf,

    /// The page
    #[arg(value_name = "FILE", default_value = "docs/benchmarks.md")]
    page: PathBuf,
}

/// Lets other tools of the kind answer the same questions, beside plain BM25, vectors and their fusion.
///
/// A tool that is not installed is skipped, with the reason; `peers install` installs them. Files are those of
/// `questions`; times are of generated memories. One bar for each tool: it takes at least 20 times as long as heir.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
struct PeersArgs {
    #[command(subcommand)]
    command: Option<PeersCommand>,

    /// Files of documents and questions
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Memories for the times; with 0 nothing is timed
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    memories: u32,

    /// Questions for the times; fifty of them, or half, only warm up
    #[arg(long, value_name = "N", default_value_t = 250)]
    questions: u32,

    /// Only tools whose name holds this; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// The heir binary [default: heir beside this program, else target/release/heir]
    #[arg(long, value_name = "PATH")]
    heir: Option<PathBuf>,

    /// The folder that `peers install` filled
    #[arg(long, value_name = "DIR", default_value = peers::DEFAULT_FOLDER)]
    dir: PathBuf,

    #[command(flatten)]
    output: Output,

    /// Exit with 1 when a bar fails; a skipped bar does not fail
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum PeersCommand {
    /// Installs the pinned packages into a folder; needs npm, Python and the network.
    Install {
        /// The folder to install into
        #[arg(long, value_name = "DIR", default_value = peers::DEFAULT_FOLDER)]
        dir: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Start(args) => {
            let report = start::measure(&args)?;
            print(&report, &args.common.output)?;
            Ok(judged(args.common.check && report.has_failed_bar()))
        }
        Command::Fold(args) => {
            let report = fold::measure(&args)?;
            print(&report, &args.common.output)?;
            Ok(judged(args.common.check && report.has_failed_bar()))
        }
        Command::Questions(args) => {
            let heir = || {
                Ok(Box::new(recall::Heir::new()?) as Box<dyn recall::memory_system::MemorySystem>)
            };
            print(&recall::memory_system::measure(&args.files, heir)?, &args.output)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::BareTantivy(args) => {
            let memories = scale::read_lines(&args.memories)?;
            scale::TantivyBaseline::new(&args.folder, &memories).map(|_| ExitCode::SUCCESS)
        }
        Command::Scale(args) => {
            let report = scale::measure(&args)?;
            print(&report, &args.output)?;
            Ok(judged(args.check && report.has_failed_bar()))
        }
        Command::Workspace(args) => {
            let report = workspace::measure(&args)?;
            print(&report, &args.common.output)?;
            Ok(judged(args.common.check && report.has_failed_bar()))
        }
        Command::Page(args) => {
            page::write(&args.results, &args.page)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Similarity(args) => {
            print(&recall::similarity::measure(&args.file)?, &args.output)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Peers(PeersArgs { command: Some(PeersCommand::Install { dir }), .. }) => {
            peers::install(&dir)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Peers(args) => {
            let report = peers::measure(&args)?;
            print(&report, &args.output)?;
            Ok(judged(args.check && report.has_failed_bar()))
        }
    }
}

/// Prints a report as tables, or as one JSON object, and keeps it where that is wanted.
fn print(report: &(impl Serialize + Display), output: &Output) -> Result<(), Failure> {
    let failed = |error: serde_json::Error| Failure::new(error.to_string());
    if output.json {
        println!("{}", serde_json::to_string_pretty(report).map_err(failed)?);
    } else {
        print!("{report}");
    }
    if let Some(path) = &output.save {
        page::SavedResult::of(report).map_err(failed)?.write(path)?;
    }
    Ok(())
}

fn judged(has_failed: bool) -> ExitCode {
    if has_failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}
