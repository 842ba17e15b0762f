//! `heir completions`.

use clap::{Arg, Command, value_parser};
use clap_complete::Shell;
use heirloom_engine::Error;

use super::{CommandContext, LocalCommand};
use crate::completion;
use crate::exit::Code;

pub(super) const COMPLETIONS: LocalCommand = LocalCommand {
    words: &["completions"],
    about: "Print the completion script for a shell. It completes commands, options and their values, and the names of plans, agents, decisions and memories. Load it whenever a shell starts: `source <(heir completions bash)`.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("The shell"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let shell = call.matches.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let script = completion::script(&shell.to_string());
    call.output.text(&script.map_err(|error| Error::system(error.to_string()))?);
    Ok(Code::Success)
}
