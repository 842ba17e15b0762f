//! Chooses the pairs of memories that a scan judges: each memory with the most similar earlier ones, and facts with one key.

use std::collections::HashMap;

use heirloom_core::contradiction::{
    CandidateFinder, CandidatePair, Candidates, NamedThings, NamesOfSentence, compared_sentences,
    handicap,
};
use heirloom_core::parallel;
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

/// How likely two statements are about different things if they differ in these alone: their likeness, from which on names of
/// things are learned from them.
const MIN_LIKENESS_TO_LEARN_NAMES: f32 = 0.8;

/// How many memories are compared between two reports of progress.
const MEMORIES_AT_ONCE: usize = 1024;

/// The pairs of some memories that a scan judges.
pub(super) struct ScanCandidates<'m> {
    memories: &'m [ComparableMemory],
    /// The pairs of each memory with the most similar earlier ones.
    similar: Vec<SimilarMemories>,
    /// The names of things in the sentences of each memory; empty if none were learned.
    names: Vec<Vec<NamesOfSentence>>,
    /// The earlier facts with the key of a later one.
    of_keys: HashMap<u32, Vec<u32>>,
    /// The greatest likeness of each memory to another one.
    best: Vec<f32>,
    per_memory: usize,
}

/// The pairs of a memory with the most similar earlier ones, and how many more there are.
#[derive(Debug)]
struct SimilarMemories {
    pairs: Vec<CandidatePair>,
    left_out: usize,
    /// The memories with their likeness to this one, those included that cannot contradict it.
    likeness: Vec<(u32, f32)>,
}

/// The pairs of a memory with earlier ones.
#[derive(Debug, Default)]
pub(super) struct PairsOfMemory {
    pub(super) pairs: Vec<CandidatePair>,
    /// The number of further similar pairs that are not judged.
    pub(super) left_out: usize,
}

impl<'m> ScanCandidates<'m> {
    /// Finds the pairs of some memories. `report` is told how many memories were compared.
    pub(super) fn find(memories: &'m [ComparableMemory], report: impl Fn(usize)) -> Self {
        let mut finder = CandidateFinder::new(builtin());
        memories.iter().for_each(|memory| finder.add(&memory.text, builtin()));
        let per_memory = MAX_PAIRS / memories.len().max(1);
        let mut found = ScanCandidates {
            memories,
            similar: Vec::with_capacity(memories.len()),
            names: vec![],
            of_keys: pairs_of_keys(memories),
            best: vec![0.0; memories.len()],
            per_memory: per_memory.clamp(MIN_PAIRS_OF_MEMORY, MAX_PAIRS_OF_MEMORY),
        };
        let candidates = finder.finish();
        let numbers: Vec<usize> = (0..memories.len()).collect();
        for block in numbers.chunks(MEMORIES_AT_ONCE) {
            found.similar.extend(parallel::map(block, 16, |number| {
                found.similar_before(&candidates, *number)
            }));
            report(found.similar.len());
        }
        for (number, SimilarMemories { likeness, .. }) in found.similar.iter_mut().enumerate() {
            for (other, likeness) in std::mem::take(likeness) {
                for memory in [number, other as usize] {
                    found.best[memory] = found.best[memory].max(likeness);
                }
            }
        }
        found.learn_names();
        found
    }

    /// Returns the pairs of a memory with the most similar earlier ones: more than are judged, since some turn out to be about
    /// different things.
    fn similar_before(&self, candidates: &Candidates, number: usize) -> SimilarMemories {
        let mut pairs = candidates.before(number, usize::MAX);
        let likeness = pairs.iter().take(self.per_memory).map(|pair| (pair.a, pair.likeness));
        let likeness = likeness.collect();
        pairs.retain(|pair| !pair.is_apart && self.is_comparable(pair));
        let left_out = pairs.len().saturating_sub(2 * self.per_memory);
        pairs.truncate(2 * self.per_memory);
        SimilarMemories { pairs, left_out, likeness }
    }

    fn is_comparable(&self, pair: &CandidatePair) -> bool {
        let [a, b] = [pair.a, pair.b].map(|at| &self.memories[at as usize]);
        a.text != b.text && a.has_common_scope(b)
    }

    /// Learns the names of things from the pairs, and finds them in all memories.
    fn learn_names(&mut self) {
        let texts: Vec<&'m str> = self.memories.iter().map(|memory| memory.text.as_str()).collect();
        let sentences = parallel::map(&texts, 64, |text| compared_sentences(text));
        let sentence = |memory: u32, number: u16| {
            sentences[memory as usize].get(usize::from(number)).copied().unwrap_or_default()
        };
        let pairs = self.similar.iter().flat_map(|it| &it.pairs);
        let alike = pairs.filter(|pair| pair.likeness >= MIN_LIKENESS_TO_LEARN_NAMES);
        let things = NamedThings::learn(alike.map(|pair| {
            (sentence(pair.a, pair.sentences[0]), sentence(pair.b, pair.sentences[1]))
        }));
        if !things.is_empty() {
            self.names = parallel::map(&sentences, 64, |sentences| {
                sentences.iter().map(|sentence| things.names_in(sentence)).collect()
            });
        }
    }

    /// Returns whether the sentences of a pair are about things with different names.
    fn are_about_different_things(&self, pair: &CandidatePair) -> bool {
        let names = |memory: u32, sentence: u16| {
            self.names.get(memory as usize)?.get(usize::from(sentence))
        };
        let [of_a, of_b] = pair.sentences;
        names(pair.a, of_a).zip(names(pair.b, of_b)).is_some_and(|(a, b)| a.differ(b))
    }

    /// Returns the pairs of a memory with earlier ones.
    pub(super) fn before(&self, number: usize) -> PairsOfMemory {
        let SimilarMemories { pairs, left_out, .. } = &self.similar[number];
        let mut pairs = pairs.clone();
        pairs.retain(|pair| !self.are_about_different_things(pair));
        let left_out = left_out + pairs.len().saturating_sub(self.per_memory);
        pairs.truncate(self.per_memory);
        for a in self.of_keys.get(&(number as u32)).into_iter().flatten() {
            if !pairs.iter().any(|pair| pair.a == *a) {
                let (b, sentences) = (number as u32, [0, 0]);
                let pair = CandidatePair { a: *a, b, likeness: 1.0, sentences, is_apart: false };
                pairs.extend(Some(pair).filter(|pair| self.is_comparable(pair)));
            }
        }
        PairsOfMemory { pairs, left_out }
    }

    /// Returns by how much the log-odds of a pair are less than those of its sentences alone.
    pub(super) fn handicap(&self, pair: &CandidatePair) -> f64 {
        handicap(pair.likeness, self.best[pair.a as usize].max(self.best[pair.b as usize]))
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
    /// By how much the log-odds are less than those of the sentences alone.
    pub handicap: f64,
}

/// Returns the pairs of memories that a scan judges, to measure which contradictions it can find.
pub fn scanned_pairs(session: &Session) -> Result<Vec<ScannedPair>, Error> {
    let memories = WholeMemory::read(session)?.comparable_memories(session.today());
    let candidates = ScanCandidates::find(&memories, |_| ());
    let pairs = (0..memories.len()).flat_map(|number| candidates.before(number).pairs);
    let scanned = pairs.map(|pair| {
        let of = |at: u32, sentence: u16| {
            let memory = &memories[at as usize];
            (memory.referent.to_string(), sentence_of(memory, sentence).to_owned())
        };
        let [(a, of_a), (b, of_b)] = [of(pair.a, pair.sentences[0]), of(pair.b, pair.sentences[1])];
        ScannedPair { ids: [a, b], sentences: [of_a, of_b], handicap: candidates.handicap(&pair) }
    });
    Ok(scanned.collect())
}
