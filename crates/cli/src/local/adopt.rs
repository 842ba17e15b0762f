//! `heir adopt`.

use clap::{Arg, ArgAction, Command};
use heirloom_engine::setup::adopt;
use heirloom_engine::{Error, Reply};

use super::{Call, Local};
use crate::exit::Code;

pub(super) const ADOPT: Local = Local {
    words: &["adopt"],
    about: "Read what this repository already has, moving nothing: .limps/, .memory/, resources/workspaces/, CLAUDE.md, AGENTS.md, .cursor/rules/, folders of decision records.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show what would be written and write nothing"),
        )
    },
    run,
};

fn run(call: &Call<'_>) -> Result<Code, Error> {
    let folder = call.environment.folder()?;
    let adopted = adopt::run(&folder, call.matches.get_flag("dry-run"))?;
    call.output.reply(&Reply::of(adopted));
    Ok(Code::Fine)
}
