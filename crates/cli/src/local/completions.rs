//! `heir completions`.

use clap::{Arg, Command, value_parser};
use clap_complete::Shell;
use heirloom_engine::Error;

use super::{Call, Local};
use crate::exit::Code;

pub(super) const COMPLETIONS: Local = Local {
    words: &["completions"],
    about: "Print the completion script for a shell.",
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

fn run(call: &Call<'_>) -> Result<Code, Error> {
    let shell = call.matches.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut (call.commands)(), "heir", &mut script);
    call.output.text(&String::from_utf8_lossy(&script));
    Ok(Code::Fine)
}
