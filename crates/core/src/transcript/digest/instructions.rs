//! Collects the standing instructions of the user, without those that were withdrawn or revised.

use super::conversation::{Conversation, Message};
use super::phrases;
use super::revisions::{Change, TermWeights, withdraws_last};
use super::statement::{MAX_REMEMBERED, is_version_of, term_set};
use crate::instruction::{is_standing_instruction, statement_of};
use crate::prose;
use crate::transcript::markdown::BlockKind;

/// A sentence of fewer terms needs its neighbour to be understood.
const MIN_SELF_CONTAINED_TERMS: usize = 3;

/// A longer sentence is a statement of its own, in words.
const MAX_CONTINUATION_WORDS: usize = 12;

/// A longer sentence does not only say what to do instead, in words.
const MAX_ALTERNATIVE_WORDS: usize = 24;

/// A longer sentence before an instruction is not part of it, in words.
const MAX_OPENING_WORDS: usize = 3;

/// Instructions of one paragraph, which are easier to understand together.
struct InstructionGroup {
    /// The line of the message.
    line: usize,
    instructions: Vec<Instruction>,
}

/// A sentence that is a standing instruction.
struct Instruction {
    sentence: String,
    /// Whether the sentence before it belongs to another instruction.
    follows_directly: bool,
    /// The sentence with those around it that it needs to be understood.
    text: String,
}

/// Returns at most `max_count` instructions in the order of the transcript; the oldest are dropped.
pub(super) fn collect_instructions(
    conversation: &Conversation<'_>,
    weights: &TermWeights,
    max_count: usize,
) -> Vec<String> {
    let mut groups: Vec<InstructionGroup> = vec![];
    for message in conversation.user_messages() {
        if message.sentences().any(withdraws_last) {
            groups.pop();
        }
        drop_taken_back(&mut groups, message, weights);
        for new in groups_in(message) {
            for group in groups.iter_mut().filter(|group| group.line != new.line) {
                let is_revised = |old: &Instruction| {
                    new.instructions.iter().any(|new| is_version_of(&new.sentence, &old.sentence))
                };
                group.instructions.retain(|instruction| !is_revised(instruction));
            }
            groups.push(new);
        }
        groups.retain(|group| !group.instructions.is_empty());
        groups.drain(..groups.len().saturating_sub(max_count * MAX_REMEMBERED));
    }
    let excess = groups.len().saturating_sub(max_count);
    groups.iter().skip(excess).map(InstructionGroup::text).collect()
}

impl InstructionGroup {
    /// Returns the instructions in order, with an ellipsis for what was said in between.
    fn text(&self) -> String {
        let mut text = String::new();
        for instruction in &self.instructions {
            if !text.is_empty() {
                text.push_str(if instruction.follows_directly { " " } else { " … " });
            }
            text.push_str(&instruction.text);
        }
        text
    }
}

/// Drops the instructions that a message takes back.
fn drop_taken_back(
    groups: &mut Vec<InstructionGroup>,
    message: &Message<'_>,
    weights: &TermWeights,
) {
    let instructions = groups.iter().flat_map(|group| &group.instructions);
    let texts: Vec<&str> = instructions.map(|instruction| instruction.text.as_str()).collect();
    let dropped = weights.taken_back_by(message, &texts, Change::OfInstruction);
    let mut at = 0..;
    for group in groups.iter_mut() {
        group.instructions.retain(|_| at.next().is_some_and(|at| !dropped.contains(&at)));
    }
    groups.retain(|group| !group.instructions.is_empty());
}

/// Returns the instructions of a message, those of one paragraph as a group.
fn groups_in(message: &Message<'_>) -> Vec<InstructionGroup> {
    let prose = message.blocks.iter().filter(|block| block.kind != BlockKind::Heading);
    let groups = prose.map(|block| InstructionGroup {
        line: message.turn.line,
        instructions: instructions_in(&prose::split_sentences(&block.text)),
    });
    groups.filter(|group| !group.instructions.is_empty()).collect()
}

fn instructions_in(sentences: &[&str]) -> Vec<Instruction> {
    let mut instructions = vec![];
    let mut taken = 0;
    for at in 0..sentences.len() {
        let statement = statement_of(sentences[at]);
        if at < taken || is_quotation(statement) || !is_standing_instruction(statement) {
            continue;
        }
        let needs_context = term_set(statement).len() < MIN_SELF_CONTAINED_TERMS;
        let after_instruction = taken;
        let start = if at > taken && (needs_context || is_opening(sentences[at - 1])) {
            at - 1
        } else {
            at
        };
        taken = at + 1;
        while taken < sentences.len() && is_continuation(sentences[taken]) {
            taken += 1;
        }
        let mut parts = sentences[start..at].to_vec();
        parts.push(statement);
        parts.extend(&sentences[at + 1..taken]);
        let follows_directly = start == after_instruction;
        instructions.push(Instruction {
            sentence: statement.to_owned(),
            follows_directly,
            text: parts.join(" "),
        });
    }
    instructions
}

/// Returns whether a sentence opens the instruction after it: "Not tesla!"
fn is_opening(sentence: &str) -> bool {
    let is_short = sentence.split_whitespace().count() <= MAX_OPENING_WORDS;
    is_short && phrases::is_ban(sentence)
}

/// Returns whether a sentence is a short addition to the instruction before it, and no instruction of its own.
fn is_continuation(sentence: &str) -> bool {
    let words = sentence.split_whitespace().count();
    let is_alternative = words <= MAX_ALTERNATIVE_WORDS && phrases::names_alternative(sentence);
    (words <= MAX_CONTINUATION_WORDS || is_alternative || sentence.starts_with('`'))
        && !prose::is_question(sentence)
        && !phrases::changes_subject(sentence)
        && !is_standing_instruction(sentence)
}

/// Returns whether more than half of a sentence is in quotation marks, so that it is not a statement of the user.
fn is_quotation(sentence: &str) -> bool {
    let quoted: usize = sentence.split(['"', '“', '”']).skip(1).step_by(2).map(str::len).sum();
    quoted * 2 > sentence.len()
}
