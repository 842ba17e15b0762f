//! A plain scan of vectors, as a baseline on the same data.

use std::time::{Duration, Instant};

/// How many vectors are compared by their bytes, after all were compared by their sign bits.
const CANDIDATES: usize = 400;

/// Quantised vectors: one sign bit and one byte a dimension.
pub(super) struct VectorScan {
    signs: Vec<[u64; 4]>,
    values: Vec<[i8; 256]>,
}

impl VectorScan {
    /// Quantises vectors.
    pub(super) fn new(vectors: impl Iterator<Item = Vec<f32>>) -> Self {
        let mut scan = VectorScan { signs: vec![], values: vec![] };
        for vector in vectors {
            let (signs, values) = quantise(&vector);
            scan.signs.push(signs);
            scan.values.push(values);
        }
        scan
    }

    /// Finds the ten nearest vectors: candidates by their sign bits, of those ten by their bytes.
    /// Returns how long that took.
    pub(super) fn scan(&self, query: &[f32]) -> Duration {
        let started = Instant::now();
        let (signs, values) = quantise(query);
        let mut distances: Vec<u16> = Vec::with_capacity(self.signs.len());
        hamming_distances(&self.signs, &signs, &mut distances);
        let mut counts = [0_usize; 257];
        distances.iter().for_each(|distance| counts[*distance as usize] += 1);
        let mut seen = 0;
        let limit = counts.iter().position(|count| {
            seen += count;
            seen >= CANDIDATES
        });
        let limit = limit.unwrap_or(256) as u16;
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
        nearest.truncate(10);
        std::hint::black_box(&nearest);
        started.elapsed()
    }
}

fn quantise(vector: &[f32]) -> ([u64; 4], [i8; 256]) {
    let largest = vector.iter().fold(f32::EPSILON, |largest, x| largest.max(x.abs()));
    let mut signs = [0; 4];
    let mut values = [0; 256];
    for (dimension, x) in vector.iter().enumerate().take(256) {
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
