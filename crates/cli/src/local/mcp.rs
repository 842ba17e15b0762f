//! `heir mcp`.

use std::sync::Arc;

use clap::{Arg, ArgAction, Command};
use heirloom_engine::Error;
use heirloom_server::mcp::{self, AnswerForm, StopReason, ToolFilter};

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
        .arg(
            Arg::new("structured")
                .long("structured")
                .action(ArgAction::SetTrue)
                .help("Answer with JSON beside the text; most clients then pass the JSON alone to the model"),
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
    let form = match call.matches.get_flag("structured") {
        true => AnswerForm::TextAndData,
        false => AnswerForm::Text,
    };
    let environment = call.environment.clone();
    environment.expect_many_requests();
    let failed = |message: String| Error::system(message);
    let runtime = heirloom_server::runtime().map_err(|error| failed(error.to_string()))?;
    let served = runtime.block_on(mcp::serve(Arc::new(environment), listing, form));
    if served == Ok(StopReason::Signal) {
        // The runtime would wait for a read of standard input.
        runtime.shutdown_background();
    }
    served.map_err(failed)?;
    Ok(Code::Success)
}
