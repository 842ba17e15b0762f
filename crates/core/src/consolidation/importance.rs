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

/// Words that approve of the message before.
const APPROVING_WORDS: [&str; 9] = [
    "awesome",
    "correct",
    "excellent",
    "fantastic",
    "good",
    "great",
    "perfect",
    "right",
    "wonderful",
];

/// Words before them.
const INTENSIFIERS: [&str; 5] = ["a", "an", "very", "really", "absolutely"];

/// The words at the beginning of a reply that show whether it approves.
const MAX_APPROVAL_WORDS: usize = 6;

/// A longer reply explains what it was told, in words.
const MAX_STATEMENT_WORDS: usize = 40;

/// The sentences at the end of a reply of which one may ask how to go on.
const MAX_LAST_SENTENCES: usize = 3;

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

/// Returns why a reply of an assistant settles nothing: it confirms or approves what it was told, or it ends by asking how to
/// go on.
fn reply_without_result(message: &str) -> Option<ForgettingReason> {
    let words: Vec<String> = message
        .split_whitespace()
        .take(MAX_APPROVAL_WORDS)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let beginning = words.join(" ");
    let confirms = ACKNOWLEDGEMENTS.iter().any(|start| beginning.starts_with(start));
    if (confirms || is_approval(&words)) && !states_fact_after_first_sentence(message) {
        return Some(ForgettingReason::Acknowledgement);
    }
    ends_with_question(message).then_some(ForgettingReason::OpenReply)
}

/// Returns whether a reply begins by approving what it was told: "That sounds like a good plan", "Great! …", "Well done". What
/// was approved is in the message before it.
fn is_approval(words: &[String]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let approves = |word: &str| APPROVING_WORDS.contains(&bare(word).as_str());
    let mut rest_bare = rest.iter().map(|word| bare(word));
    match bare(first).as_str() {
        "sounds" => true,
        "that's" => rest
            .iter()
            .find(|word| !INTENSIFIERS.contains(&word.as_str()))
            .is_some_and(|word| approves(word)),
        "that" | "it" | "this" => {
            let verb = rest_bare.find(|word| word != "all");
            verb.is_some_and(|verb| verb == "sounds")
        }
        "well" => rest_bare.next().is_some_and(|word| word == "done"),
        // "Great question" approves of nothing that was decided or done.
        _ if approves(first) => {
            first.ends_with(['!', ',', '.'])
                || rest_bare
                    .next()
                    .is_some_and(|word| ["job", "work", "to"].contains(&word.as_str()))
        }
        _ => false,
    }
}

/// Returns whether a short reply goes on to state how a team works, or what somebody does: "Got it. We deploy from main only, and
/// Ann approves it."
fn states_fact_after_first_sentence(message: &str) -> bool {
    if message.split_whitespace().count() > MAX_STATEMENT_WORDS {
        return false;
    }
    let sentences = prose::paragraphs(message).into_iter().flat_map(prose::split_sentences);
    sentences.skip(1).filter(|sentence| !prose::is_question(sentence)).any(|sentence| {
        let mut words = sentence.split_whitespace();
        let first = words.next().unwrap_or_default().to_lowercase();
        let is_name = |word: &str| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            bare.starts_with(char::is_uppercase) && !bare.starts_with("I'") && bare.len() > 1
        };
        matches!(first.as_str(), "we" | "our") && words.any(is_name)
    })
}

/// Returns whether a question is among the last sentences of a text. Good wishes and an offer to help may follow it.
fn ends_with_question(text: &str) -> bool {
    let sentences = prose::paragraphs(text).into_iter().rev();
    let sentences =
        sentences.flat_map(|paragraph| prose::split_sentences(paragraph).into_iter().rev());
    let mut last =
        sentences.filter(|sentence| !sentence.trim().is_empty()).take(MAX_LAST_SENTENCES);
    last.any(|sentence| prose::is_question(sentence.trim_end()))
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
        let offer = "assistant: 1. Boil it.\n\nWould you like more detail? If so, let me know!";
        assert_eq!(reason(offer), Some(OpenReply));
        for approval in [
            "That sounds like a solid plan! Here are some tips:\n\n1. Begin early.",
            "That's a very good idea. Keep the log.",
            "Great! Then begin with the outline.",
            "Great to hear that the tests pass now.",
            "Well done, Ann. Keep at it.",
        ] {
            let approval = format!("assistant: {approval}");
            assert_eq!(reason(&approval), Some(Acknowledgement), "{approval}");
        }
        assert_eq!(reason("Ann: Thanks, Bob! You're the best."), Some(SmallTalk));
        for text in [
            "user: I use Postgres 16. Can you help me?",
            "assistant: Got it. We deploy from main only, and Ann approves it.",
            "assistant: The first sprint ends on March 29.",
            "assistant: Great expectations are set in Kent.",
            "assistant: That depends on the index.",
            "assistant: Is it slow? The index is missing. Add it. Run the query again. It takes 5 ms.",
            "Ann: That sounds like the queue drops messages.",
            "Always answer in French!",
            "Decision: Use SQLite",
        ] {
            assert_eq!(reason(text), None, "{text}");
        }
    }
}
