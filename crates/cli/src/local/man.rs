//! `heir man`.

use clap::{Arg, Command};
use heirloom_engine::Error;

use super::{CommandContext, LocalCommand};
use crate::environment;
use crate::exit::{self, Code};

pub(super) const MAN: LocalCommand = LocalCommand {
    words: &["man"],
    about: "Print the manual page of heir or of one of its commands.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(0..)
                .help("The command, such as: context resolve"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let words: Vec<&String> =
        call.matches.get_many::<String>("command").map(Iterator::collect).unwrap_or_default();
    let explained = format!("{}\n\n{}", exit::EXIT_CODES_HELP, environment::ENVIRONMENT_HELP);
    let mut root = (call.commands)().after_help(explained);
    root.build();
    let mut page = &root;
    let mut name = "heir".to_owned();
    for word in words {
        let names: Vec<&str> = page.get_subcommands().map(Command::get_name).collect();
        page = page.find_subcommand(word).ok_or_else(|| {
            Error::not_found(
                format!("`{name}` has no command `{word}`"),
                heirloom_engine::nearest(word, &names),
            )
        })?;
        name = format!("{name}-{word}");
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone().display_name(name))
        .render(&mut text)
        .map_err(|error| Error::system(error.to_string()))?;
    call.output.text(&String::from_utf8_lossy(&text));
    Ok(Code::Success)
}
