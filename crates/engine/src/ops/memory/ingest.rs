//! `memory ingest`: makes facts of decisions and answers that people wrote into documents.

use heirloom_core::fold::Standing;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::lifecycle::{self, Ingested};
use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::Done;
use crate::workspace::catalog::Catalog;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryIngest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for MemoryIngest {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "memory_ingest_lifecycle",
        usage: "memory ingest",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store as facts, once each, every accepted decision record, every plan decision and every answered question; archive the facts of records that hold no more.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let known = lifecycle::known_of(session, &catalog.adrs)?;
        let Ingested { stored, retired, left_out } =
            lifecycle::ingest_all(&mut transaction, &catalog, &known);
        let notes = [retired, left_out].concat();
        if request.dry_run {
            return Ok(Done { done: "would be stored", items: transaction.things(&stored), notes });
        }
        transaction.commit()?;
        let names: Vec<String> = stored.iter().map(Uuid::to_string).collect();
        let now = MemoryQuery::new().names(names.clone()).read(session)?;
        let items = now.described(&names, Standing::Active);
        Ok(Done { done: "stored", items, notes })
    }
}
