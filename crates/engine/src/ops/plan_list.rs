//! `plan list`: the plans.

use heirloom_core::graph::NodeKind;
use heirloom_core::staleness::Staleness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Filed};
use crate::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct PlanList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Only plans of this project.
    #[serde(default)]
    project: Option<String>,
    /// Only plans with this status.
    #[serde(default)]
    status: Option<String>,
}

/// Named things with their titles.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    items: Vec<Item>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// Its name.
    name: String,
    /// Its title.
    title: Option<String>,
    /// Its status.
    status: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Its file.
    source: String,
    /// How fresh it is.
    #[serde(flatten)]
    staleness: Staleness,
}

impl Listing {
    /// Lists the documents of a kind.
    pub(super) fn of(session: &Session, kind: NodeKind, keep: impl Fn(&Filed) -> bool) -> Result<Self, Error> {
        let catalog = Catalog::read(session)?;
        let items = catalog.filed.iter().filter(|filed| filed.kind == kind && keep(filed)).map(|filed| Item {
            name: filed.selectors.last().map_or_else(|| filed.id.clone(), |(_, name)| name.clone()),
            title: filed.document.title.clone(),
            status: filed.document.field("status").map(str::to_owned),
            project: filed.document.field("project").map(str::to_owned),
            source: filed.document.path.clone(),
            staleness: *filed.staleness(),
        });
        Ok(Listing { items: items.collect() })
    }
}

impl Operation for PlanList {
    type Request = Request;
    type Response = Listing;
    const SPEC: Spec = Spec { name: "plan_list", usage: "plan list", group: Group::Plans, effect: Effect::Reads, about: "List the plans with their status, project and freshness.", routes: &[] };

    fn run(session: &Session, request: Request) -> Result<Listing, Error> {
        let fits = |wanted: &Option<String>, own: Option<&str>| wanted.as_deref().is_none_or(|wanted| own.is_some_and(|own| own.eq_ignore_ascii_case(wanted)));
        Listing::of(session, NodeKind::Plan, |filed| fits(&request.project, filed.document.field("project")) && fits(&request.status, filed.document.field("status")))
    }
}

impl Answer for Listing {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.items.is_empty() {
            view.line([span(Role::Dim, "none")]);
        }
        let rows = self.items.iter().map(|item| {
            vec![
                span(Role::Key, &item.name),
                item.title.as_deref().unwrap_or("").into(),
                item.status.as_deref().unwrap_or("").into(),
                span(Role::Dim, item.project.as_deref().unwrap_or("")),
                present::freshness(&item.staleness),
            ]
        });
        view.table(&["name", "title", "status", "project", "freshness"], rows.collect());
        view
    }
}
