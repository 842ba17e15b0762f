//! A fast checksum, which finds damage of the index's files. It is no protection against a forger, and need not be: an
//! index that another machine made is not opened.

use heirloom_core::kernels;

/// Eight lanes of eight bytes each, so that the processor works on all of them at once.
const LANES: usize = 8;
const BLOCK_BYTES: usize = LANES * 8;

/// How many blocks in advance memory is prefetched into the processor's cache.
const PREFETCH_AHEAD_BLOCKS: usize = 32;

/// An odd number with about as many ones as zeros. Multiplying by it is reversible, so every changed bit changes a lane.
pub(crate) const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A checksum that is computed part by part.
pub(crate) struct Checksum {
    lanes: [u64; LANES],
    /// The bytes of the last part that did not fill a block.
    rest: [u8; BLOCK_BYTES],
    rest_bytes: usize,
    length: u64,
}

impl Checksum {
    /// Starts a checksum.
    pub(crate) fn new() -> Self {
        let lanes = std::array::from_fn(|lane| MULTIPLIER.wrapping_mul(lane as u64 + 1));
        Checksum { lanes, rest: [0; BLOCK_BYTES], rest_bytes: 0, length: 0 }
    }

    /// Returns the checksum of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Checksum::new();
        checksum.update(bytes);
        checksum.finish()
    }

    /// Adds bytes. It makes no difference how they are divided into parts.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if self.rest_bytes > 0 {
            let (part, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.rest_bytes));
            self.rest[self.rest_bytes..][..part.len()].copy_from_slice(part);
            self.rest_bytes += part.len();
            bytes = later;
            if self.rest_bytes < BLOCK_BYTES {
                return;
            }
            add_block(&mut self.lanes, &self.rest);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
        for (index, block) in blocks.iter().enumerate() {
            // The processor itself does not prefetch beyond a page of memory.
            if let Some(ahead) = blocks.get(index + PREFETCH_AHEAD_BLOCKS) {
                kernels::prefetch(ahead);
            }
            add_block(&mut self.lanes, block);
        }
        self.rest[..rest.len()].copy_from_slice(rest);
        self.rest_bytes = rest.len();
    }

    /// Returns the checksum of all bytes.
    pub(crate) fn finish(mut self) -> u64 {
        self.rest[self.rest_bytes..].fill(0);
        add_block(&mut self.lanes, &self.rest);
        self.lanes.into_iter().fold(self.length, mix)
    }
}

fn add_block(lanes: &mut [u64; LANES], block: &[u8; BLOCK_BYTES]) {
    for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
        *lane = mix(*lane, u64::from_le_bytes(*word));
    }
}

#[inline]
fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(MULTIPLIER).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_changes_the_checksum() {
        let bytes: Vec<u8> = (0..1000_u32).map(|number| (number * 7) as u8).collect();
        let checksum = Checksum::of(&bytes);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert_ne!(Checksum::of(&changed), checksum, "{at}");
        }
        assert_ne!(Checksum::of(&bytes[..999]), checksum);
        let with_zero: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        assert_ne!(Checksum::of(&with_zero), checksum);
        let mut swapped = bytes.clone();
        swapped.swap(3, 67);
        assert_ne!(Checksum::of(&swapped), checksum);
    }

    #[test]
    fn the_division_into_parts_makes_no_difference() {
        let bytes: Vec<u8> = (0..1000_u32).map(|number| (number * 7) as u8).collect();
        for size in [1, 7, 63, 64, 65, 200] {
            let mut checksum = Checksum::new();
            bytes.chunks(size).for_each(|part| checksum.update(part));
            assert_eq!(checksum.finish(), Checksum::of(&bytes), "{size}");
        }
    }
}
