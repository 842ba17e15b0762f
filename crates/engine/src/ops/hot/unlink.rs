//! `hot unlink`: takes back what `hot link` put where clients read it.

use heirloom_core::Hint;
use heirloom_store::journal;
use schemars::JsonSchema;
use serde::Deserialize;

use super::link_report::{LinkReport, named_clients};
use crate::hot::{LinkRecord, carry_out, preview, read_commands, read_rules};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotUnlink;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Clients; default: all.
    #[serde(default)]
    clients: Vec<String>,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for HotUnlink {
    type Request = Request;
    type Response = LinkReport;
    const SPEC: Spec = Spec {
        name: "hot_unlink",
        usage: "hot unlink [clients]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Take back exactly what `hot link` put where clients read it, folders included. What a person changed since is kept and listed.",
    };

    fn run(session: &Session, request: Request) -> Result<LinkReport, Error> {
        let root = session.root();
        let named = named_clients(&request.clients)?;
        let lock = journal::lock(root)?;
        let (before, _) = LinkRecord::read(root)?;
        let mut wanted = before.clone();
        match named.is_empty() {
            true => wanted = LinkRecord::default(),
            false => {
                if let Some(client) =
                    named.iter().find(|client| !before.clients.contains(client.id))
                    && request.clients.len() == 1
                {
                    let linked = before.clients.into_iter().collect();
                    let message = format!("{} is not linked", client.name);
                    let hint = Hint::text("see ").operation("hot_status");
                    return Err(Error::not_found(message, linked).hint(hint));
                }
                wanted.clients.retain(|id| !named.iter().any(|client| client.id == id));
            }
        }
        if wanted.clients.is_empty() {
            wanted.copies = false;
        }
        let (rules, commands) = (read_rules(session)?, read_commands(session)?);
        let done = match request.dry_run {
            true => preview(root, &before, &wanted, &rules, &commands),
            false => carry_out(root, &lock, &wanted, &rules, &commands)?,
        };
        let clients = wanted.clients.iter().cloned().collect();
        let report = LinkReport::new(clients, done.plan, done.steps);
        Ok(LinkReport { is_preview: request.dry_run, ..report })
    }
}
