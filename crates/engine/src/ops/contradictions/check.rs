//! `contradictions check`: judges two memories or texts.

use heirloom_core::contradiction::{Certainty, FindingKind, compared_sentences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::ContradictionSide;
use crate::contradictions::{LanguageModelJudge, PairJudge, ReadMemory};
use crate::memory::{ComparableMemory, MemoryQuery, MemorySlice, MemoryTarget};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, ErrorKind, Group, Operation, Session, Spec};

/// Most sentences of each text that the model reads in pairs.
const MAX_SENTENCES: usize = 3;

pub(crate) struct ContradictionsCheck;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, or end of the id, of a memory; or a statement.
    a: String,
    /// Id, or end of the id, of another memory; or another statement.
    b: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JudgedStatements {
    /// Whether they contradict each other: certain, possible or none.
    certainty: Certainty,
    /// How likely that is, from 0 to 1.
    score: f64,
    /// In what they differ.
    differs_in: FindingKind,
    /// Why.
    reason: String,
    /// Whether they hold for different scopes, plans or times, so that both may be true.
    has_other_scope: bool,
    /// What was judged first.
    a: ContradictionSide,
    /// What was judged second.
    b: ContradictionSide,
    /// Remarks, such as why a configured model was not asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Operation for ContradictionsCheck {
    type Request = Request;
    type Response = JudgedStatements;
    const SPEC: Spec = Spec {
        name: "contradictions_check",
        usage: "contradictions check <a> <b>",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Judge whether two memories or statements contradict each other. Nothing is recorded.",
    };

    fn run(session: &Session, request: Request) -> Result<JudgedStatements, Error> {
        let typed = [request.a, request.b];
        let known = MemoryQuery::new().ids(&typed).read(session)?;
        let [a, b] = typed.map(|typed| statement(&known, &typed));
        let (a, b) = (a?, b?);
        let judge = PairJudge::builtin();
        let mut verdict =
            judge.judge_with(&ReadMemory::new(&a), &ReadMemory::new(&b), log_odds(judge, &a, &b));
        let mut notes = Vec::new();
        if let Some(mut model) = LanguageModelJudge::configured(session, &mut notes)? {
            verdict = model.judge(&a, &b, &verdict).unwrap_or(verdict);
            notes.extend(model.failure_note());
        }
        Ok(JudgedStatements {
            certainty: verdict.certainty,
            score: (verdict.probability * 1000.0).round() / 1000.0,
            differs_in: verdict.kind,
            reason: verdict.reason,
            has_other_scope: !a.has_common_scope(&b),
            a: ContradictionSide::of_comparable(&a),
            b: ContradictionSide::of_comparable(&b),
            notes,
        })
    }
}

/// Returns what a typed id or statement states.
fn statement(known: &MemorySlice, typed: &str) -> Result<ComparableMemory, Error> {
    let text = typed.trim();
    if text.is_empty() {
        return Err(Error::bad_input("a statement is empty").hint("give an id or a sentence"));
    }
    let is_sentence = text.contains(char::is_whitespace);
    match known.find(text) {
        Ok(target) => of_target(known, target),
        Err(error) if is_sentence && error.kind == ErrorKind::NotFound => {
            Ok(ComparableMemory::of_text(text))
        }
        Err(error) => Err(error),
    }
}

/// Returns what a memory states, whatever its kind and standing.
fn of_target(known: &MemorySlice, target: MemoryTarget<'_>) -> Result<ComparableMemory, Error> {
    let referent = target.referent();
    let comparable = match target {
        MemoryTarget::Record(id) => known
            .memory
            .record(id)
            .and_then(|record| ComparableMemory::of_record(referent.clone(), record)),
        MemoryTarget::Entry(document, entry) => ComparableMemory::of_entry(document, entry),
    };
    let item = || known.item(&referent);
    comparable
        .or_else(|| {
            let text = item()?.text;
            Some(ComparableMemory {
                referent: referent.clone(),
                ..ComparableMemory::of_text(&text)
            })
        })
        .ok_or_else(|| Error::bad_input(format!("{} has no text", referent.short())))
}

/// Returns the greatest log-odds of the model for two sentences of the texts; `None` without a model.
fn log_odds(judge: PairJudge, a: &ComparableMemory, b: &ComparableMemory) -> Option<f32> {
    let sentences = |memory: &'_ ComparableMemory| -> Vec<String> {
        let all = compared_sentences(&memory.text).into_iter();
        all.take(MAX_SENTENCES).map(str::to_owned).collect()
    };
    let (of_a, of_b) = (sentences(a), sentences(b));
    let pairs: Vec<(&str, &str)> =
        of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a.as_str(), b.as_str()))).collect();
    judge.log_odds(&pairs)?.into_iter().reduce(f32::max)
}

impl Answer for JudgedStatements {
    fn view(&self) -> View {
        let mut view = View::new();
        let (role, word) = match self.certainty {
            Certainty::Certain => (Role::Bad, "they contradict each other"),
            Certainty::Possible => (Role::Warning, "they may contradict each other"),
            Certainty::None => (Role::Good, "no contradiction"),
        };
        let score = format!("  {:.2}", self.score);
        view.line([span(role, word), span(Role::Dim, score)]);
        for (name, side) in [("a", &self.a), ("b", &self.b)] {
            view.line([
                span(Role::Dim, format!("   {name}: ")),
                present::opening(&side.text).into(),
            ]);
        }
        if self.certainty != Certainty::None {
            let reason = match self.reason.is_empty() {
                true => self.differs_in.name().to_owned(),
                false => format!("{}: {}", self.differs_in.name(), self.reason),
            };
            view.line([span(Role::Dim, format!("   {reason}"))]);
        }
        if self.has_other_scope {
            let line = "   they hold for different scopes, plans or times, so both may be true";
            view.line([span(Role::Warning, line)]);
        }
        for note in &self.notes {
            view.line([span(Role::Warning, format!("   {note}"))]);
        }
        view
    }
}
