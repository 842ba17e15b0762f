//! Reading a segment: looking up terms, and comparing vectors.

use std::ops::Range;

use heirloom_core::kernels;
use heirloom_core::recall::{Posting, Slot};

use super::bytes::SegmentBytes;
use super::layout::{HEADER_BYTES, Offsets, Section, Sizes, checksum, take_varint};
use crate::IndexError;
use crate::quantise::{QuantisedVector, sign_bytes};

/// A segment whose header and checksums were verified.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: SegmentBytes,
    /// The name of its file, unless it is in memory.
    file: Option<String>,
    dimensions: usize,
    vectors: usize,
    terms: usize,
    offsets: Offsets,
}

/// The encoded postings of a term.
#[derive(Clone, Copy, Default)]
pub(crate) struct PostingList<'s> {
    bytes: &'s [u8],
}

impl PostingList<'_> {
    /// Returns a number that is not less than the number of postings.
    pub(crate) fn max_len(&self) -> usize {
        self.bytes.len()
    }

    /// Calls `take` with each posting.
    pub(crate) fn for_each(&self, mut take: impl FnMut(Posting)) {
        self.for_each_while(|posting| {
            take(posting);
            true
        });
    }

    /// Calls `take` with each posting, until it returns `false`.
    #[inline]
    pub(crate) fn for_each_while(&self, mut take: impl FnMut(Posting) -> bool) {
        let mut bytes = self.bytes;
        let mut slot = 0_u64;
        while let Some((first, rest)) = bytes.split_first() {
            // Most steps of a long list fit into a byte.
            let step = match *first < 0x80 {
                true => {
                    bytes = rest;
                    u64::from(*first)
                }
                false => match take_varint(&mut bytes) {
                    Some(step) => step,
                    None => return,
                },
            };
            slot += step >> 1;
            let count = if step & 1 == 1 { Some(1) } else { take_varint(&mut bytes) };
            let Some(count) = count else { return };
            if !take(Posting { slot: slot as Slot, count: count as u32 }) {
                return;
            }
        }
    }
}

impl Segment {
    /// Opens a segment, and fails if its checksums do not match.
    pub(crate) fn new(bytes: SegmentBytes) -> Result<Self, IndexError> {
        let segment = Self::verify(bytes);
        segment
            .ok_or_else(|| IndexError::damaged("a segment of the index is incomplete or corrupt"))
    }

    fn verify(bytes: SegmentBytes) -> Option<Self> {
        let header = bytes.first_chunk::<HEADER_BYTES>()?;
        let sizes = Sizes::read(header)?;
        let offsets = sizes.offsets()?;
        let has_valid_checksum = || {
            // The quantised values are most of the file, and a wrong one only changes a score a
            // little, so they are left out to keep opening fast.
            let before = &bytes[HEADER_BYTES..offsets.start(Section::VectorValues)];
            let after = &bytes[offsets.end(Section::VectorValues)..];
            *header == sizes.header(checksum([before, after].into_iter()))
        };
        let is_valid = offsets.end(Section::Postings) == bytes.len() && has_valid_checksum();
        is_valid.then(|| Segment {
            dimensions: sizes.dimensions,
            vectors: sizes.vectors,
            terms: sizes.terms,
            offsets,
            bytes,
            file: None,
        })
    }

    /// Returns the segment with the name of its file.
    pub(crate) fn in_file(self, file: &str) -> Self {
        Segment { file: Some(file.to_owned()), ..self }
    }

    /// Returns whether the segment was read from a file.
    pub(crate) fn is_in_file(&self, file: &str) -> bool {
        self.file.as_deref() == Some(file)
    }

    /// Returns whether the segment's file is unchanged since it was opened.
    pub(crate) fn is_unchanged(&self) -> bool {
        match &self.bytes {
            SegmentBytes::Mapped(mapped) => mapped.is_unchanged(),
            SegmentBytes::InMemory(_) => true,
        }
    }

    /// Gives the memory that was read from the file back to the system.
    pub(crate) fn release_pages(&self) {
        if let SegmentBytes::Mapped(mapped) = &self.bytes {
            mapped.release_pages();
        }
    }

    /// Returns how many bytes the segment has.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns how many vectors there are.
    pub(crate) fn vector_count(&self) -> usize {
        self.vectors
    }

    /// Returns how many terms there are.
    pub(super) fn term_count(&self) -> usize {
        self.terms
    }

    /// Returns how many dimensions the vectors have.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn section(&self, section: Section) -> &[u8] {
        &self.bytes[self.offsets.start(section)..self.offsets.end(section)]
    }

    /// Returns the bytes of one item of a section whose items all have the same width.
    pub(super) fn item(&self, section: Section, index: usize, width: usize) -> &[u8] {
        &self.section(section)[index * width..][..width]
    }

    fn u32_at(&self, section: Section, index: usize) -> u32 {
        let bytes = self.section(section)[index * 4..].first_chunk::<4>();
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Returns the slot of each vector.
    pub(crate) fn slots(&self) -> impl ExactSizeIterator<Item = Slot> + DoubleEndedIterator {
        let slots = self.section(Section::VectorSlots).as_chunks::<4>().0.iter();
        slots.map(|bytes| Slot::from_le_bytes(*bytes))
    }

    /// Returns the slot that a vector belongs to.
    pub(crate) fn slot_of(&self, vector: usize) -> Slot {
        self.u32_at(Section::VectorSlots, vector)
    }

    /// Returns whether a vector is the only one of its slot. The vectors of a slot are adjacent.
    pub(crate) fn is_only_vector(&self, vector: usize) -> bool {
        let has_same_slot =
            |other: usize| other < self.vectors && self.slot_of(other) == self.slot_of(vector);
        !has_same_slot(vector + 1) && !vector.checked_sub(1).is_some_and(has_same_slot)
    }

    /// Returns a term by its rank in the sorted list.
    pub(super) fn term(&self, rank: usize) -> &[u8] {
        let end = |rank: usize| self.u32_at(Section::TermEnds, rank) as usize;
        let start = if rank == 0 { 0 } else { end(rank - 1) };
        self.section(Section::TermBytes).get(start..end(rank)).unwrap_or_default()
    }

    /// Returns the rank of a term, or as an error the rank at which it would be inserted.
    fn rank(&self, term: &str) -> Result<usize, usize> {
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

    /// Calls `take` with each posting of a term.
    pub(crate) fn postings(&self, term: &str, take: impl FnMut(Posting)) {
        self.posting_list(term).for_each(take);
    }

    /// Returns the postings of a term, which are none if no chunk has it.
    pub(crate) fn posting_list(&self, term: &str) -> PostingList<'_> {
        match self.rank(term) {
            Ok(rank) => self.posting_list_at(rank),
            Err(_) => PostingList::default(),
        }
    }

    /// Calls `take` with each posting of the term of some rank.
    pub(super) fn postings_at(&self, rank: usize, take: impl FnMut(Posting)) {
        self.posting_list_at(rank).for_each(take);
    }

    fn posting_list_at(&self, rank: usize) -> PostingList<'_> {
        let start = if rank == 0 { 0 } else { self.postings_end(rank - 1) };
        let postings = self.section(Section::Postings).get(start..self.postings_end(rank));
        PostingList { bytes: postings.unwrap_or_default() }
    }

    fn postings_end(&self, rank: usize) -> usize {
        let ends = &self.section(Section::PostingIndex)[self.terms * 4 + rank * 8..];
        ends.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes) as usize)
    }

    /// Calls `take` with every term, or with those that start with a character.
    pub(crate) fn for_each_term(&self, first: Option<char>, take: impl FnMut(&str)) {
        let prefix: String = first.into_iter().collect();
        let (Ok(start) | Err(start)) = self.rank(&prefix);
        let terms = (start..self.terms).map(|rank| self.term(rank));
        let terms = terms.take_while(|term| term.starts_with(prefix.as_bytes()));
        terms.filter_map(|term| std::str::from_utf8(term).ok()).for_each(take);
    }

    /// Appends the Hamming distances between the sign bits of some vectors and those of a query.
    pub(crate) fn distances(
        &self,
        vectors: Range<usize>,
        query: &QuantisedVector,
        distances: &mut Vec<u8>,
    ) {
        if query.values.len() == self.dimensions {
            let width = query.signs.len();
            let signs = self.section(Section::VectorSigns);
            let range = vectors.start * width..vectors.end * width;
            kernels::hamming_distances(&signs[range], &query.signs, distances);
        }
    }

    /// Prefetches a vector into the processor's cache.
    pub(crate) fn prefetch(&self, vector: usize) {
        kernels::prefetch(self.item(Section::VectorValues, vector, self.dimensions));
        kernels::prefetch(self.item(Section::VectorScales, vector, 4));
    }

    /// Returns the cosine of a vector and a query.
    pub(crate) fn cosine(&self, vector: usize, query: &QuantisedVector) -> f32 {
        let (values, scale) = self.values_and_scale(vector);
        kernels::dot_product_i8(values, &query.values) as f32 * scale * query.scale
    }

    /// Returns the cosine of a vector and a vector of the same or another segment.
    pub(crate) fn cosine_between(
        &self,
        vector: usize,
        other: &Segment,
        other_vector: usize,
    ) -> f32 {
        let (a, scale) = self.values_and_scale(vector);
        let (b, other_scale) = other.values_and_scale(other_vector);
        kernels::dot_product_i8(a, b) as f32 * scale * other_scale
    }

    fn values_and_scale(&self, vector: usize) -> (&[u8], f32) {
        let values = self.item(Section::VectorValues, vector, self.dimensions);
        (values, f32::from_bits(self.u32_at(Section::VectorScales, vector)))
    }

    /// Returns the width of an item of `Section::VectorSigns`.
    pub(super) fn sign_width(&self) -> usize {
        sign_bytes(self.dimensions)
    }
}
