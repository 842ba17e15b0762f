//! Proposes what the user says about the project, and about themselves.

use super::proposal::{Proposal, ProposalKind};
use super::source::{has_specific, is_document, is_of_client, refers_back, statements_of};
use crate::instruction::{RuleForm, find_rule};
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::digest::conversation::{Conversation, Message};

/// Fewest and most words of a fact.
const WORDS: std::ops::RangeInclusive<usize> = 4..=35;

/// Openings of a statement about the project.
const PROJECT_OPENINGS: &[&str] = &[
    "our",
    "we're on",
    "we are on",
    "we build",
    "we deploy",
    "we have",
    "we host",
    "we run",
    "we ship",
    "we store",
    "we support",
    "we use",
    "we're using",
    "we are using",
    "my app",
    "my api",
    "my project",
    "my repo",
    "my stack",
    "the project",
    "the repo",
    "this project",
    "this repo",
    "the codebase",
    "this codebase",
    "fyi",
    "note that",
    "background",
];

/// Openings of a statement about a part of the project, which needs a name or a number to be one.
const PART_OPENINGS: &[&str] = &["the", "all", "production", "prod", "staging", "ci", "both"];

/// Verbs of a lasting state.
const STATE_VERBS: &[&str] = &[
    "are",
    "belongs to",
    "comes from",
    "defaults to",
    "depends on",
    "deploys to",
    "expects",
    "exposes",
    "has",
    "have",
    "is",
    "lands in",
    "listens on",
    "live in",
    "lives in",
    "needs",
    "points to",
    "reads from",
    "requires",
    "runs in",
    "runs on",
    "sends",
    "stores",
    "talks to",
    "targets",
    "uses",
    "use",
    "writes to",
    "run on",
    "deploy",
    "deploy to",
    "host",
    "ship",
    "store",
    "support",
    "runs",
    "is called",
    "goes through",
];

/// Openings of a statement about the user.
const PERSONAL_OPENINGS: &[&str] = &[
    "i work as",
    "i work at",
    "i work for",
    "i work with",
    "my name is",
    "call me",
    "i live in",
    "i'm based in",
    "i'm responsible for",
    "i maintain",
    "my team",
    "my role",
    "my timezone",
    "my time zone",
    "i'm on a",
    "my machine",
    "my editor",
];

/// Words of a state of the moment, of a problem or of a doubt.
const MOMENTARY: &[&str] = &[
    "again",
    "already",
    "broken",
    "bug",
    "crash",
    "crashes",
    "currently",
    "doesn't",
    "error",
    "fail",
    "failed",
    "failing",
    "fails",
    "for now",
    "getting",
    "i think",
    "isn't",
    "issue",
    "just",
    "maybe",
    "might",
    "missing",
    "not working",
    "now",
    "probably",
    "problem",
    "right now",
    "seems",
    "should",
    "slow",
    "still",
    "supposed to",
    "today",
    "tomorrow",
    "wasn't",
    "were",
    "was",
    "won't",
    "wrong",
    "yet",
    "best",
    "confusing",
    "current",
    "description",
    "fine",
    "first thing",
    "goal",
    "good",
    "great",
    "makes sense",
    "need",
    "need to",
    "needs to",
    "only covers",
    "too",
    "want",
    "way",
    "going to",
    "will be",
    "weird",
    "looks",
    "what you",
    "you",
];

/// Proposes the facts that the user states.
pub(super) fn collect_facts(conversation: &Conversation<'_>) -> Vec<Proposal> {
    let messages = conversation.user_messages();
    let own = messages.filter(|message| !is_document(message) && !is_of_client(message));
    own.flat_map(facts_in).collect()
}

fn facts_in<'m>(message: &'m Message<'_>) -> impl Iterator<Item = Proposal> + use<'m> {
    let sentences = statements_of(message);
    let (line, at, speaker) = (message.turn.line, message.turn.at, message.turn.role);
    sentences.filter_map(move |sentence| {
        let (confidence, reason) = fact(sentence)?;
        Some(Proposal {
            kind: ProposalKind::Fact,
            text: sentence.to_owned(),
            line,
            at,
            speaker,
            confidence,
            reason: reason.to_owned(),
            replaces: None,
        })
    })
}

/// Returns the confidence and the reason of a statement of fact.
fn fact(sentence: &str) -> Option<(f64, &'static str)> {
    let folded = FoldedSentence::new(sentence);
    let is_statement = WORDS.contains(&sentence.split_whitespace().count())
        && !prose::is_question(sentence)
        && !sentence.ends_with(':')
        && !refers_back(sentence)
        && find_rule(sentence).is_none_or(|rule| rule.form == RuleForm::Generic);
    if !is_statement {
        return None;
    }
    if folded.starts_with_any(PERSONAL_OPENINGS) {
        return Some((0.55, "the user says it about themselves"));
    }
    if folded.contains_any(MOMENTARY) || !folded.contains_any(STATE_VERBS) {
        return None;
    }
    if folded.starts_with_any(PROJECT_OPENINGS) {
        return Some((
            if has_specific(sentence) { 0.7 } else { 0.55 },
            "states how the project is",
        ));
    }
    let is_about_part = folded.starts_with_any(PART_OPENINGS) && has_specific(sentence);
    is_about_part.then_some((0.55, "states how a part of the project is"))
}
