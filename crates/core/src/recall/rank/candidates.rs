//! The chunks whose exact score is computed, and the neighbours that contribute to it.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

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
    /// One bit for each slot of the corpus: whether it is a candidate. Most slots that are looked up are none, and the bits
    /// of a large corpus fit into the cache of a processor, which its positions would not.
    is_candidate: Vec<u64>,
    /// The position of each candidate in `slots`.
    positions: FxHashMap<Slot, u32>,
}

impl CandidateSet {
    /// Creates an empty set for a corpus with this many slots.
    pub(super) fn new(slots: usize) -> Self {
        let words = slots.div_ceil(u64::BITS as usize);
        let positions = FxHashMap::default();
        CandidateSet { slots: Vec::new(), is_candidate: vec![0; words], positions }
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
        let word = &mut self.is_candidate[(slot / u64::BITS) as usize];
        let bit = 1 << (slot % u64::BITS);
        if *word & bit == 0 {
            *word |= bit;
            self.positions.insert(slot, self.slots.len() as u32);
            self.slots.push(slot);
        }
    }

    /// Returns the position of a slot among the candidates.
    pub(super) fn position(&self, slot: Slot) -> Option<usize> {
        let word = self.is_candidate.get((slot / u64::BITS) as usize)?;
        let is_candidate = word >> (slot % u64::BITS) & 1 == 1;
        is_candidate.then(|| self.positions.get(&slot).map(|position| *position as usize))?
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
        let is_archived = corpus.is_archived(self.slots[position]);
        let mut add = |slot: Slot, weight: f32| {
            if let Some(position) = self.position(slot)
                && (is_archived || corpus.contains(slot))
            {
                contributors[count] = (position as u32, weight);
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
