//! `heir serve`.

use std::sync::Arc;

use clap::{Arg, Command, value_parser};
use heirloom_engine::Error;
use heirloom_server::rest;
use jiff::civil::Time;
use serde_json::{Value, json};

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
        .arg(
            Arg::new("consolidate")
                .long("consolidate")
                .value_name("TIME")
                .value_parser(parse_time)
                .num_args(0..=1)
                .default_missing_value("03:00")
                .help("Consolidate the memory every day at this time in UTC, 03:00 by default, or as soon as it was missed"),
        )
    },
    run,
};

/// Parses a time of day.
fn parse_time(text: &str) -> Result<Time, String> {
    let is_short = text.split(':').all(|part| part.len() == 2) && text.matches(':').count() == 1;
    let time = is_short.then(|| text.parse().ok()).flatten();
    time.ok_or_else(|| "it is no time of day such as 03:00".to_owned())
}

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
        let at = call.matches.get_one::<Time>("consolidate").copied();
        let environment = Arc::new(environment);
        match at {
            None => bound.serve(environment).await.map_err(failed),
            Some(at) => {
                let report = |answer| report_consolidation(call, answer);
                bound.serve_and_consolidate(environment, at, &report).await.map_err(failed)
            }
        }
    })?;
    Ok(Code::Success)
}

/// Prints what a consolidation did, or why it failed.
fn report_consolidation(call: &CommandContext<'_>, answer: Result<Value, Error>) {
    let line = match (call.output.is_json(), answer) {
        (true, Ok(answer)) => json!({"consolidated": answer}).to_string(),
        (true, Err(error)) => json!({"error": error}).to_string(),
        (false, Ok(answer)) => {
            let count = |name: &str| answer[name].as_u64().unwrap_or_default();
            format!(
                "consolidated: {} merged, {} shortened, {} archived, {} open contradictions",
                count("deduped"),
                count("compressed"),
                count("forgotten"),
                count("contradictions_found")
            )
        }
        (false, Err(error)) => format!("the consolidation failed: {}", error.message),
    };
    call.output.text(&format!("{line}\n"));
}
