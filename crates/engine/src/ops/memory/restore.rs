//! `memory restore`: brings archived memories back.

use heirloom_core::fold::Standing;
use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::memory::{Pen, Recollection};
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
        let mut pen = Pen::take(session, false)?;
        let known = Recollection::named(session, &request.fact_ids)?;
        let mut undone: Vec<Uuid> = Vec::new();
        let mut names = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find(typed)?;
            let own = pen.names(&known, target)?;
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
        pen.event(&known, Action::Restore, vec![], undoes, "")?;
        pen.finish()?;
        Ok(Done {
            done: "restored",
            items: known.described(&names, Standing::Active),
            notes: vec![],
        })
    }
}
