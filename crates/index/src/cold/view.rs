//! The messages of a commit as ranking sees them.

use std::sync::LazyLock;

use heirloom_core::recall::{
    AnswerUnit, Corpus, Posting, Question, RankedMemory, RankedSession, Slot, length_normalisation,
    rank, rank_sessions,
};

use super::StoredTranscript;
use super::chunks::NO_DAY;
use super::snapshot::ColdSnapshot;
use super::tables::run_of;
use crate::checksum::MULTIPLIER;
use crate::term_search;
use crate::vector_search::VectorSearch;

/// Up to so many terms, the factors by which lengths dampen are looked up.
const MAX_TABULATED_TERMS: usize = 512;

/// The factors of the first lengths.
static NORMALISATIONS: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..MAX_TABULATED_TERMS as u32).map(length_normalisation).collect());

/// Which messages may be in an answer.
#[derive(Default)]
pub struct ColdFilter<'f> {
    /// Returns whether messages of a transcript may be in the answer.
    pub transcript: Option<&'f dyn Fn(&StoredTranscript) -> bool>,
    /// The first day, in days since 1970.
    pub since: Option<i32>,
}

/// The messages that pass a filter.
pub struct ColdView<'s> {
    snapshot: &'s ColdSnapshot,
    /// For each slot, whether it passes the filter; `None` if there is no filter.
    selected: Option<Vec<bool>>,
    normalisations: &'static [f32],
}

impl ColdSnapshot {
    /// Returns the messages that pass a filter, for ranking.
    pub fn view(&self, filter: &ColdFilter<'_>) -> ColdView<'_> {
        let is_filtered = filter.transcript.is_some() || filter.since.is_some();
        let selected = is_filtered.then(|| {
            let mut selected = vec![false; self.columns.terms.len()];
            for (run, transcript) in self.runs.iter().zip(&self.transcript_of_run) {
                let transcript = &self.transcripts()[*transcript];
                if filter.transcript.is_none_or(|is_wanted| is_wanted(transcript)) {
                    let slots = run.first as usize..run.end() as usize;
                    let days = &self.columns.days[slots.clone()];
                    for (selected, day) in selected[slots].iter_mut().zip(days) {
                        *selected = filter.since.is_none_or(|since| *day >= since);
                    }
                }
            }
            selected
        });
        ColdView { snapshot: self, selected, normalisations: &NORMALISATIONS }
    }
}

impl ColdView<'_> {
    /// Ranks the messages for a question.
    pub fn rank(&self, question: &Question<'_>, limit: usize) -> Vec<RankedMemory> {
        rank(self, question, AnswerUnit::Memory, limit)
    }

    /// Ranks the transcripts for a question, each with its best messages.
    pub fn rank_sessions(
        &self,
        question: &Question<'_>,
        limit: usize,
        messages: usize,
    ) -> Vec<RankedSession> {
        rank_sessions(self, question, limit, messages)
    }

    fn vectors(&self) -> VectorSearch<'_> {
        let ColdSnapshot { segments, vector_numbers, .. } = self.snapshot;
        VectorSearch { segments, numbers: vector_numbers }
    }

    fn number(&self, slot: Slot) -> u16 {
        self.snapshot.columns.numbers.get(slot as usize).copied().unwrap_or_default()
    }
}

impl Corpus for ColdView<'_> {
    fn size(&self) -> usize {
        self.snapshot.counts.0
    }

    fn passage_count(&self) -> usize {
        self.snapshot.counts.1
    }

    fn count_passages(&self, postings: &[Posting]) -> usize {
        term_search::count_passages(postings, |slot| self.number(slot))
    }

    fn slot_bound(&self) -> usize {
        self.snapshot.columns.terms.len()
    }

    fn postings(&self, term: &str, found: &mut Vec<Posting>) {
        term_search::collect(&self.snapshot.segments, term, |slot| self.contains(slot), found);
    }

    fn has_at_most(&self, term: &str, most: usize) -> bool {
        term_search::has_at_most(&self.snapshot.segments, term, self, most)
    }

    fn for_each_term(&self, first: Option<char>, take: &mut dyn FnMut(&str)) {
        let segments = self.snapshot.segments.iter();
        segments.for_each(|segment| segment.for_each_term(first, &mut *take));
    }

    #[inline]
    fn length_normalisation(&self, slot: Slot) -> f32 {
        let count = self.snapshot.columns.terms.get(slot as usize).copied().unwrap_or_default();
        match self.normalisations.get(count as usize) {
            Some(factor) => *factor,
            None => length_normalisation(count.into()),
        }
    }

    fn term_count(&self, slot: Slot) -> u32 {
        self.snapshot.columns.terms.get(slot as usize).copied().unwrap_or_default().into()
    }

    #[inline]
    fn is_selected(&self, slot: Slot) -> bool {
        match &self.selected {
            Some(selected) => selected.get(slot as usize).copied().unwrap_or_default(),
            None => self.contains(slot),
        }
    }

    #[inline]
    fn contains(&self, slot: Slot) -> bool {
        let columns = &self.snapshot.columns;
        match columns.used.is_empty() {
            true => (slot as usize) < columns.terms.len(),
            false => columns.used.get(slot as usize).copied().unwrap_or_default(),
        }
    }

    fn memory(&self, slot: Slot) -> u64 {
        self.passage(slot).into()
    }

    fn passage(&self, slot: Slot) -> Slot {
        slot.saturating_sub(self.number(slot).into())
    }

    fn chunk_count(&self, slot: Slot) -> u32 {
        self.snapshot.entry(slot).map_or(1, |entry| entry.chunk_count.into())
    }

    fn previous(&self, slot: Slot) -> Option<Slot> {
        let ColdSnapshot { runs, neighbours, .. } = self.snapshot;
        let at = run_of(runs, slot)?;
        if slot > runs[at].first {
            return Some(slot - 1);
        }
        neighbours[at].0.map(|previous| runs[previous].end() - 1)
    }

    fn next(&self, slot: Slot) -> Option<Slot> {
        let ColdSnapshot { runs, neighbours, .. } = self.snapshot;
        let at = run_of(runs, slot)?;
        if slot + 1 < runs[at].end() {
            return Some(slot + 1);
        }
        neighbours[at].1.map(|next| runs[next].first)
    }

    fn is_question(&self, slot: Slot) -> bool {
        self.snapshot.entry(slot).is_some_and(|entry| entry.is_question)
    }

    fn nearest(&self, vector: &[f32], most: usize) -> Vec<(Slot, Option<f32>)> {
        self.vectors().nearest(vector, most, self)
    }

    fn cosines(&self, slots: &[Slot], vector: &[f32]) -> Vec<f32> {
        self.vectors().cosines(slots, vector)
    }

    fn day(&self, slot: Slot) -> Option<i32> {
        let day = self.snapshot.columns.days.get(slot as usize).copied();
        day.filter(|day| *day != NO_DAY)
    }

    fn confidence(&self, _: Slot) -> Option<f32> {
        None
    }

    fn related(&self, _: Slot) -> &[Slot] {
        &[]
    }

    fn cosine(&self, a: Slot, b: Slot) -> f32 {
        self.vectors().cosine(a, b)
    }

    /// The place of a message does not depend on how the index was built, unlike its slot.
    fn tie_break_key(&self, slot: Slot) -> u64 {
        let snapshot = self.snapshot;
        let transcript = run_of(&snapshot.runs, slot).map(|run| snapshot.transcript_of_run[run]);
        let name = transcript.map_or(0, |transcript| snapshot.name_hashes[transcript]);
        let place = snapshot.entry(slot).map(|entry| entry.place);
        let (offset, part) = place.map_or((0, 0), |place| (place.offset, place.part));
        (name ^ offset.rotate_left(16) ^ u64::from(part)).wrapping_mul(MULTIPLIER)
    }
}
