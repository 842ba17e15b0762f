//! Recognises standing instructions: what a person wants done in the same way from then on, such as
//! "amounts are integers in cents, always" or "stop using unwrap".
//!
//! A request for one task ("run the tests now") and an observation ("the test always fails") are not
//! standing instructions. The rules look for a rule-like form, for example an imperative with `always`, a
//! prohibition, a preference or a generic statement, and reject forms that are typical for requests
//! and observations. No language model is involved.

use crate::phrase::FoldedSentence;
use crate::prose;

/// Words before the instruction proper.
const LEAD_INS: &[&str] = &[
    "actually",
    "again",
    "ah",
    "also",
    "and",
    "another thing",
    "anyway",
    "as i said",
    "as said",
    "btw",
    "but",
    "cool",
    "first off",
    "fyi",
    "good",
    "great",
    "hey",
    "heads up",
    "hm",
    "hmm",
    "important",
    "in general",
    "generally",
    "just",
    "last thing",
    "like i said",
    "nb",
    "nice",
    "note",
    "oh",
    "oh and",
    "ok",
    "okay",
    "one more thing",
    "one thing",
    "perfect",
    "please",
    "ps",
    "reminder",
    "right",
    "rule",
    "same thing",
    "side note",
    "small thing",
    "so",
    "sure",
    "thanks",
    "then",
    "two things",
    "well",
    "while you're at it",
    "yeah",
    "yep",
    "yes",
];

/// Phrases that announce a rule, wherever they stand.
const RULE_PHRASES: &[&str] = &[
    "as a rule",
    "ask first",
    "ask me before",
    "ask me first",
    "check with me",
    "clear it with me",
    "for all future",
    "from here on",
    "from now on",
    "from this point on",
    "going forward",
    "henceforth",
    "house rule",
    "house style",
    "i always want",
    "i never want",
    "in future",
    "in the future please",
    "moving forward",
    "must always",
    "must never",
    "must not",
    "mustn't",
    "no exceptions",
    "our convention",
    "our policy",
    "please always",
    "please never",
    "policy is",
    "run it by me",
    "should always",
    "should never",
    "the convention is",
    "the rule is",
    "we always",
    "we don't do",
    "we never",
    "we only",
    "you can stop",
    "ab jetzt",
    "ab sofort",
    "bitte immer",
    "bitte nie",
    "à partir de maintenant",
    "désormais",
    "a partir de ahora",
    "de ahora en adelante",
];

/// Beginnings of a preference.
const PREFERENCE_PHRASES: &[&str] = &[
    "i don't want",
    "i don't like",
    "i hate",
    "i like it when",
    "i prefer",
    "i would prefer",
    "i would rather",
    "i'd prefer",
    "i'd rather",
    "my preference",
    "we prefer",
    "prefer",
];

/// Verbs that begin an imperative in instructions to a coding agent.
const IMPERATIVES: &[&str] = &[
    "add", "answer", "assume", "avoid", "be", "bump", "call", "cite", "commit", "create", "do",
    "document", "explain", "follow", "format", "give", "include", "keep", "leave", "limit", "log",
    "maintain", "make", "mark", "mention", "merge", "name", "open", "pin", "prefix", "provide",
    "push", "put", "quote", "rebase", "remember", "reply", "respect", "respond", "return", "round",
    "run", "set", "show", "sign", "split", "squash", "stick", "store", "tag", "talk", "test",
    "treat", "update", "use", "validate", "wrap", "write",
];

/// Quantifiers that make an imperative a rule.
const GENERIC_QUANTIFIERS: &[&str] = &[
    "after each",
    "after every",
    "all the time",
    "any time",
    "anytime",
    "at all times",
    "before any",
    "before committing",
    "before deploying",
    "before each",
    "before every",
    "before merging",
    "before pushing",
    "before you commit",
    "before you merge",
    "before you push",
    "each time",
    "every time",
    "everywhere",
    "for any",
    "for each",
    "for every",
    "in all",
    "in any",
    "in each",
    "in every",
    "on each",
    "on every",
    "per commit",
    "whenever",
    "with each",
    "with every",
    "by default",
    "ever again",
    "ever",
    "unless i",
    "until i",
    "unless we",
    "without asking",
];

/// Negative commands that are not about the work.
const IDLE_PROHIBITIONS: &[&str] = &[
    "bother",
    "care",
    "forget",
    "get me wrong",
    "go away",
    "know",
    "mind",
    "panic",
    "see",
    "think",
    "understand",
    "worry",
    "sweat",
    "remember",
    "have",
    "stop",
];

/// Words after which a prohibition concerns only the present moment.
const PRESENT_MOMENT: &[&str] = &[
    "anymore for now",
    "at this point",
    "for now",
    "for the moment",
    "just yet",
    "now",
    "right now",
    "this time",
    "today",
    "tonight",
    "yet",
];

/// Words after a leading "no" that make it a reply.
const NO_REPLIES: &[&str] = &[
    ",", "biggie", "but", "clue", "can", "do", "doubt", "dice", "go", "hurry", "i", "idea", "i'm",
    "it", "it's", "just", "keep", "let's", "longer", "luck", "matter", "need", "not", "one",
    "problem", "problems", "real", "reason", "rush", "sorry", "stop", "that", "that's", "thanks",
    "the", "there", "there's", "they", "this", "use", "wait", "way", "we", "wonder", "worries",
    "you", "leave", "don't", "please", "thank", "he", "she", "my", "is", "was", "in", "on",
];

/// Words of observations: a sentence with one of them reports, and rules nothing.
const OBSERVATIONS: &[&str] = &[
    "almost always",
    "breaks",
    "broke",
    "broken",
    "comes back",
    "crashed",
    "crashes",
    "didn't",
    "does that",
    "fail",
    "failed",
    "failing",
    "fails",
    "flaky",
    "forget",
    "forgets",
    "had",
    "hangs",
    "happened",
    "happening",
    "it happens",
    "that happens",
    "has been",
    "have been",
    "never mind",
    "never seen",
    "never worked",
    "seems",
    "takes",
    "timed out",
    "times out",
    "used to",
    "was",
    "wasn't",
    "were",
    "works",
    "wrong",
];

/// Words of considerations and jokes.
const HEDGES: &[&str] = &[
    "could just",
    "could we",
    "haha",
    "hypothetically",
    "i guess",
    "i wonder",
    "jk",
    "kidding",
    "lol",
    "maybe",
    "might",
    "not sure",
    "perhaps",
    "what if",
    "would it",
    "should we",
    "they said",
    "he said",
    "she said",
    "wondering",
];

/// Words that a plural statement ends in when it reports a state: "tests are green".
const STATES: &[&str] = &[
    "back",
    "broken",
    "correct",
    "done",
    "down",
    "empty",
    "fine",
    "flaky",
    "gone",
    "good",
    "great",
    "green",
    "in",
    "merged",
    "missing",
    "ok",
    "okay",
    "off",
    "out",
    "ready",
    "red",
    "slow",
    "still",
    "stuck",
    "there",
    "unrelated",
    "up",
    "weird",
    "wrong",
    "identical",
    "different",
    "the",
    "from",
    "already",
    "now",
    "both",
    "just",
    "also",
    "here",
    "that",
    "those",
];

/// Verbs of a generic statement with a plural subject: "amounts are integers".
const GENERIC_VERBS: &[&str] = &[
    "are", "belong", "get", "go", "have to", "live", "must", "need", "need to", "should", "stay",
    "use",
];

/// Marks at which a question follows a statement: "I prefer tabs, can you reformat it?"
const QUESTION_BEGINNINGS: &[&str] = &[
    ", can you",
    ", could you",
    ", do you",
    ", how can",
    ", how could",
    ", how do",
    ", how should",
    ", should i",
    ", so can",
    ", so could",
    ", so how",
    ", what",
    ", which",
    ", would you",
    ", but i'm",
    ", and i'm",
    " - can you",
    " so can you",
];

/// Words that make a polite request a rule: "can you always sign commits?"
const GENERIC_WORDS: &[&str] =
    &["always", "each", "every", "from now on", "going forward", "never", "stop"];

/// A longer sentence that begins with "no" explains something.
const MAX_BAN_WORDS: usize = 24;

/// Shortest and longest instruction, in words.
const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 60;

/// Returns the sentences of a text that are standing instructions. Of a question that begins with an
/// instruction, only the instruction is returned.
pub fn standing_instructions(text: &str) -> Vec<&str> {
    let lines = text.lines().flat_map(prose::split_sentences);
    lines.map(statement_of).filter(|sentence| is_standing_instruction(sentence)).collect()
}

/// Returns whether a sentence is a standing instruction.
pub fn is_standing_instruction(sentence: &str) -> bool {
    let full = FoldedSentence::new(sentence);
    let word_count = full.words().filter(|word| *word != ",").count();
    if !(MIN_WORDS..=MAX_WORDS).contains(&word_count) || full.contains_any(HEDGES) {
        return false;
    }
    if prose::is_question(sentence) {
        let bare = full.without_lead_ins(LEAD_INS);
        return is_polite_request(&bare) && bare.contains_any(GENERIC_WORDS);
    }
    let is_rule = |clause: &FoldedSentence| {
        let clause = clause.without_lead_ins(LEAD_INS);
        is_prohibition(&clause)
            || is_preference(&clause)
            || is_quantified_imperative(&clause)
            || is_contrast(&clause)
            || is_manner(&clause)
            || is_labelled_convention(&clause)
            || is_generic_statement(&clause)
    };
    full.contains_any(RULE_PHRASES) && !is_personal_history(&full)
        || full.clauses().iter().any(is_rule)
        || is_reminder(&full)
}

/// Returns the part of a sentence before the question that it ends in.
pub(crate) fn statement_of(sentence: &str) -> &str {
    if !prose::is_question(sentence) {
        return sentence;
    }
    let lower = sentence.to_ascii_lowercase();
    let question = QUESTION_BEGINNINGS.iter().filter_map(|beginning| lower.find(beginning)).min();
    question.map_or(sentence, |at| &sentence[..at])
}

fn is_polite_request(bare: &FoldedSentence) -> bool {
    bare.starts_with_any(&[
        "can you",
        "can we",
        "could you",
        "would you",
        "will you",
        "may i ask you",
    ])
}

/// "We never had that": a report with the words of a rule.
fn is_personal_history(bare: &FoldedSentence) -> bool {
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

/// "Don't use floats", "stop adding comments", "no new dependencies", "avoid globals".
fn is_prohibition(bare: &FoldedSentence) -> bool {
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
fn has_condition(bare: &FoldedSentence) -> bool {
    bare.contains_any(&["before", "until", "till", "unless", "without", "while"])
}

/// "I prefer tabs", "I'd rather you ask".
fn is_preference(bare: &FoldedSentence) -> bool {
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

/// "Run clippy before every commit", "always squash", "only merge after review".
fn is_quantified_imperative(bare: &FoldedSentence) -> bool {
    let is_always = bare.starts_with_any(&[
        "always",
        "never",
        "only",
        "make it a habit",
        "every time",
        "whenever",
        "any time",
        "anytime",
        "each time",
        "before every",
        "before each",
        "after every",
        "after each",
        "before you commit",
        "before committing",
        "before merging",
        "before pushing",
    ]);
    let after_only = bare.strip_prefix("only").and_then(|rest| rest.split_whitespace().next());
    if after_only.is_some_and(|verb| verb.ends_with('s') && !verb.ends_with("ss")) {
        return false;
    }
    if is_always {
        return !bare.contains_any(&[
            "was",
            "were",
            "had",
            "only one",
            "only the",
            "only a few",
            "only thing",
            "only if you",
            "never mind",
            "only works",
            "only happens",
            "only fails",
        ]);
    }
    let is_imperative = bare.starts_with_any(IMPERATIVES)
        || bare.contains_any(&[
            "make sure",
            "you should",
            "you need to",
            "you have to",
            "i want",
            "i need",
            "we need",
            "has to",
            "have to",
            "needs to",
            "must",
            "should",
        ]);
    if is_conditional_instruction(bare) {
        return true;
    }
    let is_generic =
        bare.contains_any(GENERIC_QUANTIFIERS) || bare.contains_any(&["always", "never"]);
    is_imperative && is_generic && !bare.contains_any(OBSERVATIONS)
}

/// "When it's about caching you can explain more", "prod only after Jonas has signed off".
fn is_conditional_instruction(bare: &FoldedSentence) -> bool {
    let is_condition = bare.starts_with_any(&[
        "when it's about",
        "when it comes to",
        "when you",
        "if you",
        "when there's",
        "for anything",
        "for everything",
    ]);
    let instructs = bare.contains_any(&[
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
    ]);
    let is_restriction = bare.contains_any(&[
        "only after",
        "only once",
        "only when",
        "only with",
        "not before",
        "not until",
        "not without",
        "only for",
    ]);
    (is_condition && instructs
        || is_restriction
            && !bare.starts_with_any(&["it", "that", "this", "happens", "fails", "works"]))
        && !bare.contains_any(OBSERVATIONS)
}

/// "Use rg, not grep", "tabs not spaces".
fn is_contrast(bare: &FoldedSentence) -> bool {
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

/// "Keep commits small", "answer in German", "stick to the standard library", "treat warnings as errors".
fn is_manner(bare: &FoldedSentence) -> bool {
    if bare.starts_with_any(&[
        "stick to",
        "stick with",
        "treat",
        "follow the",
        "use only",
        "only use",
        "use british",
        "use american",
        "assume",
    ]) {
        return !bare.contains_any(PRESENT_MOMENT);
    }
    let speaks =
        ["answer", "reply", "respond", "talk", "write", "comment", "commit messages", "comments"];
    if bare.starts_with_any(&speaks)
        && bare.contains_any(&[
            "in english",
            "in german",
            "in french",
            "in spanish",
            "in british english",
            "in american english",
            "in the imperative",
            "in present tense",
        ])
    {
        return true;
    }
    let is_unit =
        bare.starts_with_any(&["one", "at most", "max", "a single"]) && bare.contains("per");
    if is_unit && !bare.contains_any(OBSERVATIONS) {
        return true;
    }
    let manners = [
        "small",
        "short",
        "simple",
        "minimal",
        "tiny",
        "under",
        "below",
        "consistent",
        "separate",
        "out of",
        "in sync",
        "to a minimum",
        "clean",
        "pure",
        "sorted",
        "focused",
        "compatible",
        "backwards compatible",
        "brief",
        "stable",
        "atomic",
        "flat",
        "at most",
        "max",
        "lean",
        "tight",
        "boring",
        "dumb",
        "readable",
    ];
    (bare.starts_with_any(&["keep", "be", "make", "leave"]) || bare.contains("let's keep"))
        && bare.contains_any(&manners)
        && !bare.contains_any(PRESENT_MOMENT)
        && !bare.starts_with_any(&["be right", "be back", "make sure", "keep going", "make it"])
}

/// "Commit messages: lowercase, imperative".
fn is_labelled_convention(bare: &FoldedSentence) -> bool {
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

/// "Amounts are integers in cents", "every migration needs a down step", "secrets must come from the vault".
fn is_generic_statement(bare: &FoldedSentence) -> bool {
    if bare.contains_any(OBSERVATIONS)
        || bare.starts_with_any(&[
            "i", "it", "that", "this", "these", "those", "they", "he", "she", "there", "what",
            "why", "how", "looks", "sounds", "tests", "things",
        ]) && !bare.contains_any(&["this repo", "this codebase", "this project"])
    {
        return false;
    }
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
    let epistemic = [
        "must have",
        "must be the",
        "must be a",
        "must be because",
        "must be something",
        "must be why",
        "should be fine",
        "should be ok",
        "should work",
        "should be good",
        "should i",
        "should we",
        "should do it",
        "should be enough",
        "should be done",
        "should be there",
        "should be in",
    ];
    let is_obligation = bare.contains_any(&["must", "should"]) && !bare.contains_any(&epistemic);
    if is_obligation && is_bare_plural(&words) {
        return true;
    }
    let everywhere = [
        "always",
        "everywhere",
        "by convention",
        "period",
        "full stop",
        "across the board",
        "in this repo",
        "in this codebase",
        "in this project",
        "around here",
        "on this team",
    ];
    let ends_generic = bare.contains_any(&everywhere);
    let verb = GENERIC_VERBS.iter().any(|verb| bare.contains(verb))
        || bare.contains_any(&["is", "goes", "lives", "stays", "gets", "uses"]);
    if ends_generic && verb && words.len() >= 4 {
        return true;
    }
    is_bare_plural(&words)
        && words.len() >= 4
        && !ends_in_state(&words)
        && !bare.contains_any(PRESENT_MOMENT)
}

/// Returns whether a sentence begins with a plural noun without a determiner and one of the generic verbs.
fn is_bare_plural(words: &[&str]) -> bool {
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

/// "Remember that the API is versioned", "keep in mind …".
fn is_reminder(full: &FoldedSentence) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_instructions_are_recognised() {
        for sentence in [
            "amounts are integers in cents, always",
            "stop using unwrap",
            "and dont deploy before we know why",
            "pls keep commits small",
            "I'd rather you ask before you rename things.",
            "use rg, not grep",
            "no mocks in the integration tests",
            "from now on the changelog comes first",
            "run clippy before every commit",
            "we never log a token",
            "Every migration needs a way back.",
            "prod only after Mira has signed off",
            "hands off vendor/",
            "commit messages: imperative, lower case",
            "Can you always show the query first?",
            "Treat warnings as errors.",
            "one topic per commit",
        ] {
            assert!(is_standing_instruction(sentence), "{sentence}");
        }
    }

    #[test]
    fn requests_observations_and_jokes_are_not_standing_instructions() {
        for sentence in [
            "run the tests now",
            "the test always fails on CI",
            "it never worked on my machine",
            "never mind",
            "no problem",
            "no idea why",
            "dont worry about it",
            "dont commit yet",
            "we could just drop the table lol",
            "should we always retry?",
            "tests are green",
            "all tests pass",
            "thanks, that was quick",
            "what does it do?",
        ] {
            assert!(!is_standing_instruction(sentence), "{sentence}");
        }
    }

    #[test]
    fn an_instruction_is_separated_from_the_question_after_it() {
        assert_eq!(
            standing_instructions("I prefer plain SQL, can you rewrite the query?\nThanks!"),
            ["I prefer plain SQL"]
        );
    }
}
