//! `retrieve overview`: what a scope is.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Retrieval;
use super::documents;
use super::entries::Tier;
use super::request::{AnswerOptions, ScopeRequest};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct RetrieveOverview;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    scope: ScopeRequest,
    /// How much of each overview: T0 its description, T1 its text, T2 the whole file. Default: T1 for the workspace, and
    /// for a repository that is asked for; T0 for others.
    #[serde(default)]
    tier: Option<Tier>,
    #[serde(flatten)]
    options: AnswerOptions,
}

impl Operation for RetrieveOverview {
    type Request = Request;
    type Response = Retrieval;
    const SPEC: Spec = Spec {
        name: "retrieve_overview",
        usage: "retrieve overview",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show what a workspace, its domains and their repositories are: the overview of the workspace whole, those of the others in a sentence or two.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieval, Error> {
        let selected = request.scope.select(session)?;
        let found = documents::overviews(session, &selected, request.tier)?;
        let answer = Retrieval {
            overviews: Some(found.entries),
            problems: found.problems,
            ..Retrieval::default()
        };
        request.options.complete(session, selected.scope, answer)
    }
}
