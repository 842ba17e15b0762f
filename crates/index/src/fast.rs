//! A quick hash for large tables of terms. Whoever sets out to make it slow gets a slow index.

use std::hash::{BuildHasherDefault, Hasher};

/// Makes the hasher of a table.
pub(crate) type Hash = BuildHasherDefault<Fast>;

/// Mixes eight bytes at a time.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Fast(u64);

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fast {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(MIX);
    }
}

impl Hasher for Fast {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ bytes.len() as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(u64::from(byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
