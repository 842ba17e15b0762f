//! Conflicts and problems, in the format that was asked for.

use heirloom_core::Problem;
use heirloom_core::conflict::{Conflict, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::formats::{self, Format};
use crate::present;
use crate::view::{Role, View, span};

/// Conflicts, and what could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Findings {
    /// Where documents disagree or refer to what is gone, worst first.
    pub(crate) conflicts: Vec<Conflict>,
    /// What could not be read.
    pub(crate) problems: Vec<Problem>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) format: Format,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) fails_on_critical: bool,
}

impl Answer for Findings {
    fn view(&self) -> View {
        match self.format {
            Format::Text => self.text(),
            Format::Json => View::raw(serde_json::to_string_pretty(self).unwrap_or_default()),
            Format::Github => View::raw(formats::github(&self.conflicts, &self.problems)),
            Format::Sarif => View::raw(formats::sarif(&self.conflicts, &self.problems)),
        }
    }

    fn has_findings(&self) -> bool {
        self.fails_on_critical && (self.criticals() > 0 || !self.problems.is_empty())
    }
}

impl Findings {
    fn criticals(&self) -> usize {
        self.conflicts.iter().filter(|conflict| conflict.severity == Severity::Critical).count()
    }

    fn text(&self) -> View {
        let mut view = View::new();
        for conflict in &self.conflicts {
            present::conflict(&mut view, conflict);
            view.blank();
        }
        present::problems(&mut view, &self.problems);
        let critical = self.criticals();
        let summary = match (self.conflicts.len(), self.problems.len()) {
            (0, 0) => span(Role::Good, "no conflicts"),
            (conflicts, 0) => span(
                if critical > 0 { Role::Bad } else { Role::Warning },
                format!("{}, {critical} critical", present::count(conflicts, "conflict")),
            ),
            (conflicts, problems) => span(
                Role::Bad,
                format!(
                    "{}, {critical} critical; {}",
                    present::count(conflicts, "conflict"),
                    present::count(problems, "problem")
                ),
            ),
        };
        view.line([summary]);
        view
    }
}
