//! `hot init`: makes the first rules and the command that saves memory, and links them.

use heirloom_core::Hint;
use heirloom_core::hot::templates::{self, SavePlaces};
use heirloom_store::unfollowed::{self, UnfollowedPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::link::link;
use super::link_report::{LinkReport, detected_clients, named_clients};
use crate::hot::LinkRecord;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotInit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Clients to link, or all. Default: those that are linked already, else those that the repository has files of.
    #[serde(default)]
    clients: Vec<String>,
    /// Make the files and link no client.
    #[serde(default)]
    no_link: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HotInitReport {
    /// Files that were made.
    created: Vec<String>,
    /// Files that exist and were not changed.
    kept: Vec<String>,
    /// What was put where clients read it; none if no client is used here.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<LinkReport>,
}

impl Operation for HotInit {
    type Request = Request;
    type Response = HotInitReport;
    const SPEC: Spec = Spec {
        name: "hot_init",
        usage: "hot init [clients]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Make the first rules of hot memory with their budgets, and the command that saves memory, and link them to the clients. No file is overwritten.",
    };

    fn run(session: &Session, request: Request) -> Result<HotInitReport, Error> {
        let config = session.config()?;
        let named = named_clients(&request.clients)?;
        let places = match config.hierarchy.as_str() {
            "domains" => SavePlaces::Domains,
            _ => SavePlaces::Records,
        };
        let (rules, commands) = (config.hot.rules_folder(), config.hot.commands_folder());
        let files = templates::rules(places).into_iter();
        let mut files: Vec<(String, String)> =
            files.map(|(name, text)| (format!("{rules}/{name}"), text)).collect();
        let command = format!("{commands}/{}.md", templates::SAVE_MEMORY);
        files.push((command, templates::save_memory(places)));
        let root = session.root();
        let mut report = HotInitReport { created: vec![], kept: vec![], link: None };
        for (path, text) in files {
            if let UnfollowedPath::BehindLink(link) = unfollowed::look(root, &path) {
                let message = format!("{link} is a symbolic link, which is not followed");
                return Err(Error::bad_input(message).hint("replace the link by a folder"));
            }
            match root.create(&path, &text)? {
                true => report.created.push(path),
                false => report.kept.push(path),
            }
        }
        let (mut wanted, _) = LinkRecord::read(root)?;
        wanted.clients.extend(named.iter().map(|client| client.id.to_owned()));
        if wanted.clients.is_empty() {
            let detected = detected_clients(session).into_iter();
            wanted.clients.extend(detected.map(|client| client.id.to_owned()));
        }
        if !request.no_link && !wanted.clients.is_empty() {
            report.link = Some(link(session, &wanted)?);
        }
        Ok(report)
    }
}

impl Answer for HotInitReport {
    fn view(&self) -> View {
        let mut view = View::new();
        let created = self.created.iter().map(|path| (Role::Good, "created", path));
        let kept = self.kept.iter().map(|path| (Role::Dim, "kept", path));
        let rows = created.chain(kept);
        let rows = rows.map(|(role, word, path)| vec![span(role, word), span(Role::Source, path)]);
        view.table(&[], rows.collect());
        match &self.link {
            Some(link) => {
                view.blank().append(link.view());
            }
            None => {
                let hint = Hint::text("fill in the rules, then link them: ");
                let example = vec!["claude-code".to_owned()];
                view.line([span(Role::Dim, hint.call("hot_link", [("clients", example)]))]);
            }
        }
        view
    }
}
