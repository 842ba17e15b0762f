//! Collects the decisions of a session: the user's answers, items under headings such as
//! "Decisions", and sentences that state a decision.

use std::collections::HashSet;

use super::conversation::{Conversation, Message};
use super::markdown::BlockKind;
use super::model::Transcript;
use super::{phrases, prose};

/// A decision and its source.
struct DecisionCandidate {
    line: usize,
    text: String,
    /// Whether the structure of the transcript marks the decision, which is more reliable than a
    /// phrase in a sentence.
    structural: bool,
}

/// Returns at most `max_count` decisions in the order of the transcript.
pub(super) fn collect_decisions(
    transcript: &Transcript,
    conversation: &Conversation<'_>,
    max_count: usize,
) -> Vec<String> {
    let mut decisions: Vec<DecisionCandidate> = transcript
        .choices
        .iter()
        .map(|choice| DecisionCandidate {
            line: choice.line,
            text: choice.text.clone(),
            structural: true,
        })
        .collect();
    decisions.extend(conversation.messages.iter().flat_map(decisions_in));
    decisions.sort_by_key(|decision| decision.line);
    let mut seen = HashSet::new();
    decisions.retain(|decision| seen.insert(prose::comparison_key(&decision.text)));
    for structural in [false, true] {
        drop_oldest(&mut decisions, max_count, structural);
    }
    decisions.into_iter().map(|decision| decision.text).collect()
}

/// Returns the list items under a heading for decisions, then the sentences that state a decision.
fn decisions_in(message: &Message<'_>) -> Vec<DecisionCandidate> {
    let line = message.turn.line;
    let decision =
        |text: &str, structural| DecisionCandidate { line, text: text.to_owned(), structural };
    let listed: Vec<&str> = message
        .items_under(phrases::is_decision_heading)
        .map(|block| block.text.as_str())
        .collect();
    let mut decisions: Vec<DecisionCandidate> =
        listed.iter().map(|text| decision(text, true)).collect();
    let listed: HashSet<&str> = listed.into_iter().collect();
    let prose = message.blocks.iter().filter(|block| block.kind != BlockKind::Heading);
    for block in prose.filter(|block| !listed.contains(block.text.as_str())) {
        let sentences = prose::split_sentences(&block.text).into_iter();
        let stated = sentences.filter(|sentence| phrases::is_decision(sentence));
        decisions.extend(stated.map(|sentence| decision(sentence, false)));
    }
    decisions
}

/// Drops the oldest decisions of one source until at most `max_count` decisions are left.
fn drop_oldest(decisions: &mut Vec<DecisionCandidate>, max_count: usize, structural: bool) {
    let mut excess = decisions.len().saturating_sub(max_count);
    decisions.retain(|decision| {
        let drop = excess > 0 && decision.structural == structural;
        excess -= usize::from(drop);
        !drop
    });
}
