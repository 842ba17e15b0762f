//! Chooses the pairs of memories that a scan judges: each memory with the most similar earlier ones, and facts with one key.

use std::collections::HashMap;

use heirloom_core::contradiction::{CandidateFinder, CandidatePair, Candidates};
use heirloom_core::words::normalise;
use heirloom_embed::builtin;

use super::judge::sentence_of;
use crate::memory::{ComparableMemory, WholeMemory};
use crate::{Error, Session};

/// With how many earlier memories each one is compared.
const MAX_PAIRS_OF_MEMORY: usize = 8;

/// The same if there are many memories, so that all of them take a bounded time.
const MIN_PAIRS_OF_MEMORY: usize = 3;

/// About how many pairs are judged by rules at most.
const MAX_PAIRS: usize = 400_000;

/// Most memories with one key that are compared with each other.
const MAX_OF_A_KEY: usize = 24;

/// The pairs of some memories that a scan judges.
pub(super) struct ScanCandidates {
    candidates: Candidates,
    /// The earlier facts with the key of a later one.
    of_keys: HashMap<u32, Vec<u32>>,
    per_memory: usize,
}

/// The pairs of a memory with earlier ones.
#[derive(Debug, Default)]
pub(super) struct PairsOfMemory {
    pub(super) pairs: Vec<CandidatePair>,
    /// The number of further similar pairs that are not judged.
    pub(super) left_out: usize,
}

impl ScanCandidates {
    /// Reads the memories.
    pub(super) fn new(memories: &[ComparableMemory]) -> Self {
        let mut finder = CandidateFinder::new(builtin());
        memories.iter().for_each(|memory| finder.add(&memory.text, builtin()));
        let per_memory = MAX_PAIRS / memories.len().max(1);
        ScanCandidates {
            candidates: finder.finish(),
            of_keys: pairs_of_keys(memories),
            per_memory: per_memory.clamp(MIN_PAIRS_OF_MEMORY, MAX_PAIRS_OF_MEMORY),
        }
    }

    /// Returns the pairs of a memory with earlier ones.
    pub(super) fn before(&self, memories: &[ComparableMemory], number: usize) -> PairsOfMemory {
        let own = &memories[number];
        let is_comparable = |pair: &CandidatePair| {
            let other = &memories[pair.a as usize];
            other.text != own.text && other.has_common_scope(own)
        };
        let mut pairs = self.candidates.before(number, usize::MAX);
        pairs.retain(is_comparable);
        let left_out = pairs.len().saturating_sub(self.per_memory);
        pairs.truncate(self.per_memory);
        for a in self.of_keys.get(&(number as u32)).into_iter().flatten() {
            if !pairs.iter().any(|pair| pair.a == *a) {
                let (b, sentences) = (number as u32, [0, 0]);
                let pair = CandidatePair { a: *a, b, likeness: 1.0, sentences };
                pairs.extend(Some(pair).filter(is_comparable));
            }
        }
        PairsOfMemory { pairs, left_out }
    }
}

/// Returns the pairs of facts with one key: the numbers of the earlier ones, by the later one.
fn pairs_of_keys(memories: &[ComparableMemory]) -> HashMap<u32, Vec<u32>> {
    let mut of_key: HashMap<String, Vec<u32>> = HashMap::new();
    let mut pairs: HashMap<u32, Vec<u32>> = HashMap::new();
    for (number, memory) in memories.iter().enumerate() {
        let Some((key, _)) = &memory.key_value else { continue };
        let earlier = of_key.entry(normalise(key)).or_default();
        if !earlier.is_empty() {
            let latest = earlier.iter().rev().take(MAX_OF_A_KEY).copied();
            pairs.insert(number as u32, latest.collect());
        }
        earlier.push(number as u32);
    }
    pairs
}

/// A pair of memories that a scan judges.
#[derive(Debug, Clone)]
pub struct ScannedPair {
    /// The ids of the earlier memory and of the later one.
    pub ids: [String; 2],
    /// The sentences of the two that are compared.
    pub sentences: [String; 2],
    /// How much these have in common, about 0 to 1.5.
    pub likeness: f32,
}

/// Returns the pairs of memories that a scan judges, to measure which contradictions it can find.
pub fn scanned_pairs(session: &Session) -> Result<Vec<ScannedPair>, Error> {
    let memories = WholeMemory::read(session)?.comparable_memories(session.today());
    let candidates = ScanCandidates::new(&memories);
    let of_memory = |number: usize| candidates.before(&memories, number).pairs;
    let pairs = (0..memories.len()).flat_map(of_memory).map(|pair| {
        let of = |at: u32, sentence: u16| {
            let memory = &memories[at as usize];
            (memory.referent.to_string(), sentence_of(memory, sentence).to_owned())
        };
        let [(a, of_a), (b, of_b)] = [of(pair.a, pair.sentences[0]), of(pair.b, pair.sentences[1])];
        ScannedPair { ids: [a, b], sentences: [of_a, of_b], likeness: pair.likeness }
    });
    Ok(pairs.collect())
}
