//! Recognises the preferences that a sentence of the user states, also in passing.

use crate::phrase::FoldedSentence;
use crate::prose;

/// A longer sentence is reduced to the clause that states the preference, in words.
const MAX_SENTENCE_WORDS: usize = 25;

/// A preference: the part of the sentence that states it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Preference<'s> {
    pub(super) text: &'s str,
    pub(super) confidence: f64,
    pub(super) reason: &'static str,
}

/// Phrases of one way to state a preference.
struct Form {
    phrases: &'static [&'static str],
    confidence: f64,
    reason: &'static str,
}

/// The ways to state a preference, the clearest first.
const FORMS: &[Form] = &[
    Form {
        phrases: &[
            "i prefer",
            "i'd prefer",
            "i would prefer",
            "we prefer",
            "i'd rather",
            "i would rather",
            "we'd rather",
            "i much prefer",
            "i really prefer",
            "i generally prefer",
            "i usually prefer",
            "i always prefer",
            "i still prefer",
            "i also prefer",
        ],
        confidence: 0.85,
        reason: "states a preference",
    },
    Form {
        phrases: &[
            "my preference",
            "our preference",
            "my preferences",
            "my personal preference",
            "the preference for",
            "this preference",
            "i'm partial to",
            "my preferred",
        ],
        confidence: 0.75,
        reason: "names a preference",
    },
    Form {
        phrases: &[
            "i like it when",
            "i like my",
            "i hate",
            "i don't like",
            "i can't stand",
            "i dislike",
            "i'm not a fan of",
            "not a big fan of",
            "i'm not fond of",
            "i favor",
            "i favour",
            "works best for me",
            "i work best",
            "i learn best",
            "i'm most comfortable",
            "i'm more comfortable",
            "i'm a visual learner",
            "i find it easier",
            "i find it easiest",
            "i like having",
            "i like keeping",
            "i like using",
            "i like seeing",
            "i don't want any",
        ],
        confidence: 0.75,
        reason: "says what the user likes",
    },
    Form {
        phrases: &[
            "i prioritize",
            "i prioritise",
            "i'm someone who",
            "i've always been someone who",
            "i'm all about",
            "i tend to",
            "i always try to",
            "i usually like",
            "i value",
            "i make a point of",
            "my approach is",
            "my rule is",
            "my style is",
        ],
        confidence: 0.65,
        reason: "tells a habit",
    },
];

/// Phrases before a preference that make it a supposition or a report of another person.
const SUPPOSITIONS: &[&str] = &[
    "if i prefer",
    "whether i prefer",
    "if i'd prefer",
    "do i prefer",
    "should i prefer",
    "why i prefer",
    "i'd prefer not to say",
    "i'd rather not say",
    "i hate to",
    "i hate that",
    "i hate when",
    "i tend to forget",
    "i tend to get",
    "i tend to make",
    "i tend to struggle",
    "i tend to overthink",
    "i tend to procrastinate",
    "i tend to feel",
];

/// First words of questions about a preference.
const QUESTION_WORDS: &[&str] = &[
    "am", "are", "did", "do", "does", "is", "should", "was", "what", "when", "where", "which",
    "who", "why", "would", "will", "so why", "but why",
];

/// Intentions that a limit or an exclusion belongs to.
const INTENTIONS: &[&str] = &[
    "i'm trying to",
    "i am trying to",
    "i'm looking to",
    "i'm aiming to",
    "i aim to",
    "i want to",
    "i'd like to",
    "i would like to",
    "i need to",
    "we want to",
    "we need to",
    "i'm working on",
    "we're trying to",
    "how to",
    "how do i",
    "how can i",
    "i plan to",
    "i intend to",
];

/// Verbs with which a lasting limit is stated.
const KEEPING: &[&str] =
    &["to keep", "keep", "to stay", "stay", "to limit", "limit", "remain", "to remain"];

/// Limits and qualities that are kept.
const KEPT: &[&str] = &[
    "at most",
    "below",
    "clean",
    "compact",
    "concise",
    "consistent",
    "dependency-free",
    "easy to",
    "free of",
    "lean",
    "light",
    "lightweight",
    "maintainable",
    "minimal",
    "minimalist",
    "modular",
    "no more than",
    "readable",
    "separate",
    "short",
    "simple",
    "small",
    "under",
    "within",
];

/// Objects of "keep" that are no work: "keep getting the error".
const IDLE_KEEPING: &[&str] = &[
    "keep getting",
    "keep seeing",
    "keep in mind",
    "keep an eye",
    "keep up",
    "keep going",
    "keep having",
    "keep this",
    "keep running",
    "keep track",
    "keep hearing",
    "keep making",
    "keep failing",
    "keep forgetting",
    "keep it up",
    "stay on track",
    "stay motivated",
    "stay focused",
    "stay organized",
    "stay organised",
    "stay updated",
    "stay calm",
];

/// Phrases that exclude a tool or a manner.
const EXCLUSIONS: &[&str] = &[
    "without adding",
    "without any additional",
    "without any external",
    "without any extra",
    "without any third-party",
    "without attaching",
    "without external",
    "without heavy",
    "without installing",
    "without relying on",
    "without third-party",
    "without using",
    "without unnecessary",
    "without too many",
    "without too much",
    "avoiding unnecessary",
    "avoid unnecessary",
    "avoid using",
];

/// Phrases that choose one tool or manner over another.
const CONTRASTS: &[&str] = &["instead of", "rather than", "as opposed to"];

/// Verbs before a contrast of tools or manners: "using vanilla JS instead of jQuery".
const MANNER_VERBS: &[&str] = &["using", "by using", "with"];

/// Words of a decision about one occasion, of a report or of a doubt.
const ONE_OCCASION: &[&str] = &[
    "i made a mistake",
    "by mistake",
    "wondering",
    "i chose",
    "i decided",
    "was that",
    "decision",
    "i tried",
    "i was",
    "i had",
    "i did",
    "i used",
    "worried",
    "should i",
    "what if",
];

/// Marks at which another clause begins, after which nothing belongs to the preference.
const CLAUSE_ENDS: &[&str] = &[
    ", but ",
    ", so ",
    ", and i ",
    ", and i'",
    ", can you",
    ", could you",
    ", considering",
    ", given ",
    ", how ",
    ", what ",
    ", like i mentioned",
    ", which is why",
    " - can you",
    "; ",
    ", and we ",
    ", or i ",
];

/// Marks after which the clause of a preference begins.
const CLAUSE_STARTS: &[&str] =
    &[", so ", ", and ", ", but ", "; ", " - ", ", ", " because ", " and ", " so ", " but "];

/// Subjects with which a clause of its own begins.
const SUBJECTS: &[&str] =
    &["i ", "i'd ", "i'm ", "i've ", "i'll ", "we ", "we'd ", "we're ", "my "];

/// Returns the preference that a sentence states.
pub(super) fn find(sentence: &str) -> Option<Preference<'_>> {
    let folded = FoldedSentence::new(sentence);
    let asks = prose::is_question(sentence) && folded.starts_with_any(QUESTION_WORDS);
    if asks || folded.contains_any(SUPPOSITIONS) {
        return None;
    }
    for form in FORMS {
        let is_stated = |phrase: &&&str| states(&folded, phrase);
        if let Some(phrase) = form.phrases.iter().find(is_stated) {
            let text = shorten(sentence, phrase);
            let Form { confidence, reason, .. } = *form;
            return Some(Preference { text, confidence, reason });
        }
    }
    if prose::is_question(sentence) || folded.contains_any(ONE_OCCASION) {
        return None;
    }
    let is_limit = folded.contains_any(INTENTIONS)
        && folded.contains_any(KEEPING)
        && folded.contains_any(KEPT)
        && !folded.contains_any(IDLE_KEEPING);
    if is_limit {
        let text = shorten(sentence, "keep");
        return Some(Preference { text, confidence: 0.6, reason: "states a lasting limit" });
    }
    let excludes = folded.contains_any(INTENTIONS);
    let exclusion = EXCLUSIONS.iter().find(|phrase| folded.contains(phrase));
    if let Some(phrase) = exclusion.filter(|_| excludes) {
        let text = shorten(sentence, phrase);
        return Some(Preference { text, confidence: 0.55, reason: "excludes a way to do it" });
    }
    let contrast = CONTRASTS.iter().find(|phrase| folded.contains(phrase));
    let contrast = contrast.filter(|_| excludes && folded.contains_any(MANNER_VERBS));
    contrast.map(|phrase| {
        let text = shorten(sentence, phrase);
        Preference { text, confidence: 0.55, reason: "chooses one way over another" }
    })
}

/// Words before a phrase that make it a question, a supposition or a request.
const OPEN_WORDS: &[&str] = &[
    "because", "can", "could", "do", "how", "if", "should", "that", "what", "when", "whether",
    "why", "would",
];

/// Returns whether a sentence contains a phrase, and not as a question or a supposition: "how can I prioritize".
fn states(sentence: &FoldedSentence<'_>, phrase: &str) -> bool {
    let words: Vec<&str> = sentence.words().collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let places = words.windows(phrase.len()).enumerate().filter(|(_, part)| *part == phrase);
    places.map(|(at, _)| at).any(|at| at == 0 || !OPEN_WORDS.contains(&words[at - 1]))
}

/// Reduces a long sentence to the clause that contains a phrase.
fn shorten<'s>(sentence: &'s str, phrase: &str) -> &'s str {
    if sentence.split_whitespace().count() <= MAX_SENTENCE_WORDS {
        return sentence;
    }
    // Lower case of ASCII keeps the positions of bytes.
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    if lower.len() != sentence.len() {
        return shorten_at(sentence, &sentence.to_ascii_lowercase(), phrase);
    }
    shorten_at(sentence, &lower, phrase)
}

fn shorten_at<'s>(sentence: &'s str, lower: &str, phrase: &str) -> &'s str {
    let Some(at) = lower.find(phrase) else { return sentence };
    // The clause has a subject; what stands before it would be cut otherwise.
    let begins = |start: &usize| {
        *start == at && SUBJECTS.iter().any(|subject| phrase.starts_with(subject.trim_end()))
            || SUBJECTS.iter().any(|subject| lower[*start..].starts_with(subject))
    };
    let starts = CLAUSE_STARTS
        .iter()
        .flat_map(|mark| lower[..at].match_indices(mark).map(|(before, mark)| before + mark.len()));
    let start = starts.filter(begins).max().unwrap_or(0);
    let end = CLAUSE_ENDS.iter().filter_map(|mark| lower[at..].find(mark)).min();
    let end = end.map_or(sentence.len(), |end| at + end);
    sentence[start..end].trim()
}
