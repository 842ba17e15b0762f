//! What an agent did: its messages and the calls of its tools, in passages.

use std::collections::HashSet;

use super::InjectedText;
use super::code_names::all_names;
use super::values::numbers_in;
use crate::recall::terms;
use crate::transcript::{Role, Transcript};
use crate::words::{has_word, normalise};

/// A passage ends after so many words, at the end of a line.
const PASSAGE_WORDS: usize = 60;

/// A message with so many injected memories word for word repeats the context.
const MIN_REPEATED_MEMORIES: usize = 3;

/// Languages of fenced blocks that contain what a program printed.
const OUTPUT_LANGUAGES: [&str; 8] =
    ["console", "text", "output", "log", "stdout", "stderr", "plaintext", "shell-session"];

/// What an agent said and did, each with its line in the transcript.
#[derive(Debug, Default)]
pub struct AgentWork(Vec<(usize, String)>);

/// A passage of the work with its terms.
#[derive(Debug)]
pub(super) struct WorkUnit {
    /// Its line in the transcript.
    pub(super) line: usize,
    /// Its text in lower case.
    text: String,
    pub(super) terms: HashSet<String>,
    pub(super) names: HashSet<String>,
    pub(super) lines_with_numbers: Vec<LineWithNumbers>,
}

/// A line that has numbers, with its terms.
#[derive(Debug)]
pub(super) struct LineWithNumbers {
    pub(super) numbers: Vec<f64>,
    pub(super) terms: HashSet<String>,
}

/// The work in passages.
#[derive(Debug)]
pub(super) struct WorkUnits(Vec<WorkUnit>);

impl AgentWork {
    /// Takes the work from a transcript: what the agent wrote, and what it passed to its tools.
    pub fn of_transcript(transcript: &Transcript) -> Self {
        let messages = transcript.turns.iter().filter(|turn| turn.role == Role::Assistant);
        let messages = messages.map(|turn| (turn.line, without_output(&turn.text)));
        let calls = transcript.tool_calls.iter();
        let calls = calls.map(|call| (call.line, format!("{}\n{}", call.input, call.arguments)));
        let mut work: Vec<(usize, String)> = messages.chain(calls).collect();
        work.sort_by_key(|(line, _)| *line);
        AgentWork(work)
    }

    /// Divides the work into passages, without messages that repeat the context.
    pub(super) fn divide(&self, context: &RepeatedContext) -> WorkUnits {
        let own = self.0.iter().filter(|(_, text)| !context.is_in(text));
        let units = own.flat_map(|(line, text)| {
            split(text).into_iter().map(|text| WorkUnit::new(*line, &text))
        });
        WorkUnits(units.collect())
    }
}

/// The texts of the memories of a context.
pub(super) struct RepeatedContext(Vec<String>);

impl RepeatedContext {
    pub(super) fn new(memories: &[InjectedText<'_>]) -> Self {
        let texts = memories.iter().map(|memory| normalise(memory.without_id()));
        RepeatedContext(texts.filter(|text| !text.is_empty()).collect())
    }

    /// Returns whether a text repeats the context.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = normalise(text);
        let repeated = self.0.iter().filter(|memory| text.contains(memory.as_str()));
        repeated.count() >= MIN_REPEATED_MEMORIES
    }

    /// Returns a text without the lines that repeat the context.
    pub(super) fn removed_from(&self, text: &str) -> String {
        if !self.is_in(text) {
            return text.to_owned();
        }
        let repeats = |line: &&str| {
            let line = normalise(line);
            self.0.iter().any(|memory| line.contains(memory.as_str()))
        };
        let own: Vec<&str> = text.lines().filter(|line| !repeats(line)).collect();
        own.join("\n")
    }
}

impl WorkUnits {
    /// Returns the passages from a line of the transcript on.
    pub(super) fn units_after(&self, line: usize) -> Vec<&WorkUnit> {
        self.0.iter().filter(|unit| unit.line >= line).collect()
    }
}

impl WorkUnit {
    fn new(line: usize, text: &str) -> Self {
        let with_numbers = text.lines().filter(|line| !numbers_in(line).is_empty());
        let with_numbers = with_numbers.map(|line| LineWithNumbers {
            numbers: numbers_in(line),
            terms: terms(line).into_iter().collect(),
        });
        WorkUnit {
            line,
            terms: terms(text).into_iter().collect(),
            names: all_names(text),
            lines_with_numbers: with_numbers.collect(),
            text: text.to_lowercase(),
        }
    }

    /// Returns whether it has an id as a whole word.
    pub(super) fn names(&self, id: &str) -> bool {
        !id.is_empty() && has_word(&self.text, &id.to_lowercase())
    }

    /// Returns its sentences and lines.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        self.text.lines().flat_map(crate::prose::split_sentences)
    }
}

/// Returns a message without what programs printed, in its fenced blocks.
fn without_output(text: &str) -> String {
    let mut own = String::new();
    let mut block: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (&mut block, line.trim_start().starts_with("```")) {
            (None, true) => block = Some(vec![line]),
            (Some(_), true) => add_block(&block.take().unwrap_or_default(), &mut own),
            (Some(lines), false) => lines.push(line),
            (None, false) => push_line(&mut own, line),
        }
    }
    add_block(&block.unwrap_or_default(), &mut own);
    own
}

/// Adds what the agent wrote of a fenced block: commands without their output, and of a diff what it adds.
fn add_block(lines: &[&str], own: &mut String) {
    let Some((fence, lines)) = lines.split_first() else { return };
    let language = fence.trim_start().trim_start_matches('`').split_whitespace().next();
    let language = language.unwrap_or_default().to_lowercase();
    let is_command = |line: &str| line.trim_start().starts_with("$ ");
    let has_commands = lines.iter().any(|line| is_command(line));
    let is_own = |line: &&&str| match language.as_str() {
        _ if has_commands => is_command(line),
        "diff" | "patch" => line.starts_with('+'),
        language => !OUTPUT_LANGUAGES.contains(&language),
    };
    lines.iter().filter(is_own).for_each(|line| push_line(own, line));
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Splits a text into passages of about the same length, at the ends of lines.
fn split(text: &str) -> Vec<String> {
    let mut passages = vec![String::new()];
    let mut words = 0;
    for line in text.lines() {
        if words >= PASSAGE_WORDS {
            passages.push(String::new());
            words = 0;
        }
        words += line.split_whitespace().count();
        if let Some(last) = passages.last_mut() {
            push_line(last, line);
        }
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_printed_is_not_the_work_of_the_agent() {
        let text = "See:\n```bash\n$ ls\nsecret.txt\n```\n```diff\n-old\n+new\n```\n```rust\nlet x = 1;\n```\n```text\nok\n```";
        assert_eq!(without_output(text), "See:\n$ ls\n+new\nlet x = 1;\n");
        assert_eq!(without_output("```console\n$ make\nopen"), "$ make\n");
    }
}
