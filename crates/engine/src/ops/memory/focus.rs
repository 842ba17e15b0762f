//! `memory focus`: keeps memories at hand, whatever is compacted.

use heirloom_core::fold::Standing;
use heirloom_core::record::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, WriteTransaction};
use crate::ops::answers::Done;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryFocus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Facts, other records or entries, by their ids or the ends of them; without any, what is
    /// pinned is shown.
    #[serde(default)]
    fact_ids: Vec<String>,
}

impl Operation for MemoryFocus {
    type Request = Request;
    type Response = Done;
    const SPEC: Spec = Spec {
        name: "memory_focus",
        usage: "memory focus [fact_ids]...",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Pin memories to working memory: they come first in whatever is injected, and survive compaction and restarts.",
    };

    fn run(session: &Session, request: Request) -> Result<Done, Error> {
        if request.fact_ids.is_empty() {
            let known = MemoryQuery::new().pinned().read(session)?;
            let pinned: Vec<String> = known.pins().into_iter().map(|(name, _)| name).collect();
            return Ok(Done { done: "pinned", items: described(&known, &pinned), notes: vec![] });
        }
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().pinned().ids(&request.fact_ids).read(session)?;
        let mut pinned: Vec<String> = known.pins().into_iter().map(|(name, _)| name).collect();
        let before = pinned.len();
        let mut notes = Vec::new();
        for typed in &request.fact_ids {
            let target = known.find(typed)?;
            let Some(name) = transaction.names(&known, target)?.into_iter().next() else {
                continue;
            };
            if known.memory.standing(&name) != Standing::Active {
                let heads = known.memory.heads(&name);
                let hint = heads
                    .first()
                    .filter(|head| **head != name)
                    .map(|head| format!("pin what replaced it: {head}"));
                let word = known.memory.standing(&name).word();
                let error = Error::bad_input(format!("`{typed}` is {word}"));
                return Err(match hint {
                    Some(hint) => error.hint(hint),
                    None => error.hint("`heir memory restore` brings it back"),
                });
            }
            let name = known.memory.canonical(&name);
            if pinned.contains(&name) {
                notes.push(format!("{typed} is pinned already"));
            } else {
                pinned.push(name);
            }
        }
        let most = session.config()?.memory.pins;
        if pinned.len() > most && pinned.len() > before {
            return Err(Error::bad_input(format!(
                "working memory holds {most} pins, {before} are taken, and {} are asked for",
                pinned.len() - before
            ))
            .hint(
                "release some with `heir memory release`, or raise `memory.pins` in config.toml",
            ));
        }
        for name in &pinned[before..] {
            transaction.event(&known, Action::Pin, vec![name.clone()], vec![], "")?;
        }
        transaction.commit()?;
        Ok(Done { done: "pinned", items: described(&known, &pinned), notes })
    }
}

fn described(known: &MemorySlice, pinned: &[String]) -> Vec<MemoryItem> {
    let mut items = known.described(pinned, Standing::Active);
    items.iter_mut().for_each(|thing| thing.pinned = true);
    items
}
