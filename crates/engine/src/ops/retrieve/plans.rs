//! `retrieve plans`: what has been done in a scope, and what is planned.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Retrieval;
use super::documents;
use super::entries::Tier;
use super::request::{AnswerOptions, FilterRequest, ScopeRequest};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct RetrievePlans;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    scope: ScopeRequest,
    /// Only plans with one of these statuses: new, in_progress, partial, done, abandoned.
    #[serde(default)]
    status: Vec<String>,
    #[serde(flatten)]
    filters: FilterRequest,
    /// How much of each plan: T0 its front matter (the default), T1 its overview, T2 all of it.
    #[serde(default)]
    tier: Option<Tier>,
    #[serde(flatten)]
    options: AnswerOptions,
}

impl Operation for RetrievePlans {
    type Request = Request;
    type Response = Retrieval;
    const SPEC: Spec = Spec {
        name: "retrieve_plans",
        usage: "retrieve plans",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the plans of a workspace, a domain or a repository with status, dates and tags: what has been done and what is planned.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieval, Error> {
        let selected = request.scope.select(session)?;
        let filters = request.filters.combine(request.status, None);
        filters.refuse_category()?;
        let tier = request.tier.unwrap_or(Tier::T0);
        let plans = documents::find_plans(session, &selected, &filters)?;
        let [found] = documents::read(session, [plans], tier);
        let found = found?;
        let answer = Retrieval {
            plans: Some(found.entries),
            not_shown: found.hidden,
            problems: found.problems,
            ..Retrieval::default()
        };
        request.options.complete(session, selected.scope, answer)
    }
}
