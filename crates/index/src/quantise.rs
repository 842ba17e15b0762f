//! Quantised vectors: one signed byte a dimension for scores, one sign bit for a coarse distance.

use heirloom_core::kernels;

/// A quantised vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuantisedVector {
    /// The factor by which a value is multiplied to restore the original number.
    pub(crate) scale: f32,
    /// A signed byte for each dimension.
    pub(crate) values: Vec<u8>,
    /// One bit for each dimension: whether it is above zero.
    pub(crate) signs: Vec<u8>,
}

impl QuantisedVector {
    /// Quantises a vector.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let (mut values, mut signs) = (vec![], vec![]);
        let scale = quantise_into(vector, &mut values, &mut signs);
        QuantisedVector { scale, values, signs }
    }
}

/// Appends the values and the sign bits of a vector, and returns its scale.
pub(crate) fn quantise_into(vector: &[f32], values: &mut Vec<u8>, signs: &mut Vec<u8>) -> f32 {
    let scale = kernels::max_abs(vector) / 127.0;
    let inverse_scale = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    kernels::quantise_i8(vector, inverse_scale, values);
    let end = signs.len() + sign_bytes(vector.len());
    kernels::append_sign_bits(vector, signs);
    signs.resize(end, 0);
    scale
}

/// Returns how many bytes the sign bits of a vector take, padded to whole 64-bit words.
pub(crate) fn sign_bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}
