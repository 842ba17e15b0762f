//! The product of a matrix of activations of eight bits and a matrix of weights of four bits. Each group of 32 inputs of an
//! output shares a factor: its products are added as integers, and the sums times their factors as floats.

use std::borrow::Cow;

use super::instructions::{Set, vectorised};
#[cfg(target_arch = "aarch64")]
use super::matrix_arm;
#[cfg(target_arch = "x86_64")]
use super::matrix_x86;
use super::{Instructions, prefetch};

/// The number of outputs whose weights are stored together.
pub const PANEL_OUTPUTS: usize = 32;

/// The number of inputs whose weights share a factor.
pub const GROUP_INPUTS: usize = 32;

/// The inputs that an instruction multiplies at once.
pub(super) const STEP_INPUTS: usize = 4;

/// The steps of a group.
pub(super) const GROUP_STEPS: usize = GROUP_INPUTS / STEP_INPUTS;

/// The weights of a step.
const STEP_WEIGHTS: usize = PANEL_OUTPUTS * STEP_INPUTS;

/// The bytes that store the weights of a step.
const STEP_BYTES: usize = STEP_WEIGHTS / 2;

/// The rows of activations that are computed together, so that their sums stay in registers.
pub(super) const TILE_ROWS: usize = 6;

/// What a weight is stored greater by.
const CODE_OFFSET: i8 = 8;

/// What an activation is stored greater by: the dot products of x86 want one side without a sign.
const OFFSET: u8 = 128;

/// Weights of four bits in the order of the kernels: for each panel of 32 outputs, for each group of 32 inputs, for each step
/// of 4 inputs, 64 bytes. Their low halves are the weights of the panel's first 16 outputs, the 4 of an output together, and
/// their high halves those of the other 16.
#[derive(Debug)]
pub struct PackedMatrix {
    inputs: usize,
    outputs: usize,
    /// A half for each panel, group and output.
    factors: Cow<'static, [u8]>,
    weights: Cow<'static, [u8]>,
}

impl PackedMatrix {
    /// Takes the factors and the weights; `None` if their number does not match the sizes, or the sizes are not positive
    /// multiples of 32.
    pub fn new(
        inputs: usize,
        outputs: usize,
        factors: Cow<'static, [u8]>,
        weights: Cow<'static, [u8]>,
    ) -> Option<Self> {
        let is_valid = inputs > 0
            && outputs > 0
            && inputs.is_multiple_of(GROUP_INPUTS)
            && outputs.is_multiple_of(PANEL_OUTPUTS)
            && inputs.checked_mul(outputs) == weights.len().checked_mul(2)
            && factors.len() == weights.len() / (GROUP_INPUTS / 4);
        is_valid.then_some(PackedMatrix { inputs, outputs, factors, weights })
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// The activations of a tile's rows for a step.
pub(super) type TileStep = [[u8; STEP_INPUTS]; TILE_ROWS];

/// Writes the product of a tile and a panel, which have the same number of steps. The slice starts at the panel's first output of
/// the first row, and has as many rows as are needed; the last argument is their distance.
type TileKernel = unsafe fn(&[TileStep], &Panel, &mut [f32], usize);

/// Rows of activations of eight bits, each with a factor of its own.
#[derive(Debug, Default)]
pub struct QuantisedRows {
    /// The activations, greater by `OFFSET`, tile by tile. The rows that the last tile lacks may be anything.
    tiles: Vec<TileStep>,
    /// What each row was divided by.
    scales: Vec<f32>,
    /// The activations of the row that is being quantised.
    row: Vec<u8>,
}

impl QuantisedRows {
    /// Returns the factor of each row.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }
}

/// The weights of a panel as the kernels multiply them: the memory that [`Instructions::multiply`] needs.
#[derive(Debug, Default)]
pub struct Panel {
    pub(super) steps: Vec<PanelStep>,
    pub(super) groups: Vec<PanelGroup>,
    /// What undoes the offset of the activations: the sums start with it.
    pub(super) start: [f32; PANEL_OUTPUTS],
}

/// The 4 weights of each output for a step.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct PanelStep(pub(super) [i8; STEP_WEIGHTS]);

/// What the outputs have for a group.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct PanelGroup {
    pub(super) factors: [f32; PANEL_OUTPUTS],
    /// The sum of each output's weights.
    pub(super) weight_sums: [i32; PANEL_OUTPUTS],
}

vectorised! {
    /// Quantises rows of so many numbers, a multiple of 16.
    pub fn quantise(rows: &[f32], width: usize, quantised: &mut QuantisedRows) {
        let steps = width / STEP_INPUTS;
        let count = rows.len() / width;
        quantised.tiles.resize(count.div_ceil(TILE_ROWS) * steps, [[0; _]; _]);
        quantised.scales.clear();
        quantised.row.resize(width, 0);
        let tiles = quantised.tiles.chunks_exact_mut(steps);
        for (rows, tile) in rows.chunks(width * TILE_ROWS).zip(tiles) {
            for (place, row) in rows.chunks_exact(width).enumerate().take(TILE_ROWS) {
                let max = max_abs(row);
                quantised.scales.push(max / 127.0);
                let factor = if max > 0.0 { 127.0 / max } else { 0.0 };
                let bytes = &mut quantised.row[..width];
                for (byte, x) in bytes.iter_mut().zip(row) {
                    *byte = (x * factor + ROUNDER).to_bits() as u8;
                }
                for (step, bytes) in tile.iter_mut().zip(bytes.as_chunks().0) {
                    step[place] = *bytes;
                }
            }
        }
    }
}

/// The numbers that are computed together.
const LANES: usize = 16;

/// A float plus this one is rounded to an integer, which stands, greater by `OFFSET`, in its lowest bits.
const ROUNDER: f32 = 12_582_912.0 + OFFSET as f32;

#[inline(always)]
fn max_abs(row: &[f32]) -> f32 {
    let mut maxima = [0.0_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (max, x) in maxima.iter_mut().zip(chunk) {
            *max = if x.abs() > *max { x.abs() } else { *max };
        }
    }
    maxima.iter().fold(0.0, |max, x| if *x > max { *x } else { max })
}

vectorised! {
    /// Unpacks the weights of a panel.
    fn unpack(matrix: &PackedMatrix, index: usize, panel: &mut Panel) {
        let groups = matrix.inputs / GROUP_INPUTS;
        let factors = matrix.factors.as_chunks::<{ 2 * PANEL_OUTPUTS }>().0;
        let weights = matrix.weights.as_chunks::<STEP_BYTES>().0;
        let factors = &factors[index * groups..][..groups];
        let weights = weights[index * groups * GROUP_STEPS..].as_chunks::<GROUP_STEPS>().0;
        panel.start = [0.0; _];
        panel.groups.resize(groups, PanelGroup { factors: [0.0; _], weight_sums: [0; _] });
        panel.steps.resize(groups * GROUP_STEPS, PanelStep([0; _]));
        let steps = panel.steps.as_chunks_mut::<GROUP_STEPS>().0;
        for (((group, factors), weights), steps) in
            panel.groups.iter_mut().zip(factors).zip(weights).zip(steps)
        {
            for (step, bytes) in steps.iter_mut().zip(weights) {
                let (low, high) = step.0.split_at_mut(STEP_BYTES);
                for ((low, high), byte) in low.iter_mut().zip(high).zip(*bytes) {
                    *low = (byte & 15).cast_signed() - CODE_OFFSET;
                    *high = (byte >> 4).cast_signed() - CODE_OFFSET;
                }
            }
            // Eight weights of four bits fit in a byte.
            let mut sums = [0_i8; STEP_WEIGHTS];
            for step in steps {
                for (sum, weight) in sums.iter_mut().zip(step.0) {
                    *sum += weight;
                }
            }
            for output in 0..PANEL_OUTPUTS {
                let [a, b, c, d] = [0, 1, 2, 3].map(|at| i32::from(sums[output * STEP_INPUTS + at]));
                let sum = a + b + c + d;
                let factor = [factors[2 * output], factors[2 * output + 1]];
                let factor = half_to_f32(u16::from_le_bytes(factor));
                group.factors[output] = factor;
                group.weight_sums[output] = sum;
                let correction = (-i32::from(OFFSET) * sum) as f32;
                panel.start[output] = factor.mul_add(correction, panel.start[output]);
            }
        }
    }
}

/// What a half's exponent is less by than that of a float, as a factor.
const HALF_EXPONENT: f32 = f32::from_bits((127 + 112) << 23);

/// Converts an IEEE 754 half: 1 bit sign, 5 bits exponent, 10 bits fraction.
#[inline(always)]
pub fn half_to_f32(bits: u16) -> f32 {
    let shifted = u32::from(bits & 0x7fff) << 13;
    let is_finite = bits & 0x7c00 != 0x7c00;
    let finite = (f32::from_bits(shifted) * HALF_EXPONENT).to_bits();
    let magnitude = if is_finite { finite } else { shifted | 0x7f80_0000 };
    f32::from_bits(magnitude | u32::from(bits & 0x8000) << 16)
}

impl Instructions {
    /// Multiplies rows by weights: `products` gets a row of numbers, one for each output, for each row. They lack the factors
    /// of the rows. All instruction sets return the same numbers.
    pub fn multiply(
        self,
        rows: &QuantisedRows,
        matrix: &PackedMatrix,
        products: &mut Vec<f32>,
        panel: &mut Panel,
    ) {
        let count = rows.scales.len();
        let steps = matrix.inputs / STEP_INPUTS;
        let tiles = count.div_ceil(TILE_ROWS);
        assert_eq!(rows.tiles.len(), tiles * steps, "the rows have the matrix's inputs");
        products.resize(count * matrix.outputs, 0.0);
        let kernel: TileKernel = match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => matrix_x86::avx512_vnni,
            #[cfg(target_arch = "x86_64")]
            Set::AvxVnni => matrix_x86::avx_vnni,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => matrix_x86::avx512,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => matrix_x86::avx2,
            #[cfg(target_arch = "aarch64")]
            Set::NeonDotProduct => matrix_arm::dot_product,
            Set::Portable => portable,
        };
        let panel_bytes = matrix.inputs * PANEL_OUTPUTS / 2;
        let ahead_bytes = panel_bytes.div_ceil(tiles.max(1)).next_multiple_of(STEP_BYTES);
        for index in 0..matrix.outputs / PANEL_OUTPUTS {
            self.unpack(matrix, index, panel);
            // Each tile prefetches a part of the next panel.
            let mut ahead = matrix.weights[(index + 1) * panel_bytes..].chunks(ahead_bytes);
            let tiles = rows.tiles.chunks_exact(steps);
            for (tile, products) in tiles.zip(products.chunks_mut(matrix.outputs * TILE_ROWS)) {
                prefetch(ahead.next().unwrap_or_default());
                let out = &mut products[index * PANEL_OUTPUTS..];
                // SAFETY: a value of the set exists only if the processor has its features. Tile and panel have the steps
                // of the matrix's inputs.
                unsafe { kernel(tile, panel, out, matrix.outputs) };
            }
        }
    }
}

/// Multiplies on any processor.
fn portable(tile: &[TileStep], panel: &Panel, out: &mut [f32], stride: usize) {
    let mut sums = [panel.start; TILE_ROWS];
    let tile = tile.as_chunks::<GROUP_STEPS>().0;
    let weights = panel.steps.as_chunks::<GROUP_STEPS>().0;
    for ((group, tile), weights) in panel.groups.iter().zip(tile).zip(weights) {
        for (row, sums) in sums.iter_mut().enumerate() {
            let mut products = [0_i32; PANEL_OUTPUTS];
            for (activations, weights) in tile.iter().zip(weights) {
                let [a, b, c, d] = activations[row].map(i16::from);
                let weights = weights.0.as_chunks::<STEP_INPUTS>().0;
                for (product, weights) in products.iter_mut().zip(weights) {
                    let [p, q, r, s] = weights.map(i16::from);
                    *product += i32::from(a) * i32::from(p)
                        + i32::from(b) * i32::from(q)
                        + i32::from(c) * i32::from(r)
                        + i32::from(d) * i32::from(s);
                }
            }
            for ((sum, product), factor) in sums.iter_mut().zip(products).zip(group.factors) {
                *sum = factor.mul_add(product as f32, *sum);
            }
        }
    }
    for (row, sums) in out.chunks_mut(stride).zip(&sums) {
        row[..PANEL_OUTPUTS].copy_from_slice(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers from -`most` to `most` that look random, with the largest ones among them.
    fn integers(count: usize, step: usize, most: i32) -> Vec<i32> {
        let span = 2 * most + 1;
        let number = |at: usize| ((at * step + at * at % 977) % span as usize) as i32 - most;
        (0..count).map(|at| if at % 89 < 9 { most } else { number(at) }).collect()
    }

    fn half_bits(exponent: i32) -> [u8; 2] {
        (((exponent + 15) as u16) << 10).to_le_bytes()
    }

    /// Packs weights from -8 to 7, row by row. The factors are powers of two, so that all sums are exact; `exponent` says
    /// which, for an output and a group.
    fn pack(
        weights: &[i32],
        inputs: usize,
        exponent: impl Fn(usize, usize) -> i32,
    ) -> (Vec<u8>, Vec<u8>) {
        let groups = inputs / GROUP_INPUTS;
        let mut factors = vec![0; weights.len() / GROUP_INPUTS * 2];
        let mut packed = vec![0; weights.len() / 2];
        for (at, weight) in weights.iter().enumerate() {
            let (output, input) = (at / inputs, at % inputs);
            let (panel, output) = (output / PANEL_OUTPUTS, output % PANEL_OUTPUTS);
            let group = panel * groups + input / GROUP_INPUTS;
            let bits = half_bits(exponent(at / inputs, input / GROUP_INPUTS));
            factors[(group * PANEL_OUTPUTS + output) * 2..][..2].copy_from_slice(&bits);
            let step = panel * inputs / STEP_INPUTS + input / STEP_INPUTS;
            let byte = step * STEP_BYTES + output % 16 * STEP_INPUTS + input % STEP_INPUTS;
            packed[byte] |= ((weight + 8) as u8) << (output / 16 * 4);
        }
        (factors, packed)
    }

    fn quantised(activations: &[i32], width: usize) -> QuantisedRows {
        let steps = width / STEP_INPUTS;
        let count = activations.len() / width;
        let mut rows = QuantisedRows {
            tiles: vec![[[77; _]; _]; count.div_ceil(TILE_ROWS) * steps],
            scales: vec![1.0; count],
            row: vec![],
        };
        for (at, activation) in activations.iter().enumerate() {
            let (row, input) = (at / width, at % width);
            let step = row / TILE_ROWS * steps + input / STEP_INPUTS;
            rows.tiles[step][row % TILE_ROWS][input % STEP_INPUTS] = (activation + 128) as u8;
        }
        rows
    }

    #[test]
    fn all_instruction_sets_return_the_exact_products() {
        for (inputs, outputs) in [(32, 32), (64, 96), (768, 64), (1280, 160)] {
            let mut weights = integers(inputs * outputs, 7919, 7);
            weights.iter_mut().step_by(5).for_each(|weight| *weight = (*weight - 1).max(-8));
            // Rows whose sums are as large as sums can be.
            weights[..inputs].fill(-8);
            weights[inputs..2 * inputs].fill(7);
            let exponent = |output: usize, group: usize| (output % 3) as i32 - (group % 2) as i32;
            let (factors, packed) = pack(&weights, inputs, exponent);
            let matrix = PackedMatrix::new(inputs, outputs, factors.into(), packed.into()).unwrap();
            for count in [0, 1, 5, 6, 7, 29] {
                let mut activations = integers(count * inputs, 104_729, 127);
                if count > 1 {
                    activations[..inputs].fill(127);
                    activations[inputs..2 * inputs].fill(-127);
                }
                let mut expected: Vec<f32> = vec![];
                for row in activations.chunks_exact(inputs) {
                    for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                        let groups = row.chunks_exact(32).zip(weights.chunks_exact(32));
                        let sum: f64 = groups
                            .enumerate()
                            .map(|(group, (row, weights))| {
                                let product: i32 =
                                    row.iter().zip(weights).map(|(a, b)| a * b).sum();
                                f64::from(product) * 2.0_f64.powi(exponent(output, group))
                            })
                            .sum();
                        expected.push(sum as f32);
                    }
                }
                let rows = quantised(&activations, inputs);
                for instructions in Instructions::available() {
                    let mut products = vec![7.0; 3];
                    instructions.multiply(&rows, &matrix, &mut products, &mut Panel::default());
                    assert!(products == expected, "{} {inputs} {outputs}", instructions.name());
                }
            }
        }
    }

    #[test]
    fn all_instruction_sets_add_in_the_same_order() {
        let (inputs, outputs) = (384, 64);
        let weights = integers(inputs * outputs, 7919, 7);
        let (mut factors, packed) = pack(&weights, inputs, |_, _| 0);
        for (at, bytes) in factors.chunks_exact_mut(2).enumerate() {
            bytes.copy_from_slice(&(0x2000 + (at * 7919 % 3000) as u16).to_le_bytes());
        }
        let matrix = PackedMatrix::new(inputs, outputs, factors.into(), packed.into()).unwrap();
        let rows = quantised(&integers(9 * inputs, 104_729, 127), inputs);
        let mut expected = vec![];
        Instructions(Set::Portable).multiply(&rows, &matrix, &mut expected, &mut Panel::default());
        assert!(expected.iter().any(|x| x.fract() != 0.0));
        for instructions in Instructions::available() {
            let mut products = vec![];
            instructions.multiply(&rows, &matrix, &mut products, &mut Panel::default());
            assert!(products == expected, "{}", instructions.name());
        }
    }

    #[test]
    fn rows_are_quantised_to_their_largest_number() {
        let mut rows = [[0.0; 16]; 8];
        rows[0][..4].copy_from_slice(&[1.0, -0.5, 0.25, 0.003]);
        rows[2][12..].copy_from_slice(&[-2.0, 2.0, 1.99, 0.0]);
        rows[7][5] = 0.5;
        for instructions in Instructions::available() {
            let mut quantised = QuantisedRows::default();
            instructions.quantise(rows.as_flattened(), 16, &mut quantised);
            assert_eq!(quantised.tiles.len(), 8);
            let signed = |row: usize, step: usize| {
                quantised.tiles[row / 6 * 4 + step][row % 6].map(|byte| i16::from(byte) - 128)
            };
            assert_eq!(signed(0, 0), [127, -64, 32, 0], "{}", instructions.name());
            assert_eq!(signed(0, 1), [0; 4]);
            assert_eq!(signed(1, 0), [0; 4]);
            assert_eq!(signed(2, 3), [-127, 127, 126, 0]);
            assert_eq!(signed(7, 1), [0, 127, 0, 0]);
            let largest = [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.5];
            assert_eq!(quantised.scales(), largest.map(|max: f32| max / 127.0));
        }
    }

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

    #[test]
    fn weights_of_other_sizes_are_refused() {
        let is_valid = |inputs, outputs, factors: usize, weights: usize| {
            let (factors, weights) = (vec![0; factors], vec![0; weights]);
            PackedMatrix::new(inputs, outputs, factors.into(), weights.into()).is_some()
        };
        assert!(is_valid(32, 32, 64, 512));
        assert!(is_valid(64, 96, 384, 3072));
        assert!(!is_valid(32, 32, 64, 511));
        assert!(!is_valid(32, 32, 62, 512));
        assert!(!is_valid(48, 32, 96, 768));
        assert!(!is_valid(32, 48, 96, 768));
        assert!(!is_valid(0, 32, 0, 0));
        assert!(!is_valid(32, usize::MAX - 31, 64, 512));
    }
}
