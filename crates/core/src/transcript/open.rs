//! What a session leaves open: at its very end, since what comes before was answered.

use super::prose::{self, cut};
use super::talk::Talk;
use super::{Role, ToolCall, ToolKind, Transcript, shell, signals};

/// How many characters of an unanswered request are told.
const MOST_CHARS: usize = 240;

/// How many failures at the end are told.
const FAILURES: usize = 4;

/// How long a command is named.
const SUBJECT: usize = 80;

/// Returns what a transcript leaves open.
pub(super) fn open(transcript: &Transcript, talk: &Talk<'_>) -> Vec<String> {
    let mut open = vec![];
    let last = talk.spoken.last().map(|spoken| spoken.turn);
    let replied = last.filter(|turn| turn.role == Role::User);
    match (replied, talk.last_report()) {
        (Some(turn), _) if signals::opens_request(&turn.text, false) => {
            open.push(prose::gist(&turn.text, MOST_CHARS));
        }
        (_, Some(report)) => {
            let asks = |sentence: &str| replied.is_none() && prose::is_question(sentence);
            let left = |sentence: &&str| asks(sentence) || signals::leaves_open(sentence);
            open.extend(report.sentences().filter(left).map(str::to_owned));
            let items = report.items_under(signals::heads_open).map(|block| block.text.clone());
            open.extend(items);
        }
        (replied, None) => open.extend(replied.map(|turn| prose::gist(&turn.text, MOST_CHARS))),
    }
    let last_request = talk.requests().last().map_or(0, |spoken| spoken.turn.line);
    let asked = transcript.tool_calls.iter().filter(|call| {
        call.kind == ToolKind::Ask && call.line > last_request && (!call.answered || call.failed)
    });
    open.extend(asked.map(|call| call.input.clone()));
    let failed = transcript.tool_calls.iter().rev().take_while(|call| call.failed);
    let mut failed: Vec<String> =
        failed.filter(|call| call.kind != ToolKind::Ask).map(failure).take(FAILURES).collect();
    failed.reverse();
    open.extend(failed);
    open
}

fn failure(call: &ToolCall) -> String {
    let named = cut(shell::named(&call.input), SUBJECT);
    match call.kind {
        _ if named.is_empty() => format!("{} failed", call.name),
        ToolKind::Run => format!("`{named}` failed"),
        _ => format!("{} failed: {named}", call.name),
    }
}
