//! Proposes what the user corrected again and again.

use super::proposal::{Proposal, ProposalKind};
use super::source::{is_document, is_of_client, statements_of};
use crate::instruction::find_rule;
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::digest::conversation::{Conversation, Message};
use crate::transcript::digest::revisions::TermWeights;

/// Words with which a message rejects what the agent did.
const REJECTIONS: &[&str] = &[
    "again",
    "hey",
    "i said",
    "no",
    "nope",
    "not like that",
    "not what i",
    "not",
    "that's not",
    "that's wrong",
    "this is wrong",
    "wrong",
    "you're still",
    "you still",
    "still",
];

/// Phrases that say that something was said before.
const REPETITIONS: &[&str] = &[
    "as i said",
    "how many times",
    "i already said",
    "i already told you",
    "i asked you",
    "i said before",
    "i've told you",
    "i told you",
    "like i said",
    "once again",
    "you forgot",
    "you keep",
    "you're still",
    "you still",
    "i keep telling",
];

/// Beginnings of a sentence that says what to do.
const DIRECTIVES: &[&str] = &[
    "don't",
    "it has to",
    "it should",
    "it must",
    "keep",
    "leave",
    "put",
    "run",
    "stop",
    "the",
    "use",
    "we",
    "write",
    "you have to",
    "you should",
    "add",
    "call",
    "name",
    "return",
    "remove",
];

/// Words before a directive.
const LEAD_INS: &[&str] = &[
    "again",
    "and",
    "as i said",
    "but",
    "hey",
    "i already said",
    "i asked you",
    "i've told you to",
    "once again",
    "to",
    "you forgot to",
    "you keep forgetting to",
    "you still have to",
    "i already told you",
    "i asked you to",
    "i said",
    "i told you to",
    "i told you",
    "like i said",
    "no",
    "nope",
    "not like that",
    "please",
    "so",
    "that's not right",
    "that's wrong",
    "wrong",
    ",",
];

/// A longer correction explains, in words.
const MAX_WORDS: usize = 40;

/// Similarity from which two corrections are about the same thing.
const MIN_SIMILARITY: f64 = 0.5;

/// Proposes corrections that the user says to be repeated, or that are repeated.
pub(super) fn collect_corrections(
    conversation: &Conversation<'_>,
    weights: &TermWeights,
) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = vec![];
    let mut earlier: Vec<(usize, &str)> = vec![];
    for (at, message) in conversation.messages.iter().enumerate() {
        if !message.is_by_user() || conversation.message_replied_to(at).is_none() {
            continue;
        }
        for sentence in corrections_in(message) {
            let is_said_again = FoldedSentence::new(sentence).contains_any(REPETITIONS);
            let is_same = |(line, other): &&(usize, &str)| {
                *line != message.turn.line && weights.similarity(other, sentence) >= MIN_SIMILARITY
            };
            let repeated = earlier.iter().filter(is_same).count();
            if is_said_again || repeated > 0 {
                let reason = match repeated {
                    0 => "the user says that it was said before".to_owned(),
                    repeated => format!("corrected {} times", repeated + 1),
                };
                proposals.push(Proposal {
                    kind: ProposalKind::Instruction,
                    text: sentence.to_owned(),
                    line: message.turn.line,
                    at: message.turn.at,
                    speaker: message.turn.role,
                    confidence: if repeated > 0 { 0.8 } else { 0.7 },
                    reason,
                    replaces: None,
                });
            }
            earlier.push((message.turn.line, sentence));
        }
    }
    proposals
}

/// Returns the sentences of a message that correct the agent and say what to do. Those that are standing instructions
/// are proposed anyway.
fn corrections_in<'m>(message: &'m Message<'_>) -> Vec<&'m str> {
    if is_document(message) || is_of_client(message) {
        return vec![];
    }
    let sentences: Vec<&str> = statements_of(message).collect();
    let Some(first) = sentences.first() else { return vec![] };
    let rejects = |sentence: &str| {
        let folded = FoldedSentence::new(sentence);
        folded.starts_with_any(REJECTIONS) || folded.contains_any(REPETITIONS)
    };
    let is_rejection = rejects(first);
    let is_correction = |sentence: &&&str| {
        let folded = FoldedSentence::new(sentence);
        let is_directive = folded.without_lead_ins(LEAD_INS).starts_with_any(DIRECTIVES);
        (is_rejection || folded.contains_any(REPETITIONS))
            && is_directive
            && !prose::is_question(sentence)
            && sentence.split_whitespace().count() <= MAX_WORDS
            && find_rule(sentence).is_none()
    };
    sentences.iter().filter(is_correction).copied().collect()
}
