//! Proposes commands that worked after similar ones that had failed.

use super::proposal::{Proposal, ProposalKind};
use crate::transcript::Role;
use crate::transcript::model::{ToolCall, ToolKind, Transcript};
use crate::transcript::shell_command;

/// Number of calls of tools after a failed command within which another one replaces it.
const MAX_DISTANCE: usize = 12;

/// A longer command is a script, in characters.
const MAX_CHARS: usize = 160;

/// Share of the words of the shorter command that both have.
const MIN_COMMON_SHARE: f64 = 0.5;

/// Commands that only look at something: that a file was somewhere else is no lesson.
const LOOKING: &[&str] = &["cat", "cd", "echo", "find", "grep", "head", "ls", "rg", "sed", "tail"];

/// Proposes pairs of a command that failed and the similar one that worked next.
pub(super) fn collect_command_fixes(transcript: &Transcript) -> Vec<Proposal> {
    let calls = &transcript.tool_calls;
    let is_run = |call: &&ToolCall| call.kind == ToolKind::Run && call.has_result;
    let mut proposals: Vec<Proposal> = vec![];
    for (at, failed) in calls.iter().enumerate().filter(|(_, call)| is_run(call) && call.failed) {
        let later = calls[at + 1..].iter().take(MAX_DISTANCE);
        let mut later = later.filter(|call| is_run(call));
        // The same command that works later was fixed by something else.
        let Some(next) = later.find(|call| is_alternative(failed, call)) else { continue };
        if next.failed {
            continue;
        }
        let (old, new) = (shell_command::short_form(&failed.input), shell_command::short_form(&next.input));
        proposals.push(Proposal {
            kind: ProposalKind::Lesson,
            text: format!("`{new}` worked after `{old}` had failed."),
            line: next.line,
            at: transcript.turns.iter().rev().find(|turn| turn.line <= next.line).and_then(|turn| turn.at),
            said_by: Role::Assistant,
            confidence: 0.65,
            reason: "a command that worked after one that failed".to_owned(),
            replaces: None,
        });
    }
    proposals
}

/// Returns whether a command is another way to do what one that failed was to do.
fn is_alternative(failed: &ToolCall, other: &ToolCall) -> bool {
    let (old, new) =
        (shell_command::short_form(&failed.input), shell_command::short_form(&other.input));
    let words = |command: &str| -> Vec<String> {
        command.split_whitespace().map(str::to_owned).collect()
    };
    let (old_words, new_words) = (words(old), words(new));
    let is_short = |command: &str| {
        (1..=MAX_CHARS).contains(&command.chars().count()) && !command.contains("<<")
    };
    let looks = |words: &[String]| words.first().is_none_or(|word| LOOKING.contains(&word.as_str()));
    if old == new || !is_short(old) || !is_short(new) || looks(&old_words) || looks(&new_words) {
        return false;
    }
    let common = old_words.iter().filter(|word| new_words.contains(word)).count();
    let shorter = old_words.len().min(new_words.len()).max(1);
    // `npm test` and `pnpm test` do the same with another program.
    common > 0 && common as f64 / shorter as f64 >= MIN_COMMON_SHARE
}
