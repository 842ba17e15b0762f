//! `plan list`: lists the plans.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::Listing;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct PlanList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only plans of this project.
    #[serde(default)]
    project: Option<String>,
    /// Only plans with this status.
    #[serde(default)]
    status: Option<String>,
}

impl Operation for PlanList {
    type Request = Request;
    type Response = Listing;
    const SPEC: Spec = Spec {
        name: "plan_list",
        usage: "plan list",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the plans with their status, project and freshness.",
    };

    fn run(session: &Session, request: Request) -> Result<Listing, Error> {
        let matches = |filter: &Option<String>, field: Option<&str>| {
            filter
                .as_deref()
                .is_none_or(|filter| field.is_some_and(|field| field.eq_ignore_ascii_case(filter)))
        };
        Listing::of_level(session, "plan", |document| {
            matches(&request.project, document.field("project"))
                && matches(&request.status, document.field("status"))
        })
    }
}
