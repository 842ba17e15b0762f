//! What answers a question.

use heirloom_core::Problem;
use heirloom_core::record::short;
use heirloom_core::staleness::Freshness;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::show_things;
use crate::present;
use crate::recall::Hit;
use crate::view::{Role, View, span};

/// What answers a question, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    /// What answers, best first.
    pub(crate) hits: Vec<Hit>,
    /// What comes nearest, if nothing answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) near_misses: Vec<Hit>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

impl Answer for Hits {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.hits.is_empty() {
            view.line([span(Role::Dim, "nothing is remembered of that")]);
        }
        self.hits.iter().for_each(|hit| show(&mut view, hit));
        show_old(&mut view, &self.hits);
        if !self.near_misses.is_empty() {
            view.line([span(Role::Dim, "what comes nearest:")]);
            self.near_misses.iter().for_each(|hit| show(&mut view, hit));
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

/// Says which of them are so old that one should see whether they still hold.
fn show_old(view: &mut View, hits: &[Hit]) {
    let old: Vec<&str> = hits
        .iter()
        .filter(|hit| hit.freshness == Freshness::Critical)
        .map(|hit| short(&hit.thing.id))
        .collect();
    if !old.is_empty() {
        let are = if old.len() == 1 { "is" } else { "are" };
        let said = format!("{} {are} old; see whether that still holds", old.join(", "));
        view.line([span(Role::Dim, said)]);
    }
}

fn show(view: &mut View, hit: &Hit) {
    show_things(view, std::slice::from_ref(&hit.thing));
    if let Some(workspace) = &hit.workspace {
        view.line([span(Role::Dim, "          of "), span(Role::Source, workspace)]);
    }
    let Some(explain) = &hit.explain else { return };
    let score = hit.thing.score.unwrap_or_default();
    let mut sum =
        vec![format!("words {:.3}", explain.words), format!("meaning {:.3}", explain.meaning)];
    if explain.time != 0.0 {
        sum.push(format!("time {:.3}", explain.time));
    }
    sum.push(format!("sure and fresh {:.3}", explain.standing));
    let mut sum = sum.join(" + ");
    if explain.repeats {
        sum = format!("({sum}), less for saying what a better one says");
    }
    view.line([span(Role::Dim, format!("          {score:.3} = {sum}"))]);
    let terms: Vec<String> = explain
        .terms
        .iter()
        .map(|term| {
            let around = if term.around { " (a neighbour)" } else { "" };
            format!("{} {:.3}{around}", term.term, term.share)
        })
        .collect();
    if !terms.is_empty() {
        view.line([span(Role::Dim, format!("          {}", terms.join(" · ")))]);
    }
}
