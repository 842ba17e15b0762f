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
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<Listing, Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, Some("plans"))?;
        let typed: Selectors = [("plan".to_owned(), request.plan)].into_iter().collect();
        let selected = layout::select(session.root(), &hierarchy, &typed)?;
        Listing::of(session, NodeKind::Agent, |filed| {
            filed.selectors.get("plan") == selected.get("plan")
        })
    }
}
