//! Compresses the long lines of the log that the index stores. Short ones stay as they are: they would hardly get
//! shorter, and reading them would take longer.

use std::borrow::Cow;
use std::io::Read;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::IndexError;

/// Shorter lines are not compressed.
const MIN_COMPRESSED_BYTES: usize = 1_000;

/// A compressed line begins like this; JSON does not.
const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most bytes that a stored line decompresses to. A corrupt one may state more.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// Returns whether a line is long enough to be compressed.
pub(crate) fn is_long(line: &[u8]) -> bool {
    line.len() >= MIN_COMPRESSED_BYTES
}

/// Compresses a line if that makes it shorter.
pub(crate) fn compress(line: &[u8]) -> Cow<'_, [u8]> {
    if !is_long(line) {
        return Cow::Borrowed(line);
    }
    let compressed = compress_to_vec(line, CompressionLevel::Fastest);
    if compressed.len() < line.len() { Cow::Owned(compressed) } else { Cow::Borrowed(line) }
}

/// Decompresses lines one after the other, and keeps its buffers in between.
#[derive(Default)]
pub(crate) struct Decompressor(FrameDecoder);

impl Decompressor {
    /// Returns the line that was compressed.
    pub(crate) fn decompress<'s>(&mut self, stored: &'s [u8]) -> Result<Cow<'s, [u8]>, IndexError> {
        if !stored.starts_with(&ZSTANDARD_MAGIC) {
            return Ok(Cow::Borrowed(stored));
        }
        let damaged = || IndexError::damaged("a stored line of the log cannot be decompressed");
        let decoder = StreamingDecoder::new_with_decoder(stored, &mut self.0);
        let mut line = Vec::with_capacity(stored.len() * 3);
        let decoded = decoder.map_err(|_| damaged())?.take(MAX_LINE_BYTES).read_to_end(&mut line);
        decoded.map_err(|_| damaged())?;
        Ok(Cow::Owned(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_stored_compressed() {
        let short = b"{\"v\": 1}".as_slice();
        let long = "{\"content\": \"the same words again and again\"}".repeat(50);
        let mut decompressor = Decompressor::default();
        for line in [short, long.as_bytes(), &long.as_bytes()[7..], long.as_bytes()] {
            let stored = compress(line);
            assert_eq!(&*decompressor.decompress(&stored).unwrap(), line);
        }
        assert_eq!(&*compress(short), short);
        let stored = compress(long.as_bytes());
        assert!(stored.len() * 4 < long.len(), "{}", stored.len());
        assert!(decompressor.decompress(&stored[..stored.len() / 2]).is_err());
        assert_eq!(&*decompressor.decompress(&stored).unwrap(), long.as_bytes());
    }
}
