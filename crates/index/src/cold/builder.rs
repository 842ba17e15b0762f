//! Building a segment from messages, which one thread reads while others tokenise them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use heirloom_core::embedding::{BagOfWordsEmbedder, Embedder};
use heirloom_core::parallel;
use heirloom_core::recall::{Slot, chunks, is_question};
use heirloom_core::transcript::Role;

use super::ChunkPlace;
use super::chunks::{ChunkEntry, stored_count};
use crate::IndexError;
use crate::segment::{SegmentBuilder, Tokenizer, VectorRows};
use crate::segment_assembly::{Batch, SegmentAssembly, embed_pieces, lock};

/// How many chunks a segment has at most, but for the last batch. It decides how much memory indexing takes.
pub(super) const MAX_SEGMENT_CHUNKS: usize = 1 << 17;

/// How many chunks a batch has at least, but for the last one.
const MIN_BATCH_CHUNKS: usize = 512;

/// How many batches wait for each thread.
const MAX_WAITING_BATCHES_PER_THREAD: usize = 4;

/// The most chunks that a message is split into; what is behind them is not indexed.
const MAX_CHUNKS: usize = 4096;

/// A message that is to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct MessageToIndex<'t> {
    /// The text.
    pub text: &'t str,
    /// The bytes before its line.
    pub offset: u64,
    /// The number of its line.
    pub line: u32,
    /// The number of the message in the line.
    pub part: u16,
    /// The author.
    pub role: Role,
    /// The day, in days since 1970.
    pub day: Option<i32>,
}

/// Chunks of messages that are tokenised together.
#[derive(Debug, Default)]
pub struct ChunkBatch {
    text: String,
    /// The end of each chunk in `text`, and its data.
    chunks: Vec<(usize, ChunkEntry)>,
    /// The transcripts of the chunks: how many chunks each has, by the numbers that the caller gave them.
    runs: Vec<(usize, u32)>,
}

impl ChunkBatch {
    /// Adds a message of a transcript, to which the caller gives a number.
    pub fn push(&mut self, transcript: usize, message: &MessageToIndex<'_>) {
        let texts = chunks(message.text);
        let count = texts.len().min(MAX_CHUNKS);
        for (chunk, text) in (0..).zip(texts.into_iter().take(MAX_CHUNKS)) {
            self.text.push_str(text);
            let MessageToIndex { offset, line, part, role, day, .. } = *message;
            let entry = ChunkEntry {
                place: ChunkPlace { offset, line, part, chunk, role, day },
                chunk_count: count as u16,
                term_count: 0,
                is_question: is_question(text),
            };
            self.chunks.push((self.text.len(), entry));
        }
        match self.runs.last_mut() {
            Some((last, slots)) if *last == transcript => *slots += count as u32,
            _ => self.runs.push((transcript, count as u32)),
        }
    }

    /// Returns whether there are enough chunks.
    pub fn is_full(&self) -> bool {
        self.chunks.len() >= MIN_BATCH_CHUNKS
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.chunks.iter().map(|(end, _)| *end));
        starts.zip(&self.chunks).map(|(start, (end, _))| &self.text[start..*end])
    }
}

/// A segment before it is encoded, and the data of its chunks.
pub struct BuiltSegment {
    pub(super) builder: SegmentBuilder,
    pub(super) entries: Vec<ChunkEntry>,
    /// How many chunks each transcript has, in the order of the slots.
    pub(super) runs: Vec<(usize, u32)>,
    is_last: bool,
}

impl BuiltSegment {
    /// Returns whether there are no messages after it.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns how many messages it has.
    pub fn message_count(&self) -> usize {
        self.entries.iter().filter(|entry| entry.place.chunk == 0).count()
    }
}

/// Builds a segment whose first slot is given. `fill` adds messages to a batch until it is full, and returns whether
/// there are more.
pub(super) fn build<E: From<IndexError>>(
    embedder: &dyn Embedder,
    first: Slot,
    fill: &mut dyn FnMut(&mut ChunkBatch) -> Result<bool, E>,
) -> Result<BuiltSegment, E> {
    let bag_of_words = embedder.as_bag_of_words().ok_or_else(|| {
        IndexError::damaged("transcripts are indexed with the built-in embedder only")
    })?;
    let work = TokenizerWork::new(bag_of_words, embedder.dimensions());
    let helpers = (parallel::processors() - 1).max(1);
    let (mut entries, mut runs, mut is_last) = (Vec::new(), Vec::<(usize, u32)>::new(), false);
    let produced: Result<(), E> = std::thread::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|| work.run());
        }
        // Dropped also when `fill` fails or panics, so that the threads end.
        let _closing = Closing(&work);
        let mut own = OwnTokenizer::new(&work);
        let mut number = 0;
        while !is_last && entries.len() < MAX_SEGMENT_CHUNKS {
            let mut batch = ChunkBatch::default();
            is_last = !fill(&mut batch)?;
            if batch.chunks.is_empty() {
                continue;
            }
            for (transcript, slots) in &batch.runs {
                match runs.last_mut() {
                    Some((last, count)) if last == transcript => *count += slots,
                    _ => runs.push((*transcript, *slots)),
                }
            }
            let job = Job { number, first: first + entries.len() as Slot, batch };
            entries.extend(job.batch.chunks.iter().map(|(_, entry)| *entry));
            number += 1;
            if let Some(job) = work.offer(job, helpers * MAX_WAITING_BATCHES_PER_THREAD) {
                own.work(&job);
            }
        }
        work.close();
        while let Some(job) = work.take() {
            own.work(&job);
        }
        Ok(())
    });
    produced?;
    let (builder, term_counts) = work.assembly.finish();
    for (entry, count) in entries.iter_mut().zip(term_counts) {
        entry.term_count = stored_count(count as usize);
    }
    Ok(BuiltSegment { builder, entries, runs, is_last })
}

/// A batch with its place among others.
struct Job {
    number: usize,
    /// The slot of its first chunk.
    first: Slot,
    batch: ChunkBatch,
}

/// Batches that wait for threads, and those that are done.
struct TokenizerWork<'e> {
    embedder: &'e dyn BagOfWordsEmbedder,
    dimensions: usize,
    waiting: Mutex<VecDeque<Job>>,
    /// Tells threads that a batch waits, or that none will come.
    changed: Condvar,
    is_closed: AtomicBool,
    /// How many threads have started to work.
    threads: AtomicUsize,
    assembly: SegmentAssembly,
}

impl<'e> TokenizerWork<'e> {
    fn new(embedder: &'e dyn BagOfWordsEmbedder, dimensions: usize) -> Self {
        TokenizerWork {
            embedder,
            dimensions,
            waiting: Mutex::default(),
            changed: Condvar::new(),
            is_closed: AtomicBool::new(false),
            threads: AtomicUsize::new(0),
            assembly: SegmentAssembly::new(dimensions, MAX_SEGMENT_CHUNKS),
        }
    }

    /// Works on batches until none will come.
    fn run(&self) {
        let mut own = OwnTokenizer::new(self);
        while let Some(job) = self.take() {
            own.work(&job);
        }
    }

    /// Adds a batch. If too many wait, returns the first of them for the caller to work on: every thread has to work on
    /// batches in the order of their numbers, since it numbers terms as they come.
    fn offer(&self, job: Job, most: usize) -> Option<Job> {
        let mut waiting = lock(&self.waiting);
        waiting.push_back(job);
        if waiting.len() > most {
            return waiting.pop_front();
        }
        self.changed.notify_one();
        None
    }

    /// Takes the next batch, and waits for it; `None` if none will come.
    fn take(&self) -> Option<Job> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(job) = waiting.pop_front() {
                return Some(job);
            }
            if self.is_closed.load(Ordering::Acquire) {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Declares that no further batch will come.
    fn close(&self) {
        let _waiting = lock(&self.waiting);
        self.is_closed.store(true, Ordering::Release);
        self.changed.notify_all();
    }
}

/// Declares that no further batch will come when it is dropped.
struct Closing<'w, 'e>(&'w TokenizerWork<'e>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The tokenizer of one thread.
struct OwnTokenizer<'w, 'e> {
    work: &'w TokenizerWork<'e>,
    thread: usize,
    tokenizer: Tokenizer<'e>,
}

impl<'w, 'e> OwnTokenizer<'w, 'e> {
    fn new(work: &'w TokenizerWork<'e>) -> Self {
        let thread = work.threads.fetch_add(1, Ordering::Relaxed);
        OwnTokenizer { work, thread, tokenizer: Tokenizer::new(Some(work.embedder)) }
    }

    fn work(&mut self, job: &Job) {
        let mut tokenized = self.tokenizer.tokenize_texts(job.first, job.batch.texts());
        let pieces = tokenized.take_pieces();
        let vectors: VectorRows = embed_pieces(self.work.embedder, self.work.dimensions, &pieces);
        self.work.assembly.add(job.number, Batch { thread: self.thread, tokenized, vectors });
    }
}
