//! Writes the file of a tiny judge, whose weights are made by the formula of `models/judge/sample.py`.

use serde_json::Value;

const WIDTH: usize = 96;
const POSITIONS: usize = 128;
const PARTS: usize = 12;
const DISTANCE_HEADS: usize = 5;
const BUCKETS: usize = 32;
const HEAD_WIDTH: usize = 64;

/// The heads and the inner width of each layer.
const LAYERS: [(&[usize], usize); 4] = [(&[4, 0], 64), (&[], 192), (&[2], 0), (&[0, 1, 3], 128)];

/// The outputs of a panel and the inputs of a group.
const BLOCK: usize = 32;

/// Returns a file with a magic number and the right checksum.
pub(crate) fn with_checksum(body: &[u8]) -> Vec<u8> {
    [b"HEIRJUDG", &blake3::hash(body).as_bytes()[..], body].concat()
}

/// Returns the file of the tiny judge.
pub(crate) fn tiny(vocabulary: &Value, orders: u64) -> Vec<u8> {
    let tokens = vocabulary.as_array().unwrap();
    let text: String =
        tokens.iter().map(|token| format!("{}\n", token.as_str().unwrap())).collect();
    let mut sizes = vec![2, LAYERS.len(), WIDTH, HEAD_WIDTH, POSITIONS, BUCKETS, DISTANCE_HEADS];
    sizes.extend([tokens.len(), text.len(), PARTS, orders as usize]);
    for (heads, inner_width) in LAYERS {
        sizes.extend([inner_width, heads.len()]);
        sizes.extend(heads);
    }
    let mut body: Vec<u8> = sizes.iter().flat_map(|size| (*size as u32).to_le_bytes()).collect();
    body.extend(text.as_bytes());
    let mut file = Writer { body, tensor: 0 };
    let codes = file.integers(tokens.len() * PARTS, 127);
    file.body.extend(codes.iter().map(|code| (code + 127) as u8));
    file.halves(256 * WIDTH, 64.0, 0.0);
    file.halves(POSITIONS * WIDTH, 1024.0, 0.0);
    file.norm();
    file.halves(BUCKETS * DISTANCE_HEADS, 32.0, 0.0);
    for (heads, inner_width) in LAYERS {
        let attended = heads.len() * HEAD_WIDTH;
        file.two_products(3 * attended, attended);
        file.two_products(inner_width, inner_width);
    }
    file.halves(2 * WIDTH, 512.0, 0.0);
    file.halves(1, 1024.0, 0.0);
    with_checksum(&file.body)
}

struct Writer {
    body: Vec<u8>,
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

    /// Writes a product from the state, one back to it and the normalisation after it.
    fn two_products(&mut self, outputs: usize, inputs: usize) {
        if outputs > 0 {
            self.matrix(outputs, WIDTH);
            self.halves(outputs, 1024.0, 0.0);
            self.matrix(WIDTH, inputs);
        }
        self.halves(WIDTH, 1024.0, 0.0);
        self.norm();
    }

    fn matrix(&mut self, outputs: usize, inputs: usize) {
        let groups = inputs / BLOCK;
        let mut codes = self.integers(outputs * inputs, 7);
        codes.iter_mut().step_by(BLOCK).for_each(|code| *code = 7);
        let mut factors = vec![0; outputs * groups * 2];
        for number in 0..outputs * groups {
            let (output, group) = (number / groups, number % groups);
            let factor = half((1024 + number * 37 % 1024) as f64 / 65536.0);
            let place = (output / BLOCK * groups + group) * BLOCK + output % BLOCK;
            factors[place * 2..][..2].copy_from_slice(&factor.to_le_bytes());
        }
        self.body.extend(factors);
        // For each panel of 32 outputs, for each 4 inputs: 16 outputs in the low halves of bytes, 16 in the high ones.
        let mut bytes = vec![0; codes.len() / 2];
        for (at, code) in codes.iter().enumerate() {
            let (output, input) = (at / inputs, at % inputs);
            let step = output / BLOCK * (inputs / 4) + input / 4;
            let byte = step * 64 + output % 16 * 4 + input % 4;
            bytes[byte] |= ((code + 8) as u8) << (output % BLOCK / 16 * 4);
        }
        self.body.extend(bytes);
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
