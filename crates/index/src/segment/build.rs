//! Making a piece of the index: from texts, or from smaller pieces.

use std::collections::HashMap;

use heirloom_core::recall::{Slot, piece_terms};

use super::{Bytes, Segment, Sizes, put_number};
use crate::quantise::Small;
use crate::{IndexError, fast};

/// How many pieces of text are remembered with their terms.
const REMEMBERED: usize = 200_000;

/// Takes memories, in the order of their slots, and makes a piece of the index of them.
#[derive(Debug)]
pub(crate) struct Builder {
    dimensions: usize,
    terms: HashMap<Box<str>, u32, fast::Hash>,
    lists: Vec<List>,
    /// The terms of pieces of text that were read before.
    known: HashMap<Box<str>, Box<[u32]>, fast::Hash>,
    slots: Vec<u8>,
    scales: Vec<u8>,
    bits: Vec<u8>,
    numbers: Vec<u8>,
}

/// Who holds a term.
#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    last: Slot,
    count: u32,
}

impl List {
    fn add(&mut self, slot: Slot, count: u32) {
        let step = u64::from(slot - self.last) << 1;
        if count == 1 {
            put_number(&mut self.bytes, step | 1);
        } else {
            put_number(&mut self.bytes, step);
            put_number(&mut self.bytes, u64::from(count));
        }
        self.last = slot;
        self.count += 1;
    }
}

impl Builder {
    /// Begins a piece.
    pub(crate) fn new(dimensions: usize) -> Self {
        Builder {
            dimensions,
            terms: HashMap::default(),
            lists: vec![],
            known: HashMap::default(),
            slots: vec![],
            scales: vec![],
            bits: vec![],
            numbers: vec![],
        }
    }

    /// Takes a memory's text and returns how many terms it has. Marks are terms that are found only
    /// by their exact name and count for no length.
    pub(crate) fn add(&mut self, slot: Slot, text: &str, marks: &[String]) -> u32 {
        let mut ids: Vec<u32> = Vec::with_capacity(text.len() / 6);
        let mut terms = Vec::new();
        for piece in text.split_whitespace() {
            if let Some(known) = self.known.get(piece) {
                ids.extend_from_slice(known);
                continue;
            }
            terms.clear();
            piece_terms(piece, &mut terms);
            let start = ids.len();
            for term in &terms {
                ids.push(self.id(term));
            }
            if self.known.len() < REMEMBERED {
                self.known.insert(piece.into(), ids[start..].into());
            }
        }
        let length = ids.len() as u32;
        for mark in marks {
            ids.push(self.id(mark));
        }
        ids.sort_unstable();
        for equal in ids.chunk_by(|a, b| a == b) {
            self.lists[equal[0] as usize].add(slot, equal.len() as u32);
        }
        length
    }

    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.terms.get(term) {
            return *id;
        }
        let id = self.lists.len() as u32;
        self.terms.insert(term.into(), id);
        self.lists.push(List::default());
        id
    }

    /// Takes a vector of a memory and returns its row.
    pub(crate) fn add_vector(&mut self, slot: Slot, vector: &Small) -> u32 {
        let row = (self.slots.len() / 4) as u32;
        self.slots.extend(slot.to_le_bytes());
        self.scales.extend(vector.scale.to_le_bytes());
        self.bits.extend_from_slice(&vector.bits);
        self.numbers.extend_from_slice(&vector.numbers);
        row
    }

    /// Takes the memories of another piece that are still wanted; its slots come after all that
    /// were taken so far.
    pub(crate) fn add_segment(&mut self, segment: &Segment, is_wanted: impl Fn(Slot) -> bool) {
        for at in 0..segment.terms {
            let Ok(term) = std::str::from_utf8(segment.term(at)) else { continue };
            let id = self.id(term) as usize;
            segment.list(at, |posting| {
                if is_wanted(posting.slot) {
                    self.lists[id].add(posting.slot, posting.count);
                }
            });
        }
        let width = segment.part(2).len() / segment.rows.max(1);
        for row in (0..segment.rows).filter(|row| is_wanted(segment.slot_of(*row))) {
            self.slots.extend(segment.slot_of(row).to_le_bytes());
            self.scales.extend_from_slice(&segment.part(1)[row * 4..][..4]);
            self.bits.extend_from_slice(&segment.part(2)[row * width..][..width]);
            self.numbers
                .extend_from_slice(&segment.part(3)[row * self.dimensions..][..self.dimensions]);
        }
    }

    /// Makes the piece.
    pub(crate) fn finish(self) -> Result<Segment, IndexError> {
        let mut terms: Vec<(&str, u32)> =
            self.terms.iter().map(|(term, id)| (&**term, *id)).collect();
        terms.retain(|(_, id)| self.lists[*id as usize].count > 0);
        terms.sort_unstable();
        let lists = || terms.iter().map(|(_, id)| &self.lists[*id as usize]);
        let sizes = Sizes {
            dimensions: self.dimensions,
            rows: self.slots.len() / 4,
            terms: terms.len(),
            term_bytes: terms.iter().map(|(term, _)| term.len()).sum(),
            list_bytes: lists().map(|list| list.bytes.len()).sum(),
        };
        let parts = sizes.parts().ok_or_else(|| IndexError::damaged("too much for one piece"))?;
        let mut bytes = Vec::with_capacity(parts[8]);
        bytes.extend_from_slice(&sizes.header());
        for part in [&self.slots, &self.scales, &self.bits, &self.numbers] {
            bytes.extend_from_slice(part);
        }
        let mut end = 0_u32;
        for (term, _) in &terms {
            end += term.len() as u32;
            bytes.extend(end.to_le_bytes());
        }
        terms.iter().for_each(|(term, _)| bytes.extend_from_slice(term.as_bytes()));
        lists().for_each(|list| bytes.extend(list.count.to_le_bytes()));
        let mut end = 0_u64;
        for list in lists() {
            end += list.bytes.len() as u64;
            bytes.extend(end.to_le_bytes());
        }
        lists().for_each(|list| bytes.extend_from_slice(&list.bytes));
        Segment::new(Bytes::Held(bytes))
    }
}
