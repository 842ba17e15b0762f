//! `adr history`: the chain of decisions that one stands in.

use heirloom_core::adr::Status;
use heirloom_core::supersession::{Ancestry, Supersession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct AdrHistory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The record: ADR-0003, 3, or a path.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct History {
    /// The record that was asked for.
    id: String,
    /// The newest decisions of its chains, each with all that it replaced.
    heads: Vec<Ancestry>,
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
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<History, Error> {
        let catalog = Catalog::read(session)?;
        let filed = catalog.find_adr(&request.id)?;
        let at =
            catalog.adrs.iter().position(|adr| adr.path == filed.document.path).unwrap_or_default();
        let id = catalog.adrs[at].id.clone();
        Ok(History { id, heads: Supersession::new(&catalog.adrs).history(at) })
    }
}

impl Answer for History {
    fn view(&self) -> View {
        let mut view = View::new();
        for head in &self.heads {
            let state = match head.status {
                Status::Accepted => "current".to_owned(),
                other => other.to_string(),
            };
            view.line([span(Role::Key, &head.id), format!(" ({state})").into()]);
            show(&mut view, head, 1);
        }
        view
    }
}

fn show(view: &mut View, newer: &Ancestry, depth: usize) {
    for older in &newer.supersedes {
        let indent = " ".repeat(4 * depth - 2);
        let mark = match () {
            () if older.cycle => span(Role::Bad, " (circle)"),
            () if older.repeated => span(Role::Dim, " (see above)"),
            () => span(Role::Plain, ""),
        };
        view.line([
            span(Role::Dim, format!("{indent}↑ supersedes ")),
            span(Role::Key, &older.id),
            mark,
        ]);
        show(view, older, depth + 1);
    }
}
