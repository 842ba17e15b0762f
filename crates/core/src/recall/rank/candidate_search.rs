//! Finds the candidates of a question by its terms and by the time that it names.

use jiff::civil::Date;

use super::matched_terms::{MatchedTerm, normalised_frequency, saturated};
use crate::day;
use crate::recall::{Corpus, NamedPeriod, Slot};

/// A term with fewer postings for each candidate is not worth pruning.
const MIN_PRUNED_POSTINGS: usize = 16;

/// How many scores are sampled per candidate to estimate the least score of a candidate.
const SAMPLES_PER_CANDIDATE: usize = 16;

/// Returns the memories with the best scores by their own terms: `limit` that pass the filter, and `limit` of
/// all, since a memory outside the filter may still be the neighbour of an answer. If archived ones are ranked beside them,
/// also `archived_limit` of those.
pub(super) fn best_by_terms(
    corpus: &impl Corpus,
    terms: &[MatchedTerm],
    limit: usize,
    archived_limit: usize,
) -> Vec<Slot> {
    let mut scores = vec![0.0_f32; corpus.slot_bound()];
    let mut matching: Vec<Slot> = Vec::new();
    // The rarest terms come first. As soon as the rest cannot lift a memory among the best that has none of them, only
    // those that may be among the best are looked up in the long lists of the frequent terms.
    let mut by_weight: Vec<&MatchedTerm> = terms.iter().collect();
    by_weight.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut rest: f32 = by_weight.iter().map(|term| term.weight).sum();
    let mut frequent = by_weight.as_slice();
    while let Some((term, later)) = frequent.split_first() {
        if matching.len() > limit && term.posting_count() > limit * MIN_PRUNED_POSTINGS {
            let min_score = least_of_best(corpus, &matching, &scores, limit);
            if rest < min_score {
                matching.retain(|slot| scores[*slot as usize] + rest >= min_score);
                break;
            }
        }
        term.for_each_posting(|posting, factor| {
            let score = &mut scores[posting.slot as usize];
            if *score == 0.0 {
                matching.push(posting.slot);
            }
            *score += saturated(term.weight, factor * normalised_frequency(corpus, posting));
        });
        rest -= term.weight;
        frequent = later;
    }
    for term in frequent {
        for slot in &matching {
            term.for_each_posting_of(*slot, |posting, factor| {
                scores[*slot as usize] +=
                    saturated(term.weight, factor * normalised_frequency(corpus, posting));
            });
        }
    }
    let passing: Vec<Slot> =
        matching.iter().copied().filter(|slot| corpus.is_selected(*slot)).collect();
    let mut best = top_scoring(corpus, &passing, &scores, limit);
    if passing.len() == matching.len() {
        return best;
    }
    if corpus.has_archived() {
        let archived: Vec<Slot> =
            matching.iter().copied().filter(|slot| corpus.is_archived(*slot)).collect();
        best.extend(top_scoring(corpus, &archived, &scores, archived_limit));
        matching.retain(|slot| corpus.contains(*slot));
    }
    if passing.len() < matching.len() {
        best.extend(top_scoring(corpus, &matching, &scores, limit));
    }
    best
}

/// Returns the `limit`-th best score of those slots that pass the filter; 0 if there are fewer.
fn least_of_best(corpus: &impl Corpus, slots: &[Slot], scores: &[f32], limit: usize) -> f32 {
    let passing = slots.iter().filter(|slot| corpus.is_selected(**slot));
    let mut passing: Vec<f32> = passing.map(|slot| scores[*slot as usize]).collect();
    match limit.checked_sub(1).filter(|last| *last < passing.len()) {
        Some(last) => *passing.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
        None => 0.0,
    }
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
pub(super) fn best_by_time(
    corpus: &impl Corpus,
    time: &NamedPeriod,
    limit: usize,
    archived_limit: usize,
) -> Vec<Slot> {
    let best = |limit: usize, is_wanted: &dyn Fn(Slot) -> bool| {
        let fit = |day| Some(time.fit(day)).filter(|fit| *fit > 0.0);
        let fitting = best_by_day(corpus, limit, is_wanted, fit);
        match fitting.is_empty() && time.is_only_topic {
            true => best_by_day(corpus, limit, is_wanted, |day| Some(-(time.distance(day) as f32))),
            false => fitting,
        }
    };
    let mut found = best(limit, &|slot| corpus.is_selected(slot));
    if corpus.has_archived() {
        found.extend(best(archived_limit, &|slot| corpus.is_archived(slot)));
    }
    found
}

/// Returns the memories whose days score highest, the latest among equals.
fn best_by_day(
    corpus: &impl Corpus,
    limit: usize,
    is_wanted: &dyn Fn(Slot) -> bool,
    score: impl Fn(Date) -> Option<f32>,
) -> Vec<Slot> {
    // Consecutive slots often share a day, so the last score is cached.
    let (mut cached_day, mut cached_score) = (i32::MIN, None);
    let mut found: Vec<(f32, i32, Slot)> = Vec::new();
    for slot in (0..corpus.slot_bound() as Slot).filter(|slot| is_wanted(*slot)) {
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
