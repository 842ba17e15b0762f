//! The product of a matrix of activations and a matrix of weights, both of eight bits.

use std::borrow::Cow;

use super::Instructions;
use super::instructions::Set;
#[cfg(target_arch = "aarch64")]
use super::matrix_arm;
#[cfg(target_arch = "x86_64")]
use super::matrix_x86;

/// The number of outputs whose weights are stored together.
pub const PANEL_OUTPUTS: usize = 16;

/// The number of inputs whose weights of one output are stored together.
pub const GROUP_INPUTS: usize = 4;

/// The bytes of a group of inputs of a panel.
pub(super) const STEP_BYTES: usize = PANEL_OUTPUTS * GROUP_INPUTS;

/// What an activation's byte is greater by than the activation: the dot products of x86 want one side without a sign.
const OFFSET: u8 = 128;

/// Weights of eight bits. They are stored as the kernels read them: for each panel of 16 outputs, for each group of 4
/// inputs, for each of the outputs, its weights of these inputs.
#[derive(Debug)]
pub struct PackedMatrix {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Signed bytes.
    pub(super) weights: Cow<'static, [u8]>,
    /// For each output, the sum of its weights times what undoes the offset of the activations.
    pub(super) starts: Vec<i32>,
}

impl PackedMatrix {
    /// Takes packed weights; `None` if their number does not match the sizes, or the sizes are not multiples of 16.
    pub fn new(inputs: usize, outputs: usize, weights: Cow<'static, [u8]>) -> Option<Self> {
        let is_whole = |size: usize| size > 0 && size.is_multiple_of(PANEL_OUTPUTS);
        let is_valid = is_whole(inputs)
            && is_whole(outputs)
            && inputs.checked_mul(outputs) == Some(weights.len());
        if !is_valid {
            return None;
        }
        let mut starts = Vec::with_capacity(outputs);
        for panel in weights.chunks_exact(inputs * PANEL_OUTPUTS) {
            let mut sums = [0_i32; PANEL_OUTPUTS];
            for step in panel.as_chunks::<STEP_BYTES>().0 {
                for (sum, group) in sums.iter_mut().zip(step.as_chunks::<GROUP_INPUTS>().0) {
                    *sum += group.iter().map(|weight| i32::from(weight.cast_signed())).sum::<i32>();
                }
            }
            starts.extend(sums.map(|sum| -sum * i32::from(OFFSET)));
        }
        Some(PackedMatrix { inputs, outputs, weights, starts })
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

/// Rows of activations of eight bits, each with a factor of its own.
#[derive(Debug, Default)]
pub struct QuantisedRows {
    /// The activations, greater by `OFFSET`, row by row.
    pub(super) bytes: Vec<u8>,
    /// What each row was divided by.
    pub(super) scales: Vec<f32>,
}

impl QuantisedRows {
    /// Returns the factor of each row.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Returns the activations of each row of so many, as the signed bytes of each group of inputs.
    pub fn signed_rows(
        &self,
        width: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = [u8; GROUP_INPUTS]>> {
        self.bytes.chunks_exact(width).map(|row| {
            let groups = row.as_chunks::<GROUP_INPUTS>().0.iter();
            groups.map(|group| group.map(|byte| byte.wrapping_sub(OFFSET)))
        })
    }
}

super::instructions::vectorised! {
    /// Quantises rows of so many numbers.
    pub fn quantise(rows: &[f32], width: usize, quantised: &mut QuantisedRows) {
        quantised.bytes.resize(rows.len(), 0);
        quantised.scales.clear();
        let bytes = quantised.bytes.chunks_exact_mut(width);
        for (row, bytes) in rows.chunks_exact(width).zip(bytes) {
            let max = max_abs(row);
            quantised.scales.push(max / 127.0);
            let factor = if max > 0.0 { 127.0 / max } else { 0.0 };
            for (byte, x) in bytes.iter_mut().zip(row) {
                *byte = (x * factor + ROUNDER).to_bits() as u8;
            }
        }
    }
}

/// A float plus this one is rounded to an integer, which stands, greater by `OFFSET`, in its lowest bits.
const ROUNDER: f32 = 12_582_912.0 + OFFSET as f32;

#[inline(always)]
fn max_abs(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<PANEL_OUTPUTS>();
    let mut maxima = [0.0_f32; PANEL_OUTPUTS];
    for chunk in chunks {
        for (max, x) in maxima.iter_mut().zip(chunk) {
            *max = if x.abs() > *max { x.abs() } else { *max };
        }
    }
    maxima.iter().chain(rest).fold(0.0, |max, x| if x.abs() > max { x.abs() } else { max })
}

impl Instructions {
    /// Multiplies rows by weights: `products` gets a row of integers, one for each output, for each row.
    pub fn multiply(self, rows: &QuantisedRows, matrix: &PackedMatrix, products: &mut Vec<i32>) {
        let count = rows.scales.len();
        assert_eq!(rows.bytes.len(), count * matrix.inputs, "the rows have the matrix's inputs");
        products.resize(count * matrix.outputs, 0);
        if count == 0 {
            return;
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value of this set exists only if the processor has its features; the sizes were checked.
            Set::Avx512Vnni => unsafe { matrix_x86::avx512_vnni(&rows.bytes, matrix, products) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::AvxVnni => unsafe { matrix_x86::avx_vnni(&rows.bytes, matrix, products) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Avx2 => unsafe { matrix_x86::avx2(&rows.bytes, matrix, products) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Set::NeonDotProduct => unsafe {
                matrix_arm::dot_product(&rows.bytes, matrix, products)
            },
            Set::Portable => portable(&rows.bytes, matrix, products),
        }
    }
}

/// The rows that the portable kernel computes at a time.
const PORTABLE_ROWS: usize = 4;

/// Multiplies on any processor: the weights of a panel are widened once for some rows.
fn portable(rows: &[u8], matrix: &PackedMatrix, products: &mut [i32]) {
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    let panels = matrix.weights.chunks_exact(inputs * PANEL_OUTPUTS);
    for (panel, weights) in panels.enumerate() {
        let first = panel * PANEL_OUTPUTS;
        let rows = rows.chunks(inputs * PORTABLE_ROWS);
        for (rows, products) in rows.zip(products.chunks_mut(outputs * PORTABLE_ROWS)) {
            let mut sums = [[0_i32; PANEL_OUTPUTS]; PORTABLE_ROWS];
            for (step, weights) in weights.as_chunks::<STEP_BYTES>().0.iter().enumerate() {
                for (row, sums) in rows.chunks_exact(inputs).zip(&mut sums) {
                    let activations = &row[step * GROUP_INPUTS..][..GROUP_INPUTS];
                    let [a, b, c, d] = [0, 1, 2, 3].map(|at| i16::from(activations[at]));
                    for (sum, group) in sums.iter_mut().zip(weights.as_chunks::<GROUP_INPUTS>().0) {
                        let [p, q, r, s] = group.map(|weight| i16::from(weight.cast_signed()));
                        *sum += i32::from(a) * i32::from(p)
                            + i32::from(b) * i32::from(q)
                            + i32::from(c) * i32::from(r)
                            + i32::from(d) * i32::from(s);
                    }
                }
            }
            let starts = &matrix.starts[first..][..PANEL_OUTPUTS];
            for (products, sums) in products.chunks_exact_mut(outputs).zip(sums) {
                let products = &mut products[first..][..PANEL_OUTPUTS];
                for ((product, start), sum) in products.iter_mut().zip(starts).zip(sums) {
                    *product = start + sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers that look random, with the largest ones among them.
    fn bytes(count: usize, step: usize) -> Vec<i8> {
        let number = |at: usize| (((at * step + at * at % 977) % 255) as i16 - 127) as i8;
        (0..count).map(|at| if at % 89 < 9 { 127 } else { number(at) }).collect()
    }

    #[test]
    fn all_instruction_sets_return_the_exact_products() {
        for (inputs, outputs) in [(16, 16), (48, 80), (384, 64), (1536, 208)] {
            let weights = bytes(inputs * outputs, 7919);
            let mut packed = vec![0; inputs * outputs];
            for (at, weight) in weights.iter().enumerate() {
                let (output, input) = (at / inputs, at % inputs);
                let step = (output / 16 * inputs / 4 + input / 4) * STEP_BYTES;
                packed[step + output % 16 * 4 + input % 4] = weight.cast_unsigned();
            }
            let matrix = PackedMatrix::new(inputs, outputs, packed.into()).unwrap();
            for count in [0, 1, 5, 6, 7, 29] {
                let activations = bytes(count * inputs, 104_729);
                let mut expected: Vec<i32> = vec![];
                for row in activations.chunks_exact(inputs) {
                    for weights in weights.chunks_exact(inputs) {
                        let pairs = row.iter().zip(weights);
                        expected.push(pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum());
                    }
                }
                for instructions in Instructions::available() {
                    let offset = |x: &i8| x.cast_unsigned().wrapping_add(OFFSET);
                    let rows = QuantisedRows {
                        bytes: activations.iter().map(offset).collect(),
                        scales: vec![1.0; count],
                    };
                    let mut products = vec![7; 3];
                    instructions.multiply(&rows, &matrix, &mut products);
                    assert!(products == expected, "{} {inputs} {outputs}", instructions.name());
                }
            }
        }
    }

    #[test]
    fn rows_are_quantised_to_their_largest_number() {
        let rows = [[1.0, -0.5, 0.25, 0.003], [0.0; 4], [-2.0, 2.0, 1.99, 0.0]];
        for instructions in Instructions::available() {
            let mut quantised = QuantisedRows::default();
            instructions.quantise(rows.as_flattened(), 4, &mut quantised);
            let signed: Vec<[u8; 4]> = quantised.signed_rows(4).flatten().collect();
            let signed = signed.concat().into_iter().map(u8::cast_signed).collect::<Vec<_>>();
            assert_eq!(signed, [127, -64, 32, 0, 0, 0, 0, 0, -127, 127, 126, 0]);
            assert_eq!(quantised.scales(), [1.0 / 127.0, 0.0, 2.0 / 127.0]);
        }
    }

    #[test]
    fn weights_of_other_sizes_are_refused() {
        assert!(PackedMatrix::new(16, 16, vec![0; 255].into()).is_none());
        assert!(PackedMatrix::new(20, 16, vec![0; 320].into()).is_none());
        assert!(PackedMatrix::new(0, 16, vec![].into()).is_none());
        assert!(PackedMatrix::new(16, usize::MAX, vec![0; 16].into()).is_none());
    }
}
