//! `heir mcp`.

use std::sync::Arc;

use clap::{Arg, Command};
use heirloom_engine::Error;
use heirloom_server::mcp::{self, ToolFilter};

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

pub(super) const MCP: LocalCommand = LocalCommand {
    words: &["mcp"],
    about: "Serve the workspace to an agent: MCP over standard input and output. Tools, resolved contexts as resources, and a prompt that starts an agent with its context.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("tools")
                .long("tools")
                .value_name("GROUP")
                .value_parser(ToolFilter::WORDS)
                .default_value("core")
                .help("Which tools are listed; every tool can be called"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let listing = call
        .matches
        .get_one::<String>("tools")
        .and_then(|word| ToolFilter::parse(word))
        .unwrap_or(ToolFilter { group: None, all: false });
    let environment = call.environment.clone();
    environment.keep_indexes_open();
    let failed = |message: String| Error::system(message);
    let runtime = heirloom_server::runtime().map_err(|error| failed(error.to_string()))?;
    runtime.block_on(mcp::serve(Arc::new(environment), listing)).map_err(failed)?;
    Ok(Code::Success)
}
