//! Phrases of causes, fixes, hypotheses and refutations.

use super::decisions::{AGENT_INTENTIONS, PROPOSALS};
use crate::phrase::FoldedSentence;
use crate::prose;

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

/// Length of the abbreviated hash of a commit, in characters.
const COMMIT_HASH_CHARS: std::ops::RangeInclusive<usize> = 7..=12;

/// Returns whether a sentence states a cause that was found.
pub(in crate::transcript) fn is_cause(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    let explains = folded.contains("because")
        && !folded.contains_any(AGENT_INTENTIONS)
        && !folded.contains_any(PROPOSALS);
    (explains || folded.contains_any(CAUSES))
        && !is_hypothesis(sentence)
        && !prose::is_question(sentence)
}

/// Returns whether a sentence reports a fix.
pub(in crate::transcript) fn is_fix(sentence: &str) -> bool {
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
fn names_pull_request(folded: &FoldedSentence<'_>) -> bool {
    let words: Vec<&str> = folded.words().collect();
    words.windows(2).any(|pair| matches!(pair[0], "pr" | "mr" | "prs") && pair[1].starts_with('#'))
}

/// Returns whether a sentence reports a change of a number: "from 3385 to 470 ms", "passes 200 of 200 runs".
fn reports_measurement(folded: &FoldedSentence<'_>) -> bool {
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
pub(in crate::transcript::digest) fn is_hypothesis(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(HYPOTHESES)
}

/// Returns whether a sentence refutes a hypothesis.
pub(in crate::transcript::digest) fn is_refutation(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(REFUTATIONS)
}

/// Returns whether a sentence of the user asks for a cause.
pub(in crate::transcript::digest) fn asks_why(sentence: &str) -> bool {
    FoldedSentence::new(sentence).contains_any(WHY_QUESTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_commits_are_not_words() {
        assert!(names_commit("Integer fees are in (d7721f0)."));
        assert!(!names_commit("defaced the facade 1234567"));
    }
}
