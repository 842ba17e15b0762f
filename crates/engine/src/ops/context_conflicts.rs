//! `context conflicts`: where documents disagree.

use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Findings;
use crate::catalog::Catalog;
use crate::formats::Format;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(super) struct ContextConflicts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
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
        about: "List where documents contradict what they inherit, override what is stale, refer to what is superseded or gone, or supersede each other in a circle.",
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<Findings, Error> {
        let catalog = Catalog::read(session)?;
        let plan = match (&request.plan, catalog.hierarchy.level("plan")) {
            (None, _) => None,
            (Some(typed), Some(level)) => {
                Some(layout::find_name(session.root(), level, &Default::default(), typed)?)
            }
            (Some(_), None) => {
                return Err(Error::bad_input("this workspace's hierarchy has no plans")
                    .hint("leave the plan out"));
            }
        };
        let conflicts = catalog.conflicts(session, plan.as_deref());
        Ok(Findings {
            conflicts,
            problems: catalog.problems,
            format: request.format,
            fails_on_critical: false,
        })
    }
}
