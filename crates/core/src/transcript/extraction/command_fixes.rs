//! Proposes commands that worked after similar ones that had failed.

use super::proposal::{Proposal, ProposalKind};
use crate::transcript::Role;
use crate::transcript::model::{ToolCall, ToolKind, Transcript};
use crate::transcript::shell_command;

/// Number of calls of tools after a failed command within which another one replaces it.
const MAX_DISTANCE: usize = 12;

/// A longer command is a script, in characters.
const MAX_CHARS: usize = 120;

/// Commands that only look at something: that a file was somewhere else is no lesson.
const LOOKING: &[&str] = &[
    "cat", "cd", "curl", "echo", "find", "grep", "head", "jq", "ls", "rg", "rm", "sed", "sqlite3",
    "tail",
];

/// Options that change what is shown and not what is done.
const DISPLAY_OPTIONS: &[&str] = &["-q", "-v", "-vv", "--quiet", "--verbose", "-x", "--no-color"];

/// Options that choose a part of the work.
const SELECTING_OPTIONS: &[&str] =
    &["-run", "--run", "-k", "-t", "--test", "--lib", "--grep", "-m", "--filter", "-g"];

/// Proposes pairs of a command that failed and the similar one that worked next.
pub(super) fn collect_command_fixes(transcript: &Transcript) -> Vec<Proposal> {
    let calls = &transcript.tool_calls;
    let is_run = |call: &&ToolCall| call.kind == ToolKind::Run && call.has_result;
    let mut proposals: Vec<Proposal> = vec![];
    for (at, failed) in calls.iter().enumerate().filter(|(_, call)| is_run(call) && call.failed) {
        let mut later = calls[at + 1..].iter().take(MAX_DISTANCE).filter(is_run);
        let Some(next) = later.find(|call| is_alternative(&failed.input, &call.input)) else {
            continue;
        };
        if next.failed {
            continue;
        }
        let (old, new) = (command_of(&failed.input), command_of(&next.input));
        let turn = transcript.turns.iter().rev().find(|turn| turn.line <= next.line);
        proposals.push(Proposal {
            kind: ProposalKind::Lesson,
            text: format!("`{new}` worked after `{old}` had failed."),
            line: next.line,
            at: turn.and_then(|turn| turn.at),
            speaker: Role::Assistant,
            confidence: 0.65,
            reason: "a command that worked after one that failed".to_owned(),
            replaces: None,
        });
    }
    proposals
}

/// Returns a command line without what follows the first command of a pipe, and without redirections.
fn command_of(input: &str) -> &str {
    let line = shell_command::short_form(input);
    let end =
        [" 2>", " | ", " > ", " && ", "; ", " || "].iter().filter_map(|mark| line.find(mark)).min();
    line[..end.unwrap_or(line.len())].trim_end()
}

/// Returns whether a command is another way to do what one that failed was to do: with another program, or with options
/// that it did not have.
fn is_alternative(failed: &str, other: &str) -> bool {
    let (old, new) = (command_of(failed), command_of(other));
    let is_plain = |command: &str| {
        (1..=MAX_CHARS).contains(&command.chars().count()) && !command.contains(['\n', '$', '<'])
    };
    if old == new || !is_plain(old) || !is_plain(new) {
        return false;
    }
    let old: Vec<&str> = relevant_words(old);
    let new: Vec<&str> = relevant_words(new);
    let looks = |words: &[&str]| words.first().is_none_or(|word| LOOKING.contains(word));
    if old == new || looks(&old) || looks(&new) || old.len() < 2 {
        return false;
    }
    let has_other_program = old[0] != new[0] && old[1..] == new[1..];
    let added: Vec<&str> = new.iter().filter(|word| !old.contains(word)).copied().collect();
    let removed = old.iter().filter(|word| !new.contains(word)).count();
    let has_options = removed == 0
        && added.iter().any(|word| word.starts_with('-') || word.contains('='))
        && !added.iter().any(|word| SELECTING_OPTIONS.contains(word));
    let has_other_value = removed == 1
        && added.len() == 1
        && old.len() == new.len()
        && old[..2.min(old.len())] == new[..2.min(new.len())]
        && added[0].starts_with('-');
    has_other_program || has_options || has_other_value
}

fn relevant_words(command: &str) -> Vec<&str> {
    command.split_whitespace().filter(|word| !DISPLAY_OPTIONS.contains(word)).collect()
}
