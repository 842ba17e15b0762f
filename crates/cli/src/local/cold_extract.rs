//! `heir cold extract`: proposes memories from transcripts, and lets a person decide about them.

mod decisions;
mod edit;
mod review;
mod review_text;

use std::io::{self, IsTerminal};
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use heirloom_core::Problem;
use heirloom_core::transcript::extraction::ProposalKind;
use heirloom_engine::{Error, Reply, Session, ops};
use serde_json::{Map, Value, json};

use self::decisions::{Decisions, Proposal};
use super::{CommandContext, LocalCommand};
use crate::exit::Code;
use crate::wording::format_hint;

pub(super) const COLD_EXTRACT: LocalCommand = LocalCommand {
    words: &["cold", "extract"],
    about: "Propose memories from transcripts and decide about them: one by one on a terminal, by their ids, or in your editor. Without a decision, the proposals are listed.",
    arguments,
    run,
};

fn arguments(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let ids = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("ID")
            .num_args(1..)
            .action(ArgAction::Append)
            .help(help)
    };
    let kinds = ProposalKind::ALL.map(ProposalKind::as_str);
    command
        .arg(Arg::new("file").value_name("FILE").num_args(0..).help(
            "Transcripts; - is standard input [default: the session files of this workspace, and agent-transcripts/]",
        ))
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("DAY")
                .help("Only what was said since this day (2026-02-22)"),
        )
        .arg(
            Arg::new("kind")
                .long("kind")
                .value_name("KIND")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(kinds))
                .help("Only these kinds"),
        )
        .arg(
            Arg::new("min-confidence")
                .long("min-confidence")
                .value_name("N")
                .value_parser(value_parser!(f64))
                .help("Only proposals that are at least as likely worth remembering, from 0 to 1"),
        )
        .arg(ids("accept", "Store the proposals with these ids as memories"))
        .arg(ids("drop", "Never make the proposals with these ids again"))
        .arg(
            flag("accept-all", "Store all proposals that would be listed")
                .conflicts_with_all(["accept", "drop"]),
        )
        .arg(flag("edit", "Decide in your editor, with a block for each proposal").conflicts_with_all([
            "accept",
            "drop",
            "accept-all",
            "json",
        ]))
        .arg(
            flag("list", "List the proposals, also on a terminal")
                .conflicts_with_all(["accept", "drop", "accept-all", "edit"]),
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("PLACE")
                .value_parser(PossibleValuesParser::new(["facts", "hot"]))
                .help("Where accepted instructions and preferences go: facts, or hot, the rules that every conversation loads [default: facts]"),
        )
        .arg(flag("private", "Keep what is accepted on this machine and out of git"))
}

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let session = call.environment.session()?.without_token_counts();
    let matches = call.matches;
    let named = |name: &str| -> Vec<String> {
        matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
    };
    let request = listing_request(&session, matches)?;
    let (accept, drop) = (named("accept"), named("drop"));
    if !accept.is_empty() || !drop.is_empty() {
        // The ids may be of proposals that are yet to be made.
        list_to_decide(call, &session, request)?;
        let decisions = Decisions { accept, drop, ..Decisions::default() };
        return decisions.carry_out(call, &session);
    }
    if matches.get_flag("accept-all") {
        let proposals = proposals_of(&list_to_decide(call, &session, request)?)?;
        let accept = proposals.into_iter().map(|proposal| proposal.id).collect();
        return Decisions { accept, ..Decisions::default() }.carry_out(call, &session);
    }
    if matches.get_flag("edit") {
        return edit::run(call, &session, || {
            proposals_of(&list_to_decide(call, &session, request)?)
        });
    }
    let reply = list(&session, request)?;
    let is_interactive = !call.output.is_json()
        && !matches.get_flag("list")
        && io::stdin().is_terminal()
        && io::stdout().is_terminal();
    let proposals = if is_interactive { proposals_of(&reply)? } else { vec![] };
    if proposals.is_empty() {
        call.output.reply(&reply);
        return Ok(Code::Success);
    }
    report_problems(call, &reply);
    review::run(call, &proposals)?.carry_out(call, &session)
}

/// Makes the request of the operation that lists proposals.
fn listing_request(session: &Session, matches: &ArgMatches) -> Result<Value, Error> {
    let mut request = Map::new();
    let (mut files, mut texts) = (vec![], vec![]);
    for file in matches.get_many::<String>("file").into_iter().flatten() {
        let path = std::path::absolute(file)
            .map_err(|error| Error::bad_input(format!("{file}: {error}")))?;
        // The operation reads compressed session files; what else is outside of the workspace is read here.
        let is_readable_by_operation = path.starts_with(session.root().path())
            || path.extension().is_some_and(|extension| extension == "zst");
        match is_readable_by_operation && file != "-" {
            true => files.push(path.display().to_string()),
            false => texts.extend(read(file)?),
        }
    }
    request.insert("files".into(), json!(files));
    request.insert("texts".into(), json!(texts));
    if let Some(since) = matches.get_one::<String>("since") {
        request.insert("since".into(), json!(since));
    }
    if let Some(kinds) = matches.get_many::<String>("kind") {
        request.insert("kinds".into(), json!(kinds.collect::<Vec<_>>()));
    }
    if let Some(min) = matches.get_one::<f64>("min-confidence") {
        request.insert("min_confidence".into(), json!(min));
    }
    Ok(Value::Object(request))
}

/// Reads a transcript that the user named, or standard input for `-`.
fn read(file: &str) -> Result<Vec<Value>, Error> {
    if file == "-" {
        let text = io::read_to_string(io::stdin())
            .map_err(|error| Error::bad_input(format!("standard input: {error}")))?;
        return Ok(vec![json!({"name": "standard input", "text": text})]);
    }
    let read = heirloom_engine::read_files(Path::new(file))?;
    let of_file = |(name, text): heirloom_engine::ReadFile| match text {
        Ok(text) => json!({"name": name, "text": text}),
        Err(reason) => json!({"name": name, "text": "", "unreadable": reason}),
    };
    Ok(read.into_iter().map(of_file).collect())
}

fn list(session: &Session, request: Value) -> Result<Reply, Error> {
    operation("cold_extract", session, request)
}

/// Lists the proposals for a command that does not print the list, and reports what could not be read: a transcript that
/// has not changed is not read again, and its problems are not reported later.
fn list_to_decide(
    call: &CommandContext<'_>,
    session: &Session,
    request: Value,
) -> Result<Reply, Error> {
    let reply = list(session, request)?;
    report_problems(call, &reply);
    Ok(reply)
}

fn report_problems(call: &CommandContext<'_>, reply: &Reply) {
    let data = reply.data(&|hint| format_hint(hint, None));
    let problems: Vec<Problem> =
        serde_json::from_value(data["problems"].clone()).unwrap_or_default();
    call.output.problems(&problems);
}

/// Runs an operation by its name.
fn operation(name: &str, session: &Session, request: Value) -> Result<Reply, Error> {
    let op =
        ops::by_name(name).ok_or_else(|| Error::system(format!("there is no operation {name}")))?;
    ops::run(op, session, request)
}

fn proposals_of(reply: &Reply) -> Result<Vec<Proposal>, Error> {
    let data = reply.data(&|_| String::new());
    let proposals = data["proposals"].as_array().cloned().unwrap_or_default();
    proposals.iter().map(Proposal::of).collect()
}
