//! `adr show`: one decision record.

use heirloom_core::adr::Status;
use heirloom_core::graph::EdgeKind;
use heirloom_core::staleness::Staleness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, Extent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The record: ADR-0003, 3, or a path.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Adr {
    id: String,
    title: String,
    status: Status,
    /// Its date, as written.
    date: Option<String>,
    /// Its file.
    source: String,
    /// What it replaced.
    supersedes: Vec<String>,
    /// What replaced it.
    superseded_by: Vec<String>,
    /// Documents that refer to it.
    referred_to_by: Vec<String>,
    /// How fresh it is.
    staleness: Staleness,
    /// Its whole text.
    text: String,
}

impl Operation for AdrShow {
    type Request = Request;
    type Response = Adr;
    const SPEC: Spec = Spec {
        name: "adr_show",
        usage: "adr show <id>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show one decision record, what it replaced, what replaced it and who refers to it.",
    };

    fn run(session: &Session, request: Request) -> Result<Adr, Error> {
        let catalog = Catalog::read(session)?;
        let (filed, adr) = catalog.find_adr(&request.id)?;
        let graph = catalog.graph(session, Extent::Around(&filed.id));
        let ids = |keep: &dyn Fn(&heirloom_core::graph::Edge) -> Option<String>| -> Vec<String> {
            let mut found: Vec<String> = graph.edges.iter().filter_map(keep).collect();
            found.sort();
            found.dedup();
            found
        };
        let short = |id: &str| id.trim_start_matches("adr/").to_owned();
        Ok(Adr {
            id: adr.id.clone(),
            title: adr.title.clone(),
            status: adr.status,
            date: adr.date.clone(),
            source: adr.path.clone(),
            supersedes: ids(&|edge| {
                (edge.kind == EdgeKind::Supersedes && edge.from == filed.id)
                    .then(|| short(&edge.to))
            }),
            superseded_by: ids(&|edge| {
                (edge.kind == EdgeKind::Supersedes && edge.to == filed.id)
                    .then(|| short(&edge.from))
            }),
            referred_to_by: ids(&|edge| {
                (edge.kind == EdgeKind::References && edge.to == filed.id)
                    .then(|| graph.node(&edge.from).map(|node| node.path.clone()))
                    .flatten()
            }),
            staleness: *filed.staleness(),
            text: filed.text.clone(),
        })
    }
}

impl Answer for Adr {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(format!("{}: {}", self.id, self.title));
        let role = if self.status == Status::Accepted { Role::Good } else { Role::Warning };
        view.line([
            span(role, self.status.word()),
            " · ".into(),
            present::freshness(&self.staleness),
            " · ".into(),
            span(Role::Source, &self.source),
        ]);
        for (word, list) in [
            ("supersedes", &self.supersedes),
            ("superseded by", &self.superseded_by),
            ("referred to by", &self.referred_to_by),
        ] {
            if !list.is_empty() {
                view.line([span(Role::Dim, format!("{word} ")), list.join(", ").into()]);
            }
        }
        view.blank();
        view.text(self.text.as_str());
        view
    }
}
