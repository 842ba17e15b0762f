//! `agent new`: a new agent of a plan, with the next number.

use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Created;
use crate::setup::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec, inherit};

pub(super) struct AgentNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The plan, by name or number.
    plan: String,
    /// The agent's title; or its file's name with a number in front (001-entity-resolution).
    name: String,
    /// What it is to do.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for AgentNew {
    type Request = Request;
    type Response = Created;
    const SPEC: Spec = Spec {
        name: "agent_new",
        usage: "agent new <plan> <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create an agent of a plan with the next free number.",
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<Created, Error> {
        let root = session.root();
        let _lock = heirloom_store::journal::lock(root)?;
        let (_, hierarchy) = inherit::hierarchy(session.config()?, Some("plans"))?;
        let typed: Selectors = [("plan".to_owned(), request.plan)].into_iter().collect();
        let selectors = layout::select(root, &hierarchy, &typed)?;
        let level = hierarchy
            .level("agent")
            .ok_or_else(|| Error::bad_input("the hierarchy `plans` has no level `agent`"))?;
        let names = layout::names(root, level, &selectors)?;
        let name = scaffold::numbered("agent", &request.name, &names, 3, 0)?;
        let plan = &selectors["plan"];
        let path = format!("plans/{plan}/agents/{name}.md");
        let text = scaffold::agent(
            &scaffold::title_of(&request.name),
            plan,
            request.description.as_deref(),
            session.today(),
        );
        Created::write(session, "agent", name, path, &text)
    }
}
