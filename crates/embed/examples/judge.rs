//! Prints the log-odds that a model's file gives to pairs, or measures the processor time that a pair takes.
//!
//!     cargo run --profile release -p heirloom-embed --example judge -- models/judge.bin PAIRS.tsv [SET]
//!
//! A line of PAIRS.tsv has two statements separated by a tab. With SET, the name of an instruction set or `all`, the times are
//! measured and printed in place of the log-odds.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example")]

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use heirloom_core::kernels::Instructions;
use heirloom_embed::Judge;

/// The fastest of so many rounds counts, for each part of the pairs: other programs disturb some.
const ROUNDS: usize = 8;

/// The pairs that are measured at a time.
const PART_PAIRS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let [model, pairs] =
        [1, 2].map(|at| env::args().nth(at).ok_or("MODEL and PAIRS.tsv are needed"));
    let wanted = env::args().nth(3);
    let bytes: &'static [u8] = fs::read(model?)?.leak();
    let started = Instant::now();
    let mut judge = Judge::parse(bytes)?;
    eprintln!("{} bytes were read in {:?}", bytes.len(), started.elapsed());
    let text = fs::read_to_string(pairs?)?;
    let fields = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let fields: Vec<Vec<&str>> = fields.filter(|fields| fields.len() > 1).collect();
    let pairs: Vec<(&str, &str)> = fields.iter().map(|fields| (fields[0], fields[1])).collect();
    let of = |statement: &str| judge.vocabulary().pieces(statement).len();
    let tokens: usize = pairs.iter().map(|(a, b)| of(a) + of(b) + 4).sum();
    eprintln!("{} pairs, {:.1} tokens each", pairs.len(), tokens as f64 / pairs.len() as f64);
    let Some(wanted) = wanted else {
        for log_odds in judge.log_odds_of_all(&pairs) {
            println!("{log_odds:.6}");
        }
        return Ok(());
    };
    let mut first_results = None;
    let sets = Instructions::available();
    for instructions in sets.filter(|set| wanted == "all" || wanted == set.name()) {
        judge = judge.with_instructions(instructions);
        let mut results = vec![];
        let (mut singly, mut together) = (0.0, 0.0);
        for pairs in pairs.chunks(PART_PAIRS) {
            let mut fastest = [f64::INFINITY; 2];
            let mut of_part: Vec<f32> = vec![];
            for _ in 0..ROUNDS {
                let started = processor_milliseconds()?;
                of_part = pairs.iter().map(|(a, b)| judge.log_odds(a, b)).collect();
                let between = processor_milliseconds()?;
                assert_eq!(judge.log_odds_of_all(pairs), of_part);
                let ended = processor_milliseconds()?;
                fastest[0] = fastest[0].min(between - started);
                fastest[1] = fastest[1].min(ended - between);
            }
            singly += fastest[0];
            together += fastest[1];
            results.extend(of_part);
        }
        assert_eq!(first_results.get_or_insert(results.clone()), &results);
        let [singly, together] = [singly, together].map(|time| time / pairs.len() as f64);
        eprintln!("{}: {singly:.2} ms a pair, {together:.2} ms in batches", instructions.name());
    }
    Ok(())
}

/// Returns the time that this process had a processor; other processes do not count, as they would with a clock.
fn processor_milliseconds() -> Result<f64, Box<dyn Error>> {
    let times = fs::read_to_string("/proc/self/schedstat")?;
    Ok(times.split(' ').next().unwrap_or_default().parse::<f64>()? / 1e6)
}
