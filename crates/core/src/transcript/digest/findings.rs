//! Collects causes that were found and fixes that were made, without hypotheses that were refuted.

use super::conversation::{Conversation, Message};
use super::phrases;
use super::statement::{MAX_REMEMBERED, Statement, overlap, term_set};
use crate::prose;
use crate::transcript::markdown::BlockKind;
use crate::transcript::model::Transcript;

/// Number of sentences of a report that answer a question of the user.
const ANSWER_SENTENCES: usize = 3;

/// Share of common terms from which a refutation concerns an earlier finding.
const REFUTATION_OVERLAP: f64 = 0.3;

/// A finding of fewer terms needs the next sentence to be understood.
const MIN_SELF_CONTAINED_TERMS: usize = 4;

/// Returns at most `max_count` findings in the order of the transcript; the oldest are dropped.
pub(in crate::transcript) fn collect_findings(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    max_count: usize,
) -> Vec<Statement> {
    let mut findings: Vec<Statement> = vec![];
    // The line of the user's question, until the agent has answered it.
    let mut question: Option<usize> = None;
    for (index, message) in conversation.messages.iter().enumerate() {
        let sentences: Vec<&str> = message.sentences().collect();
        for sentence in sentences.iter().filter(|sentence| phrases::is_refutation(sentence)) {
            let terms = term_set(sentence);
            findings.retain(|earlier| {
                earlier.line == message.turn.line
                    || overlap(&terms, &term_set(&earlier.text)) < REFUTATION_OVERLAP
            });
        }
        if message.is_by_user() {
            let asks =
                |sentence: &&str| phrases::asks_why(sentence) || prose::is_question(sentence);
            question = sentences.iter().any(asks).then_some(message.turn.line);
            continue;
        }
        let is_last_reply = conversation.messages.get(index + 1).is_none_or(Message::is_by_user);
        let mut found = findings_in(message);
        let is_investigated = |asked: usize| {
            let calls = &transcript.tool_calls;
            let first = calls.get(calls.partition_point(|call| call.line < asked));
            first.is_some_and(|call| call.line < message.turn.line)
        };
        if is_last_reply && question.is_some_and(is_investigated) {
            found.splice(0..0, answer_in(message));
        }
        findings.extend(found);
        findings.drain(..findings.len().saturating_sub(max_count * MAX_REMEMBERED));
    }
    let mut seen = std::collections::HashSet::new();
    findings.retain(|finding| seen.insert(prose::comparison_key(&finding.text)));
    let excess = findings.len().saturating_sub(max_count);
    findings.into_iter().skip(excess).collect()
}

/// Returns the sentences of a message that state a cause or a fix.
fn findings_in(message: &Message<'_>) -> Vec<Statement> {
    let line = message.turn.line;
    let mut findings = vec![];
    for block in message.blocks.iter().filter(|block| block.kind != BlockKind::Heading) {
        let sentences = prose::split_sentences(&block.text);
        if message.introduction_of(block).ends_with(':')
            && phrases::is_fix(message.introduction_of(block))
        {
            findings.push(Statement::new(line, block.text.clone()));
            continue;
        }
        let mut taken = 0;
        for (at, sentence) in sentences.iter().enumerate() {
            if at < taken || !(phrases::is_cause(sentence) || phrases::is_fix(sentence)) {
                continue;
            }
            taken = at + 1;
            let mut text = (*sentence).to_owned();
            if term_set(sentence).len() < MIN_SELF_CONTAINED_TERMS || phrases::is_cause(sentence) {
                let next = sentences.get(at + 1).filter(|next| !prose::is_question(next));
                if let Some(next) = next {
                    text = format!("{text} {next}");
                    taken += 1;
                }
            }
            findings.push(Statement::new(line, text));
        }
    }
    findings
}

/// Returns the beginning of a message that answers a question of the user.
fn answer_in(message: &Message<'_>) -> Option<Statement> {
    let block = message.blocks.iter().find(|block| block.kind != BlockKind::Heading)?;
    let sentences = prose::split_sentences(&block.text);
    let answer: Vec<&str> = sentences.into_iter().take(ANSWER_SENTENCES).collect();
    let is_answer = answer
        .iter()
        .all(|sentence| !phrases::is_hypothesis(sentence) && !prose::is_question(sentence));
    let text = answer.join(" ");
    (is_answer && term_set(&text).len() >= MIN_SELF_CONTAINED_TERMS)
        .then(|| Statement::new(message.turn.line, text))
}
