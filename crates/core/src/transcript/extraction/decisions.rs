//! Proposes the decisions of a conversation.

use super::proposal::{Proposal, ProposalKind};
use super::{author_of, refers_back};
use crate::instruction::is_standing_instruction;
use crate::transcript::digest::conversation::Conversation;
use crate::transcript::digest::decisions::collect_decisions;
use crate::transcript::digest::revisions::TermWeights;
use crate::transcript::model::{Role, Transcript};
use crate::{phrase::FoldedSentence, prose};

/// Number of decisions that are looked at.
const MAX_DECISIONS: usize = 60;

/// A longer decision explains more than it decides, in words.
const MAX_WORDS: usize = 60;

/// Fewest words from which a decision can be understood alone.
const MIN_WORDS: usize = 5;

/// Phrases of advice, of other people's choices and of present steps, which decide nothing.
const NO_DECISIONS: &[&str] = &[
    "you can", "you could", "you may", "you might", "consider", "if you", "for example", "let me",
    "i'll start", "i'll check", "i'll first", "was that the right", "how can i",
];

/// Proposes the decisions of a conversation. In one without any work, only the user decides.
pub(super) fn collect(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    weights: &TermWeights,
) -> Vec<Proposal> {
    let is_work = !transcript.tool_calls.is_empty();
    let decisions = collect_decisions(transcript, conversation, weights, MAX_DECISIONS);
    let proposal = |decision: crate::transcript::digest::statement::Statement| {
        let said_by = author_of(conversation, decision.line);
        let (confidence, reason) = match (said_by, decision.structural) {
            (Role::User, true) => (0.8, "the user chose it"),
            (Role::User, false) => (0.65, "the user decided it"),
            (_, true) => (0.7, "listed as a decision"),
            (_, false) => (0.55, "the agent decided it"),
        };
        let text = crate::instruction::statement_of(&decision.text).trim().to_owned();
        let text = text.trim_start_matches(['-', '*', ' ']).to_owned();
        let words = text.split_whitespace().count();
        let folded = FoldedSentence::new(&text);
        let is_decision = (MIN_WORDS..=MAX_WORDS).contains(&words)
            && (is_work || said_by == Role::User)
            // The "user" of a sub-agent is the agent that called it.
            && !(transcript.is_of_subagent && said_by == Role::User)
            && !folded.contains_any(NO_DECISIONS)
            && !is_standing_instruction(&text)
            && !(refers_back(&text) && !decision.structural)
            && !(prose::is_question(&text) && !decision.structural);
        is_decision.then(|| Proposal {
            kind: ProposalKind::Decision,
            text,
            line: decision.line,
            at: time_of(conversation, decision.line),
            said_by,
            confidence,
            reason: reason.to_owned(),
            replaces: None,
        })
    };
    decisions.into_iter().filter_map(proposal).collect()
}

/// Returns the time of the message on a line, or of the last one before it.
pub(super) fn time_of(conversation: &Conversation<'_>, line: usize) -> Option<jiff::Timestamp> {
    let messages = &conversation.messages;
    let end = messages.partition_point(|message| message.turn.line <= line);
    messages[..end].last().and_then(|message| message.turn.at)
}
