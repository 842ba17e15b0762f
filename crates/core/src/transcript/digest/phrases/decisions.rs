//! Phrases of decisions, proposals and announced steps.

use super::{has_label, is_short};
use crate::phrase::FoldedSentence;
use crate::prose;

/// Phrases with which both the user and the agent state a decision.
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
    "went with",
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
    "we'll", "write", "i'm",
];

/// Phrases with which the user decides.
const USER_DECISION_PHRASES: &[&str] = &[
    "i want it to",
    "it stays",
    "keep it",
    "leave it",
    "leave the",
    "let's do",
    "let's drop",
    "let's go",
    "let's keep",
    "let's make",
    "let's move",
    "let's put",
    "let's skip",
    "let's stay",
    "let's store",
    "let's take",
    "let's try",
    "make it",
    "make that",
    "not worth it",
    "nobody needs",
    "stays",
    "we keep",
    "we're not",
    "we are not",
    "we won't",
    "we'll do",
    "we'll go",
    "we'll keep",
    "we'll stay",
    "will be",
];

/// Words with which the agent announces what it does.
pub(super) const AGENT_INTENTIONS: &[&str] = &[
    "i add",
    "i give",
    "i kept",
    "i keep",
    "i leave",
    "i put",
    "i use",
    "i'll",
    "i'm going to",
    "i'm keeping",
    "i've kept",
    "i've made",
    "i made",
    "i will",
    "i've put",
    "we'll",
];

/// Words that give the reason, so that an announcement is a decision.
const REASONS: &[&str] = &[
    "because",
    "instead of",
    "not as",
    "over",
    "rather than",
    "since",
    "so that",
    "then nobody",
    "which keeps",
    "that way",
    "so a",
    "so it",
    "so the",
    "so we",
    "by hand",
];

/// Verbs of steps that decide nothing.
const STEPS: &[&str] = &[
    "i'll check",
    "i'll continue",
    "i'll go",
    "i'll have",
    "i'll look",
    "i'll open",
    "i'll read",
    "i'll rerun",
    "i'll run",
    "i'll search",
    "i'll see",
    "i'll start",
    "i'll test",
    "i'll trace",
    "i'll try",
    "i'll wait",
    "i'll verify",
    "i'll bring",
];

/// Phrases that make a sentence a consideration rather than a decision.
const HEDGES: &[&str] = &[
    "could",
    "might",
    "would",
    "whether",
    "maybe",
    "perhaps",
    "let me know",
    "haha",
    "lol",
    "what if",
    "i wonder",
    "not sure",
    "if you want",
    "unless you",
];

/// Phrases with which the agent proposes something.
pub(super) const PROPOSALS: &[&str] = &[
    "i lean",
    "i propose",
    "i recommend",
    "i suggest",
    "i would",
    "i'd",
    "my preference",
    "my recommendation",
    "my suggestion",
    "my vote",
    "we could",
    "we should",
    "recommended",
    "proposal",
    "the plan",
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

/// Returns whether a sentence states a decision.
fn is_decision(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_contrast = || folded.contains_any(CONTRAST_PHRASES) && folded.contains_any(CHOICE_WORDS);
    let states_decision = folded.contains_any(DECISION_PHRASES)
        || is_contrast()
        || has_label(sentence, &["decision", "decided"]);
    states_decision && !prose::is_question(sentence) && !folded.contains_any(HEDGES)
}

/// Returns whether a sentence of the user states a decision.
pub(in crate::transcript) fn is_user_decision(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let decides = folded.contains_any(USER_DECISION_PHRASES)
        && !prose::is_question(sentence)
        && !folded.contains_any(HEDGES);
    decides || is_decision(sentence)
}

/// Returns whether a sentence of the agent states a decision: an announcement with its reason counts.
pub(in crate::transcript) fn is_agent_decision(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let reason =
        ["because", "since"].iter().filter_map(|word| sentence.to_lowercase().find(word)).min();
    let announcement =
        FoldedSentence::new(reason.and_then(|at| sentence.get(..at)).unwrap_or(sentence));
    let is_reasoned = announcement.contains_any(AGENT_INTENTIONS)
        && folded.contains_any(REASONS)
        && !folded.contains_any(STEPS)
        && !prose::is_question(sentence)
        && !announcement.contains_any(HEDGES);
    is_reasoned || is_decision(sentence)
}

/// Returns whether a sentence of the agent announces the next step.
pub(in crate::transcript::digest) fn is_step(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(STEPS)
}

/// Returns whether a sentence of the agent proposes something.
pub(in crate::transcript::digest) fn is_proposal(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(PROPOSALS)
}

/// Returns whether a heading introduces decisions.
pub(in crate::transcript::digest) fn is_decision_heading(heading: &str) -> bool {
    is_short(heading) && FoldedSentence::new(heading).contains_any(DECISION_HEADINGS)
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
}
