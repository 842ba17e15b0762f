//! Conflicts and problems in the requested output format.

use heirloom_core::conflict::{Conflict, Severity};
use heirloom_core::hint::HintFormatter;
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Answer;
use crate::operation::format_answer;
use crate::view::formats::{self, FindingsFormat};
use crate::view::present;
use crate::view::{Role, View, format_json, span};

/// Conflicts between documents, and documents that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Findings {
    /// Conflicts, most severe first.
    conflicts: Vec<Conflict>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
    /// Documents that are merely incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Problem>,
    /// The findings as text, if the format is `github` or `sarif`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip)]
    #[schemars(skip)]
    format: FindingsFormat,
    #[serde(skip)]
    #[schemars(skip)]
    fails_on_critical: bool,
}

impl Answer for Findings {
    fn view(&self) -> View {
        match self.format {
            FindingsFormat::Text => self.text_view(),
            FindingsFormat::Json => View::json(serde_json::to_value(self).unwrap_or_default()),
            FindingsFormat::Github => View::raw(self.text.as_deref().unwrap_or_default()),
            FindingsFormat::Sarif => {
                View::json(formats::sarif(&self.conflicts, &self.problems, &self.warnings))
            }
        }
    }

    fn data(&self, word: HintFormatter<'_>) -> Value {
        let mut data = format_answer(self, word);
        if self.format == FindingsFormat::Sarif {
            let log = formats::sarif(&self.conflicts, &self.problems, &self.warnings);
            data["text"] = format_json(&log, word).into();
        }
        data
    }

    fn has_findings(&self) -> bool {
        self.fails_on_critical && (self.critical_count() > 0 || !self.problems.is_empty())
    }
}

impl Findings {
    /// Creates the response; with `fails_on_critical`, a critical conflict or a problem fails the command.
    pub(crate) fn new(
        conflicts: Vec<Conflict>,
        problems: Vec<Problem>,
        format: FindingsFormat,
        fails_on_critical: bool,
    ) -> Self {
        let text = match format {
            FindingsFormat::Github => Some(formats::github(&conflicts, &problems, &[])),
            FindingsFormat::Text | FindingsFormat::Json | FindingsFormat::Sarif => None,
        };
        Findings { conflicts, problems, warnings: vec![], text, format, fails_on_critical }
    }

    /// Adds documents that are merely incomplete, which fails nothing.
    #[must_use]
    pub(crate) fn with_warnings(self, warnings: Vec<Problem>) -> Self {
        let text = self.text.map(|_| formats::github(&self.conflicts, &self.problems, &warnings));
        Findings { warnings, text, ..self }
    }

    fn critical_count(&self) -> usize {
        self.conflicts.iter().filter(|conflict| conflict.severity == Severity::Critical).count()
    }

    fn text_view(&self) -> View {
        let mut view = View::new();
        for conflict in &self.conflicts {
            present::conflict(&mut view, conflict);
            view.blank();
        }
        present::problems(&mut view, &self.problems);
        for warning in &self.warnings {
            let warning = Hint::text("⚠️ ").then_hint(&warning.describe());
            view.line([span(Role::Warning, warning)]);
        }
        let critical = self.critical_count();
        let mut summary = match (self.conflicts.len(), self.problems.len()) {
            (0, 0) => "no conflicts".to_owned(),
            (conflicts, _) => {
                format!("{}, {critical} critical", present::count(conflicts, "conflict"))
            }
        };
        for (found, what) in [(&self.problems, "problem"), (&self.warnings, "incomplete document")]
        {
            if !found.is_empty() {
                summary = format!("{summary}; {}", present::count(found.len(), what));
            }
        }
        let role = match () {
            () if critical > 0 || !self.problems.is_empty() => Role::Bad,
            () if !self.conflicts.is_empty() || !self.warnings.is_empty() => Role::Warning,
            () => Role::Good,
        };
        view.line([span(role, summary)]);
        view
    }
}
