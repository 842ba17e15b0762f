//! The attention of a neural network: each position takes the mean of all positions' values, weighted by how well its
//! query matches their keys.

use super::Instructions;
use super::instructions::vectorised;

/// The numbers that are computed together.
const LANES: usize = 16;

/// The positions that are computed together.
const TILE_ROWS: usize = 4;

/// The numbers of a query, a key and a value.
pub const HEAD_WIDTH: usize = 64;

/// The vectors of a value.
const HEAD_VECTORS: usize = HEAD_WIDTH / LANES;

/// The memory that [`Instructions::attend`] needs.
#[derive(Debug, Default)]
pub struct AttentionScratch {
    /// The keys of a head: for each 16 positions, for each number of a key, that of these positions.
    keys: Vec<[[f32; LANES]; HEAD_WIDTH]>,
    /// The values of a head.
    values: Vec<[[f32; LANES]; HEAD_VECTORS]>,
    /// The weights that each row of a tile gives to these positions.
    weights: Vec<[f32; LANES]>,
}

/// The heads of a layer.
#[derive(Debug, Clone, Copy)]
pub struct Heads<'a> {
    /// Their number.
    pub count: usize,
    /// For each head, what is added to the score of a key by its distance from the query. The first half is for keys before
    /// the query, the nearest last. There are as many distances of either sign as a text has positions, rounded up to a
    /// multiple of 16.
    pub biases: &'a [f32],
}

vectorised! {
    /// Writes what each position of a text attends to. A row of `projected` has the queries, the keys and the values of a
    /// position, each for all heads; a row of `out` has as many numbers as all values.
    pub fn attend(projected: &[f32], heads: Heads<'_>, out: &mut [f32], scratch: &mut AttentionScratch) {
        let width = heads.count * HEAD_WIDTH;
        let length = projected.len() / (3 * width);
        let blocks = length.div_ceil(LANES);
        let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
        let distances = heads.biases.len() / heads.count;
        scratch.keys.resize(blocks, [[0.0; _]; _]);
        scratch.weights.resize(TILE_ROWS * blocks, [0.0; _]);
        for (head, biases) in heads.biases.chunks_exact(distances).enumerate() {
            let start = head * HEAD_WIDTH;
            scratch.values.clear();
            for (position, row) in projected.chunks_exact(3 * width).enumerate() {
                let (block, lane) = (position / LANES, position % LANES);
                let key = &row[width + start..][..HEAD_WIDTH];
                for (column, x) in scratch.keys[block].iter_mut().zip(key) {
                    // Halving is exact, so that scaling the scores would give the same.
                    column[lane] = *x * scale;
                }
                let value = row[2 * width + start..][..HEAD_WIDTH].as_chunks().0;
                scratch.values.extend(value.first_chunk());
            }
            for first in (0..length).step_by(TILE_ROWS) {
                // The last position stands in for those after it.
                let position = |row: usize| (first + row).min(length - 1);
                let queries = [0, 1, 2, 3].map(|row| {
                    let query = projected[position(row) * 3 * width + start..].first_chunk();
                    query.unwrap_or(&[0.0; HEAD_WIDTH])
                });
                for (block, keys) in scratch.keys.iter().enumerate() {
                    let biases = [0, 1, 2, 3].map(|row| {
                        let bias = distances / 2 - position(row) + block * LANES;
                        biases[bias..].first_chunk().unwrap_or(&[0.0; LANES])
                    });
                    let scores = scores(queries, keys, biases);
                    for (row, scores) in scores.iter().enumerate() {
                        scratch.weights[row * blocks + block] = *scores;
                    }
                }
                for row in scratch.weights.chunks_exact_mut(blocks) {
                    softmax(row, length);
                }
                let rows = TILE_ROWS.min(length - first);
                let weights = [0, 1, 2, 3].map(|row| {
                    &scratch.weights[row * blocks..][..blocks].as_flattened()[..length]
                });
                for half in 0..2 {
                    let sums = weighted_sums(weights, &scratch.values[..length], half * 2);
                    for (row, sums) in sums.iter().enumerate().take(rows) {
                        let out = &mut out[(first + row) * width + start + half * 2 * LANES..];
                        out[..2 * LANES].copy_from_slice(sums.as_flattened());
                    }
                }
            }
        }
    }
}

/// Returns the products of four queries with 16 scaled keys, and adds the biases.
#[inline(always)]
fn scores(
    queries: [&[f32; HEAD_WIDTH]; TILE_ROWS],
    keys: &[[f32; LANES]; HEAD_WIDTH],
    biases: [&[f32; LANES]; TILE_ROWS],
) -> [[f32; LANES]; TILE_ROWS] {
    let [a, b, c, d] = queries.map(|query| query.as_chunks::<2>().0);
    // An array of arrays would not stay in registers. There are two sums of each query, since an addition waits for the one
    // before.
    let [mut a_even, mut b_even, mut c_even, mut d_even] = biases.map(|biases| *biases);
    let [mut a_odd, mut b_odd, mut c_odd, mut d_odd] = [[0.0_f32; LANES]; TILE_ROWS];
    for (at, [even, odd]) in keys.as_chunks::<2>().0.iter().enumerate() {
        add_weighted(&mut a_even, a[at][0], even);
        add_weighted(&mut b_even, b[at][0], even);
        add_weighted(&mut c_even, c[at][0], even);
        add_weighted(&mut d_even, d[at][0], even);
        add_weighted(&mut a_odd, a[at][1], odd);
        add_weighted(&mut b_odd, b[at][1], odd);
        add_weighted(&mut c_odd, c[at][1], odd);
        add_weighted(&mut d_odd, d[at][1], odd);
    }
    for (even, odd) in
        [(&mut a_even, &a_odd), (&mut b_even, &b_odd), (&mut c_even, &c_odd), (&mut d_even, &d_odd)]
    {
        add_weighted(even, 1.0, odd);
    }
    [a_even, b_even, c_even, d_even]
}

/// Returns four sums of two vectors of all values, each sum with weights of its own.
#[inline(always)]
fn weighted_sums(
    weights: [&[f32]; TILE_ROWS],
    values: &[[[f32; LANES]; HEAD_VECTORS]],
    vector: usize,
) -> [[[f32; LANES]; 2]; TILE_ROWS] {
    let [a, b, c, d] = weights.map(|weights| &weights[..values.len()]);
    let [mut a_low, mut b_low, mut c_low, mut d_low] = [[0.0_f32; LANES]; TILE_ROWS];
    let [mut a_high, mut b_high, mut c_high, mut d_high] = [[0.0_f32; LANES]; TILE_ROWS];
    for (at, value) in values.iter().enumerate() {
        let (low, high) = (&value[vector], &value[vector + 1]);
        add_weighted(&mut a_low, a[at], low);
        add_weighted(&mut a_high, a[at], high);
        add_weighted(&mut b_low, b[at], low);
        add_weighted(&mut b_high, b[at], high);
        add_weighted(&mut c_low, c[at], low);
        add_weighted(&mut c_high, c[at], high);
        add_weighted(&mut d_low, d[at], low);
        add_weighted(&mut d_high, d[at], high);
    }
    [[a_low, a_high], [b_low, b_high], [c_low, c_high], [d_low, d_high]]
}

#[inline(always)]
fn add_weighted(sums: &mut [f32; LANES], weight: f32, row: &[f32; LANES]) {
    for lane in 0..LANES {
        sums[lane] = weight.mul_add(row[lane], sums[lane]);
    }
}

/// Turns scores into weights whose sum is one. What is after `length` has no weight.
#[inline(always)]
fn softmax(row: &mut [[f32; LANES]], length: usize) {
    row.as_flattened_mut()[length..].fill(f32::NEG_INFINITY);
    let mut maxima = [f32::NEG_INFINITY; LANES];
    for chunk in row.iter() {
        for (max, x) in maxima.iter_mut().zip(chunk) {
            *max = if *x > *max { *x } else { *max };
        }
    }
    // Subtracting the maximum avoids overflow.
    let max = maxima.iter().fold(f32::NEG_INFINITY, |max, x| if *x > max { *x } else { max });
    let mut sums = [0.0_f32; LANES];
    for chunk in row.iter_mut() {
        for (x, sum) in chunk.iter_mut().zip(&mut sums) {
            *x = exp(*x - max);
            *sum += *x;
        }
    }
    let factor = 1.0 / sums.iter().sum::<f32>();
    row.as_flattened_mut().iter_mut().for_each(|x| *x *= factor);
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
    let mut series = 1.0_f32 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series.mul_add(fraction, coefficient);
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
        let width = 2 * HEAD_WIDTH;
        let length = 5;
        let row = |position: usize| {
            let value = (0..width).map(move |x| (position * x) as f32);
            std::iter::repeat_n(0.5, 2 * width).chain(value)
        };
        let projected: Vec<f32> = (0..length).flat_map(row).collect();
        let heads = Heads { count: 2, biases: &[0.25; 64] };
        for instructions in Instructions::available() {
            let mut out = vec![0.0; length * width];
            instructions.attend(&projected, heads, &mut out, &mut AttentionScratch::default());
            for (at, x) in out.iter().enumerate() {
                let expected = 2.0 * (at % width) as f32;
                assert!((x - expected).abs() < 1e-4, "{}: {x} {expected}", instructions.name());
            }
        }
    }

    #[test]
    fn queries_find_their_keys() {
        // A position's query matches the key of the position as far from the end, once from another text's scratch.
        let (width, length) = (HEAD_WIDTH, 37);
        let row = |position: usize| {
            let at = |x: usize, wanted: usize| if x == wanted { 30.0 } else { 0.0 };
            let query = (0..width).map(move |x| at(x, length - 1 - position));
            let key = (0..width).map(move |x| at(x, position));
            query.chain(key).chain((0..width).map(move |x| (position * 100 + x) as f32))
        };
        let projected: Vec<f32> = (0..length).flat_map(row).collect();
        let heads = Heads { count: 1, biases: &[0.0; 96] };
        for instructions in Instructions::available() {
            let mut scratch = AttentionScratch::default();
            let mut out = vec![0.0; 48 * width];
            instructions.attend(&vec![9.0; 48 * 3 * width], heads, &mut out, &mut scratch);
            instructions.attend(&projected, heads, &mut out[..length * width], &mut scratch);
            for (position, row) in out.chunks_exact(width).take(length).enumerate() {
                for (x, found) in row.iter().enumerate() {
                    let expected = ((length - 1 - position) * 100 + x) as f32;
                    assert!((found - expected).abs() < 0.01, "{position} {x}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn biases_are_added_by_the_distance_of_the_key() {
        // The first head looks at the position before its own, the second one at the second position after it.
        let mut biases = [[0.0; 32]; 2];
        (biases[0][15], biases[1][18]) = (50.0, 50.0);
        let (width, length) = (2 * HEAD_WIDTH, 6);
        let row = |position: usize| {
            std::iter::repeat_n(0.5, 2 * width).chain(std::iter::repeat_n(position as f32, width))
        };
        let projected: Vec<f32> = (0..length).flat_map(row).collect();
        let heads = Heads { count: 2, biases: biases.as_flattened() };
        for instructions in Instructions::available() {
            let mut out = vec![0.0; length * width];
            instructions.attend(&projected, heads, &mut out, &mut AttentionScratch::default());
            for (position, row) in out.chunks_exact(width).enumerate() {
                let before = if position == 0 { 2.5 } else { position as f32 - 1.0 };
                let after = if position + 2 < length { position as f32 + 2.0 } else { 2.5 };
                let (first, second) = row.split_at(HEAD_WIDTH);
                assert!(first.iter().all(|x| (x - before).abs() < 1e-4), "{position} {row:?}");
                assert!(second.iter().all(|x| (x - after).abs() < 1e-4), "{position} {row:?}");
            }
        }
    }
}
