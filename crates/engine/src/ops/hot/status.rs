//! `hot status`: shows the budgets of hot memory and what of it was needed least.

use heirloom_core::Hint;
use heirloom_core::hot::Fill;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measure::{HotMeasure, MeasuredFile, MeasuredItem};
use super::reviews::{self, LastReview};
use crate::hot::LinkRecord;
use crate::view::bar::{BarPart, bar, gauge, thousands};
use crate::view::{Role, Span, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct HotStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HotReport {
    #[serde(flatten)]
    measure: HotMeasure,
    /// Last review; none if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_review: Option<LastReview>,
    /// Clients that the rules are linked to.
    linked_clients: Vec<String>,
    /// Items that agents used least, by the sessions that were judged on this machine.
    least_needed: Vec<MeasuredItem>,
}

/// The number of items that are named as needed least.
const MAX_LEAST_NEEDED: usize = 3;

impl Operation for HotStatus {
    type Request = Request;
    type Response = HotReport;
    const SPEC: Spec = Spec {
        name: "hot_status",
        usage: "hot status",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show lines and tokens of the rules that every conversation loads against their budgets, the last review, and the items that were needed least.",
    };

    fn run(session: &Session, _request: Request) -> Result<HotReport, Error> {
        let measure = HotMeasure::of(session)?;
        let (record, _) = LinkRecord::read(session.root())?;
        Ok(HotReport {
            least_needed: least_needed(&measure),
            last_review: LastReview::read(session)?,
            linked_clients: record.clients.into_iter().collect(),
            measure,
        })
    }
}

/// Returns the judged items that the smallest share of sessions used; of equally used items, the largest come first.
fn least_needed(measure: &HotMeasure) -> Vec<MeasuredItem> {
    let items = measure.files.iter().flat_map(|file| &file.items);
    let mut judged: Vec<&MeasuredItem> =
        items.filter(|item| item.cited_share.is_some_and(|share| share < 1.0)).collect();
    judged.sort_by(|a, b| {
        let shares = a.cited_share.unwrap_or(1.0).total_cmp(&b.cited_share.unwrap_or(1.0));
        shares.then(b.size.tokens.cmp(&a.size.tokens)).then(a.name.cmp(&b.name))
    });
    judged.into_iter().take(MAX_LEAST_NEEDED).cloned().collect()
}

impl Answer for HotReport {
    fn view(&self) -> View {
        let HotReport { measure, .. } = self;
        let mut view = View::new();
        if measure.files.is_empty() {
            let hint = Hint::text(format!("no rules in {}; ", measure.folder));
            view.line([span(Role::Dim, hint.operation("hot_init").then(" makes the first ones"))]);
        }
        let rows = measure.files.iter().map(file_row).collect();
        view.table(&["lines", "", "tokens", "rule", ""], rows);
        show_client_files(&mut view, measure);
        if measure.whole.lines > 0 {
            show_whole(&mut view, measure);
        }
        view.blank();
        view.line(reviews::describe(self.last_review.as_ref()));
        self.show_links(&mut view);
        self.show_least_needed(&mut view);
        present::problems(&mut view, &measure.problems);
        view
    }
}

impl HotReport {
    fn show_links(&self, view: &mut View) {
        match self.linked_clients.as_slice() {
            [] if self.measure.files.is_empty() => {}
            [] => {
                let hint = Hint::text("linked to no client; ").operation("hot_link");
                view.line([span(
                    Role::Warning,
                    hint.then(" puts the rules where clients read them"),
                )]);
            }
            clients => {
                view.line([span(Role::Dim, format!("linked to {}", clients.join(", ")))]);
            }
        }
    }

    fn show_least_needed(&self, view: &mut View) {
        if self.least_needed.is_empty() {
            return;
        }
        view.title("Needed least");
        let rows = self.least_needed.iter().map(|item| {
            let usage = item.usage.as_ref();
            let (cited, judged) = usage.map_or((0, 0), |it| (it.cited, it.cited + it.ignored));
            vec![
                span(Role::Key, &item.name),
                format!("{} tokens", thousands(item.size.tokens)).into(),
                span(Role::Dim, format!("used in {cited} of {judged} sessions")),
            ]
        });
        view.table(&[], rows.collect());
        let hint = Hint::text("").operation("hot_demote");
        view.line([span(Role::Dim, hint.then(" moves an item to warm memory"))]);
    }
}

fn file_row(file: &MeasuredFile) -> Vec<Span> {
    let limit =
        |limit: Option<usize>| limit.map_or(String::new(), |it| format!(" of {}", thousands(it)));
    let budget = file.budget.unwrap_or_default();
    let bar = match (budget.lines, budget.tokens) {
        (Some(lines), _) => gauge(file.size.lines, lines),
        (None, Some(tokens)) => gauge(file.size.tokens, tokens),
        (None, None) => String::new(),
    };
    let remark = if file.budget.is_none() { "states no budget" } else { fill_remark(file.fill) };
    let remark_role = if file.budget.is_none() { Role::Dim } else { fill_role(file.fill) };
    vec![
        format!("{}{}", thousands(file.size.lines), limit(budget.lines)).into(),
        span(fill_role(file.fill), bar),
        format!("{}{}", thousands(file.size.tokens), limit(budget.tokens)).into(),
        span(Role::Source, &file.path),
        span(remark_role, remark),
    ]
}

fn show_client_files(view: &mut View, measure: &HotMeasure) {
    if measure.client_files.is_empty() {
        return;
    }
    view.title("Loaded besides");
    let rows = measure.client_files.iter().map(|file| {
        vec![
            thousands(file.size.lines).into(),
            format!("{} tokens", thousands(file.size.tokens)).into(),
            span(Role::Source, &file.path),
            span(Role::Dim, file.clients.join(", ")),
        ]
    });
    view.table(&[], rows.collect());
}

/// Shows bars of lines and tokens of what a conversation loads.
fn show_whole(view: &mut View, measure: &HotMeasure) {
    let rules = measure.rules_size();
    let own = |whole: usize, rules: usize| whole.saturating_sub(rules);
    let besides = measure.heaviest_name().map(|name| format!("{name} besides"));
    let limits = [
        ("Lines", measure.whole.lines, measure.budget.lines, rules.lines),
        ("Tokens", measure.whole.tokens, measure.budget.tokens, rules.tokens),
    ];
    for (what, used, limit, of_rules) in limits {
        let limit = limit.unwrap_or_default();
        view.title(format!("{what}: {} of {}", thousands(used), thousands(limit)));
        let mut parts = vec![BarPart { name: "rules", size: of_rules, remark: String::new() }];
        parts.extend(besides.as_deref().map(|name| BarPart {
            name,
            size: own(used, of_rules),
            remark: String::new(),
        }));
        bar(view, limit.max(used), &parts);
        if used > limit {
            let more = thousands(used - limit);
            view.line([span(Role::Bad, format!("⚠️ {more} more than the budget allows"))]);
        }
    }
    if measure.fill == Fill::Near {
        view.line([span(Role::Warning, "⚠️ the budget of the whole is nearly used")]);
    }
}

/// Describes how far a budget is used.
pub(crate) fn fill_remark(fill: Fill) -> &'static str {
    match fill {
        Fill::Room => "",
        Fill::Near => "nearly full",
        Fill::Over => "over its budget",
    }
}

pub(crate) fn fill_role(fill: Fill) -> Role {
    match fill {
        Fill::Room => Role::Good,
        Fill::Near => Role::Warning,
        Fill::Over => Role::Bad,
    }
}
