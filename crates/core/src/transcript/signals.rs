//! The words by which a sentence or a heading says that it states a choice or leaves something
//! open. The structure of a transcript is asked first; these are few and plain, so that a sentence
//! is rather missed than misread.

use super::prose;

const DECIDES: &[&str] = &[
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

/// Contrasts, which state a choice only together with a verb of choosing.
const CONTRASTS: &[&str] = &["instead of", "rather than"];

const CHOOSES: &[&str] = &[
    "choose", "i'll", "keep", "let's", "pick", "prefer", "put", "store", "use", "using", "we",
    "we'll", "write",
];

/// What makes a sentence a thought about a choice and not the choice.
const PONDERS: &[&str] = &["could", "might", "would", "whether", "maybe", "perhaps", "let me know"];

const LEFT_OPEN: &[&str] = &[
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

/// Tells whether a sentence states a choice.
pub(super) fn decides(sentence: &str) -> bool {
    let folded = fold(sentence);
    let contrasts = || any(&folded, CONTRASTS) && any(&folded, CHOOSES);
    let states =
        any(&folded, DECIDES) || contrasts() || is_labelled(sentence, &["decision", "decided"]);
    states && !prose::is_question(sentence) && !any(&folded, PONDERS)
}

/// Tells whether a sentence says that something is not finished.
pub(super) fn leaves_open(sentence: &str) -> bool {
    any(&fold(sentence), LEFT_OPEN) || is_labelled(sentence, &["todo", "open", "blocker"])
}

/// Tells whether a sentence says itself what it is: `Decision: use the outbox.`
fn is_labelled(sentence: &str, labels: &[&str]) -> bool {
    let label = sentence.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| labels.contains(&label.as_str()))
}

/// Tells whether a heading stands over decisions.
pub(super) fn heads_decisions(heading: &str) -> bool {
    is_short(heading) && any(&fold(heading), DECISION_HEADINGS)
}

/// Tells whether a heading stands over what is left open.
pub(super) fn heads_open(heading: &str) -> bool {
    is_short(heading) && any(&fold(heading), OPEN_HEADINGS)
}

/// Tells whether what a user says opens a request: more than a word of assent, and more than a
/// short answer where the agent has just asked.
pub(super) fn opens_request(text: &str, was_asked: bool) -> bool {
    const ASSENT: &[&str] = &[
        "yes", "no", "ok", "okay", "sure", "thanks", "thank", "great", "perfect", "good", "nice",
        "continue", "go", "lgtm", "proceed", "ja", "nein", "danke", "weiter", "oui", "merci", "sí",
        "gracias",
    ];
    let folded = fold(text);
    let first = folded.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let least = match (was_asked, ASSENT.contains(&first)) {
        (true, _) => 20,
        (false, true) => 10,
        (false, false) => 4,
    };
    weight(text, least) >= least
}

/// Counts words up to a limit; scripts without spaces count two characters as one.
fn weight(text: &str, enough: usize) -> usize {
    let mut weight = 0;
    for word in text.split_whitespace() {
        let wide = word.chars().filter(|&c| c >= '\u{2e80}').take(enough * 2).count();
        weight += (wide / 2).max(1);
        if weight >= enough {
            break;
        }
    }
    weight
}

fn is_short(heading: &str) -> bool {
    heading.chars().nth(80).is_none()
}

fn fold(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

fn any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| has(text, phrase))
}

/// Tells whether a text holds a phrase as whole words.
fn has(text: &str, phrase: &str) -> bool {
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
    fn choices_are_told_from_thoughts() {
        for sentence in [
            "We decided to use SQLite.",
            "I’m going with `serde`.",
            "Chose axum over actix.",
            "Use axum instead of actix.",
            "Wir haben uns für Rust entschieden.",
        ] {
            assert!(decides(sentence), "{sentence}");
        }
        for sentence in [
            "Should we go with SQLite?",
            "We could go with SQLite.",
            "It is frozen.",
            "Reuse we useful.",
        ] {
            assert!(!decides(sentence), "{sentence}");
        }
    }

    #[test]
    fn requests_are_told_from_answers() {
        assert!(opens_request("Now add a test for it", false));
        assert!(opens_request("次にパーサーのテストを追加してください", false));
        assert!(!opens_request("yes please go ahead", false));
        assert!(!opens_request("the second one of them please", true));
    }
}
