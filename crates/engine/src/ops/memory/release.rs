//! `memory release`: takes memories out of working memory.

use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryItem, MemoryQuery, WriteTransaction};
use crate::ops::answers::Done;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryRelease;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What is pinned, by id or the end of it; without any, everything is released.
    #[serde(default)]
    fact_ids: Vec<String>,
}

impl Operation for MemoryRelease {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "memory_release",
        usage: "memory release [fact_ids]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Clear working memory, or take some memories out of it. They stay known.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().pinned().ids(&request.fact_ids).read(session)?;
        let pins = known.pins();
        let mut wanted = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find(typed)?;
            let names = transaction.names(&known, target)?;
            let heads: Vec<String> =
                names.iter().flat_map(|name| known.memory.heads(name)).collect();
            if !pins.iter().any(|(name, _)| heads.contains(name)) {
                return Err(Error::bad_input(format!("`{typed}` is not pinned")));
            }
            wanted.extend(heads);
        }
        let released: Vec<&(String, MemoryItem)> = pins
            .iter()
            .filter(|(name, _)| request.fact_ids.is_empty() || wanted.contains(name))
            .collect();
        // A pin may have been set on what the pinned thing replaced.
        let mut events: Vec<Uuid> = Vec::new();
        for (target, own) in known.pin_events() {
            let heads = known.memory.heads(target);
            let all = request.fact_ids.is_empty();
            if all || heads.iter().any(|head| released.iter().any(|(name, _)| name == head)) {
                events.extend(own);
            }
        }
        if !events.is_empty() {
            let undoes = events.iter().map(Uuid::to_string).collect();
            transaction.event(&known, Action::Release, vec![], undoes, "")?;
        }
        transaction.commit()?;
        let items = released
            .into_iter()
            .map(|(_, thing)| MemoryItem { pinned: false, ..thing.clone() })
            .collect();
        Ok(Done { done: "released", items, notes: vec![] })
    }
}
