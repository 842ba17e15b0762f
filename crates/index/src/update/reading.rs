//! Reading passages on all processors: their terms, and their vectors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heirloom_core::embedding::{ByWords, Embedder};
use heirloom_core::recall::{Passage, Slot};

use crate::IndexError;
use crate::segment::{Builder, Cut, Reader, Rows, Texts};

/// How many passages are taken at once.
const SHARE: usize = 512;

/// Passages that are to be read, by whoever has time.
pub(super) struct Work<'w> {
    embedder: &'w dyn Embedder,
    /// The slot of the first passage.
    first: Slot,
    passages: Vec<&'w Passage>,
    /// The share that nobody has begun.
    next: AtomicUsize,
    done: AtomicUsize,
    /// How many have begun to read.
    readers: AtomicUsize,
    /// Shares that were read and not yet put together, by their numbers.
    waiting: Mutex<BTreeMap<usize, Share>>,
    together: Mutex<Together>,
}

/// What was read of some passages.
struct Share {
    /// Who read it.
    reader: usize,
    texts: Texts,
    rows: Rows,
}

/// What was put together, share after share.
struct Together {
    /// The share that comes next.
    next: usize,
    /// Which id each term has in the segment, for each reader by the one that it has there.
    ids: Vec<Vec<u32>>,
    builder: Builder,
    lengths: Vec<u32>,
}

impl Together {
    fn take(&mut self, Share { reader, texts, rows }: Share) {
        if self.ids.len() <= reader {
            self.ids.resize_with(reader + 1, Vec::new);
        }
        self.lengths.extend_from_slice(&texts.lengths);
        self.builder.take_texts(&mut self.ids[reader], texts);
        self.builder.take_rows(rows);
        self.next += 1;
    }
}

impl<'w> Work<'w> {
    /// Takes passages, whose slots follow one another.
    pub(super) fn new(embedder: &'w dyn Embedder, first: Slot, passages: Vec<&'w Passage>) -> Self {
        let none = || AtomicUsize::new(0);
        let lengths = Vec::with_capacity(passages.len());
        let builder = Builder::new(embedder.dimensions());
        Work {
            embedder,
            first,
            passages,
            next: none(),
            done: none(),
            readers: none(),
            waiting: Mutex::default(),
            together: Mutex::new(Together { next: 0, ids: vec![], builder, lengths }),
        }
    }

    /// Returns how many threads may help the one that asks.
    pub(super) fn helpers(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        (processors - 1).min(self.passages.len() / SHARE)
    }

    /// Returns how many passages are done.
    pub(super) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Reads what nobody else has begun, share by share, until none is left.
    pub(super) fn take_part(&self, tell: &dyn Fn()) -> Result<(), IndexError> {
        let own = self.readers.fetch_add(1, Ordering::Relaxed);
        let mut reader = Reader::new(self.embedder.by_words());
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let start = number.saturating_mul(SHARE);
            let Some(rest) = self.passages.get(start..).filter(|rest| !rest.is_empty()) else {
                return Ok(());
            };
            let passages = &rest[..rest.len().min(SHARE)];
            let first = self.first + start as Slot;
            let mut texts = reader.read(first, passages);
            let rows = match self.embedder.by_words() {
                Some(embedder) => Ok(self.added_up(embedder, &texts.take_cut())),
                None => self.embedded(first, passages, tell),
            };
            // Where it fails, nobody need begin what will be thrown away.
            let rows = rows.inspect_err(|_| self.next.store(usize::MAX / 2, Ordering::Relaxed))?;
            locked(&self.waiting).insert(number, Share { reader: own, texts, rows });
            self.put_together();
            self.done.fetch_add(passages.len(), Ordering::Relaxed);
            tell();
        }
    }

    /// Puts together what is there of what comes next, unless somebody else is at it.
    fn put_together(&self) {
        let Ok(mut together) = self.together.try_lock() else { return };
        let next = |at: usize| locked(&self.waiting).remove(&at);
        while let Some(share) = next(together.next) {
            together.take(share);
        }
    }

    /// Returns what was read once all have done their part: a segment that is to be finished, and how
    /// many terms each passage has.
    pub(super) fn end(self) -> (Builder, Vec<u32>) {
        self.put_together();
        let together = self.together.into_inner().unwrap_or_else(PoisonError::into_inner);
        (together.builder, together.lengths)
    }

    /// Makes the vectors of texts of which the pieces are known.
    fn added_up(&self, embedder: &dyn ByWords, cut: &Cut) -> Rows {
        let dimensions = self.embedder.dimensions();
        let mut rows = Rows::with_capacity(cut.len(), dimensions);
        let mut vector = vec![0.0; dimensions];
        for (slot, pieces) in cut.texts() {
            embedder.write_vector(pieces, &mut vector);
            rows.add(slot, &vector);
        }
        rows
    }

    /// Has an embedder read texts: each passage's own, and its summary where there is one.
    fn embedded(
        &self,
        first: Slot,
        passages: &[&Passage],
        tell: &dyn Fn(),
    ) -> Result<Rows, IndexError> {
        let mut texts = Vec::with_capacity(passages.len());
        let mut slots = Vec::with_capacity(passages.len());
        for (slot, passage) in (first..).zip(passages) {
            let own = [Some(passage.text.as_str()), passage.summary.as_deref()];
            for text in own.into_iter().flatten() {
                texts.push(text);
                slots.push(slot);
            }
        }
        let mut rows = Rows::default();
        let mut slots = slots.into_iter();
        self.embedder.embed(&texts, &mut |vector| {
            let Some(slot) = slots.next() else { return };
            rows.add(slot, vector);
            tell();
        })?;
        Ok(rows)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
