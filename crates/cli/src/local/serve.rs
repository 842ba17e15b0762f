//! `heir serve`.

use std::sync::Arc;

use clap::{Arg, Command, value_parser};
use heirloom_engine::Error;
use heirloom_server::rest;
use serde_json::json;

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

pub(super) const SERVE: LocalCommand = LocalCommand {
    words: &["serve"],
    about: "Serve the workspace over HTTP on loopback: POST /v1/<operation>, OpenAPI at /openapi.json.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .default_value("4747")
                .help("The port; 0 takes any that is free"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let port = call.matches.get_one::<u16>("port").copied().unwrap_or_default();
    let environment = call.environment.clone();
    environment.expect_many_requests();
    let failed = |error: std::io::Error| {
        Error::system(format!("port {port}: {error}")).hint("choose another with --port")
    };
    let runtime = heirloom_server::runtime().map_err(failed)?;
    runtime.block_on(async {
        let bound = rest::bind(port).await.map_err(failed)?;
        let url = format!("http://{}", bound.address);
        match call.output.is_json() {
            true => call.output.text(&format!("{}\n", json!({"listening": url}))),
            false => call.output.text(&format!("listening on {url}\n")),
        }
        bound.serve(Arc::new(environment)).await.map_err(failed)
    })?;
    Ok(Code::Success)
}
