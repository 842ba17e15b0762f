//! `agent list`: lists the agents of a plan.

use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout::{self, DocumentRole};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::Listing;
use crate::workspace::inherit;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AgentList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan, by name or number.
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
        let (root, config) = (session.root(), session.config()?);
        let plans = inherit::level(config, "plan")?;
        let agents = inherit::level(config, "agent")?;
        let plan = layout::find_name(root, &plans, &Selectors::new(), &request.plan)?;
        let mut selectors = Selectors::from_iter([("plan".to_owned(), plan)]);
        let (names, problems) = layout::list_names_with_problems(root, &agents, &selectors)?;
        let mut placed = Vec::new();
        for name in names {
            selectors.insert("agent".to_owned(), name);
            let documents = layout::read_level(root, &agents, &selectors);
            placed.extend(documents.into_iter().filter(|placed| placed.role == DocumentRole::Main));
        }
        Listing::of(session, &placed, problems, |_| true)
    }
}
