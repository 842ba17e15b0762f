//! `adr history`: shows which decisions replaced which.

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
    /// Decision record: ADR-0003, 3, or a path.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DecisionHistory {
    /// Id of the requested record.
    id: String,
    /// Supersession chains that contain it, each starting with the newest decision.
    chains: Vec<Vec<Ancestor>>,
}

impl Operation for AdrHistory {
    type Request = Request;
    type Response = DecisionHistory;
    const SPEC: Spec = Spec {
        name: "adr_history",
        usage: "adr history <id>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show the supersession chains of a decision, newest first, with branches.",
    };

    fn run(session: &Session, request: Request) -> Result<DecisionHistory, Error> {
        let catalog = Catalog::read(session)?;
        let (_, adr) = catalog.find_adr(&request.id)?;
        let supersession = Supersession::new(&catalog.adrs);
        let at = supersession.index_of_path(&adr.path).unwrap_or_default();
        Ok(DecisionHistory { id: adr.id.clone(), chains: supersession.history(at) })
    }
}

impl Answer for DecisionHistory {
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
                () if ancestor.cycle => span(Role::Bad, " (cycle)"),
                () if ancestor.repeated => span(Role::Dim, " (see above)"),
                () => span(Role::Plain, ""),
            };
            view.line([span(Role::Dim, format!("{indent}↑ supersedes ")), id, mark]);
        }
        view
    }
}
