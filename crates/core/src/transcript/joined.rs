//! Joins the messages that a stream returned into a transcript.

use super::message_stream::{Message, MessageStream};
use super::model::{Choice, Role, ToolCall, ToolKind, Transcript, Turn};

impl Transcript {
    /// Makes a transcript of messages. Calls of tools that a stream leaves out, such as those that only read, are missing,
    /// and so are the agent's todo list and the commits.
    pub fn of_messages(stream: &MessageStream, messages: Vec<Message>) -> Self {
        let mut transcript = Transcript::empty(stream.format());
        transcript.session_id.clone_from(&stream.session_id);
        transcript.is_of_subagent = stream.is_of_subagent();
        transcript.cwd.clone_from(&stream.cwd);
        transcript.title.clone_from(&stream.title);
        let mut calls: Vec<Option<String>> = vec![];
        for message in messages {
            let Message { role, text, at, line, tool, .. } = message;
            transcript.started = earliest(transcript.started, at);
            transcript.ended = transcript.ended.max(at);
            let Some(tool) = tool else {
                transcript.turns.push(Turn { role, at, text, line });
                continue;
            };
            if tool.is_failure {
                let failed = tool
                    .call
                    .as_ref()
                    .and_then(|id| calls.iter().rposition(|call| call.as_ref() == Some(id)));
                if let Some(failed) = failed {
                    transcript.tool_calls[failed].failed = true;
                }
            } else if role == Role::User {
                transcript.choices.push(Choice { text, line });
            } else {
                let input = text.split_once(": ").map_or(text.as_str(), |(_, input)| input);
                let files: Vec<String> = match tool.kind {
                    ToolKind::Edit => input.split(", ").map(str::to_owned).collect(),
                    _ => vec![],
                };
                for file in &files {
                    if !transcript.files_written.contains(file) {
                        transcript.files_written.push(file.clone());
                    }
                }
                calls.push(tool.call);
                transcript.tool_calls.push(ToolCall {
                    name: tool.name,
                    kind: tool.kind,
                    input: input.to_owned(),
                    arguments: String::new(),
                    files,
                    line,
                    has_result: true,
                    failed: false,
                });
            }
        }
        transcript
    }
}

fn earliest<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Format, parse};

    #[test]
    fn a_streamed_transcript_has_the_turns_of_the_parsed_one() {
        let lines = [
            r#"{"role":"user","content":"Run the tests."}"#,
            r#"{"role":"assistant","content":"On it.","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"command\":\"make test\"}"}}]}"#,
            r#"{"role":"tool","tool_call_id":"a","is_error":true,"content":"boom"}"#,
        ];
        let mut stream = MessageStream::new(Format::JsonLines);
        let mut messages = vec![];
        for (number, line) in (1..).zip(lines) {
            assert_eq!(stream.read_line("t", number, line, |it| messages.push(it)), None);
        }
        let streamed = Transcript::of_messages(&stream, messages);
        let parsed = parse("t", &lines.join("\n"));
        assert_eq!(streamed.turns, parsed.turns);
        let [call] = streamed.tool_calls.as_slice() else { panic!("{streamed:?}") };
        assert!(call.failed && call.input == "make test" && call.kind == ToolKind::Run);
    }
}
