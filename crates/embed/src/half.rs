//! Floating-point numbers of 16 bits.

use heirloom_core::kernels::half_to_f32;

/// Converts little-endian halves.
pub(crate) fn halves_to_f32(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks::<2>().0.iter().map(|bytes| half_to_f32(u16::from_le_bytes(*bytes)))
}
