//! `memory archive`: puts memories away. They can still be searched, and brought back.

use heirloom_core::fold::Standing;
use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::answers::Done;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Facts, other records or entries, by their ids or the ends of them.
    fact_ids: Vec<String>,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

impl Operation for MemoryArchive {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "memory_archive",
        usage: "memory archive <fact_ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Archive what is stale: it is not injected any more, and `memory search-archive` still finds it.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().ids(&request.fact_ids).read(session)?;
        let reason = request.reason.as_deref().unwrap_or_default();
        let mut names = Vec::new();
        let mut notes = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find_standing(typed)?;
            let own = transaction.names(&known, target)?;
            let Some(first) = own.first().map(|name| known.memory.canonical(name)) else {
                continue;
            };
            if known.memory.standing(&first) == Standing::Archived || names.contains(&first) {
                notes.push(format!("{typed} is archived already"));
                continue;
            }
            // An event for each, so that one can be restored without the others.
            transaction.event(&known, Action::Archive, own, vec![], reason)?;
            names.push(first);
        }
        transaction.commit()?;
        Ok(Done { done: "archived", items: known.described(&names, Standing::Archived), notes })
    }
}
