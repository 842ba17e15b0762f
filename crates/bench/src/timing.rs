//! Interleaved timing of whole processes, and statistics of their times.

use std::fmt;
use std::fs;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::failure::Failure;

/// How many untimed rounds precede the timed ones.
const WARM_UP_ROUNDS: usize = 5;
/// How often the memory of a running process is read.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A program with its arguments and environment.
#[derive(Clone)]
pub(crate) struct Invocation {
    /// The full path of the program, since it runs in another folder.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The working folder.
    pub(crate) folder: PathBuf,
    /// Environment variables that are set in addition to the inherited ones.
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// A command that is timed.
pub(crate) struct TimedCommand {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// The invocations, which are run in turn.
    pub(crate) invocations: Vec<Invocation>,
    /// How many timed runs it gets, at most one in each round.
    pub(crate) runs: usize,
}

/// The times of a command, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimingSummary {
    /// How many runs were timed.
    pub(crate) runs: usize,
    pub(crate) median_us: f64,
    /// The 10th percentile.
    pub(crate) p10_us: f64,
    /// The 90th percentile.
    pub(crate) p90_us: f64,
    pub(crate) min_us: f64,
}

impl Invocation {
    /// Runs it untimed, and returns its standard output.
    ///
    /// The output goes through a file, since limps exits before a pipe is drained and loses all after 64 KiB.
    pub(crate) fn output(&self) -> Result<String, Failure> {
        let starting = || Failure::io("starting", &self.program);
        let mut written = tempfile::tempfile().map_err(starting())?;
        let stdout = written.try_clone().map_err(starting())?;
        let ended =
            self.command().stdin(Stdio::null()).stdout(stdout).output().map_err(starting())?;
        if !ended.status.success() {
            return Err(Failure::Command {
                command: self.to_string(),
                status: ended.status.to_string(),
                stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
            });
        }
        let mut text = Vec::new();
        written.rewind().and_then(|()| written.read_to_end(&mut text)).map_err(starting())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Runs it untimed, and returns its peak resident memory in bytes, or why that is not known.
    ///
    /// The system drops this number when the process exits, so it is polled.
    pub(crate) fn peak_memory(&self) -> Result<Result<u64, String>, Failure> {
        let starting = || Failure::io("starting", &self.program);
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(starting())?;
        let status_file = format!("/proc/{}/status", child.id());
        let mut peak = Err("the system does not report the peak memory of a process".to_owned());
        while child.try_wait().map_err(starting())?.is_none() {
            let status = fs::read_to_string(&status_file).ok();
            if let Some(kilobytes) = status.as_deref().and_then(high_water_mark) {
                peak = Ok(kilobytes * 1024);
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(peak)
    }

    /// Returns the command, for a caller that decides where its output goes.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it once without output, and returns the wall time from spawn to exit.
    fn run_timed(&self) -> Result<Duration, Failure> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let status = command.spawn().and_then(|mut child| child.wait());
        let elapsed = started.elapsed();
        let status = status.map_err(Failure::io("starting", &self.program))?;
        if status.success() {
            return Ok(elapsed);
        }
        // The output was discarded, so the command runs again to get its error message.
        self.output()?;
        Err(Failure::Command {
            command: self.to_string(),
            status: status.to_string(),
            stderr: "it succeeded when it was run again".to_owned(),
        })
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.program.file_name().unwrap_or(self.program.as_os_str());
        write!(f, "{}", name.display())?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

/// Reads the line `VmHWM:   123 kB` of a process's status.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Runs the commands in turn for `rounds` rounds and returns a summary of each.
///
/// Every round starts with another command, so that none always runs after the same one.
pub(crate) fn race(
    commands: &[TimedCommand],
    rounds: usize,
) -> Result<Vec<TimingSummary>, Failure> {
    let mut times = vec![Vec::new(); commands.len()];
    for round in 0..WARM_UP_ROUNDS {
        for command in commands.iter().filter(|command| command.runs == rounds) {
            command.invocations[round % command.invocations.len()].run_timed()?;
        }
    }
    for round in 0..rounds {
        for turn in 0..commands.len() {
            let index = (round + turn) % commands.len();
            let command = &commands[index];
            if is_due(round, rounds, command.runs) {
                let next = times[index].len() % command.invocations.len();
                times[index].push(command.invocations[next].run_timed()?);
            }
        }
    }
    Ok(times.into_iter().map(summarise).collect())
}

/// Returns whether a command with `runs` runs takes part in a round; its runs are spread evenly.
fn is_due(round: usize, rounds: usize, runs: usize) -> bool {
    (round + 1) * runs / rounds > round * runs / rounds
}

fn summarise(mut times: Vec<Duration>) -> TimingSummary {
    times.sort_unstable();
    let micros: Vec<_> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
    TimingSummary {
        runs: micros.len(),
        median_us: quantile(&micros, 0.5),
        p10_us: quantile(&micros, 0.1),
        p90_us: quantile(&micros, 0.9),
        min_us: quantile(&micros, 0.0),
    }
}

/// Returns the quantile of sorted values, interpolated between the two nearest.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = share * last as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::{Invocation, TimedCommand, is_due, race, summarise};
    use crate::failure::Failure;

    fn shell(script: &str) -> Invocation {
        Invocation {
            program: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            folder: std::env::temp_dir(),
            variables: vec![("GREETING", "hello".to_owned())],
        }
    }

    #[test]
    fn a_summary_does_not_depend_on_order() {
        let times = [5, 1, 4, 2, 3, 11, 6, 10, 7, 9, 8].map(Duration::from_micros);
        let found = summarise(times.to_vec());
        assert_eq!(found.runs, 11);
        let close = |found: f64, wanted: f64| {
            assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
        };
        close(found.median_us, 6.0);
        close(found.p10_us, 2.0);
        close(found.p90_us, 10.0);
        close(found.min_us, 1.0);
    }

    #[test]
    fn the_median_of_an_even_number_of_times_is_interpolated() {
        let found = summarise([10, 20].map(Duration::from_micros).to_vec());
        assert!((found.median_us - 15.0).abs() < 1e-6);
    }

    #[test]
    fn few_runs_are_spread_over_all_rounds() {
        let due: Vec<_> = (0..20).filter(|round| is_due(*round, 20, 4)).collect();
        assert_eq!(due, [4, 9, 14, 19]);
        assert_eq!((0..200).filter(|round| is_due(*round, 200, 7)).count(), 7);
        assert!((0..20).all(|round| is_due(round, 20, 20)));
    }

    #[test]
    fn each_command_gets_its_number_of_runs() {
        let command = |runs| TimedCommand { name: "sh", invocations: vec![shell("exit 0")], runs };
        let found = race(&[command(4), command(2)], 4).unwrap();
        assert_eq!(found.iter().map(|summary| summary.runs).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn a_failing_command_is_an_error_with_its_stderr() {
        let invocations = vec![shell("exit 0"), shell("echo $GREETING >&2; exit 3")];
        let failure = race(&[TimedCommand { name: "sh", invocations, runs: 2 }], 2).unwrap_err();
        let Failure::Command { status, stderr, .. } = failure else { panic!("{failure}") };
        assert_eq!((status.as_str(), stderr.as_str()), ("exit status: 3", "hello\n"));
    }
}
