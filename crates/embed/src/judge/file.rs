//! The file of a judge. Little endian: `HEIRJUDG`; the BLAKE3 hash of all that follows; ten u32, the version and the fields of
//! [`Header`]; the tokens in id order, UTF-8, each with `\n`; and the weights in the order in which they are read here.

use heirloom_core::kernels::Instructions;

use super::encoder::{Encoder, Layer, Norm};
use super::weights::{Bits, Linear, Table};
use super::{JOINED_MAX_TOKENS, Judge, SPECIAL_TOKENS};
use crate::Vocabulary;
use crate::half::halves_to_f32;

const MAGIC: &[u8; 8] = b"HEIRJUDG";

const VERSION: usize = 1;

/// The most rows or columns of a matrix: more are no judge's.
const MAX_SIZE: usize = 1 << 20;

/// The bytes that are not read yet.
pub(super) struct Reader {
    rest: &'static [u8],
}

impl Reader {
    pub(super) fn take(&mut self, count: usize) -> Result<&'static [u8], String> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| format!("{} bytes are missing at its end", count - self.rest.len()))?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads numbers of 16 bits.
    pub(super) fn halves(&mut self, count: usize) -> Result<Vec<f32>, String> {
        Ok(halves_to_f32(self.take(count * 2)?).collect())
    }

    fn size(&mut self) -> Result<usize, String> {
        let bytes = self.take(4)?;
        let size = bytes.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
        if size > MAX_SIZE { Err(format!("it states a size of {size}")) } else { Ok(size) }
    }

    fn norm(&mut self, width: usize) -> Result<Norm, String> {
        Ok(Norm { weight: self.halves(width)?, bias: self.halves(width)? })
    }
}

/// The sizes of a model.
struct Header {
    layers: usize,
    width: usize,
    heads: usize,
    inner_width: usize,
    positions: usize,
    tokens: usize,
    vocabulary_bytes: usize,
    weight_bits: Bits,
    token_bits: Bits,
}

impl Header {
    fn read(reader: &mut Reader) -> Result<Self, String> {
        let version = reader.size()?;
        if version != VERSION {
            return Err(format!("it has version {version} of the format instead of {VERSION}"));
        }
        let header = Header {
            layers: reader.size()?,
            width: reader.size()?,
            heads: reader.size()?,
            inner_width: reader.size()?,
            positions: reader.size()?,
            tokens: reader.size()?,
            vocabulary_bytes: reader.size()?,
            weight_bits: Bits::of(reader.size()?)?,
            token_bits: Bits::of(reader.size()?)?,
        };
        // Vectors of 16 numbers are computed, and groups of 32 share a factor.
        let is_whole = |size: usize| size > 0 && size.is_multiple_of(32);
        let is_valid = is_whole(header.width)
            && is_whole(header.inner_width)
            && header.heads > 0
            && header.width.is_multiple_of(header.heads * 16);
        if !is_valid {
            let Header { width, heads, inner_width, .. } = header;
            return Err(format!(
                "the widths {width} and {inner_width} with {heads} heads are not supported"
            ));
        }
        if header.positions < JOINED_MAX_TOKENS {
            return Err(format!(
                "it has {} positions, fewer than {JOINED_MAX_TOKENS}",
                header.positions
            ));
        }
        Ok(header)
    }
}

/// Reads a judge, or returns the reason why its file is invalid.
pub(super) fn read(bytes: &'static [u8]) -> Result<Judge, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("the file is of another kind or cut off")?;
    let (hash, rest) = rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or("it is cut off")?;
    if blake3::hash(rest) != *hash {
        let size = bytes.len();
        return Err(format!(
            "its {size} bytes do not match their checksum, so it is damaged or cut off"
        ));
    }
    let mut reader = Reader { rest };
    let header = Header::read(&mut reader)?;
    let vocabulary = read_vocabulary(reader.take(header.vocabulary_bytes)?, header.tokens)?;
    let encoder = read_encoder(&mut reader, &header)?;
    if !reader.rest.is_empty() {
        return Err(format!("it has {} bytes too many", reader.rest.len()));
    }
    Ok(Judge { vocabulary, encoder, instructions: Instructions::best() })
}

fn read_vocabulary(text: &'static [u8], count: usize) -> Result<Vocabulary, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("its vocabulary: {error}"))?;
    if !text.lines().take(SPECIAL_TOKENS.len()).eq(SPECIAL_TOKENS) || !text.ends_with('\n') {
        return Err(format!("its vocabulary does not start with {}", SPECIAL_TOKENS.join(", ")));
    }
    let vocabulary = Vocabulary::new(text);
    if vocabulary.len() != count {
        return Err(format!("its vocabulary has {} tokens instead of {count}", vocabulary.len()));
    }
    Ok(vocabulary)
}

fn read_encoder(reader: &mut Reader, header: &Header) -> Result<Encoder, String> {
    let Header { width, inner_width, weight_bits, .. } = *header;
    let tokens = Table::read(reader, header.token_bits, header.tokens, width)?;
    let positions = reader.halves(header.positions * width)?;
    let sides = reader.halves(2 * width)?;
    let norm = reader.norm(width)?;
    let layers = (0..header.layers).map(|_| {
        Ok(Layer {
            projection: Linear::read(reader, weight_bits, width, 3 * width)?,
            attention_output: Linear::read(reader, weight_bits, width, width)?,
            attention_norm: reader.norm(width)?,
            intermediate: Linear::read(reader, weight_bits, width, inner_width)?,
            output: Linear::read(reader, weight_bits, inner_width, width)?,
            output_norm: reader.norm(width)?,
        })
    });
    let layers = layers.collect::<Result<_, String>>()?;
    let head = reader.halves(2 * width)?;
    let head_bias = reader.halves(1)?[0];
    Ok(Encoder {
        width,
        heads: header.heads,
        tokens,
        positions,
        sides,
        norm,
        layers,
        head,
        head_bias,
    })
}
