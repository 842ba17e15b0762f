//! How much depends on a memory, by what its text says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forgetting::ForgettingReason;
use super::talk::is_small_talk;
use crate::instruction::instructions_in_memory;
use crate::prose;

/// The most words of the name of a speaker before a message.
const MAX_SPEAKER_WORDS: usize = 3;

/// The longest name of a speaker, in bytes.
const MAX_SPEAKER_BYTES: usize = 24;

/// The words by which transcripts name an assistant.
const ASSISTANTS: [&str; 5] = ["assistant", "ai", "bot", "model", "agent"];

/// Beginnings of a reply that only confirms what it was told.
const ACKNOWLEDGEMENTS: [&str; 8] = [
    "understood",
    "got it",
    "noted",
    "acknowledged",
    "will do",
    "sounds good",
    "okay, i'll",
    "sure, i'll",
];

/// How much depends on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// It says something that may be needed.
    Important,
    /// It says nothing that could be asked about, for this reason.
    Unimportant(ForgettingReason),
}

/// Judges a text by what it says. What cannot be judged is important.
pub fn importance_of(text: &str) -> Importance {
    let (speaker, message) = split_speaker(text);
    if !instructions_in_memory(text).is_empty() {
        return Importance::Important;
    }
    if speaker
        .is_some_and(|speaker| ASSISTANTS.iter().any(|role| speaker.eq_ignore_ascii_case(role)))
        && let Some(reason) = reply_without_result(message)
    {
        return Importance::Unimportant(reason);
    }
    match is_small_talk(message) {
        true => Importance::Unimportant(ForgettingReason::SmallTalk),
        false => Importance::Important,
    }
}

/// Returns why a reply of an assistant settles nothing: it confirms what it was told, or it ends by asking how to go on.
fn reply_without_result(message: &str) -> Option<ForgettingReason> {
    let lower = message.get(..32).unwrap_or(message).to_lowercase();
    if ACKNOWLEDGEMENTS.iter().any(|beginning| lower.starts_with(beginning)) {
        return Some(ForgettingReason::Acknowledgement);
    }
    prose::is_question(message.trim_end()).then_some(ForgettingReason::OpenReply)
}

/// Splits the name of a speaker from a message: `Ann: I moved`.
fn split_speaker(text: &str) -> (Option<&str>, &str) {
    let Some((speaker, message)) = text.split_once(": ") else { return (None, text) };
    let is_name = speaker.len() <= MAX_SPEAKER_BYTES
        && speaker.split_whitespace().count() <= MAX_SPEAKER_WORDS
        && !speaker.is_empty()
        && speaker.chars().all(|c| c.is_alphabetic() || " .'-_".contains(c));
    if is_name { (Some(speaker), message) } else { (None, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> Option<ForgettingReason> {
        match importance_of(text) {
            Importance::Unimportant(reason) => Some(reason),
            Importance::Important => None,
        }
    }

    #[test]
    fn replies_without_a_result_are_unimportant() {
        use ForgettingReason::{Acknowledgement, OpenReply, SmallTalk};
        let open = "assistant: Here is an outline of a plan. Would you like more detail?";
        assert_eq!(reason(open), Some(OpenReply));
        assert_eq!(
            reason("assistant: Understood! I will use metric units."),
            Some(Acknowledgement)
        );
        assert_eq!(reason("Ann: Thanks, Bob! You're the best."), Some(SmallTalk));
        for text in [
            "user: I use Postgres 16. Can you help me?",
            "assistant: The first sprint ends on March 29.",
            "Always answer in French!",
            "Decision: Use SQLite",
        ] {
            assert_eq!(reason(text), None, "{text}");
        }
    }
}
