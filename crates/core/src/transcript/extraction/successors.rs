//! Combines what was said again, and links statements with earlier ones that they change.

use std::collections::HashSet;

use super::proposal::{Proposal, ProposalKind, ReplacedStatement};
use crate::phrase::FoldedSentence;
use crate::prose;
use crate::transcript::digest::revisions::{Change, TermWeights};
use crate::transcript::digest::statement::term_set;

/// Similarity from which a statement says the same as an earlier one.
const MIN_REPETITION_SIMILARITY: f64 = 0.85;

/// Share of the terms of the longer statement that the shorter one has at least: one that says more is another one.
const MIN_LENGTH_SHARE: f64 = 0.5;

/// Phrases of a statement that changes an earlier one, however similar both are.
const CHANGES: &[&str] = &[
    "actually",
    "after all",
    "any more",
    "anymore",
    "changed my mind",
    "from here on",
    "from now on",
    "going forward",
    "instead",
    "no longer",
];

/// Similarity from which a statement can change an earlier one, besides that it says so.
const MIN_CHANGE_SIMILARITY: f64 = 0.3;

/// How much more likely a statement is worth remembering for each time that it is said again.
const REPETITION_BONUS: f64 = 0.05;

/// The most confidence that a proposal gets.
const MAX_CONFIDENCE: f64 = 0.98;

/// Links the proposals of a conversation. Of statements that say the same, the clearest stays; a statement that a later one
/// changes is named by the later one, and is no proposal itself.
pub(super) fn link(mut proposals: Vec<Proposal>, weights: &TermWeights) -> Vec<Proposal> {
    proposals.sort_by_key(|proposal| proposal.line);
    let mut linked: Vec<Proposal> = vec![];
    for mut proposal in proposals {
        let comparable: Vec<usize> = (0..linked.len())
            .filter(|at| linked[*at].kind.is_comparable_with(proposal.kind))
            .collect();
        let same = comparable
            .iter()
            .find(|at| repeats(proposal.kind, &linked[**at].text, &proposal.text, weights));
        if let Some(&same) = same {
            repeat(&mut linked[same], proposal);
            continue;
        }
        if let Some(changed) = changed_by(&proposal, &linked, &comparable, weights) {
            let earlier = linked.remove(changed);
            proposal.replaces = Some(ReplacedStatement {
                id: earlier.id(),
                text: earlier.text,
                line: earlier.line,
            });
        }
        linked.push(proposal);
    }
    linked
}

/// Adds that a statement was said again. The clearest form of it stays.
fn repeat(earlier: &mut Proposal, later: Proposal) {
    if earlier.line == later.line {
        return;
    }
    let confidence = earlier.confidence.max(later.confidence) + REPETITION_BONUS;
    if later.confidence > earlier.confidence {
        let replaces = earlier.replaces.take();
        *earlier = Proposal { replaces: later.replaces.clone().or(replaces), ..later };
    }
    earlier.confidence = confidence.min(MAX_CONFIDENCE);
    if !earlier.reason.ends_with("; said again") {
        earlier.reason.push_str("; said again");
    }
}

/// A statement of another conversation.
#[derive(Debug, Clone, Copy)]
pub struct EarlierStatement<'t> {
    /// What it is.
    pub kind: ProposalKind,
    /// What it says.
    pub text: &'t str,
}

/// How a statement is related to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It says the same.
    Repeats,
    /// It changes what was said.
    Changes,
}

/// Returns how a proposal is related to statements of earlier conversations, and the index of the one that it repeats or
/// changes.
pub fn relate(proposal: &Proposal, earlier: &[EarlierStatement<'_>]) -> Option<(Relation, usize)> {
    let comparable = (0..earlier.len())
        .filter(|at| earlier[*at].kind.is_comparable_with(proposal.kind))
        .collect::<Vec<_>>();
    let texts: Vec<&str> = comparable.iter().map(|at| earlier[*at].text).collect();
    let weights = TermWeights::of(texts.iter().copied().chain([proposal.text.as_str()]));
    let kind = proposal.kind;
    let same = texts.iter().position(|text| repeats(kind, text, &proposal.text, &weights));
    if let Some(same) = same {
        return Some((Relation::Repeats, comparable[same]));
    }
    let changed = changed_text(kind, &proposal.text, &texts, &weights)?;
    Some((Relation::Changes, comparable[changed]))
}

/// Returns whether a statement says the same as an earlier one, with the same numbers.
fn repeats(kind: ProposalKind, earlier: &str, later: &str, weights: &TermWeights) -> bool {
    let (old, new) = (term_set(earlier).len(), term_set(later).len());
    let share = old.min(new) as f64 / old.max(new).max(1) as f64;
    let announces_change = || FoldedSentence::new(later).contains_any(CHANGES);
    prose::comparison_key(earlier) == prose::comparison_key(later)
        || kind.is_standing()
            && share >= MIN_LENGTH_SHARE
            && weights.similarity(earlier, later) >= MIN_REPETITION_SIMILARITY
            && numbers(earlier) == numbers(later)
            && !announces_change()
}

/// Returns the index of the earlier statement that a statement changes.
fn changed_by(
    proposal: &Proposal,
    linked: &[Proposal],
    comparable: &[usize],
    weights: &TermWeights,
) -> Option<usize> {
    let earlier = comparable.iter().copied().filter(|at| linked[*at].line < proposal.line);
    let earlier: Vec<usize> = earlier.collect();
    let texts: Vec<&str> = earlier.iter().map(|at| linked[*at].text.as_str()).collect();
    changed_text(proposal.kind, &proposal.text, &texts, weights).map(|at| earlier[at])
}

/// Returns the index of the text that a statement changes.
fn changed_text(
    kind: ProposalKind,
    text: &str,
    earlier: &[&str],
    weights: &TermWeights,
) -> Option<usize> {
    let change = match kind {
        ProposalKind::Instruction | ProposalKind::Preference => Change::OfInstruction,
        ProposalKind::Decision => Change::OfDecision,
        // Causes that are described in like words are different causes.
        _ => return None,
    };
    // A statement with several equally similar predecessors changes none of them for certain.
    if let [only] = weights.taken_back(text, earlier, change).as_slice()
        && weights.similarity(text, earlier[*only]) >= MIN_CHANGE_SIMILARITY
    {
        return Some(*only);
    }
    let changes_number = |old: &&str| {
        let (before, after) = (numbers(old), numbers(text));
        !before.is_empty()
            && !after.is_empty()
            && before != after
            && weights.similarity(old, text) >= MIN_REPETITION_SIMILARITY
    };
    earlier.iter().rposition(changes_number)
}

fn numbers(text: &str) -> HashSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}
