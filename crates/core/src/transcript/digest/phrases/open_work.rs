//! Phrases of work that is unfinished, put off or done.

use super::{has_label, is_short};
use crate::phrase::FoldedSentence;
use crate::prose;

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
    "remains open",
    "remains to be",
    "still missing",
    "still need",
    "still needs",
    "still open",
    "still to do",
    "still unclear",
    "still have to",
    "todo",
    "to do list",
    "tomorrow",
    "when you have time",
    "what remains",
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

/// Returns whether a sentence states that something is unfinished.
pub(in crate::transcript::digest) fn is_open_item(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.contains_any(OPEN_PHRASES) && folded.words().count() > 2
        || has_label(sentence, &["todo", "open", "blocker"])
}

/// Returns whether a sentence puts work off.
pub(in crate::transcript::digest) fn is_deferral(sentence: &str) -> bool {
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
    let is_labelled = has_label(sentence, &["open", "remaining", "still open"]);
    (folded.contains_any(DEFERRALS) || is_not_yet || is_labelled)
        && !is_hold
        && !is_future_date
        && !prose::is_question(sentence)
}

/// Returns whether a sentence reports a failing test.
pub(in crate::transcript::digest) fn is_failure(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(FAILURES)
}

/// Returns whether a sentence reports completed work.
pub(in crate::transcript::digest) fn is_completion(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    folded.contains_any(COMPLETIONS)
        && !folded.contains_any(OPEN_PHRASES)
        && !folded.contains_any(&["until", "not", "never", "once", "after"])
}

/// Returns whether a heading introduces open items.
pub(in crate::transcript::digest) fn is_open_heading(heading: &str) -> bool {
    is_short(heading) && FoldedSentence::new(heading).contains_any(OPEN_HEADINGS)
}
