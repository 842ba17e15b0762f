//! Weights as `safetensors` files hold them: a header in JSON, then the numbers.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

/// A matrix, row by row; a vector is one row.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) numbers: Vec<f32>,
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// Reads all matrices and vectors of floating point numbers, by name.
pub(crate) fn read(bytes: &[u8]) -> Result<HashMap<String, Tensor>, String> {
    let broken = || "this is not a whole safetensors file".to_owned();
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(broken)?;
    let header: HashMap<String, Value> =
        serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
    let mut tensors = HashMap::new();
    for (name, place) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
        let place: Place =
            serde_json::from_value(place).map_err(|error| format!("`{name}`: {error}"))?;
        let (start, end) = place.data_offsets;
        let own = data.get(start..end).ok_or_else(broken)?;
        let Some(numbers) = numbers(&place.dtype, own) else { continue };
        let columns = place.shape.last().copied().unwrap_or(1);
        let above = place.shape.iter().rev().skip(1);
        let rows = above.copied().try_fold(1_usize, usize::checked_mul);
        let Some(rows) = rows.filter(|rows| rows.checked_mul(columns) == Some(numbers.len()))
        else {
            let (shape, found) = (&place.shape, numbers.len());
            return Err(format!("`{name}` has {found} numbers, which is not its shape {shape:?}"));
        };
        tensors.insert(name, Tensor { rows, columns, numbers });
    }
    Ok(tensors)
}

/// Floating point numbers in one of the usual widths; whole numbers are of no use here.
fn numbers(dtype: &str, bytes: &[u8]) -> Option<Vec<f32>> {
    let two = || bytes.as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two));
    match dtype {
        "F32" => {
            Some(bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
        }
        "F16" => Some(two().map(half).collect()),
        "BF16" => Some(two().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()),
        _ => None,
    }
}

/// A number of 16 bits: one of sign, five of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_read() {
        let header = br#"{"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]},"c":{"dtype":"F32","shape":[1],"data_offsets":[6,10]},"i":{"dtype":"I64","shape":[1],"data_offsets":[10,18]},"__metadata__":{"format":"pt"}}"#;
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend(0x3c00_u16.to_le_bytes());
        bytes.extend(0xc100_u16.to_le_bytes());
        bytes.extend(0x4000_u16.to_le_bytes());
        bytes.extend(0.25_f32.to_le_bytes());
        bytes.extend(7_i64.to_le_bytes());
        let tensors = read(&bytes).unwrap();
        assert_eq!(tensors["a"].numbers, [1.0, -2.5]);
        assert_eq!((tensors["a"].rows, tensors["a"].columns), (1, 2));
        assert_eq!(tensors["b"].numbers, [2.0]);
        assert_eq!(tensors["c"].numbers, [0.25]);
        assert!(!tensors.contains_key("i"));
        assert!(read(&bytes[..bytes.len() - 9]).is_err());
        assert!(read(b"short").is_err());
    }
}
