//! The file of a judge. Little endian: `HEIRJUDG`; the BLAKE3 hash of all that follows; eleven u32, the version and the fields
//! of [`Header`]; for each layer its inner width, the number of its heads and the numbers that these had in the encoder that it
//! was made of, all u32; the tokens in id order, UTF-8, each with `\n`; and the weights in the order in which they are read
//! here. Numbers are halves, apart from codes of a byte and from matrices, which [`PackedMatrix`] describes.

use heirloom_core::kernels::{GROUP_INPUTS, HEAD_WIDTH, Instructions, PANEL_OUTPUTS, PackedMatrix};

use super::distances::{self, BUCKETS};
use super::encoder::{Attention, Encoder, FeedForward, Layer, Linear, Norm};
use super::words::{CODEBOOK_PARTS, Words};
use super::{JOINED_MAX_TOKENS, Judge, Orders, SPECIAL_TOKENS};
use crate::Vocabulary;
use crate::half::halves_to_f32;

pub(super) const MAGIC: &[u8; 8] = b"HEIRJUDG";

const VERSION: usize = 2;

/// The largest size of anything: a larger one is no judge's.
const MAX_SIZE: usize = 1 << 20;

/// The distances of either sign that biases are needed for.
const REACH: usize = JOINED_MAX_TOKENS.next_multiple_of(16);

/// The bytes that are not read yet.
struct Reader {
    rest: &'static [u8],
}

impl Reader {
    fn take(&mut self, count: usize) -> Result<&'static [u8], String> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| format!("{} bytes are missing at its end", count - self.rest.len()))?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads so many numbers of 16 bits for each of a count.
    fn halves(&mut self, count: usize, each: usize) -> Result<Vec<f32>, String> {
        let bytes = count.saturating_mul(each).saturating_mul(2);
        Ok(halves_to_f32(self.take(bytes)?).collect())
    }

    fn size(&mut self) -> Result<usize, String> {
        let bytes = self.take(4)?;
        let size = bytes.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
        if size > MAX_SIZE { Err(format!("it states a size of {size}")) } else { Ok(size) }
    }

    fn norm(&mut self, width: usize) -> Result<Norm, String> {
        Ok(Norm { weight: self.halves(width, 1)?, bias: self.halves(width, 1)? })
    }

    /// Reads a matrix whose sizes were checked.
    fn matrix(&mut self, inputs: usize, outputs: usize) -> Result<PackedMatrix, String> {
        let count = inputs.saturating_mul(outputs);
        let factors = self.take((count / GROUP_INPUTS).saturating_mul(2))?;
        let weights = self.take(count / 2)?;
        PackedMatrix::new(inputs, outputs, factors.into(), weights.into())
            .ok_or_else(|| format!("a matrix of {outputs} × {inputs} is not supported"))
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Result<Linear, String> {
        Ok(Linear { matrix: self.matrix(inputs, outputs)?, bias: self.halves(outputs, 1)? })
    }
}

/// The sizes of a model.
struct Header {
    layers: usize,
    width: usize,
    /// The numbers of a query, a key and a value.
    head_width: usize,
    positions: usize,
    buckets: usize,
    /// The heads that the table of distances has.
    distance_heads: usize,
    tokens: usize,
    vocabulary_bytes: usize,
    /// The parts of a token's vector.
    parts: usize,
    orders: Orders,
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
            head_width: reader.size()?,
            positions: reader.size()?,
            buckets: reader.size()?,
            distance_heads: reader.size()?,
            tokens: reader.size()?,
            vocabulary_bytes: reader.size()?,
            parts: reader.size()?,
            orders: match reader.size()? {
                1 => Orders::Sorted,
                2 => Orders::Both,
                orders => return Err(format!("it wants {orders} orders of the statements")),
            },
        };
        let Header { width, head_width, positions, buckets, parts, .. } = header;
        if width == 0 || !width.is_multiple_of(GROUP_INPUTS.max(PANEL_OUTPUTS)) {
            return Err(format!("the width {width} is not supported"));
        }
        if head_width != HEAD_WIDTH {
            return Err(format!("heads that are {head_width} wide are not supported"));
        }
        if buckets != BUCKETS {
            return Err(format!("{buckets} buckets of distances are not supported"));
        }
        if parts == 0 || !width.is_multiple_of(parts) {
            return Err(format!("a vector of {width} numbers cannot have {parts} parts"));
        }
        if positions < JOINED_MAX_TOKENS {
            return Err(format!("it has {positions} positions, fewer than {JOINED_MAX_TOKENS}"));
        }
        Ok(header)
    }
}

/// The sizes of a layer.
struct LayerSizes {
    inner_width: usize,
    /// The columns of its heads in the table of distances.
    heads: Vec<usize>,
}

impl LayerSizes {
    fn read(reader: &mut Reader, header: &Header) -> Result<Self, String> {
        let inner_width = reader.size()?;
        if !inner_width.is_multiple_of(GROUP_INPUTS.max(PANEL_OUTPUTS)) {
            return Err(format!("the inner width {inner_width} is not supported"));
        }
        let heads = (0..reader.size()?).map(|_| reader.size());
        let heads = heads.collect::<Result<Vec<_>, _>>()?;
        match heads.iter().find(|head| **head >= header.distance_heads) {
            Some(head) => Err(format!("the table of distances has no head {head}")),
            None => Ok(LayerSizes { inner_width, heads }),
        }
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
    let layers = (0..header.layers).map(|_| LayerSizes::read(&mut reader, &header));
    let layers = layers.collect::<Result<Vec<_>, _>>()?;
    let vocabulary = read_vocabulary(reader.take(header.vocabulary_bytes)?, header.tokens)?;
    let encoder = read_encoder(&mut reader, &header, &layers)?;
    if !reader.rest.is_empty() {
        return Err(format!("it has {} bytes too many", reader.rest.len()));
    }
    let instructions = Instructions::best();
    Ok(Judge { vocabulary, encoder, orders: header.orders, instructions })
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

fn read_encoder(
    reader: &mut Reader,
    header: &Header,
    layers: &[LayerSizes],
) -> Result<Encoder, String> {
    let Header { width, parts, distance_heads, .. } = *header;
    let words = Words {
        codes: reader.take(header.tokens.saturating_mul(parts))?,
        parts,
        codebooks: reader.halves(width, CODEBOOK_PARTS)?,
    };
    let positions = reader.halves(header.positions, width)?;
    let norm = reader.norm(width)?;
    let distances = reader.halves(distance_heads, BUCKETS)?;
    let bias_of = |bucket: usize, head: usize| distances[bucket * distance_heads + head];
    let layers = layers.iter().map(|sizes| {
        let attended_width = sizes.heads.len() * HEAD_WIDTH;
        let has_attention = attended_width > 0;
        let projection =
            has_attention.then(|| reader.linear(width, 3 * attended_width)).transpose()?;
        let output = has_attention.then(|| reader.matrix(attended_width, width)).transpose()?;
        let attention = projection.zip(output).map(|(projection, output)| Attention {
            heads: sizes.heads.len(),
            projection,
            distance_biases: distances::biases(&sizes.heads, REACH, bias_of),
            output,
        });
        let attention_bias = reader.halves(width, 1)?;
        let attention_norm = reader.norm(width)?;
        let has_inner = sizes.inner_width > 0;
        let intermediate =
            has_inner.then(|| reader.linear(width, sizes.inner_width)).transpose()?;
        let output = has_inner.then(|| reader.matrix(sizes.inner_width, width)).transpose()?;
        let feed_forward = intermediate
            .zip(output)
            .map(|(intermediate, output)| FeedForward { intermediate, output });
        Ok(Layer {
            attention,
            attention_bias,
            attention_norm,
            feed_forward,
            output_bias: reader.halves(width, 1)?,
            output_norm: reader.norm(width)?,
        })
    });
    let layers = layers.collect::<Result<_, String>>()?;
    let head = reader.halves(2, width)?;
    let head_bias = reader.halves(1, 1)?[0];
    Ok(Encoder { width, words, positions, norm, layers, head, head_bias })
}
