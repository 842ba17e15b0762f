//! `heir workspace register`, `list` and `forget`: the workspaces that `recall --workspaces` searches.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};
use heirloom_engine::Error;
use serde_json::json;

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

pub(super) const REGISTER: LocalCommand = LocalCommand {
    words: &["workspace", "register"],
    about: "Register a workspace on this machine, so that `heir recall --workspaces` asks it too.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("folder")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("Its folder [default: the workspace here]"),
        )
    },
    run: register,
};

pub(super) const LIST: LocalCommand = LocalCommand {
    words: &["workspace", "list"],
    about: "List the workspaces that are registered on this machine.",
    arguments: |command: Command| command,
    run: list,
};

pub(super) const FORGET: LocalCommand = LocalCommand {
    words: &["workspace", "forget"],
    about: "Forget a registered workspace; nothing in it changes.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("Its name as `heir workspace list` shows it, or its folder"),
        )
    },
    run: forget,
};

fn register(call: &CommandContext<'_>) -> Result<Code, Error> {
    let folder = call.matches.get_one::<PathBuf>("folder");
    let session = call.environment.session_at(folder.map(PathBuf::as_path))?;
    let registered = call.environment.registry()?.add(session.root())?;
    if call.output.is_json() {
        call.output.data(json!({"name": registered.name, "folder": registered.folder}));
    } else {
        let folder = registered.folder.display();
        call.output.note(&format!("registered `{}`: {folder}", registered.name));
    }
    Ok(Code::Success)
}

fn list(call: &CommandContext<'_>) -> Result<Code, Error> {
    let (found, problems) = call.environment.registry()?.list();
    if call.output.is_json() {
        let rows = found.iter().map(
            |one| json!({"name": one.name, "folder": one.folder, "is_there": one.folder.is_dir()}),
        );
        let rows: Vec<_> = rows.collect();
        call.output.data(json!({"workspaces": rows, "problems": problems}));
    } else {
        if found.is_empty() {
            call.output.note("no workspace is registered; `heir workspace register` adds one");
        }
        for one in &found {
            let gone = if one.folder.is_dir() { "" } else { "  (not there)" };
            call.output.text(&format!("{}  {}{gone}\n", one.name, one.folder.display()));
        }
        call.output.problems(&problems);
    }
    Ok(if problems.is_empty() { Code::Success } else { Code::Findings })
}

fn forget(call: &CommandContext<'_>) -> Result<Code, Error> {
    let name = call.matches.get_one::<String>("name").map_or("", String::as_str);
    let registry = call.environment.registry()?;
    let folder = std::path::absolute(name).unwrap_or_default().display().to_string();
    let forgotten = match registry.remove(name)? {
        None => registry.remove(&folder)?,
        found => found,
    };
    let Some(forgotten) = forgotten else {
        let (known, _) = registry.list();
        let names: Vec<String> = known.into_iter().map(|known| known.name).collect();
        return Err(Error::not_found(format!("no workspace `{name}` is registered"), names));
    };
    if call.output.is_json() {
        call.output.data(json!({"name": forgotten}));
    } else {
        call.output.note(&format!("forgot `{forgotten}`"));
    }
    Ok(Code::Success)
}
