//! The memories of a generation as ranking sees them.

use std::collections::HashSet;
use std::sync::Arc;

use heirloom_core::fold::Standing;
use heirloom_core::recall::{
    AnswerUnit, Corpus, Posting, Question, RankedMemory, RankedSession, SESSION_FILTER, Slot,
    filter_term, rank, rank_sessions, rank_with_archived,
};

use crate::quantise::QuantisedVector;
use crate::relations::RelatedSlots;
use crate::segment::Segment;
use crate::slots::{SlotCount, SlotState, SlotTable};
use crate::term_search;
use crate::vector_numbers::VectorNumbers;
use crate::vector_search::{CANDIDATES_PER_ROOT, VectorSearch, Wanted, histogram, radius_of};

/// How many chunks with a term are sorted for each memory that is wanted.
const CHUNKS_PER_NEAREST_MEMORY: usize = 8;

/// Which states of memories a question covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StandingFilter {
    /// Active memories.
    #[default]
    Active,
    /// Archived and superseded memories.
    Archive,
    /// Active, archived and superseded memories.
    Everything,
}

impl StandingFilter {
    /// Returns whether memories of a standing are covered.
    pub fn covers(self, standing: Standing) -> bool {
        match self {
            StandingFilter::Active => standing == Standing::Active,
            StandingFilter::Archive => standing != Standing::Active,
            StandingFilter::Everything => true,
        }
    }

    #[inline]
    fn contains(self, state: SlotState) -> bool {
        match self {
            StandingFilter::Active => state == SlotState::Active,
            StandingFilter::Archive => matches!(state, SlotState::Archived | SlotState::Superseded),
            StandingFilter::Everything => {
                matches!(state, SlotState::Active | SlotState::Archived | SlotState::Superseded)
            }
        }
    }

    /// Counts the slots that are covered, by a property of the count of a state.
    fn count(self, slots: &SlotTable, count: impl Fn(SlotCount) -> usize) -> usize {
        let covered = SlotState::ALL.into_iter().filter(|state| self.contains(*state));
        covered.map(|state| count(slots.count(state))).sum()
    }
}

/// The terms that a memory must have to be in an answer.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Names of terms with alternative values: a memory must have one of the values of each.
    pub terms: Vec<(&'static str, Vec<String>)>,
}

impl Filter {
    /// Returns the filter with the further condition that a memory is an episode or a record of a session.
    #[must_use]
    pub fn in_sessions(mut self) -> Self {
        let (name, value) = SESSION_FILTER;
        self.terms.push((name, vec![value.to_owned()]));
        self
    }

    /// Creates a filter for the records of a kind.
    pub fn records_of_kind(kind: &str) -> Self {
        Filter { terms: vec![("record", vec![kind.to_owned()])] }
    }
}

/// The memories that pass the standing filter and the term filter.
pub struct View<'s> {
    pub(crate) slots: &'s SlotTable,
    pub(crate) standing_filter: StandingFilter,
    pub(crate) segments: &'s [Arc<Segment>],
    pub(crate) vector_numbers: &'s VectorNumbers,
    pub(crate) related: &'s RelatedSlots,
    /// Whether archived memories are ranked beside the others.
    pub(crate) has_archived: bool,
    /// For each slot, whether it passes the filter; `None` if there is no filter.
    pub(crate) filtered: Option<Vec<bool>>,
}

impl View<'_> {
    /// Ranks the memories for a question. It is a function of this crate, and not generic, so that ranking is compiled
    /// with the optimisation of this crate rather than that of its callers.
    pub fn rank(
        &self,
        question: &Question<'_>,
        unit: AnswerUnit,
        limit: usize,
    ) -> Vec<RankedMemory> {
        rank(self, question, unit, limit)
    }

    /// Ranks the memories for a question, and the archived ones beside them: those that would be among the answers, and at most
    /// `later` of those that would come soon after.
    pub fn rank_with_archived(
        mut self,
        question: &Question<'_>,
        unit: AnswerUnit,
        limit: usize,
        later: usize,
    ) -> (Vec<RankedMemory>, Vec<RankedMemory>) {
        self.has_archived = true;
        rank_with_archived(&self, question, unit, limit, later)
    }

    /// Ranks sessions for a question, with the best memories of each.
    pub fn rank_sessions(
        &self,
        question: &Question<'_>,
        limit: usize,
        memories: usize,
    ) -> Vec<RankedSession> {
        rank_sessions(self, question, limit, memories)
    }

    /// Returns the chunks with a filter term that are nearest to a vector, best first and one of each memory, with their
    /// scores. Of many chunks, only those nearest by their sign bits are compared with the vector.
    ///
    /// A chunk that has the `preferred` term, too, gets a bonus.
    pub fn nearest_with_term(
        &self,
        term: &str,
        preferred: (&str, f32),
        vector: &[f32],
        most: usize,
    ) -> Vec<(Slot, f32)> {
        // A memory may have several chunks with the term, so more than `most` are compared and sorted.
        let sorted = most.saturating_mul(CHUNKS_PER_NEAREST_MEMORY);
        let mut preferred_slots = self.slots_with_term(preferred.0);
        preferred_slots.sort_unstable();
        let is_preferred = |slot: Slot| preferred_slots.binary_search(&slot).is_ok();
        let bonus = |slot: Slot| if is_preferred(slot) { preferred.1 } else { 0.0 };
        let (preferred_of_term, others) =
            self.slots_with_term(term).into_iter().partition(|slot| is_preferred(*slot));
        let mut slots = self.nearest_by_signs(preferred_of_term, vector, sorted);
        slots.extend(self.nearest_by_signs(others, vector, sorted));
        let cosines = self.cosines(&slots, vector).into_iter();
        let mut found: Vec<(Slot, f32)> = slots
            .iter()
            .zip(cosines)
            .map(|(slot, cosine)| (*slot, cosine + bonus(*slot)))
            .collect();
        let better = |a: &(Slot, f32), b: &(Slot, f32)| {
            let by_cosine = b.1.total_cmp(&a.1);
            by_cosine.then_with(|| self.tie_break_key(a.0).cmp(&self.tie_break_key(b.0)))
        };
        if found.len() > sorted {
            found.select_nth_unstable_by(sorted, better);
            found.truncate(sorted);
        }
        found.sort_by(better);
        let mut memories = HashSet::new();
        found.retain(|(slot, _)| memories.insert(self.memory(*slot)));
        found.truncate(most);
        found
    }

    /// Returns so many of some chunks as a search compares exactly: those nearest to a vector by their sign bits, which are an
    /// eighth of the memory to read. Chunks at the largest distance among them are all included.
    fn nearest_by_signs(&self, mut slots: Vec<Slot>, vector: &[f32], least: usize) -> Vec<Slot> {
        let wanted = least.max(self.size().isqrt() * CANDIDATES_PER_ROOT);
        if slots.len() <= wanted {
            return slots;
        }
        let query = QuantisedVector::new(vector);
        let mut of_slot = Vec::new();
        let distance = |slot: &Slot| {
            of_slot.clear();
            for (segment, vector) in self.vectors().of_slot(*slot) {
                segment.distances(vector..vector + 1, &query, &mut of_slot);
            }
            of_slot.iter().copied().min().unwrap_or(u8::MAX)
        };
        let distances: Vec<u8> = slots.iter().map(distance).collect();
        let radius =
            radius_of(&histogram(&distances), wanted).map_or(u8::MAX, |(radius, _)| radius);
        let mut distances = distances.into_iter();
        slots.retain(|_| distances.next().is_some_and(|distance| distance <= radius));
        slots
    }

    /// Returns the chunks with a term that pass the filters.
    pub fn slots_with_term(&self, term: &str) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        for segment in self.segments {
            segment.postings(term, |posting| slots.push(posting.slot));
        }
        slots.retain(|slot| self.is_selected(*slot));
        slots
    }

    /// Excludes memories that do not pass a filter.
    pub(crate) fn apply_filter(&mut self, filter: &Filter) {
        for (name, values) in &filter.terms {
            let mut has_mark = vec![false; self.slots.len()];
            for value in values {
                let term = filter_term(name, value);
                for segment in self.segments {
                    segment.postings(&term, |posting| {
                        if let Some(has_mark) = has_mark.get_mut(posting.slot as usize) {
                            *has_mark = true;
                        }
                    });
                }
            }
            match &mut self.filtered {
                None => self.filtered = Some(has_mark),
                Some(passes) => {
                    passes.iter_mut().zip(has_mark).for_each(|(passes, has)| *passes &= has);
                }
            }
        }
    }

    /// Returns whether a slot passes the filter, whatever its state.
    #[inline]
    pub(crate) fn passes_filter(&self, slot: Slot) -> bool {
        self.filtered.as_ref().is_none_or(|passes| passes[slot as usize])
    }

    /// Returns the vectors of all slots.
    fn vectors(&self) -> VectorSearch<'_> {
        VectorSearch { segments: self.segments, numbers: self.vector_numbers }
    }
}

impl Corpus for View<'_> {
    fn size(&self) -> usize {
        self.standing_filter.count(self.slots, |count| count.chunks)
    }

    fn passage_count(&self) -> usize {
        self.standing_filter.count(self.slots, |count| count.passages)
    }

    fn count_passages(&self, postings: &[Posting]) -> usize {
        let contained = || postings.iter().filter(|posting| self.contains(posting.slot));
        let chunk_number = |slot| self.slots.chunk_number(slot);
        match (self.passage_count() == self.size(), self.has_archived) {
            (true, false) => postings.len(),
            (true, true) => contained().count(),
            (false, false) => term_search::count_passages(postings, chunk_number),
            (false, true) => {
                let contained: Vec<Posting> = contained().copied().collect();
                term_search::count_passages(&contained, chunk_number)
            }
        }
    }

    fn slot_bound(&self) -> usize {
        self.slots.len()
    }

    fn postings(&self, term: &str, found: &mut Vec<Posting>) {
        let is_wanted = |slot| self.contains(slot) || self.is_archived(slot);
        term_search::collect(self.segments, term, is_wanted, found);
    }

    fn has_at_most(&self, term: &str, most: usize) -> bool {
        term_search::has_at_most(self.segments, term, self, most)
    }

    fn for_each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str)) {
        self.segments.iter().for_each(|segment| segment.for_each_term(first, &mut *take));
    }

    fn length_normalisation(&self, slot: Slot) -> f32 {
        self.slots.length_normalisation(slot)
    }

    fn contains(&self, slot: Slot) -> bool {
        self.standing_filter.contains(self.slots.state(slot))
    }

    fn is_selected(&self, slot: Slot) -> bool {
        self.contains(slot) && self.passes_filter(slot)
    }

    fn is_archived(&self, slot: Slot) -> bool {
        self.has_archived
            && self.slots.state(slot) == SlotState::Archived
            && self.passes_filter(slot)
    }

    fn has_archived(&self) -> bool {
        self.has_archived
    }

    fn previous(&self, slot: Slot) -> Option<Slot> {
        let entry = self.slots.get(slot);
        if entry.chunk > 0 {
            return slot.checked_sub(1);
        }
        let last_chunk =
            |first: Slot| first + Slot::from(self.slots.get(first).chunk_count.max(1)) - 1;
        entry.previous.map(last_chunk)
    }

    fn next(&self, slot: Slot) -> Option<Slot> {
        let entry = self.slots.get(slot);
        if entry.chunk + 1 < entry.chunk_count { Some(slot + 1) } else { entry.next }
    }

    fn memory(&self, slot: Slot) -> u64 {
        self.slots.get(slot).memory
    }

    fn passage(&self, slot: Slot) -> Slot {
        self.slots.first_of_passage(slot)
    }

    fn chunk_count(&self, slot: Slot) -> u32 {
        self.slots.get(slot).chunk_count.into()
    }

    fn term_count(&self, slot: Slot) -> u32 {
        self.slots.get(slot).term_count
    }

    fn is_question(&self, slot: Slot) -> bool {
        self.slots.get(slot).is_question
    }

    fn day(&self, slot: Slot) -> Option<i32> {
        self.slots.get(slot).day
    }

    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)> {
        self.vectors().nearest(vector, most, self)
    }

    fn nearest_with_archived(
        &self,
        vector: &[f32],
        most: usize,
        most_archived: usize,
    ) -> Vec<(Slot, Option<f32>)> {
        if !self.has_archived {
            return self.nearest(vector, most);
        }
        let query = QuantisedVector::new(vector);
        let vectors = self.vectors();
        let distances = vectors.distances(&query);
        let active = Wanted { most, of: self.size(), is_selected: |slot| self.is_selected(slot) };
        let archived = Wanted {
            most: most_archived,
            of: self.slots.count(SlotState::Archived).chunks,
            is_selected: |slot| self.is_archived(slot),
        };
        let mut found = vectors.nearest_wanted(&distances, &active, self);
        found.extend(vectors.nearest_wanted(&distances, &archived, self));
        found
    }

    fn cosines(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32> {
        self.vectors().cosines(slots, vector)
    }

    fn confidence(&self, slot: Slot) -> Option<f32> {
        self.slots.get(slot).confidence_percent.map(|percent| f32::from(percent) / 100.0)
    }

    fn related(&self, slot: Slot) -> &[Slot] {
        self.related.get(&self.slots.first_of_passage(slot)).map(Vec::as_slice).unwrap_or_default()
    }

    fn cosine(&self, a: Slot, b: Slot) -> f32 {
        self.vectors().cosine(a, b)
    }

    fn tie_break_key(&self, slot: Slot) -> u64 {
        self.slots.get(slot).tie_breaker
    }
}
