//! The forms of standing instructions, one rule for each.

use super::words::{
    ANSWER_SCOPES, DEMANDED_VERBS, DEMANDS, EPISTEMIC_MODALS, GENERIC_QUANTIFIERS, GENERIC_VERBS,
    IDLE_PROHIBITIONS, IMPERATIVES, LANGUAGES, MANNER_OPENINGS, MANNERS, NO_RECURRENCE, NO_REPLIES,
    OBLIGATIONS, OBSERVATIONS, ONE_TASK_SCOPES, PREFERENCE_PHRASES, PRESENT_MOMENT,
    RECURRING_OCCASIONS, RECURRING_OPENINGS, STATES, UNIVERSAL_SCOPES,
};
use crate::phrase::FoldedSentence;

/// A longer sentence that begins with "no" explains something.
const MAX_BAN_WORDS: usize = 24;

pub(super) fn is_polite_request(bare: &FoldedSentence<'_>) -> bool {
    bare.starts_with_any(&[
        "can you",
        "can we",
        "could you",
        "would you",
        "will you",
        "may i ask you",
    ])
}

/// Recognises reports that contain the words of a rule: "We never had that".
pub(super) fn is_personal_history(bare: &FoldedSentence<'_>) -> bool {
    bare.contains_any(&[
        "never had",
        "never got",
        "never did",
        "never were",
        "always had",
        "always did",
        "never seen",
        "never worked",
    ])
}

/// Recognises prohibitions: "Don't use floats", "stop adding comments", "no new dependencies", "avoid globals".
pub(super) fn is_prohibition(bare: &FoldedSentence<'_>) -> bool {
    let negative = [
        "don't",
        "do not",
        "never",
        "you don't",
        "you shouldn't",
        "we don't",
        "we do not",
        "we shouldn't",
        "you must not",
        "you can't",
    ];
    if let Some(rest) = negative.iter().find_map(|word| bare.strip_prefix(word)) {
        let is_idle = IDLE_PROHIBITIONS.iter().any(|idle| first_words_are(rest, idle));
        let is_momentary = bare.contains_any(PRESENT_MOMENT) && !has_condition(bare);
        let is_ours = bare.starts_with_any(&["we don't", "you don't"]);
        let is_state = is_ours
            && ["know", "need", "have", "see", "yet", "want", "even", "understand"]
                .iter()
                .any(|word| first_words_are(rest, word));
        return !is_idle && !is_momentary && !is_state && rest.split_whitespace().count() >= 1;
    }
    if let Some(rest) = bare.strip_prefix("stop").or(bare.strip_prefix("quit")) {
        return rest.split_whitespace().next().is_some_and(|verb| verb.ends_with("ing"));
    }
    if let Some(rest) = bare.strip_prefix("no more") {
        return !rest.is_empty()
            && !bare.contains_any(&["questions", "errors", "failures", "that's all"]);
    }
    if let Some(rest) = bare.strip_prefix("no") {
        let mut words = rest.split_whitespace();
        let is_reply = words.next().is_none_or(|word| NO_REPLIES.contains(&word));
        return !is_reply
            && rest.split_whitespace().count() <= MAX_BAN_WORDS
            && !bare.contains_any(OBSERVATIONS);
    }
    bare.starts_with_any(&[
        "avoid",
        "hands off",
        "refrain from",
        "stay away from",
        "keep away from",
        "keep your hands off",
    ]) || bare.contains_any(&[
        "off limits",
        "hands off",
        "is a no go",
        "is a no-go",
        "is forbidden",
        "not allowed",
    ]) || bare.starts_with_any(&["leave"]) && bare.contains("alone")
}

fn first_words_are(rest: &str, words: &str) -> bool {
    rest.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Returns whether a sentence names a condition that outlasts the moment.
fn has_condition(bare: &FoldedSentence<'_>) -> bool {
    bare.contains_any(&["before", "until", "till", "unless", "without", "while"])
}

/// Recognises preferences: "I prefer tabs", "I'd rather you ask".
pub(super) fn is_preference(bare: &FoldedSentence<'_>) -> bool {
    bare.contains_any(PREFERENCE_PHRASES)
        && !bare.contains_any(&[
            "if you prefer",
            "do you prefer",
            "i don't want to",
            "you prefer",
            "i'd rather not say",
            "which do",
        ])
        && (!bare.contains("prefer")
            || bare.contains_any(&["i prefer", "we prefer", "i'd prefer", "i would prefer"])
            || bare.starts_with_any(&["prefer"]))
}

/// Recognises imperatives that hold every time: "Run clippy before every commit", "always squash", "only merge after review".
pub(super) fn is_quantified_imperative(bare: &FoldedSentence<'_>) -> bool {
    let is_always = bare.starts_with_any(RECURRING_OPENINGS);
    let after_only = bare.strip_prefix("only").and_then(|rest| rest.split_whitespace().next());
    if after_only.is_some_and(|verb| verb.ends_with('s') && !verb.ends_with("ss")) {
        return false;
    }
    if is_always {
        return !bare.contains_any(NO_RECURRENCE);
    }
    if is_conditional_instruction(bare) {
        return true;
    }
    let is_imperative = || bare.starts_with_any(IMPERATIVES) || bare.contains_any(OBLIGATIONS);
    let is_generic = || {
        bare.contains_any(&["always", "never"])
            || bare.contains_any(RECURRING_OCCASIONS)
            || bare.contains_any(GENERIC_QUANTIFIERS)
            || bare.contains_any(ANSWER_SCOPES)
    };
    is_imperative()
        && is_generic()
        && !bare.contains_any(OBSERVATIONS)
        && !bare.contains_any(ONE_TASK_SCOPES)
}

/// Recognises demands on how to work or to answer: "You must cite sources", "you are to reply in German".
pub(super) fn is_demand(bare: &FoldedSentence<'_>) -> bool {
    let demanded = DEMANDS.iter().find_map(|demand| bare.strip_prefix(demand));
    let verb = demanded.and_then(|rest| rest.split_whitespace().next());
    verb.is_some_and(|verb| DEMANDED_VERBS.contains(&verb)) && !bare.contains_any(PRESENT_MOMENT)
}

/// Recognises instructions with a condition: "When it's about caching you can explain more", "prod only after Jonas has
/// signed off".
pub(super) fn is_conditional_instruction(bare: &FoldedSentence<'_>) -> bool {
    let is_condition = || {
        bare.starts_with_any(&[
            "when it's about",
            "when it comes to",
            "when you",
            "if you",
            "when there's",
            "for anything",
            "for everything",
        ])
    };
    let instructs = || {
        bare.contains_any(&[
            "you can",
            "you may",
            "you should",
            "please",
            "don't",
            "always",
            "never",
            "ask",
            "tell me",
            "use",
        ])
    };
    let is_restriction = || {
        bare.contains_any(&[
            "only after",
            "only once",
            "only when",
            "only with",
            "not before",
            "not until",
            "not without",
            "only for",
        ])
    };
    (is_condition() && instructs()
        || is_restriction()
            && !bare.starts_with_any(&["it", "that", "this", "happens", "fails", "works"]))
        && !bare.contains_any(OBSERVATIONS)
}

/// Recognises a choice and what it excludes: "Use rg, not grep", "tabs not spaces".
pub(super) fn is_contrast(bare: &FoldedSentence<'_>) -> bool {
    let is_choice = bare.starts_with_any(&[
        "use",
        "it's",
        "we use",
        "write",
        "call it",
        "call them",
        "say",
        "name",
        "put",
        "log",
        "store",
        "keep",
        "return",
        "throw",
        "prefer",
        "commit",
        "go through",
    ]);
    is_choice
        && bare.contains_any(&["not", "instead of", "rather than", "over", "never"])
        && !bare.contains_any(&[
            "not sure",
            "or not",
            "not yet",
            "not now",
            "if not",
            "why not",
            "not found",
            "not working",
            "it's not",
            "not only",
        ])
        && !bare.contains_any(PRESENT_MOMENT)
        && (!bare.starts_with_any(&["it's"]) || bare.words().count() <= 8)
}

/// Recognises how work is to be done: "Keep commits small", "answer in German", "treat warnings as errors".
pub(super) fn is_manner(bare: &FoldedSentence<'_>) -> bool {
    if bare.starts_with_any(MANNER_OPENINGS) {
        return !bare.contains_any(PRESENT_MOMENT);
    }
    let speaks =
        ["answer", "reply", "respond", "talk", "write", "comment", "commit messages", "comments"];
    if bare.starts_with_any(&speaks) && bare.contains_any(LANGUAGES) {
        return true;
    }
    let is_unit =
        bare.starts_with_any(&["one", "at most", "max", "a single"]) && bare.contains("per");
    if is_unit && !bare.contains_any(OBSERVATIONS) {
        return true;
    }
    (bare.starts_with_any(&["keep", "be", "make", "leave"]) || bare.contains("let's keep"))
        && bare.contains_any(MANNERS)
        && !bare.contains_any(PRESENT_MOMENT)
        && !bare.starts_with_any(&["be right", "be back", "make sure", "keep going", "make it"])
}

/// Recognises conventions after a label: "Commit messages: lowercase, imperative".
pub(super) fn is_labelled_convention(bare: &FoldedSentence<'_>) -> bool {
    let labels = [
        "branch names ,",
        "comments ,",
        "commit message ,",
        "commit messages ,",
        "commit msgs ,",
        "commits ,",
        "docs ,",
        "errors ,",
        "logs ,",
        "naming ,",
        "rule ,",
        "rules ,",
        "style ,",
        "subjects ,",
        "tests ,",
        "units ,",
    ];
    bare.starts_with_any(&labels)
        && !bare.contains_any(OBSERVATIONS)
        && !bare.contains_any(&["green", "pass", "red"])
}

/// Recognises statements about all things of a kind: "Amounts are integers in cents", "every migration needs a down step",
/// "secrets must come from the vault".
pub(super) fn is_generic_statement(bare: &FoldedSentence<'_>) -> bool {
    let is_report = || {
        bare.starts_with_any(&[
            "i", "it", "that", "this", "these", "those", "they", "he", "she", "there", "what",
            "why", "how", "looks", "sounds", "tests", "things",
        ]) && !bare.contains_any(&["this repo", "this codebase", "this project"])
    };
    // Observations are many phrases, and most sentences are rejected before.
    !is_report() && states_rule(bare) && !bare.contains_any(OBSERVATIONS)
}

/// Returns whether a sentence has the form of a statement about all things of a kind.
fn states_rule(bare: &FoldedSentence<'_>) -> bool {
    let words: Vec<&str> = bare.words().collect();
    if words.len() < 3 {
        return false;
    }
    let quantified =
        ["all", "any", "each", "every", "everything", "anything", "nothing", "nobody", "no one"]
            .contains(&words[0]);
    let modal = [
        "must", "should", "needs", "need", "has to", "have to", "gets", "get", "is", "are", "goes",
        "go", "stays", "stay", "lives", "live",
    ];
    if quantified && bare.contains_any(&modal) {
        return !ends_in_state(&words);
    }
    let is_plural = is_bare_plural(&words);
    let is_obligation =
        || bare.contains_any(&["must", "should"]) && !bare.contains_any(EPISTEMIC_MODALS);
    if is_plural && is_obligation() {
        return true;
    }
    let has_verb = || {
        GENERIC_VERBS.iter().any(|verb| bare.contains(verb))
            || bare.contains_any(&["is", "goes", "lives", "stays", "gets", "uses"])
    };
    if words.len() < 4 {
        return false;
    }
    bare.contains_any(UNIVERSAL_SCOPES) && has_verb()
        || is_plural && !ends_in_state(&words) && !bare.contains_any(PRESENT_MOMENT)
}

/// Returns whether a sentence begins with a plural noun without a determiner and one of the generic verbs.
pub(super) fn is_bare_plural(words: &[&str]) -> bool {
    let verb = words.iter().take(5).position(|word| GENERIC_VERBS.contains(word));
    let Some(verb) = verb.filter(|verb| *verb >= 1) else { return false };
    let subject = words[verb - 1];
    let has_determiner = [
        "the", "my", "your", "his", "these", "those", "some", "both", "its", "what", "where",
        "when", "if", "so", "how", "which", "we", "you", "i", "they", ",",
    ];
    let is_plural = subject.len() > 2
        && subject.ends_with('s')
        && !subject.ends_with("ss")
        && !subject.ends_with("'s");
    is_plural && !words[..verb].iter().any(|word| has_determiner.contains(word))
}

fn ends_in_state(words: &[&str]) -> bool {
    let verb = words.iter().position(|word| ["are", "is"].contains(word));
    let predicate = verb.and_then(|verb| words.get(verb + 1));
    predicate.is_some_and(|word| {
        STATES.contains(word) || word.ends_with("ing") || *word == "not" && words.len() < 6
    }) || words
        .last()
        .is_some_and(|word| ["green", "passing", "pass", "done", "fine", "red"].contains(word))
}

/// Recognises reminders: "Remember that the API is versioned", "keep in mind …".
pub(super) fn is_reminder(full: &FoldedSentence<'_>) -> bool {
    let begins = full.starts_with_any(&[
        "remember that",
        "remember ,",
        "keep in mind",
        "bear in mind",
        "please remember",
        "important ,",
        "reminder ,",
        "rule ,",
        "and remember",
    ]);
    begins && full.words().count() >= 5 && !full.contains_any(PRESENT_MOMENT)
}
