//! `agent list`: the agents of a plan.

use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Listing;
use crate::{Effect, Error, Group, Operation, Session, Spec, inherit};

pub(super) struct AgentList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The plan, by name or number.
    plan: String,
}

impl Operation for AgentList {
    type Request = Request;
    type Response = Listing;
    const SPEC: Spec = Spec {
        name: "agent_list",
        usage: "agent list <plan>",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List the agents of a plan.",
    };

    fn run(session: &Session, request: Request) -> Result<Listing, Error> {
        let plans = inherit::level(session.config()?, "plan")?;
        let plan = layout::find_name(session.root(), &plans, &Selectors::new(), &request.plan)?;
        Listing::of(session, NodeKind::Agent, |filed| filed.selectors.get("plan") == Some(&plan))
    }
}
