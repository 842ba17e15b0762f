//! `consolidate`: merges, shortens and forgets memories by a plan.

use heirloom_core::consolidation::{ConsolidationPlan, ConsolidationStep, EpisodeLength};
use heirloom_core::{Hint, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::consolidation::{
    Applied, FoundContradictions, LastConsolidation, NewPlan, Scheduler, apply, make_plan,
    scan_contradictions, schedule_text, try_plan,
};
use crate::link_discovery;
use crate::ops::request_parts::InputData;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Consolidate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only make the plan and show it.
    #[serde(default)]
    dry_run: bool,
    /// Only these steps; all by default.
    #[serde(default)]
    steps: Vec<ConsolidationStep>,
    /// Propose also what was undone before. Otherwise it is left out until the memories change.
    #[serde(default)]
    again: bool,
    /// A plan that a dry run printed as JSON, perhaps edited, to carry out instead of a new one. Memories that changed
    /// since it was made are left out.
    #[serde(default)]
    #[schemars(extend("x-named-content" = true))]
    plan: Option<InputData>,
    /// Print what runs this every night with a scheduler of the system, and do nothing else.
    #[serde(default)]
    schedule: Option<Scheduler>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Consolidation {
    /// Number of facts that were merged into others; of a dry run, that would be.
    deduped: usize,
    /// Number of episodes that were shortened.
    compressed: usize,
    /// Number of replaced memories whose usage counts for their successors.
    ranked: usize,
    /// Number of memories that were archived, besides those that the run itself replaced.
    forgotten: usize,
    /// Number of open contradictions.
    contradictions_found: usize,
    /// Number of pairs that were judged for contradictions.
    judged_pairs: usize,
    /// Number of relations that were newly proposed.
    links_proposed: usize,
    /// Number of changes that were left out because they were undone before.
    undone_before: usize,
    /// Whether nothing was changed.
    dry_run: bool,
    /// The number of the run, by which it can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u64>,
    /// What was left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The plan, of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<ConsolidationPlan>,
    /// What to give to the scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<String>,
}

impl Operation for Consolidate {
    type Request = Request;
    type Response = Consolidation;
    const SPEC: Spec = Spec {
        name: "consolidate",
        usage: "consolidate",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Keep memory healthy: merge facts that say the same, shorten old episodes, archive what was replaced and what is unused and unimportant, look for contradictions and relations. Whatever is taken out stays in the archive, and a whole run can be undone.",
    };

    const ALIASES: &[(&str, &str)] = &[("step", "steps")];
    const PATHS: &[&str] = &["/consolidate"];

    fn run(session: &Session, request: Request) -> Result<Consolidation, Error> {
        if let Some(scheduler) = request.schedule {
            let schedule = Some(schedule_text(scheduler, session.program(), session.root().path()));
            return Ok(Consolidation { schedule, dry_run: true, ..Consolidation::default() });
        }
        let is_whole = request.plan.is_none() && request.steps.is_empty();
        let new = match request.plan {
            Some(_) if !request.steps.is_empty() || request.again => {
                return Err(Error::bad_input("a plan says itself which steps are taken")
                    .hint("remove items from the plan, or make a new one"));
            }
            Some(plan) => NewPlan { plan: read_plan(plan)?, undone_before: 0 },
            None => {
                let all = request.steps.is_empty();
                let steps =
                    if all { ConsolidationStep::ALL.to_vec() } else { request.steps.clone() };
                make_plan(session, &steps, request.again)?
            }
        };
        if request.dry_run {
            return preview(session, new, is_whole);
        }
        carry_out(session, &new, is_whole)
    }
}

/// Describes a plan without carrying it out.
fn preview(session: &Session, new: NewPlan, is_whole: bool) -> Result<Consolidation, Error> {
    let NewPlan { plan, undone_before } = new;
    let Applied { deduped, compressed, moved, forgotten, mut notes, .. } =
        try_plan(session, &plan)?;
    let found = contradictions(session, &plan, true, &mut notes);
    if is_whole {
        LastConsolidation {
            planned_at: Some(session.now()),
            duplicates: deduped,
            episodes: compressed,
            forgotten,
            ..LastConsolidation::read(session)
        }
        .write(session)?;
    }
    Ok(Consolidation {
        deduped,
        compressed,
        ranked: moved,
        forgotten,
        contradictions_found: found.open,
        judged_pairs: found.examined_pairs,
        undone_before,
        dry_run: true,
        notes,
        plan: Some(plan),
        ..Consolidation::default()
    })
}

/// Carries out a plan. What fails after memories were changed is noted: the run has to be known, so that it can be undone.
fn carry_out(session: &Session, new: &NewPlan, is_whole: bool) -> Result<Consolidation, Error> {
    let NewPlan { plan, undone_before } = new;
    let Applied { deduped, compressed, moved, forgotten, run, mut notes } = apply(session, plan)?;
    let found = contradictions(session, plan, false, &mut notes);
    let links_proposed = match plan.links.then(|| link_discovery::update(session, false)) {
        None => 0,
        Some(Ok(update)) => update.new.len(),
        Some(Err(error)) => {
            notes.push(format!("no relations were looked for: {}", error.message));
            0
        }
    };
    // A run of some steps, or of an edited plan, leaves the other steps for the next whole run.
    if is_whole {
        let now = Some(session.now());
        let last =
            LastConsolidation { ran_at: now, planned_at: now, ..LastConsolidation::default() };
        if let Err(error) = last.write(session) {
            notes.push(format!("the time of this run could not be stored: {}", error.message));
        }
    }
    Ok(Consolidation {
        deduped,
        compressed,
        ranked: moved,
        forgotten,
        contradictions_found: found.open,
        judged_pairs: found.examined_pairs,
        links_proposed,
        undone_before: *undone_before,
        run,
        notes,
        ..Consolidation::default()
    })
}

fn contradictions(
    session: &Session,
    plan: &ConsolidationPlan,
    dry_run: bool,
    notes: &mut Vec<String>,
) -> FoundContradictions {
    if !plan.contradictions {
        return FoundContradictions::default();
    }
    scan_contradictions(session, dry_run).unwrap_or_else(|error| {
        notes.push(format!("no contradictions were looked for: {}", error.message));
        FoundContradictions::default()
    })
}

/// Reads a plan, or the answer of a dry run with its plan.
fn read_plan(InputData(data): InputData) -> Result<ConsolidationPlan, Error> {
    let hint =
        || Hint::text("print one with ").call("consolidate", [("dry_run", true)]).then(" as JSON");
    let (name, text) = match data {
        Value::Object(file) if file.contains_key("text") => {
            let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
            (
                text("name").unwrap_or_else(|| "the plan".to_owned()),
                text("text").unwrap_or_default(),
            )
        }
        Value::String(text) => ("the plan".to_owned(), text),
        other => {
            return parse_plan(&other.to_string()).map_err(|error| {
                let reason = json::error_message(&error);
                Error::bad_input(format!("the plan cannot be used: {reason}")).hint(hint())
            });
        }
    };
    parse_plan(&text).map_err(|error| {
        let reason = match error.is_data() {
            true => format!("the plan cannot be used: {}", json::error_message(&error)),
            false => json::describe_syntax_error(&error),
        };
        Error::bad_input(format!("{name}:{}: {reason}", error.line())).hint(hint())
    })
}

/// Parses a plan, or an object that contains one as `plan`. The position of an error is that in the text.
fn parse_plan(text: &str) -> Result<ConsolidationPlan, serde_json::Error> {
    #[derive(Deserialize)]
    struct WithPlan {
        plan: ConsolidationPlan,
    }
    let is_answer = serde_json::from_str::<Value>(text)?.get("plan").is_some();
    match is_answer {
        true => serde_json::from_str::<WithPlan>(text).map(|answer| answer.plan),
        false => serde_json::from_str(text),
    }
}

/// Most items of a list that are shown.
const MAX_SHOWN: usize = 20;

impl Answer for Consolidation {
    fn view(&self) -> View {
        let mut view = View::new();
        if let Some(schedule) = &self.schedule {
            for line in schedule.lines() {
                view.line([line]);
            }
            return view;
        }
        if let Some(plan) = &self.plan {
            show_plan(&mut view, plan);
        }
        let verb = if self.dry_run { "would be " } else { "" };
        let parts = [
            (self.deduped, "fact", "merged"),
            (self.compressed, "episode", "shortened"),
            (self.forgotten, "memory", "archived"),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        let done: Vec<String> = parts
            .map(|(count, what, done)| format!("{} {verb}{done}", present::count(count, what)))
            .collect();
        view.line([match done.is_empty() {
            true => span(Role::Dim, "nothing to consolidate"),
            false => span(Role::Good, done.join(" · ")),
        }]);
        let found = [
            (self.ranked, "usage count", "moved to a successor"),
            (self.contradictions_found, "open contradiction", ""),
            (self.links_proposed, "relation", "newly proposed"),
        ];
        for (count, what, done) in found.into_iter().filter(|(count, ..)| *count > 0) {
            let line = format!("{} {done}", present::count(count, what));
            view.line([span(Role::Plain, line.trim().to_owned())]);
        }
        if self.undone_before > 0 {
            let left_out = present::count(self.undone_before, "change");
            let hint = Hint::text(format!("{left_out} left out, undone before; "))
                .call("consolidate", [("again", true)])
                .then(" proposes them again");
            view.line([span(Role::Dim, hint)]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, note)]);
        }
        if let Some(run) = self.run {
            let hint = Hint::text(format!("run {run}; undo it with ")).operation("undo");
            view.line([span(Role::Dim, hint)]);
        }
        view
    }
}

fn show_plan(view: &mut View, plan: &ConsolidationPlan) {
    let ConsolidationPlan { merge, compress, forget, .. } = plan;
    if !merge.is_empty() {
        view.title("Merge");
        for fact in merge.iter().take(MAX_SHOWN) {
            for memory in &fact.memories {
                let role = if memory.text == fact.text { Role::Good } else { Role::Dim };
                let id = memory.id.short().into_owned();
                view.line([span(Role::Key, id), "  ".into(), span(role, one_line(&memory.text))]);
            }
            view.blank();
        }
        show_rest(view, merge.len());
    }
    if !compress.is_empty() {
        view.title("Shorten");
        for episode in compress.iter().take(MAX_SHOWN) {
            let to = match episode.to {
                EpisodeLength::Summary => "to its summary",
                EpisodeLength::Line => "to a line",
            };
            let words = format!("  {to}, {} of {} words", episode.kept_words, episode.words);
            view.line([
                span(Role::Key, episode.id.short().into_owned()),
                "  ".into(),
                one_line(&episode.title).into(),
                span(Role::Dim, words),
            ]);
        }
        show_rest(view, compress.len());
        view.blank();
    }
    if !forget.is_empty() {
        view.title("Archive");
        for memory in forget.iter().take(MAX_SHOWN) {
            view.line([
                span(Role::Key, memory.id.short().into_owned()),
                "  ".into(),
                one_line(&memory.text).into(),
                span(Role::Dim, format!("  {}", memory.reason.as_str())),
            ]);
        }
        show_rest(view, forget.len());
        view.blank();
    }
}

fn show_rest(view: &mut View, all: usize) {
    if all > MAX_SHOWN {
        let rest = format!("and {} more, which the JSON of the plan lists", all - MAX_SHOWN);
        view.line([span(Role::Dim, rest)]);
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
