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
        let small = |x: &f32| if scale > 0.0 { (x / scale).round() as i8 } else { 0 };
        let mut bits = vec![0_u8; bytes_of_bits(vector.len())];
        for (at, _) in vector.iter().enumerate().filter(|(_, x)| **x > 0.0) {
            bits[at / 8] |= 1 << (at % 8);
        }
        Small { scale, numbers: vector.iter().map(|x| small(x).cast_unsigned()).collect(), bits }
    }
}

/// Returns how many bytes the bits of a vector take: whole words of the processor.
pub(crate) fn bytes_of_bits(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}
