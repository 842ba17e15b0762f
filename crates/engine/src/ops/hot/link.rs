//! `hot link`: puts the rules where clients read them.

use heirloom_core::Hint;
use heirloom_core::hot::clients::CLIENTS;
use heirloom_core::hot::reconcile::StepKind;
use heirloom_store::journal;
use schemars::JsonSchema;
use serde::Deserialize;

use super::link_report::{LinkReport, detected_clients, named_clients};
use crate::hot::{LinkRecord, carry_out, preview, read_commands, read_rules};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotLink;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Clients: claude-code, cursor, codex, copilot, gemini, antigravity, opencode, zed, windsurf, or all. Default: those
    /// that are linked already, else those that the repository has files of.
    #[serde(default)]
    clients: Vec<String>,
    /// Only say what is out of date; exit code 1 if something is.
    #[serde(default)]
    check: bool,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
    /// Generate files in place of links, for systems that cannot make links. It is remembered.
    #[serde(default)]
    copies: bool,
}

impl Operation for HotLink {
    type Request = Request;
    type Response = LinkReport;
    const SPEC: Spec = Spec {
        name: "hot_link",
        usage: "hot link [clients]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Put the rules and commands where each client reads them: links where it follows them, generated files elsewhere. What a person wrote is kept, and no file hides another one. `hot unlink` takes everything back.",
    };

    fn run(session: &Session, request: Request) -> Result<LinkReport, Error> {
        let named = named_clients(&request.clients)?;
        let (before, _) = LinkRecord::read(session.root())?;
        let mut wanted = before.clone();
        wanted.copies |= request.copies;
        wanted.clients.extend(named.iter().map(|client| client.id.to_owned()));
        if wanted.clients.is_empty() && !request.check {
            let detected = detected_clients(session).into_iter();
            wanted.clients.extend(detected.map(|client| client.id.to_owned()));
            if wanted.clients.is_empty() {
                let ids = CLIENTS.iter().map(|client| client.id.to_owned()).collect();
                let message = "no client is named, and the repository has files of none";
                return Err(Error::not_found(message, ids).hint("name a client, or `all`"));
            }
        }
        if request.check || request.dry_run {
            return preview_report(session, &wanted, request.check);
        }
        link(session, &wanted)
    }
}

/// Puts the rules where the clients of a record read them.
pub(super) fn link(session: &Session, wanted: &LinkRecord) -> Result<LinkReport, Error> {
    let root = session.root();
    let lock = journal::lock(root)?;
    let (rules, commands) = (read_rules(session)?, read_commands(session)?);
    let (before, _) = LinkRecord::read(root)?;
    let has_sources = !rules.files.is_empty() || !commands.files.is_empty();
    if !has_sources && rules.problems.is_empty() && before.files.is_empty() {
        let message = format!("there are no rules in {}", rules.folder);
        let hint = Hint::text("make the first ones with ").operation("hot_init");
        return Err(Error::bad_input(message).hint(hint));
    }
    let done = carry_out(root, &lock, wanted, &rules, &commands)?;
    let is_out_of_date = done.steps.iter().any(|step| step.kind == StepKind::Kept);
    let clients = done.record.clients.iter().cloned().collect();
    let mut problems = rules.problems;
    problems.extend(commands.problems);
    let report = LinkReport::new(clients, done.plan, done.steps);
    Ok(LinkReport { problems, is_out_of_date, ..report })
}

/// Reports what would be done.
fn preview_report(
    session: &Session,
    wanted: &LinkRecord,
    is_check: bool,
) -> Result<LinkReport, Error> {
    let root = session.root();
    let (before, _) = LinkRecord::read(root)?;
    let (rules, commands) = (read_rules(session)?, read_commands(session)?);
    let planned = preview(root, &before, wanted, &rules, &commands);
    let is_out_of_date = planned.is_out_of_date();
    let mut problems = rules.problems;
    problems.extend(commands.problems);
    let clients = wanted.clients.iter().cloned().collect();
    let report = LinkReport::new(clients, planned.plan, planned.steps);
    Ok(LinkReport { problems, is_out_of_date, is_preview: true, is_check, ..report })
}
