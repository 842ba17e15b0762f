//! Nearest-neighbour search among the vectors of segments.

use std::ops::Range;
use std::sync::Arc;

use heirloom_core::recall::{Corpus, Slot};
use heirloom_core::{kernels, parallel};

use crate::quantise::QuantisedVector;
use crate::segment::Segment;
use crate::vector_numbers::VectorNumbers;

/// How many vectors ahead are prefetched.
const PREFETCH_AHEAD: usize = 10;

/// How many sign vectors are compared as one unit of work.
const VECTORS_PER_CHUNK: usize = 65_536;

/// How many units of work a further thread must have to be worth starting.
const MIN_CHUNKS_PER_THREAD: usize = 4;

/// How many vectors are scored exactly for each result: the nearest by their sign bits.
const CANDIDATES_PER_RESULT: usize = 2;

/// At least this many times the square root of the number of memories are scored exactly: sign bits discriminate less
/// in a large index.
pub(crate) const CANDIDATES_PER_ROOT: usize = 2;

/// The vectors of some segments.
#[derive(Clone, Copy)]
pub(crate) struct VectorSearch<'s> {
    pub(crate) segments: &'s [Arc<Segment>],
    pub(crate) numbers: &'s VectorNumbers,
}

/// A vector that is near the query by its sign bits.
struct Candidate {
    segment: usize,
    vector: usize,
    slot: Slot,
    distance: u8,
}

/// How many vectors have each distance.
pub(crate) type Histogram = [usize; 256];

/// Which slots a search returns.
pub(crate) struct Wanted<F> {
    /// The most slots.
    pub(crate) most: usize,
    /// Of how many.
    pub(crate) of: usize,
    /// Whether a slot may be among them.
    pub(crate) is_selected: F,
}

/// The Hamming distances of all vectors from a query.
pub(crate) struct Distances<'q> {
    query: &'q QuantisedVector,
    all: Vec<u8>,
    histogram: Histogram,
}

/// Counts how many vectors have each distance. Uses four histograms in turn, since most distances are
/// alike and repeated increments of one counter stall the processor.
pub(crate) fn histogram(distances: &[u8]) -> Histogram {
    let mut counts = [[0_u32; 256]; 4];
    let (chunks, rest) = distances.as_chunks::<4>();
    for [a, b, c, d] in chunks {
        counts[0][*a as usize] += 1;
        counts[1][*b as usize] += 1;
        counts[2][*c as usize] += 1;
        counts[3][*d as usize] += 1;
    }
    rest.iter().for_each(|distance| counts[0][*distance as usize] += 1);
    std::array::from_fn(|distance| counts.iter().map(|counts| counts[distance] as usize).sum())
}

/// Returns the smallest distance within which at least `count` vectors are, and how many those are;
/// `None` if there are fewer vectors.
pub(crate) fn radius_of(histogram: &Histogram, count: usize) -> Option<(u8, usize)> {
    let mut within = 0;
    histogram.iter().enumerate().find_map(|(distance, vectors)| {
        within += vectors;
        (within >= count).then_some((distance as u8, within))
    })
}

impl<'s> VectorSearch<'s> {
    /// Returns at most `most` of the slots of a corpus that are selected and nearest to a vector, each with its cosine if it
    /// is final.
    pub(crate) fn nearest(
        &self,
        vector: &[f32],
        most: usize,
        corpus: &impl Corpus,
    ) -> Vec<(Slot, Option<f32>)> {
        let wanted =
            Wanted { most, of: corpus.size(), is_selected: |slot| corpus.is_selected(slot) };
        self.nearest_wanted(&self.distances(&QuantisedVector::new(vector)), &wanted, corpus)
    }

    /// Returns the slots that are wanted and nearest to a vector, each with its cosine if it is final. Selects candidates by
    /// the Hamming distance of their sign bits, then scores those exactly. All candidates at the same distance are scored,
    /// so that the result does not depend on their order.
    pub(crate) fn nearest_wanted(
        &self,
        distances: &Distances<'_>,
        wanted: &Wanted<impl Fn(Slot) -> bool>,
        corpus: &impl Corpus,
    ) -> Vec<(Slot, Option<f32>)> {
        let (most, query) = (wanted.most, distances.query);
        let scored_candidates =
            (most * CANDIDATES_PER_RESULT).max(wanted.of.isqrt() * CANDIDATES_PER_ROOT);
        let candidates = self.candidates(distances, scored_candidates, &wanted.is_selected);
        let mut scored: Vec<(f32, &Candidate)> = Vec::with_capacity(candidates.len());
        for (index, candidate) in candidates.iter().enumerate() {
            if let Some(ahead) = candidates.get(index + PREFETCH_AHEAD) {
                self.segments[ahead.segment].prefetch(ahead.vector);
            }
            let cosine = self.segments[candidate.segment].cosine(candidate.vector, query);
            scored.push((cosine, candidate));
        }
        let order = |a: &(f32, &Candidate), b: &(f32, &Candidate)| {
            let key = |of: &(f32, &Candidate)| corpus.tie_break_key(of.1.slot);
            b.0.total_cmp(&a.0).then_with(|| key(a).cmp(&key(b)))
        };
        if scored.len() > most {
            scored.select_nth_unstable_by(most, order);
            scored.truncate(most);
        }
        // Another vector of the same slot may be nearer, so the cosine is final for single ones only.
        let is_final = |candidate: &Candidate| {
            self.segments[candidate.segment].is_only_vector(candidate.vector)
        };
        scored
            .into_iter()
            .map(|(cosine, candidate)| (candidate.slot, is_final(candidate).then_some(cosine)))
            .collect()
    }

    /// Returns the cosine of each slot and a vector.
    pub(crate) fn cosines(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32> {
        let query = QuantisedVector::new(vector);
        let mut cosines = Vec::with_capacity(slots.len());
        for (index, slot) in slots.iter().enumerate() {
            let ahead = slots.get(index + PREFETCH_AHEAD);
            if let Some((segment, vector)) = ahead.and_then(|slot| self.first_vector(*slot)) {
                segment.prefetch(vector);
            }
            let vectors = self.of_slot(*slot);
            let of_slot = vectors.map(|(segment, vector)| segment.cosine(vector, &query));
            cosines.push(of_slot.reduce(f32::max).unwrap_or_default());
        }
        cosines
    }

    /// Returns the cosine of two slots, 0 if one has no vector.
    pub(crate) fn cosine(&self, a: Slot, b: Slot) -> f32 {
        let vectors = self.first_vector(a).zip(self.first_vector(b));
        vectors.map_or(0.0, |((segment, a), (other, b))| segment.cosine_between(a, other, b))
    }

    /// Returns the vectors of a slot, each with its segment.
    pub(crate) fn of_slot(
        &self,
        slot: Slot,
    ) -> impl Iterator<Item = (&'s Segment, usize)> + use<'s> {
        self.first_vector(slot).into_iter().flat_map(move |(segment, first)| {
            let vectors = first..segment.vector_count();
            let of_slot = vectors.take_while(move |vector| segment.slot_of(*vector) == slot);
            of_slot.map(move |vector| (segment, vector))
        })
    }

    /// Returns the segment and the number of the first vector of a slot, if it has one.
    fn first_vector(&self, slot: Slot) -> Option<(&'s Segment, usize)> {
        self.numbers.first_vector(slot)
    }
}

impl VectorSearch<'_> {
    /// Computes the distances of all vectors from a query. Large indexes are shared among processors,
    /// since one alone is limited by memory latency.
    pub(crate) fn distances<'q>(&self, query: &'q QuantisedVector) -> Distances<'q> {
        let chunks = self.segments.iter().flat_map(|segment| {
            let count = segment.vector_count();
            let starts = (0..count).step_by(VECTORS_PER_CHUNK);
            starts.map(move |start| (segment, start..count.min(start + VECTORS_PER_CHUNK)))
        });
        let chunks: Vec<(&Arc<Segment>, Range<usize>)> = chunks.collect();
        let compute = |(segment, vectors): &(&Arc<Segment>, Range<usize>)| {
            let mut distances = Vec::with_capacity(vectors.len());
            segment.distances(vectors.clone(), query, &mut distances);
            let histogram = histogram(&distances);
            (distances, histogram)
        };
        let count = chunks.iter().map(|(_, vectors)| vectors.len()).sum();
        let mut total = Distances { query, all: Vec::with_capacity(count), histogram: [0; 256] };
        for (distances, histogram) in parallel::map(&chunks, MIN_CHUNKS_PER_THREAD, compute) {
            total.all.extend(distances);
            total.histogram.iter_mut().zip(histogram).for_each(|(total, count)| *total += count);
        }
        total
    }

    /// Returns at least `wanted` of the nearest vectors that pass the filter, or all if there are
    /// fewer; vectors at the largest distance among them are all included.
    fn candidates(
        &self,
        distances: &Distances<'_>,
        wanted: usize,
        is_selected: &impl Fn(Slot) -> bool,
    ) -> Vec<Candidate> {
        let Distances { all, histogram: total, .. } = distances;
        // The radius is searched over all vectors, and widened if the filter excludes too many.
        let mut count = wanted;
        loop {
            let found = radius_of(total, count);
            let (radius, within) = found.unwrap_or((u8::MAX, all.len()));
            let mut candidates = self.candidates_within(all, radius, is_selected);
            if candidates.len() < wanted && found.is_some() {
                count = count.saturating_mul(8);
                continue;
            }
            // The filter excluded some, so the radius may be larger than necessary.
            if candidates.len() < within {
                let passing: Vec<u8> =
                    candidates.iter().map(|candidate| candidate.distance).collect();
                let radius = radius_of(&histogram(&passing), wanted);
                let radius = radius.map_or(u8::MAX, |(radius, _)| radius);
                candidates.retain(|candidate| candidate.distance <= radius);
            }
            return candidates;
        }
    }

    /// Returns the vectors within a distance that pass the filter.
    fn candidates_within(
        &self,
        distances: &[u8],
        radius: u8,
        is_selected: &impl Fn(Slot) -> bool,
    ) -> Vec<Candidate> {
        let (mut candidates, mut vectors) = (Vec::new(), Vec::new());
        for (index, segment) in self.segments.iter().enumerate() {
            let of_segment = distances.get(self.numbers.first_of_segment(index)..);
            let of_segment = of_segment.unwrap_or_default();
            let of_segment = &of_segment[..segment.vector_count().min(of_segment.len())];
            vectors.clear();
            kernels::positions_at_most(of_segment, radius, &mut vectors);
            let within = vectors.iter().map(|vector| *vector as usize).map(|vector| Candidate {
                segment: index,
                vector,
                slot: segment.slot_of(vector),
                distance: of_segment[vector],
            });
            candidates.extend(within.filter(|candidate| is_selected(candidate.slot)));
        }
        candidates
    }
}
