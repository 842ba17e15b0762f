//! What is known of each memory beside its text: how things stand with it, where it is written, and
//! what is around it.

use std::num::NonZeroI64;

use heirloom_core::recall::Slot;

use crate::IndexError;

/// How many slots are kept together; a change of one rewrites its block.
pub(crate) const BLOCK: usize = 1024;

/// The bytes of one slot.
const WIDTH: usize = 40;

/// The bytes of a hash, which stands behind a block: a block that was changed by nobody's will says
/// something else of memories and not that it is damaged.
const HASH: usize = 8;

fn hash_of(block: &[u8]) -> [u8; HASH] {
    let mut short = [0; HASH];
    short.copy_from_slice(&blake3::hash(block).as_bytes()[..HASH]);
    short
}

/// How sure one is who does not say so.
const UNSAID: u8 = u8::MAX;

/// No slot.
const NONE: u32 = u32::MAX;

/// No row; that of a line is never so small.
const NO_LINE: i64 = 0;

/// How things stand with a memory, as an index sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// There is none, or no more.
    Free = 0,
    /// It is known to be so.
    Active = 1,
    /// Something else was put in its place.
    Superseded = 2,
    /// It was put away.
    Archived = 3,
    /// Something else says it.
    Repeated = 4,
}

impl State {
    fn of(byte: u8) -> Self {
        match byte {
            1 => State::Active,
            2 => State::Superseded,
            3 => State::Archived,
            4 => State::Repeated,
            _ => State::Free,
        }
    }
}

/// What is known of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) state: State,
    pub(crate) asks: bool,
    /// How sure the writer was, of a hundred.
    pub(crate) sure: Option<u8>,
    /// How many terms it has.
    pub(crate) length: u32,
    /// Decides between memories that answer equally well.
    pub(crate) tie: u64,
    /// Days since 1970.
    pub(crate) day: Option<i32>,
    /// The last day on which it was said.
    pub(crate) latest: Option<i32>,
    pub(crate) before: Option<Slot>,
    pub(crate) after: Option<Slot>,
    /// The row of the line that says it, if it is of the log.
    pub(crate) line: Option<NonZeroI64>,
}

impl Entry {
    pub(crate) const FREE: Entry = Entry {
        state: State::Free,
        asks: false,
        sure: None,
        length: 0,
        tie: 0,
        day: None,
        latest: None,
        before: None,
        after: None,
        line: None,
    };

    fn write(&self, bytes: &mut Vec<u8>) {
        let sure = self.sure.unwrap_or(UNSAID);
        let dated = u8::from(self.day.is_some()) | u8::from(self.latest.is_some()) << 1;
        bytes.extend([self.state as u8, u8::from(self.asks), dated, sure]);
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.tie.to_le_bytes());
        bytes.extend(self.day.unwrap_or_default().to_le_bytes());
        bytes.extend(self.before.unwrap_or(NONE).to_le_bytes());
        bytes.extend(self.after.unwrap_or(NONE).to_le_bytes());
        bytes.extend(self.latest.unwrap_or_default().to_le_bytes());
        bytes.extend(self.line.map_or(NO_LINE, NonZeroI64::get).to_le_bytes());
    }

    fn read(bytes: &[u8; WIDTH]) -> Self {
        let four = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let slot = |at: usize| Some(u32::from_le_bytes(four(at))).filter(|slot| *slot != NONE);
        let eight = |at: usize| {
            let [low, high] = [four(at), four(at + 4)].map(u32::from_le_bytes);
            u64::from(low) | u64::from(high) << 32
        };
        Entry {
            state: State::of(bytes[0]),
            sure: Some(bytes[3]).filter(|sure| *sure != UNSAID),
            asks: bytes[1] != 0,
            length: u32::from_le_bytes(four(4)),
            tie: eight(8),
            day: (bytes[2] & 1 != 0).then(|| i32::from_le_bytes(four(16))),
            latest: (bytes[2] & 2 != 0).then(|| i32::from_le_bytes(four(28))),
            before: slot(20),
            after: slot(24),
            line: NonZeroI64::new(eight(32).cast_signed()),
        }
    }
}

/// What is known of all memories, by slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    entries: Vec<Entry>,
    /// The blocks that differ from what was read.
    changed: std::collections::BTreeSet<usize>,
}

impl Slots {
    /// Takes the next block.
    pub(crate) fn take_block(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        let damaged = || IndexError::damaged("a block of slots is not whole");
        let (own, hash) = bytes.split_last_chunk::<HASH>().ok_or_else(damaged)?;
        let (entries, rest) = own.as_chunks::<WIDTH>();
        let is_whole = rest.is_empty() && *hash == hash_of(own);
        if !is_whole || !self.entries.len().is_multiple_of(BLOCK) {
            return Err(damaged());
        }
        self.entries.extend(entries.iter().map(Entry::read));
        Ok(())
    }

    /// Returns the blocks that differ from what was read, and forgets that they do.
    pub(crate) fn changed_blocks(&mut self) -> Vec<(usize, Vec<u8>)> {
        let changed = std::mem::take(&mut self.changed);
        let block = |at: usize| {
            let entries = self.entries.iter().skip(at * BLOCK).take(BLOCK);
            let mut bytes = Vec::with_capacity(BLOCK * WIDTH + HASH);
            entries.for_each(|entry| entry.write(&mut bytes));
            bytes.extend(hash_of(&bytes));
            (at, bytes)
        };
        changed.into_iter().map(block).collect()
    }

    /// Returns how many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns what is known of a memory.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Entry {
        self.entries.get(slot as usize).copied().unwrap_or(Entry::FREE)
    }

    /// Returns all in order.
    pub(crate) fn all(&self) -> &[Entry] {
        &self.entries
    }

    /// Changes what is known of a memory.
    pub(crate) fn change(&mut self, slot: Slot, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries.get_mut(slot as usize) {
            change(entry);
            self.changed.insert(slot as usize / BLOCK);
        }
    }

    /// Adds a memory.
    pub(crate) fn push(&mut self, entry: Entry) -> Slot {
        let slot = self.entries.len();
        self.entries.push(entry);
        self.changed.insert(slot / BLOCK);
        slot as Slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_read_back_as_they_were() {
        let mut slots = Slots::default();
        for at in 0..1500_u32 {
            slots.push(Entry {
                state: State::of((at % 5) as u8),
                asks: at % 3 == 0,
                sure: (at % 4 == 0).then_some((at % 101) as u8),
                length: at,
                tie: u64::from(at) << 33 | 7,
                day: (at % 2 == 0).then_some(-3 + at as i32),
                latest: (at % 3 == 0).then_some(9 - at as i32),
                before: at.checked_sub(1),
                after: (at % 7 != 0).then_some(at + 1),
                line: NonZeroI64::new(i64::from(at % 11) << 32 | i64::from(at % 11)),
            });
        }
        let blocks = slots.changed_blocks();
        assert_eq!(blocks.len(), 2);
        let mut again = Slots::default();
        blocks.iter().for_each(|(_, block)| again.take_block(block).unwrap());
        assert_eq!(again.all(), slots.all());
        let mut damaged = blocks[0].1.clone();
        damaged[100] ^= 1;
        assert!(Slots::default().take_block(&damaged).is_err());
        again.change(1400, |entry| entry.state = State::Free);
        assert_eq!(again.changed_blocks().iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1]);
    }
}
