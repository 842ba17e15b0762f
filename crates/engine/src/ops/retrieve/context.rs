//! `retrieve context`: overviews, learnings, plans and other documents of a scope in one answer.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Retrieved;
use super::entries::Tier;
use super::request::{Filters, ScopeRequest};
use super::{budget, documents, learnings};
use crate::view::formats::EntryFormat;
use crate::workspace::scopes::{ScopeFolder, Scopes};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct RetrieveContext;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    #[serde(flatten)]
    scope: ScopeRequest,
    /// Only plans with one of these statuses.
    #[serde(default)]
    status: Vec<String>,
    /// Only entries with one of these tags; overviews are always shown.
    #[serde(default)]
    tags: Vec<String>,
    /// Size of entries: T0, T1 or T2; default: as small as is useful.
    #[serde(default)]
    tier: Option<Tier>,
    /// Most tokens of the answer; what does not fit is counted, with how to get it.
    #[serde(default)]
    budget: Option<usize>,
    /// Format of the answer as text; default: yaml.
    #[serde(default)]
    format: Option<EntryFormat>,
}

/// The folders of further documents.
const FURTHER_FOLDERS: [ScopeFolder; 3] =
    [ScopeFolder::Features, ScopeFolder::Spikes, ScopeFolder::Architecture];

impl Operation for RetrieveContext {
    type Request = Request;
    type Response = Retrieved;
    const SPEC: Spec = Spec {
        name: "retrieve_context",
        usage: "retrieve context",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show what is known in a workspace, a domain or a repository: overviews, decisions, lessons, plans, features, spikes and architecture.",
    };

    fn run(session: &Session, request: Request) -> Result<Retrieved, Error> {
        let scopes = Scopes::of(session.root(), session.config()?)?;
        let scope = request.scope.find(session, &scopes)?;
        let within = scopes.within_if_any(scope.as_ref())?;
        let tags = Filters { tags: request.tags, ..Filters::default() };
        let plan_filters = Filters { status: request.status, ..tags.clone() };
        let tier = request.tier.unwrap_or(Tier::T0);

        let overviews =
            documents::overviews(session, &scopes, scope.as_ref(), &within, request.tier)?;
        let plans =
            documents::plans(session, &scopes, scope.as_ref(), &within, (&plan_filters, tier))?;
        let learnt =
            learnings::read(session, &scopes, scope.as_ref(), &within, (&tags, request.tier))?;
        let (found, folder_problems) = scopes.documents(&within, &FURTHER_FOLDERS);
        let further = |folder| documents::folder(session, &found, folder, &tags, tier);
        let [features, spikes, architecture] = FURTHER_FOLDERS.map(further);
        let (features, spikes, architecture) = (features?, spikes?, architecture?);

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
        problems.sort();
        problems.dedup();
        let mut answer = Retrieved {
            overviews: Some(overviews.entries),
            decisions: Some(learnt.decisions),
            lessons: Some(learnt.lessons),
            plans: Some(plans.entries),
            features: scope.is_some().then_some(features.entries),
            spikes: scope.is_some().then_some(spikes.entries),
            architecture: scope.is_some().then_some(architecture.entries),
            scope: scope.map(|scope| scope.to_string()),
            not_shown,
            problems,
            format: request.format,
            ..Retrieved::default()
        };
        budget::apply(session, &mut answer, request.budget)?;
        Ok(answer)
    }
}
