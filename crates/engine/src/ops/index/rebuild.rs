//! `index rebuild`: makes the index anew, which loses nothing.

use schemars::JsonSchema;
use serde::Deserialize;

use super::status::Status;
use crate::indexing::{self, Patience};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct IndexRebuild;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

impl Operation for IndexRebuild {
    type Request = Request;
    type Response = Status;
    const SPEC: Spec = Spec {
        name: "index_rebuild",
        usage: "index rebuild",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Make the index of memory anew. It is derived from files, so nothing is lost, and nothing needs it: a damaged index is noticed and made anew by itself.",
    };

    fn run(session: &Session, _: Request) -> Result<Status, Error> {
        let embedder = &*indexing::embedder(session, Patience::Long)?;
        let index = indexing::rebuild(session, embedder)?;
        Status::of("made anew", session, &index, embedder)
    }
}
