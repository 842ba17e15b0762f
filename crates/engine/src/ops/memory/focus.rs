//! `memory focus`: pins memories to working memory.

use heirloom_core::Hint;
use heirloom_core::fold::Standing;
use heirloom_core::record::Referent;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{
    MemoryItem, MemoryQuery, MemorySlice, OriginCheck, PinOwner, WriteTransaction,
};
use crate::ops::answers::ChangedItems;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryFocus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids, or ends of ids, of memories to pin; without any, the pins are shown.
    #[serde(default)]
    fact_ids: Vec<String>,
    /// Pin for all agents of this machine, not only for yourself.
    #[serde(default)]
    shared: bool,
}

impl Operation for MemoryFocus {
    type Request = Request;
    type Response = ChangedItems;
    const SPEC: Spec = Spec {
        name: "memory_focus",
        usage: "memory focus [fact_ids]...",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Pin memories to your working memory: they come first in every context, and survive compaction and restarts.",
    };

    fn run(session: &Session, request: Request) -> Result<ChangedItems, Error> {
        if request.fact_ids.is_empty() {
            let known = MemoryQuery::new().pinned().read(session)?;
            let pinned: Vec<Referent> =
                known.pins(session.agent()).into_iter().map(|(name, _)| name).collect();
            return Ok(ChangedItems {
                done: "pinned",
                items: describe_pins(session, &known, &pinned),
                notes: vec![],
            });
        }
        let mut transaction = WriteTransaction::begin(session, false)?;
        let known = MemoryQuery::new().pinned().ids(&request.fact_ids).read(session)?;
        let mut pinned: Vec<Referent> =
            known.pins(session.agent()).into_iter().map(|(name, _)| name).collect();
        let before = pinned.len();
        let owner = PinOwner::for_request(session.agent(), request.shared);
        let own: Vec<Referent> = known.pins_of([owner]).into_iter().map(|(name, _)| name).collect();
        let mut notes = Vec::new();
        let mut added: Vec<Referent> = Vec::new();
        for id in &request.fact_ids {
            let target = known.find(id)?;
            let Some(name) = transaction.referents_of(&known, target)?.into_iter().next() else {
                continue;
            };
            check_is_active(&known, id, &name)?;
            let name = known.memory.canonical(&name);
            // A pin of one's own can be shared as well.
            let is_pinned = pinned.contains(&name);
            let is_new_for_owner = !is_pinned || (request.shared && !own.contains(&name));
            if !is_new_for_owner || added.contains(&name) {
                notes.push(format!("{id} is already pinned"));
                continue;
            }
            if !is_pinned {
                pinned.push(name.clone());
            }
            added.push(name);
        }
        let max_pins = session.config()?.memory.pins;
        if pinned.len() > max_pins && pinned.len() > before {
            return Err(Error::bad_input(format!(
                "working memory holds at most {max_pins} pins; {before} are set, and this would add {}",
                pinned.len() - before
            ))
            .hint(
                Hint::text("release some with ")
                    .operation("memory_release")
                    .then(", or raise `memory.pins` in config.toml"),
            ));
        }
        for name in &added {
            transaction.write_pin(&known, name, owner)?;
        }
        transaction.commit()?;
        Ok(ChangedItems { done: "pinned", items: describe_pins(session, &known, &pinned), notes })
    }
}

/// Returns an error if a memory was archived or superseded.
fn check_is_active(known: &MemorySlice, id: &str, memory: &Referent) -> Result<(), Error> {
    let standing = known.memory.standing(memory);
    if standing == Standing::Active {
        return Ok(());
    }
    let heads = known.memory.heads(memory);
    let hint = match heads.first().filter(|head| *head != memory) {
        Some(head) => format!("pin its replacement: {head}").into(),
        None => {
            let ids = vec![id.to_owned()];
            Hint::text("restore it with ").call("memory_restore", [("fact_ids", ids)])
        }
    };
    Err(Error::bad_input(format!("`{id}` is {}", standing.as_str())).hint(hint))
}

fn describe_pins(session: &Session, known: &MemorySlice, pinned: &[Referent]) -> Vec<MemoryItem> {
    let mut items = known.describe(pinned, Standing::Active);
    let mut check = OriginCheck::new(session);
    for item in &mut items {
        item.pinned = true;
        check.label(item);
    }
    items.into_iter().map(|item| item.on(session.today())).collect()
}
