//! The hash table of a vocabulary. The build script makes the one of the built-in model with the same code, since making
//! it takes longer than answering a question.

use std::borrow::Cow;

/// The id in an empty slot of the table.
const EMPTY: u32 = u32::MAX;

/// An FNV-1a hash, computed incrementally, so that the hashes of all prefixes of a text come for free.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) const INITIAL: Hash = Hash(0xcbf2_9ce4_8422_2325);

    pub(crate) fn extend(self, text: &str) -> Hash {
        let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Hash(text.bytes().fold(self.0, add))
    }

    /// Returns the first slot to probe in a table of `size` slots, and the tag of the entry.
    fn slot_and_tag(self, size: usize) -> (usize, u32) {
        ((self.0 ^ (self.0 >> 29)) as usize & (size - 1), (self.0 >> 32) as u32)
    }
}

/// Finds the ids of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PieceTable {
    /// The byte offset of each piece, with the length of the text as an extra element.
    pub(crate) starts: Cow<'static, [u32]>,
    /// A hash table with linear probing: the tag and the id of each piece.
    pub(crate) slots: Cow<'static, [(u32, u32)]>,
    /// A Bloom filter over the tags, which rejects most unknown pieces with one memory access.
    pub(crate) filter: Cow<'static, [u64]>,
    /// The length of the longest piece in bytes.
    pub(crate) max_piece_bytes: usize,
}

impl PieceTable {
    /// Makes the table of pieces in the order of their ids, each followed by a line break.
    pub(crate) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let line_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        starts.extend(line_breaks.map(|(index, _)| index as u32 + 1));
        let count = starts.len() - 1;
        let mut slots = vec![(0, EMPTY); (count + count / 2 + 1).next_power_of_two()];
        let mut filter = vec![0; (count / 8).next_power_of_two()];
        let mut max_piece_bytes = 0;
        let size = slots.len();
        for (id, bounds) in starts.windows(2).enumerate() {
            let piece = &text[bounds[0] as usize..bounds[1] as usize - 1];
            let (mut slot, tag) = Hash::INITIAL.extend(piece).slot_and_tag(size);
            while slots[slot].1 != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = (tag, id as u32);
            let (word, bit) = filter_bit(filter.len(), tag);
            filter[word] |= bit;
            max_piece_bytes = max_piece_bytes.max(piece.len());
        }
        PieceTable {
            starts: starts.into(),
            slots: slots.into(),
            filter: filter.into(),
            max_piece_bytes,
        }
    }

    /// Returns the id of the piece with a hash for which `is_piece` is true.
    #[inline]
    pub(crate) fn find(&self, hash: Hash, is_piece: impl Fn(u32) -> bool) -> Option<u32> {
        let (slots, filter) = (&*self.slots, &*self.filter);
        let (mut slot, tag) = hash.slot_and_tag(slots.len());
        let (word, bit) = filter_bit(filter.len(), tag);
        if filter[word] & bit == 0 {
            return None;
        }
        loop {
            let (slot_tag, id) = slots[slot];
            if id == EMPTY {
                return None;
            }
            if slot_tag == tag && is_piece(id) {
                return Some(id);
            }
            slot = (slot + 1) & (slots.len() - 1);
        }
    }
}

/// Returns the word and the bit of a filter of so many words for a tag.
fn filter_bit(words: usize, tag: u32) -> (usize, u64) {
    ((tag >> 6) as usize & (words - 1), 1 << (tag & 63))
}
