//! `heir help`.

use clap::{Arg, Command};
use heirloom_engine::Error;

use super::{Call, Local};
use crate::completion::command_completer;
use crate::exit::Code;

pub(super) const HELP: Local = Local {
    words: &["help"],
    about: "Print the help of heir or of one of its commands.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(0..)
                .add(command_completer())
                .help("The command, such as: context resolve"),
        )
    },
    run,
};

/// Parses `heir COMMAND --help`, so that both are the same in every detail.
fn run(call: &Call<'_>) -> Result<Code, Error> {
    let words = call.matches.get_many::<String>("command").into_iter().flatten();
    let words = words.map(String::as_str);
    let typed = ["heir"].into_iter().chain(words).chain(["--help"]);
    match (call.commands)().try_get_matches_from(typed) {
        Ok(_) => Ok(Code::Fine),
        Err(help) => help.exit(),
    }
}
