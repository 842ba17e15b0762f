//! The fixed-width data of the chunks of a segment.
//!
//! ```text
//! header   magic, how many chunks, a checksum of the entries
//! entries  28 bytes for each chunk
//! ```

use heirloom_core::transcript::Role;

use super::ChunkPlace;
use crate::IndexError;
use crate::checksum::Checksum;
use crate::segment::MappedFile;

const MAGIC: &[u8; 8] = b"HEIRCHK1";
const HEADER_BYTES: usize = 24;

/// The encoded size of a chunk.
const ENTRY_BYTES: usize = 28;

/// Encodes that no day is known.
pub(super) const NO_DAY: i32 = i32::MIN;

/// The most that is stored of a number of terms or of a chunk.
const MAX_COUNT: usize = u16::MAX as usize;

const QUESTION_FLAG: u8 = 1;

/// The data of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkEntry {
    pub(super) place: ChunkPlace,
    /// How many chunks the message has.
    pub(super) chunk_count: u16,
    pub(super) term_count: u16,
    pub(super) is_question: bool,
}

impl ChunkEntry {
    fn encode(&self, to: &mut Vec<u8>) {
        let ChunkPlace { offset, line, part, chunk, role, day } = self.place;
        to.extend(offset.to_le_bytes());
        to.extend(line.to_le_bytes());
        to.extend(day.unwrap_or(NO_DAY).to_le_bytes());
        for number in [part, chunk, self.chunk_count, self.term_count] {
            to.extend(number.to_le_bytes());
        }
        let role = match role {
            Role::User => 0,
            Role::Assistant => 1,
            Role::Tool => 2,
            Role::System => 3,
        };
        to.extend([role, u8::from(self.is_question) * QUESTION_FLAG, 0, 0]);
    }

    fn decode(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let four = |at: usize| u32::from(two(at)) | u32::from(two(at + 2)) << 16;
        let day = four(12).cast_signed();
        ChunkEntry {
            place: ChunkPlace {
                offset: u64::from(four(0)) | u64::from(four(4)) << 32,
                line: four(8),
                day: (day != NO_DAY).then_some(day),
                part: two(16),
                chunk: two(18),
                role: match bytes[24] {
                    0 => Role::User,
                    1 => Role::Assistant,
                    2 => Role::Tool,
                    _ => Role::System,
                },
            },
            chunk_count: two(20),
            term_count: two(22),
            is_question: bytes[25] & QUESTION_FLAG != 0,
        }
    }
}

/// Returns a number of terms as it is stored.
pub(super) fn stored_count(count: usize) -> u16 {
    count.min(MAX_COUNT) as u16
}

/// Encodes the file of some chunks.
pub(super) fn encode(entries: impl ExactSizeIterator<Item = ChunkEntry>) -> Vec<u8> {
    let count = entries.len();
    let mut bytes = Vec::with_capacity(HEADER_BYTES + count * ENTRY_BYTES);
    bytes.resize(HEADER_BYTES, 0);
    entries.for_each(|entry| entry.encode(&mut bytes));
    let checksum = Checksum::of(&bytes[HEADER_BYTES..]);
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&(count as u64).to_le_bytes());
    bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The chunks of a segment, in a memory-mapped file.
#[derive(Debug)]
pub(super) struct ChunkFile {
    map: MappedFile,
    pub(super) name: String,
}

impl ChunkFile {
    /// Opens a file; fails if its checksum does not match.
    pub(super) fn new(map: MappedFile, name: String) -> Result<Self, IndexError> {
        let is_valid =
            map.bytes().split_at_checked(HEADER_BYTES).is_some_and(|(header, entries)| {
                let count = (entries.len() / ENTRY_BYTES) as u64;
                header[..8] == *MAGIC
                    && entries.len().is_multiple_of(ENTRY_BYTES)
                    && header[8..16] == count.to_le_bytes()
                    && header[16..24] == Checksum::of(entries).to_le_bytes()
            });
        match is_valid {
            true => Ok(ChunkFile { map, name }),
            false => Err(IndexError::damaged("the data of chunks is incomplete or corrupt")),
        }
    }

    /// Returns whether the file is unchanged since it was opened.
    pub(super) fn is_unchanged(&self) -> bool {
        self.map.is_unchanged()
    }

    /// Gives the memory that was read from the file back to the system.
    pub(super) fn release_pages(&self) {
        self.map.release_pages();
    }

    fn encoded(&self) -> &[[u8; ENTRY_BYTES]] {
        self.map.bytes()[HEADER_BYTES..].as_chunks().0
    }

    /// Returns all chunks.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = ChunkEntry> {
        self.encoded().iter().map(ChunkEntry::decode)
    }

    /// Returns how many bytes the file has.
    pub(super) fn size_bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// Returns how many chunks there are.
    pub(super) fn len(&self) -> usize {
        self.encoded().len()
    }

    /// Returns a chunk by its number.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<ChunkEntry> {
        self.encoded().get(index).map(ChunkEntry::decode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_decoded_as_they_were_encoded() {
        for (role, day) in
            [(Role::User, Some(-3)), (Role::Tool, None), (Role::System, Some(i32::MAX))]
        {
            let place =
                ChunkPlace { offset: u64::MAX - 7, line: 70_000, part: 3, chunk: 4, role, day };
            let entry = ChunkEntry {
                place,
                chunk_count: 9,
                term_count: 65_000,
                is_question: day.is_none(),
            };
            let mut bytes = vec![];
            entry.encode(&mut bytes);
            assert_eq!(ChunkEntry::decode(bytes.first_chunk().unwrap()), entry);
            assert_eq!(bytes.len(), ENTRY_BYTES);
        }
    }
}
