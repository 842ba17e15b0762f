//! Proposes the causes that were found and the ways out.

use super::decisions::time_of;
use super::proposal::{Proposal, ProposalKind};
use super::source::{has_specific, is_prose, refers_back};
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::digest::conversation::Conversation;
use crate::transcript::digest::findings::collect_findings;
use crate::transcript::digest::phrases::is_cause;
use crate::transcript::digest::statement::Statement;
use crate::transcript::model::{Role, ToolCall, ToolKind, Transcript};

/// Number of findings that are looked at.
const MAX_FINDINGS: usize = 60;

/// Fewest and most words of a lesson.
const WORDS: std::ops::RangeInclusive<usize> = 8..=60;

/// Number of calls of tools after a failure within which a finding explains it.
const MAX_CALLS_AFTER_FAILURE: usize = 30;

/// Phrases that state a way out or a cause in so many words; "because" alone gives the reason of anything.
const CLEAR_PHRASES: &[&str] = &[
    "caused by",
    "culprit",
    "fails because",
    "failed because",
    "failing because",
    "happens because",
    "root cause",
    "the bug is",
    "the bug was",
    "the cause is",
    "the cause was",
    "the fix is",
    "the fix was",
    "the issue is",
    "the issue was",
    "the problem is",
    "the problem was",
    "the reason is",
    "the solution",
    "turned out",
    "turns out",
    "workaround",
    "worked around",
    "works around",
];

/// Openings of sentences that only announce a finding, if they are short.
const ANNOUNCEMENTS: &[&str] =
    &["found it", "found the", "got it", "good catch", "great question", "i see", "perfect", "yes"];

/// The most words of a sentence that only announces a finding.
const MAX_ANNOUNCEMENT_WORDS: usize = 7;

/// Openings of sentences that announce the next step.
const NEXT_STEPS: &[&str] = &[
    "i need to",
    "i'll",
    "i'm going to",
    "let me",
    "let's",
    "now i",
    "now let me",
    "now continuing",
    "shall i",
    "should i",
    "want me to",
];

/// Words of a review of code, which explain the code and no error.
const REVIEW_WORDS: &[&str] =
    &["comment explains", "comments explain", "comment says", "explains why"];

/// Proposes the findings of a conversation in which the agent worked: causes and ways out, not reports of progress.
pub(super) fn collect_lessons(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
) -> Vec<Proposal> {
    if transcript.tool_calls.is_empty() {
        return vec![];
    }
    let lesson = |finding: Statement| {
        let text = finding_of(&finding.text)?;
        let follows_failure = follows_failure(&transcript.tool_calls, finding.line);
        let is_clear = FoldedSentence::new(&text).contains_any(CLEAR_PHRASES);
        let (confidence, reason) = match (is_clear, follows_failure) {
            (true, true) => (0.75, "explains an error that was fixed"),
            (true, false) => (0.6, "states a cause"),
            (false, true) => (0.55, "gives a reason after an error"),
            (false, false) => return None,
        };
        Some(Proposal {
            kind: ProposalKind::Lesson,
            text,
            line: finding.line,
            at: time_of(conversation, finding.line),
            speaker: Role::Assistant,
            confidence,
            reason: reason.to_owned(),
            replaces: None,
        })
    };
    let findings = collect_findings(transcript, conversation, MAX_FINDINGS);
    findings.into_iter().filter_map(lesson).collect()
}

/// Returns the sentences of a finding without those that only announce it or the next step; `None` if the rest states no
/// cause that can be understood alone.
fn finding_of(text: &str) -> Option<String> {
    let says_something = |sentence: &&str| {
        let folded = FoldedSentence::new(sentence);
        let is_announcement = folded.starts_with_any(ANNOUNCEMENTS)
            && sentence.split_whitespace().count() <= MAX_ANNOUNCEMENT_WORDS;
        !is_announcement && !folded.starts_with_any(NEXT_STEPS) && !prose::is_question(sentence)
    };
    let sentences: Vec<&str> =
        prose::split_sentences(text).into_iter().filter(says_something).collect();
    let first = sentences.first()?;
    let text = sentences.join(" ");
    let folded = FoldedSentence::new(&text);
    let is_lesson = (is_cause(first) || folded.contains_any(CLEAR_PHRASES))
        && WORDS.contains(&text.split_whitespace().count())
        && is_prose(first)
        && has_specific(&text)
        && !refers_back(first)
        && !text.ends_with(':')
        && !folded.contains_any(REVIEW_WORDS);
    is_lesson.then_some(text)
}

/// Returns whether a command failed before a line, and one succeeded after it or since.
fn follows_failure(calls: &[ToolCall], line: usize) -> bool {
    let end = calls.partition_point(|call| call.line <= line);
    let start = end.saturating_sub(MAX_CALLS_AFTER_FAILURE);
    let is_run =
        |call: &ToolCall, failed: bool| call.kind == ToolKind::Run && call.failed == failed;
    let failure = calls[start..end].iter().position(|call| is_run(call, true));
    let after = calls.len().min(end + MAX_CALLS_AFTER_FAILURE);
    failure.is_some_and(|at| calls[start + at..after].iter().any(|call| is_run(call, false)))
}
