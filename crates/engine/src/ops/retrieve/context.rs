//! `retrieve context`: overviews, learnings, plans and other documents of a scope in one answer.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Retrieval;
use super::entries::Tier;
use super::request::{AnswerOptions, Filters, ScopeRequest};
use super::{budget, documents, learnings};
use crate::workspace::scopes::ScopeFolder;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct RetrieveContext;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    scope: ScopeRequest,
    /// Only plans with one of these statuses.
    #[serde(default)]
    status: Vec<String>,
    /// Only entries with one of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Size of entries; default: as small as is useful.
    #[serde(default)]
    tier: Option<Tier>,
    #[serde(flatten)]
    options: AnswerOptions,
}

/// The most tokens of an answer if the request states no budget, as in `assemble`.
const DEFAULT_BUDGET_TOKENS: usize = 8_000;

/// The folders of further documents.
const FURTHER_FOLDERS: [ScopeFolder; 3] =
    [ScopeFolder::Features, ScopeFolder::Spikes, ScopeFolder::Architecture];

impl Operation for RetrieveContext {
    type Request = Request;
    type Response = Retrieval;
    const SPEC: Spec = Spec {
        name: "retrieve_context",
        usage: "retrieve context",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show what is known in a workspace, a domain or a repository: overviews, decisions, lessons, plans and more.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieval, Error> {
        let selected = request.scope.select(session)?;
        let tags = Filters { tags: request.tags, ..Filters::default() };
        let plan_filters = Filters { status: request.status, ..tags.clone() };
        let tier = request.tier.unwrap_or(Tier::T0);

        let overviews = documents::overviews(session, &selected, request.tier)?;
        let learnt = learnings::read(session, &selected, &tags, request.tier)?;
        let (found, folder_problems) =
            selected.scopes.documents(&selected.within, &FURTHER_FOLDERS);
        let [features, spikes, architecture] =
            FURTHER_FOLDERS.map(|folder| documents::in_folder(&found, folder, &tags));
        let plans = documents::find_plans(session, &selected, &plan_filters)?;
        let [plans, features, spikes, architecture] =
            documents::read(session, [plans, features, spikes, architecture], tier);
        let (plans, features, spikes, architecture) = (plans?, features?, spikes?, architecture?);

        let mut not_shown = plans.hidden;
        let mut problems = overviews.problems;
        problems.extend(plans.problems);
        problems.extend(folder_problems);
        not_shown.add(learnt.hidden);
        problems.extend(learnt.problems);
        for further in [&features, &spikes, &architecture] {
            not_shown.add(further.hidden);
            problems.extend(further.problems.iter().cloned());
        }
        let has_scope = selected.scope.is_some();
        let answer = Retrieval {
            overviews: Some(overviews.entries),
            decisions: Some(learnt.decisions),
            lessons: Some(learnt.lessons),
            plans: Some(plans.entries),
            features: has_scope.then_some(features.entries),
            spikes: has_scope.then_some(spikes.entries),
            architecture: has_scope.then_some(architecture.entries),
            not_shown,
            problems,
            ..Retrieval::default()
        };
        let has_budget = request.options.has_budget();
        let mut answer = request.options.complete(session, selected.scope, answer)?;
        if !has_budget {
            budget::fit_by_default(session, &mut answer, DEFAULT_BUDGET_TOKENS)?;
        }
        Ok(answer)
    }
}
