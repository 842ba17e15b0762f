//! `retrieve overview`: what a scope is.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Retrieved;
use super::entries::Tier;
use super::request::ScopeRequest;
use super::{budget, documents};
use crate::view::formats::EntryFormat;
use crate::workspace::scopes::Scopes;
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
    /// Most tokens of the answer; what does not fit is counted, with how to get it.
    #[serde(default)]
    budget: Option<usize>,
    /// Format of the answer as text; default: yaml.
    #[serde(default)]
    format: Option<EntryFormat>,
}

impl Operation for RetrieveOverview {
    type Request = Request;
    type Response = Retrieved;
    const SPEC: Spec = Spec {
        name: "retrieve_overview",
        usage: "retrieve overview",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Show what a workspace, its domains and their repositories are: the overview of the workspace whole, those of the others in a sentence or two.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieved, Error> {
        let scopes = Scopes::of(session.root(), session.config()?)?;
        let scope = request.scope.find(session, &scopes)?;
        let within = scopes.within_if_any(scope.as_ref())?;
        let found = documents::overviews(session, &scopes, scope.as_ref(), &within, request.tier)?;
        let mut answer = Retrieved {
            scope: scope.map(|scope| scope.to_string()),
            overviews: Some(found.entries),
            problems: found.problems,
            format: request.format,
            ..Retrieved::default()
        };
        budget::apply(session, &mut answer, request.budget)?;
        Ok(answer)
    }
}
