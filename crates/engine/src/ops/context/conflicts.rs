//! `context conflicts`: where documents disagree.

use heirloom_core::conflict;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::MemoryQuery;
use crate::ops::answers::Findings;
use crate::view::formats::Format;
use crate::workspace::catalog::Catalog;
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextConflicts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only what this plan inherits, by name or number.
    #[serde(default)]
    plan: Option<String>,
    /// How to print it.
    #[serde(default)]
    format: Format,
}

impl Operation for ContextConflicts {
    type Request = Request;
    type Response = Findings;
    const SPEC: Spec = Spec {
        name: "context_conflicts",
        usage: "context conflicts [plan]",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List where documents contradict what they inherit, override what is stale, refer to what is superseded or gone, supersede each other in a circle, state a supersession on one side only, or have one number twice.",
    };

    fn run(session: &Session, request: Request) -> Result<Findings, Error> {
        let (mut catalog, notebooks) = Catalog::overview(session)?;
        let plan = match &request.plan {
            None => None,
            Some(typed) => {
                let plans = inherit::level(session.config()?, "plan")?;
                Some(layout::find_name(session.root(), &plans, &Default::default(), typed)?)
            }
        };
        let known =
            MemoryQuery::new().related().read_with_cached_entries(session, &catalog, notebooks)?;
        let mut conflicts = catalog.conflicts(session, plan.as_deref())?;
        conflicts.extend(known.disputes(plan.as_deref()));
        conflict::worst_first(&mut conflicts);
        let problems = known.with_problems(std::mem::take(&mut catalog.problems));
        catalog.let_go();
        Ok(Findings::new(conflicts, problems, request.format, false))
    }
}
