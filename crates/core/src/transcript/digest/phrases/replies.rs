//! Phrases of replies and requests.

use super::open_work::is_deferral;
use crate::phrase::FoldedSentence;

/// Beginnings of questions that offer to do the next step.
const TASK_OFFERS: &[&str] = &[
    "shall i commit",
    "shall i continue",
    "shall i go on",
    "shall i proceed",
    "shall i push",
    "shall i run",
    "shall i start",
    "should i commit",
    "should i continue",
    "should i go on",
    "should i proceed",
    "should i push",
    "should i run",
    "should i start",
    "want me to commit",
    "want me to continue",
    "want me to go on",
    "want me to push",
    "want me to run",
    "want me to start",
    "do you want me to run",
    "can you run",
    "can you check",
    "anything else",
];

/// Replies that accept a proposal.
const ASSENTS: &[&str] = &[
    "+1",
    "absolutely",
    "agreed",
    "approved",
    "do it",
    "do that",
    "exactly",
    "fine",
    "fine by me",
    "go",
    "go ahead",
    "go for it",
    "good idea",
    "k",
    "lgtm",
    "makes sense",
    "of course",
    "ok",
    "okay",
    "perfect",
    "please do",
    "right",
    "ship it",
    "sounds good",
    "sure",
    "thats fine",
    "that's fine",
    "works for me",
    "yea",
    "yeah",
    "yep",
    "yes",
    "yup",
    "ja",
    "oui",
    "sí",
    "si",
];

/// Replies that decline a proposal.
const REFUSALS: &[&str] = &[
    "don't",
    "god no",
    "hell no",
    "nah",
    "nein",
    "no",
    "nope",
    "non",
    "please don't",
    "rather not",
    "stop",
];

/// Shortest follow-up of the user that counts as a request, in words.
const MIN_REQUEST_WORDS: usize = 4;

/// The same for a text that begins with assent, such as "yes".
const MIN_REQUEST_WORDS_AFTER_ASSENT: usize = 10;

/// The same for a text that follows a question of the agent, and is probably its answer.
const MIN_REQUEST_WORDS_AFTER_QUESTION: usize = 20;

/// A longer sentence is more than assent, in words.
const MAX_ASSENT_WORDS: usize = 6;

/// The first character of the scripts that put no spaces between words.
const FIRST_CJK_CHAR: char = '\u{2e80}';

/// Returns whether a question of the agent only offers to do the next step.
pub(in crate::transcript::digest) fn is_task_offer(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(TASK_OFFERS)
}

/// Returns whether a sentence of the user accepts a proposal.
pub(in crate::transcript) fn is_assent(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_short = folded.words().count() <= MAX_ASSENT_WORDS;
    let first = folded.words().next().unwrap_or_default();
    folded.starts_with_any(&[
        "yes",
        "yep",
        "yeah",
        "agreed",
        "do that",
        "do it",
        "go ahead",
        "sounds good",
        "please do",
    ]) || (is_short
        && (ASSENTS.contains(&first) || ASSENTS.iter().any(|assent| folded.contains(assent))))
        || ["ok ,", "ok then", "ok"].iter().any(|ok| folded.strip_prefix(ok).is_some())
}

/// Returns whether a sentence of the user declines a proposal.
pub(in crate::transcript::digest) fn is_refusal(sentence: &str) -> bool {
    FoldedSentence::new(sentence).starts_with_any(REFUSALS)
}

/// Returns whether a sentence of the user says what not to use: "not tesla!"
pub(in crate::transcript::digest) fn is_ban(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.starts_with_any(&["not", "never", "don't", "stop"]) && folded.words().count() > 1
}

/// Returns whether a sentence of the user turns to something else.
pub(in crate::transcript::digest) fn changes_subject(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.starts_with_any(&[
        "btw",
        "can",
        "could",
        "go",
        "great",
        "how",
        "i'll",
        "i'm",
        "lunch",
        "new topic",
        "next",
        "now",
        "ok",
        "okay",
        "oh",
        "perfect",
        "please",
        "run",
        "start",
        "thanks",
        "thx",
        "what",
        "where",
        "why",
        "yes",
        "fix",
        "look",
        "commit",
    ]) || is_deferral(sentence)
}

/// Returns whether a sentence of the user says what to do instead.
pub(in crate::transcript::digest) fn names_alternative(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(&["instead", "use"])
}

/// Returns whether a sentence of the user changes an earlier choice.
pub(in crate::transcript::digest) fn is_change_of_choice(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(&[
        "after all",
        "back to",
        "instead",
        "other way",
        "rather",
        "scrap",
        "turn it round",
        "turn it around",
        "change of plan",
        "actually",
    ])
}

/// Returns whether a sentence of the user is a joke.
pub(in crate::transcript::digest) fn is_joke(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(&[
        "haha",
        "hahaha",
        "jk",
        "just kidding",
        "kidding",
        "lol",
    ])
}

/// Returns whether a text of the user is a request, and not merely assent or the answer to a
/// question of the agent.
pub(in crate::transcript::digest) fn is_request(text: &str, answers_question: bool) -> bool {
    const ASSENT: &[&str] = &[
        "yes", "no", "ok", "okay", "sure", "thanks", "thank", "great", "perfect", "good", "nice",
        "continue", "go", "lgtm", "proceed", "ja", "nein", "danke", "weiter", "oui", "merci", "sí",
        "gracias",
    ];
    let folded = FoldedSentence::new(text);
    let first = folded.words().next().unwrap_or_default();
    let min_words = match (answers_question, ASSENT.contains(&first)) {
        (true, _) => MIN_REQUEST_WORDS_AFTER_QUESTION,
        (false, true) => MIN_REQUEST_WORDS_AFTER_ASSENT,
        (false, false) => MIN_REQUEST_WORDS,
    };
    has_words(text, min_words)
}

/// Returns whether a text has at least this many words. Two CJK characters count as one word.
fn has_words(text: &str, min_words: usize) -> bool {
    let mut count = 0;
    for word in text.split_whitespace() {
        let cjk_chars = word.chars().filter(|&c| c >= FIRST_CJK_CHAR).take(min_words * 2).count();
        count += (cjk_chars / 2).max(1);
        if count >= min_words {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_distinguished_from_answers() {
        assert!(is_request("Now add a test for it", false));
        assert!(is_request("次にパーサーのテストを追加してください", false));
        assert!(!is_request("yes please go ahead", false));
        assert!(!is_request("the second one of them please", true));
    }
}
