//! What a document says about a question besides its best passage.
//!
//! The sections of a document are passages of their own, and the terms of a question are often spread over several: the
//! motivation names the problem, the decision its solution. A term counts a little if another passage says more of it
//! than the best one.

use rustc_hash::FxHashMap;

use super::{Ranking, ScoredPosition, sum};
use crate::recall::Corpus;

/// The weight of what a term would score more in another passage of the document.
const OTHER_PASSAGES_WEIGHT: f32 = 0.2;

/// The most that each term scores in a passage of a document, for documents with several passages among the candidates.
pub(super) struct WholeDocuments {
    term_scores: FxHashMap<u64, Vec<f32>>,
}

impl WholeDocuments {
    pub(super) fn new<C: Corpus>(ranking: &Ranking<'_, C>, scores: &[ScoredPosition]) -> Self {
        let corpus = ranking.corpus;
        let slot = |position: &usize| ranking.candidates.slots[*position];
        let mut first_passages: FxHashMap<u64, u64> = FxHashMap::default();
        let mut term_scores: FxHashMap<u64, Vec<f32>> = FxHashMap::default();
        for (_, position) in scores {
            let (memory, passage) = (corpus.memory(slot(position)), corpus.passage(slot(position)));
            if *first_passages.entry(memory).or_insert(passage.into()) != u64::from(passage) {
                term_scores.entry(memory).or_insert_with(|| vec![0.0; ranking.terms.len()]);
            }
        }
        let mut frequencies = Vec::new();
        for (_, position) in scores {
            if let Some(most) = term_scores.get_mut(&corpus.memory(slot(position))) {
                ranking.sum_frequencies(*position, &mut frequencies);
                for (term, score) in ranking.term_scores(&frequencies, *position) {
                    most[term] = most[term].max(score);
                }
            }
        }
        WholeDocuments { term_scores }
    }

    /// Returns what the other passages of its document add to the score of a candidate.
    pub(super) fn bonus<C: Corpus>(&self, ranking: &Ranking<'_, C>, position: usize) -> f32 {
        let memory = ranking.corpus.memory(ranking.candidates.slots[position]);
        let Some(most) = self.term_scores.get(&memory) else { return 0.0 };
        let mut frequencies = Vec::new();
        ranking.sum_frequencies(position, &mut frequencies);
        let own = sum(ranking.term_scores(&frequencies, position).map(|(_, score)| score));
        OTHER_PASSAGES_WEIGHT * (sum(most.iter().copied()) - own)
    }
}
