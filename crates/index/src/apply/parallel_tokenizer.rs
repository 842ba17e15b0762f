//! Tokenizing and embedding chunks of passages on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

use heirloom_core::embedding::Embedder;
use heirloom_core::parallel;
use heirloom_core::recall::Slot;

use crate::IndexError;
use crate::segment::{Chunk, SegmentBuilder, Tokenizer, VectorRows};
use crate::segment_assembly::{Batch, SegmentAssembly, embed_pieces};

/// How many chunks a thread takes at once.
const CHUNKS_PER_BATCH: usize = 512;

/// Tokenizes and embeds chunks on all threads that call [`work`](Self::work), and builds a segment
/// from the results in the order of the slots.
pub(super) struct ParallelTokenizer<'w> {
    embedder: &'w dyn Embedder,
    /// The slot of the first chunk.
    first: Slot,
    chunks: Vec<Chunk<'w>>,
    /// The next batch that no thread has taken.
    next_batch: AtomicUsize,
    /// How many chunks are done.
    done: AtomicUsize,
    /// How many threads have started to work.
    threads: AtomicUsize,
    assembly: SegmentAssembly,
}

impl<'w> ParallelTokenizer<'w> {
    /// Takes chunks of consecutive slots.
    pub(super) fn new(embedder: &'w dyn Embedder, first: Slot, chunks: Vec<Chunk<'w>>) -> Self {
        let assembly = SegmentAssembly::new(embedder.dimensions(), chunks.len());
        ParallelTokenizer {
            embedder,
            first,
            chunks,
            next_batch: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            threads: AtomicUsize::new(0),
            assembly,
        }
    }

    /// Returns how many threads should work beside the current one.
    pub(super) fn helpers(&self) -> usize {
        match self.chunks.len() / CHUNKS_PER_BATCH {
            // The number of processors is read from a file.
            0 => 0,
            useful => useful.min(parallel::processors() - 1),
        }
    }

    /// Returns how many chunks there are.
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Returns how many of them are done.
    pub(super) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Works on batches until none is left, and calls `report` after each.
    pub(super) fn work(&self, report: &dyn Fn()) -> Result<(), IndexError> {
        let thread = self.threads.fetch_add(1, Ordering::Relaxed);
        let mut tokenizer = Tokenizer::new(self.embedder.as_bag_of_words());
        loop {
            let number = self.next_batch.fetch_add(1, Ordering::Relaxed);
            let start = number.saturating_mul(CHUNKS_PER_BATCH);
            let Some(rest) = self.chunks.get(start..).filter(|rest| !rest.is_empty()) else {
                return Ok(());
            };
            let chunks = &rest[..rest.len().min(CHUNKS_PER_BATCH)];
            let first = self.first + start as Slot;
            let mut tokenized = tokenizer.tokenize(first, chunks);
            let vectors = match self.embedder.as_bag_of_words() {
                Some(embedder) => {
                    Ok(embed_pieces(embedder, self.embedder.dimensions(), &tokenized.take_pieces()))
                }
                None => self.embed_texts(first, chunks, report),
            };
            // After a failure the results are discarded, so other threads take no further batch.
            let stop = |_: &IndexError| self.next_batch.store(usize::MAX / 2, Ordering::Relaxed);
            let vectors = vectors.inspect_err(stop)?;
            self.assembly.add(number, Batch { thread, tokenized, vectors });
            self.done.fetch_add(chunks.len(), Ordering::Relaxed);
            report();
        }
    }

    /// Returns the segment's builder and how many terms each chunk has, once all threads are done.
    pub(super) fn finish(self) -> (SegmentBuilder, Vec<u32>) {
        self.assembly.finish()
    }

    /// Makes vectors from the text of each chunk, and from the summary of each passage that has one.
    fn embed_texts(
        &self,
        first: Slot,
        chunks: &[Chunk<'_>],
        report: &dyn Fn(),
    ) -> Result<VectorRows, IndexError> {
        let mut texts = Vec::with_capacity(chunks.len());
        let mut slots = Vec::with_capacity(chunks.len());
        for (slot, chunk) in (first..).zip(chunks) {
            for text in [Some(chunk.text), chunk.summary()].into_iter().flatten() {
                texts.push(text);
                slots.push(slot);
            }
        }
        let mut rows = VectorRows::default();
        let mut slots = slots.into_iter();
        self.embedder.embed(&texts, &mut |vector| {
            let Some(slot) = slots.next() else { return };
            rows.add(slot, vector);
            report();
        })?;
        Ok(rows)
    }
}
