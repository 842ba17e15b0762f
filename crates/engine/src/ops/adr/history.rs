//! `adr history`: the chain of decisions that one stands in.

use heirloom_core::adr::Status;
use heirloom_core::supersession::{Ancestor, Supersession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrHistory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The record: ADR-0003, 3, or a path.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct History {
    /// The record that was asked for.
    id: String,
    /// The chains that it is in, each from its newest decision down.
    chains: Vec<Vec<Ancestor>>,
}

impl Operation for AdrHistory {
    type Request = Request;
    type Response = History;
    const SPEC: Spec = Spec {
        name: "adr_history",
        usage: "adr history <id>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show the chain of decisions that one stands in, newest first, branches included.",
    };

    fn run(session: &Session, request: Request) -> Result<History, Error> {
        let catalog = Catalog::read(session)?;
        let (_, adr) = catalog.find_adr(&request.id)?;
        let relation = Supersession::new(&catalog.adrs);
        let at = relation.at_path(&adr.path).unwrap_or_default();
        Ok(History { id: adr.id.clone(), chains: relation.history(at) })
    }
}

impl Answer for History {
    fn view(&self) -> View {
        let mut view = View::new();
        for ancestor in self.chains.iter().flatten() {
            let id = span(Role::Key, &ancestor.id);
            if ancestor.depth == 0 {
                let state = match ancestor.status {
                    Status::Accepted => "current".to_owned(),
                    other => other.to_string(),
                };
                view.line([id, format!(" ({state})").into()]);
                continue;
            }
            let indent = " ".repeat(4 * ancestor.depth - 2);
            let mark = match () {
                () if ancestor.cycle => span(Role::Bad, " (circle)"),
                () if ancestor.repeated => span(Role::Dim, " (see above)"),
                () => span(Role::Plain, ""),
            };
            view.line([span(Role::Dim, format!("{indent}↑ supersedes ")), id, mark]);
        }
        view
    }
}
