//! One target, fuzzed for a while.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::crash::{self, Failure};
use crate::mutate::{MAX_INPUT, mutate};
use crate::random::Random;
use crate::signature::Signature;
use crate::targets::Target;
use crate::watchdog::Watchdog;

/// More inputs than this are not kept in memory; each of them would be bent too seldom.
const MAX_KEPT: usize = 20_000;

/// What came of fuzzing one target.
#[derive(Debug)]
pub struct Tally {
    /// How many inputs were run.
    pub inputs: u64,
    /// How many different outcomes there were.
    pub outcomes: usize,
    /// How long it took.
    pub time: Duration,
    /// The first failure, with an input that leads to it.
    pub failure: Option<(Failure, Vec<u8>)>,
}

/// Runs a target for a time, or up to its first failure.
pub fn fuzz(
    target: &'static Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
    time: Duration,
    watchdog: &Watchdog,
) -> Tally {
    let start = Instant::now();
    let mut run = Run { target, watchdog, kept: Vec::new(), seen: HashSet::new(), inputs: 0 };
    let failed =
        run.seeds(seeds).or_else(|| run.mutations(Random::new(seed, target.name), start, time));
    let failure = failed.map(|(failure, input)| {
        let small = crash::minimise(&input, |shorter| {
            run.once(shorter).is_err_and(|other| other.place == failure.place)
        });
        (run.once(&small).err().unwrap_or(failure), small)
    });
    Tally { inputs: run.inputs, outcomes: run.seen.len(), time: start.elapsed(), failure }
}

/// Runs one input through a target.
pub fn replay(
    target: &'static Target,
    input: &[u8],
    watchdog: &Watchdog,
) -> Result<Signature, Failure> {
    watchdog.begin(target.name, input);
    let outcome = crash::catch(|| (target.run)(input));
    watchdog.end();
    outcome
}

struct Run<'w> {
    target: &'static Target,
    watchdog: &'w Watchdog,
    kept: Vec<Vec<u8>>,
    seen: HashSet<Signature>,
    inputs: u64,
}

type Failed = Option<(Failure, Vec<u8>)>;

impl Run<'_> {
    fn seeds(&mut self, seeds: Vec<Vec<u8>>) -> Failed {
        for input in seeds {
            match self.once(&input) {
                Ok(signature) => self.keep(signature, input, true),
                Err(failure) => return Some((failure, input)),
            }
        }
        None
    }

    fn mutations(&mut self, mut random: Random, start: Instant, time: Duration) -> Failed {
        while start.elapsed() < time {
            let first = random.pick(&self.kept).map_or(&[][..], Vec::as_slice);
            let second = random.pick(&self.kept).map_or(&[][..], Vec::as_slice);
            let input = mutate(&mut random, first, second);
            match self.once(&input) {
                Ok(signature) => self.keep(signature, input, false),
                Err(failure) => return Some((failure, input)),
            }
        }
        None
    }

    fn once(&mut self, input: &[u8]) -> Result<Signature, Failure> {
        self.inputs += 1;
        replay(self.target, input, self.watchdog)
    }

    /// Keeps an input whose outcome is new, and every seed.
    fn keep(&mut self, signature: Signature, input: Vec<u8>, always: bool) {
        let new = self.seen.insert(signature);
        if (new || always) && self.kept.len() < MAX_KEPT && input.len() <= MAX_INPUT {
            self.kept.push(input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brittle(input: &[u8]) -> Signature {
        assert!(!input.windows(4).any(|part| part == b"<!--"), "a planted bug");
        Signature::of(input.len())
    }

    #[test]
    fn a_planted_bug_is_found_and_made_small() {
        static BRITTLE: Target = Target { name: "brittle", run: brittle };
        let tally = fuzz(
            &BRITTLE,
            vec![b"some text\n".to_vec()],
            1,
            Duration::from_secs(30),
            &Watchdog::default(),
        );
        let (_, input) = tally.failure.unwrap();
        assert_eq!(input, b"<!--");
    }
}
