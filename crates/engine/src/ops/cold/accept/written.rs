//! What accepting proposals writes, as records or as statements of rules.

use std::collections::BTreeMap;

use heirloom_core::Hint;
use heirloom_core::record::{Referent, short_id};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::Error;
use crate::memory::{MemorySlice, MemoryTarget, WriteTransaction};
use crate::ops::cold::proposals::{Decision, PendingProposal, StoredProposals, is_meant};

/// A statement in a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RuleStatement {
    /// Path of the rule.
    pub(super) path: String,
    /// Line of the statement.
    pub(super) line: usize,
    /// What it says.
    pub(super) text: String,
}

/// A proposal that a transaction accepts.
pub(super) struct AcceptedProposal {
    pub(super) id: String,
    pub(super) text: String,
    /// The id of its record; `None` for a statement of a rule.
    pub(super) record: Option<Uuid>,
}

/// What a transaction writes.
#[derive(Default)]
pub(super) struct Written {
    pub(super) accepted: Vec<AcceptedProposal>,
    pub(super) rules: Vec<RuleStatement>,
    pub(super) notes: Vec<String>,
}

impl Written {
    pub(super) fn accept(
        &mut self,
        proposal: &PendingProposal,
        text: String,
        record: Option<Uuid>,
    ) {
        self.accepted.push(AcceptedProposal { id: proposal.id.clone(), text, record });
    }
}

/// Names the proposal in an error.
pub(super) fn refused(proposal: &PendingProposal, error: Error) -> Error {
    let (id, source) = (short_id(&proposal.id), proposal.source());
    Error { message: format!("{id} ({source}): {}", error.message), ..error }
}

/// Returns the text of a proposal that the request gives in place of that of the transcript.
pub(super) fn edited_text<'t>(
    proposal: &'t PendingProposal,
    texts: &'t BTreeMap<String, String>,
) -> Result<&'t str, Error> {
    match texts.iter().find(|(id, _)| is_meant(id, &proposal.id)) {
        Some((id, text)) if text.trim().is_empty() => {
            Err(Error::bad_input(format!("the text of {id} is empty"))
                .hint(Hint::text("to leave it out, use ").operation("cold_drop")))
        }
        Some((_, text)) => Ok(text.trim()),
        None => Ok(&proposal.text),
    }
}

/// Returns the records that proposals replace.
pub(super) fn replaced_records<'p>(
    stored: &StoredProposals,
    proposals: impl Iterator<Item = &'p PendingProposal>,
) -> Vec<Referent> {
    let replaced = proposals.filter_map(|proposal| proposal.replaces.as_ref());
    let records = replaced.filter_map(|replaced| match stored.decided.get(&replaced.id) {
        Some(Decision::Accepted { record: Some(record), .. }) => Some(Referent::Record(*record)),
        _ => None,
    });
    records.collect()
}

/// Returns the names of the record that a proposal replaces, if the earlier statement was accepted, also in the same
/// transaction.
pub(super) fn superseded(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    stored: &StoredProposals,
    accepted: &[AcceptedProposal],
    replaced: &str,
) -> Result<Vec<Referent>, Error> {
    if let Some(earlier) = accepted.iter().find(|accepted| accepted.id == replaced) {
        return Ok(earlier.record.map(Referent::Record).into_iter().collect());
    }
    match stored.decided.get(replaced) {
        Some(Decision::Accepted { record: Some(record), .. })
            if known.memory.record(*record).is_some() =>
        {
            transaction.referents_of(known, MemoryTarget::Record(*record))
        }
        _ => Ok(vec![]),
    }
}
