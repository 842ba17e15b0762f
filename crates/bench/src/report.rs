//! What all reports share: bars, tables, and results that may be missing.

use std::fmt;

use serde::Serialize;

use crate::numbers;

/// The report of a measurement.
pub(crate) trait Report: Serialize + fmt::Display {
    /// Returns all bars that were judged.
    fn bars(&self) -> Vec<&Bar> {
        Vec::new()
    }

    /// Returns whether a bar failed.
    fn has_failed_bar(&self) -> bool {
        self.bars().iter().any(|bar| bar.verdict == Verdict::Fail)
    }
}

/// A result, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Attempt<T> {
    Done(T),
    Skipped {
        /// The reason.
        skipped: String,
    },
}

impl<T> From<Result<T, String>> for Attempt<T> {
    fn from(result: Result<T, String>) -> Attempt<T> {
        result.map_or_else(|skipped| Attempt::Skipped { skipped }, Attempt::Done)
    }
}

impl<T> Attempt<T> {
    /// Converts the result, if there is one.
    pub(crate) fn map<U>(&self, convert: impl FnOnce(&T) -> U) -> Attempt<U> {
        match self {
            Attempt::Done(result) => Attempt::Done(convert(result)),
            Attempt::Skipped { skipped } => Attempt::Skipped { skipped: skipped.clone() },
        }
    }
}

/// A requirement, and whether it is met.
#[derive(Serialize)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    /// The measured value, or why there is none.
    pub(crate) detail: String,
    /// The measured number, if the bar compares one.
    pub(crate) measured: Option<f64>,
}

/// Whether a bar is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Pass,
    Fail,
    /// It could not be measured.
    Skipped,
}

impl Bar {
    /// Judges a measured number.
    pub(crate) fn judge(name: String, measured: f64, is_met: bool) -> Self {
        let verdict = if is_met { Verdict::Pass } else { Verdict::Fail };
        Bar { name, verdict, detail: numbers::ratio(measured), measured: Some(measured) }
    }

    /// Judges whether a measured number is at most `max`.
    pub(crate) fn at_most(what: &str, measured: f64, max: f64) -> Self {
        Bar::judge(format!("{what} <= {max}"), measured, measured <= max)
    }

    /// Judges whether a number is at most `max`, if it could be measured.
    pub(crate) fn at_most_if_measured(what: &str, measured: Attempt<f64>, max: f64) -> Self {
        match measured {
            Attempt::Done(measured) => Bar::at_most(what, measured, max),
            Attempt::Skipped { skipped } => Bar::skipped(format!("{what} <= {max}"), skipped),
        }
    }

    /// Creates a bar that could not be measured.
    pub(crate) fn skipped(name: String, reason: String) -> Self {
        Bar { name, verdict: Verdict::Skipped, detail: reason, measured: None }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Skipped => "skipped",
        };
        write!(f, "{}: {verdict} ({})", self.name, self.detail)
    }
}

/// Writes bars, one a line.
pub(crate) fn write_bars(f: &mut fmt::Formatter<'_>, bars: &[Bar]) -> fmt::Result {
    bars.iter().try_for_each(|bar| writeln!(f, "{bar}"))
}

/// Writes lines in columns: the first left-aligned with a minimum width, the others right-aligned. Returns the
/// width of the first column.
pub(crate) fn write_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    lines: &[[String; N]],
    min_width: usize,
) -> Result<usize, fmt::Error> {
    let mut widths = [0; N];
    widths[0] = min_width;
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in lines {
        write!(f, "{:<width$}", line[0], width = widths[0])?;
        for (cell, width) in line.iter().zip(widths).skip(1) {
            write!(f, "  {cell:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(widths[0])
}
