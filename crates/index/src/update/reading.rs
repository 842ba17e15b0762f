//! Reading passages on all processors: their terms, and their vectors.

use std::sync::atomic::{AtomicUsize, Ordering};

use heirloom_core::embedding::{ByWords, Embedder};
use heirloom_core::recall::{Passage, Slot};

use crate::IndexError;
use crate::segment::{Builder, Reader, Rows, Texts};

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
}

/// What one thread has read.
pub(super) struct Part<'w> {
    reader: Reader<'w>,
    /// Shares by their numbers.
    shares: Vec<(usize, Texts, Rows)>,
}

impl<'w> Work<'w> {
    /// Takes passages, whose slots follow one another.
    pub(super) fn new(embedder: &'w dyn Embedder, first: Slot, passages: Vec<&'w Passage>) -> Self {
        let none = || AtomicUsize::new(0);
        Work { embedder, first, passages, next: none(), done: none() }
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
    pub(super) fn take_part(&self, tell: &dyn Fn()) -> Result<Part<'w>, IndexError> {
        let mut reader = Reader::new(self.embedder.by_words());
        let mut shares = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let start = number.saturating_mul(SHARE);
            let Some(rest) = self.passages.get(start..).filter(|rest| !rest.is_empty()) else {
                return Ok(Part { reader, shares });
            };
            let own = &rest[..rest.len().min(SHARE)];
            let first = self.first + start as Slot;
            let texts = reader.read(first, own);
            let rows = match self.embedder.by_words() {
                Some(embedder) => Ok(self.added_up(embedder, &texts)),
                None => self.embedded(first, own, tell),
            };
            // Where it fails, nobody need begin what will be thrown away.
            let rows = rows.inspect_err(|_| self.next.store(usize::MAX / 2, Ordering::Relaxed))?;
            self.done.fetch_add(own.len(), Ordering::Relaxed);
            shares.push((number, texts, rows));
            tell();
        }
    }

    /// Makes the vectors of texts of which the pieces are known.
    fn added_up(&self, embedder: &dyn ByWords, texts: &Texts) -> Rows {
        let mut rows = Rows::default();
        let mut vector = vec![0.0; self.embedder.dimensions()];
        for (slot, pieces) in texts.cut() {
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

/// Puts together what was read, and returns how many terms each passage has.
pub(super) fn put_together(builder: &mut Builder, parts: Vec<Part<'_>>) -> Vec<u32> {
    let mut shares = Vec::new();
    for part in parts {
        let ids = builder.take_terms(part.reader);
        let with_ids = |(number, texts, rows)| (number, ids.clone(), texts, rows);
        shares.extend(part.shares.into_iter().map(with_ids));
    }
    shares.sort_by_key(|(number, ..)| *number);
    let mut lengths = Vec::new();
    for (_, ids, texts, rows) in shares {
        lengths.extend_from_slice(&texts.lengths);
        builder.take_texts(&ids, texts);
        builder.take_rows(rows);
    }
    lengths
}
