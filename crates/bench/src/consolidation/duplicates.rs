//! Which pairs of sentences would be merged, beside what people say of them.

use std::fmt;
use std::path::Path;

use heirloom_core::consolidation::{
    ComparableText, DEFAULT_DUPLICATE_SIMILARITY, duplicate_similarity,
};
use heirloom_embed::builtin;
use serde::Serialize;

use crate::args::DuplicatesArgs;
use crate::failure::Failure;
use crate::recall::dot_product;
use crate::recall::similarity::{Pair, read_pairs};
use crate::report::{Bar, Report, write_bars};

/// The least share of merged pairs that people call paraphrases.
const MIN_PRECISION: f64 = 0.95;

/// The least share of paraphrases that are merged.
const MIN_RECALL: f64 = 0.15;

/// Pairs with a smaller score differ in what they say.
const MIN_SCORE: f64 = 3.0;

/// The largest share of merged pairs with a smaller score.
const MAX_SHARE_BELOW: f64 = 0.05;

/// The report of the measurement.
#[derive(Serialize)]
pub(crate) struct DuplicatesReport {
    /// The least similarity of merged pairs.
    threshold: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    paraphrases: Option<Paraphrases>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scored: Option<ScoredPairs>,
    bars: Vec<Bar>,
}

/// Pairs that people call paraphrases, or not.
#[derive(Serialize)]
struct Paraphrases {
    pairs: usize,
    /// How many are paraphrases.
    positive: usize,
    merged: usize,
    precision: f64,
    recall: f64,
}

/// Pairs that people gave a score from 0 to 5.
#[derive(Serialize)]
struct ScoredPairs {
    pairs: usize,
    merged: usize,
    /// How many of the merged ones have a score below 3.
    below_3: usize,
    share_below_3: f64,
}

/// Compares each pair at the default threshold.
pub(crate) fn measure(args: &DuplicatesArgs) -> Result<DuplicatesReport, Failure> {
    let threshold = DEFAULT_DUPLICATE_SIMILARITY;
    let paraphrases = args.paraphrases.as_deref().map(read).transpose()?;
    let paraphrases = paraphrases.map(|pairs| count_paraphrases(&pairs, threshold));
    let scored = args.scored.as_deref().map(read).transpose()?;
    let scored = scored.map(|pairs| count_scored(&pairs, threshold));
    let mut bars = vec![];
    if let Some(Paraphrases { precision, recall, .. }) = &paraphrases {
        bars.push(Bar::judge(
            format!("precision of merged pairs >= {MIN_PRECISION}"),
            *precision,
            *precision >= MIN_PRECISION,
        ));
        bars.push(Bar::judge(
            format!("share of paraphrases that are merged >= {MIN_RECALL}"),
            *recall,
            *recall >= MIN_RECALL,
        ));
    }
    if let Some(ScoredPairs { share_below_3, .. }) = &scored {
        bars.push(Bar::at_most("share of merged pairs below 3", *share_below_3, MAX_SHARE_BELOW));
    }
    Ok(DuplicatesReport { threshold, paraphrases, scored, bars })
}

fn read(path: &Path) -> Result<Vec<Pair>, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::io("reading", path))?;
    read_pairs(&text, path)
}

fn count_paraphrases(pairs: &[Pair], threshold: f64) -> Paraphrases {
    let is_positive = |pair: &&Pair| pair.score > 0.0;
    let positive = pairs.iter().filter(is_positive).count();
    let merged: Vec<&Pair> = pairs.iter().filter(|pair| is_merged(pair, threshold)).collect();
    let right = merged.iter().copied().filter(is_positive).count();
    Paraphrases {
        pairs: pairs.len(),
        positive,
        merged: merged.len(),
        precision: right as f64 / merged.len().max(1) as f64,
        recall: right as f64 / positive.max(1) as f64,
    }
}

fn count_scored(pairs: &[Pair], threshold: f64) -> ScoredPairs {
    let merged: Vec<&Pair> = pairs.iter().filter(|pair| is_merged(pair, threshold)).collect();
    let below_3 = merged.iter().filter(|pair| pair.score < MIN_SCORE).count();
    ScoredPairs {
        pairs: pairs.len(),
        merged: merged.len(),
        below_3,
        share_below_3: below_3 as f64 / merged.len().max(1) as f64,
    }
}

fn is_merged(pair: &Pair, threshold: f64) -> bool {
    let nearness = |a: &str, b: &str| dot_product(&builtin().vector(a), &builtin().vector(b));
    let [a, b] = [&pair.texts[0], &pair.texts[1]].map(|text| ComparableText::new(text));
    duplicate_similarity(&a, &b, &nearness).is_some_and(|it| it + 1e-9 >= threshold)
}

impl Report for DuplicatesReport {
    fn bars(&self) -> Vec<&Bar> {
        self.bars.iter().collect()
    }
}

impl fmt::Display for DuplicatesReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Paraphrases { pairs, positive, merged, precision, recall }) = &self.paraphrases
        {
            writeln!(out, "{pairs} pairs, {positive} of them paraphrases: {merged} merged")?;
            writeln!(out, "precision {precision:.4}, recall {recall:.4}")?;
        }
        if let Some(ScoredPairs { pairs, merged, below_3, share_below_3 }) = &self.scored {
            writeln!(
                out,
                "{pairs} scored pairs: {merged} merged, {below_3} of them below 3 ({share_below_3:.4})"
            )?;
        }
        write_bars(out, &self.bars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str, score: f64) -> Pair {
        Pair { texts: [a.to_owned(), b.to_owned()], score }
    }

    #[test]
    fn merged_pairs_are_counted_by_their_labels() {
        let pairs = [
            pair("Refunds are stored as events.", "Refunds are stored as events", 1.0),
            pair("Builds are cached in CI", "CI caches the builds", 0.0),
            pair("The gateway validates tokens", "Invoices are numbered per year", 1.0),
        ];
        let counted = count_paraphrases(&pairs, 0.75);
        assert_eq!((counted.positive, counted.merged), (2, 2));
        assert!((counted.precision - 0.5).abs() < 1e-9 && (counted.recall - 0.5).abs() < 1e-9);
        assert_eq!(count_scored(&pairs, 0.75).below_3, 2);
    }
}
