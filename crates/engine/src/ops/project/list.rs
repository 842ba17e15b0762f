//! `project list`: lists the projects.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::Listing;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ProjectList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

impl Operation for ProjectList {
    type Request = Request;
    type Response = Listing;
    const SPEC: Spec = Spec {
        name: "project_list",
        usage: "project list",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the projects.",
    };

    fn run(session: &Session, _: Request) -> Result<Listing, Error> {
        Listing::of_level(session, "project", |_| true)
    }
}
