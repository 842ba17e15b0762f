//! `cold drop`: drops proposals, which are not made again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposals::{
    Decision, PendingProposal, ShownProposal, StoredProposals, find, show_proposals,
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
    let found: Vec<PendingProposal> = find(stored, typed)?.into_iter().cloned().collect();
    for proposal in &found {
        stored.decide(&proposal.id, |proposal| Decision::Dropped(Box::new(proposal)));
    }
    Ok(found.iter().map(ShownProposal::of).collect())
}

fn take_back(stored: &mut StoredProposals, typed: &[String]) -> Result<Vec<ShownProposal>, Error> {
    let dropped = |typed: &String| {
        let wanted = typed.trim().to_lowercase();
        let found = stored.decided.iter().find_map(|(id, decision)| match decision {
            Decision::Dropped(proposal) if !wanted.is_empty() && id.ends_with(&wanted) => {
                Some((**proposal).clone())
            }
            _ => None,
        });
        found.ok_or_else(|| {
            Error::not_found(format!("no dropped proposal has the id `{typed}`"), vec![])
        })
    };
    let proposals: Vec<PendingProposal> = typed.iter().map(dropped).collect::<Result<_, _>>()?;
    let shown = proposals.iter().map(ShownProposal::of).collect();
    for proposal in proposals {
        if stored.decided.remove(&proposal.id).is_some() {
            stored.pending.push(proposal);
        }
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
