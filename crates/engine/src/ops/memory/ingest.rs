//! `memory ingest`: stores decisions and answers from documents as facts.

use heirloom_core::fold::Standing;
use heirloom_core::record::Referent;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_stored;
use crate::memory::lifecycle::{self, IngestReport};
use crate::memory::{MemoryQuery, RunKind, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::workspace::catalog::Catalog;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryIngest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
}

impl Operation for MemoryIngest {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_ingest_lifecycle",
        usage: "memory ingest",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store decisions from documents as facts. Covers accepted decision records, plan decisions and answered questions, once each; facts of decision records that are no longer in force are archived.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let known = lifecycle::read_ingested(session, &catalog.adrs)?;
        let report = lifecycle::ingest_all(&mut transaction, &catalog, &known);
        if request.dry_run {
            let IngestReport { stored, retired, left_out } = report;
            let retired = retired.iter().map(|fact| format!("in a real run, {fact}"));
            let notes = retired.chain(left_out.iter().map(ToString::to_string)).collect();
            let mut items = transaction.new_items(&stored);
            // A fact that was archived is restored, and its line is already in the log.
            let restored: Vec<Referent> = stored
                .into_iter()
                .filter(|id| !items.iter().any(|item| item.referent == Referent::Record(*id)))
                .map(Referent::Record)
                .collect();
            items.extend(known.describe(&restored, Standing::Active));
            return Ok(ChangedItems { done: "would be stored", items, notes });
        }
        transaction.commit_as_run(RunKind::Ingest)?;
        let mut notes: Vec<String> = report.notes().collect();
        let facts: Vec<Referent> = report.stored.into_iter().map(Referent::Record).collect();
        notes.extend(check_stored(session, &facts));
        let stored = MemoryQuery::new().referents(facts.clone()).read(session)?;
        let items = stored.describe(&facts, Standing::Active);
        Ok(ChangedItems { done: "stored", items, notes })
    }
}
