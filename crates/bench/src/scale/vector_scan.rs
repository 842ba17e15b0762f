//! A plain scan of vectors: a baseline for recall on the same vectors as the index.

use std::time::{Duration, Instant};

/// At least this many vectors, if there are as many, are compared by their bytes: those nearest by sign bits, with
/// ties.
const MIN_CANDIDATES: usize = 400;

/// How many of the nearest vectors are found.
const RESULTS: usize = 10;

/// The number of dimensions; further ones are ignored.
const DIMENSIONS: usize = 256;

/// Quantised vectors: one sign bit and one byte a dimension.
pub(crate) struct VectorScan {
    signs: Vec<[u64; 4]>,
    values: Vec<[i8; DIMENSIONS]>,
}

impl VectorScan {
    /// Quantises vectors to signs and bytes.
    pub(crate) fn new(vectors: impl Iterator<Item = Vec<f32>>) -> Self {
        let mut scan = VectorScan { signs: vec![], values: vec![] };
        for vector in vectors {
            let (signs, values) = quantise(&vector);
            scan.signs.push(signs);
            scan.values.push(values);
        }
        scan
    }

    /// Finds the nearest vectors, candidates by sign bits and then the best of them by their bytes, and returns how long
    /// that took.
    pub(crate) fn scan(&self, query: &[f32]) -> Duration {
        let started = Instant::now();
        let (signs, values) = quantise(query);
        let mut distances: Vec<u16> = Vec::with_capacity(self.signs.len());
        hamming_distances(&self.signs, &signs, &mut distances);
        let mut counts = [0_usize; DIMENSIONS + 1];
        distances.iter().for_each(|distance| counts[*distance as usize] += 1);
        let mut seen = 0;
        let limit = counts.iter().position(|count| {
            seen += count;
            seen >= MIN_CANDIDATES
        });
        let limit = limit.unwrap_or(DIMENSIONS) as u16;
        let mut nearest: Vec<(i32, usize)> = distances
            .iter()
            .enumerate()
            .filter(|(_, distance)| **distance <= limit)
            .map(|(vector, _)| {
                let pairs = self.values[vector].iter().zip(&values);
                (pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum(), vector)
            })
            .collect();
        nearest.sort_unstable_by(|a, b| b.cmp(a));
        nearest.truncate(RESULTS);
        std::hint::black_box(&nearest);
        started.elapsed()
    }
}

fn quantise(vector: &[f32]) -> ([u64; 4], [i8; DIMENSIONS]) {
    let largest = vector.iter().fold(f32::EPSILON, |largest, x| largest.max(x.abs()));
    let mut signs = [0; 4];
    let mut values = [0; DIMENSIONS];
    for (dimension, x) in vector.iter().enumerate().take(DIMENSIONS) {
        signs[dimension / 64] |= u64::from(*x > 0.0) << (dimension % 64);
        values[dimension] = (x / largest * 127.0) as i8;
    }
    (signs, values)
}

fn hamming_distances(rows: &[[u64; 4]], query: &[u64; 4], distances: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt")]
        fn with_popcnt(rows: &[[u64; 4]], query: &[u64; 4], distances: &mut Vec<u16>) {
            distances.extend(rows.iter().map(|row| distance(row, query)));
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor supports `popcnt`, as was just checked.
            return unsafe { with_popcnt(rows, query, distances) };
        }
    }
    distances.extend(rows.iter().map(|row| distance(row, query)));
}

#[inline(always)]
fn distance(row: &[u64; 4], query: &[u64; 4]) -> u16 {
    row.iter().zip(query).map(|(a, b)| (a ^ b).count_ones() as u16).sum()
}
