//! The vectors of passages, made on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

use heirloom_core::embedding::Embedder;
use heirloom_core::recall::{Passage, Slot};

use crate::IndexError;
use crate::quantise::Small;
use crate::segment::Rows;

/// How many passages are taken at once.
const SHARE: usize = 2048;

/// Passages whose vectors are to be made, by whoever has time.
pub(super) struct Work<'w> {
    embedder: &'w dyn Embedder,
    /// The slot of the first passage.
    first: Slot,
    passages: Vec<&'w Passage>,
    next: AtomicUsize,
    done: AtomicUsize,
}

/// A share of the work that is done, and which one it is.
pub(super) type Share = (usize, Rows);

impl<'w> Work<'w> {
    /// Takes passages, whose slots follow one another.
    pub(super) fn new(embedder: &'w dyn Embedder, first: Slot, passages: Vec<&'w Passage>) -> Self {
        Work { embedder, first, passages, next: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }

    /// Returns how many threads may help the one that asks.
    pub(super) fn helpers(&self) -> usize {
        let hands = std::thread::available_parallelism().map_or(1, usize::from);
        (hands - 1).min(self.passages.len().div_ceil(SHARE) - 1)
    }

    /// Returns how many passages are done.
    pub(super) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Makes the vectors that nobody else has begun, share by share, until none is left.
    pub(super) fn take_part(&self, tell: &dyn Fn()) -> Result<Vec<Share>, IndexError> {
        let mut shares = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(rest) =
                self.passages.get(number.saturating_mul(SHARE)..).filter(|rest| !rest.is_empty())
            else {
                return Ok(shares);
            };
            let first = self.first + (number * SHARE) as Slot;
            let own = &rest[..rest.len().min(SHARE)];
            match self.vectors(first, own, tell) {
                Ok(rows) => shares.push((number, rows)),
                Err(error) => {
                    // Nobody need begin what will be thrown away.
                    self.next.store(self.passages.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }

    /// Makes the vectors of passages: of the text, and of the summary where there is one.
    fn vectors(
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
            if vector.iter().any(|x| *x != 0.0) {
                rows.add(slot, &Small::new(vector));
            }
            tell();
        })?;
        self.done.fetch_add(passages.len(), Ordering::Relaxed);
        Ok(rows)
    }
}
