//! `heir adopt`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};
use heirloom_engine::setup::adopt;
use heirloom_engine::{Error, Reply};

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

pub(super) const ADOPT: LocalCommand = LocalCommand {
    words: &["adopt"],
    about: "Read what this repository already has, moving nothing: .limps/, .memory/, resources/workspaces/, plans/, the instructions and rules of other tools, folders of decision records.",
    arguments: |command: Command| {
        command
            .arg(
                Arg::new("folder")
                    .value_name("FOLDER")
                    .value_parser(value_parser!(PathBuf))
                    .help("Adopt this folder of decision records or documents, and nothing else"),
            )
            .arg(
                Arg::new("dry-run")
                    .long("dry-run")
                    .action(ArgAction::SetTrue)
                    .help("Show what would be written and write nothing"),
            )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let folder = call.environment.folder()?;
    let named = call.matches.get_one::<PathBuf>("folder").map(PathBuf::as_path);
    let is_root = call.environment.has_root();
    let adopted = adopt::run(&folder, is_root, named, call.matches.get_flag("dry-run"))?;
    call.output.reply(&Reply::new(adopted));
    Ok(Code::Success)
}
