//! Entries that answer the questions which the signals ask, and standing instructions.

use heirloom_core::assembly::Tier;
use heirloom_core::record::FactSection;

use super::entry::{Entry, Section};
use super::signals::SignalQuestion;
use crate::recall::{ContextMemories, Hit};

/// How quickly the value of an answer falls with the distance of its score from the best one.
const SCORE_DECAY: f64 = 6.0;

/// The relevance from which on a decision is critical.
const MIN_CRITICAL_RELEVANCE: f64 = 0.4;

/// The value of an instruction as near to the question as can be.
const INSTRUCTION_VALUE: f64 = 1.0;

/// Returns the entries that answer the questions.
pub(super) fn answers(questions: &[SignalQuestion], memories: &ContextMemories) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (question, hits) in questions.iter().zip(&memories.answers) {
        let best = hits.first().and_then(|hit| hit.item.score).unwrap_or_default();
        for hit in hits {
            let relevance = relevance(hit, best);
            let is_critical = question.section == Section::Errors
                || is_decision(hit) && relevance >= MIN_CRITICAL_RELEVANCE;
            let tier = if is_critical { Tier::Critical } else { Tier::Relevant };
            let reason = match question.section {
                Section::Files => format!("concerns {}", question.signal),
                Section::Errors => "concerns the error".to_owned(),
                _ => "answers the task".to_owned(),
            };
            entries.push(Entry::of_hit(hit, tier, question.section, relevance, &reason));
        }
    }
    entries
}

/// Returns the standing instructions that may concern the task.
pub(super) fn instructions(memories: &ContextMemories) -> Vec<Entry> {
    let entry = |hit: &Hit| {
        // The score is half of the cosine.
        let nearness = 2.0 * hit.item.score.unwrap_or_default();
        let value = INSTRUCTION_VALUE * nearness.clamp(0.1, 1.0);
        Entry::of_hit(hit, Tier::Critical, Section::Task, value, "standing instruction")
    };
    memories.instructions.iter().map(entry).collect()
}

/// Returns how likely an answer is to be useful, compared with the best one.
fn relevance(hit: &Hit, best: f64) -> f64 {
    let score = hit.item.score.unwrap_or_default();
    (-SCORE_DECAY * (best - score)).exp()
}

/// Returns whether a memory is a decision.
fn is_decision(hit: &Hit) -> bool {
    matches!(hit.item.kind.as_str(), "adr" | "decision")
        || hit.item.section == Some(FactSection::Decisions)
}
