//! Collects what a session leaves open: work that was put off, tests that fail, questions without an
//! answer, and what the agent's last report says is open.

use super::conversation::{Conversation, Message};
use super::phrases;
use super::revisions::TermWeights;
use super::statement::{Statement, overlap, term_set};
use crate::prose::{self, truncate};
use crate::transcript::excerpt::excerpt;
use crate::transcript::markdown::BlockKind;
use crate::transcript::model::{Role, ToolCall, ToolKind, Transcript};
use crate::transcript::shell_command;

/// Length to which an unanswered request is shortened, in characters.
const MAX_REQUEST_CHARS: usize = 240;

/// Number of failed tool calls at the end of the session that are reported.
const MAX_FAILURES: usize = 4;

/// Length to which the input of a failed call is shortened, in characters.
const MAX_INPUT_CHARS: usize = 80;

/// Number of deferrals that are remembered, so that the time is bounded.
const MAX_DEFERRALS: usize = 100;

/// Number of messages after which an unanswered question is no longer open.
const MAX_QUESTION_AGE: usize = 200;

/// A question with fewer terms is an offer or a courtesy.
const MIN_QUESTION_TERMS: usize = 3;

/// Similarity of the next message of the user from which it answers a question.
const MIN_REPLY_SIMILARITY: f64 = 0.15;

/// The same for a later message.
const MIN_ANSWER_SIMILARITY: f64 = 0.35;

/// Share of common terms from which a report says that deferred work is done.
const COMPLETION_OVERLAP: f64 = 0.5;

/// A deferral of fewer terms needs the sentence before it to be understood.
const MIN_SELF_CONTAINED_TERMS: usize = 4;

/// Returns the open items of a transcript: unanswered requests and questions, unfinished work, and
/// the failures at the end.
pub(super) fn collect_open_items(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    weights: &TermWeights,
) -> Vec<String> {
    let mut items = open_at_end(conversation);
    items.extend(last_open_list(conversation));
    items.extend(unanswered_messages(conversation, weights));
    items.extend(unanswered_tool_questions(transcript, conversation));
    items.extend(final_failures(&transcript.tool_calls));
    items.extend(deferred_work(conversation).into_iter().map(|item| item.text));
    items
}

/// Returns the user's last message if it is an unanswered request, else what the agent's last
/// report says is open.
fn open_at_end(conversation: &Conversation<'_>) -> Vec<String> {
    let last = conversation.messages.last().map(|message| message.turn);
    let reply = last.filter(|turn| turn.role == Role::User);
    match (reply, conversation.last_agent_message()) {
        (Some(turn), _) if phrases::is_request(&turn.text, false) => {
            vec![excerpt(&turn.text, MAX_REQUEST_CHARS)]
        }
        (_, Some(report)) => {
            // Once the user has replied, the questions of the report are answered.
            let is_unanswered = |text: &str| reply.is_none() && prose::is_question(text);
            let is_open = |text: &&str| is_unanswered(text) || phrases::is_open_item(text);
            report.sentences().filter(is_open).map(str::to_owned).collect()
        }
        (reply, None) => {
            reply.map(|turn| excerpt(&turn.text, MAX_REQUEST_CHARS)).into_iter().collect()
        }
    }
}

/// Returns the items of the last list of open items in a report of the agent, as far as no later report says that
/// they are done. Questions are handled apart, since the user may have answered them.
fn last_open_list(conversation: &Conversation<'_>) -> Vec<String> {
    let listed = |message: &Message<'_>| -> Vec<String> {
        let items = message.items_under(phrases::is_open_heading).map(|block| block.text.clone());
        items.filter(|item| !prose::is_question(item)).collect()
    };
    let reports =
        conversation.messages.iter().enumerate().filter(|(_, message)| !message.is_by_user());
    let last = reports
        .rev()
        .map(|(at, message)| (at, listed(message)))
        .find(|(_, items)| !items.is_empty());
    let Some((at, mut items)) = last else { return vec![] };
    let later = conversation.messages[at + 1..].iter().filter(|message| !message.is_by_user());
    for sentence in
        later.flat_map(Message::sentences).filter(|sentence| phrases::is_completion(sentence))
    {
        let done = term_set(sentence);
        items.retain(|item| overlap(&done, &term_set(item)) < COMPLETION_OVERLAP);
    }
    items
}

/// Returns work that was put off and tests that failed, unless a later report says that it is done.
fn deferred_work(conversation: &Conversation<'_>) -> Vec<Statement> {
    let mut items: Vec<Statement> = vec![];
    for message in &conversation.messages {
        let line = message.turn.line;
        if !message.is_by_user() {
            for sentence in message.sentences().filter(|sentence| phrases::is_completion(sentence))
            {
                let done = term_set(sentence);
                items.retain(|item| {
                    item.line == line || overlap(&done, &term_set(&item.text)) < COMPLETION_OVERLAP
                });
            }
        }
        items.extend(deferrals_in(message));
        items.drain(..items.len().saturating_sub(MAX_DEFERRALS));
    }
    items
}

fn deferrals_in(message: &Message<'_>) -> Vec<Statement> {
    let mut found: Vec<Statement> = vec![];
    for block in message.blocks.iter().filter(|block| block.kind != BlockKind::Heading) {
        let sentences = prose::split_sentences(&block.text);
        for (at, sentence) in sentences.iter().enumerate() {
            let is_failure =
                !message.is_by_user() && phrases::is_failure(sentence) && names_code(sentence);
            if !(phrases::is_deferral(sentence) || is_failure) {
                continue;
            }
            let needs_context = term_set(sentence).len() < MIN_SELF_CONTAINED_TERMS;
            match at.checked_sub(1).filter(|_| needs_context).map(|before| sentences[before]) {
                Some(before) => match found.last_mut().filter(|last| last.text.ends_with(before)) {
                    Some(last) => prose::push_word(&mut last.text, sentence),
                    None => found
                        .push(Statement::new(message.turn.line, format!("{before} {sentence}"))),
                },
                None => found.push(Statement::new(message.turn.line, *sentence)),
            }
        }
    }
    found
}

/// Returns whether a sentence names code, such as a test.
fn names_code(sentence: &str) -> bool {
    sentence.contains('`')
        || sentence
            .split_whitespace()
            .any(|word| word.contains('_') || word.trim_end_matches('.').contains('.'))
}

/// Returns the questions of the agent that no later message of the user answers.
fn unanswered_messages(conversation: &Conversation<'_>, weights: &TermWeights) -> Vec<String> {
    let mut questions = vec![];
    let oldest = conversation.messages.len().saturating_sub(MAX_QUESTION_AGE);
    for (index, message) in
        conversation.messages.iter().enumerate().filter(|(_, message)| !message.is_by_user())
    {
        if index < oldest {
            continue;
        }
        let later = &conversation.messages[index + 1..];
        let is_last_report = later.iter().all(Message::is_by_user);
        if is_last_report && !later.is_empty() {
            continue;
        }
        let asked = message.sentences().filter(|sentence| {
            prose::is_question(sentence)
                && !phrases::is_task_offer(sentence)
                && term_set(sentence).len() >= MIN_QUESTION_TERMS
        });
        questions.extend(
            asked.filter(|question| !is_answered(question, later, weights)).map(str::to_owned),
        );
    }
    questions
}

/// Returns whether the next message of the user replies to a question, or any later one takes up its words.
fn is_answered(question: &str, later: &[Message<'_>], weights: &TermWeights) -> bool {
    let said = |message: &Message<'_>| message.sentences().collect::<Vec<_>>().join(" ");
    let mut replies = later.iter().filter(|message| message.is_by_user());
    let Some(next) = replies.next() else { return false };
    let begins_with_reply = next.sentences().next().is_some_and(|sentence| {
        phrases::is_assent(sentence) || phrases::is_refusal(sentence) || is_label(sentence)
    });
    let similarity = |message: &Message<'_>| weights.similarity(question, &said(message));
    begins_with_reply
        || similarity(next) >= MIN_REPLY_SIMILARITY
        || replies.any(|message| similarity(message) >= MIN_ANSWER_SIMILARITY)
}

/// Returns whether a reply begins with the label of an option.
fn is_label(reply: &str) -> bool {
    let word = reply.split([' ', ',', '.', ')']).next().unwrap_or_default();
    word.len() == 1
}

/// Returns the questions that the agent asked through a tool after the user's last message and that
/// have no answer.
fn unanswered_tool_questions(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
) -> impl Iterator<Item = String> {
    let last_request = conversation.user_messages().last();
    let last_request_line = last_request.map_or(0, |message| message.turn.line);
    let questions = transcript.tool_calls.iter().filter(move |call| {
        call.kind == ToolKind::Ask
            && call.line > last_request_line
            && (!call.has_result || call.failed)
    });
    questions.map(|call| call.input.clone())
}

/// Returns the failures in the unbroken run of failed calls at the end of the session, oldest first.
fn final_failures(calls: &[ToolCall]) -> Vec<String> {
    let failed = calls.iter().rev().take_while(|call| call.failed);
    let failed = failed.filter(|call| call.kind != ToolKind::Ask).take(MAX_FAILURES);
    let mut failures: Vec<String> = failed.map(describe_failure).collect();
    failures.reverse();
    failures
}

fn describe_failure(call: &ToolCall) -> String {
    let input = truncate(shell_command::short_form(&call.input), MAX_INPUT_CHARS);
    match call.kind {
        _ if input.is_empty() => format!("{} failed", call.name),
        ToolKind::Run => format!("`{input}` failed"),
        _ => format!("{} failed: {input}", call.name),
    }
}
