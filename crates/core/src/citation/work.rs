//! What an agent did: its messages and the calls of its tools, in passages.

use std::collections::HashSet;

use super::InjectedText;
use super::identifiers::Identifiers;
use crate::recall::terms;
use crate::transcript::{Role, Transcript};
use crate::words::{has_word, normalise};

/// A passage ends after so many words, at the end of a line.
const PASSAGE_WORDS: usize = 60;

/// A message with so many injected memories word for word repeats the context.
const MIN_REPEATED_MEMORIES: usize = 3;

/// What an agent said and did.
#[derive(Debug, Default)]
pub struct AgentWork {
    passages: Vec<(usize, String)>,
}

/// A passage of the work with its terms.
#[derive(Debug)]
pub(super) struct WorkUnit {
    line: usize,
    text: String,
    pub(super) terms: HashSet<String>,
    identifiers: Identifiers,
}

/// The work in passages.
#[derive(Debug)]
pub(super) struct WorkUnits(Vec<WorkUnit>);

impl AgentWork {
    /// Takes the work from a transcript: what the agent wrote, and what it passed to its tools.
    pub fn of_transcript(transcript: &Transcript) -> Self {
        let messages = transcript.turns.iter().filter(|turn| turn.role == Role::Assistant);
        let messages = messages.map(|turn| (turn.line, turn.text.clone()));
        let calls = transcript.tool_calls.iter();
        let calls = calls.map(|call| (call.line, format!("{}\n{}", call.input, call.arguments)));
        let mut passages: Vec<(usize, String)> = messages.chain(calls).collect();
        passages.sort_by_key(|(line, _)| *line);
        AgentWork { passages }
    }

    /// Divides the work into passages, without messages that repeat the context.
    pub(super) fn without_repeated_context(&self, memories: &[InjectedText<'_>]) -> WorkUnits {
        let texts: Vec<String> = memories.iter().map(|memory| normalise(memory.text)).collect();
        let repeats = |text: &str| {
            let text = normalise(text);
            let is_in = |memory: &&String| !memory.is_empty() && text.contains(memory.as_str());
            texts.iter().filter(is_in).count() >= MIN_REPEATED_MEMORIES
        };
        let own = self.passages.iter().filter(|(_, text)| !repeats(text));
        let units = own.flat_map(|(line, text)| {
            split(text).into_iter().map(|text| WorkUnit::new(*line, &text))
        });
        WorkUnits(units.collect())
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
        let terms = terms(text).into_iter().collect();
        WorkUnit { line, terms, identifiers: Identifiers::of(text), text: text.to_lowercase() }
    }

    /// Returns whether it has an identifier, or code as a whole word.
    pub(super) fn has(&self, name: &str) -> bool {
        self.identifiers.contains(name)
            || !name.contains(|c: char| c.is_ascii_digit()) && self.names(name)
    }

    /// Returns whether it has an id as a whole word.
    pub(super) fn names(&self, id: &str) -> bool {
        !id.is_empty() && has_word(&self.text, &id.to_lowercase())
    }
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
            last.push_str(line);
            last.push('\n');
        }
    }
    passages
}
