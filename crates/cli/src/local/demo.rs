//! `heir demo`.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};
use heirloom_engine::setup::demo;
use heirloom_engine::{Error, Session, ops};
use serde_json::json;

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

pub(super) const DEMO: LocalCommand = LocalCommand {
    words: &["demo"],
    about: "Make a realistic example workspace in a temporary folder and show what an agent in it inherits.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("folder")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("Make it in this folder, which must be empty or new"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let folder = match call.matches.get_one::<PathBuf>("folder") {
        Some(folder) => demo::empty_folder(folder)?,
        None => tempfile::Builder::new()
            .prefix("heirloom-demo-")
            .tempdir()
            .map_err(|error| {
                Error::system(format!("a temporary folder could not be made: {error}"))
            })?
            .keep(),
    };
    demo::write(&folder, call.environment.today())?;
    let session = Session::open(&folder, call.environment.now())?;
    let session = if call.output.is_json() { session } else { session.without_token_counts() };
    let resolve = ops::by_name("context_resolve")
        .ok_or_else(|| Error::bad_input("contexts cannot be resolved"))?;
    let reply = ops::run(resolve, &session, json!({"plan": demo::PLAN, "agent": demo::AGENT}))?;
    call.output.reply(&reply);
    let root = folder.display();
    call.output.note(&format!(
        "\nThe workspace is in {root}\nTry, in that folder:\n  heir context resolve 0042 001 --diff\n  heir context conflicts\n  heir context health --stale\n  heir adr history ADR-0002\n  heir graph export --format mermaid"
    ));
    Ok(Code::Success)
}
