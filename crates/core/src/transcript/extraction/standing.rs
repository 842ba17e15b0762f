//! Proposes the standing instructions and preferences that the user states.

use super::preference::{self, Preference};
use super::proposal::{Proposal, ProposalKind};
use super::statements_of;
use crate::instruction::{RuleForm, rule_form};
use crate::phrase::FoldedSentence;
use crate::transcript::digest::conversation::{Conversation, Message};

/// A message with more instructions that do not say that they hold from then on is a pasted document, or describes one
/// task in detail.
const MAX_IMPLICIT_PER_MESSAGE: usize = 4;

/// How much less likely an instruction outlasts the task if it points at something of the moment.
const DEICTIC_PENALTY: f64 = 0.2;

/// How much less likely a form that is no explicit rule is one in a conversation without any work: there, people discuss
/// rules more often than they give them.
const DISCUSSION_PENALTY: f64 = 0.25;

/// Words that point at something of the moment.
const DEICTIC_WORDS: &[&str] = &[
    "here", "it", "that one", "the above", "the first", "the last", "the second", "this", "these",
    "those", "them", "for the moment", "first step", "this time", "today", "tomorrow", "yesterday",
];

/// Phrases of a rule that is not about what points at the moment: "in this repo".
const LASTING_SCOPES: &[&str] = &[
    "in this repo", "in this repository", "in this project", "this project", "in this codebase",
    "this codebase", "this repo", "from here on",
];

/// Reports of habits and of what happened, which look like rules.
const REPORTS: &[&str] = &[
    "i always", "i never", "i've never", "i've always", "i have never", "i have always",
    "it always", "it never", "they always", "they never", "has always", "has never",
    "have never", "he never", "she never",
];

/// Openings of a description of what is there, which looks like a rule for all of a kind.
const DESCRIPTIONS: &[&str] =
    &["our", "my", "we", "we've", "i", "i've", "there are", "some", "most", "here are", "fyi"];

/// Words of what is not always so.
const EXCEPTIONS: &[&str] =
    &["sometimes", "often", "usually", "mostly", "currently", "already", "occasionally"];

/// Openings of an instruction that says itself that it holds every time.
const EXPLICIT: &[&str] = &["always", "never", "every time", "each time", "whenever", "any time"];

/// Proposes the instructions and preferences of the user's messages. In a conversation with `is_work`, the agent called
/// tools.
pub(super) fn collect_standing(conversation: &Conversation<'_>, is_work: bool) -> Vec<Proposal> {
    let messages = conversation.user_messages();
    messages.flat_map(|message| standing_in(message, is_work)).collect()
}

fn standing_in(message: &Message<'_>, is_work: bool) -> Vec<Proposal> {
    let proposal = |(kind, text, confidence, reason): (ProposalKind, &str, f64, &str)| Proposal {
        kind,
        text: text.to_owned(),
        line: message.turn.line,
        at: message.turn.at,
        said_by: message.turn.role,
        confidence,
        reason: reason.to_owned(),
        replaces: None,
    };
    let mut found = vec![];
    for sentence in statements_of(message.sentences()) {
        if let Some((text, confidence, reason)) = instruction(sentence, is_work) {
            found.push(proposal((ProposalKind::Instruction, text, confidence, reason)));
        } else if let Some(Preference { text, confidence, reason }) = preference::find(sentence) {
            found.push(proposal((ProposalKind::Preference, text, confidence, reason)));
        }
    }
    let is_implicit = |proposal: &Proposal| proposal.confidence < EXPLICIT_CONFIDENCE;
    if found.iter().filter(|proposal| is_implicit(proposal)).count() > MAX_IMPLICIT_PER_MESSAGE {
        found.retain(|proposal| !is_implicit(proposal));
    }
    found
}

/// Confidence of a rule that says that it is one.
const EXPLICIT_CONFIDENCE: f64 = 0.85;

/// Returns the text of an instruction with its confidence and the reason.
fn instruction(sentence: &str, is_work: bool) -> Option<(&str, f64, &'static str)> {
    let form = rule_form(sentence)?;
    let folded = FoldedSentence::new(sentence);
    let is_description = form == RuleForm::Generic
        && (folded.starts_with_any(DESCRIPTIONS) || folded.contains_any(EXCEPTIONS));
    if is_description || folded.contains_any(REPORTS) {
        return None;
    }
    let opens_explicitly = folded.starts_with_any(EXPLICIT);
    let (confidence, reason) = match form {
        _ if opens_explicitly => (0.95, "says that it always holds"),
        RuleForm::Preference => return None,
        RuleForm::Announced => (0.9, "announces a rule"),
        RuleForm::Recurring => (0.8, "an instruction for every time"),
        RuleForm::Request => (0.85, "asks for it every time"),
        RuleForm::Demand => (0.8, "demands how to work"),
        RuleForm::Contrast => (0.75, "says what to use instead"),
        RuleForm::Prohibition => (0.7, "a prohibition"),
        RuleForm::Manner => (0.7, "says how to work"),
        RuleForm::Convention => (0.75, "a convention"),
        RuleForm::Reminder => (0.65, "a reminder"),
        RuleForm::Generic => (0.65, "a rule for all of a kind"),
    };
    let is_explicit = confidence >= EXPLICIT_CONFIDENCE;
    let is_momentary =
        folded.contains_any(DEICTIC_WORDS) && !folded.contains_any(LASTING_SCOPES) && !is_explicit;
    let mut confidence = confidence;
    if is_momentary {
        confidence -= DEICTIC_PENALTY;
    }
    if !is_work && !is_explicit {
        confidence -= DISCUSSION_PENALTY;
    }
    Some((sentence, confidence, reason))
}
