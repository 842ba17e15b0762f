//! `heir`: the command line of Heirloom.
//!
//! Every operation's command is derived from the table in `heirloom-engine`; what only makes sense
//! on a terminal is in [`local`].

mod arguments;
mod command;
mod completion;
mod environment;
mod exit;
mod local;
mod output;
mod progress;

use std::process::ExitCode;

use environment::Environment;

/// Many small texts are taken and given back on several threads; the system's own allocator makes
/// the threads wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    completion::answer();
    let matches =
        match command::root().try_get_matches_from(std::env::args_os().map(arguments::guarded)) {
            Ok(matches) => matches,
            Err(error) => error.exit(),
        };
    let environment = Environment::read(&matches);
    let output = output::Output::new(&matches);
    let outcome = environment.and_then(|environment| command::run(&environment, &output, &matches));
    match outcome {
        Ok(code) => code.into(),
        Err(error) => {
            output.error(&error);
            exit::Code::of(error.kind).into()
        }
    }
}
