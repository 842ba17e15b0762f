//! `heirloom-bench` measures the `heir` binary against bars and against its peers.
//!
//! `args` is the command line. Each measurement has a module: `start`, `fold`, `recall` (for `questions` and
//! `similarity`), `citations`, `extraction`, `consolidation`, `contradictions`, `scale`, `cold`, `workspace`, `replay`, `peers` and
//! `answers`. They share `generate` (workspaces of `documents` with filler text of `prose`), `records` (memory logs), `corpus` (memories of random
//! words), `invocation` (running programs), `timing` (interleaved runs), `trace` (opened files), `mcp` (clients of servers),
//! and `report` (bars and tables).

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a terminal tool that measures the store from outside, so it cannot go through it"
)]

mod answers;
mod args;
mod assembly;
mod citations;
mod cold;
mod consolidation;
mod contradictions;
mod corpus;
mod documents;
mod extraction;
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
mod replay;
mod report;
mod scale;
mod scratch;
mod start;
mod timing;
mod trace;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{
    Cli, Command, ConsolidationPart, ContradictionsArgs, ContradictionsPart, JudgedOutput, Output,
    PeersArgs, PeersCommand,
};
use crate::failure::Failure;
use crate::recall::memory_system::{self, MemorySystem};
use crate::report::Report;

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
        Command::Assemble(args) if args.replay => {
            finish_judged(&assembly::replay(args.budget)?, &args.judged)
        }
        Command::Assemble(args) => match args.scale {
            Some(total) => {
                finish_judged(&assembly::measure_speed(&args, total as usize)?, &args.judged)
            }
            None => finish_judged(&assembly::measure(&args)?, &args.judged),
        },
        Command::Answers(args) => finish(&answers::measure(&args)?, &args.output),
        Command::Start(args) => finish_judged(&start::measure(&args)?, &args.common.judged),
        Command::Fold(args) => finish_judged(&fold::measure(&args)?, &args.common.judged),
        Command::Questions(args) if args.sessions => {
            finish(&recall::measure_sessions(&args.files)?, &args.output)
        }
        Command::Questions(args) if args.categories => {
            finish(&recall::measure_categories(&args.files)?, &args.output)
        }
        Command::Questions(args) => {
            let heir = || {
                let heir = recall::Heir::new()?.with_instructions(args.with_instructions);
                Ok(Box::new(heir) as Box<dyn MemorySystem>)
            };
            finish(&memory_system::measure(&args.files, heir)?, &args.output)
        }
        #[cfg(feature = "tantivy")]
        Command::BareTantivy(args) => {
            scale::index_file(&args.memories, &args.folder)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Cold(args) => finish_judged(&cold::measure(&args)?, &args.judged),
        Command::Consolidation(args) => match args.part {
            ConsolidationPart::Forgetting(args) => {
                finish_judged(&consolidation::measure_forgetting(&args.files)?, &args.judged)
            }
            ConsolidationPart::Duplicates(args) => {
                finish_judged(&consolidation::measure_duplicates(&args)?, &args.judged)
            }
            ConsolidationPart::Scale(args) => {
                finish_judged(&consolidation::measure_scale(&args)?, &args.judged)
            }
        },
        Command::Scale(args) => finish_judged(&scale::measure(&args)?, &args.judged),
        Command::Workspace(args) => finish_judged(&workspace::measure(&args)?, &args.common.judged),
        Command::Replay(args) => finish_judged(&replay::measure(&args)?, &args.judged),
        Command::Page(args) => {
            page::write(&args.results, &args.page)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Similarity(args) => {
            finish(&recall::similarity::measure(&args.file)?, &args.output)
        }
        Command::Contradictions(ContradictionsArgs { part, pairs }) => match part {
            Some(ContradictionsPart::Planted(args)) => {
                finish_judged(&contradictions::measure_planted(&args)?, &args.judged)
            }
            None => finish(&contradictions::measure(&pairs)?, &pairs.output),
        },
        Command::Citations(args) => finish_judged(&citations::measure(&args.files)?, &args.judged),
        Command::Extraction(args) => {
            finish_judged(&extraction::measure(&args.files)?, &args.judged)
        }
        Command::Peers(PeersArgs { command: Some(PeersCommand::Install { dir }), .. }) => {
            peers::install(&dir)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Peers(args) => finish_judged(&peers::measure(&args)?, &args.judged),
    }
}

/// Finishes a measurement with bars. Returns the exit code, which is 1 if bars are checked and a bar failed.
fn finish_judged(report: &impl Report, judged: &JudgedOutput) -> Result<ExitCode, Failure> {
    let code = finish(report, &judged.output)?;
    Ok(if judged.check && report.has_failed_bar() { ExitCode::from(1) } else { code })
}

/// Prints a report as tables or as one JSON object, and saves it if `--save` is given.
fn finish(report: &impl Report, output: &Output) -> Result<ExitCode, Failure> {
    let failed = |error: serde_json::Error| Failure::new(error.to_string());
    if output.json {
        println!("{}", serde_json::to_string_pretty(report).map_err(failed)?);
    } else {
        print!("{report}");
    }
    if let Some(path) = &output.save {
        page::SavedResult::of(report).map_err(failed)?.write(path)?;
    }
    Ok(ExitCode::SUCCESS)
}
