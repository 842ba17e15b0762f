//! `heir reference`: the help of every command as one page, for the documentation.

use clap::Command;
use heirloom_engine::Error;

use super::{Call, Local};
use crate::exit::{self, Code};

pub(super) const REFERENCE: Local = Local {
    words: &["reference"],
    about: "Print the reference of all commands in markdown.",
    arguments: |command: Command| command,
    run,
};

fn run(call: &Call<'_>) -> Result<Code, Error> {
    let mut root = (call.commands)().term_width(100);
    root.build();
    let mut page = String::from("# Commands\n\nGenerated from the program; do not edit.\n");
    page.push_str(&format!(
        "\n```text\n{}\n\n{}\n```\n",
        exit::EXPLAINED,
        crate::environment::EXPLAINED
    ));
    write(&mut root, "heir", &mut page);
    call.output.text(&page);
    Ok(Code::Fine)
}

/// Adds a command that can be run, or the commands under one that only groups them.
fn write(command: &mut Command, path: &str, page: &mut String) {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .filter(|name| name != "reference")
        .collect();
    if names.is_empty() {
        let help = command.render_long_help().to_string();
        let trimmed: Vec<&str> = help.lines().map(str::trim_end).collect();
        page.push_str(&format!(
            "\n## `{path}`\n\n```text\n{}\n```\n",
            trimmed.join("\n").trim_end()
        ));
    }
    for name in names {
        if let Some(inner) = command.find_subcommand_mut(&name) {
            write(inner, &format!("{path} {name}"), page);
        }
    }
}
