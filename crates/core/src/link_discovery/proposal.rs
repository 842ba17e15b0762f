//! A proposed relation with its evidence.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::record::{Referent, Relation};

/// A proposed relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposedLink {
    /// The source.
    pub from: Referent,
    /// The relation of the source to the target.
    pub relation: Relation,
    /// The target.
    pub to: Referent,
    /// How likely it is right, from 0 to 1.
    pub confidence: f64,
    /// Why it is proposed, with a quotation of the evidence.
    pub reason: String,
}

/// The confidence that several pieces of evidence together do not exceed.
const MAX_CONFIDENCE: f64 = 0.97;

impl ProposedLink {
    /// Returns its id: a hash of the source, the relation and the target, in the form of the ids of records.
    pub fn id(&self) -> String {
        let link = format!("{} {} {}", self.from, self.relation.as_str(), self.to);
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(link.as_bytes()).as_bytes()[..16]);
        Uuid::from_bytes(id).to_string()
    }

    fn connects_the_same(&self, other: &ProposedLink) -> bool {
        (&self.from, &self.to) == (&other.from, &other.to)
            || (&self.from, &self.to) == (&other.to, &other.from)
    }
}

/// Combines the proposals of a memory: of one pair of memories only the most likely relation is proposed, and further
/// evidence for it adds to its confidence.
pub(super) fn combine(mut proposals: Vec<ProposedLink>) -> Vec<ProposedLink> {
    proposals.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut combined: Vec<ProposedLink> = Vec::new();
    for proposal in proposals {
        let Some(same) = combined.iter_mut().find(|other| other.connects_the_same(&proposal))
        else {
            combined.push(proposal);
            continue;
        };
        let agrees = same.from == proposal.from && same.relation == proposal.relation;
        if agrees && !same.reason.contains(&proposal.reason) {
            let doubt = (1.0 - same.confidence) * (1.0 - proposal.confidence);
            same.confidence = (1.0 - doubt).min(MAX_CONFIDENCE.max(same.confidence));
            same.reason = format!("{}; {}", same.reason, proposal.reason);
        }
    }
    for proposal in &mut combined {
        proposal.confidence = (proposal.confidence * 100.0).round() / 100.0;
    }
    combined
}
