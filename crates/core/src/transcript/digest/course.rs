//! Shortens a conversation to what the user said and what the agent reported, in order. The lists of a digest classify
//! single statements and miss some; the course keeps the words themselves.

use super::conversation::{Conversation, Message};
use super::phrases;
use super::statement::term_set;
use crate::prose;

/// Length to which a message of the user is shortened, in characters.
const MAX_USER_CHARS: usize = 480;

/// Length to which the last report of the agent before a message of the user is shortened, in characters.
const MAX_REPORT_CHARS: usize = 640;

/// Length to which the reports before the last one are shortened, in characters.
const MAX_EARLIER_REPORT_CHARS: usize = 480;

/// Length of the course, in characters. Beyond it, the oldest reports are left out.
const MAX_COURSE_CHARS: usize = 20_000;

/// Length of the course with the messages of the user alone, in characters. Beyond it, the oldest are left out.
const MAX_USER_COURSE_CHARS: usize = 28_000;

/// Returns the course of a conversation, a line for each speaker's turn.
pub(super) fn collect_course(conversation: &Conversation<'_>) -> Vec<String> {
    let mut lines: Vec<CourseLine> = vec![];
    for turns in conversation.messages.chunk_by(|a, b| a.is_by_user() == b.is_by_user()) {
        let is_user = turns[0].is_by_user();
        let texts: Vec<String> = if is_user {
            turns.iter().map(|message| prose::truncate(&said(message), MAX_USER_CHARS)).collect()
        } else {
            vec![reported(turns)]
        };
        let substantial = texts.into_iter().filter(|text| !term_set(text).is_empty());
        lines.extend(substantial.map(|text| CourseLine { is_user, text }));
    }
    let mut chars_used = 0;
    let mut kept: Vec<String> = vec![];
    for line in lines.iter().rev() {
        chars_used += line.text.chars().count();
        let limit = if line.is_user { MAX_USER_COURSE_CHARS } else { MAX_COURSE_CHARS };
        if chars_used <= limit {
            let speaker = if line.is_user { "User" } else { "Agent" };
            kept.push(format!("{speaker}: {}", line.text));
        }
    }
    kept.reverse();
    kept
}

/// What one speaker said before the other one did.
struct CourseLine {
    is_user: bool,
    text: String,
}

/// Returns the prose of a message as one line.
fn said(message: &Message<'_>) -> String {
    let mut line = String::new();
    for block in &message.blocks {
        prose::append_clause(&mut line, &block.text);
    }
    line
}

/// Returns the last report of the agent, after what the messages before it state. Conclusions take precedence over
/// other statements if there is not enough room.
fn reported(messages: &[Message<'_>]) -> String {
    let Some((last, earlier)) = messages.split_last() else { return String::new() };
    let sentences: Vec<&str> = earlier.iter().flat_map(Message::sentences).collect();
    let is_conclusion = |sentence: &str| {
        phrases::is_cause(sentence)
            || phrases::is_fix(sentence)
            || phrases::is_agent_decision(sentence)
    };
    let mut chars_left = MAX_EARLIER_REPORT_CHARS;
    let mut kept = vec![false; sentences.len()];
    for conclusions in [true, false] {
        for (at, sentence) in sentences.iter().enumerate() {
            let length = sentence.chars().count();
            if is_conclusion(sentence) == conclusions
                && is_statement(sentence)
                && length <= chars_left
            {
                chars_left -= length;
                kept[at] = true;
            }
        }
    }
    let mut line = String::new();
    let kept = sentences.iter().zip(kept).filter(|(_, kept)| *kept);
    kept.for_each(|(sentence, _)| prose::push_word(&mut line, sentence));
    prose::append_clause(&mut line, &prose::truncate(&said(last), MAX_REPORT_CHARS));
    line
}

/// Returns whether a sentence of the agent states something, and does not only announce the next step.
fn is_statement(sentence: &str) -> bool {
    !prose::is_question(sentence)
        && !phrases::is_step(sentence)
        && !phrases::is_hypothesis(sentence)
}
