//! The `contradictions` measurement: how well pairs of statements that contradict each other are told from others.

mod aspects;
mod clusters;
mod generator;
mod planted;
mod things;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use heirloom_core::contradiction::{Certainty, Verdict, judge_pair};
use heirloom_embed::{Judge, builtin_judge, word_nearness};
use serde::Serialize;

use crate::args::JudgedPairsArgs;
use crate::failure::Failure;
use crate::report::Report;
pub(crate) use planted::measure as measure_planted;

/// The false-alarm rate at which the recall is reported beside that at the default threshold.
const REPORTED_FALSE_ALARMS: f64 = 0.1;

/// The most bad lines that are listed.
const MAX_LISTED_LINES: usize = 10;

/// The report of the measurement.
#[derive(Debug, Serialize)]
pub(crate) struct ContradictionsReport {
    file: String,
    pairs: usize,
    contradictions: usize,
    /// What judged: `rules`, or `rules and model`.
    judge: &'static str,
    /// The probability that a pair that contradicts gets more than one that does not.
    auc: f64,
    /// The share of the contradictions that are called certain or possible.
    recall: f64,
    /// The share of the other pairs that are.
    false_alarms: f64,
    /// The share of the contradictions above the score that a tenth of the other pairs exceeds.
    recall_at_10: f64,
    /// How many pairs are called certain.
    certain: usize,
    /// The share of these that contradict; nothing if there are none.
    precision_of_certain: Option<f64>,
    /// The time for a pair on one core.
    ms_per_pair: f64,
}

/// Two statements, and whether they contradict each other.
#[derive(Debug, PartialEq)]
struct LabelledPair {
    statements: [String; 2],
    contradicts: bool,
}

/// Judges the pairs of a file.
pub(crate) fn measure(args: &JudgedPairsArgs) -> Result<ContradictionsReport, Failure> {
    // The command line demands a file if no other part of the measurement is wanted.
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let text = std::fs::read_to_string(file).map_err(Failure::io("reading", file))?;
    let pairs = read_pairs(&text, file)?;
    let model = find_model(args.model.as_ref(), args.rules_only)?;
    // The first pair reads the models, which a server does once.
    judge(&pairs[0], model);
    let started = Instant::now();
    let verdicts: Vec<Verdict> = pairs.iter().map(|pair| judge(pair, model)).collect();
    let ms_per_pair = started.elapsed().as_secs_f64() * 1000.0 / pairs.len() as f64;
    let judge = if model.is_some() { "rules and model" } else { "rules" };
    let file = file.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(summarise(file.unwrap_or_default(), judge, &pairs, &verdicts, ms_per_pair))
}

/// Returns the model to use: that of a file, else the one that is compiled in, if there is one.
fn find_model(path: Option<&PathBuf>, rules_only: bool) -> Result<Option<&'static Judge>, Failure> {
    let of_model = |error: &dyn fmt::Display| Failure::new(error.to_string());
    match path {
        _ if rules_only => Ok(None),
        Some(path) => {
            let bytes = std::fs::read(path).map_err(Failure::io("reading", path))?;
            let judge = Judge::parse(bytes.leak());
            let judge = judge.map_err(|error| {
                Failure::new(format!("{}: {error}; {}", path.display(), error.hint))
            })?;
            Ok(Some(Box::leak(Box::new(judge))))
        }
        None => builtin_judge().map(Some).map_err(|error| of_model(error)),
    }
}

fn judge(pair: &LabelledPair, model: Option<&Judge>) -> Verdict {
    let [a, b] = &pair.statements;
    judge_pair(a, b, &word_nearness, model.map(|model| model.log_odds(a, b)))
}

/// Reads lines of two statements and 0 or 1, separated by tabs.
fn read_pairs(text: &str, file: &Path) -> Result<Vec<LabelledPair>, Failure> {
    let mut pairs = Vec::new();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match read_pair(line) {
            Ok(pair) => pairs.push(pair),
            Err(reason) => {
                problems.push(format!("{}:{}: {reason}", file.display(), index + 1));
            }
        }
    }
    if !problems.is_empty() {
        let more = problems.len().saturating_sub(MAX_LISTED_LINES);
        problems.truncate(MAX_LISTED_LINES);
        if more > 0 {
            problems.push(format!("and {more} more lines"));
        }
        return Err(Failure::new(problems.join("\n")));
    }
    let contradictions = pairs.iter().filter(|pair| pair.contradicts).count();
    match contradictions > 0 && contradictions < pairs.len() {
        true => Ok(pairs),
        false => Err(Failure::new(format!(
            "{}: pairs that contradict (1) and others (0) are both needed",
            file.display()
        ))),
    }
}

fn read_pair(line: &str) -> Result<LabelledPair, String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [a, b, label] = fields[..] else {
        return Err(format!(
            "expected two statements and 0 or 1, separated by tabs, but found {} fields",
            fields.len()
        ));
    };
    if a.is_empty() || b.is_empty() {
        return Err("a statement is empty".into());
    }
    let contradicts = match label {
        "1" => true,
        "0" => false,
        other => return Err(format!("expected 0 or 1, but found `{}`", other.escape_debug())),
    };
    Ok(LabelledPair { statements: [a.to_owned(), b.to_owned()], contradicts })
}

fn summarise(
    file: String,
    judge: &'static str,
    pairs: &[LabelledPair],
    verdicts: &[Verdict],
    ms_per_pair: f64,
) -> ContradictionsReport {
    let of = |contradicts: bool| {
        let judged = pairs.iter().zip(verdicts);
        judged.filter(move |(pair, _)| pair.contradicts == contradicts).map(|(_, verdict)| verdict)
    };
    let probabilities =
        |contradicts: bool| of(contradicts).map(|verdict| verdict.probability).collect::<Vec<_>>();
    let (positive, negative) = (probabilities(true), probabilities(false));
    let found = |contradicts: bool| {
        let found = of(contradicts).filter(|verdict| verdict.certainty != Certainty::None);
        found.count() as f64 / of(contradicts).count() as f64
    };
    let certain = |contradicts: bool| {
        of(contradicts).filter(|verdict| verdict.certainty == Certainty::Certain).count()
    };
    let all_certain = certain(true) + certain(false);
    ContradictionsReport {
        file,
        pairs: pairs.len(),
        contradictions: positive.len(),
        judge,
        auc: auc(&positive, &negative),
        recall: found(true),
        false_alarms: found(false),
        recall_at_10: recall_at(&positive, &negative, REPORTED_FALSE_ALARMS),
        certain: all_certain,
        precision_of_certain: (all_certain > 0).then(|| certain(true) as f64 / all_certain as f64),
        ms_per_pair,
    }
}

/// Returns the probability that a positive scores above a negative; ties count half.
fn auc(positive: &[f64], negative: &[f64]) -> f64 {
    let mut sorted = negative.to_vec();
    sorted.sort_by(f64::total_cmp);
    let above = positive.iter().map(|score| {
        let below = sorted.partition_point(|other| other < score);
        let not_above = sorted.partition_point(|other| other <= score);
        (below + not_above) as f64 / 2.0
    });
    above.sum::<f64>() / (positive.len() * negative.len()) as f64
}

/// Returns the share of positives above the score that a share of the negatives exceeds at most.
fn recall_at(positive: &[f64], negative: &[f64], false_alarms: f64) -> f64 {
    let mut sorted = negative.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let allowed = (false_alarms * negative.len() as f64).floor() as usize;
    let limit = sorted.get(allowed).copied().unwrap_or(f64::NEG_INFINITY);
    positive.iter().filter(|score| **score > limit).count() as f64 / positive.len() as f64
}

impl Report for ContradictionsReport {}

impl fmt::Display for ContradictionsReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{}: {} pairs, {} of them contradictions, judged by {}",
            self.file, self.pairs, self.contradictions, self.judge
        )?;
        writeln!(out, "AUC {:.4}", self.auc)?;
        writeln!(
            out,
            "recall {:.3} at {:.3} false alarms, the default threshold",
            self.recall, self.false_alarms
        )?;
        writeln!(
            out,
            "recall {:.3} at {REPORTED_FALSE_ALARMS:.3} false alarms",
            self.recall_at_10
        )?;
        match self.precision_of_certain {
            Some(precision) => {
                writeln!(out, "{} certain, {:.3} of them right", self.certain, precision)?;
            }
            None => writeln!(out, "none certain")?,
        }
        writeln!(out, "{:.3} ms a pair", self.ms_per_pair)
    }
}

#[cfg(test)]
mod tests {
    use heirloom_core::contradiction::FindingKind;

    use super::*;

    #[test]
    fn bad_lines_are_listed_with_path_and_line() {
        let text = "A\tB\t1\n\nA\tB\tyes\nA\t\t0\n";
        let error = read_pairs(text, Path::new("pairs.tsv")).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("pairs.tsv:2: expected two statements"), "{error}");
        assert!(lines[1].starts_with("pairs.tsv:3: expected 0 or 1, but found `yes`"), "{error}");
        assert!(lines[2].starts_with("pairs.tsv:4: a statement is empty"), "{error}");
        let error = read_pairs("A\tB\t1\n", Path::new("pairs.tsv")).unwrap_err().to_string();
        assert!(error.contains("both needed"), "{error}");
    }

    #[test]
    fn measures_follow_from_the_ranks() {
        let pairs: Vec<LabelledPair> = [true, true, false, false]
            .map(|contradicts| LabelledPair { statements: Default::default(), contradicts })
            .into();
        let verdict = |probability, certainty| Verdict {
            probability,
            certainty,
            is_clean: false,
            kind: FindingKind::Other,
            reason: String::new(),
        };
        let verdicts = [
            verdict(0.9, Certainty::Certain),
            verdict(0.4, Certainty::None),
            verdict(0.6, Certainty::Possible),
            verdict(0.1, Certainty::None),
        ];
        let report = summarise("f".into(), "rules", &pairs, &verdicts, 1.0);
        assert_eq!((report.auc, report.recall, report.false_alarms), (0.75, 0.5, 0.5));
        assert_eq!((report.recall_at_10, report.precision_of_certain), (0.5, Some(1.0)));
        assert_eq!(auc(&[0.5], &[0.5]), 0.5);
    }
}
