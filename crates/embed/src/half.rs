//! Floating-point numbers of 16 bits.

/// Converts an IEEE 754 half: 1 bit sign, 5 bits exponent, 10 bits fraction.
pub(crate) fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

/// Converts little-endian halves.
pub(crate) fn halves_to_f32(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks::<2>().0.iter().map(|bytes| half_to_f32(u16::from_le_bytes(*bytes)))
}
