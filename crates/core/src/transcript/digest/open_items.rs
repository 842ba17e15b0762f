//! Collects what a session leaves open. Only its end is considered: anything earlier was answered.

use super::conversation::Conversation;
use super::model::{Role, ToolCall, ToolKind, Transcript};
use super::prose::{self, truncate};
use super::{phrases, shell_command};

/// Length to which an unanswered request is shortened, in characters.
const MAX_REQUEST_CHARS: usize = 240;

/// Number of failed tool calls at the end of the session that are reported.
const MAX_FAILURES: usize = 4;

/// Length to which the input of a failed call is shortened, in characters.
const MAX_INPUT_CHARS: usize = 80;

/// Returns the open items of a transcript: unanswered requests and questions, unfinished work, and
/// the failures at the end.
pub(super) fn collect_open_items(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
) -> Vec<String> {
    let mut items = open_in_conversation(conversation);
    items.extend(unanswered_questions(transcript, conversation));
    items.extend(final_failures(&transcript.tool_calls));
    items
}

/// Returns the user's last message if it is an unanswered request, else what the agent's last
/// report says is open.
fn open_in_conversation(conversation: &Conversation<'_>) -> Vec<String> {
    let last = conversation.messages.last().map(|message| message.turn);
    let reply = last.filter(|turn| turn.role == Role::User);
    match (reply, conversation.last_agent_message()) {
        (Some(turn), _) if phrases::is_request(&turn.text, false) => {
            vec![prose::excerpt(&turn.text, MAX_REQUEST_CHARS)]
        }
        (_, Some(report)) => {
            // Once the user has replied, the questions of the report are answered.
            let is_unanswered = |text: &str| reply.is_none() && prose::is_question(text);
            let is_open = |text: &&str| is_unanswered(text) || phrases::is_open_item(text);
            let sentences = report.sentences().filter(is_open).map(str::to_owned);
            let listed =
                report.items_under(phrases::is_open_heading).map(|block| block.text.clone());
            sentences.chain(listed).collect()
        }
        (reply, None) => {
            reply.map(|turn| prose::excerpt(&turn.text, MAX_REQUEST_CHARS)).into_iter().collect()
        }
    }
}

/// Returns the questions that the agent asked through a tool after the user's last message and that
/// have no answer.
fn unanswered_questions(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
) -> impl Iterator<Item = String> {
    let last_request = conversation.user_messages().last();
    let last_request_line = last_request.map_or(0, |message| message.turn.line);
    let questions = transcript.tool_calls.iter().filter(move |call| {
        call.kind == ToolKind::Ask
            && call.line > last_request_line
            && (!call.has_result || call.failed)
    });
    questions.map(|call| call.input.clone())
}

/// Returns the failures in the unbroken run of failed calls at the end of the session, oldest first.
fn final_failures(calls: &[ToolCall]) -> Vec<String> {
    let failed = calls.iter().rev().take_while(|call| call.failed);
    let failed = failed.filter(|call| call.kind != ToolKind::Ask).take(MAX_FAILURES);
    let mut failures: Vec<String> = failed.map(describe_failure).collect();
    failures.reverse();
    failures
}

fn describe_failure(call: &ToolCall) -> String {
    let input = truncate(shell_command::short_form(&call.input), MAX_INPUT_CHARS);
    match call.kind {
        _ if input.is_empty() => format!("{} failed", call.name),
        ToolKind::Run => format!("`{input}` failed"),
        _ => format!("{} failed: {input}", call.name),
    }
}
