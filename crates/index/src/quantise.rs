//! Vectors in few bytes: a small number for each dimension, and one bit.

use heirloom_core::kernels;

/// A vector in few bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Small {
    /// What the numbers are multiplied with.
    pub(crate) scale: f32,
    /// A signed number for each dimension.
    pub(crate) numbers: Vec<u8>,
    /// Whether each dimension is above zero.
    pub(crate) bits: Vec<u8>,
}

impl Small {
    /// Makes a vector small.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let (mut numbers, mut bits) = (vec![], vec![]);
        let scale = write_small(vector, &mut numbers, &mut bits);
        Small { scale, numbers, bits }
    }
}

/// Writes a vector's small numbers and its bits, and returns what the numbers are multiplied with.
pub(crate) fn write_small(vector: &[f32], numbers: &mut Vec<u8>, bits: &mut Vec<u8>) -> f32 {
    let scale = kernels::largest(vector) / 127.0;
    let times = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    kernels::shrink(vector, times, numbers);
    let end = bits.len() + bytes_of_bits(vector.len());
    kernels::signs(vector, bits);
    bits.resize(end, 0);
    scale
}

/// Returns how many bytes the bits of a vector take: whole words of the processor.
pub(crate) fn bytes_of_bits(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}
