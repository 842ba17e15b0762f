//! Proposes the decisions of a conversation.

use super::proposal::{Proposal, ProposalKind};
use super::source::{is_document, is_of_client, is_prose, refers_back};
use crate::instruction::statement_of;
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::digest::conversation::{Conversation, Message};
use crate::transcript::digest::decisions::collect_decisions;
use crate::transcript::digest::phrases::{is_agent_decision, is_assent, is_user_decision};
use crate::transcript::digest::revisions::TermWeights;
use crate::transcript::digest::statement::Statement;
use crate::transcript::model::{Role, Transcript};

/// Number of decisions that are looked at.
const MAX_DECISIONS: usize = 60;

/// Fewest and most words of a decision that can be understood alone and says one thing.
const WORDS: std::ops::RangeInclusive<usize> = 5..=60;

/// A longer reply to a proposal says something else, in words.
const MAX_REPLY_WORDS: usize = 14;

/// The words with which the digest adds a reply to what it answers.
const REPLY_MARK: &str = " (user: ";

/// Phrases of advice, of other people's choices and of present steps, which decide nothing.
const NO_DECISIONS: &[&str] = &[
    "consider",
    "for example",
    "how can i",
    "i'll check",
    "i'll first",
    "i'll start",
    "if you",
    "let me",
    "was that the right",
    "you can",
    "you could",
    "you may",
    "you might",
    "does this help",
    "is this a concern",
    "anything else",
    "next steps",
];

/// Beginnings of offers to do the next step.
const OFFERS: &[&str] = &[
    "can you try",
    "do you want me to",
    "shall i",
    "should i add",
    "should i delete",
    "should i run",
    "should i update",
    "want any",
    "want me to",
    "want to test",
    "would you like me to",
];

/// Words of a choice between ways.
const ALTERNATIVES: &[&str] = &[
    "approach",
    "either",
    "i propose",
    "i suggest",
    "instead",
    "option",
    "or",
    "rather than",
    "recommend",
    "recommendation",
    "recommended",
    "refactor",
    "use",
    "versus",
    "vs",
];

/// Openings of replies that ask for something else than what was proposed.
const OTHER_REQUESTS: &[&str] = &[
    "[",
    "address",
    "ah",
    "first",
    "let's address",
    "plan out",
    "write",
    "update",
    "adress",
    "can you",
    "expand",
    "explain",
    "how",
    "let's look",
    "look at",
    "show",
    "tell me",
    "what",
    "why",
    "hmm",
    "i'm",
    "i've",
    "i don't understand",
    "thanks",
    "where",
    "which",
];

/// Phrases with which an agent says that it chose.
const AGENT_CHOICES: &[&str] = &[
    "decided",
    "going with",
    "i chose",
    "i kept",
    "i picked",
    "i use",
    "i used",
    "i'll keep",
    "i'll use",
    "i've chosen",
    "i've kept",
    "opted",
    "settled on",
    "switched to",
    "we chose",
    "we'll use",
    "went with",
    "decision",
];

/// Phrases with which a user says that they chose; others decide a step.
const USER_CHOICES: &[&str] = &[
    "agreed",
    "chose",
    "chosen",
    "decided",
    "decision",
    "go with",
    "going with",
    "instead of",
    "let's keep",
    "let's stay",
    "let's use",
    "opted",
    "picked",
    "rather than",
    "settled on",
    "stick with",
    "sticking with",
    "switched to",
    "we keep",
    "we'll keep",
    "we'll use",
    "we won't",
    "won't use",
];

/// Proposes the decisions of a conversation. In one without any work, only the user decides.
pub(super) fn collect(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    weights: &TermWeights,
) -> Vec<Proposal> {
    let is_work = !transcript.tool_calls.is_empty();
    let decisions = collect_decisions(transcript, conversation, weights, MAX_DECISIONS);
    let is_choice = |line: usize| transcript.choices.iter().any(|choice| choice.line == line);
    let proposal = |decision: Statement| {
        let message = message_on(conversation, decision.line);
        let speaker = message.map_or(Role::User, |message| message.turn.role);
        let is_of_user = speaker == Role::User;
        // The "user" of a sub-agent is the agent that called it.
        let is_foreign = is_of_user && transcript.is_of_subagent
            || message.is_some_and(|message| {
                message.is_by_user() && (is_document(message) || is_of_client(message))
            });
        if is_foreign || !(is_work || is_of_user) {
            return None;
        }
        let (text, confidence, reason) = match decision.text.split_once(REPLY_MARK) {
            _ if is_choice(decision.line) => (decision.text.as_str(), 0.85, "the user chose it"),
            Some((proposal, reply)) if is_work => {
                let reply = reply.trim_end_matches(')');
                (
                    accepts(proposal, reply).then_some(decision.text.as_str())?,
                    0.75,
                    "the user accepted it",
                )
            }
            Some(_) => return None,
            None => {
                let text = statement_of(&decision.text).trim();
                let (confidence, reason) = stated(text, is_of_user)?;
                (text, confidence, reason)
            }
        };
        let words = text.split_whitespace().count();
        let is_decision = WORDS.contains(&words)
            && is_prose(text)
            && !FoldedSentence::new(text).contains_any(NO_DECISIONS);
        is_decision.then(|| Proposal {
            kind: ProposalKind::Decision,
            text: text.to_owned(),
            line: decision.line,
            at: time_of(conversation, decision.line),
            speaker,
            confidence,
            reason: reason.to_owned(),
            replaces: None,
        })
    };
    decisions.into_iter().filter_map(proposal).collect()
}

/// Returns whether a reply accepts or refines a proposal, and asks for nothing else.
fn accepts(proposal: &str, reply: &str) -> bool {
    let folded = FoldedSentence::new(reply);
    let words = reply.split_whitespace().count();
    let is_open = prose::is_question(proposal) || proposal.contains('?') || words <= 4;
    // An offer to do the next step is no decision.
    let proposal = FoldedSentence::new(proposal);
    if proposal.contains_any(OFFERS) && !proposal.contains_any(ALTERNATIVES) {
        return false;
    }
    let is_reply = is_assent(reply) || folded.contains_any(USER_CHOICES) || words <= 4;
    is_open
        && is_reply
        && words <= MAX_REPLY_WORDS
        && !prose::is_question(reply)
        && !folded.starts_with_any(OTHER_REQUESTS)
}

/// Returns the confidence and the reason of a sentence that states a decision.
fn stated(text: &str, is_of_user: bool) -> Option<(f64, &'static str)> {
    let folded = FoldedSentence::new(text);
    if refers_back(text) || prose::is_question(text) {
        return None;
    }
    match is_of_user {
        true if is_user_decision(text) && folded.contains_any(USER_CHOICES) => {
            Some((0.65, "the user decided it"))
        }
        false if is_agent_decision(text) && folded.contains_any(AGENT_CHOICES) => {
            Some((0.55, "the agent decided it"))
        }
        _ => None,
    }
}

fn message_on<'c, 't>(conversation: &'c Conversation<'t>, line: usize) -> Option<&'c Message<'t>> {
    let messages = &conversation.messages;
    let at = messages.partition_point(|message| message.turn.line < line);
    messages.get(at).filter(|message| message.turn.line == line)
}

/// Returns the time of the message on a line, or of the last one before it.
pub(super) fn time_of(conversation: &Conversation<'_>, line: usize) -> Option<jiff::Timestamp> {
    let messages = &conversation.messages;
    let end = messages.partition_point(|message| message.turn.line <= line);
    messages[..end].last().and_then(|message| message.turn.at)
}
