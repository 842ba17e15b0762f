//! What the chunks of a long passage have together: term frequencies and the mean cosine.

use super::candidates::CandidateSet;
use super::matched_terms::TermFrequencies;
use crate::recall::Corpus;

/// How far the length of a passage dampens its term frequencies, 0 to 1. It is less than for a chunk: a long passage
/// says more, and not only the same in more words.
const LENGTH_WEIGHT: f32 = 0.3;

/// The passages of the candidates that are chunks of longer passages. Neighbours are candidates, so most chunks of a
/// passage are among them; the others are left out.
pub(super) struct WholePassages {
    /// The index of each candidate's passage in `passages`, if it has several chunks.
    of_candidate: Vec<Option<u32>>,
    passages: Vec<WholePassage>,
}

/// A passage of several chunks.
pub(super) struct WholePassage {
    /// The mean cosine of its chunks and the question.
    pub(super) mean_cosine: f32,
    /// The frequency of each term, normalised by the length of the passage.
    pub(super) frequencies: Vec<f32>,
    /// The positions of its chunks among the candidates.
    pub(super) chunks: Vec<usize>,
}

impl WholePassages {
    pub(super) fn new(
        corpus: &impl Corpus,
        candidates: &CandidateSet,
        frequencies: &TermFrequencies,
        cosines: &[f32],
    ) -> Self {
        let mut of_candidate = vec![None; candidates.slots.len()];
        let mut passages = Vec::new();
        for (position, slot) in candidates.slots.iter().enumerate() {
            let count = corpus.chunk_count(*slot);
            if count <= 1 || of_candidate[position].is_some() {
                continue;
            }
            let first = corpus.passage(*slot);
            let slots = first..first + count;
            let length = slots.clone().map(|slot| corpus.term_count(slot)).sum();
            let chunks: Vec<usize> = slots.filter_map(|slot| candidates.position(slot)).collect();
            let number = passages.len() as u32;
            chunks.iter().for_each(|chunk| of_candidate[*chunk] = Some(number));
            let cosine_sum: f32 = chunks.iter().map(|chunk| cosines[*chunk]).sum();
            passages.push(WholePassage {
                mean_cosine: cosine_sum / chunks.len().max(1) as f32,
                frequencies: sum_frequencies(corpus, candidates, frequencies, &chunks, length),
                chunks,
            });
        }
        WholePassages { of_candidate, passages }
    }

    /// Returns the passage of a candidate; `None` if the candidate is all of it.
    pub(super) fn of(&self, position: usize) -> Option<&WholePassage> {
        self.of_candidate[position].map(|number| &self.passages[number as usize])
    }
}

/// Sums the frequencies of each term in the chunks of a passage with `length` terms.
fn sum_frequencies(
    corpus: &impl Corpus,
    candidates: &CandidateSet,
    frequencies: &TermFrequencies,
    chunks: &[usize],
    length: u32,
) -> Vec<f32> {
    let factor = super::length_factor(LENGTH_WEIGHT, length);
    let mut sums = vec![0.0; frequencies.term_count()];
    for chunk in chunks {
        let of_chunk = corpus.length_normalisation(candidates.slots[*chunk]);
        for (sum, frequency) in sums.iter_mut().zip(frequencies.of(*chunk)) {
            *sum += factor * frequency / of_chunk;
        }
    }
    sums
}
