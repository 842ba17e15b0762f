//! The chunks whose exact score is computed, and the neighbours that contribute to it.

use std::sync::OnceLock;

use crate::recall::{Corpus, Slot};

/// How many neighbours on each side contribute to the score of a chunk.
const MAX_NEIGHBOUR_STEPS: usize = 4;
/// The weight of an adjacent neighbour.
const NEIGHBOUR_WEIGHT: f32 = 0.5;
/// The number of terms in between that halve the weight of a neighbour.
const NEIGHBOUR_HALF_DISTANCE: f32 = 20.0;
/// The weight of a question for the chunk that follows it.
const PRECEDING_QUESTION_WEIGHT: f32 = 0.8;
/// The weight of a memory that a relation links to the scored one.
const RELATED_WEIGHT: f32 = 0.5;
/// How many related memories contribute to the score of a memory.
const MAX_RELATED: usize = 4;
/// How many neighbours and related memories contribute to the score of a memory.
const MAX_CONTRIBUTORS: usize = 2 * MAX_NEIGHBOUR_STEPS + MAX_RELATED;

/// The memories whose exact score is computed, and their neighbours.
pub(super) struct CandidateSet {
    pub(super) slots: Vec<Slot>,
    /// The position of each slot of the corpus in `slots`, or [`NOT_A_CANDIDATE`].
    positions: Vec<u32>,
}

const NOT_A_CANDIDATE: u32 = u32::MAX;

impl CandidateSet {
    /// Creates an empty set for a corpus with this many slots.
    pub(super) fn new(slots: usize) -> Self {
        CandidateSet { slots: Vec::new(), positions: vec![NOT_A_CANDIDATE; slots] }
    }

    /// Adds memories, their neighbours and their related memories.
    pub(super) fn add_with_neighbours(
        &mut self,
        corpus: &impl Corpus,
        slots: impl IntoIterator<Item = Slot>,
    ) {
        for slot in slots {
            self.add(slot);
            related(corpus, slot).for_each(|slot| self.add(slot));
            for direction in [NeighbourDirection::Backward, NeighbourDirection::Forward] {
                let mut current = slot;
                for _ in 0..MAX_NEIGHBOUR_STEPS {
                    let Some(next) = direction.step(corpus, current) else { break };
                    self.add(next);
                    current = next;
                }
            }
        }
    }

    fn add(&mut self, slot: Slot) {
        let position = &mut self.positions[slot as usize];
        if *position == NOT_A_CANDIDATE {
            *position = self.slots.len() as u32;
            self.slots.push(slot);
        }
    }

    /// Returns the position of a slot among the candidates.
    pub(super) fn position(&self, slot: Slot) -> Option<usize> {
        let position = *self.positions.get(slot as usize)?;
        (position != NOT_A_CANDIDATE).then_some(position as usize)
    }

    /// Returns the positions and weights of the candidates that contribute to the score of a candidate, and their
    /// number.
    pub(super) fn contributors(
        &self,
        corpus: &impl Corpus,
        position: usize,
    ) -> ([(u32, f32); MAX_CONTRIBUTORS], usize) {
        let mut contributors = [(0, 0.0); MAX_CONTRIBUTORS];
        let mut count = 0;
        let mut add = |slot: Slot, weight: f32| {
            let position = self.positions[slot as usize];
            if position != NOT_A_CANDIDATE {
                contributors[count] = (position, weight);
                count += 1;
            }
        };
        let weights = NeighbourWeights::shared();
        for direction in [NeighbourDirection::Backward, NeighbourDirection::Forward] {
            let (mut slot, mut terms_between) = (self.slots[position], 0);
            for distance in 1..=MAX_NEIGHBOUR_STEPS {
                let Some(next) = direction.step(corpus, slot) else { break };
                let weight = weights.get(terms_between);
                terms_between += corpus.term_count(next);
                let is_preceding = direction == NeighbourDirection::Backward && distance == 1;
                let is_answered = is_preceding && corpus.is_question(next);
                add(next, if is_answered { PRECEDING_QUESTION_WEIGHT } else { weight });
                slot = next;
            }
        }
        related(corpus, self.slots[position]).for_each(|slot| add(slot, RELATED_WEIGHT));
        (contributors, count)
    }
}

/// The weights of neighbours by the number of terms in between. Computing one takes longer than all else about a
/// neighbour.
struct NeighbourWeights([f32; Self::LENGTH]);

impl NeighbourWeights {
    /// How many weights are computed in advance.
    const LENGTH: usize = 512;

    /// Returns the weights, which are computed once in a process.
    fn shared() -> &'static Self {
        static WEIGHTS: OnceLock<NeighbourWeights> = OnceLock::new();
        WEIGHTS
            .get_or_init(|| NeighbourWeights(std::array::from_fn(|terms| Self::of(terms as u32))))
    }

    fn get(&self, terms_between: u32) -> f32 {
        let known = self.0.get(terms_between as usize).copied();
        known.unwrap_or_else(|| Self::of(terms_between))
    }

    fn of(terms_between: u32) -> f32 {
        let halvings = terms_between as f32 / NEIGHBOUR_HALF_DISTANCE;
        NEIGHBOUR_WEIGHT * (-halvings).exp2()
    }
}

/// Returns the first memories that relations link to a memory.
fn related<C: Corpus>(corpus: &C, slot: Slot) -> impl Iterator<Item = Slot> {
    let present = corpus.related(slot).iter().copied().filter(|slot| corpus.contains(*slot));
    present.take(MAX_RELATED)
}

/// A direction within the document, session or conversation of a memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeighbourDirection {
    Backward,
    Forward,
}

impl NeighbourDirection {
    fn step(self, corpus: &impl Corpus, slot: Slot) -> Option<Slot> {
        match self {
            NeighbourDirection::Backward => corpus.previous(slot),
            NeighbourDirection::Forward => corpus.next(slot),
        }
    }
}
