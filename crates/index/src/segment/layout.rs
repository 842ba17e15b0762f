//! The sections of a segment file, its header, and its variable-length integers.

use crate::checksum::Checksum;
use crate::quantise::sign_bytes;

const MAGIC: &[u8; 8] = b"HEIRSEG3";

/// The size of the header, which the first section follows.
pub(super) const HEADER_BYTES: usize = 64;

/// How many sections a segment has.
const SECTION_COUNT: usize = 8;

/// A section of a segment file, in the order of the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Section {
    VectorSlots = 0,
    VectorScales = 1,
    VectorSigns = 2,
    VectorValues = 3,
    TermEnds = 4,
    TermBytes = 5,
    /// All document frequencies (4 bytes each), then all ends of lists (8 bytes each).
    PostingIndex = 6,
    Postings = 7,
}

/// The sizes that the header states.
pub(super) struct Sizes {
    pub(super) dimensions: usize,
    pub(super) vectors: usize,
    pub(super) terms: usize,
    pub(super) term_bytes: usize,
    pub(super) posting_bytes: usize,
}

/// The byte offset at which each section starts, and the end of the last one.
#[derive(Debug)]
pub(super) struct Offsets([usize; SECTION_COUNT + 1]);

impl Offsets {
    pub(super) fn start(&self, section: Section) -> usize {
        self.0[section as usize]
    }

    pub(super) fn end(&self, section: Section) -> usize {
        self.0[section as usize + 1]
    }
}

impl Sizes {
    /// Returns where the sections lie, or `None` if the sizes overflow.
    pub(super) fn offsets(&self) -> Option<Offsets> {
        let lengths: [usize; SECTION_COUNT] = [
            self.vectors.checked_mul(4)?,
            self.vectors.checked_mul(4)?,
            self.vectors.checked_mul(sign_bytes(self.dimensions))?,
            self.vectors.checked_mul(self.dimensions)?,
            self.terms.checked_mul(4)?,
            self.term_bytes,
            self.terms.checked_mul(12)?,
            self.posting_bytes,
        ];
        let mut offsets = [HEADER_BYTES; SECTION_COUNT + 1];
        for (section, length) in lengths.into_iter().enumerate() {
            offsets[section + 1] = offsets[section].checked_add(length)?;
        }
        Some(Offsets(offsets))
    }

    /// Reads the sizes from a header, which is not verified.
    pub(super) fn read(header: &[u8; HEADER_BYTES]) -> Option<Self> {
        let field = |index: usize| {
            let bytes = header[8 + index * 8..].first_chunk::<8>();
            bytes.and_then(|bytes| usize::try_from(u64::from_le_bytes(*bytes)).ok())
        };
        Some(Sizes {
            dimensions: field(0)?,
            vectors: field(1)?,
            terms: field(2)?,
            term_bytes: field(3)?,
            posting_bytes: field(4)?,
        })
    }

    /// Returns the header of a segment whose sections have this checksum.
    pub(super) fn header(&self, checksum: u64) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MAGIC);
        let fields =
            [self.dimensions, self.vectors, self.terms, self.term_bytes, self.posting_bytes];
        for (index, field) in fields.into_iter().enumerate() {
            header[8 + index * 8..16 + index * 8].copy_from_slice(&(field as u64).to_le_bytes());
        }
        header[48..56].copy_from_slice(&checksum.to_le_bytes());
        let header_checksum = Checksum::of(&header[..56]);
        header[56..].copy_from_slice(&header_checksum.to_le_bytes());
        header
    }
}

/// Returns the checksum of several byte ranges taken as one.
pub(super) fn checksum<'b>(parts: impl Iterator<Item = &'b [u8]>) -> u64 {
    let mut checksum = Checksum::new();
    parts.for_each(|part| checksum.update(part));
    checksum.finish()
}

/// Takes a variable-length integer (LEB128) off the front of `bytes`.
#[inline]
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
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

/// Appends a variable-length integer (LEB128).
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
