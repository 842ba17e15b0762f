//! The fixed-width data of each chunk: the state, the dates, the neighbours and the line of its passage.

use std::collections::BTreeSet;
use std::num::NonZeroI64;

use heirloom_core::recall::{Slot, length_normalisation};

use crate::IndexError;
use crate::checksum::Checksum;

/// How many slots a block holds. A change of one slot rewrites its block, so a block is as large as fits into a page of
/// the database, which can be read without copying.
const SLOTS_PER_BLOCK: usize = 156;

/// The encoded size of a slot.
const ENTRY_BYTES: usize = 52;

/// The size of the checksum at the end of a block. Without it, corruption would decode as valid slots.
const CHECKSUM_BYTES: usize = 8;

/// Encodes that no confidence is stated.
const NO_CONFIDENCE: u8 = u8::MAX;

/// Encodes that there is no neighbour.
const NO_SLOT: u32 = u32::MAX;

/// Encodes that there is no line; row ids of lines are greater.
const NO_LINE: i64 = 0;

/// The state of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum SlotState {
    /// The slot holds no memory.
    Free = 0,
    /// The memory is current.
    Active = 1,
    /// Another memory superseded it.
    Superseded = 2,
    /// It was archived.
    Archived = 3,
    /// Another memory says the same.
    Duplicate = 4,
}

impl SlotState {
    /// All states.
    pub(crate) const ALL: [SlotState; Self::COUNT] = [
        SlotState::Free,
        SlotState::Active,
        SlotState::Superseded,
        SlotState::Archived,
        SlotState::Duplicate,
    ];

    /// How many states there are.
    const COUNT: usize = 5;

    fn from_byte(byte: u8) -> Self {
        match byte {
            1 => SlotState::Active,
            2 => SlotState::Superseded,
            3 => SlotState::Archived,
            4 => SlotState::Duplicate,
            _ => SlotState::Free,
        }
    }
}

/// The data of one slot, which holds a chunk of a passage. The chunks of a passage have consecutive slots, and all of
/// them have the data of the passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotEntry {
    pub(crate) state: SlotState,
    /// The number of the chunk in its passage, counted from 0.
    pub(crate) chunk: u16,
    /// How many chunks the passage has.
    pub(crate) chunk_count: u16,
    /// A hash of the memory that the passage belongs to, which all sections of a document share.
    pub(crate) memory: u64,
    /// Whether the chunk ends with a question.
    pub(crate) is_question: bool,
    pub(crate) confidence_percent: Option<u8>,
    /// How many terms the chunk has.
    pub(crate) term_count: u32,
    /// Orders memories of equal score.
    pub(crate) tie_breaker: u64,
    /// The memory's date, in days since 1970.
    pub(crate) day: Option<i32>,
    /// The last day on which it was stated, in days since 1970.
    pub(crate) latest_day: Option<i32>,
    /// The first slot of the previous passage of its group.
    pub(crate) previous: Option<Slot>,
    /// The first slot of the next passage of its group.
    pub(crate) next: Option<Slot>,
    /// The row id of its line, if it is a record of the log.
    pub(crate) line: Option<NonZeroI64>,
}

impl SlotEntry {
    pub(crate) const FREE: SlotEntry = SlotEntry {
        state: SlotState::Free,
        chunk: 0,
        chunk_count: 1,
        memory: 0,
        is_question: false,
        confidence_percent: None,
        term_count: 0,
        tie_breaker: 0,
        day: None,
        latest_day: None,
        previous: None,
        next: None,
        line: None,
    };

    /// Returns whether the slot holds the first chunk of a passage.
    pub(crate) fn is_first_chunk(&self) -> bool {
        self.state != SlotState::Free && self.chunk == 0
    }

    fn encode(&self) -> EncodedEntry {
        let confidence = self.confidence_percent.unwrap_or(NO_CONFIDENCE);
        let has_days = u8::from(self.day.is_some()) | u8::from(self.latest_day.is_some()) << 1;
        let mut bytes = [0; ENTRY_BYTES];
        let mut at = 0;
        let mut push = |field: &[u8]| {
            bytes[at..][..field.len()].copy_from_slice(field);
            at += field.len();
        };
        push(&[self.state as u8, u8::from(self.is_question), has_days, confidence]);
        push(&self.term_count.to_le_bytes());
        push(&self.tie_breaker.to_le_bytes());
        push(&self.day.unwrap_or_default().to_le_bytes());
        push(&self.previous.unwrap_or(NO_SLOT).to_le_bytes());
        push(&self.next.unwrap_or(NO_SLOT).to_le_bytes());
        push(&self.latest_day.unwrap_or_default().to_le_bytes());
        push(&self.line.map_or(NO_LINE, NonZeroI64::get).to_le_bytes());
        push(&self.memory.to_le_bytes());
        push(&self.chunk.to_le_bytes());
        push(&self.chunk_count.to_le_bytes());
        bytes
    }

    /// Decodes an entry. It is inlined, so that a caller who needs one field decodes nothing else.
    #[inline(always)]
    fn decode(bytes: &EncodedEntry) -> Self {
        let four = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let slot = |at: usize| Some(u32::from_le_bytes(four(at))).filter(|slot| *slot != NO_SLOT);
        let eight = |at: usize| {
            let [low, high] = [four(at), four(at + 4)].map(u32::from_le_bytes);
            u64::from(low) | u64::from(high) << 32
        };
        SlotEntry {
            state: SlotState::from_byte(bytes[0]),
            is_question: bytes[1] != 0,
            confidence_percent: Some(bytes[3]).filter(|confidence| *confidence != NO_CONFIDENCE),
            term_count: u32::from_le_bytes(four(4)),
            tie_breaker: eight(8),
            day: (bytes[2] & 1 != 0).then(|| i32::from_le_bytes(four(16))),
            latest_day: (bytes[2] & 2 != 0).then(|| i32::from_le_bytes(four(28))),
            previous: slot(20),
            next: slot(24),
            line: NonZeroI64::new(eight(32).cast_signed()),
            memory: eight(40),
            chunk: u16::from_le_bytes([bytes[48], bytes[49]]),
            chunk_count: u16::from_le_bytes([bytes[50], bytes[51]]),
        }
    }
}

/// The entry of a slot as it is stored.
type EncodedEntry = [u8; ENTRY_BYTES];

/// How many slots are in a state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SlotCount {
    /// The number of chunks.
    pub(crate) chunks: usize,
    /// The number of passages.
    pub(crate) passages: usize,
}

/// The data of all slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlotTable {
    /// The entries as they are stored, since most of those that a process loads are never read.
    entries: Vec<EncodedEntry>,
    /// The state of each slot, which a search reads more often than the rest.
    states: Vec<SlotState>,
    /// The number of each slot's chunk in its passage.
    chunk_numbers: Vec<u16>,
    /// The factor by which the length of each slot's chunk dampens its term frequencies.
    length_normalisations: Vec<f32>,
    /// How many slots are in each state.
    counts: [SlotCount; SlotState::COUNT],
    /// The blocks that differ from the stored ones.
    changed_blocks: BTreeSet<usize>,
}

impl SlotTable {
    /// Creates an empty table with room for a number of blocks.
    pub(crate) fn with_capacity(blocks: usize) -> Self {
        let slots = blocks * SLOTS_PER_BLOCK;
        SlotTable {
            entries: Vec::with_capacity(slots),
            states: Vec::with_capacity(slots),
            chunk_numbers: Vec::with_capacity(slots),
            length_normalisations: Vec::with_capacity(slots),
            ..Self::default()
        }
    }

    /// Decodes a block: the next one, or one that replaces a block.
    pub(crate) fn set_block(&mut self, number: i64, bytes: &[u8]) -> Result<(), IndexError> {
        let damaged = || IndexError::damaged("a block of slots is incomplete or corrupt");
        let (encoded, stored_checksum) =
            bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(damaged)?;
        let (entries, rest) = encoded.as_chunks::<ENTRY_BYTES>();
        let is_valid = rest.is_empty() && *stored_checksum == Checksum::of(encoded).to_le_bytes();
        let start =
            usize::try_from(number).ok().and_then(|number| number.checked_mul(SLOTS_PER_BLOCK));
        let start = start.ok_or_else(damaged)?;
        if !is_valid || entries.len() > SLOTS_PER_BLOCK || start > self.entries.len() {
            return Err(damaged());
        }
        let replaced = self.entries.len().min(start + SLOTS_PER_BLOCK) - start;
        if entries.len() < replaced {
            return Err(damaged());
        }
        let (known, new) = entries.split_at(replaced);
        for (slot, bytes) in (start..).zip(known) {
            self.replace(slot, bytes);
        }
        self.append(new);
        Ok(())
    }

    fn append(&mut self, encoded: &[EncodedEntry]) {
        let start = self.entries.len();
        self.entries.extend_from_slice(encoded);
        self.states.extend(encoded.iter().map(|bytes| SlotEntry::decode(bytes).state));
        self.chunk_numbers.extend(encoded.iter().map(|bytes| SlotEntry::decode(bytes).chunk));
        let lengths = encoded.iter().map(|bytes| SlotEntry::decode(bytes).term_count);
        self.length_normalisations.extend(lengths.map(length_normalisation));
        // Incrementing a counter for each entry would take longer than all of the above.
        let (states, chunks) = (&self.states[start..], &self.chunk_numbers[start..]);
        for (state, count) in SlotState::ALL.into_iter().zip(&mut self.counts) {
            let is_first = |(other, chunk): &(&SlotState, &u16)| **other == state && **chunk == 0;
            count.chunks += states.iter().filter(|other| **other == state).count();
            count.passages += states.iter().zip(chunks).filter(is_first).count();
        }
    }

    /// Replaces the entry of a slot, which must exist.
    fn replace(&mut self, slot: usize, encoded: &EncodedEntry) {
        let old = SlotEntry::decode(&std::mem::replace(&mut self.entries[slot], *encoded));
        let entry = SlotEntry::decode(encoded);
        let count = &mut self.counts[old.state as usize];
        count.chunks -= 1;
        count.passages -= usize::from(old.chunk == 0);
        self.states[slot] = entry.state;
        self.chunk_numbers[slot] = entry.chunk;
        self.length_normalisations[slot] = length_normalisation(entry.term_count);
        let count = &mut self.counts[entry.state as usize];
        count.chunks += 1;
        count.passages += usize::from(entry.chunk == 0);
    }

    /// Encodes the blocks that differ from the stored ones, and marks them as stored.
    pub(crate) fn take_changed_blocks(&mut self) -> Vec<(i64, Vec<u8>)> {
        let changed = std::mem::take(&mut self.changed_blocks);
        let encode = |number: usize| {
            let entries = self.entries.iter().skip(number * SLOTS_PER_BLOCK).take(SLOTS_PER_BLOCK);
            let mut bytes = Vec::with_capacity(SLOTS_PER_BLOCK * ENTRY_BYTES + CHECKSUM_BYTES);
            entries.for_each(|entry| bytes.extend_from_slice(entry));
            bytes.extend(Checksum::of(&bytes).to_le_bytes());
            (i64::try_from(number).unwrap_or_default(), bytes)
        };
        changed.into_iter().map(encode).collect()
    }

    /// Returns how many slots are in a state.
    pub(crate) fn count(&self, state: SlotState) -> SlotCount {
        self.counts[state as usize]
    }

    /// Returns the state of a slot; an unknown slot is free.
    #[inline]
    pub(crate) fn state(&self, slot: Slot) -> SlotState {
        self.states.get(slot as usize).copied().unwrap_or(SlotState::Free)
    }

    /// Returns the number of a slot's chunk in its passage.
    #[inline]
    pub(crate) fn chunk_number(&self, slot: Slot) -> u16 {
        self.chunk_numbers.get(slot as usize).copied().unwrap_or_default()
    }

    /// Returns the factor by which the length of a slot's chunk dampens its term frequencies.
    #[inline]
    pub(crate) fn length_normalisation(&self, slot: Slot) -> f32 {
        self.length_normalisations.get(slot as usize).copied().unwrap_or_default()
    }

    /// Returns how many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no slots.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of a slot; that of an unknown slot is free.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> SlotEntry {
        self.entries.get(slot as usize).map_or(SlotEntry::FREE, SlotEntry::decode)
    }

    /// Returns all entries, by slot.
    pub(crate) fn all(&self) -> impl Iterator<Item = SlotEntry> {
        self.entries.iter().map(SlotEntry::decode)
    }

    /// Returns the first slot of the passage of a slot.
    pub(crate) fn first_of_passage(&self, slot: Slot) -> Slot {
        slot.saturating_sub(self.get(slot).chunk.into())
    }

    /// Changes the entries of all chunks of a passage, which is given by its first slot.
    pub(crate) fn change_passage(&mut self, first: Slot, change: impl Fn(&mut SlotEntry)) {
        let count = Slot::from(self.get(first).chunk_count.max(1));
        (first..first.saturating_add(count)).for_each(|slot| self.change(slot, &change));
    }

    /// Changes the entry of a slot.
    fn change(&mut self, slot: Slot, change: impl FnOnce(&mut SlotEntry)) {
        if let Some(entry) = self.entries.get(slot as usize) {
            let mut changed = SlotEntry::decode(entry);
            change(&mut changed);
            self.replace(slot as usize, &changed.encode());
            self.changed_blocks.insert(slot as usize / SLOTS_PER_BLOCK);
        }
    }

    /// Adds a slot.
    pub(crate) fn push(&mut self, entry: SlotEntry) -> Slot {
        let slot = self.entries.len();
        self.append(&[entry.encode()]);
        self.changed_blocks.insert(slot / SLOTS_PER_BLOCK);
        slot as Slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table whose entries have all combinations of present and absent fields.
    fn varied_table(slots: u32) -> SlotTable {
        let mut table = SlotTable::default();
        for slot in 0..slots {
            table.push(SlotEntry {
                state: SlotState::from_byte((slot % 5) as u8),
                chunk: (slot % 2) as u16,
                chunk_count: 2 + (slot % 700) as u16,
                memory: u64::from(slot) << 31 | 5,
                is_question: slot % 3 == 0,
                confidence_percent: (slot % 4 == 0).then_some((slot % 101) as u8),
                term_count: slot,
                tie_breaker: u64::from(slot) << 33 | 7,
                day: (slot % 2 == 0).then_some(-3 + slot as i32),
                latest_day: (slot % 3 == 0).then_some(9 - slot as i32),
                previous: slot.checked_sub(1),
                next: (slot % 7 != 0).then_some(slot + 1),
                line: NonZeroI64::new(i64::from(slot % 11) << 32 | i64::from(slot % 11)),
            });
        }
        table
    }

    #[test]
    fn an_encoded_entry_decodes_to_the_same_entry() {
        let entry = SlotEntry {
            state: SlotState::Archived,
            chunk: 3,
            chunk_count: 9,
            memory: u64::MAX - 1,
            is_question: true,
            confidence_percent: Some(40),
            term_count: 77,
            tie_breaker: 1 << 60,
            day: Some(-5),
            latest_day: Some(20_000),
            previous: Some(0),
            next: Some(12),
            line: NonZeroI64::new(5 << 32 | 6),
        };
        for entry in [entry, SlotEntry::FREE] {
            assert_eq!(SlotEntry::decode(&entry.encode()), entry);
        }
    }

    #[test]
    fn encoded_blocks_decode_to_the_same_entries() {
        let mut table = varied_table(1500);
        let blocks = table.take_changed_blocks();
        assert_eq!(blocks.len(), 10);
        let mut decoded = SlotTable::with_capacity(10);
        blocks.iter().for_each(|(number, block)| decoded.set_block(*number, block).unwrap());
        assert!(decoded.all().eq(table.all()));
        assert_eq!(decoded.count(SlotState::Free), SlotCount { chunks: 300, passages: 150 });
        decoded.change(1401, |entry| entry.state = SlotState::Free);
        let changed: Vec<i64> =
            decoded.take_changed_blocks().into_iter().map(|(number, _)| number).collect();
        assert_eq!(changed, [8]);
    }

    #[test]
    fn a_changed_block_replaces_its_entries() {
        let mut table = varied_table(1500);
        let mut reader = SlotTable::default();
        for (number, block) in table.take_changed_blocks() {
            reader.set_block(number, &block).unwrap();
        }
        table.change(1401, |entry| entry.state = SlotState::Free);
        table.push(SlotEntry::FREE);
        for (number, block) in table.take_changed_blocks() {
            reader.set_block(number, &block).unwrap();
        }
        assert!(reader.all().eq(table.all()));
        assert_eq!(reader.count(SlotState::Free).chunks, 302);
        assert_eq!((reader.counts, &reader.states), (table.counts, &table.states));
        assert_eq!(reader.length_normalisations, table.length_normalisations);
        let first = varied_table(1).take_changed_blocks().remove(0).1;
        assert!(reader.set_block(0, &first).is_err());
        assert!(reader.set_block(11, &first).is_err());
    }

    #[test]
    fn a_corrupt_block_is_refused() {
        let mut block = varied_table(10).take_changed_blocks().remove(0).1;
        block[100] ^= 1;
        assert!(SlotTable::default().set_block(0, &block).is_err());
    }
}
