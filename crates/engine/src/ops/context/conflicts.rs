//! `context conflicts`: lists conflicts between documents.

use heirloom_core::conflict;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::MemoryQuery;
use crate::ops::answers::Findings;
use crate::view::formats::FindingsFormat;
use crate::workspace::catalog::Catalog;
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextConflicts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only conflicts in what this plan inherits; plan by name or number.
    #[serde(default)]
    plan: Option<String>,
    /// Output format.
    #[serde(default)]
    format: FindingsFormat,
}

impl Operation for ContextConflicts {
    type Request = Request;
    type Response = Findings;
    const SPEC: Spec = Spec {
        name: "context_conflicts",
        usage: "context conflicts [plan]",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List conflicts between documents and between memories: contradictions of inherited values, open contradictions of memories, overrides of stale values, references to superseded or missing documents, supersession cycles, one-sided supersessions and duplicate numbers.",
    };

    fn run(session: &Session, request: Request) -> Result<Findings, Error> {
        let (mut catalog, cached_entries) = Catalog::read_without_text(session)?;
        let plan = match &request.plan {
            None => None,
            Some(input) => {
                let plans = inherit::level(session.config()?, "plan")?;
                Some(layout::find_name(session.root(), &plans, &Default::default(), input)?)
            }
        };
        let known = MemoryQuery::new().related().contradictions().read_with_cached_entries(
            session,
            &catalog,
            cached_entries,
        )?;
        let mut conflicts = catalog.conflicts(session, plan.as_deref())?;
        conflicts.extend(known.conflicts(plan.as_deref()));
        let open = known.open_contradictions(session.today());
        let open = open.filter(|it| plan.as_deref().is_none_or(|plan| it.is_of_plan(plan)));
        conflicts.extend(open.map(|contradiction| contradiction.conflict));
        conflict::sort_by_severity(&mut conflicts);
        let problems = known.with_problems(std::mem::take(&mut catalog.problems));
        catalog.drop_in_background();
        Ok(Findings::new(conflicts, problems, request.format, false))
    }
}
