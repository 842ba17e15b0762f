//! `workflow add`: steps that are taken here.

use heirloom_core::Value;
use heirloom_core::record::{Body, Workflow};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::Particulars;
use crate::ops::answers::Stored;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct WorkflowAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// When it applies (deploy_request).
    trigger: String,
    /// The steps, in order.
    steps: Vec<String>,
    /// What a step is in detail (test=cargo test).
    #[serde(default)]
    details: IndexMap<String, String>,
    /// The steps in a line.
    #[serde(default)]
    hint: Option<String>,
    /// More about it.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    particulars: Particulars,
}

impl Operation for WorkflowAdd {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "workflow_add",
        usage: "workflow add <trigger>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store the steps that are taken here for something, and when they are.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let trigger = super::add::named(&request.trigger, "a workflow without a trigger")?;
        let steps: Vec<String> = request
            .steps
            .iter()
            .map(|step| step.trim().to_owned())
            .filter(|s| !s.is_empty())
            .collect();
        if steps.is_empty() {
            return Err(
                Error::bad_input("a workflow without steps").hint("give --step, several times")
            );
        }
        if let Some(unknown) = request.details.keys().find(|step| !steps.contains(step)) {
            return Err(Error::bad_input(format!("there is no step `{unknown}` to detail"))
                .hint(format!("the steps are {}", steps.join(", "))));
        }
        let details = request.details.into_iter().map(|(step, how)| (step, Value::String(how)));
        let body = Body::Workflow(Box::new(Workflow {
            trigger,
            steps,
            details: details.collect(),
            hint: request.hint,
            content: request.content.unwrap_or_default(),
        }));
        super::add::store(session, body, &request.particulars)
    }
}
