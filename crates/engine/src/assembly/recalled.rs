//! Entries that answer the questions which the signals ask, and standing instructions.

use std::collections::HashMap;

use heirloom_core::assembly::Tier;
use heirloom_core::instruction::instructions_in_memory;
use heirloom_core::record::{FactSection, Referent};

use super::entry::{Entry, Section};
use super::section_text::{SectionText, shown_text};
use super::signals::SignalQuestion;
use crate::recall::{ContextMemories, Hit};

/// The rank, counted from 0, at which an answer is worth half as much as the best one.
const HALF_VALUE_RANK: f64 = 2.0;

/// The factor on the value of each further chunk of the same memory.
const FURTHER_CHUNK_FACTOR: f64 = 0.6;

/// The same factor if the question asks for an account, which is spread over a long text.
const FURTHER_CHUNK_FACTOR_OF_ACCOUNT: f64 = 1.0;

/// An answer with less than this part of the best score is no answer.
const MIN_RELATIVE_SCORE: f64 = 0.3;

/// The same for a section of a document, which the words of its title make similar to many questions.
const MIN_RELATIVE_SCORE_OF_SECTION: f64 = 0.5;

/// A section of a document with fewer words says nothing by itself.
const MIN_SECTION_WORDS: usize = 6;

/// A longer sentence is no instruction.
const MAX_INSTRUCTION_WORDS: usize = 45;

/// The value from which on a decision is critical.
const MIN_CRITICAL_VALUE: f64 = 0.25;

/// The value of an instruction as near to the question as can be. It is low, since most instructions concern other tasks;
/// the share of their tier is what brings them into a context.
const INSTRUCTION_VALUE: f64 = 0.1;

/// Returns the entries that answer the questions.
pub(super) fn answers(questions: &[SignalQuestion], memories: &ContextMemories) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (question, answers) in questions.iter().zip(&memories.answers) {
        let hits = &answers.hits;
        let further_factor = match answers.asks_for_account {
            true => FURTHER_CHUNK_FACTOR_OF_ACCOUNT,
            false => FURTHER_CHUNK_FACTOR,
        };
        let mut counts: HashMap<&Referent, i32> = HashMap::new();
        let best = hits.first().and_then(|hit| hit.item.score).unwrap_or_default();
        for (rank, hit) in hits.iter().enumerate() {
            let least = match hit.item.referent {
                Referent::Document(_) => MIN_RELATIVE_SCORE_OF_SECTION,
                _ => MIN_RELATIVE_SCORE,
            };
            if hit.item.score.unwrap_or_default() < least * best {
                continue;
            }
            if says_nothing(hit) {
                continue;
            }
            let earlier = counts.entry(&hit.item.referent).or_default();
            let value = usefulness(rank) * further_factor.powi(*earlier);
            let is_further = *earlier > 0;
            *earlier += 1;
            let is_critical = question.section == Section::Errors
                || is_decision(hit) && value >= MIN_CRITICAL_VALUE;
            let tier = if is_critical { Tier::Critical } else { Tier::Relevant };
            let reason = match question.section {
                Section::Files => format!("concerns {}", question.signal),
                Section::Errors => "concerns the error".to_owned(),
                _ => "answers the task".to_owned(),
            };
            let section = question.section;
            entries.push(Entry::of_section(hit, tier, section, value, &reason, !is_further));
        }
    }
    entries
}

/// Returns the standing instructions that may concern the task.
pub(super) fn instructions(memories: &ContextMemories) -> Vec<Entry> {
    let entry = |hit: &Hit| {
        let sentences = instructions_in_memory(&hit.item.text).into_iter();
        let is_short =
            |sentence: &&str| sentence.split_whitespace().count() <= MAX_INSTRUCTION_WORDS;
        let text = sentences.filter(is_short).collect::<Vec<_>>().join(" ");
        if text.is_empty() || is_said_by_another(&hit.item.text) {
            return None;
        }
        let mut hit = hit.clone();
        hit.passage = Some(text);
        // The score is half of the cosine.
        let nearness = 2.0 * hit.item.score.unwrap_or_default();
        let value = INSTRUCTION_VALUE * nearness.clamp(0.1, 1.0);
        Some(Entry::of_hit(&hit, Tier::Critical, Section::Task, value, "standing instruction"))
    };
    memories.instructions.iter().filter_map(entry).collect()
}

/// Returns how likely the answer at a rank is to be useful. Scores of different questions cannot be compared, ranks can.
fn usefulness(rank: usize) -> f64 {
    HALF_VALUE_RANK / (HALF_VALUE_RANK + rank as f64)
}

/// Returns whether a section of a document says nothing by itself: a date, a status, the definition of a link.
fn says_nothing(hit: &Hit) -> bool {
    if !matches!(hit.item.referent, Referent::Document(_)) {
        return false;
    }
    let (heading, body) = match SectionText::of(hit) {
        Some(section) => (section.heading, section.body),
        None => (String::new(), shown_text(hit)),
    };
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let words = body.split_whitespace().filter(|word| !word.contains("://"));
    ["status", "date"].iter().any(|name| heading.eq_ignore_ascii_case(name))
        || words.filter(is_word).count() < MIN_SECTION_WORDS
}

/// Returns whether a memory is a decision.
fn is_decision(hit: &Hit) -> bool {
    matches!(hit.item.kind.as_str(), "adr" | "decision")
        || hit.item.section == Some(FactSection::Decisions)
}

/// Labels that a memory may begin with, in lower case.
const LABELS: [&str; 14] = [
    "user",
    "human",
    "note",
    "rule",
    "rules",
    "convention",
    "preference",
    "policy",
    "important",
    "reminder",
    "guideline",
    "requirement",
    "standard",
    "instruction",
];

/// Returns whether a memory is what a person said to another person: it begins with a name. It does not instruct an agent.
fn is_said_by_another(text: &str) -> bool {
    let Some((name, _)) = text.split_once(": ") else { return false };
    let is_word =
        |word: &str| word.chars().all(char::is_alphabetic) && word.starts_with(char::is_uppercase);
    name.split(' ').count() <= 2
        && name.split(' ').all(is_word)
        && !LABELS.contains(&name.to_lowercase().as_str())
}
