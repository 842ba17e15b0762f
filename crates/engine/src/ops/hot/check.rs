//! `hot check`: fails if a budget of hot memory is exceeded, for CI.

use heirloom_core::hot::{Budget, Fill, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measure::HotMeasure;
use super::status::{fill_remark, fill_role};
use crate::view::bar::thousands;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotCheck;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HotCheckReport {
    /// Whether every budget is kept.
    is_within_budget: bool,
    #[serde(flatten)]
    measure: HotMeasure,
}

impl Operation for HotCheck {
    type Request = Request;
    type Response = HotCheckReport;
    const SPEC: Spec = Spec {
        name: "hot_check",
        usage: "hot check",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Check the rules that every conversation loads, for CI: exit code 1 if a file or the whole exceeds its budget, or if a budget cannot be read.",
    };

    fn run(session: &Session, _request: Request) -> Result<HotCheckReport, Error> {
        let measure = HotMeasure::of(session)?;
        Ok(HotCheckReport { is_within_budget: !measure.has_findings(), measure })
    }
}

impl Answer for HotCheckReport {
    fn view(&self) -> View {
        let HotCheckReport { measure, .. } = self;
        let mut view = View::new();
        for file in measure.files.iter().filter(|file| file.fill != Fill::Room) {
            show(&mut view, &file.path, file.size, file.budget.unwrap_or_default(), file.fill);
        }
        if measure.fill != Fill::Room {
            let whole = match measure.heaviest_name() {
                Some(client) => format!("the whole, with what {client} loads besides"),
                None => "the whole".to_owned(),
            };
            show(&mut view, &whole, measure.whole, measure.budget, measure.fill);
        }
        present::problems(&mut view, &measure.problems);
        if !measure.has_findings() {
            let files = present::count(measure.files.len(), "rule");
            let Size { lines, tokens } = measure.whole;
            let (lines, tokens) = (thousands(lines), thousands(tokens));
            let line = format!("{files} within budget: {lines} lines, {tokens} tokens");
            view.line([span(Role::Good, line)]);
        }
        view
    }

    fn has_findings(&self) -> bool {
        !self.is_within_budget
    }
}

fn show(view: &mut View, what: &str, size: Size, budget: Budget, fill: Fill) {
    let part = |used: usize, limit: Option<usize>, unit: &str| {
        limit.map(|limit| format!("{} of {} {unit}", thousands(used), thousands(limit)))
    };
    let parts =
        [part(size.lines, budget.lines, "lines"), part(size.tokens, budget.tokens, "tokens")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    view.line([
        span(fill_role(fill), format!("{}: ", fill_remark(fill))),
        span(Role::Source, what),
        format!("  {}", parts.join(", ")).into(),
    ]);
}
