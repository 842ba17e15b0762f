//! `heirloom-bench` measures the `heir` binary against bars and against its peers.
//!
//! Each measurement has a module: `start`, `fold`, `recall` (for `questions` and `similarity`), `scale`, `workspace`
//! and `peers`. They share `generate` (workspaces of `documents` with filler text of `prose`), `records` (memory logs),
//! `corpus` (memories of random words), `invocation` (running programs), `timing` (interleaved runs), `trace` (opened
//! files), `mcp` (clients of servers), and `report` (bars and tables).

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a terminal tool that measures the store from outside, so it cannot go through it"
)]

mod corpus;
mod documents;
mod failure;
mod files;
mod fold;
mod generate;
mod ids;
mod invocation;
mod mcp;
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

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::failure::Failure;
use crate::recall::memory_system::{self, MemorySystem};
use crate::report::Report;

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

/// The output options of a measurement.
#[derive(Args)]
struct Output {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    /// Also save the result to this file, for `page`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

/// The options that measurements of generated workspaces share.
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

    /// Write the workspaces to this new or empty folder, and keep them
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
/// slow moment of the machine affects all of them. A program that is not installed is a skipped row; a
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
/// Generates both logs (seven in ten records are facts, of which one in ten supersedes an older one and one in
/// twenty repeats another one; the rest are episodes, patterns, workflows, edges, notes and events), then
/// runs heir on both in turn. The answers are checked against the generated records.
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

/// Measures recall on questions with known answers.
///
/// Each file is JSON Lines, and a memory of its own: documents `{"doc", "group", "at", "text"}` and questions
/// `{"question", "text", "gold", "category"}`, with `gold_groups` if only the group of an answer is known.
/// Documents become lines of a memory log, and questions go through the operation `recall`.
#[derive(Args)]
struct QuestionsArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    output: Output,
}

/// Indexes lines with plain tantivy, for `scale`, which times it beside `heir index rebuild`.
#[derive(Args)]
struct BareTantivyArgs {
    /// The memories, one a line
    memories: PathBuf,
    /// An empty folder for the index
    folder: PathBuf,
}

/// Measures recall among many memories, beside plain tantivy and a plain scan of vectors on the same data.
///
/// Memories have thirty words; one in twenty is a finding in a markdown file, the others are facts of the log.
/// `heir mcp` answers the questions of the warm rows, fresh processes those of the others.
#[derive(Args)]
struct ScaleArgs {
    /// How many memories; several numbers are measured in order
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

/// Times the commands that read a whole workspace, beside `git status` of the same tree.
///
/// Generates a workspace in a git repository, runs each command once to fill its caches and to check its answer,
/// and then times all of them in turn: no file has changed since the last command, and all files are in the
/// system's cache.
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

/// Correlates the cosines of the embedder with similarity judged by people.
#[derive(Args)]
struct SimilarityArgs {
    /// Rows of two texts and a score, separated by commas or tabs
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

/// Measures other memory tools, plain BM25, vectors and their fusion on the same questions.
///
/// A tool that is not installed is skipped with the reason; `peers install` installs them. Files are those of
/// `questions`; times are measured on generated memories. One bar for each tool: it takes at least 20 times as long
/// as heir.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
struct PeersArgs {
    #[command(subcommand)]
    command: Option<PeersCommand>,

    /// Files of documents and questions
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How many memories are generated to measure times; 0 skips the times
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    memories: u32,

    /// How many questions are asked to measure times; the first 50, or half, are a warm-up
    #[arg(long, value_name = "N", default_value_t = 250)]
    questions: u32,

    /// Measure only tools whose name contains this; may be repeated
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
            finish(&start::measure(&args)?, &args.common.output, args.common.check)
        }
        Command::Fold(args) => {
            finish(&fold::measure(&args)?, &args.common.output, args.common.check)
        }
        Command::Questions(args) => {
            let heir = || Ok(Box::new(recall::Heir::new()?) as Box<dyn MemorySystem>);
            finish(&memory_system::measure(&args.files, heir)?, &args.output, false)
        }
        Command::BareTantivy(args) => {
            let memories = scale::read_lines(&args.memories)?;
            scale::TantivyBaseline::new(&args.folder, &memories).map(|_| ExitCode::SUCCESS)
        }
        Command::Scale(args) => finish(&scale::measure(&args)?, &args.output, args.check),
        Command::Workspace(args) => {
            finish(&workspace::measure(&args)?, &args.common.output, args.common.check)
        }
        Command::Page(args) => {
            page::write(&args.results, &args.page)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Similarity(args) => {
            finish(&recall::similarity::measure(&args.file)?, &args.output, false)
        }
        Command::Peers(PeersArgs { command: Some(PeersCommand::Install { dir }), .. }) => {
            peers::install(&dir)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Peers(args) => finish(&peers::measure(&args)?, &args.output, args.check),
    }
}

/// Prints a report as tables or as one JSON object, and saves it if `--save` is given. Returns the exit code,
/// which is 1 if bars are checked and one failed.
fn finish(report: &impl Report, output: &Output, check: bool) -> Result<ExitCode, Failure> {
    let failed = |error: serde_json::Error| Failure::new(error.to_string());
    if output.json {
        println!("{}", serde_json::to_string_pretty(report).map_err(failed)?);
    } else {
        print!("{report}");
    }
    if let Some(path) = &output.save {
        page::SavedResult::of(report).map_err(failed)?.write(path)?;
    }
    Ok(if check && report.has_failed_bar() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
