//! Vectors in few bytes: a small number for each dimension, and one bit.

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
        let most = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let scale = most / 127.0;
        let times = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        // To the nearest whole number, without a call for each.
        let small = |x: &f32| (x * times + 0.5_f32.copysign(*x)) as i32 as i8;
        let mut bits = vec![0_u8; bytes_of_bits(vector.len())];
        for (byte, eight) in bits.iter_mut().zip(vector.chunks(8)) {
            *byte = eight.iter().rev().fold(0, |byte, x| byte << 1 | u8::from(*x > 0.0));
        }
        Small { scale, numbers: vector.iter().map(|x| small(x).cast_unsigned()).collect(), bits }
    }
}

/// Returns how many bytes the bits of a vector take: whole words of the processor.
pub(crate) fn bytes_of_bits(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}
