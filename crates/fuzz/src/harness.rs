//! Runs one target on its corpus and on a fixed number of mutated inputs.

use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::{fs, io};

use heirloom_testkit::SeededRng;

use crate::mutate::{MAX_INPUT_BYTES, mutate};
use crate::signature::Signature;
use crate::targets::Target;

/// Inputs with a new outcome that are kept as a base for further mutations. With more, each would be
/// mutated too seldom.
const MAX_BASES: usize = 20_000;

/// What came of fuzzing one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// How many inputs were run.
    pub inputs: usize,
    /// How many different outcomes they had.
    pub outcomes: usize,
}

/// Runs a target on `seeds` and on `inputs` mutations of them. The same seed gives the same inputs on
/// every machine.
///
/// # Panics
/// If the target panics. The input is written to a file, which the message names.
pub fn fuzz(target: &Target, seeds: Vec<Vec<u8>>, seed: u64, inputs: usize) -> Summary {
    let mut run = Run { target, bases: Vec::new(), outcomes: HashSet::new(), inputs: 0 };
    for input in seeds {
        run.try_input(&input);
        run.bases.push(input);
    }
    let mut random = SeededRng::new(seed);
    for _ in 0..inputs {
        let first = random.pick(&run.bases).map_or(&[][..], Vec::as_slice);
        let second = random.pick(&run.bases).map_or(&[][..], Vec::as_slice);
        let input = mutate(&mut random, first, second);
        let is_new = run.try_input(&input);
        if is_new && run.bases.len() < MAX_BASES {
            run.bases.push(input);
        }
    }
    Summary { inputs: run.inputs, outcomes: run.outcomes.len() }
}

struct Run<'t> {
    target: &'t Target,
    /// The inputs that mutations start from.
    bases: Vec<Vec<u8>>,
    outcomes: HashSet<Signature>,
    inputs: usize,
}

impl Run<'_> {
    /// Runs an input; returns whether its outcome is new.
    fn try_input(&mut self, input: &[u8]) -> bool {
        self.inputs += 1;
        let name = self.target.name;
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (self.target.run)(input)));
        let Ok(signature) = outcome else {
            let place = match save(name, input) {
                Ok(path) => format!("saved as {}", path.display()),
                Err(error) => format!("could not be saved: {error}"),
            };
            panic!(
                "{name} fails on an input of {} bytes, {place}",
                input.len().min(MAX_INPUT_BYTES)
            );
        };
        self.outcomes.insert(signature)
    }
}

/// Saves a failing input, from where it can be copied into the corpus.
fn save(target: &str, input: &[u8]) -> io::Result<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/fuzz/failures"));
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{target}-{}", input.len()));
    fs::write(&path, input)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail_on_comments(input: &[u8]) -> Signature {
        assert!(!input.windows(4).any(|part| part == b"<!--"), "a planted bug");
        Signature::of(input.len())
    }

    #[test]
    fn a_planted_bug_is_found() {
        let target = Target { name: "planted", run: fail_on_comments };
        let run = || fuzz(&target, vec![b"some text\n".to_vec()], 1, 20_000);
        let message = *panic::catch_unwind(run).unwrap_err().downcast::<String>().unwrap();
        assert!(message.starts_with("planted fails on an input of "), "{message}");
    }

    #[test]
    fn a_seed_gives_the_same_inputs() {
        let target = Target { name: "lengths", run: |input| Signature::of(input) };
        let run = |seed| fuzz(&target, vec![b"a: 1\n".to_vec()], seed, 500);
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
