//! `episode add`: stores the story of a piece of work.

use heirloom_core::record::{Body, Episode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::RecordAttributes;
use crate::ops::answers::StoredRecord;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct EpisodeAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// Title of the episode.
    title: String,
    /// What happened and why.
    #[serde(default)]
    content: Option<String>,
    /// Goals of the work.
    #[serde(default)]
    goals: Vec<String>,
    /// Standing instructions that the user gave.
    #[serde(default)]
    instructions: Vec<String>,
    /// Decisions that were made.
    #[serde(default)]
    decisions: Vec<String>,
    /// Causes that were found, and fixes.
    #[serde(default)]
    findings: Vec<String>,
    /// Steps that were taken, in order.
    #[serde(default)]
    steps: Vec<String>,
    /// How it ended.
    #[serde(default)]
    outcome: Option<String>,
    /// Questions and tasks left open.
    #[serde(default)]
    open: Vec<String>,
    /// Files that were changed.
    #[serde(default)]
    files: Vec<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

impl Operation for EpisodeAdd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "episode_add",
        usage: "episode add <title>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store the story of a piece of work: its goals, decisions, steps and outcome.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let title = super::add::require_title(&request.title, "an episode needs a title")?;
        let body = Body::Episode(Box::new(Episode {
            title,
            content: request.content.unwrap_or_default(),
            goals: request.goals,
            instructions: request.instructions,
            decisions: request.decisions,
            findings: request.findings,
            sequence: request.steps,
            outcome: request.outcome,
            open: request.open,
            files: request.files,
            ..Episode::default()
        }));
        super::add::store(session, body, &request.attributes)
    }
}
