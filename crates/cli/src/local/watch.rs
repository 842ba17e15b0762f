//! `heir watch`.

use std::time::Duration;

use clap::{Arg, ArgAction, Command};
use heirloom_engine::view::{Role, View, span};
use heirloom_engine::{Error, WorkUpdate, WorkWatch};

use super::{CommandContext, LocalCommand};
use crate::exit::Code;

/// How often the working tree is checked.
const INTERVAL: Duration = Duration::from_millis(500);

/// Maximum number of files that a line names.
const MAX_NAMED_FILES: usize = 5;

/// The number of digits by which people name a commit.
const SHORT_HASH_DIGITS: usize = 7;

pub(super) const WATCH: LocalCommand = LocalCommand {
    words: &["watch"],
    about: "Follow the working tree: after commits, checkouts and edits, bring the index and the prediction up to date and print a line. Ends with Ctrl-C.",
    arguments: |command: Command| {
        command.arg(
            Arg::new("once")
                .long("once")
                .action(ArgAction::SetTrue)
                .help("Bring everything up to date once, and end"),
        )
    },
    run,
};

fn run(call: &CommandContext<'_>) -> Result<Code, Error> {
    let environment = call.environment;
    environment.expect_many_requests();
    let (mut watch, first) = WorkWatch::start(&environment.session()?)?;
    print(call, &first);
    if call.matches.get_flag("once") {
        return Ok(Code::Success);
    }
    heirloom_server::poll_until_stopped(INTERVAL, || -> Result<(), Error> {
        if watch.may_have_changed()
            && let Some(update) = watch.update(&environment.session()?)?
        {
            print(call, &update);
        }
        Ok(())
    })
    .map_err(|error| Error::system(error.to_string()))??;
    Ok(Code::Success)
}

fn print(call: &CommandContext<'_>, update: &WorkUpdate) {
    match call.output.is_json() {
        true => {
            let line = serde_json::to_string(update).unwrap_or_default();
            call.output.text(&format!("{line}\n"));
        }
        false => call.output.view(&view(update)),
    }
}

fn view(update: &WorkUpdate) -> View {
    let mut parts = Vec::new();
    let branch = update.branch.as_deref();
    parts.push(match branch {
        Some(branch) if update.is_new_branch => format!("branch {branch} checked out"),
        Some(branch) => format!("branch {branch}"),
        None if update.commit.is_some() => "no branch".to_owned(),
        None => "no git repository".to_owned(),
    });
    if let Some(commit) = &update.commit {
        let hash = commit.get(..SHORT_HASH_DIGITS).unwrap_or(commit);
        let subject = update.subject.iter().map(|subject| format!(" {subject}"));
        let verb = if update.is_new_commit { "now at" } else { "at" };
        parts.push(format!("{verb} {hash}{}", subject.collect::<String>()));
    }
    if !update.files.is_empty() {
        let named: Vec<&str> =
            update.files.iter().map(String::as_str).take(MAX_NAMED_FILES).collect();
        let more = update.files.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("changed {}{more}", named.join(", ")));
    }
    match update.memory_files {
        0 => {}
        1 => parts.push("memory changed in 1 file".to_owned()),
        files => parts.push(format!("memory changed in {files} files")),
    }
    let mut view = View::new();
    let time = update.at.strftime("%H:%M:%S  ").to_string();
    view.line([span(Role::Dim, time), span(Role::Plain, parts.join(" · "))]);
    for warning in &update.warnings {
        view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
    }
    view
}
