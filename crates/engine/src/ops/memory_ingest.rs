//! `memory ingest`: makes facts of decisions and answers that people wrote into documents.

use heirloom_core::adr::{Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::supersession::Supersession;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::answers::Done;
use crate::catalog::Catalog;
use crate::memory::{Pen, Recollection, lifecycle};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(super) struct MemoryIngest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
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
        about: "Store as facts, once each, every accepted decision record, every plan decision and every answered question.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut pen = Pen::take(session, true)?;
        let known = Recollection::read(session)?;
        let catalog = Catalog::read(session)?;
        let supersession = Supersession::new(&catalog.adrs);
        let mut stored: Vec<Uuid> = Vec::new();
        for (at, adr) in catalog.adrs.iter().enumerate() {
            let document = catalog.at_path(&adr.path).map(|filed| &filed.document);
            let in_force = adr.status == Status::Accepted && supersession.in_force(at);
            if let Some(document) = document.filter(|_| in_force) {
                let replaced: Vec<&Adr> =
                    supersession.predecessors(at).map(|old| &catalog.adrs[old]).collect();
                stored.extend(lifecycle::ingest_adr(&mut pen, &known, adr, document, &replaced)?);
            }
        }
        for (noted, entry) in known.entries() {
            if known.memory.standing(&crate::memory::entry_ref(&entry.id)) == Standing::Active {
                stored.extend(lifecycle::ingest_entry(&mut pen, &known, noted, entry)?.1);
            }
        }
        let items = pen.things(&stored);
        if request.dry_run {
            return Ok(Done { done: "would be stored", items, notes: vec![] });
        }
        pen.finish()?;
        Ok(Done { done: "stored", items, notes: vec![] })
    }
}
