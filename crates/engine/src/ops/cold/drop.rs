//! `cold drop`: drops proposals, which are not made again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposals::{
    Decision, PendingProposal, ShownProposal, StoredProposals, find_each, show_proposals,
};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdDrop;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of proposals, or ends of ids.
    ids: Vec<String>,
    /// Take back that they were dropped: they are pending again.
    #[serde(default)]
    undo: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DroppedProposals {
    /// What was done: dropped, or pending again.
    done: &'static str,
    /// The proposals.
    proposals: Vec<ShownProposal>,
}

impl Operation for ColdDrop {
    type Request = Request;
    type Response = DroppedProposals;
    const SPEC: Spec = Spec {
        name: "cold_drop",
        usage: "cold drop <ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Drop proposals from transcripts. They are not proposed again on this machine.",
    };

    fn run(session: &Session, request: Request) -> Result<DroppedProposals, Error> {
        let (proposals, _) = StoredProposals::update(session, |stored| match request.undo {
            true => take_back(stored, &request.ids),
            false => drop_proposals(stored, &request.ids),
        })?;
        let done = if request.undo { "pending again" } else { "dropped" };
        Ok(DroppedProposals { done, proposals })
    }
}

fn drop_proposals(
    stored: &mut StoredProposals,
    typed: &[String],
) -> Result<Vec<ShownProposal>, Error> {
    let found = find_each(typed, |typed| stored.find(typed))?;
    let found: Vec<PendingProposal> = found.into_iter().cloned().collect();
    for proposal in &found {
        stored.decide(&proposal.id, |proposal| Decision::Dropped(Box::new(proposal)));
    }
    Ok(found.iter().map(ShownProposal::of).collect())
}

fn take_back(stored: &mut StoredProposals, typed: &[String]) -> Result<Vec<ShownProposal>, Error> {
    let found = find_each(typed, |typed| stored.find_dropped(typed))?;
    let found: Vec<PendingProposal> = found.into_iter().cloned().collect();
    let shown = found.iter().map(ShownProposal::of).collect();
    for proposal in found {
        stored.decided.remove(&proposal.id);
        stored.pending.push(proposal);
    }
    Ok(shown)
}

impl Answer for DroppedProposals {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, self.done)]);
        show_proposals(&mut view, &self.proposals);
        view
    }
}
