//! `heir init`, which is also `heir workspace init`.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};
use heirloom_engine::setup::init;
use heirloom_engine::{Error, Reply};

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

const ABOUT: &str = "Set up a workspace here. Files that are there are never overwritten.";

pub(super) const INIT: LocalCommand =
    LocalCommand { words: &["init"], about: ABOUT, arguments, run };
pub(super) const WORKSPACE_INIT: LocalCommand =
    LocalCommand { words: &["workspace", "init"], about: ABOUT, arguments, run };

fn arguments(command: Command) -> Command {
    command
        .arg(
            Arg::new("folder")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("The folder to set up, instead of this one"),
        )
        .arg(
            Arg::new("hierarchy")
                .long("hierarchy")
                .value_name("NAME")
                .value_parser(["plans", "sprints", "domains"])
                .default_value("plans")
                .help("How the workspace is organised"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The workspace's name, instead of the folder's"),
        )
}

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let folder = match call.matches.get_one::<PathBuf>("folder") {
        Some(folder) => folder.clone(),
        None => {
            let folder = call.environment.folder()?;
            if !call.environment.has_root() {
                init::check_not_nested(&folder)?;
            }
            folder
        }
    };
    let hierarchy = call.matches.get_one::<String>("hierarchy").map_or("plans", String::as_str);
    let name = call.matches.get_one::<String>("name").map(String::as_str);
    let done = init::run(&init::Request {
        folder: &folder,
        hierarchy,
        name,
        today: call.environment.today(),
    })?;
    call.output.reply(&Reply::new(done));
    Ok(Code::Success)
}
