//! `context conflicts`: where documents disagree.

use heirloom_core::Problem;
use heirloom_core::conflict::{Conflict, Severity};
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::formats::{self, Format};
use crate::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct ContextConflicts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Only what this plan inherits, by name or number.
    #[serde(default)]
    plan: Option<String>,
    /// How to print it.
    #[serde(default)]
    format: Format,
}

/// Conflicts, and what could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Findings {
    /// Where documents disagree or refer to what is gone, worst first.
    pub(super) conflicts: Vec<Conflict>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) format: Format,
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) fails_on_critical: bool,
}

impl Operation for ContextConflicts {
    type Request = Request;
    type Response = Findings;
    const SPEC: Spec = Spec {
        name: "context_conflicts",
        usage: "context conflicts [plan]",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "List where documents contradict what they inherit, override what is stale, refer to what is superseded or gone, or supersede each other in a circle.",
        routes: &[],
    };

    fn run(session: &Session, request: Request) -> Result<Findings, Error> {
        let catalog = Catalog::read(session)?;
        let plan = match (&request.plan, catalog.hierarchy.level("plan")) {
            (None, _) => None,
            (Some(typed), Some(level)) => Some(layout::find_name(session.root(), level, &Default::default(), typed)?),
            (Some(_), None) => return Err(Error::bad_input("this workspace's hierarchy has no plans").hint("leave the plan out")),
        };
        let conflicts = catalog.conflicts(session, plan.as_deref());
        Ok(Findings { conflicts, problems: catalog.problems, format: request.format, fails_on_critical: false })
    }
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
            (conflicts, 0) => span(if critical > 0 { Role::Bad } else { Role::Warning }, format!("{}, {critical} critical", present::count(conflicts, "conflict"))),
            (conflicts, problems) => span(Role::Bad, format!("{}, {critical} critical; {}", present::count(conflicts, "conflict"), present::count(problems, "problem"))),
        };
        view.line([summary]);
        view
    }
}
