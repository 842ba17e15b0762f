//! Proposes the standing instructions and preferences that the user states.

use super::preference::{self, Preference};
use super::proposal::{Proposal, ProposalKind};
use super::source::{is_document, is_of_client, statements_of};
use crate::instruction::{RECURRING_OCCASIONS, RuleForm, RuleMatch, find_rule};
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
    "here",
    "it",
    "that one",
    "the above",
    "the first",
    "the last",
    "the second",
    "this",
    "these",
    "those",
    "them",
    "for the moment",
    "first step",
    "this time",
    "today",
    "tomorrow",
    "yesterday",
];

/// Phrases of a rule that is not about what points at the moment: "in this repo".
const LASTING_SCOPES: &[&str] = &[
    "in this repo",
    "in this repository",
    "in this project",
    "this project",
    "in this codebase",
    "this codebase",
    "this repo",
    "from here on",
];

/// Reports of habits and of what happened, which look like rules.
const REPORTS: &[&str] = &[
    "i always",
    "i never",
    "i've never",
    "i've always",
    "i have never",
    "i have always",
    "it always",
    "it never",
    "they always",
    "they never",
    "has always",
    "has never",
    "have never",
    "he never",
    "she never",
];

/// Openings of a report of what the user did or saw.
const REPORT_OPENINGS: &[&str] = &[
    "i got",
    "i had",
    "i have",
    "i just",
    "i only",
    "i ran",
    "i saw",
    "i see",
    "i suggested",
    "i think",
    "i thought",
    "i tried",
    "i was",
    "i've",
    "it",
    "that's",
    "there are",
    "there is",
    "there's",
    "they",
    "we already",
    "we have",
    "we've",
];

/// Phrases that make an instruction one for every time, besides those of an occasion that comes again.
const EVERY_TIME_SCOPES: &[&str] = &[
    "always",
    "before you",
    "in all answers",
    "in all replies",
    "in all responses",
    "in every answer",
    "in your answers",
    "in your replies",
    "in your responses",
    "never",
    "when i ask",
];

/// Words of a rule.
const MODALS: &[&str] =
    &["always", "has to", "have to", "must", "need to", "needs to", "never", "only", "should"];

/// Words that make a request one for every time.
const EVERY_TIME: &[&str] = &[
    "always",
    "each time",
    "every time",
    "from now on",
    "going forward",
    "in future",
    "in the future",
    "never",
    "stop",
    "whenever",
];

/// How much less likely a rule is one that stands in a later clause.
const PASSING_PENALTY: f64 = 0.25;

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
    if is_of_client(message) {
        return vec![];
    }
    let proposal = |(kind, text, confidence, reason): (ProposalKind, &str, f64, &str)| Proposal {
        kind,
        text: text.to_owned(),
        line: message.turn.line,
        at: message.turn.at,
        speaker: message.turn.role,
        confidence,
        reason: reason.to_owned(),
        replaces: None,
    };
    let mut found = vec![];
    for sentence in statements_of(message) {
        if let Some((text, confidence, reason)) = instruction(sentence, is_work) {
            found.push(proposal((ProposalKind::Instruction, text, confidence, reason)));
        } else if let Some(Preference { text, confidence, reason }) = preference::find(sentence) {
            found.push(proposal((ProposalKind::Preference, text, confidence, reason)));
        }
    }
    let is_implicit = |proposal: &Proposal| proposal.confidence < MIN_CONFIDENCE_IN_DOCUMENT;
    let implicit = found.iter().filter(|proposal| is_implicit(proposal)).count();
    if is_document(message) || implicit > MAX_IMPLICIT_PER_MESSAGE {
        found.retain(|proposal| !is_implicit(proposal));
    }
    found
}

/// Confidence of a rule that says that it is one.
const EXPLICIT_CONFIDENCE: f64 = 0.85;

/// Confidence of what counts in a message that is a pasted document: rules and preferences in so many words.
const MIN_CONFIDENCE_IN_DOCUMENT: f64 = 0.75;

/// Returns the text of an instruction with its confidence and the reason.
fn instruction(sentence: &str, is_work: bool) -> Option<(&str, f64, &'static str)> {
    let RuleMatch { form, is_opening } = find_rule(sentence)?;
    let folded = FoldedSentence::new(sentence);
    let is_explicit = folded.starts_with_any(EXPLICIT);
    let is_report =
        !is_explicit && (folded.starts_with_any(REPORT_OPENINGS) || folded.contains_any(REPORTS));
    if is_report || sentence.ends_with(':') || has_participle_after_always(&folded) {
        return None;
    }
    // "No, use pnpm" opens with the rule.
    let is_opening = is_opening || folded.starts_with_any(&["no ,", "nope ,", "yes ,", "ok ,"]);
    let has_modal = folded.contains_any(MODALS);
    let names_code = sentence.contains('`');
    let (confidence, reason) = match form {
        _ if is_explicit => (0.95, "says that it always holds"),
        // Preferences are looked for apart.
        RuleForm::Preference => return None,
        RuleForm::Announced => (0.9, "announces a rule"),
        RuleForm::Universal => (0.65, "states what always or never holds"),
        RuleForm::Request if folded.contains_any(EVERY_TIME) => (0.85, "asks for it every time"),
        RuleForm::Request => return None,
        RuleForm::Recurring
            if folded.contains_any(RECURRING_OCCASIONS)
                || folded.contains_any(EVERY_TIME_SCOPES) =>
        {
            (0.8, "an instruction for every time")
        }
        // "By default" and "only for the run command" specify a program as often.
        RuleForm::Recurring if is_work => return None,
        RuleForm::Recurring => (0.75, "an instruction for all of a kind"),
        RuleForm::Demand => (0.8, "demands how to work"),
        RuleForm::Contrast if names_code => return None,
        RuleForm::Contrast => (0.75, "says what to use instead"),
        RuleForm::Prohibition if folded.starts_with_any(&["no"]) => match has_scope(&folded) {
            true => (0.6, "a prohibition"),
            false => return None,
        },
        RuleForm::Prohibition => (0.7, "a prohibition"),
        RuleForm::Manner => (0.7, "says how to work"),
        RuleForm::Convention => (0.75, "a convention"),
        RuleForm::Reminder => (0.65, "a reminder"),
        RuleForm::Generic if has_modal && !folded.contains_any(EXCEPTIONS) => {
            (0.65, "a rule for all of a kind")
        }
        // A statement about all things of a kind describes as often as it instructs.
        RuleForm::Generic => return None,
    };
    let mut confidence = confidence;
    if confidence < EXPLICIT_CONFIDENCE {
        let is_momentary =
            folded.contains_any(DEICTIC_WORDS) && !folded.contains_any(LASTING_SCOPES);
        confidence -= if is_momentary { DEICTIC_PENALTY } else { 0.0 };
        confidence -= if is_opening { 0.0 } else { PASSING_PENALTY };
        confidence -= if is_work { 0.0 } else { DISCUSSION_PENALTY };
    }
    Some((sentence, confidence, reason))
}

/// Returns whether a short prohibition names where it holds: "no mocks in the integration tests". Others are about the
/// moment: "no code changes".
fn has_scope(folded: &FoldedSentence<'_>) -> bool {
    folded.words().count() >= MIN_SCOPED_WORDS
        && folded.contains_any(&["in", "on", "without", "for", "outside", "inside"])
        && !folded.contains_any(&["yet", "need", "man"])
}

/// Fewest words of a prohibition that names where it holds.
const MIN_SCOPED_WORDS: usize = 5;

/// Returns whether the sentence tells what happens all the time: "always reporting exact numbers".
fn has_participle_after_always(folded: &FoldedSentence<'_>) -> bool {
    let words: Vec<&str> = folded.words().collect();
    words.windows(2).any(|pair| matches!(pair[0], "always" | "never") && pair[1].ends_with("ing"))
}
