//! Interleaved timing of whole processes, and statistics of times.

use std::time::Duration;

use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::numbers::{count, millis};

/// How many untimed rounds precede the timed ones.
const WARM_UP_ROUNDS: usize = 5;

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

impl TimingSummary {
    fn of(mut times: Vec<Duration>) -> Self {
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

    /// Returns the cells of a table: the number of runs, the median, the range from the 10th to the 90th
    /// percentile, and the minimum.
    pub(crate) fn cells(&self) -> [String; 4] {
        [
            count(self.runs),
            format!("{} ms", millis(self.median_us)),
            format!("{}–{} ms", millis(self.p10_us), millis(self.p90_us)),
            format!("{} ms", millis(self.min_us)),
        ]
    }
}

/// The latency of a question, in milliseconds.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Latency {
    /// The median.
    pub(crate) p50: f64,
    /// The 99th percentile.
    pub(crate) p99: f64,
}

impl Latency {
    /// Computes the percentiles of times.
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let millis: Vec<_> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        Latency { p50: quantile(&millis, 0.5), p99: quantile(&millis, 0.99) }
    }
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
    Ok(times.into_iter().map(TimingSummary::of).collect())
}

/// Returns whether a command with `runs` runs takes part in a round; its runs are spread evenly.
fn is_due(round: usize, rounds: usize, runs: usize) -> bool {
    (round + 1) * runs / rounds > round * runs / rounds
}

/// Returns the quantile of sorted values, interpolated between the two nearest; 0 if there are none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let position = share * last as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{Invocation, TimedCommand, TimingSummary, is_due, race};
    use crate::failure::Failure;

    fn shell(script: &str) -> Invocation {
        Invocation::new(Path::new("/bin/sh"), &["-c", script], &std::env::temp_dir())
            .with_variable("GREETING", "hello")
    }

    #[test]
    fn a_summary_does_not_depend_on_order() {
        let times = [5, 1, 4, 2, 3, 11, 6, 10, 7, 9, 8].map(Duration::from_micros);
        let summary = TimingSummary::of(times.to_vec());
        assert_eq!(summary.runs, 11);
        let assert_close = |measured: f64, expected: f64| {
            assert!((measured - expected).abs() < 1e-6, "{measured}, not {expected}");
        };
        assert_close(summary.median_us, 6.0);
        assert_close(summary.p10_us, 2.0);
        assert_close(summary.p90_us, 10.0);
        assert_close(summary.min_us, 1.0);
    }

    #[test]
    fn the_median_of_an_even_number_of_times_is_interpolated() {
        let summary = TimingSummary::of([10, 20].map(Duration::from_micros).to_vec());
        assert!((summary.median_us - 15.0).abs() < 1e-6);
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
        let summaries = race(&[command(4), command(2)], 4).unwrap();
        assert_eq!(summaries.iter().map(|summary| summary.runs).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn a_failing_command_is_an_error_with_its_stderr() {
        let invocations = vec![shell("exit 0"), shell("echo $GREETING >&2; exit 3")];
        let failure = race(&[TimedCommand { name: "sh", invocations, runs: 2 }], 2).unwrap_err();
        let Failure::Command { status, stderr, .. } = failure else { panic!("{failure}") };
        assert_eq!((status.as_str(), stderr.as_str()), ("exit status: 3", "hello\n"));
    }
}
