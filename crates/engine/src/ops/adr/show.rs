//! `adr show`: shows a decision record.

use heirloom_core::adr::Status;
use heirloom_core::graph::EdgeKind;
use heirloom_core::staleness::Staleness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, GraphExtent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Decision record: ADR-0003, 3, or a path.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdrDetails {
    id: String,
    title: String,
    status: Status,
    /// Date, as written.
    date: Option<String>,
    /// Path of the file.
    source: String,
    /// Ids of the records that it replaced.
    supersedes: Vec<String>,
    /// Ids of the records that replaced it.
    superseded_by: Vec<String>,
    /// Documents that refer to it.
    referred_to_by: Vec<String>,
    /// Age of the document and what to do about it.
    staleness: Staleness,
    /// Full text.
    text: String,
}

impl Operation for AdrShow {
    type Request = Request;
    type Response = AdrDetails;
    const SPEC: Spec = Spec {
        name: "adr_show",
        usage: "adr show <id>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show a decision record, its supersessions and the documents that refer to it.",
    };

    fn run(session: &Session, request: Request) -> Result<AdrDetails, Error> {
        let catalog = Catalog::read(session)?;
        let (catalog_entry, adr) = catalog.find_adr(&request.id)?;
        let graph = catalog.graph(session, GraphExtent::Neighbourhood(&catalog_entry.id));
        let collect =
            |select: &dyn Fn(&heirloom_core::graph::GraphEdge) -> Option<String>| -> Vec<String> {
                let mut found: Vec<String> = graph.edges.iter().filter_map(select).collect();
                found.sort();
                found.dedup();
                found
            };
        let short = |id: &str| id.trim_start_matches("adr/").to_owned();
        Ok(AdrDetails {
            id: adr.id.clone(),
            title: adr.title.clone(),
            status: adr.status,
            date: adr.date.clone(),
            source: adr.path.clone(),
            supersedes: collect(&|edge| {
                (edge.kind == EdgeKind::Supersedes && edge.from == catalog_entry.id)
                    .then(|| short(&edge.to))
            }),
            superseded_by: collect(&|edge| {
                (edge.kind == EdgeKind::Supersedes && edge.to == catalog_entry.id)
                    .then(|| short(&edge.from))
            }),
            referred_to_by: collect(&|edge| {
                (edge.kind == EdgeKind::References && edge.to == catalog_entry.id)
                    .then(|| graph.node(&edge.from).map(|node| node.path.clone()))
                    .flatten()
            }),
            staleness: *catalog_entry.staleness(),
            text: catalog_entry.text.clone(),
        })
    }
}

impl Answer for AdrDetails {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title(format!("{}: {}", self.id, self.title));
        let role = if self.status == Status::Accepted { Role::Good } else { Role::Warning };
        view.line([
            span(role, self.status.as_str()),
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
