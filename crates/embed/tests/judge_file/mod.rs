//! Writes the file of a tiny judge, whose weights are made by the formula of `models/judge/sample.py`.

use serde_json::Value;

const LAYERS: usize = 2;
const WIDTH: usize = 32;
const HEADS: usize = 2;
const INNER_WIDTH: usize = 64;
const POSITIONS: usize = 128;

/// Halves that are factors: 1/256 and 1/16.
const SCALE_OF_8_BITS: u16 = 0x1c00;
const SCALE_OF_4_BITS: u16 = 0x2c00;

/// Returns a file with a magic number and the right checksum.
pub(crate) fn with_checksum(body: &[u8]) -> Vec<u8> {
    [b"HEIRJUDG", &blake3::hash(body).as_bytes()[..], body].concat()
}

/// Returns the file of the tiny judge.
pub(crate) fn tiny(vocabulary: &Value, bits: u64) -> Vec<u8> {
    let tokens = vocabulary.as_array().unwrap();
    let text: String =
        tokens.iter().map(|token| format!("{}\n", token.as_str().unwrap())).collect();
    let sizes = [LAYERS, WIDTH, HEADS, INNER_WIDTH, POSITIONS, tokens.len(), text.len()];
    let sizes = sizes.map(|size| size as u64);
    let header = [[1].as_slice(), &sizes, &[bits, bits]].concat();
    let mut body: Vec<u8> = header.iter().flat_map(|size| (*size as u32).to_le_bytes()).collect();
    body.extend(text.as_bytes());
    let mut file = Writer { body, bits, tensor: 0 };
    file.matrix(tokens.len(), WIDTH, |row, column| row * WIDTH + column);
    file.halves(POSITIONS * WIDTH, 1024.0, 0.0);
    file.halves(2 * WIDTH, 1024.0, 0.0);
    file.norm();
    for _ in 0..LAYERS {
        file.linear(3 * WIDTH, WIDTH);
        file.linear(WIDTH, WIDTH);
        file.norm();
        file.linear(INNER_WIDTH, WIDTH);
        file.linear(WIDTH, INNER_WIDTH);
        file.norm();
    }
    file.halves(2 * WIDTH, 256.0, 0.0);
    file.halves(1, 1024.0, 0.0);
    with_checksum(&file.body)
}

struct Writer {
    body: Vec<u8>,
    bits: u64,
    tensor: i64,
}

impl Writer {
    /// Returns the whole numbers of the next tensor.
    fn integers(&mut self, count: usize, most: i64) -> Vec<i64> {
        let tensor = self.tensor;
        self.tensor += 1;
        let number =
            |at: i64| (at * 7919 + at * at * 13 + tensor * 104_729) % (2 * most + 1) - most;
        (0..count as i64).map(number).collect()
    }

    fn halves(&mut self, count: usize, divisor: f64, more: f64) {
        let integers = self.integers(count, 127);
        let halves = integers.iter().map(|number| half(*number as f64 / divisor + more));
        self.body.extend(halves.flat_map(u16::to_le_bytes));
    }

    fn norm(&mut self) {
        self.halves(WIDTH, 1024.0, 1.0);
        self.halves(WIDTH, 1024.0, 0.0);
    }

    fn linear(&mut self, outputs: usize, inputs: usize) {
        // Panels of 16 outputs, groups of 4 inputs.
        self.matrix(outputs, inputs, |output, input| {
            (output / 16 * inputs / 4 + input / 4) * 64 + output % 16 * 4 + input % 4
        });
        self.halves(outputs, 1024.0, 0.0);
    }

    /// Writes a matrix; `place` says where a number of eight bits is.
    fn matrix(&mut self, rows: usize, columns: usize, place: impl Fn(usize, usize) -> usize) {
        if self.bits == 4 {
            let mut numbers = self.integers(rows * columns, 7);
            numbers.iter_mut().step_by(32).for_each(|number| *number = 7);
            let scales = std::iter::repeat_n(SCALE_OF_4_BITS, numbers.len() / 32);
            self.body.extend(scales.flat_map(u16::to_le_bytes));
            for group in numbers.chunks(32) {
                let byte = |at: usize| (group[at] + 8) as u8 | ((group[at + 16] + 8) as u8) << 4;
                self.body.extend((0..16).map(byte));
            }
            return;
        }
        let mut numbers = self.integers(rows * columns, 127);
        numbers.iter_mut().step_by(columns).for_each(|number| *number = 127);
        self.body.extend(std::iter::repeat_n(SCALE_OF_8_BITS, rows).flat_map(u16::to_le_bytes));
        let start = self.body.len();
        self.body.resize(start + numbers.len(), 0);
        for (at, number) in numbers.iter().enumerate() {
            let byte = (*number as i8).cast_unsigned();
            self.body[start + place(at / columns, at % columns)] = byte;
        }
    }
}

/// Converts a number that a half represents exactly, and that is not too small.
fn half(number: f64) -> u16 {
    let bits = (number as f32).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    if number == 0.0 {
        return sign;
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    assert!((1..31).contains(&exponent) && bits & 0x1fff == 0, "{number} is not exact");
    sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
}
