//! The `similarity` measurement: whether the embedder finds alike what people find alike.

use std::fmt;
use std::path::Path;

use heirloom_embed::builtin;
use serde::Serialize;

use crate::failure::Failure;

/// What a file of pairs showed.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The file's name.
    file: String,
    /// How many pairs it has.
    pairs: usize,
    /// How well the order of likeness is that of the scores, -1 to 1.
    spearman: f64,
    /// How well the likeness of pairs and their scores lie on a line, -1 to 1.
    pearson: f64,
}

/// Two texts and how alike people find them.
struct Pair {
    texts: [String; 2],
    score: f64,
}

/// Compares the likeness of each pair with its score.
pub(crate) fn measure(file: &Path) -> Result<Report, Failure> {
    let text = std::fs::read_to_string(file).map_err(Failure::io("reading", file))?;
    let pairs = pairs(&text, file)?;
    let near = |pair: &Pair| -> f64 {
        let [a, b] = [&pair.texts[0], &pair.texts[1]].map(|text| builtin().vector(text));
        f64::from(a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>())
    };
    let likeness: Vec<f64> = pairs.iter().map(near).collect();
    let scores: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    Ok(Report {
        file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        pairs: pairs.len(),
        spearman: correlation(&ranks(&likeness), &ranks(&scores)),
        pearson: correlation(&likeness, &scores),
    })
}

/// Reads rows of two texts and a number, in whichever order: commas with quotes, or tabs. A row
/// without a number is a heading.
fn pairs(text: &str, file: &Path) -> Result<Vec<Pair>, Failure> {
    let has_tabs = text.lines().next().is_some_and(|line| line.contains('\t'));
    let mut pairs = Vec::new();
    for row in rows(text, if has_tabs { '\t' } else { ',' }) {
        let is_number = |cell: &&String| cell.trim().parse::<f64>().is_ok();
        // The score comes first or last; what else is a number is an id.
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

/// Cuts a text into rows of cells; quotes hold a separator or a line break.
fn rows(text: &str, separator: char) -> Vec<Vec<String>> {
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

/// The place of each number among all; equal ones share the mean of theirs.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    for equal in order.chunk_by(|a, b| numbers[*a] == numbers[*b]) {
        let mean = start as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|at| ranks[*at] = mean);
        start += equal.len();
    }
    ranks
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() as f64;
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let pairs = || a.iter().zip(b).map(|(a, b)| (a - mean_a, b - mean_b));
    let together: f64 = pairs().map(|(a, b)| a * b).sum();
    let (own_a, own_b) = pairs().fold((0.0, 0.0), |(x, y), (a, b)| (x + a * a, y + b * b));
    together / (own_a * own_b).sqrt().max(f64::EPSILON)
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { file, pairs, spearman, pearson } = self;
        writeln!(out, "{file}: {pairs} pairs, Spearman {spearman:.4}, Pearson {pearson:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_correlations_are_right() {
        let text = "a,b,score\n\"x, \"\"y\"\"\",z,2.5\nq,r,1\n";
        let read = pairs(text, Path::new("f")).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].texts, ["x, \"y\"".to_owned(), "z".to_owned()]);
        assert_eq!(read[0].score, 2.5);
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
    }
}
