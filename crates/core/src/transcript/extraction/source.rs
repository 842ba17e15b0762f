//! What of a message its author wrote in sentences.

use crate::instruction::statement_of;
use crate::prose;
use crate::transcript::digest::conversation::Message;
use crate::transcript::markdown::BlockKind;

/// A message with more words is a pasted document.
const MAX_WORDS: usize = 250;

/// A message with so many headings is a document.
const MIN_HEADINGS: usize = 2;

/// A message with so many list items is a document.
const MIN_ITEMS: usize = 9;

/// Beginnings of messages that a client writes in the user's name.
const CLIENT_OPENINGS: &[&str] = &[
    "This session is being continued from a previous conversation",
    "Implement the following plan:",
    "Base directory for this skill:",
    "Please analyze this codebase and create a CLAUDE.md",
];

/// The share of letters, digits and spaces from which a sentence is prose and no code or table.
const MIN_PROSE_SHARE: f64 = 0.85;

/// Returns whether a message is a pasted document or a long prompt: what it says is not about how the agent is to work
/// from then on, unless it says so.
pub(super) fn is_document(message: &Message<'_>) -> bool {
    let count = |is_kind: fn(&BlockKind) -> bool| {
        message.blocks.iter().filter(|block| is_kind(&block.kind)).count()
    };
    let words: usize =
        message.blocks.iter().map(|block| block.text.split_whitespace().count()).sum();
    words > MAX_WORDS
        || count(|kind| *kind == BlockKind::Heading) >= MIN_HEADINGS
        || count(|kind| matches!(kind, BlockKind::Item | BlockKind::Task { .. })) >= MIN_ITEMS
}

/// Returns whether a client wrote a message in the user's name: the summary of an earlier conversation, an accepted plan.
pub(super) fn is_of_client(message: &Message<'_>) -> bool {
    let text = message.turn.text.trim_start();
    CLIENT_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// Returns the sentences of a message without the question that they end in, without quotations, code and tables.
pub(super) fn statements_of<'m>(message: &'m Message<'_>) -> impl Iterator<Item = &'m str> {
    let statements = message.sentences().map(statement_of).map(str::trim);
    statements.filter(|text| is_prose(text) && !is_quotation(text))
}

/// Returns whether a text reads like a sentence: pasted code, logs and tables do not.
pub(super) fn is_prose(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let is_beginning =
        first.is_alphanumeric() || matches!(first, '`' | '"' | '“' | '(' | '\'' | '*');
    let letters = text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).count();
    let share = letters as f64 / text.chars().count().max(1) as f64;
    let opens = text.matches('(').count();
    is_beginning && share >= MIN_PROSE_SHARE && text.matches(')').count() <= opens
        || is_beginning && text.contains('`') && text.matches(')').count() <= opens
}

/// Returns whether more than half of a sentence is in quotation marks, so that another person says it.
fn is_quotation(sentence: &str) -> bool {
    let quoted: usize = sentence.split(['"', '“', '”']).skip(1).step_by(2).map(str::len).sum();
    quoted * 2 > sentence.len()
}

/// Returns whether a text names something that exists: code, a path, a number or a name in mixed case.
pub(super) fn has_specific(text: &str) -> bool {
    text.split_whitespace().skip(1).any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '`' && c != '/');
        let mut chars = bare.chars();
        let first = chars.next();
        bare.contains(['`', '/', '_', '.'])
            || bare.contains(|c: char| c.is_ascii_digit())
            || (first.is_some_and(char::is_uppercase) && bare != "I" && !bare.starts_with("I'"))
            || chars.any(char::is_uppercase)
    })
}

/// Returns whether a sentence begins with a word that refers to the sentence before it.
pub(super) fn refers_back(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default();
    let word = prose::comparison_key(first);
    ["it", "its", "that", "thats", "this", "these", "those", "they", "them", "he", "she", "which"]
        .contains(&word.as_str())
}
