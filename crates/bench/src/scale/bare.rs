//! What the parts of a search cost by themselves, on the same data: tantivy, and a scan of vectors.

use std::path::Path;
use std::time::{Duration, Instant};

use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, Schema, TEXT};
use tantivy::{Index, TantivyDocument, TantivyError, doc};

use crate::failure::Failure;

/// An index of tantivy as it comes.
pub(crate) struct Tantivy {
    index: Index,
    text: Field,
}

impl From<TantivyError> for Failure {
    fn from(error: TantivyError) -> Self {
        Failure::new(format!("tantivy: {error}"))
    }
}

impl Tantivy {
    /// Indexes memories on two threads.
    pub(crate) fn new(folder: &Path, memories: &[String]) -> Result<Self, Failure> {
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", TEXT);
        let id = schema.add_u64_field("id", STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(2, 200_000_000)?;
        for (at, memory) in memories.iter().enumerate() {
            writer.add_document(doc!(text => memory.as_str(), id => at as u64))?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(Tantivy { index, text })
    }

    /// Asks questions for the best ten, and returns how long each took.
    pub(crate) fn ask(&self, questions: &[String]) -> Result<Vec<Duration>, Failure> {
        let searcher = self.index.reader()?.searcher();
        let parser = QueryParser::for_index(&self.index, vec![self.text]);
        let mut times = Vec::with_capacity(questions.len());
        for question in questions {
            let started = Instant::now();
            let (query, _) = parser.parse_query_lenient(question);
            let best_ten = TopDocs::with_limit(10).order_by_score();
            let found = searcher.search(&query, &best_ten)?;
            let best = found.first().map(|(_, address)| searcher.doc::<TantivyDocument>(*address));
            drop(best);
            times.push(started.elapsed());
        }
        Ok(times)
    }
}

/// Rows of one bit a dimension and of one byte a dimension.
pub(crate) struct Vectors {
    bits: Vec<[u64; 4]>,
    numbers: Vec<[i8; 256]>,
}

impl Vectors {
    /// Makes vectors small.
    pub(crate) fn new(vectors: impl Iterator<Item = Vec<f32>>) -> Self {
        let mut made = Vectors { bits: vec![], numbers: vec![] };
        for vector in vectors {
            let (bits, numbers) = small(&vector);
            made.bits.push(bits);
            made.numbers.push(numbers);
        }
        made
    }

    /// Finds the ten nearest: 400 by their bits, of those ten by their bytes.
    pub(crate) fn scan(&self, query: &[f32]) -> Duration {
        let started = Instant::now();
        let (bits, numbers) = small(query);
        let mut distances: Vec<u16> = Vec::with_capacity(self.bits.len());
        distances_of(&self.bits, &bits, &mut distances);
        let mut counts = [0_usize; 257];
        distances.iter().for_each(|distance| counts[*distance as usize] += 1);
        let mut seen = 0;
        let limit = counts.iter().position(|count| {
            seen += count;
            seen >= 400
        });
        let limit = limit.unwrap_or(256) as u16;
        let mut near: Vec<(i32, usize)> = distances
            .iter()
            .enumerate()
            .filter(|(_, distance)| **distance <= limit)
            .map(|(at, _)| {
                let pairs = self.numbers[at].iter().zip(&numbers);
                (pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum(), at)
            })
            .collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.truncate(10);
        std::hint::black_box(&near);
        started.elapsed()
    }
}

fn small(vector: &[f32]) -> ([u64; 4], [i8; 256]) {
    let most = vector.iter().fold(f32::EPSILON, |most, x| most.max(x.abs()));
    let mut bits = [0; 4];
    let mut numbers = [0; 256];
    for (at, x) in vector.iter().enumerate().take(256) {
        bits[at / 64] |= u64::from(*x > 0.0) << (at % 64);
        numbers[at] = (x / most * 127.0) as i8;
    }
    (bits, numbers)
}

fn distances_of(rows: &[[u64; 4]], query: &[u64; 4], found: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt")]
        fn with_popcnt(rows: &[[u64; 4]], query: &[u64; 4], found: &mut Vec<u16>) {
            found.extend(rows.iter().map(|row| distance(row, query)));
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has just been asked for what the form needs.
            return unsafe { with_popcnt(rows, query, found) };
        }
    }
    found.extend(rows.iter().map(|row| distance(row, query)));
}

#[inline(always)]
fn distance(row: &[u64; 4], query: &[u64; 4]) -> u16 {
    row.iter().zip(query).map(|(a, b)| (a ^ b).count_ones() as u16).sum()
}
