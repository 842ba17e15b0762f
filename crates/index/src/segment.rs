//! A piece of the index that never changes: who holds which term, and the vectors.
//!
//! ```text
//! header    magic, sizes, a hash of all but the numbers, a hash of the header
//! rows      the slot of each vector, then its scale
//! bits      one bit a dimension, for a first look
//! numbers   one byte a dimension, for a second
//! terms     where each ends, then their bytes, in order
//! lists     how many hold each term, where its list ends, then the lists
//! ```
//! A list gives slots in order, each as the distance from the one before, doubled; an odd number
//! means that the term occurs once, and an even one is followed by how often.

mod build;
mod bytes;
mod read;

pub(crate) use build::{Builder, Draft, Rows};
pub(crate) use bytes::{Bytes, Mapped};
pub(crate) use read::{Cut, Reader, Texts};

use std::ops::Range;

use heirloom_core::kernels;
use heirloom_core::recall::{Posting, Slot};

use crate::IndexError;
use crate::quantise::{Small, bytes_of_bits};

const MAGIC: &[u8; 8] = b"HEIRSEG2";
const HEADER: usize = 96;
/// What a vector without a row is called.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// A piece of the index.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Bytes,
    dimensions: usize,
    rows: usize,
    terms: usize,
    /// Where each part starts, in the order of the module's picture.
    parts: [usize; 9],
}

/// The sizes that a header states.
struct Sizes {
    dimensions: usize,
    rows: usize,
    terms: usize,
    term_bytes: usize,
    list_bytes: usize,
}

impl Sizes {
    /// Where each part starts, and where the last ends.
    fn parts(&self) -> Option<[usize; 9]> {
        let lengths = [
            self.rows.checked_mul(4)?,
            self.rows.checked_mul(4)?,
            self.rows.checked_mul(bytes_of_bits(self.dimensions))?,
            self.rows.checked_mul(self.dimensions)?,
            self.terms.checked_mul(4)?,
            self.term_bytes,
            self.terms.checked_mul(12)?,
            self.list_bytes,
        ];
        let mut parts = [HEADER; 9];
        for (at, length) in lengths.into_iter().enumerate() {
            parts[at + 1] = parts[at].checked_add(length)?;
        }
        Some(parts)
    }

    /// The header of a piece with such a body.
    fn header(&self, body: &blake3::Hash) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        let numbers = [self.dimensions, self.rows, self.terms, self.term_bytes, self.list_bytes];
        for (at, number) in numbers.into_iter().enumerate() {
            header[8 + at * 8..16 + at * 8].copy_from_slice(&(number as u64).to_le_bytes());
        }
        header[48..80].copy_from_slice(body.as_bytes());
        let hash = blake3::hash(&header[..80]);
        header[80..].copy_from_slice(&hash.as_bytes()[..16]);
        header
    }
}

impl Segment {
    /// Reads a piece, if it is whole.
    pub(crate) fn new(bytes: Bytes) -> Result<Self, IndexError> {
        Self::read(bytes).ok_or_else(|| IndexError::damaged("a piece of the index is not whole"))
    }

    fn read(bytes: Bytes) -> Option<Self> {
        let header = bytes.first_chunk::<HEADER>()?;
        let number = |at: usize| {
            let eight = header[8 + at * 8..].first_chunk::<8>();
            eight.and_then(|eight| usize::try_from(u64::from_le_bytes(*eight)).ok())
        };
        let sizes = Sizes {
            dimensions: number(0)?,
            rows: number(1)?,
            terms: number(2)?,
            term_bytes: number(3)?,
            list_bytes: number(4)?,
        };
        let parts = sizes.parts()?;
        let body = || {
            // The numbers are most of it, and what is wrong with one of them changes little.
            let rest = [&bytes[parts[0]..parts[3]], &bytes[parts[4]..parts[8]]];
            hash_of(rest.into_iter())
        };
        let is_whole = parts[8] == bytes.len() && *header == sizes.header(&body());
        is_whole.then(|| Segment {
            dimensions: sizes.dimensions,
            rows: sizes.rows,
            terms: sizes.terms,
            parts,
            bytes,
        })
    }

    /// Returns whether nobody has changed it since it was opened.
    pub(crate) fn is_as_opened(&self) -> bool {
        match &self.bytes {
            Bytes::Mapped(mapped) => mapped.is_as_opened(),
            Bytes::Held(_) => true,
        }
    }

    /// Returns how many vectors it has.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    fn part(&self, at: usize) -> &[u8] {
        &self.bytes[self.parts[at]..self.parts[at + 1]]
    }

    fn number(&self, part: usize, at: usize) -> usize {
        number(&self.part(part)[at * 4..]) as usize
    }

    /// Returns the slot that a vector belongs to.
    pub(crate) fn slot_of(&self, row: usize) -> Slot {
        self.number(0, row) as Slot
    }

    /// Returns whether a vector is the only one of its memory, whose vectors lie together.
    pub(crate) fn is_only_vector(&self, row: usize) -> bool {
        let is_of_it =
            |other: usize| other < self.rows() && self.slot_of(other) == self.slot_of(row);
        !is_of_it(row + 1) && !row.checked_sub(1).is_some_and(is_of_it)
    }

    /// Returns a term by its place.
    fn term(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.number(4, at - 1) };
        self.part(5).get(start..self.number(4, at)).unwrap_or_default()
    }

    /// Returns the place of a term, or the one that it would have.
    fn find(&self, term: &str) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle).cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Gives the memories that hold a term.
    pub(crate) fn postings(&self, term: &str, take: impl FnMut(Posting)) {
        if let Ok(at) = self.find(term) {
            self.list(at, take);
        }
    }

    /// Gives the memories of a list.
    fn list(&self, at: usize, mut take: impl FnMut(Posting)) {
        let start = if at == 0 { 0 } else { self.list_end(at - 1) };
        let mut bytes = self.part(7).get(start..self.list_end(at)).unwrap_or_default();
        let mut slot = 0_u64;
        while let Some(step) = take_number(&mut bytes) {
            slot += step >> 1;
            let count = if step & 1 == 1 { Some(1) } else { take_number(&mut bytes) };
            let Some(count) = count else { return };
            take(Posting { slot: slot as Slot, count: count as u32 });
        }
    }

    fn list_end(&self, at: usize) -> usize {
        let ends = &self.part(6)[self.terms * 4 + at * 8..];
        ends.first_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight) as usize)
    }

    /// Gives every term, or those that start with a character.
    pub(crate) fn each_term(&self, first: Option<char>, take: impl FnMut(&str)) {
        let first: String = first.into_iter().collect();
        let (Ok(start) | Err(start)) = self.find(&first);
        let terms = (start..self.terms).map(|at| self.term(at));
        let terms = terms.take_while(|term| term.starts_with(first.as_bytes()));
        terms.filter_map(|term| std::str::from_utf8(term).ok()).for_each(take);
    }

    /// Writes how far some vectors are from a query, by one bit a dimension.
    pub(crate) fn distances(&self, rows: Range<usize>, query: &Small, found: &mut Vec<u8>) {
        if query.numbers.len() == self.dimensions {
            let width = query.bits.len();
            kernels::distances(
                &self.part(2)[rows.start * width..rows.end * width],
                &query.bits,
                found,
            );
        }
    }

    /// Has a vector brought near that is soon to be looked at.
    pub(crate) fn fetch(&self, row: usize) {
        kernels::fetch(self.row(row).0);
    }

    /// Returns how near a vector is to a query.
    pub(crate) fn nearness(&self, row: usize, query: &Small) -> f32 {
        let (numbers, scale) = self.row(row);
        kernels::product(numbers, &query.numbers) as f32 * scale * query.scale
    }

    /// Returns how near one of its vectors is to one of another piece.
    pub(crate) fn likeness(&self, row: usize, other: &Segment, other_row: usize) -> f32 {
        let ((a, scale), (b, other_scale)) = (self.row(row), other.row(other_row));
        kernels::product(a, b) as f32 * scale * other_scale
    }

    /// Returns how many numbers its vectors have.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn row(&self, row: usize) -> (&[u8], f32) {
        let numbers = &self.part(3)[row * self.dimensions..][..self.dimensions];
        (numbers, f32::from_bits(self.number(1, row) as u32))
    }
}

/// The hash of bytes that lie in several places.
fn hash_of<'b>(parts: impl Iterator<Item = &'b [u8]>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk::<4>().map_or(0, |four| u32::from_le_bytes(*four))
}

/// Takes a number of seven bits a byte.
#[inline]
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    let mut shift = 0;
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
        if shift > 56 {
            return None;
        }
    }
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
