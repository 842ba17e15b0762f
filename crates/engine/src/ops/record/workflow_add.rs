//! `workflow add`: stores a sequence of steps.

use heirloom_core::record::{Body, Workflow};
use heirloom_core::{Hint, Value};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::RecordAttributes;
use crate::ops::answers::StoredRecord;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct WorkflowAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// When the workflow applies (deploy_request).
    trigger: String,
    /// The steps, in order.
    steps: Vec<String>,
    /// Details of a step (test=cargo test).
    #[serde(default)]
    details: IndexMap<String, String>,
    /// The workflow in one line.
    #[serde(default)]
    hint: Option<String>,
    /// Longer explanation.
    #[serde(default)]
    content: Option<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

impl Operation for WorkflowAdd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "workflow_add",
        usage: "workflow add <trigger>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store a workflow: its steps and when it applies.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let trigger = super::add::require_title(&request.trigger, "a workflow needs a trigger")?;
        let steps: Vec<String> = request
            .steps
            .iter()
            .map(|step| step.trim().to_owned())
            .filter(|step| !step.is_empty())
            .collect();
        if steps.is_empty() {
            return Err(Error::bad_input("a workflow needs at least one step")
                .hint(Hint::text("add ").field("steps").then(" once per step")));
        }
        if let Some(unknown) = request.details.keys().find(|step| !steps.contains(step)) {
            return Err(Error::bad_input(format!(
                "details name a step `{unknown}` that does not exist"
            ))
            .hint(format!("the steps are {}", steps.join(", "))));
        }
        let details =
            request.details.into_iter().map(|(step, detail)| (step, Value::String(detail)));
        let body = Body::Workflow(Box::new(Workflow {
            trigger,
            steps,
            details: details.collect(),
            hint: request.hint,
            content: request.content.unwrap_or_default(),
        }));
        super::add::store(session, body, &request.attributes)
    }
}
