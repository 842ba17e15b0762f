//! Baselines on the same data: a plain index of tantivy, and a plain scan of vectors.

use std::path::Path;
use std::time::{Duration, Instant};

use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, Schema, TEXT};
use tantivy::{Index, TantivyDocument, TantivyError, doc};

use crate::failure::Failure;

/// An index of tantivy with default settings.
pub(crate) struct TantivyBaseline {
    index: Index,
    text: Field,
}

impl From<TantivyError> for Failure {
    fn from(error: TantivyError) -> Self {
        Failure::new(format!("tantivy: {error}"))
    }
}

impl TantivyBaseline {
    /// Indexes memories on two threads.
    pub(crate) fn new(folder: &Path, memories: &[String]) -> Result<Self, Failure> {
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", TEXT);
        let id = schema.add_u64_field("id", STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(2, 200_000_000)?;
        for (number, memory) in memories.iter().enumerate() {
            writer.add_document(doc!(text => memory.as_str(), id => number as u64))?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(TantivyBaseline { index, text })
    }

    /// Searches the ten best hits of each question, and returns how long each search took.
    pub(crate) fn ask(&self, questions: &[String]) -> Result<Vec<Duration>, Failure> {
        let searcher = self.index.reader()?.searcher();
        let parser = QueryParser::for_index(&self.index, vec![self.text]);
        let mut times = Vec::with_capacity(questions.len());
        for question in questions {
            let started = Instant::now();
            let (query, _) = parser.parse_query_lenient(question);
            let best_ten = TopDocs::with_limit(10).order_by_score();
            let hits = searcher.search(&query, &best_ten)?;
            let best = hits.first().map(|(_, address)| searcher.doc::<TantivyDocument>(*address));
            drop(best);
            times.push(started.elapsed());
        }
        Ok(times)
    }
}

/// How many vectors are compared by their bytes.
const CANDIDATES: usize = 400;

/// Quantised vectors: one sign bit and one byte a dimension.
pub(crate) struct VectorScan {
    signs: Vec<[u64; 4]>,
    values: Vec<[i8; 256]>,
}

impl VectorScan {
    /// Quantises vectors.
    pub(crate) fn new(vectors: impl Iterator<Item = Vec<f32>>) -> Self {
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
    pub(crate) fn scan(&self, query: &[f32]) -> Duration {
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
        let mut near: Vec<(i32, usize)> = distances
            .iter()
            .enumerate()
            .filter(|(_, distance)| **distance <= limit)
            .map(|(vector, _)| {
                let pairs = self.values[vector].iter().zip(&values);
                (pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum(), vector)
            })
            .collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.truncate(10);
        std::hint::black_box(&near);
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
