//! `heir help`.

use clap::{Arg, Command};
use heirloom_engine::Error;

use super::{CommandContext, LocalCommand};
use crate::environment;
use crate::exit::{self, Code};
use crate::sections;

/// Makes the text of a page.
type Page = fn() -> String;

/// Pages of the help that are about no single command.
const TOPICS: &[(&str, Page)] = &[
    ("commands", || sections::all_commands().trim_end().to_owned()),
    ("exit-codes", || exit::EXIT_CODES_HELP.to_owned()),
    ("environment", || environment::ENVIRONMENT_HELP.to_owned()),
];

pub(super) const HELP: LocalCommand = LocalCommand {
    words: &["help"],
    about: "Print the help of heir or of one of its commands; `commands`, `exit-codes` and `environment` are topics of their own.",
    arguments: |command: Command| {
        command.arg(Arg::new("command").value_name("COMMAND").num_args(0..).help(
            "A command such as `context resolve`, or a topic: commands, exit-codes, environment",
        ))
    },
    run,
};

/// Parses `heir COMMAND --help`, so that both are the same in every detail.
fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let words = call.matches.get_many::<String>("command").into_iter().flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    if let Some((_, text)) = TOPICS.iter().find(|(topic, _)| words == [*topic]) {
        call.output.text(&format!("{}\n", text()));
        return Ok(Code::Success);
    }
    let typed = ["heir"].into_iter().chain(words).chain(["--help"]);
    match (call.commands)().try_get_matches_from(typed) {
        Ok(_) => Ok(Code::Success),
        Err(help) => help.exit(),
    }
}
