//! The standing instructions that may concern a question, beside its hits.

use heirloom_core::instruction::{instructions_in_memory, instructions_in_section};
use heirloom_core::parallel::{self, Work};
use heirloom_core::recall::{
    Corpus, Question, RankedMemory, Slot, opening_instruction_term, section_instruction_term,
    standing_instruction_term, strip_section_prefix,
};
use heirloom_index::{Snapshot, View};

use super::Search;
use super::hits::{Hit, hits};
use super::search::MAX_NEAR_MISSES;
use crate::Session;
use crate::indexing::IndexFailure;

/// The number of chunks in the index from which on finding the instructions is short work.
const SHORT_WORK_SLOTS: usize = 20_000;

/// Maximum number of standing instructions beside the hits of a recall.
pub(crate) const MAX_INSTRUCTIONS: usize = 3;

/// Maximum number of sentences that are shown of a section of a document.
const MAX_SECTION_SENTENCES: usize = 3;

/// The bonus for a memory that opens with an instruction, over one that states one in passing.
const OPENING_INSTRUCTION_BONUS: f32 = 0.1;

/// The cosine, with the bonus, from which on a standing instruction may concern a question.
const MIN_INSTRUCTION_COSINE: f32 = 0.2;

/// The cosine from which on a sentence of a section may concern a question. It is higher than for a memory, since the best
/// of many sentences is nearer by chance.
const MIN_SENTENCE_COSINE: f32 = 0.25;

/// The share of the best sentence's cosine from which on another sentence of the section is shown as well.
const NEAR_BEST_SHARE: f32 = 0.8;

/// The standing instructions that are nearest to a question, as chunks with their cosines, nearest first.
#[derive(Default)]
pub(super) struct NearestInstructions {
    of_memories: Vec<(Slot, f32)>,
    of_sections: Vec<(Slot, f32)>,
}

impl Search<'_> {
    /// Finds the standing instructions that are nearest to a question while `search` runs. There are none if no
    /// instructions are asked for, or if they cannot be compared with the question.
    pub(super) fn with_nearest_instructions<T>(
        &self,
        snapshot: &Snapshot,
        question: &Question<'_>,
        search: impl FnOnce() -> T,
    ) -> (NearestInstructions, T) {
        if self.max_instructions == 0 || self.is_past() || question.vector.is_empty() {
            return (NearestInstructions::default(), search());
        }
        let view = snapshot.view(self.standing_filter, &self.filter());
        let is_small = view.slot_bound() < SHORT_WORK_SLOTS;
        // The search asks for threads as well, and waits for them sooner.
        let work = if is_small { Work::Tiny } else { Work::ShortAndLater };
        parallel::join(work, || self.nearest_instructions(&view, question), search)
    }

    /// Finds the standing instructions that are nearest to a question, enough even if every hit is one of them.
    fn nearest_instructions(
        &self,
        view: &View<'_>,
        question: &Question<'_>,
    ) -> NearestInstructions {
        let most = self.max_instructions.saturating_add(self.limit.max(MAX_NEAR_MISSES));
        let nearest = |term: &str, preferred: (&str, f32)| {
            view.nearest_with_term(term, preferred, &question.vector, most)
        };
        let opening = opening_instruction_term();
        let mut of_memories =
            nearest(&standing_instruction_term(), (&opening, OPENING_INSTRUCTION_BONUS));
        of_memories.retain(|(_, cosine)| *cosine >= MIN_INSTRUCTION_COSINE);
        let of_sections = nearest(&section_instruction_term(), ("", 0.0));
        NearestInstructions { of_memories, of_sections }
    }

    /// Reads the nearest standing instructions of memories and of documents that are no hits.
    pub(super) fn instructions(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        nearest: NearestInstructions,
        found: &[Hit],
    ) -> Result<Vec<Hit>, IndexFailure> {
        let NearestInstructions { of_memories, of_sections } = nearest;
        let mut all = self.read_instructions(session, snapshot, of_memories, found)?;
        all.extend(self.read_instructions(session, snapshot, of_sections, found)?);
        let score = |hit: &Hit| hit.item.score.unwrap_or_default();
        all.sort_by(|a, b| score(b).total_cmp(&score(a)));
        all.truncate(self.max_instructions);
        Ok(all)
    }

    /// Reads the nearest standing instructions of memories. They rarely share a word with the task that they govern.
    pub(super) fn instructions_of_memories(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        nearest: NearestInstructions,
    ) -> Result<Vec<Hit>, IndexFailure> {
        self.read_instructions(session, snapshot, nearest.of_memories, &[])
    }

    /// Reads the memories that instruct, given nearest first, until enough of them are no hits and concern the question.
    fn read_instructions(
        &self,
        session: &Session,
        snapshot: &Snapshot,
        nearest: Vec<(Slot, f32)>,
        found: &[Hit],
    ) -> Result<Vec<Hit>, IndexFailure> {
        let found_passages: Vec<Slot> =
            found.iter().filter_map(|hit| hit.slot).map(|slot| snapshot.passage(slot)).collect();
        let is_new = |slot: Slot| !found_passages.contains(&snapshot.passage(slot));
        let nearest = nearest.into_iter().filter(|(slot, _)| is_new(*slot));
        let ranked: Vec<RankedMemory> = nearest.map(RankedMemory::by_cosine).collect();
        let mut instructions = Vec::new();
        // Few are left out, and reading a memory takes time.
        for ranked in ranked.chunks(self.max_instructions.max(1)) {
            let mut read = hits(session, snapshot, ranked, self)?;
            // What is done no longer instructs.
            read.retain_mut(|hit| {
                let is_hit = found.iter().any(|other| other.item.id == hit.item.id);
                !hit.item.resolved && !is_hit && self.show_instructing_part(hit)
            });
            instructions.extend(read);
            if instructions.len() >= self.max_instructions {
                break;
            }
        }
        instructions.truncate(self.max_instructions);
        Ok(instructions)
    }

    /// Limits a hit to the sentences that instruct. Returns false for a section of a document of which no such sentence
    /// concerns the question.
    fn show_instructing_part(&self, hit: &mut Hit) -> bool {
        let text = &hit.item.text;
        let Some(name) = strip_section_prefix(&hit.item.id) else {
            let sentences = instructions_in_memory(text).join(" ");
            if !sentences.is_empty() && sentences.len() < text.len() {
                hit.passage = Some(sentences);
            }
            return true;
        };
        // A section has rules about many things, so its best sentence counts, and not the chunk.
        let (cosine, nearest) = self.nearest_sentences(instructions_in_section(name, text));
        hit.rescore(&RankedMemory::by_cosine((0, cosine)));
        hit.passage = Some(nearest.join(" "));
        !nearest.is_empty()
    }

    /// Returns the cosine of the sentence that is nearest to the question, and the sentences that are about as near, in
    /// their order. The built-in model judges, since one that is configured may be remote.
    fn nearest_sentences(&self, sentences: Vec<String>) -> (f32, Vec<String>) {
        let model = heirloom_embed::builtin();
        let question = model.vector(self.query);
        let cosine = |sentence: &String| -> f32 {
            let vector = model.vector(sentence);
            vector.iter().zip(&question).map(|(a, b)| a * b).sum()
        };
        let cosines: Vec<f32> = sentences.iter().map(cosine).collect();
        let best = cosines.iter().copied().fold(0.0, f32::max);
        let is_near =
            |cosine: f32| cosine >= MIN_SENTENCE_COSINE && cosine >= NEAR_BEST_SHARE * best;
        let near = sentences.into_iter().zip(cosines).filter(|(_, cosine)| is_near(*cosine));
        (best, near.map(|(sentence, _)| sentence).take(MAX_SECTION_SENTENCES).collect())
    }
}
