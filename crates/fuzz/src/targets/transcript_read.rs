//! Transcripts of sessions.

use heirloom_core::transcript::{self, Digest, Format, MessageStream};

use super::{check_line, check_problem};
use crate::signature::{Signature, kind_of};

const PATH: &str = "t.jsonl";
/// Longest list of statements, and longest statement in characters.
const MOST_STATEMENTS: usize = 24;
const STATEMENT: usize = 480;

/// Longest course of a conversation, in characters.
const COURSE: usize = 40_000;

/// The most items of a list in a digest, and the most characters of each part.
const MOST: usize = 12;
const ITEM: usize = 240;
const REQUEST: usize = 300;
const OUTCOME: usize = 480;
const TITLE: usize = 80;
const SUMMARY: usize = 1200;

/// Parses a transcript and digests it: every line number exists, and no part exceeds its limit.
pub fn transcript_read(data: &[u8]) -> Signature {
    let Ok(text) = str::from_utf8(data) else { return Signature::SKIPPED };
    let read = transcript::parse(PATH, text);
    assert_eq!(read, transcript::parse(PATH, text), "reading twice differs");
    read.problems.iter().for_each(|problem| check_problem(text, problem, PATH));
    read.turns.iter().for_each(|turn| check_line(text, turn.line));
    read.tool_calls.iter().for_each(|call| check_line(text, call.line));
    read.choices.iter().for_each(|choice| check_line(text, choice.line));
    assert!(read.turns.iter().all(|turn| !turn.text.trim().is_empty()), "a turn is empty");
    assert!(read.started <= read.ended, "it ends before it starts");
    let distinct =
        |files: &[String]| files.iter().enumerate().all(|(at, file)| !files[..at].contains(file));
    assert!(distinct(&read.files_written) && distinct(&read.files_read), "a file is named twice");
    assert!(
        read.files_written.iter().all(|file| !read.files_read.contains(file)),
        "read and written"
    );
    check_stream(text, read.format);
    let digest = transcript::digest_transcript(&read);
    assert_eq!(digest, transcript::digest_transcript(&read), "the digest differs");
    check_digest(&digest);
    let problems: Vec<String> =
        read.problems.iter().map(|problem| kind_of(&problem.message)).take(2).collect();
    let turns: Vec<_> = read.turns.iter().map(|turn| turn.role).take(4).collect();
    let calls: Vec<_> =
        read.tool_calls.iter().map(|call| format!("{:?}", call.kind)).take(4).collect();
    let course: usize = digest.course.iter().map(|line| line.chars().count()).sum();
    assert!(course <= COURSE, "a course of {course} characters");
    let Digest { goals, decisions, open, sequence, outcome, todos, .. } = &digest;
    Signature::of((
        (format!("{:?}", read.format), problems, turns, calls),
        [goals, decisions, open, sequence, todos].map(|list| list.len().min(3)),
        (outcome.is_empty(), read.commits.len().min(2), read.choices.len().min(2)),
    ))
}

/// Reads the text line by line: a message is on its line, is found there again, and a stored state continues.
fn check_stream(text: &str, format: Format) {
    let mut stream = MessageStream::new(format);
    for (number, line) in (1..).zip(text.lines()) {
        let mut messages = vec![];
        let before = stream.clone();
        let problem = stream.read_line(PATH, number, line, |message| messages.push(message));
        problem.iter().for_each(|problem| check_problem(text, problem, PATH));
        let again = before.messages_of_line(number, line);
        for message in &messages {
            assert!(message.line == number && !message.text.trim().is_empty(), "{message:?}");
            assert!(again.contains(message), "{message:?} is not found again");
        }
        let stored = serde_json::to_string(&stream)
            .map(|stored| serde_json::from_str::<MessageStream>(&stored));
        assert!(matches!(stored, Ok(Ok(ref restored)) if *restored == stream), "the state changes");
    }
}

fn check_digest(digest: &Digest) {
    let within = |what: &str, text: &str, most: usize| {
        let length = text.chars().count();
        assert!(length <= most, "{what} of {length} characters: {text:?}");
    };
    within("a title", &digest.title, TITLE);
    assert!(!digest.title.is_empty(), "no title");
    within("an outcome", &digest.outcome, OUTCOME);
    within("a summary", &digest.summary, SUMMARY);
    let Digest { goals, instructions, decisions, findings, open, sequence, todos, .. } = digest;
    for (what, list, most, longest) in [
        ("a goal", goals, MOST, REQUEST),
        ("an instruction", instructions, MOST_STATEMENTS, STATEMENT),
        ("a decision", decisions, MOST_STATEMENTS, STATEMENT),
        ("a finding", findings, MOST_STATEMENTS, STATEMENT),
        ("an open thing", open, MOST_STATEMENTS, STATEMENT),
        ("a step", sequence, MOST, ITEM),
        ("a todo", todos, MOST, ITEM),
    ] {
        assert!(list.len() <= most, "{} times {what}", list.len());
        for item in list {
            within(what, item, longest);
            assert!(!item.trim().is_empty(), "{what} is empty");
        }
    }
}
