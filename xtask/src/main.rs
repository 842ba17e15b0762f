//! `cargo xtask`: the project's own chores.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a chore reads the environment, writes files and prints"
)]

mod clients;
mod floors;
mod layers;
mod references;
mod run;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test          everything that CI checks: format, lints, layers, references, tests, fuzzing
cargo xtask references    write the generated references
cargo xtask layers        check the direction of the dependencies
cargo xtask clients       install what the tests talk to the program with, under target/";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test::everything(),
        ["references"] => references::write(),
        ["references", "--check"] => references::check(),
        ["layers"] => layers::check(),
        ["clients"] => clients::install(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
