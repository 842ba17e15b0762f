//! `agent new`: creates an agent of a plan with the next free number.

use heirloom_core::hierarchy::Selectors;
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::answers::CreatedDocument;
use crate::workspace::inherit;
use crate::workspace::scaffold;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AgentNew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan: String,
    /// Title of the agent, or its file name with a number (001-entity-resolution).
    name: String,
    /// What the agent should do.
    #[serde(default)]
    description: Option<String>,
}

impl Operation for AgentNew {
    type Request = Request;
    type Response = CreatedDocument;
    const SPEC: Spec = Spec {
        name: "agent_new",
        usage: "agent new <plan> <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Create an agent of a plan with the next free number.",
    };

    fn run(session: &Session, request: Request) -> Result<CreatedDocument, Error> {
        let root = session.root();
        let title_or_name = scaffold::one_line("agent", &request.name)?;
        let _lock = heirloom_store::journal::lock(root)?;
        let config = session.config()?;
        let plan = layout::find_name(
            root,
            &inherit::level(config, "plan")?,
            &Selectors::new(),
            &request.plan,
        )?;
        let selectors: Selectors = [("plan".to_owned(), plan.clone())].into_iter().collect();
        let names = layout::list_names(root, &inherit::level(config, "agent")?, &selectors)?;
        let name = scaffold::numbered_name("agent", &title_or_name, &names, 3, 0)?;
        let path = format!("plans/{plan}/agents/{name}.md");
        let text = scaffold::agent(
            &scaffold::title_of(&title_or_name),
            &plan,
            request.description.as_deref(),
            session.today(),
        );
        CreatedDocument::write(session, "agent", name, path, &text)
    }
}
