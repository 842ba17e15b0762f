//! Weights of eight or four bits.

use heirloom_core::kernels::{
    GROUP_INPUTS, Instructions, PANEL_OUTPUTS, PackedMatrix, QuantisedRows,
};

use super::file::Reader;

/// The weights of four bits that share a factor.
const SHARING: usize = 32;

/// What a weight of four bits is stored greater by.
const NIBBLE_OFFSET: i32 = 8;

/// How many bits a number has in the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bits {
    Four,
    Eight,
}

impl Bits {
    pub(super) fn of(count: usize) -> Result<Self, String> {
        match count {
            4 => Ok(Bits::Four),
            8 => Ok(Bits::Eight),
            _ => Err(format!("numbers of {count} bits are not supported")),
        }
    }
}

/// A linear layer.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) matrix: PackedMatrix,
    /// The factor of each output's weights.
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Linear {
    pub(super) fn read(
        reader: &mut Reader,
        bits: Bits,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, String> {
        let (weights, scales) = match bits {
            Bits::Eight => {
                let scales = reader.halves(outputs)?;
                (reader.take(outputs * inputs)?.into(), scales)
            }
            Bits::Four => {
                let rows = Nibbles::read(reader, outputs, inputs)?;
                let (weights, scales) = rows.pack(inputs);
                (weights.into(), scales)
            }
        };
        let matrix = PackedMatrix::new(inputs, outputs, weights)
            .ok_or_else(|| format!("a matrix of {outputs} × {inputs} is not supported"))?;
        Ok(Linear { matrix, scales, bias: reader.halves(outputs)? })
    }
}

/// Rows of numbers of four bits: the low halves of 16 bytes are the first 16 of 32 numbers that share a factor, the high
/// halves are the other 16.
#[derive(Debug)]
pub(super) struct Nibbles {
    scales: Vec<f32>,
    bytes: &'static [u8],
}

impl Nibbles {
    fn read(reader: &mut Reader, rows: usize, width: usize) -> Result<Self, String> {
        let scales = reader.halves(rows * width / SHARING)?;
        Ok(Nibbles { scales, bytes: reader.take(rows * width / 2)? })
    }

    /// Writes the numbers of some rows.
    fn write_rows(&self, first: usize, width: usize, rows: &mut [f32]) {
        let scales = &self.scales[first * width / SHARING..];
        let bytes = self.bytes[first * width / 2..].as_chunks::<{ SHARING / 2 }>().0;
        for ((numbers, scale), bytes) in
            rows.as_chunks_mut::<SHARING>().0.iter_mut().zip(scales).zip(bytes)
        {
            let (low, high) = numbers.split_at_mut(SHARING / 2);
            for ((low, high), byte) in low.iter_mut().zip(high).zip(bytes) {
                *low = (i32::from(byte & 15) - NIBBLE_OFFSET) as f32 * scale;
                *high = (i32::from(byte >> 4) - NIBBLE_OFFSET) as f32 * scale;
            }
        }
    }

    /// Returns the numbers with eight bits, in the order of the kernels, and the factor of each row. The kernels need one
    /// factor a row; what this rounding adds is far less than what four bits lose.
    fn pack(&self, width: usize) -> (Vec<u8>, Vec<f32>) {
        let instructions = Instructions::best();
        let count = self.bytes.len() * 2 / width;
        let mut packed = vec![0; count * width];
        let mut scales = Vec::with_capacity(count);
        let mut rows = vec![0.0; PANEL_OUTPUTS * width];
        let mut quantised = QuantisedRows::default();
        for (panel, packed) in packed.chunks_exact_mut(PANEL_OUTPUTS * width).enumerate() {
            self.write_rows(panel * PANEL_OUTPUTS, width, &mut rows);
            instructions.quantise(&rows, width, &mut quantised);
            scales.extend(quantised.scales());
            for (output, row) in quantised.signed_rows(width).enumerate() {
                for (group, step) in row.zip(packed.chunks_exact_mut(PANEL_OUTPUTS * GROUP_INPUTS))
                {
                    step[output * GROUP_INPUTS..][..GROUP_INPUTS].copy_from_slice(&group);
                }
            }
        }
        (packed, scales)
    }
}

/// The vectors of the tokens.
#[derive(Debug)]
pub(super) enum Table {
    /// A signed byte for each number, and the factor of each row.
    Bytes {
        scales: Vec<f32>,
        bytes: &'static [u8],
    },
    Nibbles(Nibbles),
}

impl Table {
    pub(super) fn read(
        reader: &mut Reader,
        bits: Bits,
        rows: usize,
        width: usize,
    ) -> Result<Self, String> {
        Ok(match bits {
            Bits::Eight => {
                Table::Bytes { scales: reader.halves(rows)?, bytes: reader.take(rows * width)? }
            }
            Bits::Four => Table::Nibbles(Nibbles::read(reader, rows, width)?),
        })
    }

    /// Writes the vector of a token.
    pub(super) fn write_row(&self, id: u32, row: &mut [f32]) {
        let (id, width) = (id as usize, row.len());
        match self {
            Table::Bytes { scales, bytes } => {
                let scale = scales[id];
                for (x, byte) in row.iter_mut().zip(&bytes[id * width..]) {
                    *x = f32::from(byte.cast_signed()) * scale;
                }
            }
            Table::Nibbles(nibbles) => nibbles.write_rows(id, width, row),
        }
    }
}
