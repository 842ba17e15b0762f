//! The operation.

use heirloom_core::Problem;
use heirloom_core::hot::{Budget, Fill, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::growth::{RecordHealth, freshness_lines};
use super::indexes::IndexHealth;
use super::line::{HealthLine, LineState, count, show_lines};
use super::outlook;
use super::used::UsageHealth;
use crate::memory::{MemorySlice, read_related_with_counts};
use crate::ops::context::health::FreshnessCounts;
use crate::ops::graph::health::GraphHealthReport;
use crate::ops::hot::measure::HotMeasure;
use crate::ops::hot::reviews::LastReview;
use crate::ops::hot::status::fill_remark;
use crate::view::View;
use crate::view::bar::thousands;
use crate::view::present;
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Health;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Fail if something is broken: unreadable files or lines, broken references, cycles, contradictions between stored
    /// memories, or rules over their budget.
    #[serde(default)]
    check: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthReport {
    /// Number of documents by freshness.
    documents: FreshnessCounts,
    /// Graph of documents and related memories.
    graph: GraphSummary,
    /// Records of the log.
    records: RecordHealth,
    /// Number of entries of memory documents.
    entries: usize,
    /// Number of conflicts between memories: contradictions that were stated, forks, and decisions of a plan.
    conflicts: usize,
    /// Usage of memories on this machine.
    usage: UsageHealth,
    /// Indexes.
    indexes: IndexHealth,
    /// Rules that every conversation loads.
    rules: RuleSummary,
    /// What waits for a decision, and what costly commands found when they last ran.
    outlook: Vec<HealthLine>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
    /// Whether something is broken.
    is_broken: bool,
    #[serde(skip)]
    check: bool,
}

/// The graph of documents and related memories.
#[derive(Debug, Serialize, JsonSchema)]
struct GraphSummary {
    /// Number of nodes.
    nodes: usize,
    /// Number of relations.
    relations: usize,
    /// Number of documents without relations.
    orphans: usize,
    /// Number of cycles of supersessions or dependencies.
    cycles: usize,
    /// Number of references to missing or retired documents.
    broken_references: usize,
}

/// The rules that every conversation loads.
#[derive(Debug, Serialize, JsonSchema)]
struct RuleSummary {
    /// Number of rules.
    rules: usize,
    /// What a conversation loads.
    whole: Size,
    /// Number of lines that it may load.
    max_lines: Option<usize>,
    /// Number of tokens that it may load.
    max_tokens: Option<usize>,
    /// How far the budget is used.
    fill: Fill,
    /// Number of rules that exceed their own budget.
    over_budget: usize,
    /// Whether the rules should be reviewed.
    is_review_due: bool,
    #[serde(skip)]
    warning_share: f64,
}

impl Operation for Health {
    type Request = Request;
    type Response = HealthReport;
    const SPEC: Spec = Spec {
        name: "health",
        usage: "health",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show the health of documents, graph, memory, usage, indexes and rules on one screen, each figure with the command that mends it. Nothing costly is run.",
    };

    fn run(session: &Session, request: Request) -> Result<HealthReport, Error> {
        let (catalog, _) = Catalog::read_without_text(session)?;
        let (known, counts) = read_related_with_counts(session)?;
        let graph = GraphHealthReport::of(session, &catalog, &known)?;
        let documents = FreshnessCounts::of(&catalog);
        let conflicts = known.conflicts(None).len();
        let entries = known.entries().count();
        catalog.drop_in_background();
        let records = RecordHealth::of(session, &counts)?;
        let measure = HotMeasure::of(session)?;
        let mut problems = graph.problems.clone();
        problems.extend(measure.problems.iter().cloned());
        let mut outlook: Vec<HealthLine> = vec![conflict_line(&known, conflicts)];
        outlook.push(outlook::contradictions(session)?);
        outlook.push(outlook::consolidation(session));
        outlook.push(outlook::proposed_links(session));
        let mut report = HealthReport {
            documents,
            graph: GraphSummary {
                nodes: graph.nodes,
                relations: graph.edges,
                orphans: graph.orphans.len(),
                cycles: graph.cycles.len(),
                broken_references: graph.broken_references.len(),
            },
            usage: UsageHealth::read(session, records.active())?,
            records,
            entries,
            conflicts,
            indexes: IndexHealth::read(session)?,
            rules: RuleSummary::of(session, &measure)?,
            outlook,
            problems,
            is_broken: false,
            check: request.check,
        };
        report.is_broken = report.has_broken_line();
        Ok(report)
    }
}

/// Describes the conflicts that were stated, which need no model to be found.
fn conflict_line(known: &MemorySlice, conflicts: usize) -> HealthLine {
    let line = |state, text: String| HealthLine::new("conflicts", state, text);
    match conflicts {
        0 => {
            let text = match known.memory.edges().len() {
                0 => "none stated".to_owned(),
                edges => format!("none stated among {} of memories", count(edges, "relation")),
            };
            line(LineState::Good, text)
        }
        conflicts => line(LineState::Broken, format!("{conflicts} between memories"))
            .mend("context_conflicts"),
    }
}

impl HealthReport {
    /// Returns the parts of the screen.
    fn sections(&self) -> Vec<(String, Vec<HealthLine>)> {
        let memory = [self.records.size_lines(), self.entry_lines(), self.records.age_lines()];
        let indexes = self.indexes.lines().into_iter();
        vec![
            (self.documents_title(), self.document_lines()),
            ("Graph".to_owned(), self.graph.lines()),
            ("Memory".to_owned(), memory.concat()),
            ("Usage on this machine".to_owned(), self.usage.lines()),
            ("To review".to_owned(), self.outlook.clone()),
            (
                "Indexes and rules".to_owned(),
                indexes.chain(self.rules.lines()).chain(self.problem_line()).collect(),
            ),
        ]
    }

    fn has_broken_line(&self) -> bool {
        let sections = self.sections();
        let mut lines = sections.iter().flat_map(|(_, lines)| lines);
        lines.any(|line| line.state == LineState::Broken)
    }

    fn documents_title(&self) -> String {
        let FreshnessCounts { fresh, unknown, warning, critical, closed, not_edited } =
            self.documents;
        let all = fresh + unknown + warning + critical + closed + not_edited;
        format!("Documents: {}", thousands(all))
    }

    fn document_lines(&self) -> Vec<HealthLine> {
        let FreshnessCounts { fresh, unknown, warning, critical, closed, not_edited } =
            self.documents;
        let whole = fresh + unknown + warning + critical;
        let mut lines = match whole {
            0 => vec![],
            _ => freshness_lines([fresh, warning, critical], whole, "context_health"),
        };
        let others =
            [(unknown, "without a date"), (closed, "closed"), (not_edited, "not edited yet")];
        let others: Vec<String> = others
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{} {what}", thousands(number)))
            .collect();
        if !others.is_empty() {
            lines.push(HealthLine::new("others", LineState::Neutral, others.join(", ")));
        }
        lines
    }

    fn entry_lines(&self) -> Vec<HealthLine> {
        let text = count(self.entries, "entry");
        let line =
            HealthLine::new("entries", LineState::Neutral, format!("{text} of agents and plans"));
        if self.entries > 0 { vec![line] } else { vec![] }
    }

    fn problem_line(&self) -> Option<HealthLine> {
        let text = count(self.problems.len(), "problem");
        (!self.problems.is_empty()).then(|| HealthLine::new("files", LineState::Broken, text))
    }
}

impl GraphSummary {
    fn lines(&self) -> Vec<HealthLine> {
        let GraphSummary { nodes, relations, orphans, cycles, broken_references } = self;
        let size = format!("{}, {}", count(*nodes, "node"), count(*relations, "relation"));
        let mut lines = vec![HealthLine::new("size", LineState::Neutral, size)];
        let findings = [
            ("orphans", *orphans, "document", " without relations", LineState::Attention),
            ("cycles", *cycles, "cycle", " of supersessions or dependencies", LineState::Broken),
            ("references", *broken_references, "broken reference", "", LineState::Broken),
        ];
        for (name, number, what, rest, state) in findings {
            if number > 0 {
                let text = format!("{}{rest}", count(number, what));
                lines.push(HealthLine::new(name, state, text).mend("graph_health"));
            }
        }
        lines
    }
}

impl RuleSummary {
    fn of(session: &Session, measure: &HotMeasure) -> Result<Self, Error> {
        let over = measure.files.iter().filter(|file| file.fill == Fill::Over);
        let is_due = LastReview::read(session)?.is_none_or(|review| review.is_due);
        Ok(RuleSummary {
            rules: measure.files.len(),
            whole: measure.whole,
            max_lines: measure.budget.lines,
            max_tokens: measure.budget.tokens,
            fill: measure.fill,
            over_budget: over.count(),
            is_review_due: is_due && !measure.files.is_empty(),
            warning_share: session.config()?.hot.warning_share,
        })
    }

    fn lines(&self) -> Vec<HealthLine> {
        let mut lines = vec![];
        if self.whole.lines > 0 {
            let Size { lines: of_lines, tokens } = self.whole;
            let of_lines = self.max_lines.map(|max| self.budget_line("rule lines", of_lines, max));
            let tokens = self.max_tokens.map(|max| self.budget_line("rule tokens", tokens, max));
            lines.extend(of_lines.into_iter().chain(tokens));
        } else {
            let line = HealthLine::new("rules", LineState::Neutral, "none");
            lines.push(line.mend("hot_init"));
        }
        if self.over_budget > 0 {
            let text = format!("{} over its own budget", count(self.over_budget, "rule"));
            lines.push(HealthLine::new("rules", LineState::Broken, text).mend("hot_status"));
        }
        if self.is_review_due {
            let text = "it is time for the next review";
            lines.push(HealthLine::new("rules", LineState::Attention, text).mend("hot_reviewed"));
        }
        lines
    }

    fn budget_line(&self, name: &'static str, used: usize, limit: usize) -> HealthLine {
        let budget = Budget { lines: Some(limit), tokens: None };
        let fill = budget.fill(Size { lines: used, tokens: 0 }, self.warning_share);
        let state = match fill {
            Fill::Room => LineState::Good,
            Fill::Near => LineState::Attention,
            Fill::Over => LineState::Broken,
        };
        let remark = fill_remark(fill);
        let remark = if remark.is_empty() { String::new() } else { format!(", {remark}") };
        let text = format!("{} of {}{remark}", thousands(used), thousands(limit));
        let line = HealthLine::new(name, state, text).part_of(used, limit);
        if fill == Fill::Room { line } else { line.mend("hot_status") }
    }
}

impl Answer for HealthReport {
    fn view(&self) -> View {
        let mut view = View::new();
        for (title, lines) in self.sections() {
            show_lines(&mut view, &title, &lines);
        }
        present::problems(&mut view, &self.problems);
        view
    }

    fn has_findings(&self) -> bool {
        self.check && self.is_broken
    }
}
