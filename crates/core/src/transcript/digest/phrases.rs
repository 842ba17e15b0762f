//! Phrases that mark decisions, findings, open items and requests in sentences and headings.
//!
//! The digest prefers the structure of the transcript: who replied to which message, which options were
//! numbered, which tool call failed. Phrases classify what has no structure.

use crate::phrase::FoldedSentence;
use crate::prose;

/// Phrases that state a decision, whoever speaks.
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
const AGENT_INTENTIONS: &[&str] = &[
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
const PROPOSALS: &[&str] = &[
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

/// Phrases that state a cause.
const CAUSES: &[&str] = &[
    "boils down to",
    "caused by",
    "cause is",
    "cause was",
    "cause of",
    "comes from",
    "come from",
    "came from",
    "culprit",
    "due to",
    "explains why",
    "found it",
    "found the bug",
    "found the cause",
    "found the problem",
    "found the reason",
    "is because",
    "it was because",
    "it turned out",
    "it turns out",
    "reason is",
    "reason was",
    "simple reason",
    "the reason",
    "real reason",
    "real cause",
    "root cause",
    "that's why",
    "the bug is",
    "the bug was",
    "the issue is",
    "the issue was",
    "the leak is",
    "the problem is",
    "the problem was",
    "this is why",
    "to blame",
    "traced it to",
    "traced to",
    "turned out",
    "turns out",
    "was because",
    "happens because",
    "fails because",
    "failed because",
    "broke because",
    "responsible for",
    "triggered by",
    "that is a second",
    "stems from",
    "is why",
    "die ursache",
    "liegt daran",
    "la cause",
    "la causa",
];

/// Phrases that state a fix.
const FIXES: &[&str] = &[
    "fix",
    "fixed",
    "fixes",
    "is gone",
    "are gone",
    "no longer",
    "now deletes",
    "now fails",
    "now has",
    "now passes",
    "now reads",
    "now returns",
    "now runs",
    "now selects",
    "now sends",
    "now takes",
    "now uses",
    "now use",
    "now send",
    "now writes",
    "resolved by",
    "solved by",
    "solved",
    "resolved",
    "worked around",
    "workaround",
    "replaced",
    "behoben",
    "corrigé",
    "done in",
    "committed as",
    "mended",
];

/// Words of a hypothesis.
const HYPOTHESES: &[&str] = &[
    "could be",
    "first guess",
    "first thought",
    "guess",
    "hypothesis",
    "i assume",
    "i believe",
    "i suspect",
    "i think",
    "i wonder",
    "may be",
    "maybe",
    "might",
    "my guess",
    "next suspicion",
    "one possibility",
    "perhaps",
    "possibly",
    "probably",
    "seems",
    "suspect",
    "suspicion",
    "theory",
    "to check",
    "would check",
    "first suspicion",
    "next suspect",
    "likely",
];

/// Phrases that refute an earlier hypothesis.
const REFUTATIONS: &[&str] = &[
    "guess was wrong",
    "has nothing to do",
    "i was wrong",
    "innocent",
    "is fine",
    "is not it",
    "isn't it",
    "isn't the cause",
    "isn't the problem",
    "isn't what happened",
    "not the cause",
    "not the culprit",
    "not the problem",
    "not the reason",
    "nothing to do with",
    "red herring",
    "refutes",
    "ruled out",
    "rules out",
    "that was wrong",
    "was a dead end",
    "was wrong",
    "wasn't it",
    "wasn't the cause",
    "wasn't the problem",
    "wrong track",
    "just the same",
    "false lead",
    "it isn't",
    "it's not the",
];

/// Phrases that ask for a cause.
const WHY_QUESTIONS: &[&str] = &[
    "any idea",
    "find out",
    "figure out",
    "how come",
    "what happened",
    "what is going on",
    "what's causing",
    "what's going on",
    "whats going on",
    "what's wrong",
    "where does",
    "why",
    "look into",
    "track down",
    "debug",
    "what causes",
    "warum",
    "pourquoi",
];

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
    "still red",
    "unable to",
    "unresolved",
    "wait for",
    "waiting for",
    "waiting on",
    "waits for",
    "not started",
    "not done",
    "still missing",
    "still open",
    "blockiert",
    "warte auf",
    "bloqué",
    "bloqueado",
];

/// Phrases that put work off.
const DEFERRALS: &[&str] = &[
    "another day",
    "at some point",
    "before we merge",
    "before we release",
    "before we ship",
    "before the release",
    "come back to",
    "don't forget",
    "don't start",
    "eventually",
    "follow up",
    "follow-up",
    "for later",
    "has to wait",
    "have to wait",
    "in a separate",
    "in december",
    "in january",
    "later",
    "later this week",
    "left for later",
    "next sprint",
    "next week",
    "not now",
    "not today",
    "not urgent",
    "not yet",
    "on the list",
    "on the todo",
    "one day",
    "remind me",
    "separate pr",
    "separately",
    "some day",
    "sometime",
    "someday",
    "still missing",
    "still need",
    "still needs",
    "still to do",
    "still have to",
    "todo",
    "to do list",
    "tomorrow",
    "when you have time",
    "when there's time",
    "next time",
    "after the release",
    "parked",
    "park that",
    "backlog",
    "until then",
    "on monday",
    "on tuesday",
    "on wednesday",
    "on thursday",
    "on friday",
    "have not tried",
    "haven't tried",
    "not fixed",
    "not implemented",
    "später",
    "morgen",
    "plus tard",
    "más tarde",
];

/// Phrases of a test that fails.
const FAILURES: &[&str] = &[
    "is failing",
    "is red",
    "still fails",
    "still failing",
    "fails",
    "still red",
    "red test",
    "is broken",
    "are failing",
];

/// Phrases that report completed work.
const COMPLETIONS: &[&str] = &[
    "passes",
    "pass",
    "is in",
    "are in",
    "done",
    "fixed",
    "green",
    "committed",
    "added",
    "implemented",
    "wrote",
    "works",
    "is there",
    "removed",
    "landed",
    "finished",
    "is through",
    "merged",
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
    "left",
    "left to do",
    "next steps",
    "not done",
    "open",
    "outstanding",
    "questions",
    "remaining",
    "still to do",
    "still open",
    "to do",
    "todo",
    "unresolved",
    "what's left",
    "offen",
    "nächste schritte",
];

/// Shortest follow-up of the user that counts as a request, in words.
const MIN_REQUEST_WORDS: usize = 4;

/// The same for a text that begins with assent, such as "yes".
const MIN_REQUEST_WORDS_AFTER_ASSENT: usize = 10;

/// The same for a text that follows a question of the agent, and is probably its answer.
const MIN_REQUEST_WORDS_AFTER_QUESTION: usize = 20;

/// A longer sentence is more than assent, in words.
const MAX_ASSENT_WORDS: usize = 6;

/// Longer headings are sentences and classify nothing.
const MAX_HEADING_CHARS: usize = 80;

/// Length of the abbreviated hash of a commit, in characters.
const COMMIT_HASH_CHARS: std::ops::RangeInclusive<usize> = 7..=12;

/// The first character of the scripts that put no spaces between words.
const FIRST_CJK_CHAR: char = '\u{2e80}';

/// Returns whether a sentence states a decision.
pub(super) fn is_decision(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_contrast = || folded.contains_any(CONTRAST_PHRASES) && folded.contains_any(CHOICE_WORDS);
    let states_decision = folded.contains_any(DECISION_PHRASES)
        || is_contrast()
        || has_label(sentence, &["decision", "decided"]);
    states_decision && !prose::is_question(sentence) && !folded.contains_any(HEDGES)
}

/// Returns whether a sentence of the user states a decision.
pub(super) fn is_user_decision(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let decides = folded.contains_any(USER_DECISION_PHRASES)
        && !prose::is_question(sentence)
        && !folded.contains_any(HEDGES);
    decides || is_decision(sentence)
}

/// Returns whether a sentence of the agent states a decision: an announcement with its reason counts.
pub(super) fn is_agent_decision(sentence: &str) -> bool {
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
pub(super) fn is_step(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(STEPS)
}

/// Returns whether a sentence of the agent proposes something.
pub(super) fn is_proposal(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(PROPOSALS)
}

/// Returns whether a question of the agent only offers to do the next step.
pub(super) fn is_task_offer(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(TASK_OFFERS)
}

/// Returns whether a sentence of the user accepts a proposal.
pub(super) fn is_assent(sentence: &str) -> bool {
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
pub(super) fn is_refusal(sentence: &str) -> bool {
    FoldedSentence::new(sentence).starts_with_any(REFUSALS)
}

/// Returns whether a sentence of the user says what not to use: "not tesla!"
pub(super) fn is_ban(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.starts_with_any(&["not", "never", "don't", "stop"]) && folded.words().count() > 1
}

/// Returns whether a sentence of the user turns to something else.
pub(super) fn changes_subject(sentence: &str) -> bool {
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
pub(super) fn names_alternative(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(&["instead", "use"])
}

/// Returns whether a sentence of the user changes an earlier choice.
pub(super) fn is_change_of_choice(sentence: &str) -> bool {
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
pub(super) fn is_joke(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(&[
        "haha",
        "hahaha",
        "jk",
        "just kidding",
        "kidding",
        "lol",
    ])
}

/// Returns whether a sentence states a cause that was found.
pub(super) fn is_cause(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let explains = folded.contains("because")
        && !folded.contains_any(AGENT_INTENTIONS)
        && !folded.contains_any(PROPOSALS);
    (explains || folded.contains_any(CAUSES))
        && !is_hypothesis(sentence)
        && !prose::is_question(sentence)
}

/// Returns whether a sentence reports a fix.
pub(super) fn is_fix(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_report = folded.contains_any(FIXES)
        || names_commit(sentence)
        || names_pull_request(&folded)
        || reports_measurement(&folded);
    let is_plan = folded.contains_any(&[
        "i'd",
        "i would",
        "could",
        "should",
        "not fixed",
        "to fix",
        "ways to fix",
        "no fix",
        "how i could fix",
        "shall i",
        "can fix",
    ]);
    is_report && !is_plan && !is_hypothesis(sentence) && !prose::is_question(sentence)
}

/// Returns whether a sentence names a commit by its abbreviated hash.
fn names_commit(sentence: &str) -> bool {
    sentence.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        COMMIT_HASH_CHARS.contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_lowercase())
    })
}

/// Returns whether a sentence names a pull request: "PR #213".
fn names_pull_request(folded: &FoldedSentence) -> bool {
    let words: Vec<&str> = folded.words().collect();
    words.windows(2).any(|pair| matches!(pair[0], "pr" | "mr" | "prs") && pair[1].starts_with('#'))
}

/// Returns whether a sentence reports a change of a number: "from 3385 to 470 ms", "passes 200 of 200 runs".
fn reports_measurement(folded: &FoldedSentence) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = folded.words().collect();
    let number_after = |at: usize| words[at + 1..].iter().take(2).any(|word| is_number(word));
    let has_number_after =
        |name: &str| words.iter().enumerate().any(|(at, word)| *word == name && number_after(at));
    let is_change =
        has_number_after("from") && has_number_after("to") || has_number_after("instead of");
    is_change || folded.contains_any(&["passes", "pass"]) && has_number_after("of")
}

/// Returns whether a sentence states a hypothesis.
pub(super) fn is_hypothesis(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(HYPOTHESES)
}

/// Returns whether a sentence refutes a hypothesis.
pub(super) fn is_refutation(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(REFUTATIONS)
}

/// Returns whether a sentence of the user asks for a cause.
pub(super) fn asks_why(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(WHY_QUESTIONS)
}

/// Returns whether a sentence states that something is unfinished.
pub(super) fn is_open_item(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.contains_any(OPEN_PHRASES) && folded.words().count() > 2
        || has_label(sentence, &["todo", "open", "blocker"])
}

/// Returns whether a sentence puts work off.
pub(super) fn is_deferral(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let is_future_date = folded.contains_any(&["later", "tomorrow"])
        && folded.contains_any(&[
            "an hour later",
            "hours later",
            "minutes later",
            "days later",
            "later than",
            "sooner or later",
        ]);
    let is_not_yet = folded.contains("yet")
        && folded.contains_any(&[
            "aren't", "doesn't", "don't", "hasn't", "haven't", "isn't", "no", "not", "nobody",
            "nothing",
        ]);
    let is_hold = folded.contains_any(&[
        "don't change",
        "don't touch",
        "don't commit",
        "don't write",
        "don't do anything",
    ]);
    (folded.contains_any(DEFERRALS) || is_not_yet)
        && !is_hold
        && !is_future_date
        && !prose::is_question(sentence)
}

/// Returns whether a sentence reports a failing test.
pub(super) fn is_failure(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(FAILURES)
}

/// Returns whether a sentence reports completed work.
pub(super) fn is_completion(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.contains_any(COMPLETIONS)
        && !folded.contains_any(OPEN_PHRASES)
        && !folded.contains_any(&["until", "not", "never", "once", "after"])
}

/// Returns whether a sentence begins with one of these labels: `Decision: use the outbox.`
fn has_label(sentence: &str, labels: &[&str]) -> bool {
    let label = sentence.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| labels.contains(&label.as_str()))
}

/// Returns whether a heading introduces decisions.
pub(super) fn is_decision_heading(heading: &str) -> bool {
    is_short(heading) && FoldedSentence::new(heading).contains_any(DECISION_HEADINGS)
}

/// Returns whether a heading introduces open items.
pub(super) fn is_open_heading(heading: &str) -> bool {
    is_short(heading) && FoldedSentence::new(heading).contains_any(OPEN_HEADINGS)
}

/// Returns whether a text of the user is a request, and not merely assent or the answer to a
/// question of the agent.
pub(super) fn is_request(text: &str, answers_question: bool) -> bool {
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

fn is_short(heading: &str) -> bool {
    heading.chars().nth(MAX_HEADING_CHARS).is_none()
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

    #[test]
    fn hashes_of_commits_are_not_words() {
        assert!(names_commit("Integer fees are in (d7721f0)."));
        assert!(!names_commit("defaced the facade 1234567"));
    }
}
