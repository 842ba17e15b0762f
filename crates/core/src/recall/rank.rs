//! Ranks memories by how well they answer a question.
//!
//! A memory is as good as its best chunk: a long text is scored in chunks of some sixty words, so that texts of all
//! lengths compete on equal terms. The score of a chunk is the weighted share of the question's terms that the chunk and
//! its neighbours contain, plus half of its cosine to the question. A term is weighted by its IDF, and it counts in full
//! if it is frequent for the length of the chunk. The terms of a neighbour count half as much, and less with the text in
//! between. A short memory that is itself a question is rarely the answer, but what follows it often is: a question
//! scores lower and lends more to its successor. Memories that relations link to a memory count like neighbours.
//!
//! The best of many chunks is better by chance alone, so a memory scores lower the more chunks it has, unless the
//! question asks for an account of something, which takes many words.
//!
//! A memory of the period that the question names gets a small bonus, or as much as all terms together if the question
//! names nothing else. Confidence and freshness only break near-ties. A memory that repeats a better one is demoted.

use jiff::civil::Date;

use rustc_hash::FxHashMap;

use super::spelling::{correct, may_be_misspelt};
use super::{Corpus, NamedPeriod, Posting, Question, QuestionTerm, Slot};
use crate::{day, parallel};

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

/// The term frequency at which a term has half of its weight (`k1` in BM25).
const SATURATION: f32 = 1.0;
/// How far the length of a chunk dampens its term frequencies, 0 to 1 (`b` in BM25).
const LENGTH_WEIGHT: f32 = 0.5;
/// The length in terms that neither dampens nor raises term frequencies. It is not the mean of the corpus, so that the
/// score of a memory does not depend on the length of others.
const NEUTRAL_LENGTH: f32 = 25.0;
/// The factor on the term score of a short chunk that is itself a question.
const QUESTION_FACTOR: f32 = 0.8;
/// The length in terms up to which the whole factor applies, and from which on it does not apply.
const QUESTION_LENGTHS: (f32, f32) = (10.0, 40.0);
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

/// The factor on the cosine.
const COSINE_WEIGHT: f32 = 0.5;
/// The share of the mean cosine of all chunks of a passage in its cosine; the rest is that of the chunk.
const MEAN_COSINE_SHARE: f32 = 0.25;

/// What a doubling of the number of chunks takes from the score of a memory.
const CHUNK_PENALTY: f32 = 0.07;
/// The most doublings that count.
const MAX_CHUNK_DOUBLINGS: f32 = 3.0;
/// The cosine from which on a memory is an answer without any term of the question.
const MIN_ANSWER_COSINE: f32 = 0.3;

/// The bonus for a memory of the period that the question names.
const PERIOD_BONUS: f32 = 0.1;
/// The same bonus if the question names nothing but a period.
const PERIOD_ONLY_BONUS: f32 = 1.0;

/// The most that freshness adds to a score: it decides only between scores that differ by less.
const FRESHNESS_BONUS: f32 = 0.005;
/// What a confidence of 1 adds to the score of one of 0. A term of the question counts for more, so confidence decides
/// between memories that answer a question about equally.
const CONFIDENCE_WEIGHT: f32 = 0.1;
/// The confidence of a memory that states none.
const DEFAULT_CONFIDENCE: f32 = 0.8;
/// The age in days at which the freshness of a memory is one half.
const FRESHNESS_HALF_LIFE_DAYS: f32 = 90.0;

/// The cosine of two memories from which on the lower-ranked one repeats the other.
const MIN_REPETITION_COSINE: f32 = 0.97;
/// The factor on the score of a memory that repeats a better one.
const REPETITION_FACTOR: f32 = 0.8;
/// How many of the best memories are checked for repetitions.
const MAX_REPETITION_CHECKS: usize = 200;
/// How many memories beyond the limit are kept to replace repetitions.
const SPARE_RESULTS: usize = 20;

/// The number of slots from which on terms and vectors are searched on two threads.
const MIN_PARALLEL_SLOTS: usize = 200_000;
/// The least number of candidates from each of the three searches: terms, vectors, period.
const MIN_CANDIDATES: usize = 100;
/// In a large corpus the number of candidates is the square root of its size, divided by this.
const CANDIDATE_ROOT_DIVISOR: usize = 2;
/// How many scores are sampled per candidate to estimate the least score of a candidate.
const SAMPLES_PER_CANDIDATE: usize = 16;

/// What takes one place in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerUnit {
    /// A memory: a record, an entry or a whole document.
    #[default]
    Memory,
    /// A passage: a record, an entry or a section of a document.
    Passage,
}

/// A memory with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMemory {
    /// Its best chunk.
    pub slot: Slot,
    /// The score that orders the result.
    pub score: f32,
    /// The components of the score.
    pub parts: ScoreParts,
}

impl RankedMemory {
    /// Makes a memory that was ranked by the cosine of a chunk alone.
    pub fn by_cosine((slot, cosine): (Slot, f32)) -> Self {
        let cosine_score = COSINE_WEIGHT * cosine;
        let parts = ScoreParts { cosine_score, ..ScoreParts::default() };
        RankedMemory { slot, score: cosine_score, parts }
    }

    /// Returns whether the memory answers the question, or is merely nearer than others. A term of nearly the same
    /// meaning alone is no answer.
    pub fn is_answer(&self) -> bool {
        self.parts.terms.iter().any(|term| term.is_exact)
            || self.parts.cosine_score >= COSINE_WEIGHT * MIN_ANSWER_COSINE
            || self.parts.period_bonus >= PERIOD_ONLY_BONUS
    }
}

/// The components of a score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreParts {
    /// The weighted share of the question's terms that the memory and its neighbours contain.
    pub term_score: f32,
    /// The weighted cosine of the memory and the question.
    pub cosine_score: f32,
    /// What was taken off because the best of many chunks is better by chance.
    pub chunk_penalty: f32,
    /// The bonus for being of the period that the question names.
    pub period_bonus: f32,
    /// The bonus for confidence and freshness.
    pub near_tie_bonus: f32,
    /// Whether the score was reduced because a better memory says the same.
    pub is_repetition: bool,
    /// The terms of the question that the memory or a neighbour contains.
    pub terms: Vec<TermScore>,
    /// Whether the term score was reduced because the memory is itself a question.
    pub is_question: bool,
}

/// The contribution of one term to a score.
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    /// The term.
    pub term: String,
    /// The word as typed, if the term is a correction of it.
    pub typed: Option<String>,
    /// What the term adds to the score.
    pub score: f32,
    /// Whether the memory itself contains the term, not only a neighbour.
    pub is_own: bool,
    /// Whether the memory or a neighbour contains the term itself, not only one of nearly the same meaning.
    pub is_exact: bool,
    /// The term of nearly the same meaning that the memory contains instead.
    pub near: Option<String>,
}

/// A term of the question that some memories contain.
struct MatchedTerm {
    term: String,
    /// The word as typed, if the term is a correction of it.
    typed: Option<String>,
    weight: f32,
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
    fn for_each_posting(&self, mut take: impl FnMut(&Posting, f32)) {
        self.postings.iter().for_each(|posting| take(posting, 1.0));
        for near in &self.near {
            near.postings.iter().for_each(|posting| take(posting, near.factor));
        }
    }

    /// Returns whether a chunk contains the term itself.
    fn is_in(&self, slot: Slot) -> bool {
        has_slot(&self.postings, slot)
    }

    /// Returns the near term that a chunk contains, if it does not contain the term itself.
    fn near_term_in(&self, slot: Slot) -> Option<&str> {
        let near = self.near.iter().find(|near| has_slot(&near.postings, slot));
        near.filter(|_| !self.is_in(slot)).map(|near| near.term.as_str())
    }
}

/// Returns whether a posting list, which is sorted, has a slot.
fn has_slot(postings: &[Posting], slot: Slot) -> bool {
    postings.binary_search_by_key(&slot, |posting| posting.slot).is_ok()
}

/// Returns the factor by which the length of a chunk, in terms, dampens its term frequencies.
pub fn length_normalisation(length: u32) -> f32 {
    1.0 / (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length as f32 / NEUTRAL_LENGTH)
}

/// Returns at most `limit` memories or passages that answer a question best, best first.
pub fn rank(
    corpus: &impl Corpus,
    question: &Question<'_>,
    unit: AnswerUnit,
    limit: usize,
) -> Vec<RankedMemory> {
    let limit = limit.min(corpus.slot_bound());
    let enough = MIN_CANDIDATES.max(corpus.size().isqrt() / CANDIDATE_ROOT_DIVISOR);
    let max_candidates = enough.max(limit.saturating_mul(4)).min(corpus.slot_bound().max(enough));
    let search_vectors = || match question.vector.is_empty() {
        true => vec![],
        false => corpus.nearest(&question.vector, max_candidates),
    };
    let search_terms = || {
        let (terms, total_weight) = match_terms(corpus, question);
        let mut candidates = CandidateSet::new(corpus.slot_bound());
        candidates.add_with_neighbours(corpus, best_by_terms(corpus, &terms, max_candidates));
        (terms, total_weight, candidates)
    };
    // The vector search takes longer, so it stays on this thread and does not wait for another to start.
    let ((terms, total_weight, mut candidates), nearest) =
        parallel::join(corpus.slot_bound() >= MIN_PARALLEL_SLOTS, search_terms, search_vectors);
    candidates.add_with_neighbours(corpus, nearest.iter().map(|(slot, _)| *slot));
    if let Some(time) = &question.time {
        candidates.add_with_neighbours(corpus, best_by_time(corpus, time, max_candidates));
    }
    let cosines = cosines(corpus, question, &candidates, &nearest);
    let ranking = Ranking {
        corpus,
        question,
        unit,
        terms: &terms,
        total_weight,
        frequencies: TermFrequencies::new(corpus, &candidates, &terms),
        mean_cosines: mean_cosines(corpus, &candidates, &cosines),
        cosines,
        candidates: &candidates,
        today: day::to_number(question.today),
    };
    ranking.best(limit)
}

/// Returns the cosine of each candidate and the question, computing the ones that the search did not return.
fn cosines(
    corpus: &impl Corpus,
    question: &Question<'_>,
    candidates: &CandidateSet,
    known: &[(Slot, Option<f32>)],
) -> Vec<f32> {
    if question.vector.is_empty() {
        return vec![0.0; candidates.slots.len()];
    }
    let mut cosines: Vec<Option<f32>> = vec![None; candidates.slots.len()];
    for (slot, cosine) in known {
        cosines[candidates.positions[*slot as usize] as usize] = *cosine;
    }
    let missing = candidates.slots.iter().zip(&cosines).filter(|(_, cosine)| cosine.is_none());
    let missing: Vec<Slot> = missing.map(|(slot, _)| *slot).collect();
    let mut computed = corpus.cosines(&missing, &question.vector).into_iter();
    let complete = cosines.into_iter().map(|cosine| cosine.or_else(|| computed.next()));
    complete.map(Option::unwrap_or_default).collect()
}

/// Returns for each candidate the mean cosine of those candidates that are chunks of the same passage. Neighbours are
/// candidates, so most chunks of a passage are among them.
fn mean_cosines(corpus: &impl Corpus, candidates: &CandidateSet, cosines: &[f32]) -> Vec<f32> {
    let mut means = cosines.to_vec();
    for (position, slot) in candidates.slots.iter().enumerate() {
        let count = corpus.chunk_count(*slot);
        if count > 1 {
            let first = corpus.passage(*slot);
            let chunks = (first..first + count).filter_map(|slot| candidates.position(slot));
            let (sum, known) = chunks
                .fold((0.0, 0.0), |(sum, known), chunk| (sum + cosines[chunk], known + 1.0_f32));
            means[position] = sum / known.max(1.0);
        }
    }
    means
}

/// The inputs of the exact score of each candidate.
struct Ranking<'r, C> {
    corpus: &'r C,
    question: &'r Question<'r>,
    unit: AnswerUnit,
    terms: &'r [MatchedTerm],
    /// The weight of all terms of the question.
    total_weight: f32,
    candidates: &'r CandidateSet,
    frequencies: TermFrequencies,
    /// The cosine of each candidate and the question.
    cosines: Vec<f32>,
    /// The mean cosine of the chunks of each candidate's passage.
    mean_cosines: Vec<f32>,
    /// The number of the day on which the question is asked.
    today: i32,
}

/// The score of a candidate and its position among the candidates.
type ScoredPosition = (f32, usize);

impl<C: Corpus> Ranking<'_, C> {
    /// Returns at most `limit` candidates, best first.
    fn best(&self, limit: usize) -> Vec<RankedMemory> {
        let mut scores = self.scores();
        let better = |a: &ScoredPosition, b: &ScoredPosition| {
            let tie_break =
                |position: usize| self.corpus.tie_break_key(self.candidates.slots[position]);
            b.0.total_cmp(&a.0).then_with(|| tie_break(a.1).cmp(&tie_break(b.1)))
        };
        self.keep_best_of_each(&mut scores);
        let kept = limit.saturating_add(SPARE_RESULTS);
        if scores.len() > kept {
            scores.select_nth_unstable_by(kept, better);
            scores.truncate(kept);
        }
        scores.sort_by(better);
        let repetitions = self.find_repetitions(&scores, limit);
        for (score, _) in scores.iter_mut().zip(&repetitions).filter(|(_, repeats)| **repeats) {
            score.0 *= REPETITION_FACTOR;
        }
        let mut scores: Vec<(ScoredPosition, bool)> = scores.into_iter().zip(repetitions).collect();
        scores.sort_by(|(a, _), (b, _)| better(a, b));
        scores.truncate(limit);
        let explained = scores.into_iter().map(|((score, position), repeats)| RankedMemory {
            slot: self.candidates.slots[position],
            score,
            parts: self.explain(position, repeats),
        });
        explained.collect()
    }

    /// Keeps the best chunk of each memory or passage.
    fn keep_best_of_each(&self, scores: &mut Vec<ScoredPosition>) {
        let unit = |position: usize| {
            let slot = self.candidates.slots[position];
            match self.unit {
                AnswerUnit::Memory => self.corpus.memory(slot),
                AnswerUnit::Passage => self.corpus.passage(slot).into(),
            }
        };
        let mut best: FxHashMap<u64, ScoredPosition> = FxHashMap::default();
        best.reserve(scores.len());
        for (score, position) in scores.drain(..) {
            let entry = best.entry(unit(position)).or_insert((score, position));
            // Of equal chunks the first one of the text is kept.
            let slots = [position, entry.1].map(|position| self.candidates.slots[position]);
            if score > entry.0 || (score == entry.0 && slots[0] < slots[1]) {
                *entry = (score, position);
            }
        }
        scores.extend(best.into_values());
    }

    /// Returns the score of each candidate that may be in the answer.
    fn scores(&self) -> Vec<ScoredPosition> {
        let mut frequencies = Vec::new();
        let slots = self.candidates.slots.iter().enumerate();
        slots
            .filter(|(_, slot)| self.corpus.is_selected(**slot))
            .map(|(position, slot)| {
                self.sum_frequencies(position, &mut frequencies);
                let words = sum(self.term_scores(&frequencies, position).map(|(_, score)| score));
                let bonus = self.period_bonus(*slot) + self.near_tie_bonus(*slot);
                let score = words + self.cosine_score(position) + bonus;
                (score - self.chunk_penalty(*slot), position)
            })
            .collect()
    }

    /// Returns the components of the score of a candidate.
    fn explain(&self, position: usize, repeats: bool) -> ScoreParts {
        let slot = self.candidates.slots[position];
        let mut frequencies = Vec::new();
        self.sum_frequencies(position, &mut frequencies);
        let own = self.frequencies.of(position);
        let scores = || self.term_scores(&frequencies, position);
        let (contributors, count) = self.candidates.contributors(self.corpus, position);
        let is_exact = |term: &MatchedTerm| {
            let mut around = contributors[..count].iter();
            let in_neighbour =
                |(at, _): &(u32, f32)| term.is_in(self.candidates.slots[*at as usize]);
            term.is_in(slot) || around.any(in_neighbour)
        };
        let term_score = |(index, share): (usize, f32)| TermScore {
            term: self.terms[index].term.clone(),
            typed: self.terms[index].typed.clone(),
            score: share,
            is_own: own[index] > 0.0,
            is_exact: is_exact(&self.terms[index]),
            near: self.terms[index].near_term_in(slot).map(str::to_owned),
        };
        ScoreParts {
            term_score: sum(scores().map(|(_, score)| score)),
            cosine_score: self.cosine_score(position),
            chunk_penalty: self.chunk_penalty(slot),
            period_bonus: self.period_bonus(slot),
            near_tie_bonus: self.near_tie_bonus(slot),
            is_repetition: repeats,
            terms: scores().map(term_score).collect(),
            is_question: self.corpus.is_question(slot),
        }
    }

    /// Returns the weighted cosine of a candidate and the question.
    fn cosine_score(&self, position: usize) -> f32 {
        let (own, mean) = (self.cosines[position], self.mean_cosines[position]);
        COSINE_WEIGHT * ((1.0 - MEAN_COSINE_SHARE) * own + MEAN_COSINE_SHARE * mean)
    }

    /// Returns what a memory loses because the best of its chunks is better by chance. A question for an account is
    /// answered by long texts.
    fn chunk_penalty(&self, slot: Slot) -> f32 {
        let count = self.corpus.chunk_count(slot);
        if count <= 1 || self.question.asks_for_account {
            return 0.0;
        }
        CHUNK_PENALTY * (count as f32).log2().min(MAX_CHUNK_DOUBLINGS)
    }

    /// Sums the frequency of each term in a candidate and, weighted, in its neighbours.
    fn sum_frequencies(&self, position: usize, sums: &mut Vec<f32>) {
        sums.clear();
        sums.resize(self.terms.len(), 0.0);
        let add = |sums: &mut [f32], position: usize, weight: f32| {
            let frequencies = self.frequencies.of(position);
            sums.iter_mut()
                .zip(frequencies)
                .for_each(|(sum, frequency)| *sum += weight * frequency);
        };
        let (contributors, count) = self.candidates.contributors(self.corpus, position);
        for (contributor, weight) in &contributors[..count] {
            add(sums, *contributor as usize, *weight);
        }
        add(sums, position, 1.0);
    }

    /// Returns what each term with a frequency above zero adds to the score of a candidate.
    fn term_scores(
        &self,
        frequencies: &[f32],
        position: usize,
    ) -> impl Iterator<Item = (usize, f32)> {
        let factor = self.question_factor(self.candidates.slots[position]);
        let present = frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0.0);
        present.map(move |(index, frequency)| {
            let score = saturated(self.terms[index].weight, *frequency) / self.total_weight;
            (index, score * factor)
        })
    }

    /// Returns the factor on the term score of a chunk: it is lower for a question, as far as the chunk is short.
    fn question_factor(&self, slot: Slot) -> f32 {
        if !self.corpus.is_question(slot) {
            return 1.0;
        }
        let (shortest, longest) = QUESTION_LENGTHS;
        let length = (self.corpus.term_count(slot) as f32 - shortest) / (longest - shortest);
        QUESTION_FACTOR + (1.0 - QUESTION_FACTOR) * length.clamp(0.0, 1.0)
    }

    /// Returns which of the memories, given best first, repeat a better one. Stops at `limit` memories that repeat
    /// none, since the ones after them are not in the answer.
    fn find_repetitions(&self, scores: &[ScoredPosition], limit: usize) -> Vec<bool> {
        let mut repetitions = vec![false; scores.len()];
        let mut distinct: Vec<Slot> = Vec::with_capacity(limit);
        for ((_, position), repeats) in
            scores.iter().zip(&mut repetitions).take(MAX_REPETITION_CHECKS)
        {
            if distinct.len() == limit {
                break;
            }
            let slot = self.candidates.slots[*position];
            let is_alike =
                |better: &Slot| self.corpus.cosine(*better, slot) >= MIN_REPETITION_COSINE;
            *repeats = distinct.iter().any(is_alike);
            if !*repeats {
                distinct.push(slot);
            }
        }
        repetitions
    }

    /// Returns the bonus for being of the period that the question names.
    fn period_bonus(&self, slot: Slot) -> f32 {
        let Some(time) = &self.question.time else { return 0.0 };
        let day = self.corpus.day(slot).and_then(day::from_number);
        let bonus = if time.is_only_topic { PERIOD_ONLY_BONUS } else { PERIOD_BONUS };
        day.map_or(0.0, |day| bonus * time.fit(day))
    }

    /// Returns the bonus for confidence and freshness.
    fn near_tie_bonus(&self, slot: Slot) -> f32 {
        let confidence = self.corpus.confidence(slot).unwrap_or(DEFAULT_CONFIDENCE);
        let age_days = self.corpus.day(slot).map(|day| self.today.saturating_sub(day).max(0));
        let freshness = age_days
            .map_or(0.0, |age| FRESHNESS_HALF_LIFE_DAYS / (FRESHNESS_HALF_LIFE_DAYS + age as f32));
        CONFIDENCE_WEIGHT * (confidence - DEFAULT_CONFIDENCE) + FRESHNESS_BONUS * freshness
    }
}

/// Sums from positive zero: `Iterator::sum` of no floats is negative zero, which would be printed as `-0`.
fn sum(scores: impl Iterator<Item = f32>) -> f32 {
    scores.fold(0.0, |sum, score| sum + score)
}

/// Returns the weight of a term, saturated by its frequency.
fn saturated(weight: f32, frequency: f32) -> f32 {
    weight * frequency / (frequency + SATURATION)
}

/// Returns the frequency of a term in a memory, normalised by the length of the memory.
fn normalised_frequency(corpus: &impl Corpus, posting: &Posting) -> f32 {
    posting.count as f32 * corpus.length_normalisation(posting.slot)
}

/// Returns the terms of the question that memories contain, correcting misspelt ones, and the weight of all its terms.
/// A term that no memory contains weighs as well, so that a question about something unknown gets low scores.
fn match_terms(corpus: &impl Corpus, question: &Question<'_>) -> (Vec<MatchedTerm>, f32) {
    // A term that a long text repeats in several chunks is no more common for that.
    let size = corpus.passage_count() as f32;
    let idf = |document_frequency: usize| {
        let document_frequency = document_frequency as f32;
        (1.0 + (size - document_frequency + 0.5).max(0.0) / (document_frequency + 0.5)).ln()
    };
    let mut total_weight = 0.0;
    let mut corrected_words = 0;
    let mut matched: Vec<MatchedTerm> = Vec::with_capacity(question.terms.len());
    for asked in &question.terms {
        let mut postings = Vec::new();
        corpus.postings(&asked.term, &mut postings);
        let weight = idf(corpus.count_passages(&postings));
        total_weight += weight;
        let near = match_near_terms(corpus, asked, postings.len().max(MAX_NEAR_POSTINGS));
        if !postings.is_empty() || !near.is_empty() {
            let term = asked.term.clone();
            matched.push(MatchedTerm { term, typed: None, weight, postings, near });
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
        max_postings -= postings.len();
        let factor = NEAR_TERM_FACTOR * near.cosine;
        let term = near.term.clone();
        (!postings.is_empty()).then_some(MatchedNearTerm { term, factor, postings })
    });
    matched.take(MAX_NEAR_TERMS).collect()
}

/// Returns the memories with the best scores by their own terms: `limit` that pass the filter, and `limit` of
/// all, since a memory outside the filter may still be the neighbour of an answer.
fn best_by_terms(corpus: &impl Corpus, terms: &[MatchedTerm], limit: usize) -> Vec<Slot> {
    let mut scores = vec![0.0_f32; corpus.slot_bound()];
    let mut matching: Vec<Slot> = Vec::new();
    for term in terms {
        term.for_each_posting(|posting, factor| {
            let score = &mut scores[posting.slot as usize];
            if *score == 0.0 {
                matching.push(posting.slot);
            }
            *score += saturated(term.weight, factor * normalised_frequency(corpus, posting));
        });
    }
    let passing: Vec<Slot> =
        matching.iter().copied().filter(|slot| corpus.is_selected(*slot)).collect();
    let mut best = top_scoring(corpus, &passing, &scores, limit);
    if passing.len() < matching.len() {
        best.extend(top_scoring(corpus, &matching, &scores, limit));
    }
    best
}

/// Returns the `limit` slots with the highest scores, in no order.
fn top_scoring(corpus: &impl Corpus, slots: &[Slot], scores: &[f32], limit: usize) -> Vec<Slot> {
    let score = |slot: &Slot| scores[*slot as usize];
    let better = |a: &(f32, Slot), b: &(f32, Slot)| {
        b.0.total_cmp(&a.0).then_with(|| corpus.tie_break_key(a.1).cmp(&corpus.tie_break_key(b.1)))
    };
    // A score below the best `limit` of a sample is also below the best `limit` of all.
    let mut min_score = 0.0;
    let sample_size = limit * SAMPLES_PER_CANDIDATE;
    if slots.len() > sample_size * 2 {
        let sample = slots.iter().step_by(slots.len() / sample_size);
        let mut sample: Vec<f32> = sample.map(score).collect();
        min_score = *sample.select_nth_unstable_by(limit, |a, b| b.total_cmp(a)).1;
    }
    let scored = slots.iter().map(|slot| (score(slot), *slot));
    let mut best: Vec<(f32, Slot)> = scored.filter(|(score, _)| *score >= min_score).collect();
    if best.len() > limit {
        best.select_nth_unstable_by(limit, better);
        best.truncate(limit);
    }
    best.into_iter().map(|(_, slot)| slot).collect()
}

/// Returns the memories that fit a period best, the latest among equals. If none fits and the question names nothing
/// else, returns the nearest ones.
fn best_by_time(corpus: &impl Corpus, time: &NamedPeriod, limit: usize) -> Vec<Slot> {
    let fitting = best_by_day(corpus, limit, |day| Some(time.fit(day)).filter(|fit| *fit > 0.0));
    match fitting.is_empty() && time.is_only_topic {
        true => best_by_day(corpus, limit, |day| Some(-(time.distance(day) as f32))),
        false => fitting,
    }
}

/// Returns the memories whose days score highest, the latest among equals.
fn best_by_day(
    corpus: &impl Corpus,
    limit: usize,
    score: impl Fn(Date) -> Option<f32>,
) -> Vec<Slot> {
    // Consecutive slots often share a day, so the last score is cached.
    let (mut cached_day, mut cached_score) = (i32::MIN, None);
    let mut found: Vec<(f32, i32, Slot)> = Vec::new();
    for slot in (0..corpus.slot_bound() as Slot).filter(|slot| corpus.is_selected(*slot)) {
        let Some(day) = corpus.day(slot) else { continue };
        if day != cached_day {
            (cached_day, cached_score) = (day, day::from_number(day).and_then(&score));
        }
        found.extend(cached_score.map(|score| (score, day, slot)));
    }
    if found.len() > limit {
        found.select_nth_unstable_by(limit, |a, b| {
            let by_score_and_day = b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1));
            by_score_and_day.then_with(|| corpus.tie_break_key(a.2).cmp(&corpus.tie_break_key(b.2)))
        });
        found.truncate(limit);
    }
    found.into_iter().map(|(_, _, slot)| slot).collect()
}

/// The memories whose exact score is computed, and their neighbours.
struct CandidateSet {
    slots: Vec<Slot>,
    /// The position of each slot of the corpus in `slots`, or [`NOT_A_CANDIDATE`].
    positions: Vec<u32>,
}

const NOT_A_CANDIDATE: u32 = u32::MAX;

impl CandidateSet {
    /// Creates an empty set for a corpus with this many slots.
    fn new(slots: usize) -> Self {
        CandidateSet { slots: Vec::new(), positions: vec![NOT_A_CANDIDATE; slots] }
    }

    /// Adds memories, their neighbours and their related memories.
    fn add_with_neighbours(&mut self, corpus: &impl Corpus, slots: impl IntoIterator<Item = Slot>) {
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
    fn position(&self, slot: Slot) -> Option<usize> {
        let position = *self.positions.get(slot as usize)?;
        (position != NOT_A_CANDIDATE).then_some(position as usize)
    }

    /// Returns the positions and weights of the candidates that contribute to the score of a candidate, and their
    /// number.
    fn contributors(
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
        for direction in [NeighbourDirection::Backward, NeighbourDirection::Forward] {
            let (mut slot, mut terms_between) = (self.slots[position], 0);
            for distance in 1..=MAX_NEIGHBOUR_STEPS {
                let Some(next) = direction.step(corpus, slot) else { break };
                let halvings = terms_between as f32 / NEIGHBOUR_HALF_DISTANCE;
                let weight = NEIGHBOUR_WEIGHT * (-halvings).exp2();
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

/// The normalised frequency of each term in each candidate.
struct TermFrequencies {
    terms: usize,
    /// All terms of the first candidate, then all of the next.
    frequencies: Vec<f32>,
}

impl TermFrequencies {
    fn new(corpus: &impl Corpus, candidates: &CandidateSet, matched: &[MatchedTerm]) -> Self {
        let terms = matched.len();
        let mut frequencies = vec![0.0; terms * candidates.slots.len()];
        for (index, term) in matched.iter().enumerate() {
            term.for_each_posting(|posting, factor| {
                let position = candidates.positions[posting.slot as usize];
                if position != NOT_A_CANDIDATE {
                    frequencies[position as usize * terms + index] +=
                        factor * normalised_frequency(corpus, posting);
                }
            });
        }
        TermFrequencies { terms, frequencies }
    }

    fn of(&self, position: usize) -> &[f32] {
        &self.frequencies[position * self.terms..][..self.terms]
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
