//! Proposes memories from a conversation: standing instructions, preferences, facts, decisions and lessons.
//!
//! A proposal is whole sentences of the source with a line, a confidence and a reason; a person decides whether it becomes
//! a memory. Only what the user said counts as an instruction, a preference or a fact; what the agent said can give
//! decisions and lessons. No language model is involved.

mod command_fixes;
mod corrections;
mod decisions;
mod facts;
mod lessons;
mod preference;
mod proposal;
mod source;
mod standing;
mod successors;

#[cfg(test)]
mod tests;

pub use proposal::{Proposal, ProposalKind, ReplacedStatement, proposal_id};
pub use successors::{EarlierStatement, Relation, relate};

use super::digest::conversation::Conversation;
use super::digest::revisions::TermWeights;
use super::model::Transcript;

/// Maximum number of proposed instructions and preferences of a conversation; the least certain ones are left out.
const MAX_STANDING: usize = 15;

/// Maximum number of proposals of each other kind.
const MAX_OF_KIND: usize = 12;

/// Confidence from which something is proposed.
const MIN_CONFIDENCE: f64 = 0.5;

/// Fewest and most words of a proposal: shorter ones cannot be understood alone, longer ones say several things.
const WORDS: std::ops::RangeInclusive<usize> = 3..=80;

/// Proposes memories from the messages of a transcript that begin after a line. Earlier messages only give context: what
/// was said again later, or changed.
pub fn extract(transcript: &Transcript, after_line: usize) -> Vec<Proposal> {
    let conversation = Conversation::of(transcript);
    let texts = conversation.messages.iter().map(|message| message.turn.text.as_str());
    let weights = TermWeights::of(texts);
    let mut proposals = vec![];
    // The "user" of a sub-agent is the agent that called it.
    if !transcript.is_of_subagent {
        let is_work = !transcript.tool_calls.is_empty();
        proposals.extend(standing::collect_standing(&conversation, is_work));
        proposals.extend(corrections::collect_corrections(&conversation, &weights));
        proposals.extend(facts::collect_facts(&conversation));
    }
    proposals.extend(decisions::collect(transcript, &conversation, &weights));
    proposals.extend(lessons::collect_lessons(transcript, &conversation));
    proposals.extend(command_fixes::collect_command_fixes(transcript));
    proposals.retain(|proposal| WORDS.contains(&proposal.text.split_whitespace().count()));
    let mut proposals = once_each(proposals);
    proposals = successors::link(proposals, &weights);
    proposals
        .retain(|proposal| proposal.line > after_line && proposal.confidence >= MIN_CONFIDENCE);
    limit(proposals)
}

/// Leaves out what a proposal of an earlier collector says, whose kind is more specific.
fn once_each(proposals: Vec<Proposal>) -> Vec<Proposal> {
    let mut kept: Vec<Proposal> = vec![];
    for proposal in proposals {
        let says_same = |other: &Proposal| {
            other.line == proposal.line
                && (other.text.contains(&proposal.text) || proposal.text.contains(&other.text))
        };
        if !kept.iter().any(says_same) {
            kept.push(proposal);
        }
    }
    kept
}

/// Leaves out the least certain proposals of kinds of which there are too many.
fn limit(proposals: Vec<Proposal>) -> Vec<Proposal> {
    let mut by_confidence: Vec<&Proposal> = proposals.iter().collect();
    by_confidence.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.line.cmp(&b.line)));
    let is_selected = |proposal: &Proposal| {
        let same = |other: &&&Proposal| match proposal.kind.is_standing() {
            true => other.kind.is_standing(),
            false => other.kind == proposal.kind,
        };
        let max = if proposal.kind.is_standing() { MAX_STANDING } else { MAX_OF_KIND };
        by_confidence.iter().filter(same).take(max).any(|other| std::ptr::eq(*other, proposal))
    };
    let selected: Vec<bool> = proposals.iter().map(is_selected).collect();
    let kept = proposals.into_iter().zip(selected).filter(|(_, is_selected)| *is_selected);
    kept.map(|(proposal, _)| proposal).collect()
}
