//! Floating-point numbers of 16 bits.

/// What a half's exponent is less by than that of a float, as a factor.
const EXPONENT: f32 = f32::from_bits((127 + 112) << 23);

/// Converts an IEEE 754 half: 1 bit sign, 5 bits exponent, 10 bits fraction.
fn half_to_f32(bits: u16) -> f32 {
    let shifted = u32::from(bits & 0x7fff) << 13;
    let is_finite = bits & 0x7c00 != 0x7c00;
    let magnitude = if is_finite {
        (f32::from_bits(shifted) * EXPONENT).to_bits()
    } else {
        shifted | 0x7f80_0000
    };
    f32::from_bits(magnitude | u32::from(bits & 0x8000) << 16)
}

/// Converts little-endian halves.
pub(crate) fn halves_to_f32(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks::<2>().0.iter().map(|bytes| half_to_f32(u16::from_le_bytes(*bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_converted() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x83ff, -1023.0 * 2.0_f32.powi(-24)),
            (0x0400, 2.0_f32.powi(-14)),
            (0x3c01, 1.0 + 1.0 / 1024.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f32(bits).to_bits(), expected.to_bits(), "{bits:x}");
        }
        assert!(half_to_f32(0x7e00).is_nan());
    }
}
