//! Ranks memories by how well they answer a question.
//!
//! A memory is as good as its best chunk: a long text is scored in chunks of some sixty words, so that texts of all
//! lengths compete on equal terms. The score of a chunk is the weighted share of the question's terms that the chunk and
//! its neighbours contain, plus half of its cosine to the question. A term is weighted by its IDF, and it counts in full
//! if it is frequent for the length of the chunk. The terms of a neighbour count half as much, and less with the text in
//! between. A short memory that is itself a question is rarely the answer, but what follows it often is: a question
//! scores lower and lends more to its successor. Memories that relations link to a memory count like neighbours. In a
//! passage of several chunks, a part of each term's score is that of the whole passage, so that an answer that is spread
//! over a long text is found as well. What the other passages of a document say counts a little, too.
//!
//! The best of many chunks is better by chance alone, so a memory scores lower the more chunks it has, unless the
//! question asks for an account of something, which takes many words. Such a question often paraphrases what it asks
//! for, so memories like its best answers get a bonus (pseudo-relevance feedback).
//!
//! A memory of the period that the question names gets a small bonus, or as much as all terms together if the question
//! names nothing else. Confidence and freshness only break near-ties. A memory that repeats a better one is demoted.

mod candidate_search;
mod candidates;
mod matched_terms;
mod sessions;
mod whole_documents;
mod whole_passages;

use std::cmp::Ordering;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Corpus, Question, Slot};
use crate::day;
use crate::parallel::{self, Work};
use candidate_search::{best_by_terms, best_by_time};
use candidates::CandidateSet;
use matched_terms::{MatchedTerm, TermFrequencies, idf, match_terms, saturated};
use whole_documents::WholeDocuments;
use whole_passages::WholePassages;

pub use sessions::{RankedSession, SessionScoreParts, rank_sessions};

/// How far the length of a chunk dampens its term frequencies, 0 to 1 (`b` in BM25).
const LENGTH_WEIGHT: f32 = 0.5;
/// The length in terms that neither dampens nor raises term frequencies. It is not the mean of the corpus, so that the
/// score of a memory does not depend on the length of others.
const NEUTRAL_LENGTH: f32 = 25.0;
/// The factor on the term score of a short chunk that is itself a question.
const QUESTION_FACTOR: f32 = 0.8;
/// The length in terms up to which the whole factor applies, and from which on it does not apply.
const QUESTION_LENGTHS: (f32, f32) = (10.0, 40.0);

/// The factor on the cosine.
const COSINE_WEIGHT: f32 = 0.5;
/// The weight from which on a term is as rare as can be: one in a hundred memories has it.
const MAX_RARITY_WEIGHT: f32 = 4.5;
/// The share of the mean cosine of all chunks of a passage in its cosine; the rest is that of the chunk.
const MEAN_COSINE_SHARE: f32 = 0.25;
/// The share of the whole passage in the score of a term; the rest is that of the chunk and its neighbours.
const PASSAGE_TERM_SHARE: f32 = 0.4;

/// What a doubling of the number of chunks takes from the score of a memory.
const CHUNK_PENALTY: f32 = 0.07;
/// The most doublings that count.
const MAX_CHUNK_DOUBLINGS: f32 = 3.0;

/// The weight of a memory's mean cosine to the best answers of a question that asks for an account.
const LIKENESS_WEIGHT: f32 = 0.2;
/// How many of the best answers others are compared with.
const COMPARED_ANSWERS: usize = 3;

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

/// The numbers of slots from which on searching their terms is short and long work.
const SLOTS_OF_WORK: [usize; 2] = [20_000, 200_000];
/// The number of vectors from which on comparing them is short work.
const SHORT_WORK_COSINES: usize = 200;
/// The number of candidates from which on computing their scores is short work.
const SHORT_WORK_SCORES: usize = 400;
/// The least number of candidates from each of the three searches: terms, vectors, period.
const MIN_CANDIDATES: usize = 100;
/// The same for archived memories, of which few are shown.
const MIN_ARCHIVED_CANDIDATES: usize = 25;
/// How many candidates from each search there are at least for each result.
const CANDIDATES_PER_RESULT: usize = 2;
/// In a large corpus the number of candidates is the square root of its size, divided by this.
const CANDIDATE_ROOT_DIVISOR: usize = 2;

/// What takes one place in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerUnit {
    /// A memory: a record, an entry or a whole document.
    #[default]
    Memory,
    /// A passage: a record, an entry or a section of a document.
    Passage,
    /// A chunk of a passage.
    Chunk,
    /// A session: all records of a session, or an episode.
    Session,
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
    /// What the other passages of its document add.
    pub document_bonus: f32,
    /// What was taken off because the best of many chunks is better by chance.
    pub chunk_penalty: f32,
    /// The bonus for likeness to the best answers of a question that asks for an account.
    pub likeness_bonus: f32,
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
    /// How rare the term is, 0 to 1: its weight as a share of that of a term which one memory contains, up to a limit.
    pub rarity: f32,
    /// Whether the memory itself contains the term, not only a neighbour.
    pub is_own: bool,
    /// Whether the memory or a neighbour contains the term itself, not only one of nearly the same meaning.
    pub is_exact: bool,
    /// The term of nearly the same meaning that the memory contains instead.
    pub near: Option<String>,
}

/// Returns the factor by which the length of a chunk, in terms, dampens its term frequencies.
pub fn length_normalisation(length: u32) -> f32 {
    length_factor(LENGTH_WEIGHT, length)
}

/// Returns the factor by which a length in terms, which has a weight from 0 to 1, dampens term frequencies.
fn length_factor(weight: f32, length: u32) -> f32 {
    1.0 / (1.0 - weight + weight * length as f32 / NEUTRAL_LENGTH)
}

/// Returns at most `limit` memories or passages that answer a question best, best first.
pub fn rank(
    corpus: &impl Corpus,
    question: &Question<'_>,
    unit: AnswerUnit,
    limit: usize,
) -> Vec<RankedMemory> {
    let limit = limit.min(corpus.slot_bound());
    Ranking::new(corpus, question, unit, limit).best(limit)
}

/// Returns the same as [`rank`], and the archived memories that would be among these if they were not archived, with at most
/// `later` of those that would come soon after. The corpus must have archived memories beside it.
pub fn rank_with_archived(
    corpus: &impl Corpus,
    question: &Question<'_>,
    unit: AnswerUnit,
    limit: usize,
    later: usize,
) -> (Vec<RankedMemory>, Vec<RankedMemory>) {
    let limit = limit.min(corpus.slot_bound());
    Ranking::new(corpus, question, unit, limit).best_with_archived(limit, later)
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
        if let Some(position) = candidates.position(*slot) {
            cosines[position] = *cosine;
        }
    }
    let missing = candidates.slots.iter().zip(&cosines).filter(|(_, cosine)| cosine.is_none());
    let missing: Vec<Slot> = missing.map(|(slot, _)| *slot).collect();
    let (first, second) = missing.split_at(missing.len() / 2);
    let compute = |slots: &[Slot]| corpus.cosines(slots, &question.vector);
    let work = Work::of(missing.len(), SHORT_WORK_COSINES, usize::MAX);
    let (first, second) = parallel::join(work, || compute(first), || compute(second));
    let mut computed = first.into_iter().chain(second);
    let complete = cosines.into_iter().map(|cosine| cosine.or_else(|| computed.next()));
    complete.map(Option::unwrap_or_default).collect()
}

/// The candidates for an answer, and the inputs of the exact score of each.
struct Ranking<'r, C> {
    corpus: &'r C,
    question: &'r Question<'r>,
    unit: AnswerUnit,
    terms: Vec<MatchedTerm>,
    /// The weight of all terms of the question.
    total_weight: f32,
    candidates: CandidateSet,
    frequencies: TermFrequencies,
    /// The cosine of each candidate and the question.
    cosines: Vec<f32>,
    /// The passages of several chunks that candidates are part of.
    passages: WholePassages,
    /// The number of the day on which the question is asked.
    today: i32,
}

/// The score of a candidate and its position among the candidates.
type ScoredPosition = (f32, usize);

/// A candidate for a place in the answer, with what changed its score after it was compared with better ones.
struct Contender {
    scored: ScoredPosition,
    document_bonus: f32,
    likeness_bonus: f32,
    repeats: bool,
}

impl Contender {
    fn new(scored: ScoredPosition) -> Self {
        Contender { scored, document_bonus: 0.0, likeness_bonus: 0.0, repeats: false }
    }
}

impl<'r, C: Corpus> Ranking<'r, C> {
    /// Searches for the candidates of an answer with at most `limit` places.
    fn new(corpus: &'r C, question: &'r Question<'r>, unit: AnswerUnit, limit: usize) -> Self {
        let enough = MIN_CANDIDATES.max(corpus.size().isqrt() / CANDIDATE_ROOT_DIVISOR);
        let max_candidates = enough
            .max(limit.saturating_mul(CANDIDATES_PER_RESULT))
            .min(corpus.slot_bound().max(enough));
        let archived_candidates = MIN_ARCHIVED_CANDIDATES.max(limit);
        let search_vectors = || match question.vector.is_empty() {
            true => vec![],
            false => {
                corpus.nearest_with_archived(&question.vector, max_candidates, archived_candidates)
            }
        };
        let search_terms = || {
            let (terms, total_weight) = match_terms(corpus, question);
            let mut candidates = CandidateSet::new(corpus.slot_bound());
            let found = best_by_terms(corpus, &terms, max_candidates, archived_candidates);
            candidates.add_with_neighbours(corpus, found);
            (terms, total_weight, candidates)
        };
        // The vector search takes longer, so it stays on this thread and does not wait for another to start.
        let [short, long] = SLOTS_OF_WORK;
        let work = Work::of(corpus.slot_bound(), short, long);
        let ((terms, total_weight, mut candidates), nearest) =
            parallel::join(work, search_terms, search_vectors);
        candidates.add_with_neighbours(corpus, nearest.iter().map(|(slot, _)| *slot));
        if let Some(time) = &question.time {
            let found = best_by_time(corpus, time, max_candidates, archived_candidates);
            candidates.add_with_neighbours(corpus, found);
        }
        let cosines = cosines(corpus, question, &candidates, &nearest);
        let frequencies = TermFrequencies::new(corpus, &candidates, &terms);
        Ranking {
            corpus,
            question,
            unit,
            passages: WholePassages::new(corpus, &candidates, &frequencies, &cosines),
            frequencies,
            terms,
            total_weight,
            cosines,
            candidates,
            today: day::to_number(question.today),
        }
    }

    /// Returns at most `limit` candidates, best first.
    fn best(&self, limit: usize) -> Vec<RankedMemory> {
        let contenders = self.contenders(self.scores(), limit);
        contenders.iter().take(limit).map(|contender| self.ranked_memory(contender)).collect()
    }

    /// Returns the same, and the archived candidates that would be among them, with at most `later` of those that would come
    /// soon after.
    fn best_with_archived(
        &self,
        limit: usize,
        later: usize,
    ) -> (Vec<RankedMemory>, Vec<RankedMemory>) {
        let is_contained =
            |(_, position): &ScoredPosition| self.corpus.contains(self.candidates.slots[*position]);
        let (scores, archived) = self.scores().into_iter().partition(is_contained);
        let contenders = self.contenders(scores, limit);
        let archived = self.archived_contenders(archived, &contenders, limit + later);
        let mut better = contenders.iter().peekable();
        let mut later = later;
        let mut shown: Vec<RankedMemory> = Vec::new();
        let mut rank = 0;
        for contender in &archived {
            while better.next_if(|it| self.compare(&it.scored, &contender.scored).is_lt()).is_some()
            {
                rank += 1;
            }
            if rank >= limit {
                let Some(rest) = later.checked_sub(1).filter(|_| better.peek().is_some()) else {
                    break;
                };
                later = rest;
            }
            shown.push(self.ranked_memory(contender));
            rank += 1;
        }
        let best = contenders.iter().take(limit);
        (best.map(|contender| self.ranked_memory(contender)).collect(), shown)
    }

    /// Returns the best archived candidates, best first. They are compared with each other and with the contenders that are
    /// not archived.
    fn archived_contenders(
        &self,
        mut scores: Vec<ScoredPosition>,
        others: &[Contender],
        most: usize,
    ) -> Vec<Contender> {
        self.keep_best_of_each(&mut scores);
        let mut found: Vec<Contender> = scores.into_iter().map(Contender::new).collect();
        self.add_likeness_bonus(&mut found, &self.best_slots(others));
        found.sort_by(|a, b| self.compare(&a.scored, &b.scored));
        found.truncate(most.saturating_add(SPARE_RESULTS));
        let slot = |contender: &Contender| self.candidates.slots[contender.scored.1];
        let mut distinct: Vec<Slot> = others.iter().take(most).map(slot).collect();
        for contender in &mut found {
            let own = slot(contender);
            let is_alike = |other: &Slot| self.corpus.cosine(*other, own) >= MIN_REPETITION_COSINE;
            contender.repeats = distinct.iter().any(is_alike);
            if contender.repeats {
                contender.scored.0 *= REPETITION_FACTOR;
            } else {
                distinct.push(own);
            }
        }
        found.sort_by(|a, b| self.compare(&a.scored, &b.scored));
        found
    }

    /// Returns the candidates that may be among the best `limit`, best first.
    fn contenders(&self, mut scores: Vec<ScoredPosition>, limit: usize) -> Vec<Contender> {
        let documents =
            (self.unit == AnswerUnit::Memory).then(|| WholeDocuments::new(self, &scores));
        self.keep_best_of_each(&mut scores);
        let mut contenders: Vec<Contender> = scores.into_iter().map(Contender::new).collect();
        if let Some(documents) = documents {
            for contender in &mut contenders {
                contender.document_bonus = documents.bonus(self, contender.scored.1);
                contender.scored.0 += contender.document_bonus;
            }
        }
        let better = |a: &Contender, b: &Contender| self.compare(&a.scored, &b.scored);
        let kept = limit.saturating_add(SPARE_RESULTS);
        if contenders.len() > kept {
            contenders.select_nth_unstable_by(kept, better);
            contenders.truncate(kept);
        }
        contenders.sort_by(better);
        self.add_own_likeness_bonus(&mut contenders);
        // A context leaves out what is said twice itself, and asks for more chunks than can be compared quickly.
        if self.unit != AnswerUnit::Chunk {
            self.demote_repetitions(&mut contenders, limit);
        }
        contenders
    }

    /// Adds the bonus for likeness to the best of the contenders, given best first, and sorts them again.
    fn add_own_likeness_bonus(&self, contenders: &mut [Contender]) {
        let best: Vec<Slot> = self.best_slots(contenders);
        self.add_likeness_bonus(contenders, &best);
        contenders.sort_by(|a, b| self.compare(&a.scored, &b.scored));
    }

    /// Returns the slots that others are compared with, of contenders given best first.
    fn best_slots(&self, contenders: &[Contender]) -> Vec<Slot> {
        let best = contenders.iter().take(COMPARED_ANSWERS);
        best.map(|contender| self.candidates.slots[contender.scored.1]).collect()
    }

    /// Adds the bonus for likeness to the best answers, if the question asks for an account.
    fn add_likeness_bonus(&self, contenders: &mut [Contender], best: &[Slot]) {
        if !self.question.asks_for_account || self.question.vector.is_empty() {
            return;
        }
        for contender in contenders {
            let own = self.candidates.slots[contender.scored.1];
            let others = best.iter().filter(|other| **other != own);
            let (total, count) = others.fold((0.0, 0.0_f32), |(total, count), other| {
                (total + self.corpus.cosine(*other, own), count + 1.0)
            });
            contender.likeness_bonus = LIKENESS_WEIGHT * total / count.max(1.0);
            contender.scored.0 += contender.likeness_bonus;
        }
    }

    /// Lowers the scores of contenders, given best first, that repeat a better one, and sorts again.
    fn demote_repetitions(&self, contenders: &mut [Contender], limit: usize) {
        let scores: Vec<ScoredPosition> =
            contenders.iter().map(|contender| contender.scored).collect();
        for (contender, repeats) in contenders.iter_mut().zip(self.find_repetitions(&scores, limit))
        {
            contender.repeats = repeats;
            if repeats {
                contender.scored.0 *= REPETITION_FACTOR;
            }
        }
        contenders.sort_by(|a, b| self.compare(&a.scored, &b.scored));
    }

    /// Orders candidates: the better one comes first.
    fn compare(&self, a: &ScoredPosition, b: &ScoredPosition) -> Ordering {
        let tie_break =
            |position: usize| self.corpus.tie_break_key(self.candidates.slots[position]);
        b.0.total_cmp(&a.0).then_with(|| tie_break(a.1).cmp(&tie_break(b.1)))
    }

    fn ranked_memory(&self, contender: &Contender) -> RankedMemory {
        let (score, position) = contender.scored;
        let slot = self.candidates.slots[position];
        let parts = ScoreParts {
            document_bonus: contender.document_bonus,
            likeness_bonus: contender.likeness_bonus,
            is_repetition: contender.repeats,
            ..self.explain(position)
        };
        RankedMemory { slot, score, parts }
    }

    /// Keeps the best chunk of each memory or passage.
    fn keep_best_of_each(&self, scores: &mut Vec<ScoredPosition>) {
        let unit = |position: usize| {
            let slot = self.candidates.slots[position];
            match self.unit {
                AnswerUnit::Memory => self.corpus.memory(slot),
                AnswerUnit::Passage | AnswerUnit::Session => self.corpus.passage(slot).into(),
                AnswerUnit::Chunk => slot.into(),
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
        let count = self.candidates.slots.len();
        let (first, second) = parallel::join(
            Work::of(count, SHORT_WORK_SCORES, usize::MAX),
            || self.scores_of(0..count / 2),
            || self.scores_of(count / 2..count),
        );
        [first, second].concat()
    }

    /// Returns the score of each candidate in a range of positions that may be in the answer.
    fn scores_of(&self, positions: Range<usize>) -> Vec<ScoredPosition> {
        let mut frequencies = Vec::new();
        let slots = positions.map(|position| (position, self.candidates.slots[position]));
        slots
            .filter(|(_, slot)| self.corpus.is_selected(*slot) || self.corpus.is_archived(*slot))
            .map(|(position, slot)| {
                self.sum_frequencies(position, &mut frequencies);
                let words = sum(self.term_scores(&frequencies, position).map(|(_, score)| score));
                let bonus = self.period_bonus(slot) + self.near_tie_bonus(slot);
                let score = words + self.cosine_score(position) + bonus;
                (score - self.chunk_penalty(slot), position)
            })
            .collect()
    }

    /// Returns the components of the score of a candidate, before it is compared with better ones.
    fn explain(&self, position: usize) -> ScoreParts {
        let slot = self.candidates.slots[position];
        let mut frequencies = Vec::new();
        self.sum_frequencies(position, &mut frequencies);
        let own = self.frequencies.of(position);
        let scores = || self.term_scores(&frequencies, position);
        let (contributors, count) = self.candidates.contributors(self.corpus, position);
        let of_passage = self.passages.of(position).into_iter().flat_map(|passage| &passage.chunks);
        let neighbours = contributors[..count].iter().map(|(neighbour, _)| *neighbour as usize);
        let around: Vec<usize> = neighbours.chain(of_passage.copied()).collect();
        let is_exact = |term: &MatchedTerm| {
            let is_in = |position: &usize| term.is_in(self.candidates.slots[*position]);
            is_in(&position) || around.iter().any(is_in)
        };
        let term_score = |(index, share): (usize, f32)| TermScore {
            term: self.terms[index].term.clone(),
            typed: self.terms[index].typed.clone(),
            score: share,
            rarity: self.rarity(self.terms[index].weight),
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
            terms: scores().map(term_score).collect(),
            is_question: self.corpus.is_question(slot),
            ..ScoreParts::default()
        }
    }

    /// Returns how rare a term with a weight is. In a large corpus, all terms of few memories are equally rare.
    fn rarity(&self, weight: f32) -> f32 {
        let limit = MAX_RARITY_WEIGHT.min(idf(self.corpus.passage_count().max(1), 1));
        (weight / limit).min(1.0)
    }

    /// Returns the weighted cosine of a candidate and the question.
    fn cosine_score(&self, position: usize) -> f32 {
        let own = self.cosines[position];
        let mean = self.passages.of(position).map_or(own, |passage| passage.mean_cosine);
        COSINE_WEIGHT * ((1.0 - MEAN_COSINE_SHARE) * own + MEAN_COSINE_SHARE * mean)
    }

    /// Returns what a memory loses because the best of its chunks is better by chance. A question for an account is
    /// answered by long texts.
    fn chunk_penalty(&self, slot: Slot) -> f32 {
        let count = self.corpus.chunk_count(slot);
        if count <= 1 || self.question.asks_for_account || self.unit == AnswerUnit::Session {
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

    /// Returns what each term that a candidate, its neighbours or its passage contain adds to its score.
    fn term_scores(
        &self,
        frequencies: &[f32],
        position: usize,
    ) -> impl Iterator<Item = (usize, f32)> {
        let factor = self.question_factor(self.candidates.slots[position]);
        let passage = self.passages.of(position);
        let score = move |(index, frequency): (usize, &f32)| {
            let share = |frequency| saturated(self.terms[index].weight, frequency);
            let own = factor * share(*frequency);
            let score = match passage.map(|passage| share(passage.frequencies[index])) {
                Some(whole) => (1.0 - PASSAGE_TERM_SHARE) * own + PASSAGE_TERM_SHARE * whole,
                None => own,
            };
            (index, score / self.total_weight)
        };
        frequencies.iter().enumerate().map(score).filter(|(_, score)| *score > 0.0)
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
