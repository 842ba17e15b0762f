//! `heirloom-fuzz` throws bent inputs at everything that parses or edits a text from outside.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a terminal tool with files of its own, none of which is a workspace"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use heirloom_fuzz::targets::{TARGETS, Target};
use heirloom_fuzz::watchdog::Watchdog;
use heirloom_fuzz::{corpus, crash, harness};

/// Fuzzes the parsers and the lossless edits of Heirloom.
///
/// The time is split over the targets. A target stops at its first failure: the input is made small and kept under
/// target/fuzz/crashes, and the exit code is 1. A seed means the same inputs in the same order.
#[derive(Parser)]
#[command(name = "heirloom-fuzz", version)]
struct Arguments {
    /// For how long, over all targets.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this target.
    #[arg(long, value_parser = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>())]
    target: Option<String>,
    /// The seeds, in a folder per target.
    #[arg(long, default_value_os_t = corpus::home(), hide_default_value = true)]
    corpus: PathBuf,
    /// Inputs to run once instead of fuzzing. Without --target, the name or the folder of a file says which target
    /// it is for; all targets where neither does.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    crash::quiet();
    let watchdog = Watchdog::start();
    let result = if arguments.files.is_empty() {
        fuzz(&arguments, &watchdog)
    } else {
        replay(&arguments, &watchdog)
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("heirloom-fuzz: {message}");
            ExitCode::from(2)
        }
    }
}

/// Fuzzes the chosen targets and says whether all held.
fn fuzz(arguments: &Arguments, watchdog: &Watchdog) -> Result<bool, String> {
    let chosen: Vec<&'static Target> = TARGETS
        .iter()
        .filter(|target| arguments.target.as_deref().is_none_or(|name| name == target.name))
        .collect();
    let each =
        Duration::from_secs(arguments.seconds) / u32::try_from(chosen.len()).unwrap_or(1).max(1);
    let (mut inputs, mut time, mut held) = (0, Duration::ZERO, true);
    for target in chosen {
        let seeds = corpus::load(&arguments.corpus, target.name)
            .map_err(|error| format!("{}/{}: {error}", arguments.corpus.display(), target.name))?;
        let seeds = seeds.into_iter().map(|(_, bytes)| bytes).collect();
        let tally = harness::fuzz(target, seeds, arguments.seed, each, watchdog);
        println!(
            "{:<16} {:>9} inputs  {:>8.0} a second  {:>6} outcomes",
            target.name,
            tally.inputs,
            rate(tally.inputs, tally.time),
            tally.outcomes
        );
        inputs += tally.inputs;
        time += tally.time;
        if let Some((failure, input)) = tally.failure {
            held = false;
            eprintln!("{}: {} ({})", target.name, failure.message, failure.place);
            eprintln!("  with {:?}", String::from_utf8_lossy(&input));
            crash::keep(target.name, &input);
        }
    }
    println!("{:<16} {inputs:>9} inputs  {:>8.0} a second", "all", rate(inputs, time));
    Ok(held)
}

/// Runs files once and says whether all held.
fn replay(arguments: &Arguments, watchdog: &Watchdog) -> Result<bool, String> {
    let mut held = true;
    for file in &arguments.files {
        let input = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for target in targets_of(file, arguments.target.as_deref()) {
            match harness::replay(target, &input, watchdog) {
                Ok(_) => println!("{}: {} holds", file.display(), target.name),
                Err(failure) => {
                    held = false;
                    println!(
                        "{}: {}: {} ({})",
                        file.display(),
                        target.name,
                        failure.message,
                        failure.place
                    );
                }
            }
        }
    }
    Ok(held)
}

fn targets_of(file: &Path, named: Option<&str>) -> Vec<&'static Target> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder =
        file.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let meant = TARGETS.iter().filter(|target| match named {
        Some(named) => target.name == named,
        None => {
            folder == target.name
                || name.strip_prefix(target.name).is_some_and(|rest| rest.starts_with('-'))
        }
    });
    let meant: Vec<_> = meant.collect();
    if meant.is_empty() { TARGETS.iter().collect() } else { meant }
}

fn rate(inputs: u64, time: Duration) -> f64 {
    inputs as f64 / time.as_secs_f64().max(0.001)
}
