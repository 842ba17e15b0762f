//! The proposals of memories: what the transcripts say, what is pending, and what was decided.

mod collect;
mod shown;
mod sources;
mod stored;

pub(super) use collect::{Collected, collect};
pub(super) use shown::{ShownProposal, show_proposals};
pub(super) use sources::{Selection, parse_day, sources};
pub(super) use stored::{Decision, FOLDER, PendingProposal, Replaced, StoredProposals, is_meant};

use heirloom_core::record::{Body, Episode, Record, Referent};

use crate::hot::read_rules;
use crate::memory::{MemoryQuery, MemorySlice};
use crate::{Error, Session};

/// Reads the part of memory that some proposals may be part of already: records with their origins.
pub(super) fn read_known<'p>(
    session: &Session,
    proposals: impl Iterator<Item = &'p PendingProposal>,
) -> MemorySlice {
    let origins = proposals.map(PendingProposal::origin);
    MemoryQuery::new().origins(origins.collect::<Vec<_>>()).read_without_documents(session)
}

/// Returns the record that was made of a proposal, here or in another clone.
pub(super) fn record_of<'k>(
    known: &'k MemorySlice,
    proposal: &PendingProposal,
) -> Option<&'k Record> {
    let heads = known.heads_of_origin(&proposal.origin());
    let records = heads.iter().filter_map(Referent::record_id);
    let mut records = records.filter_map(|id| known.memory.record(id));
    match &proposal.episode {
        // An episode of an earlier state of the conversation is another one.
        Some(episode) => records.find(|record| has_content(record, episode)),
        None => records.next(),
    }
}

fn has_content(record: &Record, episode: &Episode) -> bool {
    matches!(&record.body, Body::Episode(stored) if episode.has_same_content(stored))
}

/// Settles pending proposals that are accepted already: memory has a record of them, or a rule says the same. They were
/// accepted in another clone, or the process ended before it could note it.
pub(super) fn settle_known(session: &Session, stored: &mut StoredProposals) -> Result<(), Error> {
    if stored.pending.is_empty() {
        return Ok(());
    }
    let known = read_known(session, stored.pending.iter());
    let rules = read_rules(session)?;
    let is_rule = |proposal: &PendingProposal| {
        proposal.kind.is_standing() && rules.find_statement(&proposal.text).is_some()
    };
    let accepted_as = |proposal: &PendingProposal| match record_of(&known, proposal) {
        Some(record) => Some((proposal.id.clone(), Some(record.id))),
        None => is_rule(proposal).then(|| (proposal.id.clone(), None)),
    };
    let accepted: Vec<_> = stored.pending.iter().filter_map(accepted_as).collect();
    for (id, record) in accepted {
        stored.decide(&id, |proposal| Decision::accepted(proposal, record));
    }
    Ok(())
}

/// Finds the proposals that typed ids stand for, each once.
pub(super) fn find_each<'s>(
    typed: &[String],
    find: impl Fn(&str) -> Result<&'s PendingProposal, Error>,
) -> Result<Vec<&'s PendingProposal>, Error> {
    let mut found: Vec<&PendingProposal> = vec![];
    for typed in typed {
        let proposal = find(typed)?;
        if !found.iter().any(|known| known.id == proposal.id) {
            found.push(proposal);
        }
    }
    Ok(found)
}
