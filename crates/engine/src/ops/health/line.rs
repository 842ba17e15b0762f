//! A line of the overview: a figure with what it means, and the command that mends it.

use heirloom_core::Hint;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::bar::{gauge, thousands};
use crate::view::{Role, Span, View, present, span};

/// A figure with what it means.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct HealthLine {
    /// What is counted.
    pub(super) name: &'static str,
    /// The figure, for people.
    pub(super) text: String,
    /// How it is.
    pub(super) state: LineState,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mend: Option<Hint>,
    /// A chart of the figure.
    #[serde(skip)]
    pub(super) chart: String,
}

/// How a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineState {
    /// It says how much there is, and nothing about its state.
    Neutral,
    /// It is as it should be.
    Good,
    /// It deserves attention.
    Attention,
    /// Something is broken.
    Broken,
}

/// The width of the column of names, the same in all tables of the screen.
const NAME_CHARS: usize = 14;

impl HealthLine {
    /// Creates a line without a chart and a command.
    pub(super) fn new(name: &'static str, state: LineState, text: impl Into<String>) -> Self {
        HealthLine { name, text: text.into(), state, mend: None, chart: String::new() }
    }

    /// Adds the command that shows or mends it.
    pub(super) fn mend(self, operation: &'static str) -> Self {
        self.mend_by(Hint::text("").operation(operation))
    }

    /// Adds the same with its arguments.
    pub(super) fn mend_by(self, command: Hint) -> Self {
        HealthLine { mend: Some(command), ..self }
    }

    /// Adds a bar that shows which part of a whole it is; an empty one of nothing.
    pub(super) fn part_of(self, size: usize, whole: usize) -> Self {
        let chart = gauge(size, whole.max(1));
        HealthLine { chart, ..self }
    }

    /// Adds a chart.
    pub(super) fn chart(self, chart: String) -> Self {
        HealthLine { chart, ..self }
    }

    fn role(&self) -> Role {
        match self.state {
            LineState::Neutral => Role::Key,
            LineState::Good => Role::Good,
            LineState::Attention => Role::Warning,
            LineState::Broken => Role::Bad,
        }
    }

    fn row(&self) -> Vec<Span> {
        let mend = self.mend.clone().unwrap_or_default();
        let text_role = if self.state > LineState::Good { self.role() } else { Role::Plain };
        vec![
            span(Role::Key, format!("{:<NAME_CHARS$}", self.name)),
            span(self.role(), self.chart.clone()),
            span(text_role, self.text.clone()),
            span(Role::Dim, mend),
        ]
    }
}

/// Returns a number with what it counts: `1 memory`, `2,000 memories`.
pub(super) fn count(number: usize, what: &str) -> String {
    present::count(number, what).replacen(&number.to_string(), &thousands(number), 1)
}

/// Shows lines under a title. Neighbouring lines of one form, with or without a chart, are a table.
pub(super) fn show_lines(view: &mut View, title: &str, lines: &[HealthLine]) {
    if lines.is_empty() {
        return;
    }
    view.title(title);
    for group in lines.chunk_by(|a, b| a.chart.is_empty() == b.chart.is_empty()) {
        let rows = group.iter().map(|line| {
            let mut row = line.row();
            if line.chart.is_empty() {
                row.remove(1);
            }
            row
        });
        view.table(&[], rows.collect());
    }
}
