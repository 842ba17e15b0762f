//! `memory release`: unpins memories from working memory.

use heirloom_core::Hint;
use heirloom_core::record::{EventAction, Referent};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryItem, MemoryQuery, PinOwner, WriteTransaction};
use crate::ops::answers::ChangedItems;
use crate::view::present;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryRelease;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of pinned memories; without any, all are released.
    #[serde(default)]
    fact_ids: Vec<String>,
    /// Release the pins that all agents of this machine share, not your own.
    #[serde(default)]
    shared: bool,
}

impl Operation for MemoryRelease {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_release",
        usage: "memory release [fact_ids]...",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Unpin some or all memories of your working memory. They stay stored.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().pinned().ids(&request.fact_ids).read(session)?;
        let owner = PinOwner::for_request(session.agent(), request.shared);
        let pins = known.pins_of([owner]);
        let mut requested = Vec::new();
        for id in &request.fact_ids {
            let target = known.find(id)?;
            let names = transaction.referents_of(&known, target)?;
            let heads: Vec<Referent> =
                names.iter().flat_map(|name| known.memory.heads(name)).collect();
            if !pins.iter().any(|(name, _)| heads.contains(name)) {
                let is_shared = owner != PinOwner::Shared
                    && known.pins(None).iter().any(|(name, _)| heads.contains(name));
                let error = Error::bad_input(format!("`{id}` is not among your own pins"));
                return Err(match is_shared {
                    true => {
                        error.hint(Hint::text("release it for all agents with ").field("shared"))
                    }
                    false => Error::bad_input(format!("`{id}` is not pinned")),
                });
            }
            requested.extend(heads);
        }
        let released: Vec<&(Referent, MemoryItem)> = pins
            .iter()
            .filter(|(name, _)| request.fact_ids.is_empty() || requested.contains(name))
            .collect();
        // The pin may have been set on an older version of the memory.
        let mut events: Vec<Uuid> = Vec::new();
        for (target, ids) in known.pin_events(owner) {
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
        let shared = known.pins(None).len();
        let has_shared = request.fact_ids.is_empty() && owner != PinOwner::Shared && shared > 0;
        let note =
            has_shared.then(|| format!("{}, not released", present::count(shared, "shared pin")));
        Ok(ChangedItems { done: "released", items, notes: note.into_iter().collect() })
    }
}
