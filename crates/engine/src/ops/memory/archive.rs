//! `memory archive`: archives memories. They can still be searched and restored.

use heirloom_core::fold::Standing;
use heirloom_core::record::EventAction;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of facts, other records or memory entries.
    fact_ids: Vec<String>,
    /// Reason for archiving.
    #[serde(default)]
    reason: Option<String>,
}

impl Operation for MemoryArchive {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_archive",
        usage: "memory archive <fact_ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Archive stale memories: they leave every context, but `memory search-archive` still finds them.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.fact_ids).read(session)?;
        let reason = request.reason.as_deref().unwrap_or_default();
        let mut names = Vec::new();
        let mut notes = Vec::new();
        for id in &request.fact_ids {
            let target = known.find_unsuperseded(id)?;
            let target_names = transaction.referents_of(&known, target)?;
            let Some(first) = target_names.first().map(|name| known.memory.canonical(name)) else {
                continue;
            };
            if known.memory.standing(&first) == Standing::Archived || names.contains(&first) {
                notes.push(format!("{id} is already archived"));
                continue;
            }
            // One event per memory, so that each can be restored on its own.
            transaction.write_event(&known, EventAction::Archive, target_names, vec![], reason)?;
            names.push(first);
        }
        transaction.commit()?;
        Ok(ChangedItems {
            done: "archived",
            items: known.describe(&names, Standing::Archived),
            notes,
        })
    }
}
