//! The `similarity` measurement: the correlation of cosines with similarity judged by people.

use std::fmt;
use std::path::Path;

use heirloom_embed::builtin;
use serde::Serialize;

use super::baselines::dot_product;
use crate::failure::Failure;
use crate::report::Report;

/// The report of the measurement.
#[derive(Debug, Serialize)]
pub(crate) struct SimilarityReport {
    file: String,
    pairs: usize,
    /// The rank correlation of cosines and scores.
    spearman: f64,
    /// The linear correlation of cosines and scores.
    pearson: f64,
}

/// Two texts, and their similarity as judged by people.
pub(crate) struct Pair {
    pub(crate) texts: [String; 2],
    pub(crate) score: f64,
}

/// Compares the cosine of each pair with its score.
pub(crate) fn measure(file: &Path) -> Result<SimilarityReport, Failure> {
    let text = std::fs::read_to_string(file).map_err(Failure::io("reading", file))?;
    let pairs = read_pairs(&text, file)?;
    let cosine = |pair: &Pair| -> f64 {
        let [a, b] = [&pair.texts[0], &pair.texts[1]].map(|text| builtin().vector(text));
        f64::from(dot_product(&a, &b))
    };
    let cosines: Vec<f64> = pairs.iter().map(cosine).collect();
    let scores: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    Ok(SimilarityReport {
        file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        pairs: pairs.len(),
        spearman: correlation(&ranks(&cosines), &ranks(&scores)),
        pearson: correlation(&cosines, &scores),
    })
}

/// Reads rows of two texts and a number, in any order, separated by commas or tabs. A row without a
/// number is a heading.
pub(crate) fn read_pairs(text: &str, file: &Path) -> Result<Vec<Pair>, Failure> {
    let has_tabs = text.lines().next().is_some_and(|line| line.contains('\t'));
    let mut pairs = Vec::new();
    for row in split_rows(text, if has_tabs { '\t' } else { ',' }) {
        let is_number = |cell: &&String| cell.trim().parse::<f64>().is_ok();
        // The score is the first or the last number; other numbers are ids.
        let score = row.first().filter(is_number).or_else(|| row.iter().rev().find(is_number));
        let mut texts = row.iter().filter(|cell| !is_number(cell) && !cell.trim().is_empty());
        if let (Some(score), Some(a), Some(b)) = (score, texts.next(), texts.next()) {
            let score = score.trim().parse().unwrap_or_default();
            pairs.push(Pair { texts: [a.clone(), b.clone()], score });
        }
    }
    match pairs.is_empty() {
        true => Err(Failure::new(format!("{}: no row has two texts and a score", file.display()))),
        false => Ok(pairs),
    }
}

/// Splits a text into rows of cells; a quoted cell may contain separators and line breaks.
fn split_rows(text: &str, separator: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if separator == ',' && is_quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' if separator == ',' => is_quoted = !is_quoted,
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !is_quoted => {}
            c if c == separator && !is_quoted => row.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    row.push(cell);
    rows.push(row);
    rows
}

/// Returns the rank of each number; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    for equal in order.chunk_by(|a, b| numbers[*a] == numbers[*b]) {
        let mean = start as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|index| ranks[*index] = mean);
        start += equal.len();
    }
    ranks
}

/// Returns the Pearson correlation of two series.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() as f64;
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let pairs = || a.iter().zip(b).map(|(a, b)| (a - mean_a, b - mean_b));
    let covariance: f64 = pairs().map(|(a, b)| a * b).sum();
    let (variance_a, variance_b) =
        pairs().fold((0.0, 0.0), |(x, y), (a, b)| (x + a * a, y + b * b));
    covariance / (variance_a * variance_b).sqrt().max(f64::EPSILON)
}

impl Report for SimilarityReport {}

impl fmt::Display for SimilarityReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimilarityReport { file, pairs, spearman, pearson } = self;
        writeln!(out, "{file}: {pairs} pairs, Spearman {spearman:.4}, Pearson {pearson:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_rows_ranks_and_correlations_are_computed() {
        let text = "a,b,score\n\"x, \"\"y\"\"\",z,2.5\nq,r,1\n";
        let read = read_pairs(text, Path::new("f")).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].texts, ["x, \"y\"".to_owned(), "z".to_owned()]);
        assert_eq!(read[0].score, 2.5);
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
    }
}
