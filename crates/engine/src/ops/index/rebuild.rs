//! `index rebuild`: rebuilds the search index from the files.

use schemars::JsonSchema;
use serde::Deserialize;

use super::status::IndexReport;
use crate::indexing::{self, EmbedderTimeout};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct IndexRebuild;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

impl Operation for IndexRebuild {
    type Request = Request;
    type Response = IndexReport;
    const SPEC: Spec = Spec {
        name: "index_rebuild",
        usage: "index rebuild",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Rebuild the search index from the files. This is rarely needed: a damaged index is detected and rebuilt automatically.",
    };

    fn run(session: &Session, _: Request) -> Result<IndexReport, Error> {
        let embedder = &*indexing::open_embedder(session, EmbedderTimeout::Long)?;
        let index = indexing::rebuild(session, embedder)?;
        IndexReport::new("rebuilt", session, &index, embedder)
    }
}
