//! `memory restore`: brings archived memories back.

use heirloom_core::fold::Standing;
use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::Done;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryRestore;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What was archived, by its id or the end of it.
    fact_ids: Vec<String>,
}

impl Operation for MemoryRestore {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "memory_restore",
        usage: "memory restore <fact_ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Bring back what was archived. What was superseded stays so.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.fact_ids).read(session)?;
        let mut undone: Vec<Uuid> = Vec::new();
        let mut names = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find(typed)?;
            let own = transaction.names(&known, target)?;
            let events: Vec<Uuid> =
                own.iter().flat_map(|name| known.memory.events(Action::Archive, name)).collect();
            if events.is_empty() {
                return Err(Error::bad_input(format!("`{typed}` is not archived")));
            }
            undone.extend(events);
            names.extend(own.into_iter().next());
        }
        undone.sort();
        undone.dedup();
        let undoes = undone.iter().map(Uuid::to_string).collect();
        transaction.event(&known, Action::Restore, vec![], undoes, "")?;
        transaction.commit()?;
        Ok(Done {
            done: "restored",
            items: known.described(&names, Standing::Active),
            notes: vec![],
        })
    }
}
