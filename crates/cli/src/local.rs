//! Commands that are not operations: they only make sense in a terminal.

mod adopt;
mod cold_extract;
mod completions;
mod demo;
mod help;
mod init;
mod man;
mod mcp;
mod reference;
mod serve;
mod watch;
mod workspace_edit;
mod workspaces;

use clap::{ArgMatches, Command};
use heirloom_engine::Error;

use crate::environment::Environment;
use crate::exit::Code;
use crate::output::Output;

/// A command that is not an operation.
pub(crate) struct LocalCommand {
    /// The words that call it.
    pub(crate) words: &'static [&'static str],
    /// What it does.
    pub(crate) about: &'static str,
    /// Adds its arguments.
    pub(crate) arguments: fn(Command) -> Command,
    /// Runs it.
    pub(crate) run: fn(&CommandContext<'_>) -> Result<Code, Error>,
}

/// What a command receives.
pub(crate) struct CommandContext<'c> {
    pub(crate) environment: &'c Environment,
    pub(crate) output: &'c Output,
    pub(crate) matches: &'c ArgMatches,
    /// Builds the tree of all commands, for commands that describe others.
    pub(crate) commands: fn() -> Command,
}

/// Every command that is not an operation.
pub(crate) const LOCAL_COMMANDS: &[LocalCommand] = &[
    init::INIT,
    init::WORKSPACE_INIT,
    workspace_edit::EDIT,
    workspaces::REGISTER,
    workspaces::LIST,
    workspaces::FORGET,
    adopt::ADOPT,
    cold_extract::COLD_EXTRACT,
    demo::DEMO,
    mcp::MCP,
    serve::SERVE,
    watch::WATCH,
    completions::COMPLETIONS,
    help::HELP,
    man::MAN,
    reference::REFERENCE,
];
