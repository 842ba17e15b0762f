//! `episode add`: what happened in a stretch of work, and why.

use heirloom_core::record::{Body, Episode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::Particulars;
use crate::ops::answers::Stored;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct EpisodeAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// What to call it.
    title: String,
    /// The narrative: what happened and why.
    #[serde(default)]
    content: Option<String>,
    /// What was to be achieved.
    #[serde(default)]
    goals: Vec<String>,
    /// What was decided.
    #[serde(default)]
    decisions: Vec<String>,
    /// What was done, in order.
    #[serde(default)]
    steps: Vec<String>,
    /// How it ended.
    #[serde(default)]
    outcome: Option<String>,
    /// What was left open.
    #[serde(default)]
    open: Vec<String>,
    /// Files that were touched.
    #[serde(default)]
    files: Vec<String>,
    #[serde(flatten)]
    particulars: Particulars,
}

impl Operation for EpisodeAdd {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "episode_add",
        usage: "episode add <title>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store the story of a piece of work: its goals, decisions, steps and outcome.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let title = super::add::named(&request.title, "an episode without a title")?;
        let body = Body::Episode(Box::new(Episode {
            title,
            content: request.content.unwrap_or_default(),
            goals: request.goals,
            decisions: request.decisions,
            sequence: request.steps,
            outcome: request.outcome,
            open: request.open,
            files: request.files,
            ..Episode::default()
        }));
        super::add::store(session, body, &request.particulars)
    }
}
