//! Making a piece of the index: from texts, or from smaller pieces.

use heirloom_core::recall::Slot;

use super::read::{Terms, Texts};
use super::{Bytes, HEADER, Segment, Sizes, hash_of, put_number};
use crate::IndexError;
use crate::quantise::{bytes_of_bits, write_small};

/// How many occurrences of terms are sorted at once: enough that each list is seldom touched, and
/// few enough that they take little memory.
const PENDING: usize = 1 << 19;

/// Makes a piece of the index.
#[derive(Debug)]
pub(crate) struct Builder {
    dimensions: usize,
    terms: Terms,
    lists: Vec<List>,
    /// Which term occurred in which slot, not yet in the lists, in the order of the slots.
    pending: Vec<(u32, Slot)>,
    /// The vectors, one part after the other.
    rows: Vec<Rows>,
}

/// Vectors one after the other, each with the slot that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    slots: Vec<u8>,
    scales: Vec<u8>,
    bits: Vec<u8>,
    numbers: Vec<u8>,
}

impl Rows {
    /// Has room for so many vectors.
    pub(crate) fn with_capacity(count: usize, dimensions: usize) -> Self {
        Rows {
            slots: Vec::with_capacity(4 * count),
            scales: Vec::with_capacity(4 * count),
            bits: Vec::with_capacity(bytes_of_bits(dimensions) * count),
            numbers: Vec::with_capacity(dimensions * count),
        }
    }

    /// Adds a vector of a memory, unless it says nothing.
    pub(crate) fn add(&mut self, slot: Slot, vector: &[f32]) {
        if vector.iter().all(|x| *x == 0.0) {
            return;
        }
        let scale = write_small(vector, &mut self.numbers, &mut self.bits);
        self.slots.extend(slot.to_le_bytes());
        self.scales.extend(scale.to_le_bytes());
    }

    /// Adds a vector of another piece.
    fn add_of(&mut self, segment: &Segment, row: usize) {
        let width = bytes_of_bits(segment.dimensions);
        self.slots.extend(segment.slot_of(row).to_le_bytes());
        self.scales.extend_from_slice(&segment.part(1)[row * 4..][..4]);
        self.bits.extend_from_slice(&segment.part(2)[row * width..][..width]);
        let numbers = &segment.part(3)[row * segment.dimensions..][..segment.dimensions];
        self.numbers.extend_from_slice(numbers);
    }
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
            terms: Terms::default(),
            lists: vec![],
            pending: vec![],
            rows: vec![],
        }
    }

    /// Takes texts of a reader, in the order of their slots. `ids` tells which id each of the
    /// reader's terms has here, and is told of those that the reader met for the first time.
    pub(crate) fn take_texts(&mut self, ids: &mut Vec<u32>, texts: Texts) {
        ids.extend(texts.new_terms.iter().map(|term| self.id(term)));
        let mut start = 0;
        for (slot, end) in texts.slots {
            let terms = texts.terms[start..end].iter().map(|term| ids[*term as usize]);
            self.pending.extend(terms.map(|id| (id, slot)));
            start = end;
        }
        if self.pending.len() >= PENDING {
            self.sort_in();
        }
    }

    /// Adds what is pending to the lists, list by list.
    fn sort_in(&mut self) {
        let mut ends = vec![0_usize; self.lists.len() + 1];
        self.pending.iter().for_each(|(id, _)| ends[*id as usize + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut slots = vec![0; self.pending.len()];
        for (id, slot) in self.pending.drain(..) {
            let place = &mut ends[id as usize];
            slots[*place] = slot;
            *place += 1;
        }
        let mut start = 0;
        for (list, end) in self.lists.iter_mut().zip(ends) {
            for equal in slots[start..end].chunk_by(|a, b| a == b) {
                list.add(equal[0], equal.len() as u32);
            }
            start = end;
        }
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

    /// Takes vectors; in the end, those of all memories in the order of their slots.
    pub(crate) fn take_rows(&mut self, rows: Rows) {
        self.rows.push(rows);
    }

    /// Takes the memories of another piece that are still wanted; its slots come after all that
    /// were taken so far.
    pub(crate) fn add_segment(&mut self, segment: &Segment, is_wanted: impl Fn(Slot) -> bool) {
        self.sort_in();
        for at in 0..segment.terms {
            let Ok(term) = std::str::from_utf8(segment.term(at)) else { continue };
            let id = self.id(term) as usize;
            segment.list(at, |posting| {
                if is_wanted(posting.slot) {
                    self.lists[id].add(posting.slot, posting.count);
                }
            });
        }
        let mut rows = Rows::default();
        for row in (0..segment.rows).filter(|row| is_wanted(segment.slot_of(*row))) {
            rows.add_of(segment, row);
        }
        self.rows.push(rows);
    }

    /// Makes the piece.
    pub(crate) fn finish(mut self) -> Result<Draft, IndexError> {
        self.sort_in();
        let mut terms: Vec<(&str, u32)> =
            self.terms.iter().map(|(term, id)| (&**term, *id)).collect();
        terms.retain(|(_, id)| self.lists[*id as usize].count > 0);
        terms.sort_unstable();
        let lists = || terms.iter().map(|(_, id)| &self.lists[*id as usize]);
        let sizes = Sizes {
            dimensions: self.dimensions,
            rows: self.rows.iter().map(|rows| rows.slots.len() / 4).sum(),
            terms: terms.len(),
            term_bytes: terms.iter().map(|(term, _)| term.len()).sum(),
            list_bytes: lists().map(|list| list.bytes.len()).sum(),
        };
        let parts = sizes.parts().ok_or_else(|| IndexError::damaged("too much for one piece"))?;
        let mut text = Vec::with_capacity(parts[8] - parts[4]);
        let mut end = 0_u32;
        for (term, _) in &terms {
            end += term.len() as u32;
            text.extend(end.to_le_bytes());
        }
        terms.iter().for_each(|(term, _)| text.extend_from_slice(term.as_bytes()));
        lists().for_each(|list| text.extend(list.count.to_le_bytes()));
        let mut end = 0_u64;
        for list in lists() {
            end += list.bytes.len() as u64;
            text.extend(end.to_le_bytes());
        }
        lists().for_each(|list| text.extend_from_slice(&list.bytes));
        let rows = || self.rows.iter();
        let body = hash_of(
            rows()
                .map(|rows| rows.slots.as_slice())
                .chain(rows().map(|rows| rows.scales.as_slice()))
                .chain(rows().map(|rows| rows.bits.as_slice()))
                .chain([text.as_slice()]),
        );
        Ok(Draft { header: sizes.header(&body), rows: self.rows, text })
    }
}

/// A piece that is made and not yet in one place.
#[derive(Debug)]
pub(crate) struct Draft {
    header: [u8; HEADER],
    rows: Vec<Rows>,
    /// The terms and their lists.
    text: Vec<u8>,
}

impl Draft {
    /// Returns its bytes, part by part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let rows = || self.rows.iter();
        std::iter::once(self.header.as_slice())
            .chain(rows().map(|rows| rows.slots.as_slice()))
            .chain(rows().map(|rows| rows.scales.as_slice()))
            .chain(rows().map(|rows| rows.bits.as_slice()))
            .chain(rows().map(|rows| rows.numbers.as_slice()))
            .chain(std::iter::once(self.text.as_slice()))
    }

    /// Puts it together in memory.
    pub(crate) fn held(&self) -> Result<Segment, IndexError> {
        let mut bytes = Vec::with_capacity(self.parts().map(<[u8]>::len).sum());
        self.parts().for_each(|part| bytes.extend_from_slice(part));
        Segment::new(Bytes::Held(bytes))
    }
}
