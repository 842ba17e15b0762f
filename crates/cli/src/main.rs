//! `heir`: the command line of Heirloom.
//!
//! The command of an operation is derived from the table in `heirloom-engine`; commands that only make
//! sense in a terminal are in [`local`].

mod arguments;
mod command;
mod completion;
mod editor;
mod environment;
mod exit;
mod local;
mod output;
mod progress;
mod sections;
mod wording;

use std::process::ExitCode;

use environment::Environment;

/// Several threads allocate many small strings; with the system's allocator they contend for a lock.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    completion::answer(command::root_of);
    let matches =
        match command::root().try_get_matches_from(std::env::args_os().map(arguments::mark_text)) {
            Ok(matches) => matches,
            Err(error) => error.exit(),
        };
    let environment = Environment::read(&matches);
    let output = output::Output::new(&matches, command::typed_operation(&matches));
    let outcome = environment.and_then(|environment| command::run(&environment, &output, &matches));
    match outcome {
        Ok(code) => code.into(),
        Err(error) => {
            output.error(&error);
            exit::Code::of(error.kind).into()
        }
    }
}
