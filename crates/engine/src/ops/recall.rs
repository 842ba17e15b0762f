//! `recall`: what is remembered of something.

use heirloom_core::fold::Standing;
use heirloom_core::record::{Kind, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Recalled;
use crate::memory::{Recollection, Thing, When, ranked};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(super) struct Recall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// What to look for; any text will do.
    query: String,
    /// At most this many.
    #[serde(default = "ten")]
    limit: usize,
    /// Only facts of this section.
    #[serde(default)]
    section: Option<Section>,
    /// Only of this kind: fact, episode, finding, ….
    #[serde(default)]
    kind: Option<String>,
    /// Only with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// As known on this day.
    #[serde(default)]
    as_of: Option<String>,
    /// What was true on this day.
    #[serde(default)]
    valid_at: Option<String>,
}

fn ten() -> usize {
    10
}

impl Operation for Recall {
    type Request = Request;
    type Response = Recalled;
    const SPEC: Spec = Spec {
        name: "memory_recall",
        usage: "recall <query>",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Recall what is known of something: facts, episodes, patterns, workflows, notes, and what agents and plans remember, best first.",
    };

    fn run(session: &Session, request: Request) -> Result<Recalled, Error> {
        let when = When::read(request.as_of.as_deref(), request.valid_at.as_deref())?;
        let known = Recollection::read_at(session, when)?;
        let wanted = |thing: &Thing| {
            (when.valid_at.is_some() || thing.standing == Standing::Active)
                && request.section.is_none_or(|section| thing.section == Some(section))
                && request.kind.as_ref().is_none_or(|kind| thing.kind == kind)
                && request.tag.as_ref().is_none_or(|tag| thing.tags.contains(tag))
        };
        let taken_over = known.taken_over();
        let things: Vec<Thing> = known
            .things(&Kind::REMEMBERED, true)
            .into_iter()
            .filter(|thing| wanted(thing) && !taken_over.contains(&thing.id))
            .collect();
        Ok(Recalled::first(ranked(&request.query, things), request.limit, known.problems))
    }
}
