//! Phrases that mark decisions, open items and requests in sentences and headings.
//!
//! The lists are short on purpose: a missed sentence costs less than a misread one, and the digest
//! prefers the structure of the transcript anyway.

use super::prose;

/// Phrases that state a decision.
const DECISION_PHRASES: &[&str] = &[
    "agreed on",
    "agreed to",
    "chose",
    "chosen",
    "decided against",
    "decided on",
    "decided to",
    "decision is",
    "decision was",
    "go with",
    "going with",
    "let's use",
    "opted for",
    "settled on",
    "stick with",
    "sticking with",
    "switched to",
    "switching to",
    "we use",
    "we will use",
    "we'll use",
    "won't use",
    "will not use",
    "entschieden",
    "wir nehmen",
    "wir verwenden",
    "décidé",
    "nous utiliserons",
    "decidido",
    "decidimos",
    "usaremos",
];

/// Contrasts that state a decision only together with one of [`CHOICE_WORDS`].
const CONTRAST_PHRASES: &[&str] = &["instead of", "rather than"];

const CHOICE_WORDS: &[&str] = &[
    "choose", "i'll", "keep", "let's", "pick", "prefer", "put", "store", "use", "using", "we",
    "we'll", "write",
];

/// Phrases that make a sentence a consideration rather than a decision.
const HEDGE_PHRASES: &[&str] =
    &["could", "might", "would", "whether", "maybe", "perhaps", "let me know"];

/// Phrases that state that something is unfinished.
const OPEN_PHRASES: &[&str] = &[
    "blocked",
    "blocker",
    "can't",
    "cannot",
    "could not",
    "couldn't",
    "left to do",
    "need your",
    "needs",
    "not yet",
    "remains",
    "still failing",
    "still fails",
    "unable to",
    "unresolved",
    "wait for",
    "waiting for",
    "waiting on",
    "blockiert",
    "warte auf",
    "bloqué",
    "bloqueado",
];

/// Words in headings of lists of decisions.
const DECISION_HEADINGS: &[&str] = &[
    "choices",
    "decided",
    "decision",
    "decisions",
    "entscheidung",
    "entscheidungen",
    "décisions",
    "decisiones",
];

/// Words in headings of lists of open items.
const OPEN_HEADINGS: &[&str] = &[
    "blocked",
    "blocker",
    "blockers",
    "left to do",
    "next steps",
    "not done",
    "open",
    "outstanding",
    "questions",
    "remaining",
    "still to do",
    "to do",
    "todo",
    "unresolved",
    "offen",
    "nächste schritte",
];

/// Shortest follow-up of the user that counts as a request, in words.
const MIN_REQUEST_WORDS: usize = 4;

/// The same for a text that begins with assent, such as "yes".
const MIN_REQUEST_WORDS_AFTER_ASSENT: usize = 10;

/// The same for a text that follows a question of the agent, and is probably its answer.
const MIN_REQUEST_WORDS_AFTER_QUESTION: usize = 20;

/// Longer headings are sentences and classify nothing.
const MAX_HEADING_CHARS: usize = 80;

/// The first character of the scripts that put no spaces between words.
const FIRST_CJK_CHAR: char = '\u{2e80}';

/// Returns whether a sentence states a decision.
pub(super) fn is_decision(sentence: &str) -> bool {
    let folded = fold_case(sentence);
    let is_contrast =
        || contains_any(&folded, CONTRAST_PHRASES) && contains_any(&folded, CHOICE_WORDS);
    let states_decision = contains_any(&folded, DECISION_PHRASES)
        || is_contrast()
        || has_label(sentence, &["decision", "decided"]);
    states_decision && !prose::is_question(sentence) && !contains_any(&folded, HEDGE_PHRASES)
}

/// Returns whether a sentence states that something is unfinished.
pub(super) fn is_open_item(sentence: &str) -> bool {
    contains_any(&fold_case(sentence), OPEN_PHRASES)
        || has_label(sentence, &["todo", "open", "blocker"])
}

/// Returns whether a sentence begins with one of these labels: `Decision: use the outbox.`
fn has_label(sentence: &str, labels: &[&str]) -> bool {
    let label = sentence.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| labels.contains(&label.as_str()))
}

/// Returns whether a heading introduces decisions.
pub(super) fn is_decision_heading(heading: &str) -> bool {
    is_short(heading) && contains_any(&fold_case(heading), DECISION_HEADINGS)
}

/// Returns whether a heading introduces open items.
pub(super) fn is_open_heading(heading: &str) -> bool {
    is_short(heading) && contains_any(&fold_case(heading), OPEN_HEADINGS)
}

/// Returns whether a text of the user is a request, and not merely assent or the answer to a
/// question of the agent.
pub(super) fn is_request(text: &str, answers_question: bool) -> bool {
    const ASSENT: &[&str] = &[
        "yes", "no", "ok", "okay", "sure", "thanks", "thank", "great", "perfect", "good", "nice",
        "continue", "go", "lgtm", "proceed", "ja", "nein", "danke", "weiter", "oui", "merci", "sí",
        "gracias",
    ];
    let folded = fold_case(text);
    let first = folded.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
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

fn is_short(heading: &str) -> bool {
    heading.chars().nth(MAX_HEADING_CHARS).is_none()
}

fn fold_case(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| contains_phrase(text, phrase))
}

/// Returns whether a text contains a phrase as whole words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_distinguished_from_considerations() {
        for sentence in [
            "We decided to use SQLite.",
            "I’m going with `serde`.",
            "Chose axum over actix.",
            "Use axum instead of actix.",
            "Wir haben uns für Rust entschieden.",
        ] {
            assert!(is_decision(sentence), "{sentence}");
        }
        for sentence in [
            "Should we go with SQLite?",
            "We could go with SQLite.",
            "It is frozen.",
            "Reuse we useful.",
        ] {
            assert!(!is_decision(sentence), "{sentence}");
        }
    }

    #[test]
    fn requests_are_distinguished_from_answers() {
        assert!(is_request("Now add a test for it", false));
        assert!(is_request("次にパーサーのテストを追加してください", false));
        assert!(!is_request("yes please go ahead", false));
        assert!(!is_request("the second one of them please", true));
    }
}
