//! The terms of a question that chunks contain, and their frequencies in the candidates.

use super::candidates::CandidateSet;
use crate::recall::spelling::{correct, count_contained, may_be_misspelt};
use crate::recall::{Corpus, Posting, Question, QuestionTerm, Slot};

/// The term frequency at which a term has half of its weight (`k1` in BM25).
const SATURATION: f32 = 1.0;
/// The factor on the weight of a term that replaces a misspelt word.
const CORRECTED_TERM_FACTOR: f32 = 0.7;
/// The factor on the frequency of a term that means nearly the same, besides the cosine of the two.
const NEAR_TERM_FACTOR: f32 = 0.3;
/// How many terms that mean nearly the same as a term are searched for.
const MAX_NEAR_TERMS: usize = 5;
/// The number of postings that the near terms of a term may have together, if the term itself has fewer. A near term
/// that is more frequent than the rest of this is left out: it says little and takes long to score.
const MAX_NEAR_POSTINGS: usize = 1000;
/// How many words of a question are corrected: each costs a scan of the lexicon.
const MAX_CORRECTED_WORDS: usize = 32;

/// A term of the question that some memories contain.
pub(super) struct MatchedTerm {
    pub(super) term: String,
    /// The word as typed, if the term is a correction of it.
    pub(super) typed: Option<String>,
    pub(super) weight: f32,
    postings: Vec<Posting>,
    near: Vec<MatchedNearTerm>,
}

/// A term that means nearly the same as a term of the question.
struct MatchedNearTerm {
    term: String,
    /// The factor on its frequency.
    factor: f32,
    postings: Vec<Posting>,
}

impl MatchedTerm {
    /// Passes the postings of the term and of its near terms to `take`, with the factor on their frequencies.
    pub(super) fn for_each_posting(&self, mut take: impl FnMut(&Posting, f32)) {
        self.postings.iter().for_each(|posting| take(posting, 1.0));
        for near in &self.near {
            near.postings.iter().for_each(|posting| take(posting, near.factor));
        }
    }

    /// Passes the postings of the term and of its near terms in a chunk to `take`, with the factor on their frequencies.
    pub(super) fn for_each_posting_of(&self, slot: Slot, mut take: impl FnMut(&Posting, f32)) {
        let lists = std::iter::once((&self.postings, 1.0));
        let near = self.near.iter().map(|near| (&near.postings, near.factor));
        for (postings, factor) in lists.chain(near) {
            if let Ok(at) = postings.binary_search_by_key(&slot, |posting| posting.slot) {
                take(&postings[at], factor);
            }
        }
    }

    /// Returns how many postings the term has.
    pub(super) fn posting_count(&self) -> usize {
        self.postings.len()
    }

    /// Returns whether a chunk contains the term itself.
    pub(super) fn is_in(&self, slot: Slot) -> bool {
        has_slot(&self.postings, slot)
    }

    /// Returns the near term that a chunk contains, if it does not contain the term itself.
    pub(super) fn near_term_in(&self, slot: Slot) -> Option<&str> {
        let near = self.near.iter().find(|near| has_slot(&near.postings, slot));
        near.filter(|_| !self.is_in(slot)).map(|near| near.term.as_str())
    }
}

/// Returns whether a posting list, which is sorted, has a slot.
fn has_slot(postings: &[Posting], slot: Slot) -> bool {
    postings.binary_search_by_key(&slot, |posting| posting.slot).is_ok()
}

/// Returns the inverse document frequency of a term that so many of all documents contain.
pub(super) fn idf(documents: usize, with_term: usize) -> f32 {
    let (documents, with_term) = (documents as f32, with_term as f32);
    (1.0 + (documents - with_term + 0.5).max(0.0) / (with_term + 0.5)).ln()
}

/// Returns the weight of a term, saturated by its frequency.
pub(super) fn saturated(weight: f32, frequency: f32) -> f32 {
    weight * frequency / (frequency + SATURATION)
}

/// Returns the frequency of a term in a memory, normalised by the length of the memory.
pub(super) fn normalised_frequency(corpus: &impl Corpus, posting: &Posting) -> f32 {
    posting.count as f32 * corpus.length_normalisation(posting.slot)
}

/// Returns the terms of the question that memories contain, correcting misspelt ones, and the weight of all its terms.
/// A term that no memory contains weighs as well, so that a question about something unknown gets low scores.
pub(super) fn match_terms(
    corpus: &impl Corpus,
    question: &Question<'_>,
) -> (Vec<MatchedTerm>, f32) {
    // A term that a long text repeats in several chunks is no more common for that.
    let idf = |document_frequency: usize| idf(corpus.passage_count(), document_frequency);
    let mut total_weight = 0.0;
    let mut corrected_words = 0;
    let mut matched: Vec<MatchedTerm> = Vec::with_capacity(question.terms.len());
    for asked in &question.terms {
        let mut postings = Vec::new();
        corpus.postings(&asked.term, &mut postings);
        let weight = idf(corpus.count_passages(&postings));
        total_weight += weight;
        let contained = count_contained(corpus, &postings);
        let near = match_near_terms(corpus, asked, contained.max(MAX_NEAR_POSTINGS));
        let is_known = contained > 0 || !near.is_empty();
        if is_known || !postings.is_empty() {
            let term = asked.term.clone();
            matched.push(MatchedTerm { term, typed: None, weight, postings, near });
        }
        if is_known {
            continue;
        }
        if corrected_words == MAX_CORRECTED_WORDS || !may_be_misspelt(asked) {
            continue;
        }
        corrected_words += 1;
        // A word that is typed twice, once misspelt, does not weigh more.
        let is_new = |term: &str| {
            matched.iter().all(|matched| matched.term != term)
                && question.terms.iter().all(|asked| asked.term != term)
        };
        let corrected = correct(corpus, question.lexicon, asked).filter(|(term, _)| is_new(term));
        if let Some((term, postings)) = corrected {
            let weight = CORRECTED_TERM_FACTOR * idf(corpus.count_passages(&postings));
            let (typed, near) = (asked.unknown.clone(), vec![]);
            matched.push(MatchedTerm { term, typed, weight, postings, near });
        }
    }
    (matched, total_weight.max(f32::EPSILON))
}

/// Returns the nearest terms of a question's term that some chunk contains, with at most so many postings in all.
fn match_near_terms(
    corpus: &impl Corpus,
    asked: &QuestionTerm,
    mut max_postings: usize,
) -> Vec<MatchedNearTerm> {
    let matched = asked.near.iter().filter_map(|near| {
        if !corpus.has_at_most(&near.term, max_postings) {
            return None;
        }
        let mut postings = Vec::new();
        corpus.postings(&near.term, &mut postings);
        max_postings -= count_contained(corpus, &postings);
        let factor = NEAR_TERM_FACTOR * near.cosine;
        let term = near.term.clone();
        (!postings.is_empty()).then_some(MatchedNearTerm { term, factor, postings })
    });
    matched.take(MAX_NEAR_TERMS).collect()
}

/// The normalised frequency of each term in each candidate.
pub(super) struct TermFrequencies {
    terms: usize,
    /// All terms of the first candidate, then all of the next.
    frequencies: Vec<f32>,
}

impl TermFrequencies {
    pub(super) fn new(
        corpus: &impl Corpus,
        candidates: &CandidateSet,
        matched: &[MatchedTerm],
    ) -> Self {
        let terms = matched.len();
        let mut frequencies = vec![0.0; terms * candidates.slots.len()];
        for (index, term) in matched.iter().enumerate() {
            term.for_each_posting(|posting, factor| {
                if let Some(position) = candidates.position(posting.slot) {
                    frequencies[position * terms + index] +=
                        factor * normalised_frequency(corpus, posting);
                }
            });
        }
        TermFrequencies { terms, frequencies }
    }

    /// Returns the number of terms.
    pub(super) fn term_count(&self) -> usize {
        self.terms
    }

    /// Returns the frequency of each term in a candidate.
    pub(super) fn of(&self, position: usize) -> &[f32] {
        &self.frequencies[position * self.terms..][..self.terms]
    }
}
