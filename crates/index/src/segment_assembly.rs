//! Puts batches of tokenised chunks, which threads finish in any order, into a segment in the order of their slots.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use heirloom_core::embedding::BagOfWordsEmbedder;

use crate::segment::{EmbedderPieces, SegmentBuilder, TokenizedChunks, VectorRows};

/// The results of a batch.
pub(crate) struct Batch {
    /// The thread that worked on it, whose term ids it has.
    pub(crate) thread: usize,
    pub(crate) tokenized: TokenizedChunks,
    pub(crate) vectors: VectorRows,
}

/// A segment under construction.
pub(crate) struct SegmentAssembly {
    /// The batches that are done and not yet in the segment, by number.
    finished: Mutex<BTreeMap<usize, Batch>>,
    assembled: Mutex<Assembled>,
}

/// What was put together so far.
struct Assembled {
    next_batch: usize,
    /// For each thread, the segment's term ids by the thread's term ids.
    term_ids: Vec<Vec<u32>>,
    builder: SegmentBuilder,
    term_counts: Vec<u32>,
}

impl Assembled {
    fn add(&mut self, Batch { thread, tokenized, vectors }: Batch) {
        if self.term_ids.len() <= thread {
            self.term_ids.resize_with(thread + 1, Vec::new);
        }
        self.term_counts.extend_from_slice(&tokenized.lengths);
        self.builder.add_terms(&mut self.term_ids[thread], tokenized);
        self.builder.add_vectors(vectors);
        self.next_batch += 1;
    }
}

impl SegmentAssembly {
    /// Begins a segment of about so many chunks.
    pub(crate) fn new(dimensions: usize, chunks: usize) -> Self {
        let assembled = Assembled {
            next_batch: 0,
            term_ids: vec![],
            builder: SegmentBuilder::new(dimensions),
            term_counts: Vec::with_capacity(chunks),
        };
        SegmentAssembly { finished: Mutex::default(), assembled: Mutex::new(assembled) }
    }

    /// Adds the batch with a number.
    pub(crate) fn add(&self, number: usize, batch: Batch) {
        lock(&self.finished).insert(number, batch);
        self.assemble();
    }

    /// Adds the finished batches that are next in order to the segment, unless another thread is doing that.
    fn assemble(&self) {
        let Ok(mut assembled) = self.assembled.try_lock() else { return };
        let take_finished = |number: usize| lock(&self.finished).remove(&number);
        while let Some(batch) = take_finished(assembled.next_batch) {
            assembled.add(batch);
        }
    }

    /// Returns the segment's builder and how many terms each chunk has, once all batches were added.
    pub(crate) fn finish(self) -> (SegmentBuilder, Vec<u32>) {
        self.assemble();
        let assembled = self.assembled.into_inner().unwrap_or_else(PoisonError::into_inner);
        (assembled.builder, assembled.term_counts)
    }
}

/// Makes vectors from pieces.
pub(crate) fn embed_pieces(
    embedder: &dyn BagOfWordsEmbedder,
    dimensions: usize,
    pieces: &EmbedderPieces,
) -> VectorRows {
    let mut rows = VectorRows::with_capacity(pieces.len(), dimensions);
    let mut vector = vec![0.0; dimensions];
    for (slot, pieces) in pieces.texts() {
        embedder.write_vector(pieces, &mut vector);
        rows.add(slot, &vector);
    }
    rows
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
