//! Proposes the causes that were found and the fixes that worked.

use super::decisions::time_of;
use super::proposal::{Proposal, ProposalKind};
use super::{has_specific, refers_back};
use crate::phrase::FoldedSentence;
use crate::transcript::digest::conversation::Conversation;
use crate::transcript::digest::findings::collect_findings;
use crate::transcript::digest::phrases::is_cause;
use crate::transcript::model::{Role, ToolCall, ToolKind, Transcript};
use crate::prose;

/// Number of findings that are looked at.
const MAX_FINDINGS: usize = 60;

/// Fewest and most words of a lesson.
const WORDS: std::ops::RangeInclusive<usize> = 6..=60;

/// Number of calls of tools after a failure within which a finding explains it.
const MAX_CALLS_AFTER_FAILURE: usize = 30;

/// Phrases that state a way out.
const WAYS_OUT: &[&str] =
    &["the fix is", "the fix was", "the solution", "workaround", "worked around", "works around"];

/// Proposes the findings of a conversation in which the agent worked: causes and ways out, not reports of progress.
pub(super) fn collect_lessons(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
) -> Vec<Proposal> {
    if transcript.tool_calls.is_empty() {
        return vec![];
    }
    let findings = collect_findings(transcript, conversation, MAX_FINDINGS);
    let lesson = |line: usize, text: &str| {
        let first = prose::split_sentences(text).into_iter().next().unwrap_or_default();
        let folded = FoldedSentence::new(text);
        let explains = is_cause(first) || folded.contains_any(WAYS_OUT);
        let is_lesson = explains
            && WORDS.contains(&text.split_whitespace().count())
            && has_specific(text)
            && !refers_back(first)
            && !prose::is_question(text);
        if !is_lesson {
            return None;
        }
        let (confidence, reason) = match follows_failure(&transcript.tool_calls, line) {
            true => (0.75, "explains an error that was fixed"),
            false => (0.6, "states a cause"),
        };
        Some(Proposal {
            kind: ProposalKind::Lesson,
            text: text.to_owned(),
            line,
            at: time_of(conversation, line),
            said_by: Role::Assistant,
            confidence,
            reason: reason.to_owned(),
            replaces: None,
        })
    };
    findings.iter().filter_map(|finding| lesson(finding.line, &finding.text)).collect()
}

/// Returns whether a command failed before a line, and one succeeded after it or since.
fn follows_failure(calls: &[ToolCall], line: usize) -> bool {
    let end = calls.partition_point(|call| call.line <= line);
    let start = end.saturating_sub(MAX_CALLS_AFTER_FAILURE);
    let runs = |calls: &[ToolCall], failed: bool| {
        calls.iter().any(|call| call.kind == ToolKind::Run && call.failed == failed)
    };
    let failure = calls[start..end]
        .iter()
        .position(|call| call.kind == ToolKind::Run && call.failed);
    let after = calls.len().min(end + MAX_CALLS_AFTER_FAILURE);
    failure.is_some_and(|at| runs(&calls[start + at..after], false))
}
