//! The attention of a neural network: each position takes the mean of all positions' values, weighted by how well its
//! query matches their keys.

use super::Instructions;
use super::instructions::vectorised;

/// The numbers that are computed together.
const LANES: usize = 16;

/// The positions that are computed together.
const TILE_ROWS: usize = 4;

/// The memory that [`Instructions::attend`] needs.
#[derive(Debug, Default)]
pub struct AttentionScratch {
    /// The keys of a head, column by column, for a number of positions that is a multiple of the lanes.
    keys: Vec<f32>,
    /// The weights that a tile gives to each of these positions.
    weights: Vec<f32>,
}

vectorised! {
    /// Writes what each position of a text attends to. A row of `projected` has the query, the key and the value of a
    /// position, each `width` numbers; a row of `out` has as many. A head is a multiple of 16 wide.
    pub fn attend(projected: &[f32], width: usize, heads: usize, out: &mut [f32], scratch: &mut AttentionScratch) {
        let length = projected.len() / (3 * width);
        let padded = length.next_multiple_of(LANES);
        let head_width = width / heads;
        let scale = 1.0 / (head_width as f32).sqrt();
        scratch.keys.resize(head_width * padded, 0.0);
        scratch.weights.resize(TILE_ROWS * padded, 0.0);
        for head in 0..heads {
            let start = head * head_width;
            for (position, row) in projected.chunks_exact(3 * width).enumerate() {
                let key = &row[width + start..][..head_width];
                for (column, x) in scratch.keys.chunks_exact_mut(padded).zip(key) {
                    column[position] = *x;
                }
            }
            for first in (0..length).step_by(TILE_ROWS) {
                // The last position stands in for those after it.
                let row_of = |row: usize| &projected[(first + row).min(length - 1) * 3 * width..];
                let queries = [0, 1, 2, 3].map(|row| &row_of(row)[start..][..head_width]);
                for lanes in (0..padded).step_by(LANES) {
                    let sums = weighted_sums(queries, &scratch.keys[lanes..], padded);
                    for (row, sums) in scratch.weights.chunks_exact_mut(padded).zip(&sums) {
                        row[lanes..][..LANES].copy_from_slice(sums);
                    }
                }
                for row in scratch.weights.chunks_exact_mut(padded) {
                    softmax(row, length, scale);
                }
                let rows = TILE_ROWS.min(length - first);
                let weights = [0, 1, 2, 3].map(|row| &scratch.weights[row * padded..][..length]);
                for lanes in (start..start + head_width).step_by(LANES) {
                    let sums = weighted_sums(weights, &projected[2 * width + lanes..], 3 * width);
                    for (row, sums) in sums.iter().enumerate().take(rows) {
                        out[(first + row) * width + lanes..][..LANES].copy_from_slice(sums);
                    }
                }
            }
        }
    }
}

/// Returns four sums of the same rows of a matrix, each with weights of its own. The matrix starts at the lanes.
#[inline(always)]
fn weighted_sums(
    weights: [&[f32]; TILE_ROWS],
    matrix: &[f32],
    stride: usize,
) -> [[f32; LANES]; TILE_ROWS] {
    let count = weights[0].len();
    let [a, b, c, d] = weights.map(|weights| &weights[..count]);
    // An array of arrays would not stay in registers.
    let [mut of_a, mut of_b, mut of_c, mut of_d] = [[0.0_f32; LANES]; TILE_ROWS];
    for (at, row) in matrix.chunks(stride).take(count).enumerate() {
        let Some(row) = row.first_chunk::<LANES>() else { break };
        add_weighted(&mut of_a, a[at], row);
        add_weighted(&mut of_b, b[at], row);
        add_weighted(&mut of_c, c[at], row);
        add_weighted(&mut of_d, d[at], row);
    }
    [of_a, of_b, of_c, of_d]
}

#[inline(always)]
fn add_weighted(sums: &mut [f32; LANES], weight: f32, row: &[f32; LANES]) {
    for lane in 0..LANES {
        sums[lane] += weight * row[lane];
    }
}

/// Turns scores into weights whose sum is one. What is after `length` has no weight.
#[inline(always)]
fn softmax(row: &mut [f32], length: usize, scale: f32) {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    // Subtracting the maximum avoids overflow.
    let max = row[..length].iter().fold(f32::NEG_INFINITY, |max, x| larger(max, *x));
    row[length..].fill(f32::NEG_INFINITY);
    let mut sums = [0.0_f32; LANES];
    for chunk in row.as_chunks_mut::<LANES>().0 {
        for (x, sum) in chunk.iter_mut().zip(&mut sums) {
            *x = exp((*x - max) * scale);
            *sum += *x;
        }
    }
    let factor = 1.0 / sums.iter().sum::<f32>();
    row.iter_mut().for_each(|x| *x *= factor);
}

/// The powers of two below this are taken for zero.
const MIN_EXPONENT: f32 = -126.0;

/// A float plus this one is rounded to an integer, which stands in its lowest bits.
const ROUNDER: f32 = 12_582_912.0;

/// Returns a power of e, for numbers that are not positive. The error is at most a millionth of it, and for numbers far below
/// zero as many millionths as they are far.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let exponent = x * std::f32::consts::LOG2_E;
    let exponent = if exponent > MIN_EXPONENT { exponent } else { MIN_EXPONENT };
    let rounded = exponent + ROUNDER;
    let fraction = (exponent - (rounded - ROUNDER)) * std::f32::consts::LN_2;
    // Taylor's series.
    let mut series = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * fraction + coefficient;
    }
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    if exponent > MIN_EXPONENT { series * power } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_e_are_near_the_exact_ones() {
        for x in [0.0, -1e-4, -0.3, -0.5, -1.0, -7.7, -40.0, -86.0] {
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) / exact - 1.0).abs();
            assert!(error < 1e-6 * f64::from(1.0 - x), "{x}: {} {exact}", exp(x));
        }
        assert_eq!([exp(-200.0), exp(f32::NEG_INFINITY)], [0.0; 2]);
    }

    #[test]
    fn equal_keys_have_equal_weight_and_padding_has_none() {
        let width = 32;
        let length = 5;
        let row = |position: usize| {
            let value = (0..width).map(move |x| (position * x) as f32);
            std::iter::repeat_n(0.5, 2 * width).chain(value)
        };
        let projected: Vec<f32> = (0..length).flat_map(row).collect();
        for instructions in Instructions::available() {
            let mut out = vec![0.0; length * width];
            instructions.attend(&projected, width, 2, &mut out, &mut AttentionScratch::default());
            for (at, x) in out.iter().enumerate() {
                let expected = 2.0 * (at % width) as f32;
                assert!((x - expected).abs() < 1e-4, "{}: {x} {expected}", instructions.name());
            }
        }
    }
}
