//! `heir reference`: the help of every command as one page, for the documentation.

use clap::Command;
use heirloom_engine::Error;

use super::{CommandContext, LocalCommand};
use crate::environment;
use crate::exit::{self, Code};
use crate::sections::SECTIONS;

pub(super) const REFERENCE: LocalCommand = LocalCommand {
    words: &["reference"],
    about: "Print the reference of all commands in markdown.",
    arguments: |command: Command| command,
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let mut root = (call.commands)().term_width(100);
    root.build();
    let mut page = String::from("# Commands\n\nGenerated from the program; do not edit.\n");
    page.push_str(&format!(
        "\n```text\n{}\n\n{}\n```\n",
        exit::EXIT_CODES_HELP,
        environment::ENVIRONMENT_HELP
    ));
    for section in SECTIONS {
        page.push_str(&format!("\n## {}\n", section.title));
        for (name, _) in section.commands() {
            if let Some(command) = root.find_subcommand_mut(name) {
                write(command, &format!("heir {name}"), &mut page);
            }
        }
    }
    call.output.text(&page);
    Ok(Code::Success)
}

/// Adds a command that can be run, and the commands below it.
fn write(command: &mut Command, path: &str, page: &mut String) {
    if !command.is_subcommand_required_set() {
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let text = lines.join("\n");
        page.push_str(&format!("\n### `{path}`\n\n```text\n{}\n```\n", text.trim_end()));
    }
    let names: Vec<String> =
        command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names {
        if let Some(inner) = command.find_subcommand_mut(&name) {
            write(inner, &format!("{path} {name}"), page);
        }
    }
}
