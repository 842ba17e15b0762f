//! `memory release`: unpins memories from working memory.

use heirloom_core::record::{EventAction, Referent};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryItem, MemoryQuery, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryRelease;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of pinned memories; without any, all are released.
    #[serde(default)]
    fact_ids: Vec<String>,
}

impl Operation for MemoryRelease {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_release",
        usage: "memory release [fact_ids]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Unpin some or all memories of working memory. They stay stored.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().pinned().ids(&request.fact_ids).read(session)?;
        let pins = known.pins();
        let mut requested = Vec::new();
        for id in &request.fact_ids {
            let target = known.find(id)?;
            let names = transaction.referents_of(&known, target)?;
            let heads: Vec<Referent> =
                names.iter().flat_map(|name| known.memory.heads(name)).collect();
            if !pins.iter().any(|(name, _)| heads.contains(name)) {
                return Err(Error::bad_input(format!("`{id}` is not pinned")));
            }
            requested.extend(heads);
        }
        let released: Vec<&(Referent, MemoryItem)> = pins
            .iter()
            .filter(|(name, _)| request.fact_ids.is_empty() || requested.contains(name))
            .collect();
        // The pin may have been set on an older version of the memory.
        let mut events: Vec<Uuid> = Vec::new();
        for (target, ids) in known.pin_events() {
            let heads = known.memory.heads(target);
            let all = request.fact_ids.is_empty();
            if all || heads.iter().any(|head| released.iter().any(|(name, _)| name == head)) {
                events.extend(ids);
            }
        }
        if !events.is_empty() {
            let undoes = events.into_iter().map(Referent::Record).collect();
            transaction.write_event(&known, EventAction::Release, vec![], undoes, "")?;
        }
        transaction.commit()?;
        let items = released
            .into_iter()
            .map(|(_, item)| MemoryItem { pinned: false, ..item.clone() })
            .collect();
        Ok(ChangedItems { done: "released", items, notes: vec![] })
    }
}
