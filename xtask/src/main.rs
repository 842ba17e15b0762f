//! `cargo xtask`: the project's own chores. It depends on no crate of the workspace, so that it is built in seconds.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a chore reads the environment, writes files and prints"
)]

mod check;
mod clients;
mod floors;
mod imports;
mod layers;
mod run;
mod schemathesis;
mod system;
mod tests;

use std::process::ExitCode;

use run::cargo;

const USAGE: &str = "\
cargo xtask test          check everything that CI checks: format, lints, layers, references, tests
cargo xtask references    write the generated references
cargo xtask layers        check the direction of the dependencies
cargo xtask clients       install the MCP client that the tests use, under target/
cargo xtask schemathesis  install the tester of the HTTP interface, under target/

HEIRLOOM_LONG=1 runs the long forms of the tests.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => check::everything(),
        ["references"] => write_references(),
        ["layers"] => layers::check(),
        ["clients"] => clients::install(),
        ["schemathesis"] => schemathesis::install(),
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

/// Writes the references with the test that compares them.
fn write_references() -> Result<(), String> {
    // SAFETY: the process has one thread.
    unsafe { std::env::set_var("REFERENCES", "overwrite") };
    cargo(&["test", "--quiet", "--workspace", "--test", "references"])
}
