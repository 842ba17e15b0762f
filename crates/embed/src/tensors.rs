//! Reads weights from `safetensors` files: a JSON header followed by the data.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::half::halves_to_f32;

/// A matrix in row-major order; a vector has one row.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) numbers: Vec<f32>,
}

/// The header entry of a tensor.
#[derive(Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// Reads all floating-point tensors, by name.
pub(crate) fn read(bytes: &[u8]) -> Result<HashMap<String, Tensor>, String> {
    let invalid = || "this is not a complete safetensors file".to_owned();
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(invalid)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| invalid())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(invalid)?;
    let header: HashMap<String, Value> = serde_json::from_slice(header)
        .map_err(|error| format!("the header is invalid: {error}"))?;
    let mut tensors = HashMap::new();
    for (name, entry) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
        let info: TensorInfo =
            serde_json::from_value(entry).map_err(|error| format!("`{name}`: {error}"))?;
        let (start, end) = info.data_offsets;
        let bytes = data.get(start..end).ok_or_else(invalid)?;
        let Some(numbers) = decode(&info.dtype, bytes) else { continue };
        let columns = info.shape.last().copied().unwrap_or(1);
        let outer_dimensions = info.shape.iter().rev().skip(1);
        let rows = outer_dimensions.copied().try_fold(1_usize, usize::checked_mul);
        let Some(rows) = rows.filter(|rows| rows.checked_mul(columns) == Some(numbers.len()))
        else {
            let (shape, count) = (&info.shape, numbers.len());
            return Err(format!("`{name}` has {count} numbers, which does not match {shape:?}"));
        };
        tensors.insert(name, Tensor { rows, columns, numbers });
    }
    Ok(tensors)
}

/// Decodes 16 or 32 bit floating-point numbers; `None` for any other type.
fn decode(dtype: &str, bytes: &[u8]) -> Option<Vec<f32>> {
    let halves = || bytes.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    match dtype {
        "F32" => {
            Some(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        "F16" => Some(halves_to_f32(bytes).collect()),
        "BF16" => Some(halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_floating_point_types_are_decoded() {
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
