//! Ranks sessions by all that they hold.
//!
//! The score of a session is that of its best chunk, plus half the mean score of its three best chunks, since one chunk
//! may match by chance, plus the weighted share of the question's terms that the session contains anywhere. A term counts
//! in full if it is frequent for the length of the session, so that a very long session, which contains every word once,
//! gains nothing.

use rustc_hash::FxHashMap;

use super::matched_terms::idf;
use super::{AnswerUnit, Contender, RankedMemory, Ranking, ScoredPosition, sum};
use crate::recall::{Corpus, Question, Slot};

/// The weight of the share of the question's terms that a session contains.
const TERM_SHARE_WEIGHT: f32 = 0.3;
/// A term has half of its weight if it occurs once in so many terms of a session.
const HALF_WEIGHT_DISTANCE: f32 = 300.0;
/// The weight of the mean score of the best chunks.
const MEAN_WEIGHT: f32 = 0.5;
/// How many chunks the mean score is of.
const BEST_CHUNKS: usize = 3;
/// How many memories are ranked for each session of the answer.
const MEMORIES_PER_SESSION: usize = 20;

/// A session with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSession {
    /// The chunks of the session that pass the filter, in order.
    pub slots: Vec<Slot>,
    /// The score that orders the result.
    pub score: f32,
    /// The components of the score.
    pub parts: SessionScoreParts,
    /// Its best memories, best first.
    pub memories: Vec<RankedMemory>,
}

impl RankedSession {
    /// Returns whether a memory of the session answers the question.
    pub fn is_answer(&self) -> bool {
        self.memories.iter().any(RankedMemory::is_answer)
    }
}

/// The components of a session's score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionScoreParts {
    /// The score of its best chunk.
    pub best: f32,
    /// The weighted share of the question's terms that it contains.
    pub term_score: f32,
    /// The weighted mean score of its best chunks.
    pub mean_score: f32,
}

impl SessionScoreParts {
    fn total(&self) -> f32 {
        self.best + self.mean_score + self.term_score
    }
}

/// Returns at most `limit` sessions that answer a question best, best first, each with at most `memories` of its best
/// memories.
pub fn rank_sessions(
    corpus: &impl Corpus,
    question: &Question<'_>,
    limit: usize,
    memories: usize,
) -> Vec<RankedSession> {
    let limit = limit.min(corpus.slot_bound());
    let candidates = limit.saturating_mul(MEMORIES_PER_SESSION).min(corpus.slot_bound());
    let ranking = Ranking::new(corpus, question, AnswerUnit::Session, candidates);
    let sessions = Sessions::new(corpus);
    let mut scored: FxHashMap<u32, Vec<ScoredPosition>> = FxHashMap::default();
    for (score, position) in ranking.scores() {
        let session = sessions.of_slot[ranking.candidates.slots[position] as usize];
        scored.entry(session).or_default().push((score, position));
    }
    let term_scores = term_scores(&ranking, &sessions);
    let mut ranked: Vec<(SessionScoreParts, u32)> = scored
        .iter()
        .map(|(session, chunks)| {
            let best = chunks.iter().map(|(score, _)| *score).fold(f32::MIN, f32::max);
            let mean_score = MEAN_WEIGHT * mean_of_best(chunks, sessions.slots(*session).len());
            let term_score = TERM_SHARE_WEIGHT * term_scores[*session as usize];
            (SessionScoreParts { best, mean_score, term_score }, *session)
        })
        .collect();
    let tie_break = |session: u32| corpus.tie_break_key(sessions.slots(session)[0]);
    ranked.sort_by(|(a, a_session), (b, b_session)| {
        let by_score = b.total().total_cmp(&a.total());
        by_score.then_with(|| tie_break(*a_session).cmp(&tie_break(*b_session)))
    });
    ranked.truncate(limit);
    let with_memories = ranked.into_iter().map(|(parts, session)| RankedSession {
        slots: sessions.slots(session).to_vec(),
        score: parts.total(),
        parts,
        memories: best_memories(&ranking, &scored[&session], memories),
    });
    with_memories.collect()
}

/// The sessions of a corpus: chains of chunks that pass the filter.
struct Sessions {
    /// The number of the session of each slot.
    of_slot: Vec<u32>,
    /// The chunks of all sessions, one session after the other.
    slots: Vec<Slot>,
    /// Where each session begins in `slots`, and where the last one ends.
    starts: Vec<usize>,
}

/// The number of a slot that is in no session.
const NO_SESSION: u32 = u32::MAX;

impl Sessions {
    fn new(corpus: &impl Corpus) -> Self {
        let bound = corpus.slot_bound();
        let mut sessions =
            Sessions { of_slot: vec![NO_SESSION; bound], slots: Vec::new(), starts: vec![0] };
        let begins_session = |slot: &Slot| corpus.previous(*slot).is_none();
        // In a damaged index a chain may have no beginning; then any of its chunks is one.
        let all = 0..bound as Slot;
        for first in all.clone().filter(begins_session).chain(all) {
            if sessions.of_slot[first as usize] != NO_SESSION {
                continue;
            }
            let number = (sessions.starts.len() - 1) as u32;
            let mut current = Some(first);
            while let Some(slot) = current {
                let of_slot = &mut sessions.of_slot[slot as usize];
                if *of_slot != NO_SESSION {
                    break;
                }
                *of_slot = number;
                if corpus.is_selected(slot) {
                    sessions.slots.push(slot);
                }
                current = corpus.next(slot);
            }
            sessions.starts.push(sessions.slots.len());
        }
        sessions
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn slots(&self, session: u32) -> &[Slot] {
        let session = session as usize;
        &self.slots[self.starts[session]..self.starts[session + 1]]
    }
}

/// Returns for each session the weighted share of the question's terms that it contains.
fn term_scores<C: Corpus>(ranking: &Ranking<'_, C>, sessions: &Sessions) -> Vec<f32> {
    let corpus = ranking.corpus;
    let lengths: Vec<u32> = (0..sessions.count() as u32)
        .map(|session| sessions.slots(session).iter().map(|slot| corpus.term_count(*slot)).sum())
        .collect();
    let session_count = lengths.iter().filter(|length| **length > 0).count();
    let mut scores = vec![0.0; lengths.len()];
    let mut counts = vec![0.0; lengths.len()];
    let mut total_weight = 0.0;
    for term in &ranking.terms {
        counts.fill(0.0);
        let mut with_term = 0;
        term.for_each_posting(|posting, factor| {
            if !corpus.is_selected(posting.slot) {
                return;
            }
            let session = sessions.of_slot[posting.slot as usize] as usize;
            with_term += usize::from(counts[session] == 0.0);
            counts[session] += factor * posting.count as f32;
        });
        let weight = idf(session_count, with_term);
        total_weight += weight;
        for ((score, count), length) in scores.iter_mut().zip(&counts).zip(&lengths) {
            if *count > 0.0 {
                *score += weight * count / (count + *length as f32 / HALF_WEIGHT_DISTANCE);
            }
        }
    }
    let unknown_terms = ranking.question.terms.len().saturating_sub(ranking.terms.len());
    total_weight += unknown_terms as f32 * idf(session_count, 0);
    scores.iter_mut().for_each(|score| *score /= total_weight.max(f32::EPSILON));
    scores
}

/// Returns the mean score of the best chunks of a session, which has `of_session` chunks.
fn mean_of_best(chunks: &[ScoredPosition], of_session: usize) -> f32 {
    let mut scores: Vec<f32> = chunks.iter().map(|(score, _)| *score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let most = BEST_CHUNKS.min(of_session.max(1));
    sum(scores.into_iter().take(most)) / most as f32
}

/// Returns the best memories of a session.
fn best_memories<C: Corpus>(
    ranking: &Ranking<'_, C>,
    chunks: &[ScoredPosition],
    most: usize,
) -> Vec<RankedMemory> {
    let mut scores = chunks.to_vec();
    ranking.keep_best_of_each(&mut scores);
    scores.sort_by(|a, b| ranking.compare(a, b));
    scores.truncate(most);
    let contenders = scores.into_iter().map(Contender::new);
    contenders.map(|contender| ranking.ranked_memory(&contender)).collect()
}
