//! `memory archive`: puts memories away. They can still be searched, and brought back.

use heirloom_core::fold::Standing;
use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::Done;
use crate::memory::{Pen, Recollection};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(super) struct MemoryArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
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
        let mut pen = Pen::take(session, false)?;
        let known = Recollection::read(session)?;
        let mut names = Vec::new();
        let mut notes = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find_standing(typed)?;
            let own = pen.names(&known, target);
            match own.first().map(|name| known.memory.standing(name)) {
                Some(Standing::Archived) => notes.push(format!("{typed} is archived already")),
                _ => names.extend(own),
            }
        }
        let reason = request.reason.as_deref().unwrap_or_default();
        if !names.is_empty() {
            pen.event(&known, Action::Archive, names.clone(), vec![], reason)?;
        }
        pen.finish()?;
        let mut seen = Vec::new();
        names.retain(|name| {
            let canonical = known.memory.canonical(name);
            let new = !seen.contains(&canonical);
            seen.push(canonical);
            new
        });
        Ok(Done { done: "archived", items: known.described(&names, Standing::Archived), notes })
    }
}
