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
                match_keys(queries, &scratch.keys, padded, &mut scratch.weights);
                for row in scratch.weights.chunks_exact_mut(padded) {
                    softmax(row, length, scale);
                }
                let rows = TILE_ROWS.min(length - first);
                for lanes in (start..start + head_width).step_by(LANES) {
                    let sums = mean_values(projected, width, lanes, &scratch.weights, padded);
                    for (row, sums) in sums.iter().enumerate().take(rows) {
                        out[(first + row) * width + lanes..][..LANES].copy_from_slice(sums);
                    }
                }
            }
        }
    }
}

/// Writes the dot products of four queries with all keys.
#[inline(always)]
fn match_keys(queries: [&[f32]; TILE_ROWS], keys: &[f32], padded: usize, scores: &mut [f32]) {
    for first in (0..padded).step_by(LANES) {
        let mut sums = [[0.0_f32; LANES]; TILE_ROWS];
        for (column, keys) in keys.chunks_exact(padded).enumerate() {
            let keys = &keys[first..][..LANES];
            for (sums, query) in sums.iter_mut().zip(queries) {
                let x = query[column];
                for (sum, key) in sums.iter_mut().zip(keys) {
                    *sum += x * key;
                }
            }
        }
        for (row, sums) in scores.chunks_exact_mut(padded).zip(&sums) {
            row[first..][..LANES].copy_from_slice(sums);
        }
    }
}

/// Returns the weighted sums of a part of all values.
#[inline(always)]
fn mean_values(
    projected: &[f32],
    width: usize,
    start: usize,
    weights: &[f32],
    padded: usize,
) -> [[f32; LANES]; TILE_ROWS] {
    let mut sums = [[0.0_f32; LANES]; TILE_ROWS];
    let rows = [0, 1, 2, 3].map(|row| &weights[row * padded..][..padded]);
    for (position, row) in projected.chunks_exact(3 * width).enumerate() {
        let values = &row[2 * width + start..][..LANES];
        for (sums, weights) in sums.iter_mut().zip(rows) {
            let weight = weights[position];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
    }
    sums
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

/// Returns a power of e, for numbers that are not positive, within a millionth of it.
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
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 2e-6, "{x}: {} {exact}", exp(x));
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
